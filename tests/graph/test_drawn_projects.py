"""Small projects, drawn in `corpora/*.txt`: where their imports, calls, bases and tests lead.

`? calls path name` asks for the targets of the calls of a file, or of a definition in it, each with how sure
it is.
"""

from __future__ import annotations

from tests.drawn_kit import worlds
from tests.graph.projects import Project

LANGUAGES = "c csharp go java javascript php python ruby rust".split()


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


@worlds(__file__, *LANGUAGES, "calls", "fixtures", "resolve")
def test_edges_lead_where_they_should(files: dict[str, str], asked: dict[str, str]) -> None:
    """Each question has exactly the answer that stands below it."""
    project = Project(files)
    assert {question: answer(project, question) for question in asked} == asked != {}
