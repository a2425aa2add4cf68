"""Checks that name a folder, a file or a task that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.checks.check_exists import stands
from tests.checks.conftest import project

MAKE = "test:\n\tpytest\n.PHONY: test\n"


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"Makefile": MAKE}, "make typecheck"),
        ({"Makefile": MAKE}, "CI=1 make typecheck"),
        ({"web/Makefile": MAKE}, "(cd web && make lint)"),
        ({"Makefile": "lint:\n" * 100_000}, "make lint"),  # nobody wrote that
        ({"package.json": '{"scripts": {"build": "x"}}'}, "npm run lint"),
        ({"package.json": '{"scripts": {"build": "x"}}'}, "npm test"),
        ({"mise.toml": "[tasks.test]\nrun = 'x'\n"}, "mise run lint"),
        ({"justfile": "test:\n  x\n"}, "just lint"),
        ({"pyproject.toml": "[tool.poe.tasks]\ntest = 'x'\n"}, "poe lint"),
        ({}, "(cd web && npm test)"),
        ({}, "go test ./auth/..."),
        ({}, "uv run pytest tests/test_a.py"),
        ({}, "./scripts/check.sh --all"),
    ],
)
def test_what_is_gone_cannot_be_run(tmp_path: Path, files: dict[str, str], command: str):
    """A task that its file does not have, a folder or a file that is not there."""
    assert not stands(project(tmp_path, files), command)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"Makefile": MAKE}, "make test"),
        ({"Makefile": "include common.mk\n"}, "make typecheck"),
        ({"Makefile": "%-check:\n\tx\n"}, "make type-check"),
        ({"Makefile": MAKE}, "make -C web lint"),
        ({"Makefile": MAKE}, "make lint -C web"),
        ({"Makefile": MAKE}, "make lint -f other.mk"),
        ({"Makefile": "test-$(APP):\n\tx\n"}, "make test-web"),
        ({"mise.toml": "", ".config/mise.toml": "[tasks.lint]"}, "mise run lint"),
        ({"mise.toml": "", "mise.ci.toml": "[tasks.lint]"}, "mise run lint"),
        ({"mise.toml": "[tasks.lint]\n", "web/mise.toml": ""}, "(cd web && mise run lint)"),
        ({"justfile": "lint:\n  x\n", "web/justfile": "set fallback\n"}, "(cd web && just lint)"),
        ({"pyproject.toml": "[tool.poe]\n  include = 'x.toml'\n"}, "poe lint"),
        ({"package.json": '{"scripts": {"test\\u003aunit": "x"}}'}, "npm run test:unit"),
        ({"package.json": "{"}, "npm run lint"),
        ({"package.json": "{}"}, "npm run lint -w a"),
        ({"package.json": "{}"}, "npm run lint --workspaces"),
        ({"package.json": "{}"}, "pnpm run lint -r"),
        ({"package.json": "{}"}, "yarn run tsc"),
        ({"package.json": "{}"}, "bun run test.ts"),
        ({}, "go build -o ./bin/app ./..."),
        ({}, "go test -coverprofile ./cover.out ./..."),
        ({}, "go -C sub test ./pkg/..."),
        ({}, "uv run --directory backend pytest tests/unit/test_a.py"),
        ({}, "pnpm --filter web exec vitest run src/a.test.ts"),
        ({}, "docker compose exec backend pytest tests/unit/test_a.py"),
        ({}, "make lint"),
        ({"package.json": '{"scripts": {"test": "x"}}'}, "npm test"),
        ({"package.json": "{}"}, "npx eslint src/"),
        ({"mise.toml": "", "mise-tasks/lint": ""}, "mise run lint"),
        ({"Taskfile.yml": "includes:\n  a: b\n"}, "task lint"),
        ({"auth/a.go": ""}, "go test ./auth/..."),
        ({}, "go test ./..."),
        ({"tests/test_a.py": ""}, "pytest tests/test_a.py"),
        ({}, "pytest tests/test_*.py -k 'a or b'"),
        ({}, "sudo"),
    ],
)
def test_what_is_there_or_doubtful_stands(tmp_path: Path, files: dict[str, str], command: str):
    """What takes tasks from elsewhere, or is not told by a file, may be there."""
    assert stands(project(tmp_path, files), command)


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


def test_a_file_is_read_again_when_it_changed(tmp_path: Path):
    """A task that is written now stands now."""
    project(tmp_path, {"Makefile": MAKE})
    assert not stands(tmp_path, "make lint")
    project(tmp_path, {"Makefile": MAKE + "lint:\n\truff check\n"})
    assert stands(tmp_path, "make lint")
