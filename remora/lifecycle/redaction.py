"""Remove secrets from JSON values: from texts, names, and values that only their name reveals.

A value such as `hunter2` is no secret by its form; under the key `password`, after the flag `--password`, or
beside `"name": "DB_PASSWORD"` it is one. Each text is examined alone and together with its name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from remora.core.errors import InvalidInput
from remora.core.secrets import Redacted, redact

MAX_DEPTH = 64  # as in a session's log; deeper values make parsers run out of stack
_BY_NAME = ("password", "secret")  # kinds that are found by the preceding name
_NAMES = ("name", "key")  # of a pair written as {"name": …, "value": …}


def redact_json(value: Any, counts: dict[str, int], depth: int = 0) -> Any:
    """Return a JSON value with secrets removed from every text; adds to `counts` by kind.

    Raises:
        InvalidInput: the value is nested more than 64 deep.
    """
    if depth > MAX_DEPTH:
        raise InvalidInput(f"a value is nested more than {MAX_DEPTH} deep")
    if isinstance(value, str):
        return _counted(redact(value), counts)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return redact_json(value._asdict(), counts, depth)
    if isinstance(value, Mapping):
        return _mapping(value, counts, depth)
    if isinstance(value, list | tuple):
        return _list(value, counts, depth)
    return value


def holds_secret(text: str) -> bool:
    """Return whether an id contains a secret by its form.

    A value at a place typical of secrets does not count: `auth:` and a UUID is a valid id.
    """
    return any(r.kind not in _BY_NAME for r in redact(text).redactions)


def _mapping(value: Mapping[Any, Any], counts: dict[str, int], depth: int) -> dict[Any, Any]:
    clean: dict[Any, Any] = {}
    for key, item in value.items():
        name = _counted(redact(key), counts) if isinstance(key, str) else key
        clean[name] = _named(name, item, counts, depth)
    named = next((value[k] for k in _NAMES if isinstance(value.get(k), str)), None)
    if named is not None and "value" in clean:
        clean["value"] = _named(named, clean["value"], counts, depth)
    return clean


def _list(value: Sequence[Any], counts: dict[str, int], depth: int) -> list[Any]:
    clean: list[Any] = []
    for item in value:
        flag = clean[-1] if clean and isinstance(clean[-1], str) and clean[-1].startswith("-") else None
        if flag is not None and isinstance(item, str):
            clean.append(_behind(f"{flag} ", item, counts))
        else:
            clean.append(redact_json(item, counts, depth + 1))
    return clean


def _named(name: Any, item: Any, counts: dict[str, int], depth: int) -> Any:
    """Return the redacted value of a name. Numbers count too: a PIN may be a secret."""
    number = isinstance(item, int) and not isinstance(item, bool)
    if not isinstance(name, str) or not (isinstance(item, str) or number):
        return redact_json(item, counts, depth + 1)
    if number:
        found = redact(f"{json.dumps(name)}: {item}")
        return f"[REDACTED:{_add(found, counts)}]" if found.redactions else item
    start = f"{json.dumps(name, ensure_ascii=False)}: "
    alone, together = redact(item), redact(start + json.dumps(item, ensure_ascii=False))
    if together.count <= alone.count:
        return _counted(alone, counts)
    kind = _add(together, counts)
    try:
        said = json.loads(together.text.removeprefix(start))
    except ValueError:  # the match extends beyond the quotes
        said = None
    return said if isinstance(said, str) else f"[REDACTED:{kind}]"


def _behind(start: str, item: str, counts: dict[str, int]) -> str:
    alone, together = redact(item), redact(start + item)
    if together.count <= alone.count:
        return _counted(alone, counts)
    kind = _add(together, counts)
    return together.text[len(start) :] if together.text.startswith(start) else f"[REDACTED:{kind}]"


def _counted(found: Redacted, counts: dict[str, int]) -> str:
    _add(found, counts)
    return found.text


def _add(found: Redacted, counts: dict[str, int]) -> str:
    for redaction in found.redactions:
        counts[redaction.kind] = counts.get(redaction.kind, 0) + redaction.count
    return found.redactions[0].kind if found.redactions else ""
