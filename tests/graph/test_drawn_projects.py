"""Small projects, drawn in `corpora/*.txt`: where their imports, calls, bases and tests lead.

`@ what is shown` begins a project and `=== path` a file of it; files after `@ tree` are in each project that
follows. `? calls path name` asks, with the answer below it: each target, and how sure it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.graph.projects import Project

CORPORA = Path(__file__).parent / "corpora"


def drawn(corpus: Path) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Yield what each project shows, its files, and the answer to each question."""
    tree: dict[str, str] = {}
    for section in re.split(r"^@ ", corpus.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, *parts = re.split(r"^(?==== |\? )", section, flags=re.MULTILINE)
        told = {head: text for head, _, text in (part.partition("\n") for part in parts)}
        files = {head[4:]: text for head, text in told.items() if head.startswith("=== ")}
        if title.strip() == "tree":
            tree = files
        else:
            asked = {head[2:]: text.strip() for head, text in told.items() if head.startswith("? ")}
            yield f"{corpus.stem}: {title.strip()}", {**tree, **files}, asked


def answer(project: Project, question: str) -> str:
    """Return the answer to a question, line by line."""
    kind, path, *name = question.split()
    if kind == "imports":
        return "\n".join(project.imports(path))
    if kind == "links":
        links = [
            f"{one.from_key} {one.type} {one.to_key} {one.confidence:g} @{one.line} x{one.count}"
            for one in project.links(path)
        ]
        return "\n".join(links)
    return "\n".join(f"{key} {sure:g}" for key, sure in sorted(project.targets(path, kind, *name).items()))


PROJECTS = [project for corpus in sorted(CORPORA.glob("*.txt")) for project in drawn(corpus)]


@pytest.mark.parametrize(("files", "asked"), [p[1:] for p in PROJECTS], ids=[p[0] for p in PROJECTS])
def test_edges_lead_where_they_should(files: dict[str, str], asked: dict[str, str]) -> None:
    """Each question has exactly the answer that stands below it, and every project asks one."""
    project = Project(files)
    assert asked
    assert {question: answer(project, question) for question in asked} == asked
