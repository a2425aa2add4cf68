"""Entries on the wire: what verifies, and what is no entry."""

from __future__ import annotations

import json

import pytest

from remora.core.errors import InvalidInput
from remora.sharing.entries import MAX_BYTES, Entry, is_genuine, parse, seal
from remora.sharing.keys import new_seed, public_key

SEED = new_seed()


def sealed(**given: object) -> Entry:
    """Return a signed entry."""
    fields = {"content": "naïve: 数据"}
    plain = Entry("s", "d", 1, "r", "m", ("p",), "0" * 19, "team", "edit", "person", fields)
    return seal(SEED, plain._replace(**given))  # type: ignore[arg-type]


def test_what_was_sealed_verifies() -> None:
    """An entry is genuine for the key that signed it and for no other."""
    assert is_genuine(sealed(), public_key(SEED))
    assert not is_genuine(sealed(), public_key(new_seed()))


@pytest.mark.parametrize("name", ["n", "rev", "memory", "hlc", "scope", "op", "author", "parents", "device"])
def test_a_changed_header_is_noticed(name: str) -> None:
    """No part of the header can be changed afterwards."""
    told = json.loads(sealed().line)
    told[name] = 2 if name == "n" else ["q"] if name == "parents" else "1" * 19
    assert not is_genuine(parse(json.dumps(told)), public_key(SEED))


def test_a_changed_body_is_noticed() -> None:
    """The text cannot be changed afterwards."""
    told = json.loads(sealed().line)
    told["body"]["fields"]["content"] = "other"
    assert not is_genuine(parse(json.dumps(told)), public_key(SEED))


def test_an_emptied_body_still_verifies() -> None:
    """An erased body leaves a line that verifies and says nothing."""
    found = parse(json.dumps({**json.loads(sealed().line), "body": None}))
    assert (dict(found.fields), is_genuine(found, public_key(SEED))) == ({}, True)


def with_value(name: str, value: object) -> str:
    """Return the line of an entry with another value in the place of one."""
    return json.dumps({**json.loads(sealed().line), name: value})


NONE = ["", "{}", "null", "[1]", "x" * 10, json.dumps({"n": 1}), "[" * 100_000]
WRONG = [("n", 0), ("n", -1), ("n", "1"), ("n", 1.5), ("hlc", "1"), ("hlc", "x" * 19), ("body", [])]


@pytest.mark.parametrize("line", [*NONE, *(with_value(*one) for one in WRONG)], ids=range(14))
def test_what_is_no_entry_is_refused(line: str) -> None:
    """Anything else is an error, and nothing worse."""
    with pytest.raises(InvalidInput):
        parse(line)


def test_too_long_an_entry_is_refused() -> None:
    """A change of more than a megabyte is not sealed."""
    with pytest.raises(InvalidInput, match="bytes"):
        sealed(fields={"content": "x" * MAX_BYTES})
