"""What a project names itself to check work with: the code of its rule files, and its tasks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from remora.checks.from_project import MAX_BYTES, named_checks
from tests.checks.conftest import project


def named(root: Path, **files: str) -> list[tuple[str, str]]:
    """Return the commands that files of a project name, with what they are for.

    Where it has rules alone, runners find files that offer whatever they ask for.
    """
    if not any(name in files or (root / name).exists() for name in ("Makefile", "package.json")):
        files |= {"Makefile": "-include all.mk\n", "package.json": "{unreadable"}
    return [(check.command, check.purpose) for check in named_checks(project(root, files))]


def test_the_code_of_a_rule_file_is_read(tmp_path: Path):
    """Fences of shell and spans, each part of a line, each command once; a program alone names nothing."""
    text = """# Work

```bash
make fmt && make lint   # both
CI=1 pytest -q 2>&1 | tail -3
```

> ```console title="in a quote"
> $ npm run typecheck
> make test-all of what it prints
> ```

- Before a commit run it again, and `make lint` again; `mypy` is strict, `git push` is not.

| when | what |
|---|---|
| last | `cargo test --workspace` |

```python
make("pytest")
```
"""
    assert named(tmp_path, **{"CLAUDE.md": text}) == [
        ("make fmt", "format"),
        ("make lint", "lint"),
        ("CI=1 pytest -q", "test"),
        ("npm run typecheck", "lint"),
        ("cargo test --workspace", "test"),
    ]


def test_checks_of_a_folder_are_named_with_it(tmp_path: Path):
    """A line may step into folders of the project, not out of it, nor into what is not there."""
    (tmp_path / "web" / "api").mkdir(parents=True)
    project(tmp_path, {"web/package.json": "{unreadable"})
    text = """- `cd web && npm test && cd api && go test ./...`
