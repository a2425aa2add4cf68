"""Checks that name a folder, a file or a task that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.sources.standing_checks import stands

MAKE = "test:\n\tpytest\n.PHONY: test\n"


def project(root: Path, files: dict[str, str]) -> Path:
    """Write some files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"Makefile": MAKE}, "make typecheck"),
        ({"Makefile": MAKE}, "CI=1 make typecheck"),
        ({"web/Makefile": MAKE}, "(cd web && make lint)"),
        ({"package.json": '{"scripts": {"build": "x"}}'}, "npm run lint"),
        ({"package.json": '{"scripts": {"build": "x"}}'}, "npm test"),
        ({"mise.toml": "[tasks.test]\nrun = 'x'\n"}, "mise run lint"),
        ({"justfile": "test:\n  x\n"}, "just lint"),
        ({"pyproject.toml": "[tool.poe.tasks]\ntest = 'x'\n"}, "poe lint"),
        ({}, "(cd web && npm test)"),
        ({}, "go test ./auth/..."),
        ({}, "uv run pytest tests/test_a.py"),
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
        ({}, "make lint"),
        ({"package.json": '{"scripts": {"test": "x"}}'}, "npm test"),
        ({"package.json": "{}"}, "npx eslint src/"),
        ({"mise.toml": "", "mise-tasks/lint": ""}, "mise run lint"),
        ({"Taskfile.yml": "includes:\n  a: b\n"}, "task lint"),
        ({"auth/a.go": ""}, "go test ./auth/..."),
        ({}, "go test ./..."),
        ({}, "go vet github.com/a/b/c.go"),
        ({"tests/test_a.py": ""}, "pytest tests/test_a.py"),
        ({}, "pytest tests/test_*.py -k 'a or b'"),
        ({}, "sudo"),
    ],
)
def test_what_is_there_or_doubtful_stands(tmp_path: Path, files: dict[str, str], command: str):
    """What takes tasks from elsewhere, or is not told by a file, may be there."""
    assert stands(project(tmp_path, files), command)


def test_a_file_is_read_again_when_it_changed(tmp_path: Path):
    """A task that is written now stands now."""
    project(tmp_path, {"Makefile": MAKE})
    assert not stands(tmp_path, "make lint")
    project(tmp_path, {"Makefile": MAKE + "lint:\n\truff check\n"})
    assert stands(tmp_path, "make lint")
