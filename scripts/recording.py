"""The first five minutes as a picture: real commands in a pseudo-terminal, drawn line by line as SVG.

The picture holds the whole session; CSS shows each line at its time. Without animation, and where a person
asked for less motion, all of it is there at once. What differs from run to run (times, dates, identifiers,
paths) is replaced, so the same commands make the same file.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import termios
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from html import escape
from itertools import groupby
from pathlib import Path

from scripts.environments import DEV, ROOT, environment, script_of
from tests.example_repository import make

TARGET = ROOT / "docs" / "first-five-minutes.svg"
COLUMNS, ROWS = 80, 24
COMMANDS = (
    "remora init",
    'remora remember "Access tokens expire after 24 h" --type decision',
    'remora search "how long do tokens live" -k 1 --why',
    "remora learn",
    "remora why {id}",  # the last one that was printed
    "remora install --dry-run",
)
SAID = "The refresh retries for ever when Redis is down. Never push directly to main."
EARLIER = datetime.now(UTC) - timedelta(hours=2)  # when the person said that
DAY = "2026-01-05"  # stands for today
# Seconds: for a key, before the output of a command, for a line of it, and to look at it.
KEY, START, LINE, LOOK = 0.04, 0.4, 0.06, 1.8

IDENTITY = re.compile(r"(?<![0-9a-f-])([0-9a-f]{8})((?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?(?!\w)")
CONTROL = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|(.)", re.DOTALL)
CLASSES = {1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 34: "u", 35: "m", 36: "c"}  # of a terminal's styles
WIDTH, HEIGHT, MARGIN = 8.4, 18, 16  # pixels of a character and around all
STYLE = """
text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre }
.b { font-weight: bold } .d { fill: #a3adbf } .r { fill: #ff8f8f } .g { fill: #a6d189 } .y { fill: #e5c890 }
.u { fill: #8caaee } .m { fill: #f4b8e4 } .c { fill: #81c8be }
@keyframes show { from { visibility: hidden } to { visibility: visible } }
@keyframes type { from { clip-path: inset(0 100% 0 0) } to { clip-path: inset(0) } }
@media (prefers-reduced-motion: no-preference) {
  .shown { animation: show 1ms both } .typed { animation: type 1s both }
}
"""

Cell = tuple[str, str]  # a sign and the classes of its style


@dataclass(frozen=True)
class Line:
    """A line of the session."""

    cells: Sequence[Cell]
    at: float  # seconds after the begin
    typed: float = 0.0  # seconds that a person types it; 0 for output


class Screen:
    """As much of a terminal as programs need that print lines and draw progress bars over them."""

    def __init__(self) -> None:
        self.lines: list[list[Cell]] = [[]]
        self._row = self._column = 0
        self._style: set[str] = set()

    def feed(self, text: str) -> None:
        """Take in what a program wrote.

        Raises:
            ValueError: a control sequence that is not known here; the picture would be wrong.
        """
        for private, given, verb, sign in CONTROL.findall(text):
            count = int(given or 0) if given.isdecimal() or not given else 0
            if sign == "\n":
                self._down()
            elif sign == "\r":
                self._column = 0
            elif sign >= " ":
                self._put(sign)
            elif verb == "m":
                self._restyle([int(code or 0) for code in given.split(";")])
            elif verb == "K":
                del self.lines[self._row][0 if count == 2 else self._column :]
            elif verb == "A":
                self._row = max(0, self._row - max(1, count))
            elif not (private and verb in "hl"):  # those show and hide the cursor
                raise ValueError(f"not known to the recording: {sign or given + verb!r}")

    def _restyle(self, codes: list[int]) -> None:
        if codes[0] == 38:  # one of 256 colours: only progress bars have them, which are drawn over
            return
        kept = set() if 0 in codes else self._style
        self._style = kept | {CLASSES[code] for code in codes if code in CLASSES}

    def _put(self, sign: str) -> None:
        if self._column == COLUMNS:
            self._column = 0
            self._down()
        line = self.lines[self._row]
        line += [(" ", "")] * (self._column - len(line))
        line[self._column : self._column + 1] = [(sign, " ".join(sorted(self._style)))]
        self._column += 1

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append([])


def record() -> None:
    """Run the session and write the picture."""
    environment(DEV, ["dev"])
    with tempfile.TemporaryDirectory() as folder:
        lines = list(session(Path(folder).resolve()))
    drawn = draw(lines)
    for private in (folder, str(ROOT), socket.gethostname()):
        if private in drawn:
            raise SystemExit(f"the recording names something of this machine: {private}")
    TARGET.write_text(drawn, "utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(lines)} lines, {lines[-1].at:.0f} s, {len(drawn):,} bytes")


def session(home: Path) -> Iterator[Line]:
    """Yield the lines of all commands, run on a made-up project in a folder, which is a person's home."""
    project = make(home / "shop")
    _said_earlier(home, project)
    path = home / "commands"  # nothing else of this machine is found
    path.mkdir()
    (path / "remora").symlink_to(script_of(DEV, "remora"))
    (path / "git").symlink_to(shutil.which("git") or "git")
    env = {
        "HOME": str(home),
        "PATH": str(path),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "REMORA_EMBEDDING_PROVIDER": "onnx",
        "REMORA_TRIAL_SHARE": "0",
    }
    at, identity, names = 0.0, "", dict[str, str]()
    for command in COMMANDS:
        shown = command.format(id=names.get(identity, ""))
        typed = KEY * len(shown)
        yield Line([*zip("$ ", "dd", strict=True), *((sign, "b") for sign in shown)], at, typed)
        at += typed + START
        said = _run(shlex.split(command.format(id=identity)), project, env)
        for found in IDENTITY.finditer(said):
            identity = found[1]
            names.setdefault(identity, sha256(f"memory {len(names)}".encode()).hexdigest()[:8])
        screen = Screen()
        screen.feed(_steady(said, home, names))
        while screen.lines and not screen.lines[-1]:
            screen.lines.pop()
        for cells in [*screen.lines, []]:
            while cells and cells[-1] == (" ", ""):
                cells.pop()
            yield Line(cells, at)
            at += LINE
        at += LOOK


def _said_earlier(home: Path, project: Path) -> None:
    """Write a session of Claude Code: what a person said, a command, and the answer."""
    call = {"type": "tool_use", "id": "tests", "name": "Bash", "input": {"command": "pytest -q"}}
    answer = {"type": "tool_result", "tool_use_id": "tests", "content": "2 passed in 0.1s"}
    turns = (
        ("user", SAID),
        ("assistant", [call]),
        ("user", [answer]),
        ("assistant", "Fixed; the tests pass."),
    )
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True)
    lines = [
        {
            "type": who,
            "uuid": f"line-{number}",
            "sessionId": "monday",
            "cwd": str(project),
            "timestamp": (EARLIER + timedelta(seconds=number)).isoformat(),
            "message": {"role": who, "content": content},
        }
        for number, (who, content) in enumerate(turns)
    ]
    (folder / "monday.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def _run(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> str:
    """Run a command in a pseudo-terminal and return all that it wrote there."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
    running = subprocess.Popen(
        [shutil.which(command[0], path=env["PATH"]) or command[0], *command[1:]],
        cwd=folder,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says the end so
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    if running.wait():
        raise SystemExit(f"failed: {shlex.join(command)}\n{said.decode('utf-8', 'replace')}")
    return said.decode("utf-8")


def _steady(said: str, home: Path, names: Mapping[str, str]) -> str:
    """Replace what differs from run to run."""
    said = said.replace(str(home), "~")
    for time in (EARLIER, datetime.now(UTC)):
        said = said.replace(time.date().isoformat(), DAY)
    said = re.sub(rf"{DAY} \d\d:\d\d", f"{DAY} 12:00", said)
    said = re.sub(r"\b\d+\.\d s\b", "… s", said)
    said = re.sub(r"(shop-)[0-9a-f]{16}", r"\1…", said)
    return IDENTITY.sub(lambda m: names.get(m[1], m[1]) + re.sub(r"[0-9a-f]", "0", m[2] or ""), said)


def draw(lines: Sequence[Line]) -> str:
    """Return the lines as an SVG."""
    lines = lines[:-1] if not lines[-1].cells else lines
    wide, high = round(2 * MARGIN + COLUMNS * WIDTH), 2 * MARGIN + len(lines) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}"',
        f' viewBox="0 0 {wide} {high}" aria-labelledby="title">',
        '<title id="title">A terminal: the first five minutes with Remora</title>',
        f"<style>{STYLE}</style>",
        f'<rect width="{wide}" height="{high}" rx="8" fill="#232634"/>',
    ]
    for number, line in enumerate(lines):
        if not line.cells:
            continue
        keys = len(line.cells) - 2
        style = f"animation-delay:{line.at:.2f}s"
        if line.typed:
            style += f";animation-duration:{line.typed:.2f}s;animation-timing-function:steps({keys})"
        kind = "typed" if line.typed else "shown"
        y = MARGIN + round((number + 0.75) * HEIGHT)
        parts.append(f'<text class="{kind}" y="{y}" style="{style}">{_pieces(line.cells)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _pieces(cells: Sequence[Cell]) -> str:
    """Return a line's text: every run of one style at its column, as wide as its cells in any font."""
    parts, column = [], 0
    for style, run in groupby(cells, key=lambda cell: cell[1]):
        text = "".join(sign for sign, _ in run)
        x, length = MARGIN + column * WIDTH, len(text) * WIDTH
        named = f' class="{style}"' if style else ""
        parts.append(
            f'<tspan{named} x="{x:.1f}" textLength="{length:.1f}">{escape(text, quote=False)}</tspan>'
        )
        column += len(text)
    return "".join(parts)