- `(cd web; npm run lint) && make lint`
- `make fmt && cd ../other && make test`
- `cd web && npm run build && cd - && make check`, `pushd web && npm run fmt && popd && make check`
- `cd missing && pytest`, `cd /srv && pytest`, `cd && pytest`, `cd ~/x && pytest`, `cd web/../.. && pytest`
"""
    assert named(tmp_path, **{"AGENTS.md": text}) == [
        ("(cd web && npm test)", "test"),
        ("(cd web/api && go test ./...)", "test"),
        ("(cd web && npm run lint)", "lint"),
        ("make lint", "lint"),
        ("make fmt", "format"),
        ("(cd web && npm run build)", "build"),
        ("(cd web && npm run fmt)", "format"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Never run `npm test` here", id="never"),
        pytest.param("Use the task instead of `go test ./...`.", id="instead of"),
        pytest.param("Do not run:\n```sh\nmake test\n```", id="a fence that is forbidden"),
        pytest.param("One test: `pytest -k name tests/`", id="picks tests"),
        pytest.param("One file: `npx jest src/list.test.ts`", id="one file"),
        pytest.param("One test: `pytest tests/test_a.py::test_b`", id="one test"),
        pytest.param("`go test ./<package>` and `make test-{name}`", id="placeholders"),
        pytest.param(
            "`pytest -k NAME` and `python -m checks test FILE --out DIR`", id="words of usage lines"
        ),
        pytest.param("`npm run lint|test|coverage`", id="alternatives of a usage line"),
        pytest.param("```\ncd web && npm test\n```", id="in another folder"),
        pytest.param("```\ncd web\nnpm test\n```", id="after a step into another folder"),
        pytest.param("`(cd web && (cd e2e && npm test) && npm run lint)`", id="one folder in another"),
        pytest.param("`npm run test:watch`, `npm run dev`", id="never ends"),
        pytest.param("Do not use `npm test` for that.", id="do not use"),
        pytest.param("`npm run test:all` must not be run locally.", id="forbidden after it"),
        pytest.param("`make lint` is deprecated", id="deprecated"),
        pytest.param(
            "```sh\n# Never run all of it, it drops data:\nmake test-all\n```", id="a remark forbids"
        ),
        pytest.param("<!-- run `npm test` -->", id="a comment"),
        pytest.param("```\ncat <<'EOF' > x.sh\nmake test\nEOF\n```", id="handed to a program"),
        pytest.param("`npm install` and `pip install pytest`", id="installs"),
        pytest.param("`GITHUB_TOKEN=ghp_" + "a1B2" * 9 + " make test`", id="a secret"),
        pytest.param("`make test " + "x" * 200 + "`", id="too long to be one"),
    ],
)
def test_what_is_no_check_of_the_project(tmp_path: Path, text: str):
    """What is forbidden, an example, elsewhere, endless, or only installs is left out."""
    assert named(tmp_path, **{"AGENTS.md": text}) == []


def test_what_remora_wrote_into_a_rule_file_is_not_the_project_speaking(tmp_path: Path):
    """The block of `remora install` is passed over."""
    text = "<!-- remora:begin x -->\nRun `make test` first.\n<!-- remora:end -->\nRun `make lint` last.\n"
    assert named(tmp_path, **{"AGENTS.md": text}) == [("make lint", "lint")]


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
        (
            "Taskfile.yml",
            "version: 3\ntasks:\n  lint:\n    cmds: [a]\n  test:\n    deps: [lint]\nvars:\n  test2: 1\n",
            "lint|test",
        ),
        ("composer.json", '{"scripts": {"lint": "x", "post-install-cmd": "y"}}', "lint"),
    ],
)
def test_tasks_are_told_by_their_names(tmp_path: Path, name: str, text: str, commands: str):
    """The plainer names come first; what needs an argument, is no check, or is no task is left out."""
    runner = {"mise.toml": "mise run", "Makefile": "make", "justfile": "just", "Taskfile.yml": "task"}
    head = runner.get(name, "composer run")
    assert [c for c, _ in named(tmp_path, **{name: text})] == [f"{head} {one}" for one in commands.split("|")]
    assert all(check.is_task and check.path == name for check in named_checks(tmp_path))


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


def test_the_runners_of_python(tmp_path: Path):
    """poe, pdm, hatch and tox in pyproject.toml, the sessions of nox, tox.ini."""
    project = """
