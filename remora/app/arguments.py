"""Lists and paths as callers write them, in the form that the layers below expect."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from remora.core.errors import InvalidInput


def listed(name: str, values: Any) -> tuple[Any, ...]:
    """Return a list as a tuple, () for None.

    Raises:
        InvalidInput: it is no list; one text alone is a mistake that is easily made.
    """
    if isinstance(values, str):
        raise InvalidInput(f"{name} must be a list of texts", hint=f"Write {name}=[{values!r:.80}].")
    if values is None:
        return ()
    if isinstance(values, bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(f"{name} must be a list of texts, not {type(values).__name__}")
    return tuple(values)


def paths(name: str, values: Any, root: Path) -> tuple[Any, ...]:
    """Return paths as git writes them: relative to the root, with forward slashes.

    What is no text or path, or lies outside the root, is left as it is.

    Raises:
        InvalidInput: as for `listed`.
    """
    above = root.as_posix().rstrip("/") + "/"
    plain = [os.fspath(v) if isinstance(v, os.PathLike) else v for v in listed(name, values)]
    return tuple(
        v.replace("\\", "/").removeprefix("./").removeprefix(above) if isinstance(v, str) else v
        for v in plain
    )
