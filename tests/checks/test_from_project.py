"""The commands of a project that check a change."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from remora.checks.from_project import MAX_BYTES, named_checks, stands
from tests.checks.conftest import project


def named(root: Path, **files: str) -> list[tuple[str, str]]:
    """Return the tasks of a project's files, with their purposes."""
    return [(check.command, check.purpose) for check in named_checks(project(root, files))]


@pytest.mark.parametrize(
    ("name", "text", "commands"),
    [
        ("mise.toml", '[tasks.lint]\nrun="x"\n[tasks]\n"test:ci"="y"\ntest="z"\nup="w"', "lint|test|test:ci"),
        (
            "Makefile",
            "X := 1\ntest-fast: dep\n\tx\nlint fmt:\n\ty\ntest:\n\tz\nrun: test\n%.o: a",
            "lint|test|test-fast",
        ),
        (
            "justfile",
            "set shell := ['sh']\ntest *args:\n  x\nlint file:\n  y\nfmt level='1':\n  z\n",
            "test|fmt",
        ),
        ("composer.json", '{"scripts": {"lint": "x", "post-install-cmd": "y"}}', "lint"),
    ],
)
def test_tasks_are_told_by_their_names(tmp_path: Path, name: str, text: str, commands: str):
    """The plainer names come first; what needs an argument, is no check, or is no task is left out."""
    runner = {"mise.toml": "mise run", "Makefile": "make", "justfile": "just"}
    head = runner.get(name, "composer run")
    assert [c for c, _ in named(tmp_path, **{name: text})] == [f"{head} {one}" for one in commands.split("|")]
    assert all(check.path == name for check in named_checks(tmp_path))


@pytest.mark.parametrize(
    ("lock", "commands"),
    [
        ("package-lock.json", ["npm test", "npm run lint", "npm run test:e2e"]),
        ("pnpm-lock.yaml", ["pnpm test", "pnpm run lint", "pnpm run test:e2e"]),
        ("bun.lock", ["bun run test", "bun run lint", "bun run test:e2e"]),
    ],
)
def test_scripts_of_a_package_are_run_by_its_own_manager(tmp_path: Path, lock: str, commands: list[str]):
    """The lock file tells which."""
    scripts = '{"scripts": {"test": "a", "test:e2e": "b", "lint": "c", "dev": "d", "test:watch": "e"}}'
    assert [c for c, _ in named(tmp_path, **{"package.json": scripts, lock: ""})] == commands


@pytest.mark.parametrize(
    ("name", "text"), [("tox.ini", "[tox]\n"), ("pyproject.toml", "[tool.tox]\nx = 1\n")]
)
def test_tox_is_run_where_it_is_set_up(tmp_path: Path, name: str, text: str):
    """In its own file or in pyproject.toml."""
    assert named(tmp_path, **{name: text}) == [("tox", "test")]


def test_rule_files_and_workflows_name_commands(tmp_path: Path):
    """A newcomer's project of Python has no tasks: its rule file and its CI say how it is checked."""
    rules = """
        Run `pytest -x` and `ruff check .`, never `pytest --cov`. The runner is `pytest`.
        One test: `pytest tests/test_a.py::test_b`, `pytest tests/NAME.py`, `pytest tests/gone.py`.
        ```sh
        $ mypy src  # strict
        cd web && npm test
        verify failed: no such host
        ```
        """
    ci = """
        jobs:
          lint:
            steps:
              - name: Lint
                run: ruff format --check
              - run: |
                  pip install -e .

                  pytest --deploy ${{ matrix.python }}
                  python -m build
                env:
                  pytest -n 4
        """
    found = named_checks(project(tmp_path, {"AGENTS.md": rules, ".github/workflows/ci.yml": ci}))
    assert [(check.command, check.purpose) for check in found] == [
        ("mypy src", "lint"),
        ("pytest -x", "test"),
        ("python -m build", "build"),
        ("ruff format --check", "format"),
        ("ruff check .", "lint"),
    ]
    assert not any(check.is_task for check in found)
    assert [check.path for check in found] == [
        "AGENTS.md",
        "AGENTS.md",
        *[".github/workflows/ci.yml"] * 2,
        "AGENTS.md",
    ]


def test_a_command_of_a_folder_is_named_once_and_runs_there(tmp_path: Path):
    """A task comes before the same command in a rule file; steps in other folders name nothing."""
    files = {
        "web/package.json": '{"scripts": {"test": "x"}}',
        "web/AGENTS.md": "Run `npm test`, then `npm run lint`.",
        ".github/workflows/ci.yaml": "working-directory: web\nrun: npm run lint",
    }
    found = named_checks(project(tmp_path, files), ["web/a.js"])
    assert [(check.command, check.is_task) for check in found] == [
        ("(cd web && npm test)", True),
        ("(cd web && npm run lint)", False),
    ]


