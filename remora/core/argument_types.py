"""Check the types of arguments of public methods against their annotations.

`checked` wraps the public methods of a class. The annotations of a method are read at its first call; later
calls cost one type test for each argument given. Values (an empty query, an unknown memory type) are
validated where they are used.
"""

from __future__ import annotations

import builtins
import functools
import math
import os
import types
import typing
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Callable as AnyCallable
from typing import Any, NamedTuple, TypeVar, Union

from remora.core.errors import InvalidInput

C = TypeVar("C")
LARGEST = 2**63  # SQLite and the C library store integers in 64 bits


class Expected(NamedTuple):
    """A test of a value, and a description of the values that pass it."""

    fits: Callable[[Any], bool]
    words: str


def checked(kind: type[C]) -> type[C]:
    """Make the public methods of a class raise `InvalidInput` for arguments of a wrong type.

    Missing and unknown arguments still raise Python's TypeError.
    """
    for name, value in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, types.FunctionType):
            setattr(kind, name, _guarded(value))
        elif isinstance(value, classmethod):
            setattr(kind, name, classmethod(_guarded(value.__func__)))
    return kind


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    code = inner(method).__code__
    names = code.co_varnames[1 : code.co_argcount]
    wanted: dict[str, Expected] | None = None

    @functools.wraps(method)
    def call(self: Any, /, *given: Any, **named: Any) -> Any:
        nonlocal wanted
        if wanted is None:
            wanted = _wanted(inner(method))
        for name, value in (*zip(names, given, strict=False), *named.items()):
            if name in wanted and not wanted[name].fits(value):
                raise _refused(name, value, wanted[name])
        return method(self, *given, **named)

    return call


def inner(method: Any) -> Any:
    """Return the function below all its wrappers."""
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    return method


def _refused(name: str, value: Any, expected: Expected) -> InvalidInput:
    plain = type(value) in (float, bool, type(None)) or _is_whole(value)
    shown = repr(value) if plain else type(value).__name__
    return InvalidInput(
        f"{name} must be {expected.words}, not {shown}", hint=f"Give {name} as {expected.words}."
    )


@functools.cache
def _types() -> dict[str, Any]:
    """Return the types that modules of public methods import for type checkers only.

    Protocols and types that Remora returns are absent: a caller's own object may stand for them.
    """
    from collections.abc import Sequence
    from datetime import date, datetime

    from remora.core.methodology import ExecutionContext, WorkUnitResult
    from remora.core.values import Used, WorkUnitRef

    kinds = (ExecutionContext, Sequence, Used, WorkUnitRef, WorkUnitResult, date, datetime)
    return {kind.__name__: kind for kind in kinds}


def _wanted(method: Any) -> dict[str, Expected]:
    known = method.__globals__
    # A name that neither the module nor `_types` knows is imported for type checkers only: any value fits.
    names = ChainMap(known, vars(builtins), defaultdict(lambda: object, _types()))
    hints = typing.get_type_hints(method, known, names)
    code = method.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    named = set(code.co_varnames[1:count])  # arguments behind `**` have any name and type
    found = ((name, _expected(hint)) for name, hint in hints.items() if name in named)
    return {name: expected for name, expected in found if expected is not None}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -LARGEST <= value < LARGEST


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and not math.isnan(value))


def _is_path(value: Any) -> bool:
    """Return whether a value can be a path: no system call takes a NUL or a lone surrogate."""
    try:
        return b"\0" not in os.fsencode(value)
    except (TypeError, ValueError):
        return False


_PLAIN = {
    int: Expected(_is_whole, "a whole number of at most 64 bits"),
    float: Expected(_is_number, "a number"),
    bool: Expected(lambda value: isinstance(value, bool), "True or False"),
    str: Expected(lambda value: isinstance(value, str), "text"),
    bytes: Expected(lambda value: isinstance(value, bytes), "bytes"),
    type(None): Expected(lambda value: value is None, "None"),
}


def _expected(hint: Any) -> Expected | None:
    """Return the test for a type hint; None if it accepts any value."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        return _one_of(typing.get_args(hint))
    if origin is AnyCallable:
        return Expected(callable, "a function")
    kind = origin or hint
    if hint is Any or not isinstance(kind, type) or kind is object or getattr(kind, "_is_protocol", False):
        return None
    if issubclass(kind, os.PathLike):
        return Expected(lambda value: isinstance(value, os.PathLike) and _is_path(value), "a valid path")
    if issubclass(kind, Mapping):
        return Expected(lambda value: isinstance(value, Mapping), "a mapping")
    if issubclass(kind, Iterable) and not issubclass(kind, tuple):
        return _list_of(typing.get_args(hint))
    return Expected(lambda value: isinstance(value, kind), f"of type {kind.__name__}")


def _one_of(hints: tuple[Any, ...]) -> Expected | None:
    """Return the test for a union; if it includes a path, a text must be a possible path."""
    found = [_expected(hint) for hint in hints]
    if None in found:
        return None
    kinds = [one for one in found if one is not None]
    if any(one.words == "a valid path" for one in kinds):
        others = [one for one in kinds if one.words not in ("a valid path", "text")]
        kinds = [Expected(_is_path_or_text, "a valid path"), *others]
    tests = tuple(one.fits for one in kinds)
    words = " or ".join(one.words for one in kinds if one is not _PLAIN[type(None)])
    return Expected(lambda value: any(test(value) for test in tests), words)


def _is_path_or_text(value: Any) -> bool:
    return isinstance(value, str | os.PathLike) and _is_path(value)


_PLURAL = {"text": "texts", "a valid path": "valid paths"}


def _list_of(hints: tuple[Any, ...]) -> Expected:
    """Return the test for a list: None counts as empty, and an iterator is not consumed."""
    element = _expected(hints[0]) if hints else None
    words = f"a list of {_PLURAL.get(element.words, 'values')}" if element else "a list of values"
    if element is not None and "a mapping" in element.words:
        words, element = "a list of mappings", None  # validated one by one, so that valid ones can be kept

    def fits(value: Any) -> bool:
        if value is None:
            return True
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        if element is None or not isinstance(value, list | tuple | set | frozenset):
            return True
        return all(element.fits(one) for one in value)

    return Expected(fits, words)