[tool.poe.tasks]
lint = "x"
[tool.pdm.scripts]
test = "x"
[tool.hatch.envs.default.scripts]
cov = "x"
[tool.hatch.envs.docs.scripts]
build = "x"
"""
    nox = "@nox.session(python=['3.11'])\n@nox.parametrize('a', [1])\ndef tests(session):\n  ...\n"
    found = named(tmp_path, **{"pyproject.toml": project, "noxfile.py": nox, "tox.ini": "[tox]\n"})
    assert [command for command, _ in found] == [
        "poe lint",
        "pdm run test",
        "hatch run cov",
        "hatch run docs:build",
        "nox -s tests",
        "tox",
    ]


def test_what_cannot_be_read_names_nothing(tmp_path: Path):
    """Broken, binary, huge, circular, outside, a folder: the rest is still read."""
    project(tmp_path, {"outside/AGENTS.md": "`make lint`"})
    root = tmp_path / "project"
    root.mkdir()
    for name, raw in {
        "package.json": b'{"scripts": ["test"]}',
        "composer.json": b"[" * 100_000,
        "mise.toml": b"[tasks\n",
        "pyproject.toml": b"tool = 3",
        "Taskfile.yml": b"\x00\xff\x00",
        "GEMINI.md": b"x" * MAX_BYTES + b"\n`make lint`",
        "CLAUDE.md": b"`pytest -q`\n```",
    }.items():
        (root / name).write_bytes(raw)
    (root / "justfile").symlink_to(root / "justfile")
    (root / "AGENTS.md").symlink_to(tmp_path / "outside" / "AGENTS.md")
    (root / "Makefile").mkdir()
    assert named(root) == [("pytest -q", "test")]


@pytest.mark.slow
def test_text_made_to_be_slow_is_read_in_time(tmp_path: Path):
    """A long line, whatever it repeats; the time is that of the thread."""
    for piece in ("not ", "`make x` ", "a x=", "word ", "```sh\n", "> $ ", "make lint && "):
        text = piece * (100_000 // len(piece))
        started = time.thread_time()
        named(tmp_path, **{"CLAUDE.md": text, "Makefile": text, "justfile": text, "Taskfile.yml": text})
        assert time.thread_time() - started < 1.5, piece


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Don't forget to run `make lint`.", "make lint"),
        ("Never push without running `make verify-tests`.", "make verify-tests"),
        ("Do not commit until `npm test` passes.", "npm test"),
        ("Don't open a PR before running `make test`", "make test"),
        ("Do not use `npm test`, use `pnpm test` instead.", "pnpm test"),
        ("Never skip this: `make lint` runs first", "make lint"),
        ("Run `pytest tests/observer`", "pytest tests/observer"),
        ("Run `go test ./server/...`", "go test ./server/..."),
        ("Run `npx eslint 'src/**/*.{ts,tsx}'`", "npx eslint 'src/**/*.{ts,tsx}'"),
        ("```shellscript\n# Never mind the colours.\n\nmake test\n```", "make test"),
    ],
)
def test_what_is_demanded_in_other_words(tmp_path: Path, text: str, command: str):
    """A negation that is turned around demands; words inside names mean nothing."""
    assert [c for c, _ in named(tmp_path, **{"AGENTS.md": text})] == [command]


def test_tasks_that_only_sound_like_checks(tmp_path: Path):
    """Words inside words, tasks that change things elsewhere, what npm writes by itself, private ones."""
    make = "inspect:\npush-latest:\ndrop-test-db:\nclean-test:\nupload-package:\nnightly-test::\n"
    package = """{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1", "pretest:e2e": "x",
        "test:e2e": "y", "publish:latest": "z", "build:styles": "s"}}"""
    task = "tasks:\n    # a\n    test:\n        cmds: [x]\n    lint-a:\n        internal: true\nvars:\n  x: 1"
    found = named(
        tmp_path, Makefile=make, **{"package.json": package, "Taskfile.yml": task, "tox.ini": "[flake8]"}
    )
    assert found == [
        ("make nightly-test", "test"),
        ("task test", "test"),
        ("npm run test:e2e", "test"),
        ("npm run build:styles", "build"),
    ]


def test_a_command_for_a_folder_below_is_not_named_for_the_root(tmp_path: Path):
    """What only a folder below has a file of tasks for is run there; it is named where that is worked on."""
    files = {
        "services/worker/Makefile": "check:\n\ttrue\nlint:\n\ttrue\n",
        "services/worker/AGENTS.md": "Run `make check` before you commit.\n",
        "CLAUDE.md": "`services/worker` is in Python: `make check` there. Run `pnpm test`.\n",
        "package.json": "{unreadable",
    }
    assert named(tmp_path, **files) == [("pnpm test", "test")]
    found = named_checks(tmp_path, ["services/worker/worker/mailer.py"])
    assert [(one.command, one.path, one.is_task) for one in found] == [
        ("(cd services/worker && make check)", "services/worker/AGENTS.md", False),
        ("pnpm test", "CLAUDE.md", False),
        ("(cd services/worker && make lint)", "services/worker/Makefile", True),
    ]
    assert [one.command for one in named_checks(tmp_path, ["web/a.ts"])] == ["pnpm test"]


def test_a_script_that_is_named_in_two_ways_is_one(tmp_path: Path):
    """`pnpm run lint` is `pnpm lint`; of npm only `npm test` has such a short way."""
    package = '{"scripts": {"lint": "eslint .", "typecheck": "tsc"}}'
    found = named(
        tmp_path, **{"CLAUDE.md": "Run `pnpm lint`.", "package.json": package, "pnpm-lock.yaml": ""}
    )
    assert found == [("pnpm lint", "lint"), ("pnpm run typecheck", "lint")]


def of_folder(root: Path, **files: str) -> list[str]:
    """Return what is named for work in `pkg`, by the files of a project."""
    checks = named_checks(project(root, files), ["pkg/a.py"])
    return [check.command for check in checks if not check.is_task]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (
            "Always run `make test` from the repository root. Run `pytest pkg/tests` first.",
            "make test|pytest pkg/tests",
        ),
        ("Run `mypy src`, from the root", "(cd pkg && mypy src)"),
        ("The root is big. Run `mypy .`", "(cd pkg && mypy .)"),
        ("Run `pytest checks`", "pytest checks"),
        ("Run `pytest tests`", "(cd pkg && pytest tests)"),
        (
            "Run `pytest both`, `shellcheck ./scripts/a.sh`",
            "(cd pkg && pytest both)|shellcheck ./scripts/a.sh",
        ),
        ("Run `make -C pkg lint`", "make -C pkg lint"),
        ("Run `make test` and `just lint`", "make test|(cd pkg && just lint)"),
        ("Run `task test` and `make lint`", ""),
        ("Run `cd pkg && pytest`, `(cd pkg && mypy .)`", "(cd pkg && pytest)|(cd pkg && mypy .)"),
        ("Run `cd tests && pytest`, `cd checks && pytest`", "(cd pkg/tests && pytest)"),
        ("Run `cd .. && mypy .`", "mypy ."),
    ],
)
def test_what_a_folders_rules_run_from_the_root_stays_there(tmp_path: Path, text: str, commands: str):
    """Paths and tasks that are only there tell; a task that is nowhere is not named."""
    for folder in ("pkg/tests", "pkg/both", "both", "checks", "test"):
        (tmp_path / folder).mkdir(parents=True)
    files = {"Makefile": "test:\n\tx\n", "pkg/justfile": "lint:\n  x\n", "scripts/a.sh": ""}
    found = of_folder(tmp_path, **files, **{"pkg/AGENTS.md": text})
    assert found == [c for c in commands.split("|") if c]


def test_a_task_is_taken_from_the_nearest_file_that_has_it(tmp_path: Path):
    """The folder's own file first; what none has is not named."""
    files = {"Makefile": "test:\n\tx\nlint:\n\tx\n", "pkg/Makefile": "lint:\n\tx\n"}
    rules = "Run `make test`, `make lint` and `make check-all`."
    assert of_folder(tmp_path, **files, **{"pkg/AGENTS.md": rules}) == [
        "make test",
        "(cd pkg && make lint)",
    ]