def test_each_purpose_is_named_before_another_task_of_one(tmp_path: Path):
    """Many tests of a project do not hide how it is linted."""
    make = "test-a:\ntest-b:\ntest:\nfmt:\nlint:\n"
    assert [command for command, _ in named(tmp_path, Makefile=make)] == [
        "make test",
        "make fmt",
        "make lint",
        "make test-a",
        "make test-b",
    ]


def test_what_cannot_be_read_has_no_tasks(tmp_path: Path):
    """Broken, binary, huge, circular, a folder: the rest is still read."""
    for name, raw in {
        "package.json": b'{"scripts": ["test"]}',
        "composer.json": b"[" * 100_000,
        "mise.toml": b"[tasks\n",
        "pyproject.toml": b"tool = 3",
        "GNUmakefile": b"lint:\n" * MAX_BYTES,
        "tox.ini": b"[tox]\n\xff",
    }.items():
        (tmp_path / name).write_bytes(raw)
    (tmp_path / "justfile").symlink_to(tmp_path / "justfile")
    (tmp_path / "Makefile").mkdir()
    assert named(tmp_path) == [("tox", "test")]


@pytest.mark.slow
def test_text_made_to_be_slow_is_read_in_time(tmp_path: Path):
    """A long line, whatever it repeats; the time is that of the thread."""
    for piece in ("not ", "a x=", "word ", "a:", "make lint && "):
        text = piece * (100_000 // len(piece))
        started = time.thread_time()
        named(tmp_path, Makefile=text, justfile=text, **{"tox.ini": text})
        assert time.thread_time() - started < 1.5, piece


def test_tasks_that_only_sound_like_checks(tmp_path: Path):
    """Words inside words, tasks that change things elsewhere, what npm writes by itself, no plain names."""
    make = "inspect:\npush-latest:\ndrop-test-db:\nclean-test:\nupload-package:\nnightly-test::\n"
    package = """{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1", "pretest:e2e": "x",
        "test:e2e": "y", "publish:latest": "z", "build:styles": "s", "test; rm -r x": "t"}}"""
    mise = "[tasks.lint]\nhide = true\n"
    found = named(
        tmp_path, Makefile=make, **{"package.json": package, "mise.toml": mise, "tox.ini": "[flake8]"}
    )
    assert found == [
        ("make nightly-test", "test"),
        ("npm run build:styles", "build"),
        ("npm run test:e2e", "test"),
    ]


def test_tasks_of_a_folder_are_named_where_it_is_edited(tmp_path: Path):
    """They are run there; the lock at the root is for all folders."""
    files = {
        "services/worker/Makefile": "lint:\n\ttrue\n",
        "web/package.json": '{"scripts": {"lint": "x"}}',
        "pnpm-lock.yaml": "",
        "Makefile": "test:\n\ttrue\n",
    }
    assert named(tmp_path, **files) == [("make test", "test")]
    found = named_checks(tmp_path, ["services/worker/worker/mailer.py"])
    assert [(one.command, one.path) for one in found] == [
        ("(cd services/worker && make lint)", "services/worker/Makefile"),
        ("make test", "Makefile"),
    ]
    assert [one.command for one in named_checks(tmp_path, ["web/a.ts"])] == [
        "(cd web && pnpm run lint)",
        "make test",
    ]


@pytest.mark.parametrize(
    "command",
    [
        "(cd web && npm test)",
        "CI=1 go test ./auth/...",
        "uv run pytest tests/test_a.py",
        "./scripts/check.sh --all",
    ],
)
def test_a_folder_or_file_that_the_project_had_is_gone(tmp_path: Path, command: str):
    """The check cannot run any more."""
    assert not stands(tmp_path, command, lambda _: True)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({}, "go build -o ./bin/app ./..."),
        ({}, "make lint"),
        ({}, "npx eslint src/"),
        ({"auth/a.go": ""}, "go test ./auth/..."),
        ({"tests/test_a.py": ""}, "pytest tests/test_a.py"),
        ({}, "pytest tests/test_*.py -k 'a or b'"),
    ],
)
def test_what_is_there_or_is_no_certain_path_stands(tmp_path: Path, files: dict[str, str], command: str):
    """Values of options, patterns and plain words may be anything."""
    assert stands(project(tmp_path, files), command, lambda _: True)


def test_only_what_the_project_had_is_gone(tmp_path: Path):
    """What nobody knows may be a pattern, or come into being by the command."""
    for command in (
        "go vet github.com/a/b/c.go",
        "pytest ./" + 300 * "a",
        "(cd " + 300 * "a" + " && make)",
        "npx jest src/Button.test",
        "pytest ./tests",
        "npm install @foo/bar.js",
        "(cd x && make)",
    ):
        assert stands(tmp_path, command, lambda _: False)
    asked: list[str] = []

    def had(path: str) -> bool:
        asked.append(path)
        return path == "web/src/a.test.ts"

    (tmp_path / "web").mkdir()
    assert not stands(tmp_path, "(cd web && npx vitest run src/a.test.ts src/b.test.ts)", had)
    assert asked == ["web/src/a.test.ts"]
