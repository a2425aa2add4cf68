"""Accidents that befall processes of Remora: one is killed or hangs where we choose, or all are slow.

A file on the path of Python is loaded by every process of Remora that the host starts. It looks whether an
accident is waiting for that kind of process, takes it off the list, and lets it happen.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from typing import Self

from tests.interfaces.hooks.real.world import ROOT, World

LOADED = '''\
"""Let an accident happen to this process, if one is waiting for it."""

import json
import os
import pathlib
import sys
import time

waiting = pathlib.Path(__file__).parent / "waiting.json"


def take(what, when=""):
    try:
        found = json.loads(waiting.read_text())
        if found["what"] not in what or found["when"] != when:
            return ""
        waiting.rename(waiting.parent / "happened.json")
        return found["what"]
    except OSError:
        return ""


if "hook" in sys.orig_argv:
    from remora.disk.live import LiveFile

    append = LiveFile._append

    def instead(self, lines):
        for line in lines:
            what = take(("killed", "hangs"), line.get("k", ""))
            if what == "killed":
                text = json.dumps(line).encode()
                os.write(self._file, text[: len(text) // 2])
                os.kill(os.getpid(), 9)
            elif what == "hangs":
                time.sleep(600)
            elif (waiting.parent / "slow").exists():
                time.sleep(0.3)
        append(self, lines)

    LiveFile._append = instead

if "--sessions" in sys.orig_argv and take(("work killed",)):
    from remora.app.agent import session_end as finished

    finished.learn_session = lambda *_: os.kill(os.getpid(), 9)
'''


class Accidents:
    """What is to go wrong. Use it with `with`: afterwards nothing goes wrong any more."""

    def __init__(self, world: World) -> None:
        self.world, self.folder = world, world.folder / "accidents"

    def __enter__(self) -> Self:
        self.folder.mkdir()
        (self.folder / "sitecustomize.py").write_text(LOADED, "utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self.world.settled()
        shutil.rmtree(self.folder)

    @property
    def environ(self) -> Mapping[str, str]:
        """The variables by which the accidents reach the processes of Remora."""
        return {"PYTHONPATH": f"{self.folder}:{ROOT}"}

    def kill_at(self, kind: str) -> None:
        """Kill the next hook that notes a moment of a kind, with half of the line written."""
        self._wait("killed", kind)

    def hang_at(self, kind: str) -> None:
        """Let the next hook that notes a moment of a kind sleep with the file locked."""
        self._wait("hangs", kind)

    def slow_down(self) -> None:
        """Let every hook take a third of a second between its decision and the line about it."""
        (self.folder / "slow").touch()

    def kill_work(self) -> None:
        """Kill the next work on sessions that are over, when it begins to learn one."""
        self._wait("work killed", "")

    def _wait(self, what: str, when: str) -> None:
        (self.folder / "waiting.json").write_text(json.dumps({"what": what, "when": when}), "utf-8")

    @property
    def happened(self) -> bool:
        """Whether it came to pass."""
        return (self.folder / "happened.json").exists()
