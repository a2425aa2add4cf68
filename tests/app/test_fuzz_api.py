"""Every public method of the Python API answers whatever it is given, or raises an error of ours."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fuzz_api import fuzz, verbs
from remora import Memory
from remora.core.argument_types import checked, inner
from remora.core.errors import InvalidInput, RemoraError
from tests.helpers import texts

# Of each method; more than this is not for every change.
CALLS = int(os.environ.get("REMORA_FUZZ_CALLS", "12"))
Q, SEEN = {"query": "x"}, {"tool": "x", "result": ""}


@pytest.fixture
def memory(bare: Memory) -> Memory:
    """A memory with one statement."""
    bare.remember("Tokens expire after 24 h")
    return bare


@pytest.mark.slow
def test_no_foreign_error(tmp_path: Path) -> None:
    """Wrong types and values to every public method raise nothing but the errors of `core.errors`."""
    made, failures, spent = fuzz(tmp_path, CALLS)
    assert failures == []
    assert made > CALLS * 100
    assert {"memory.search", "session.append", "items.write", "async_memory.teach"} <= set(spent)


def test_every_public_method_is_checked(memory: Memory) -> None:
    """Each public method is found by the fuzz and checked, but for a loop's, which never fail."""
    found = list(verbs(memory))
    unchecked = {
        v.name
        for v in found
        if not v.name.startswith(("async", "loop."))
        and inner(getattr(type(v.owner()), v.method)) is getattr(type(v.owner()), v.method)
    }
    assert len(found) > 120
    assert unchecked == set()


@pytest.mark.parametrize(
    ("verb", "wrong", "said"),
    [
        ("search", {"query": b"x"}, "query must be text, not bytes"),
        ("search", {**Q, "k": True}, "k must be a whole number of at most 64 bits, not True"),
        ("search", {**Q, "files": ["a\0b"]}, "files must be a list of valid paths, not list"),
        ("remember", {"content": "x", "confidence": math.nan}, "confidence must be a number, not nan"),
        ("pin", {"memory_id": "x", "pinned": 1}, "pinned must be True or False, not 1"),
        ("teach", {"path": "a\0b"}, "path must be a valid path, not str"),
        ("init", {"progress": 3}, "progress must be a function, not 3"),
        ("observe_ui", {**SEEN, "work_unit": "u"}, "work_unit must be of type WorkUnitRef"),
    ],
)
def test_the_message(memory: Memory, verb: str, wrong: dict[str, Any], said: str) -> None:
    """An argument of a wrong type is named, with what it must be and what it is, and nothing is changed."""
    with pytest.raises(InvalidInput) as caught:
        getattr(memory, verb)(**wrong)
    assert said in str(caught.value)
    assert caught.value.hint
    assert texts(memory.list()) == ["Tokens expire after 24 h"]


def test_arguments_that_do_not_exist(memory: Memory) -> None:
    """A missing or an unknown argument stays Python's own TypeError; of drafts one that is none is told."""
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'query'"):
        memory.search()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'quarry'"):
        memory.search(quarry="x")  # type: ignore[call-arg]
    wrong, good = memory.remember_each([3, {"content": "Use tabs"}])  # type: ignore[list-item]
    assert isinstance(wrong, RemoraError)
    assert not isinstance(good, RemoraError)


def test_what_a_check_leaves_alone() -> None:
    """Private methods and what stands behind `**` are not looked at; an iterator is not used up."""

    @checked
    class CliContext:
        def _own(self, name: str) -> str:
            return name

        def put(self, names: list[str], **more: int) -> list[Any]:
            return [*names, more]

    cli = CliContext()
    assert cli._own(3) == 3  # type: ignore[arg-type,comparison-overlap]
    assert cli.put(iter(["a"]), more="x") == ["a", {"more": "x"}]  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="names must be a list of texts, not str"):
        cli.put("a")  # type: ignore[arg-type]
