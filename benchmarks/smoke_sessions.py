"""The benchmarks of recorded sessions on a handful of made-up ones, in the format of the real data set."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import advice, learning, many_commands, recorded_sessions, session_files, unasked
from benchmarks.agent_sessions import DATA, read
from benchmarks.common import Check, Options, workplace
from benchmarks.session_floors import frequent_files

HOME = "/home/ann/work/shop"
TREE = f"{HOME}/.worktrees/ann/prices"
AREAS = ("parser", "mailer", "cache")
ROUNDS = 3

Record = dict[str, Any]


class Writer:
    """Makes the records of one session; a minute passes between two of them."""

    def __init__(self, number: int, cwd: str = HOME) -> None:
        self.id = f"{number:08d}-0000-4000-8000-000000000000"
        self.cwd = cwd
        self.records: list[Record] = []
        self._day = f"2024-05-{number + 1:02d}"

    def says(self, text: str, **more: Any) -> None:
        """Let the user type something."""
        self._add("user", {"role": "user", "content": text}, **more)

    def calls(self, tool: str, given: Mapping[str, Any], answer: str = "ok", *, failed: bool = False) -> None:
        """Let the agent call a tool and get an answer."""
        call = f"toolu_{self.id[:8]}_{len(self.records)}"
        block = {"type": "tool_use", "id": call, "name": tool, "input": dict(given)}
        self._add("assistant", {"role": "assistant", "model": "made-up", "content": [block]})
        result = {"type": "tool_result", "tool_use_id": call, "content": answer, "is_error": failed}
        self._add("user", {"role": "user", "content": [result]})

    def edits(self, path: str, *, failed: bool = False) -> None:
        """Let the agent change a file."""
        given = {"file_path": f"{self.cwd}/{path}", "old_string": "pass", "new_string": "return None"}
        self.calls("Edit", given, "String to replace not found" if failed else "updated", failed=failed)

    def runs(self, command: str) -> None:
        """Let the agent run a command."""
        self.calls("Bash", {"command": command})

    def _add(self, kind: str, message: Mapping[str, Any], **more: Any) -> None:
        number = len(self.records)
        record = {
            "type": kind,
            "uuid": f"{self.id[:8]}-{number}",
            "parentUuid": f"{self.id[:8]}-{number - 1}" if number else None,
            "sessionId": self.id,
            "timestamp": f"{self._day}T10:{number:02d}:00.000Z",
            "cwd": self.cwd,
            "gitBranch": "main",
            "version": "2.0.0",
            "isSidechain": False,
            "message": message,
        }
        self.records.append(record | more)


def made_up() -> Iterator[list[Record]]:
    """Yield nine sessions over three areas; the fourth is there twice, first cut short."""
    for number in range(ROUNDS * len(AREAS)):
        area = AREAS[number % len(AREAS)]
        session = Writer(number, TREE if number == 4 else HOME)
        session.says("Base directory for this skill: /x", isMeta=True)
        session.says(f"The {area} loses the last row when the input is empty, please mend the {area}")
        session.edits(f"shop/{area}.py", failed=True)
        session.edits(f"shop/{area}.py")
        session.edits(f"tests/test_{area}.py")
        session.calls("Write", {"file_path": "/home/ann/notes.md", "content": "done"})
        session.calls("Bash", {"command": "make check"}, "Exit code 2", failed=number % 2 == 0)
        session.runs("make check")
        session.runs(f"cd {session.cwd} && mise run fmt && go test -v -run TestA ./{area}/ 2>&1 | tail -5")
        if number == 3:
            yield session.records[:4]
        yield session.records


def write(folder: Path, entries: Sequence[Sequence[Record]]) -> None:
    """Write entries in the form of the data set."""
    folder.mkdir(parents=True, exist_ok=True)
    file = "sessions-00.jsonl.gz"
    index = [
        {
            "session_id": e[0]["sessionId"],
            "file": file,
            "records": len(e),
            "start": e[0]["timestamp"],
            "end": e[-1]["timestamp"],
        }
        for e in entries
    ]
    (folder / "index.json").write_text(json.dumps(index))
    with gzip.open(folder / file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for entry in entries for record in entry)


def checks() -> list[Check]:
    """Ask for the files and commands of made-up sessions, and learn them all."""
    with workplace() as place:
        whole = place / "both"  # in one form: what asks for commands needs no more of the second data set
        for folder in (place / DATA, whole / DATA, whole / recorded_sessions.DATA):
            write(folder, list(made_up()))
        _repository(place / "shop")
        options = Options(data=place, repo=place / "shop")
        sessions = read(place / DATA)
        files = session_files.run(options._replace(limit=6)).figures[DATA]
        commands = many_commands.run(options._replace(data=whole)).figures
        unread = unasked.run(options._replace(data=whole)).figures
        advised = advice.run(Options(data=place, limit=4)).figures
        learnt = learning.measure(sessions)
    gold = [sorted(session.gold) for session in sessions]
    wanted = [[f"shop/{a}.py", f"tests/test_{a}.py"] for _ in range(ROUNDS) for a in AREAS]
    return [
        _holds("recorded sessions are told apart, edits are relative", gold == wanted),
        _holds("ties of floors are in order", frequent_files(sessions)[0] == "shop/cache.py"),
        _holds("every session has a tree", files["sessions"] == 6 and files["gold that exists"] == 1.0),
        Check.at_least("edited files, recall@10", files["recall@10"][session_files.OURS], 0.5),
        _holds("commands named", (commands["remora, all"], commands["least lead, all"]) == (1.0, 0.0)),
        _holds("all sessions are learned", learnt["sessions"] == len(sessions)),
        _holds("sessions are replayed", advised["actions"] > 0),
        _holds("what is said unasked is kept", unread["said"] > 0 and unread["sessions"] == len(sessions)),
    ]


def _repository(project: Path) -> None:
    for area in AREAS:
        for path, text in {
            f"shop/{area}.py": f"def {area}_rows(rows):\n    # the {area} goes over rows\n    return rows\n",
            f"tests/test_{area}.py": f"from shop.{area} import {area}_rows\n\n{area}_rows([])\n",
        }.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text)
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2024-04-30T10:00:00Z")
    who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.invalid")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*who, "commit", "-q", "-m", "Begin")):
        command = ["git", "-C", str(project), *words]
        subprocess.run(command, check=True, env=os.environ | dates)


def _holds(what: str, truth: bool) -> Check:
    return Check(what, float(truth), "yes", truth)
