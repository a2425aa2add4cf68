"""Whether what was installed can run: the program is there, and takes no code from the folder it runs in."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from remora.app.health.findings import Finding
from remora.disk.programs import find_program, search_path
from remora.interfaces.install.records import FOLDER


def looked_at(data_folder: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each installed host whose hooks or server cannot run, or are not safe to."""
    for path in sorted((data_folder / FOLDER).glob("*.json")):
        try:
            found = json.loads(path.read_text("utf-8"))
            host, command, root = str(found["host"]), str(found["command"]), str(found.get("root") or "")
            words = shlex.split(command)
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if not words:
            continue
        again = (
            f"Run `remora install {host}` in {root}."
            if root
            else f"Run `remora install {host} --scope user`."
        )
        if trouble := trouble_of(words, environ):
            yield Finding("warning", f"hooks of {host}", f"`{command}` {trouble}", again)
        else:
            yield Finding("ok", f"hooks of {host}", f"installed, as `{command}`")


def trouble_of(words: list[str], environ: Mapping[str, str]) -> str:
    """Return what is wrong with a command that a host runs; empty when nothing is."""
    program = words[0]
    if os.path.isabs(program):  # noqa: PTH117
        if not os.access(program, os.X_OK):
            return "does not exist or cannot be run"
    elif find_program(program, environ) is None:
        return "is not found on the PATH"
    elif search_path(environ) != environ.get("PATH", os.defpath):
        return "may be a program in the current folder: the PATH has relative folders"
    if "-m" in words and not {"-P", "-I"} & set(words[: words.index("-m")]):
        return "runs Python code from the current folder"
    return ""
