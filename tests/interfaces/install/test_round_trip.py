"""Install and uninstall for every host, whatever was there before: nothing is lost, nothing is left."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import SourceError
from remora.interfaces.install import jsonc, records
from remora.interfaces.install.hosts import HOSTS, LOCAL, SCOPES, USER, File, files_of
from remora.interfaces.install.insertions import BOM
from remora.interfaces.install.plan import Wish
from tests.interfaces.install.conftest import Bench

JSON = """\
{
  // mine
  "model": "m",
  "env": {"API_TOKEN": "t"},
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    "stop": [{"command": "say done"}] /* loud */
  },
  "mcpServers": {
    "other": {"command": "x"}
  },
  "servers": {}, "mcp": {} // last
}
"""
TOML = '# mine\nmodel = "m"  # the best\n\n[mcp_servers.other]\ncommand = "x"\n'
PROSE = "# Rules\n\nAlways run `make lint`.\n"
STATES = ("absent", "empty", "blank", "frame", "other", "crlf", "tabs", "bom", "unended", "small")
ALL = Wish(hooks=True, mcp=True, rules=True)


def before(kind: str, state: str) -> str | None:
    """Return the text of a file of a kind in a state; None for no file."""
    other = {".json": JSON, ".jsonc": JSON, ".toml": TOML}.get(kind, PROSE)
    return {
        "absent": None,
        "empty": "",
        "blank": "\n",
        "frame": "{}" if kind.startswith(".json") else "",
        "other": other,
        "crlf": other.replace("\n", "\r\n"),
        "tabs": other.replace("  ", "\t"),
        "bom": BOM + other,
        "unended": other.rstrip("\n"),
        "small": json.dumps({"a": {"b": []}, "hooks": {}}) if kind.startswith(".json") else other.strip(),
    }[state]


def prepared(bench: Bench, host: str, state: str) -> Iterator[File]:
    """Write every file that a host will change as it may be beforehand; files with our own name excepted."""
    place = bench.given(host).place
    for file in {
        f.path: f for scope in (None, *SCOPES) for f in files_of(HOSTS[host], place, scope)
    }.values():
        own = getattr(file.piece, "alone", False)
        text = before(file.path.suffix, state) if not own or state in ("absent", "empty") else None
        if text is not None:
            bench.put(file.path, text)
        yield file


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("host", "scope"), [*((host, scope) for host in HOSTS for scope in (None, USER)), ("claude-code", LOCAL)]
)
def test_install_and_uninstall(bench: Bench, host: str, scope: str | None, state: str) -> None:
    """Installing twice is installing once, and uninstalling gives every byte, mode and folder back."""
    wish = ALL._replace(scope=scope)
    list(prepared(bench, host, state))
    was = bench.tree()
    first = bench.install(host, wish)
    installed = bench.tree()
    assert installed != was
    assert not first.idle
    again = bench.install(host, wish)
    assert again.idle
    assert bench.tree() == installed
    bench.uninstall(host, scope)
    assert bench.tree() == was
    assert not (bench.data / "installed").exists()


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_installed_can_be_read(bench: Bench, host: str) -> None:
    """Every file says what it said before, and what is ours beside it."""
    assert list(prepared(bench, host, "other"))
    bench.install(host, ALL)
    for file in files_of(HOSTS[host], bench.given().place, None):
        text, alone = file.path.read_text("utf-8"), getattr(file.piece, "alone", False)
        if file.path.suffix == ".toml":
            assert tomllib.loads(text)["mcp_servers"].keys() == {"other", "remora"}
        elif file.path.suffix in (".json", ".jsonc"):
            found = plain(text)
            if not alone:
                assert found["model"] == "m"
                assert found["mcpServers"]["other"] == {"command": "x"}
                assert found["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "say done"}]}
                assert all(comment in text for comment in ("// mine", "/* loud */", "// last"))
        else:
            assert alone or text.startswith(PROSE)
        assert "remora" in text


def plain(text: str) -> dict[str, Any]:
    """Return what a JSON text with comments says."""
    node = jsonc.parse(text)
    assert node is not None
    found: dict[str, Any] = node.plain()
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_edited_since(bench: Bench, host: str) -> None:
    """What somebody wrote into the files after installing stays, and only that stays."""
    list(prepared(bench, host, "other"))
    bench.install(host, ALL)
    files = {file.path: file for file in files_of(HOSTS[host], bench.given().place, None)}
    for path in files:
        text = path.read_text("utf-8")
        if path.suffix in (".json", ".jsonc"):
            bench.put(path, text.replace("{", '{"added": [1], // later\n', 1))
        else:
            bench.put(path, text + "\n# added later\n")
    bench.uninstall(host)
    for path, file in files.items():
        text = path.read_text("utf-8")
        assert "remora" not in text.lower().replace(str(bench.folder), "")
        assert "later" in text
        if path.suffix in (".json", ".jsonc") and not getattr(file.piece, "alone", False):
            assert plain(text) == {"added": [1], **plain(JSON)}


@pytest.mark.parametrize("host", HOSTS)
def test_without_a_record(bench: Bench, host: str) -> None:
    """Where there is none, as in a clone, or none to be read, ours is known by its looks."""
    list(prepared(bench, host, "other"))
    bench.install(host, ALL)
    kept = list((bench.data / "installed").iterdir())
    for text in ("", "[]", "{}", '{"version": 99}', '{"version": 1, "files": [{}]}'):
        for record in kept:
            record.write_text(text)
            assert records.read(record) is None
        assert bench.plan(host, ALL).idle
    for record in kept:
        record.unlink()
    assert bench.plan(host, ALL).idle
    bench.uninstall(host)
    for name, data in bench.tree().items():
        assert b"remora" not in data.replace(os.fsencode(bench.folder), b""), name


@pytest.mark.parametrize("host", HOSTS)
def test_another_command_and_another_wish(bench: Bench, host: str) -> None:
    """Another command replaces the entries, a part that is left out goes; the old files come back."""
    list(prepared(bench, host, "other"))
    was = bench.tree()
    bench.install(host, ALL)
    bench.call = bench.call._replace(words=("/opt/my tools/memory", "-x"))
    bench.install(host, ALL)
    assert bench.plan(host, ALL).idle
    text = b"".join(bench.tree().values())
    assert text.count(b"/opt/my tools/memory") > 1
    assert b'"remora"' not in text.replace(b'"remora": {', b"").replace(b'"name": "remora"', b"")
    bench.install(host, Wish(hooks=True, mcp=False, rules=False))
    bench.uninstall(host)
    assert bench.tree() == was
    bench.install(host, ALL)
    bench.install(host, Wish(hooks=False, mcp=False, rules=False))  # this is uninstalling
    assert bench.tree() == was


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("text", ["{", '{"hooks": 5, "mcp": 5, "mcpServers": 5, "servers": 5', "a = = b"])
def test_a_broken_file_is_never_touched(bench: Bench, host: str, text: str) -> None:
    """One file that cannot be read stops everything, names its place, and says what to write by hand."""
    files = [
        f for f in files_of(HOSTS[host], bench.given().place, None) if f.path.suffix in (".json", ".toml")
    ]
    bench.put(files[-1].path, text)
    was = bench.tree()
    with pytest.raises(SourceError) as caught:
        bench.install(host, ALL)
    assert f"{files[-1].path}:1:" in str(caught.value)
    assert "by hand" in caught.value.hint
    assert "remora" in caught.value.hint
    assert bench.tree() == was
    assert not bench.data.exists()


def test_links_modes_and_folders(bench: Bench) -> None:
    """A link stays one, also to nothing; a file keeps its mode, a new one is as open as its folder."""
    real = bench.home / "dotfiles" / "claude.json"
    bench.put(real, "{}")
    real.chmod(0o640)
    link = bench.root / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    (bench.root / ".vscode").mkdir()
    (bench.root / ".vscode" / "mcp.json").symlink_to(bench.home / "elsewhere" / "mcp.json")
    bench.root.chmod(0o755)
    was = bench.tree()
    bench.install("claude-code")
    bench.install("vscode")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert (bench.root / ".mcp.json").stat().st_mode & 0o777 == 0o644
    assert (bench.home / "elsewhere" / "mcp.json").is_file()
    bench.uninstall("vscode")
    bench.uninstall("claude-code")
    assert bench.tree() == was


def test_no_secret_in_the_record(bench: Bench) -> None:
    """It holds no text of the file, and is its owner's; a folder in which somebody put something stays."""
    bench.put(bench.home / ".codex/config.toml", 'token = "hush"\n')
    bench.install("codex", Wish(scope=USER))
    (record,) = (bench.data / "installed").iterdir()
    assert "hush" not in record.read_text("utf-8")
    assert record.stat().st_mode & 0o777 == 0o600
    bench.install("codex", Wish(hooks=True))
    bench.put(bench.root / ".codex/mine.txt", "x")
    bench.uninstall("codex")
    assert [path.name for path in (bench.root / ".codex").iterdir()] == ["mine.txt"]


def test_all_hosts_in_one_project(bench: Bench) -> None:
    """Every host beside every other, taken out in another order than put in, leaves nothing."""
    bench.put(bench.root / "AGENTS.md", PROSE)
    was = bench.tree()
    for host in HOSTS:
        bench.install(host, ALL)
    for host in [*list(HOSTS)[3:], *list(HOSTS)[:3]]:
        bench.uninstall(host)
    assert bench.tree() == was
    assert not list(Path(bench.data).rglob("*.json"))
