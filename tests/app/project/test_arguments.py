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
        ("app/a.py:6", ("app/a.py",)),
        ("app/a.py:6:14, ./b.py", ("app/a.py", "b.py")),
        ("odd, b.py", ("odd, b.py",)),
        ("app", ("app/",)),
        ("app/", ("app/",)),
        ("b.py, gone.py", ("b.py, gone.py",)),
        ("gone.py:6", ("gone.py:6",)),
        (":6", (":6",)),
        ("", ("",)),
        (".", (".",)),
        ("app/../b.py:6", ("app/../b.py:6",)),
        ("a\0b:6", ("a\0b:6",)),
    ],
)
def test_paths_as_models_write_them(tmp_path: Path, given: str, meant: tuple[str, ...]) -> None:
    """What is no file, but names files with lines or between commas, is read so; a folder ends in a slash."""
    (tmp_path / "app").mkdir()
    for name in ("app/a.py", "b.py", "odd, b.py"):
        (tmp_path / name).write_text("", "utf-8")
    assert paths("files", [given], tmp_path) == meant
    assert paths("files", [f"{tmp_path}/{given}"] if given else [""], tmp_path) == meant


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


def test_a_type_of_a_methodology_that_is_gone(bare: Memory) -> None:
    """What is stored can be asked for by its type, even where nothing else knows that type any more."""
    kept = with_kanban(bare).remember("At most three cards in review", type="wip_limit", branch="topic")
    bare.forget(kept.id)
    bare._project._plugins = Plugins({}, ())
    assert bare.list(["wip_limit"]) == []
    assert [m.id for m in bare.list(["wip_limit"], include_forgotten=True)] == [kept.id]
