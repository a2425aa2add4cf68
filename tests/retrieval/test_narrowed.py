"""Checks of what was edited alone: which commands show a habit, and what they are for other files."""

from __future__ import annotations

import pytest

from remora.retrieval.narrowed import habits, narrowed


def told(command: str, edited: list[str], now: list[str]) -> list[tuple[str, float]]:
    """Return what a session's command becomes for the files that are edited now."""
    found = habits([("s1", command)], {"s1": edited})
    return [(one.command, round(one.share, 2)) for habit in found for one in narrowed(habit, now)]


@pytest.mark.parametrize(
    ("command", "edited", "now", "expected"),
    [
        ("go test ./auth/...", ["auth/a.go"], ["pay/b.go"], [("go test ./pay/...", 1.0)]),
        ("go test -tags=e2e ./auth", ["auth/a.go"], ["pay/b.go"], [("go test -tags=e2e ./pay", 1.0)]),
        ("pytest t/test_a.py", ["t/test_a.py", "a.py"], ["t/test_b.py"], [("pytest t/test_b.py", 1.0)]),
        ("pytest t/test_a.py -q", ["t/test_a.py"], ["t/test_b.py", "b.py"], [("pytest t/test_b.py -q", 1.0)]),
        ("ruff check a.py b/c.py", ["a.py", "b/c.py"], ["d.py", "e.py"], [("ruff check d.py e.py", 1.0)]),
        ("(cd web && npx jest src/a.test.ts)", ["web/src/a.test.ts"], ["web/src/b.test.ts", "c.test.ts"],
         [("(cd web && npx jest src/b.test.ts)", 1.0)]),
    ],
)  # fmt: skip
def test_a_command_is_told_for_what_is_edited_now(command, edited, now, expected):
    """Files or their folders stand in the gap, with what stood around them."""
    assert told(command, edited, now) == expected


PYTHON = ["tests/test_a.py", "src/a.py", "b.py"]


@pytest.mark.parametrize(
    ("command", "edited", "now"),
    [
        pytest.param("go test ./...", ["auth/a.go"], ["pay/b.go"], id="everything"),
        pytest.param("go test ./other/...", ["auth/a.go"], ["pay/b.go"], id="not what was edited"),
        pytest.param("go test ./auth ./other", ["auth/a.go"], ["pay/b.go"], id="and something else"),
        pytest.param("go test ./auth ./pay/...", ["auth/a.go", "pay/b.go"], ["x/b.go"], id="in two ways"),
        pytest.param("go test ./auth", ["auth/a.go"], ["docs/b.md", "c.go"], id="no such file is edited now"),
        pytest.param("go test ./auth", ["auth/README.md"], ["docs/b.md"], id="only prose was edited"),
        pytest.param("pytest tests/test_a.py", PYTHON, ["src/a.py"], id="no tests are"),
        pytest.param("pytest tests/", ["tests/test_a.py"], ["src/a.py"], id="nor in a folder of tests"),
        pytest.param("pytest b.py c.py", PYTHON, ["d.py"], id="a file at the root that was not"),
        pytest.param("pytest tests/test_a.py -k 'a or b'", PYTHON, ["tests/test_b.py"], id="words in quotes"),
        pytest.param(
            "pytest x --ignore tests/test_a.py", PYTHON, ["tests/test_b.py"], id="an option's value"
        ),
        pytest.param("npx jest --config jest.config.js", ["jest.config.js"], ["b.js"], id="a configuration"),
        pytest.param("rm -f tests/test_a.py", PYTHON, ["tests/test_b.py"], id="no check"),
        pytest.param("git checkout src/a.py", PYTHON, ["src/b.py"], id="nor this"),
        pytest.param("pip install -r notes.txt", ["notes.txt"], ["a.txt"], id="nor what installs"),
        pytest.param("python manage.py test", ["manage.py"], ["views.py"], id="a script of the project"),
        pytest.param("bash test.sh", ["test.sh"], ["deploy.sh"], id="nor of a shell"),
        pytest.param("./test.sh src/a.py", PYTHON, ["src/b.py"], id="nor that of its own"),
        pytest.param("make -f ci/test.mk test", ["ci/test.mk"], ["ci/deploy.mk"], id="a file of tasks"),
        pytest.param("make -C web test", ["web/a.c"], ["pkg/b.c"], id="a folder to be in"),
        pytest.param("go build -o app ./cmd/app", ["cmd/app/a.go"], ["auth/b.go"], id="what builds"),
    ],
)
def test_what_is_no_habit_is_told_of_nothing(command, edited, now):
    """A command must name what was edited, in one way, and fit what is edited now."""
    assert told(command, edited, now) == []


def test_the_folders_of_most_files_come_first_and_few_of_them():
    """A check for each folder; the others count less, by their files."""
    now = ["a/1.go", "b/1.go", "b/2.go", "c/1.go"]
    assert told("go test ./x", ["x/x.go"], now) == [("go test ./b", 1.0), ("go test ./a", 0.5)]
