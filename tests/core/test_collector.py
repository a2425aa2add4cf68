"""The search for garbage is put off for a moment, and only by whoever may."""

from __future__ import annotations

import gc

import pytest

from remora.core.collector import paused


def test_it_goes_on_afterwards() -> None:
    """Also after an error; and not put off where it is not wanted."""
    with paused():
        assert not gc.isenabled()
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with paused(False):
        assert gc.isenabled()
    with pytest.raises(ValueError, match="x"), paused():
        raise ValueError("x")
    assert gc.isenabled()


def test_who_put_it_off_before_keeps_it_so() -> None:
    """A program that does without is not given back what it does not want."""
    gc.disable()
    try:
        with paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
