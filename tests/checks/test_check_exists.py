"""Checks that name a folder or a file that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.checks.check_exists import stands
from tests.checks.conftest import project


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
        ({}, "go test -coverprofile ./cover.out ./..."),
        ({}, "make lint"),
        ({}, "npx eslint src/"),
        ({"auth/a.go": ""}, "go test ./auth/..."),
        ({"tests/test_a.py": ""}, "pytest tests/test_a.py"),
        ({}, "pytest tests/test_*.py -k 'a or b'"),
        ({}, "sudo"),
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
