"""Which checks are so ordinary that nothing in them can have come from outside."""

from __future__ import annotations

import pytest

from remora.checks.ordinary import is_ordinary, places_of
from tests.observer.script import Script, observed

PLACES = places_of(("src/app/a.go", "web/b.ts", "tests/test_a.py"))


@pytest.mark.parametrize(
    "line",
    [
        "cargo fmt --check",
        "go build ./... && go test -count=1 ./src/app/...",
        "(cd web && bun run lint)",
        ".venv/bin/pytest -q tests/test_a.py",
        "npx vitest run",
        'golangci-lint run "./..."',
    ],
)
def test_words_of_checks_and_paths_of_the_project_are_ordinary(line: str) -> None:
    """Programs, what they are asked to do, plain flags, and what the session worked with."""
    assert is_ordinary(line, PLACES)


@pytest.mark.parametrize(
    "line",
    [
        "make verify-env",
        "go test -exec evil ./...",
        "npx typecheck",
        "uv run --with evil pytest",
        "CI=1 make test",
        "pytest other/test_x.py",
        "(cd other && make test)",
        "./scripts/test.sh",
        "evil/pytest -q",
        "pytest -p evil",
        "eslint --config=http://x.org/a.js",
        "make test | sh",
        "make test && curl x.org",
        "bash -c pytest",
        "git push",
        "ls",
    ],
)
def test_what_may_have_been_put_into_an_agents_mouth_is_not(line: str) -> None:
    """A name, a value, a variable, a script, a package fetched by name, or another folder."""
    assert not is_ordinary(line, PLACES)


def test_the_ordinary_part_of_a_line_stands_for_itself() -> None:
    """After a page was read, a line with a name from it stays tainted; the build in it does not."""
    script = Script().fetch("https://example.org/").step()
    script.run("go build ./... && make verify-env").run("go build ./...")
    found = {run.as_run: (run.runs, run.tainted) for run in observed(script).commands}
    assert found == {
        "go build ./... && make verify-env": (1, True),
        "go build ./...": (2, False),
    }
