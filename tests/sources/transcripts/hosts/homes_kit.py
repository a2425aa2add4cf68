"""Lay out what a host leaves on a machine, and tell the events that are read from it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from remora.sources.transcripts.discovery import Found, find, roots_of
from remora.sources.transcripts.hosts import OTHERS
from remora.sources.transcripts.hosts.places import editor_folders
from remora.sources.transcripts.plain import line_of
from remora.sources.transcripts.reader import read

HERE = Path(__file__).resolve().parent
ROOT = "{ROOT}"
CONFIG = "{CONFIG}"


class Machine:
    """A user's home folder and a project, as a host left them.

    Attributes:
        root: of the project.
        environ: what a process sees.
    """

    def __init__(self, place: Path, host: str) -> None:
        self.place = place.resolve()
        self.root = self.place / "project"
        self.root.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", "--template=", str(self.root)], check=True)
        self.environ = {"HOME": str(self.place / "home")}
        source = HERE / "homes" / host
        for file in sorted(p for p in source.rglob("*") if p.is_file()):
            name = str(file.relative_to(source)).replace(ROOT, self._name()).replace(CONFIG, self._config())
            target = self.place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text("utf-8").replace(ROOT, str(self.root))
            if file.suffix == ".sql":
                with sqlite3.connect(target.with_suffix("")) as database:
                    database.executescript(text)
                database.close()
            else:
                target.write_text(text, "utf-8")

    def _name(self) -> str:
        return str(self.root).strip("/").replace("/", "-")

    def _config(self) -> str:
        """Return where programs keep a user's files on this system, from the home folder."""
        return str(editor_folders(self.environ)[0].parents[1].relative_to(self.environ["HOME"]))

    def files(self) -> list[Path]:
        """Return what the host left, without git's own files."""
        return [p for p in self.place.rglob("*") if p.is_file() and ".git" not in p.parts]

    def found(self, host: str) -> Found:
        """Return what is found for the project."""
        return find(self.root, self.environ, hosts=[host])

    def events(self, host: str) -> str:
        """Return the events of all sessions as text, a line each, with the root's name taken out."""
        found = self.found(host)
        roots = roots_of(found.transcripts, [str(self.root)])
        lines: list[str] = []
        for t in found.transcripts:
            lines += map(line_of, read(t.path, host=t.host, roots=roots, session=t.session))
        return "".join(f"{line}\n" for line in lines).replace(str(self.root), ROOT)


def in_utc() -> None:
    """Let this process read local times as UTC, where the system can: some hosts record nothing else."""
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()


def golden(host: str) -> Path:
    """Return the file with a host's events."""
    return HERE / "events" / f"{host}.jsonl"


if __name__ == "__main__":
    in_utc()
    for name in sys.argv[1:] or OTHERS:
        folder = Path(tempfile.mkdtemp())
        golden(name).write_text(Machine(folder, name).events(name), "utf-8")
        shutil.rmtree(folder)
