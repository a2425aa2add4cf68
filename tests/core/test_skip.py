"""One item that cannot be read is skipped and named; what is not its fault passes."""

from __future__ import annotations

import pytest

from remora.core.errors import InvalidInput, StoreFull
from remora.core.skip import sparing, told
from remora.core.values import Skipped


@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep"), MemoryError(), KeyError("k")])
def test_an_item_that_fails_is_named_with_the_type_of_its_error(error: Exception):
    """Whatever the exception, the block after it runs and the item is noted."""
    skipped: list[Skipped] = []
    for item in ("a", "b", "c"):
        with sparing(item, skipped, "not read: "):
            if item == "b":
                raise error
    assert [one.what for one in skipped] == ["b"]
    assert skipped[0].why.startswith(f"not read: {type(error).__name__}")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), StoreFull("full")])
def test_what_is_not_the_items_fault_passes(error: BaseException):
    """A person who stops the run, and a store that fails, end it."""
    skipped: list[Skipped] = []
    with pytest.raises(type(error)), sparing("a", skipped):
        raise error
    assert not skipped


def test_our_own_errors_speak_for_themselves():
    """An error of ours needs no type before its words, and a long one is cut."""
    assert told(InvalidInput("too long")) == "too long"
    assert len(told(ValueError("x" * 1000))) == 200
