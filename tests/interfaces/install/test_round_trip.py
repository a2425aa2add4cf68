"""Install and uninstall for every host, whatever was there before: nothing is lost, nothing is left."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from remora.core.errors import SourceError
from remora.interfaces.install import records
from remora.interfaces.install.hosts import HOSTS, LOCAL, SCOPES, USER, File
from remora.interfaces.install.insertions import BOM
from remora.interfaces.install.plan import Wish
from tests.interfaces.install.conftest import Bench
from tests.interfaces.install.test_texts import said

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
PLACES = [*((host, scope) for host in HOSTS for scope in (None, USER)), ("claude-code", LOCAL)]
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


def alone(file: File) -> bool:
    """Return whether a file has our name, and nothing but ours in it."""
    return getattr(file.piece, "alone", False)


def prepare(bench: Bench, host: str, state: str = "other") -> dict[str, bytes]:
    """Write the files that a host shares with us as they may be beforehand; return all that is there."""
    for path, file in bench.files(host, None, *SCOPES).items():
        text = before(path.suffix, state) if not alone(file) or state in ("absent", "empty") else None
        if text is not None:
            bench.put(path, text)
    return bench.tree()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(("host", "scope"), PLACES)
def test_install_and_uninstall(bench: Bench, host: str, scope: str | None, state: str) -> None:
    """Installing twice is installing once, and uninstalling gives every byte, mode and folder back."""
    wish = ALL._replace(scope=scope)
    was = prepare(bench, host, state)
    assert not bench.install(host, wish).idle
    installed = bench.tree()
    assert installed != was
    assert bench.install(host, wish).idle
    assert bench.tree() == installed
    bench.uninstall(host, scope)
    assert bench.tree() == was
    assert not (bench.data / "installed").exists()


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_installed_can_be_read_and_edited(bench: Bench, host: str) -> None:
    """A file says what it said, and what is ours beside it; what is written into it later stays alone."""
    prepare(bench, host)
    bench.install(host, ALL)
    files = bench.files(host)
    for path, file in files.items():
        text = path.read_text("utf-8")
        assert "remora" in text
        edited = text + "\n# added later\n"
        if path.suffix == ".toml":
            assert tomllib.loads(text)["mcp_servers"].keys() == {"other", "remora"}
        elif path.suffix in (".json", ".jsonc"):
            edited = text.replace("{", '{"added": [1], // later\n', 1)
            found = said(text)
            if not alone(file):
                assert found["model"] == "m"
                assert found["mcpServers"]["other"] == {"command": "x"}
                assert {"hooks": [{"type": "command", "command": "say done"}]} in found["hooks"]["Stop"]
                assert all(comment in text for comment in ("// mine", "/* loud */", "// last"))
        else:
            assert alone(file) or text.startswith(PROSE)
        bench.put(path, edited)
    bench.uninstall(host)
    for path, file in files.items():
        text = path.read_text("utf-8")
        assert "remora" not in text.lower().replace(str(bench.folder), "")
        assert "later" in text
        if path.suffix in (".json", ".jsonc") and not alone(file):
            left = {key: value for key, value in said(text).items() if value and key != "version"}
            assert left == {"added": [1], **{key: value for key, value in said(JSON).items() if value}}


@pytest.mark.parametrize("host", HOSTS)
def test_without_a_record(bench: Bench, host: str) -> None:
    """Where there is none, as in a clone, or none to be read, ours is known by its looks."""
    prepare(bench, host)
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
    was = prepare(bench, host)
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
    """One file that cannot be read stops everything, and its place is named."""
    *_, last = (path for path in bench.files(host) if path.suffix in (".json", ".toml"))
    bench.put(last, text)
    was = bench.tree()
    with pytest.raises(SourceError) as caught:
        bench.install(host, ALL)
    assert f"{last}:1:" in str(caught.value)
    assert "by hand" in caught.value.hint
    assert bench.tree() == was
    assert not bench.data.exists()


def test_links_and_modes(bench: Bench) -> None:
    """A link stays one, also to nothing; a file keeps its mode."""
    real = bench.home / "dotfiles" / "claude.json"
    bench.put(real, "{}")
    real.chmod(0o640)
    link = bench.root / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    (bench.root / ".vscode").mkdir()
    (bench.root / ".vscode" / "mcp.json").symlink_to(bench.home / "elsewhere" / "mcp.json")
    was = bench.tree()
    bench.install("claude-code")
    bench.install("vscode")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert (bench.home / "elsewhere" / "mcp.json").is_file()
    bench.uninstall("vscode")
    bench.uninstall("claude-code")
    assert bench.tree() == was


def test_the_record_has_no_secret(bench: Bench) -> None:
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
