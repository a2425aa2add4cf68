"""Small worlds that are drawn as text: the files of each, and the answers to what is asked of it.

`@ what is shown` begins a world (more words may follow), `=== path` a file of it, and `? question` an answer.
Files below `@ tree` are in each world that follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest


def drawn(corpus: Path) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Yield what each world shows, its files, and the answer to each question."""
    tree: dict[str, str] = {}
    for section in re.split(r"^@ ", corpus.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, *parts = re.split(r"^(?==== |\? )", section, flags=re.MULTILINE)
        told = {head: text for head, _, text in (part.partition("\n") for part in parts)}
        files = {head[4:]: text for head, text in told.items() if head.startswith("=== ")}
        if title.strip() == "tree":
            tree = files
        else:
            asked = {head[2:]: text.strip("\n") for head, text in told.items() if head.startswith("? ")}
            yield title.splitlines()[0], {**tree, **files}, asked


def worlds(test: str, *names: str) -> pytest.MarkDecorator:
    """Return a mark that gives a test the files and the answers of each world of `corpora/NAME.txt`."""
    folder = Path(test).parent / "corpora"
    found = [(name, *world) for name in names for world in drawn(folder / f"{name}.txt")]
    ids = [f"{name}: {title}" for name, title, _, _ in found]
    return pytest.mark.parametrize(("files", "asked"), [world[2:] for world in found], ids=ids)
