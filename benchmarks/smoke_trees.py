"""The benchmarks that need trees (`cochange --repo`, `boost`, `standing`) on a small history of real code."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks import boost, cochange, standing
from benchmarks.common import Check, workplace
from benchmarks.embedder import FastEmbedder
from benchmarks.trees import tree_graph
from remora.store.database import Database


def _defined(db: Database, path: str) -> set[str]:
    """Return the names that a file defines."""
    node = db.graph.node(path)
    assert node is not None
    return {key.rpartition(":")[2] for key in db.graph.inside(node).values()}


def checks() -> list[Check]:
    """Replay a small history of real code: the graph stands at each parent, and search and ranking use it."""
    with workplace() as place:
        project = place / "project"
        _commit(project, "Begin", _modules("count"))
        for word in ("sort", "trim", "hash"):
            _commit(project, f"Let the parser {word} rows", _modules(word))
        with tree_graph(project) as graph:
            commits = graph.trees.commits()
            found = cochange.measure_with_graph("made up", commits, graph, None).figures
            asked = boost.measure(graph, commits, 5, 5).figures
            graph.stand_at(commits[0].sha)
            first = _defined(graph.db, "made/parser.py")
            graph.stand_at(commits[-1].sha)
            last = _defined(graph.db, "made/parser.py")
        stood = standing.measure(project, 5, embedder=FastEmbedder()).figures
    return [
        _holds(
            "the graph stands at the commit that was named",
            (first, last) == ({"count", "read"}, {"hash", "read"}),
        ),
        Check.at_least("recall@10 by ties alone", found[cochange.GRAPH_ALONE]["recall@10 by query"], 1.0),
        Check.at_least(
            "recall@10 of tasks with the boost", asked["tasks: recall@10"][boost.WITH]["mean"], 1.0
        ),
        Check.at_least("recall@10 of the other half of a task", stood["tasks"]["recall@10"], 1.0),
        _holds("one function has changed, three times", stood["facts"]["by chance"] == 0.25),
        _holds("a place is found", asked["places: MRR"][boost.WITHOUT]["mean"] == 1.0),
    ]


def _modules(word: str) -> dict[str, str]:
    """Return a module (a function of a new name, one of new arguments), its test, and another module."""
    about = f'"""Take some rows of a table and {word} them one after the other."""'
    return {
        "made/__init__.py": "",
        "made/parser.py": (
            f"def {word}(rows):\n    {about}\n    return [row.{word}() for row in rows]\n\n\n"
            f"def read(path, {word}=None):\n    return path\n"
        ),
        "tests/test_parser.py": f"from made.parser import {word}\n\n\ndef test_it():\n    {word}([])\n",
        "made/mail.py": "def send(letter):\n    return letter\n",
    }


def _commit(project: Path, message: str, files: Mapping[str, str]) -> None:
    project.mkdir(exist_ok=True)
    for path, text in files.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text)
    who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.invalid")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", message)):
        subprocess.run(["git", "-C", str(project), *words], check=True)


def _holds(what: str, truth: bool) -> Check:
    return Check(what, float(truth), "yes", truth)
