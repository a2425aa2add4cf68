"""The words that call Remora, and how they are known again."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from remora.core.errors import InvalidInput
from remora.interfaces.install.launch_command import Call, Ours, call_of
from tests.tables import table


def program(folder: Path) -> Path:
    """Make a program called remora."""
    folder.mkdir(parents=True)
    path = folder / "remora"
    path.write_text("#!/bin/sh\nexit 2\n")
    path.chmod(0o755)
    return path


def test_by_name_or_by_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the path finds is called by its name, when it is what runs now; else the place is written."""
    own, other = program(tmp_path / "bin"), program(tmp_path / "other")
    monkeypatch.setattr(sys, "argv", [str(own)])
    found = call_of(None, {"PATH": str(own.parent)})
    assert (found.words, found.shared, found.own().words) == (("remora",), True, (str(own),))
    assert Call(("uvx", "remora")).own().words == ("uvx", "remora")
    for path in (str(other.parent), ""):
        assert call_of(None, {"PATH": path}).words == (str(own),)
    monkeypatch.setattr(sys, "argv", ["/somewhere/remora/__main__.py"])
    assert call_of(None, {"PATH": ""}).words == (sys.executable, "-P", "-m", "remora")


def test_a_program_of_the_repository_is_not_meant_by_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `remora` that a checkout brings along is passed over; the one after it on the path is called."""
    own, planted = program(tmp_path / "bin"), program(tmp_path / "shop" / ".venv" / "bin")
    (tmp_path / "shop" / ".git").mkdir()
    monkeypatch.setattr(sys, "argv", ["/somewhere/remora/__main__.py"])
    environ = {"PATH": f"{planted.parent}{os.pathsep}{own.parent}"}
    outside = str(tmp_path / "shop")
    assert call_of(None, environ).own().words == (str(planted),)
    assert call_of(None, environ, outside=outside).own().words == (str(own),)


def test_as_given() -> None:
    """A command is split as a shell would; one that cannot be is refused."""
    assert call_of('uvx --from "remora[mcp]" remora', {}).words == ("uvx", "--from", "remora[mcp]", "remora")
    assert call_of("C:\\bin\\remora.exe -x", {}, windows=True).words == ("C:\\bin\\remora.exe", "-x")
    for wrong in ("", "  ", "a 'b"):
        with pytest.raises(InvalidInput):
            call_of(wrong, {})


@pytest.mark.parametrize("code", [0, 2])
def test_a_line_never_fails(tmp_path: Path, code: int) -> None:
    """Whatever becomes of Remora, and without it, a shell ends with 0; what was said is passed on."""
    script = tmp_path / "a b" / "remora"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\ncat\necho " $*"\nexit {code}\n')
    script.chmod(0o755)
    line = Call((str(script),)).sh("gemini")
    done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"{} hook --host gemini\n")
    missing = subprocess.run(
        ["sh", "-c", Call().sh("gemini")], env={"PATH": str(tmp_path)}, capture_output=True, check=False,
        executable="/bin/sh",
    )  # fmt: skip
    assert (missing.returncode, missing.stdout) == (0, b"")


@pytest.mark.parametrize(("whose", "entry"), table(__file__, "handlers"))
def test_ours(whose: str, entry: str) -> None:
    """Our handlers are known by what they call, for one host; anybody else's are not."""
    assert Ours("cursor", ("/opt/memory",)).hook(json.loads(entry)) is (whose == "ours")


def test_our_servers() -> None:
    """A server is ours when it runs `remora mcp`, in whatever form."""
    ours = Ours("opencode")
    assert ours.server({"command": ["remora", "mcp"]})
    assert ours.server({"command": "/x/python", "args": ["-m", "remora", "mcp"]})
    assert not ours.server({"url": "http://127.0.0.1:8765/mcp"})
    assert not ours.server({"command": "memo", "args": ["mcp"]})


def test_lines_are_what_a_shell_reads() -> None:
    """A path with blanks and quotes comes through a shell as one word."""
    words = ('/a b/it\'s "x"', "-m", "remora")
    line = Call(words).sh("codex").removesuffix("; exit 0")
    assert shlex.split(line) == [*words, "hook", "--host", "codex"]
    assert os.name == "nt" or not Call(words).plain