def test_a_rule_file_knows_the_package_manager_better_than_a_lock(tmp_path: Path):
    """A script that it runs by another one is not named twice; others are run by that of the lock."""
    files = {
        "pnpm-lock.yaml": "",
        "pkg/package.json": '{"scripts": {"test": "x", "lint": "y", "build": "z"}}',
        "pkg/AGENTS.md": "Run `npm test` and `yarn lint`.",
    }
    assert [check.command for check in named_checks(project(tmp_path, files), ["pkg/a.ts"])] == [
        "(cd pkg && npm test)",
        "(cd pkg && yarn lint)",
        "(cd pkg && pnpm run build)",
    ]


def test_what_ci_runs_is_named(tmp_path: Path) -> None:
    """The steps of workflows, a line or a block; what installs, publishes or has an expression is none."""
    text = """on: push
jobs:
  ci:
    steps:
      - run: go test -race ./...
      - name: more
        run: |
          npm ci
          CI=1 cargo clippy -- -D warnings

          make publish
        env:
          A: pytest -q
      - run: pytest ${{ matrix.what }}
"""
    path = ".github/workflows/ci.yml"
    assert named_checks(project(tmp_path, {path: text})) == [
        ("go test -race ./...", "test", path, True),
        ("CI=1 cargo clippy -- -D warnings", "lint", path, True),
    ]
