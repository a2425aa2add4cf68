"""The command line as a process: exit codes, pipes, terminals, and what it imports."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from remora.app.memory import Memory
from tests.interfaces.conftest import command_line
from tests.interfaces.terminal_kit import on_terminal

Process = Callable[..., "subprocess.CompletedProcess[str]"]
HEAVY = ("numpy", "onnxruntime", "tokenizers", "httpx2", "rich", "markdown_it")
WHICH_LOADED = """
import sys
sys.path.insert(0, {where!r})
sys.argv = {words!r}
from remora.interfaces.cli import main
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def plain(shown: str) -> str:
    """Return what a terminal showed without its escape sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@pytest.mark.parametrize("line", ["--help", "remember --help", "list", "remember Tokens-expire -t decision"])
def test_light_verbs_load_nothing_heavy(project: Path, line: str) -> None:
    """Help, list and remember load no model, no matrix, no HTTP client and nothing to draw with."""
    script = WHICH_LOADED.format(where=str(Path(__file__).parents[2]), words=["remora", *line.split()])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "remora.interfaces.cli" in loaded
    assert loaded.isdisjoint(HEAVY)
    if "--help" in line:
        assert loaded.isdisjoint(("apsw", "subprocess", "remora.app.memory", "remora.store.connection"))


def test_reader_that_stops_reading(memory: Memory) -> None:
    """`remora note show | head -1` is quiet, however much there is to write."""
    memory.entries.add("large", "A statement that is long enough to fill a pipe. " * 2_400)
    command = [*command_line(), "note", "show", "large", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as lister:
        assert lister.stdout is not None
        assert lister.stderr is not None
        lister.stdout.read(1)
        lister.stdout.close()
        assert lister.stderr.read() == b""
        assert lister.wait(timeout=60) == 141


def test_streams_that_hold_little(process: Process) -> None:
    """A full disk is an error in one line; signs that a stream cannot hold are escapes; JSON stays JSON."""
    with Path("/dev/full").open("w") as full:
        command = [*command_line(), "--version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: No space left on device")
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    assert process("remember", "Größe 令牌", "--type", "pattern").returncode == 0
    assert "Größe \\u4ee4\\u724c" in process("list", env=env, encoding="latin-1").stdout
    document = json.loads(process("list", "--json", env=env, encoding="latin-1").stdout)
    assert document["memories"][0]["content"] == "Größe 令牌"


def test_interrupt(project: Path) -> None:
    """Ctrl-C while waiting for stdin ends with 130, without a word."""
    command = [*command_line(), "remember", "-", "--type", "pattern"]
    pipe = subprocess.PIPE
    # What runs in the background has been told to ignore Ctrl-C, and hands that on.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    waiting = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heard)
    assert waiting.stdin is not None
    waiting.stdin.write(b"x" * 100_000)  # more than a pipe holds: it is read, so the verb has begun
    waiting.stdin.flush()
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, out, err.strip()) == (130, b"", b"")


def test_terminal_gets_a_table_in_colour(process: Process) -> None:
    """On a terminal `list` is a table as wide as it, in colour where that is wanted; `init` draws a bar."""
    process("remember", "Caches are keyed by tenant. " * 20, "--type", "gotcha", "--file", "src/cache.py")
    code, shown = on_terminal("list", width=70)
    assert code == 0
    assert "\x1b[" in shown
    lines = plain(shown).splitlines()
    assert lines[0].split()[:2] == ["id", "type"]
    assert max(map(len, lines)) <= 70
    _, table = on_terminal("list", "--no-color")
    _, error = on_terminal("show", "ffffffff", NO_COLOR="1")
    assert "Caches" in table
    assert "error:" in error
    assert "\x1b" not in table + error
    code, shown = on_terminal("init")
    assert code == 0
    assert "\x1b[?25l" in shown  # the cursor is hidden while a bar is drawn
    assert shown.count("\x1b[?25h") >= 1  # and comes back
    assert "Try next" in plain(shown)  # the bar is gone when the report stands there


def test_edit_in_the_editor(process: Process, tmp_path: Path) -> None:
    """On a terminal `edit` opens $EDITOR with the text and stores what was saved."""
    stored = process("remember", "Tokens expire after 24 h", "--type", "decision", "--json")
    memory_id = json.loads(stored.stdout)["id"]
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/24 h/12 h/" "$1"\ntouch -d "1 minute" "$1"\n')
    editor.chmod(0o700)
    code, shown = on_terminal("edit", memory_id, EDITOR=str(editor))
    assert code == 0, shown
    assert "Tokens expire after 12 h" in process("show", memory_id).stdout
    editor.write_text("#!/bin/sh\n")
    code, shown = on_terminal("edit", memory_id, EDITOR=str(editor))
    assert code == 2
    assert "the text was not changed" in shown


@pytest.mark.slow
def test_concurrent_writers(project: Path) -> None:
    """Several processes may remember at once; every one of them succeeds."""
    command = [*command_line(), "remember", "--type", "pattern"]
    quiet = subprocess.DEVNULL
    writers = [subprocess.Popen([*command, f"Statement number {n}"], stdout=quiet) for n in range(4)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    listed = subprocess.run([*command_line(), "list"], capture_output=True, text=True, check=True)
    assert len(listed.stdout.splitlines()) == 4
