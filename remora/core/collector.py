"""Put off Python's search for garbage in cycles while a short piece of work makes many objects and no cycles.

The search begins after so many new objects, whatever they are, and now and then it goes through all that
a process holds: tens of milliseconds in the middle of work that takes ten. What the work made and dropped
is gone before the next search, which so finds less to keep.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused(when: bool = True) -> Iterator[None]:
    """Search for no garbage inside the block, if it is wanted and nobody else put it off before."""
    if not when or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
