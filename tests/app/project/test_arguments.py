"""Lists, paths and types as callers write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import Memory
from remora.app.project.arguments import listed, paths
from remora.app.project.methodologies import Plugins
from remora.core.errors import InvalidInput
from remora.core.methodology import NativeMethodology
from remora.core.values import MEMORY_TYPES


class Kanban(NativeMethodology):
    """A methodology with a memory type of its own."""

    id = "kanban"
    custom_memory_types: tuple[str, ...] = ("wip_limit",)


def with_kanban(memory: Memory) -> Memory:
    """Return the memory as if a methodology of that kind were installed."""
    memory._project._plugins = Plugins({"kanban": Kanban()}, ())
    return memory


def test_lists() -> None:
    """Any list is taken, one text alone is a mistake."""
    assert listed("tags", None) == ()
    assert listed("tags", ["a", "b"]) == ("a", "b")
    for wrong in ("a", b"a", {"a": 1}, 3):
        with pytest.raises(InvalidInput, match="tags must be a list of texts"):
            listed("tags", wrong)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("app", ("app/",)),
        ("app/", ("app/",)),
        ("", ("",)),
        (".", (".",)),
        ("./b.py", ("b.py",)),
        ("app/../app", ("app/../app",)),
        ("a\0b", ("a\0b",)),
    ],
)
def test_paths_from_the_root(tmp_path: Path, given: str, meant: tuple[str, ...]) -> None:
    """Paths are relative to the root, and a folder ends in a slash."""
    (tmp_path / "app").mkdir()
    assert paths("files", [given], tmp_path) == meant


@pytest.mark.parametrize("verb", ["list", "search"])
def test_a_type_that_does_not_exist(bare: Memory, verb: str) -> None:
    """An unknown type is refused with the types there are."""

    def ask(*types: object) -> None:
        bare.list(types) if verb == "list" else bare.search("tokens", types=types)  # type: ignore[arg-type]

    with_kanban(bare)
    ask("gotcha", "wip_limit")
    with pytest.raises(InvalidInput, match="unknown memory type 'decison'") as caught:
        ask("gotcha", "decison")
    known = ", ".join((*MEMORY_TYPES, "wip_limit"))
    assert caught.value.hint == f"The types are {known}."
    with pytest.raises(InvalidInput, match="types must be a list of texts, not tuple"):
        ask(3)
