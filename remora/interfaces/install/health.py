"""Check installations: the program can run, and recent sessions sent hook events."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from remora.app.health.findings import Finding
from remora.core.clock import from_iso
from remora.disk.live import FOLDER as LIVE
from remora.disk.live import KEPT, file_name
from remora.disk.programs import find_program, search_path
from remora.interfaces.install.components import HOOKS
from remora.interfaces.install.hosts import HOSTS
from remora.interfaces.install.records import FOLDER, every, read
from remora.sources.transcripts.discovery import find
from remora.sources.transcripts.hosts import DATABASES

SESSIONS = 3  # the newest ones, which are checked


def looked_at(data_folder: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each installed host; a warning if its command cannot run or is not safe."""
    for record in every(data_folder):
        host, command = record.host, record.command
        local = " --scope local" if record.scope == "local" else ""
        again = f"Run `remora install {host} --scope user`."
        if record.root:
            again = f"Run `remora install {host}{local}` in {record.root}."
        if trouble := trouble_of(command.split(), environ):
            yield Finding("warning", f"hooks of {host}", f"`{command}` {trouble}", again)
        else:
            yield Finding("ok", f"hooks of {host}", f"installed, as `{command}`")


def silent(root: Path, data_folder: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a warning for each host with installed hooks whose latest sessions in a project sent no events.

    A host may skip hooks silently: until the user trusts them, or if an organisation forbids them.
    """
    for path in sorted((data_folder / FOLDER).glob("*.json")):
        record = read(path)
        if record is None or record.root not in ("", str(root)) or record.host not in HOSTS:
            continue
        if record.host in DATABASES or not any(HOOKS in past.parts for past in record.files):
            continue  # copying a database takes too long here
        since = max(path.stat().st_mtime, time.time() - KEPT)
        found = find(root, environ, hosts=[record.host], since=since).transcripts
        late = [t for t in found if t.session_id and _seconds(t.started) >= since][-SESSIONS:]
        heard = [t for t in late if (data_folder / LIVE / file_name(t.host, t.session_id)).exists()]
        if late and not heard:
            host = HOSTS[record.host]
            told = f"installed, but its last {len(late)} sessions here sent no events"
            yield Finding("warning", f"hooks of {record.host}", told, " ".join(host.after))


def _seconds(text: str) -> float:
    try:
        return from_iso(text)
    except ValueError:
        return 0.0


def trouble_of(words: list[str], environ: Mapping[str, str]) -> str:
    """Return the problem of a command that a host runs; empty for none."""
    program = words[0]
    if os.path.isabs(program):  # noqa: PTH117
        if not os.access(program, os.X_OK):
            return "does not exist or is not executable"
    elif find_program(program, environ) is None:
        return "is not found on the PATH"
    elif search_path(environ) != environ.get("PATH", os.defpath):
        return "may be a program in the current folder: the PATH has relative folders"
    if "-m" in words and not {"-P", "-I"} & set(words[: words.index("-m")]):
        return "runs Python code from the current folder"
    return ""
