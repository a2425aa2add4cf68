"""Pause Python's cyclic garbage collection during short work that creates many objects and no cycles.

A collection starts after a number of new objects, and at times scans all objects of the process: tens of
milliseconds during work of ten. The objects of the work are freed before the next collection, so it finds
fewer of them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused(when: bool = True) -> Iterator[None]:
    """Pause garbage collection inside the block if `when` is true and it is not paused already."""
    if not when or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
