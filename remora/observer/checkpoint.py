"""Checkpoints: state that is written as JSON and restored exactly.

A state class annotates its fields and sets them in `__init__`; it needs no code for encoding. Sets become
sorted lists, mappings whose keys are not strings become lists of pairs, named tuples become lists. Decoding
follows the annotations, so a tuple is restored as a tuple.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from remora.core.errors import InvalidInput

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class Checkpointed:
    """Base class of checkpointed state; every annotated field is part of it."""

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {name: _plain(getattr(self, name)) for name in _hints(type(self))}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the state restored from the output of `to_json`.

        Raises:
            InvalidInput: the data does not fit the fields of the class.
        """
        state = cls()
        try:
            for name, hint in _hints(cls).items():
                setattr(state, name, _shaped(hint, data[name]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"a checkpoint of {cls.__name__} cannot be read ({type(error).__name__}: {error})",
                hint="Delete it; the session is then read again from its transcript.",
            ) from error
        return state

    def copy(self) -> Self:
        """Return an independent copy; immutable records are shared."""
        other = object.__new__(type(self))
        for name in _hints(type(self)):
            setattr(other, name, _copied(getattr(self, name)))
        return other


def _copied(value: Any) -> Any:
    if isinstance(value, Checkpointed):
        return value.copy()
    if isinstance(value, dict):
        return {
            key: _copied(v) if isinstance(v, list | dict | set | Checkpointed) else v
            for key, v in value.items()
        }
    if isinstance(value, list | set):
        return type(value)(value)
    return value


_HINTS: dict[type, dict[str, Any]] = {}


def _hints(of: type) -> dict[str, Any]:
    """Return the types of a class's fields (cached)."""
    if of not in _HINTS:
        _HINTS[of] = get_type_hints(of)
    return _HINTS[of]


def _plain(value: Any) -> Any:
    if isinstance(value, Checkpointed):
        return value.to_json()
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: _plain(v) for key, v in value.items()}
        return [[_plain(key), _plain(v)] for key, v in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(_plain(v) for v in value)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value


def _shaped(hint: Any, value: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return None if value is None else _shaped(next(h for h in inner if h is not type(None)), value)
    if origin is list:
        return [_shaped(inner[0], v) for v in value]
    if origin is set:
        return {_shaped(inner[0], v) for v in value}
    if origin is tuple:
        if inner[1:] == (...,):
            return tuple(_shaped(inner[0], v) for v in value)
        return tuple(_shaped(h, v) for h, v in zip(inner, value, strict=True))
    if origin is dict:
        pairs = value.items() if isinstance(value, Mapping) else value
        return {_shaped(inner[0], k): _shaped(inner[1], v) for k, v in pairs}
    return _single(hint, value)


def _single(hint: Any, value: Any) -> Any:
    if isinstance(hint, type) and issubclass(hint, Checkpointed):
        return hint.from_json(value)
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        fields = _hints(hint)
        return hint(*(_shaped(h, v) for h, v in zip(fields.values(), value, strict=True)))
    if hint in (str, int, bool, float) and not isinstance(value, int if hint is float else hint):
        if hint is float and isinstance(value, float):
            return value
        raise TypeError(f"{hint.__name__} expected, not {type(value).__name__}")
    return value


def keep_last(items: list[T], item: T, limit: int) -> None:
    """Append to a list; at a quarter over the limit, cut it back to its newest `limit` items."""
    items.append(item)
    if len(items) > limit + limit // 4:
        del items[: len(items) - limit]


def make_room(items: dict[K, V], limit: int) -> int:
    """Drop the oldest entries of a mapping that has reached its limit; return how many."""
    if len(items) < limit:
        return 0
    oldest = [key for key, _ in zip(items, range(max(1, limit // 50)), strict=False)]
    for key in oldest:
        del items[key]
    return len(oldest)


def cut(text: str, limit: int) -> str:
    """Return a text cut in the middle to at most `limit` characters; line breaks are kept."""
    if len(text) <= limit:
        return text
    head = (limit - 3) // 2
    return f"{text[:head]}\n…\n{text[len(text) - (limit - 3 - head) :]}"[:limit]
