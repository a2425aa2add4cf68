"""The live benchmark end to end: a made-up repository, and a model that plays a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.live import compared, pairs_of, tasks_of
from remora.llm.client import Completion, Message
from tests.helpers import Repo

CHECK = f"{sys.executable}"  # the tests of this repository are plain programs


class Mender:
    """Runs the tests; a missing rates file it makes by trial, or at once where something names how."""

    model_id = "scripted"

    def complete(self, messages: Sequence[Message], **_how: Any) -> Completion:
        """Return the next step of its script."""
        said = "\n".join(message.content for message in messages if message.role == "user")
        steps = sum(message.role == "assistant" for message in messages)
        script: list[dict[str, str]] = [
            {"tool": "run", "command": f"{CHECK} test_shop.py"},
            {"tool": "run", "command": f"{CHECK} make_rates.py"},
            {"tool": "run", "command": f"{CHECK} test_shop.py"},
            {"tool": "read", "path": "shop.py"},
            {"tool": "write", "path": "shop.py", "content": fixed(said)},
            {"tool": "run", "command": f"{CHECK} test_shop.py"},
            {"tool": "done"},
        ]
        if "make_rates.py" in "\n".join(m.content for m in messages[2:3]):
            script = script[1:]  # it was told: no need to fail first
        return Completion(json.dumps(script[min(steps, len(script) - 1)]))


def fixed(said: str) -> str:
    """Return the program with the tax that the task asks for."""
    wanted = said.partition("tax is ")[2].partition(" ")[0].rstrip(".\n")
    return f"TAX = {wanted}\n"


def repository(folder: Path) -> Path:
    """Return a repository whose tax changes twice, and whose tests need a file that nobody commits."""
    repo = Repo(folder).init()
    repo.put("make_rates.py", "open('rates.json', 'w').write('{}')\n")
    for tax in (1, 2, 3):
        test = f"open('rates.json')\nimport shop\nassert shop.TAX == {tax}, 'the tax is wrong'\n"
        files = {"shop.py": f"TAX = {tax}\n", "test_shop.py": test}
        repo.commit(f"shop: the tax is {tax} now", files)
    return folder


def test_a_pair_is_found_and_done_in_both_arms(tmp_path: Path) -> None:
    """Tasks come from the history, fail alike, are solved, and calls and tokens are counted for both arms."""
    repo = repository(tmp_path / "repo")
    tasks = tasks_of(repo, CHECK)
    assert [task.subject for task in tasks] == ["shop: the tax is 3 now", "shop: the tax is 2 now"]
    assert tasks[0].mark == tasks[1].mark
    (pair,) = pairs_of(tasks)
    assert [task.subject for task in pair] == ["shop: the tax is 2 now", "shop: the tax is 3 now"]
    report = compared(repo, Mender(), CHECK, 1)
    assert report.figures["pairs"] == 1
    assert (report.figures["solved, without"], report.figures["solved, with"]) == (1.0, 1.0)
    assert report.figures["calls, with"] <= report.figures["calls, without"] == 6
    assert report.figures["tokens, with"] > 0
