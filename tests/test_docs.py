"""The documentation is true: its console examples run, its links lead somewhere, its verbs are all."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from remora.interfaces.cli import cli
from remora.interfaces.verbs import VERBS
from tests.example_repository import make

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _consoles(page: Path) -> list[str]:
    return re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def _pattern(shown: str) -> str:
    """Turn an example's output into a pattern: "…" stands for anything, at a line's end for lines too."""
    lines = [re.escape(line).replace("…", ".*") for line in shown.splitlines()]
    return "\n".join("(?s:.*)" if line == ".*" else line for line in lines)


@pytest.mark.parametrize("page", [p for p in PAGES if _consoles(p)], ids=lambda p: p.name)
def test_console_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of a console example succeeds and prints what the page shows."""
    monkeypatch.chdir(make(tmp_path / "shop"))
    for name, value in (("REMORA_HOME", str(tmp_path / "data")), ("HOME", str(tmp_path)), ("COLUMNS", "100")):
        monkeypatch.setenv(name, value)
    for console in _consoles(page):
        for step in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            words = shlex.split(command)
            assert words[0] == "remora"
            done = CliRunner().invoke(cli, words[1:])
            assert done.exit_code == 0, f"{command}\n{done.stderr}"
            assert re.fullmatch(_pattern(shown.rstrip("\n")), done.stdout.rstrip("\n")), (
                f"{command}\n{done.stdout}"
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files(page: Path) -> None:
    """Every relative link of a page, and every test that it names, is a file that exists."""
    text = page.read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    missing = [link for link in links if not (page.parent / link).exists()]
    missing += [test for test in re.findall(r"`(tests/[\w/.-]+)", text) if not (ROOT / test).exists()]
    assert missing == []


def test_every_verb_is_documented() -> None:
    """The reference has a section for every verb that can be seen."""
    reference = (ROOT / "docs" / "reference.md").read_text("utf-8")
    assert [v.name for v in VERBS if not v.hidden and f"### remora {v.name}\n" not in reference] == []


@pytest.mark.parametrize(("place", "contract", "left_out"), [(0, "layers", "__main__"), (1, "rooms", "")])
def test_the_maps_of_packages_show_the_enforced_order(place: int, contract: str, left_out: str) -> None:
    """The first column of each map in architecture.md has the layers of its import-linter contract."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    lines = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[place].splitlines()
    shown = "\n".join(line[:36].strip() for line in lines).replace("\n|", " |").splitlines()
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", "utf-8")
    layers = contracts[f"importlinter:contract:{contract}"]["layers"].split("\n")
    assert shown == [layer for layer in layers if layer not in ("", left_out)]
