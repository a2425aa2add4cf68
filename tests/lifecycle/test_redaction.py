"""Secrets in JSON values are found by their form and by the name they stand under."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.values import ToolCall
from remora.lifecycle.redaction import holds_secret, redact_json
from tests.helpers import SECRET

GITHUB, PASSWORD = "[REDACTED:github-token]", "[REDACTED:password]"


@pytest.mark.parametrize(
    ("value", "clean", "counts"),
    [
        ({"env": {"DB_PASSWORD": "swordfish"}}, {"env": {"DB_PASSWORD": PASSWORD}}, {"password": 1}),
        ({"password": 12345678}, {"password": PASSWORD}, {"password": 1}),
        (["--password", "swordfish"], ["--password", PASSWORD], {"password": 1}),
        (
            {"name": "DB_PASSWORD", "value": "swordfish"},
            {"name": "DB_PASSWORD", "value": PASSWORD},
            {"password": 1},
        ),
        ({SECRET: [1, None, True, 2.5]}, {GITHUB: [1, None, True, 2.5]}, {"github-token": 1}),
        (
            {"a": [{"b": (SECRET, f"use {SECRET}")}]},
            {"a": [{"b": [GITHUB, f"use {GITHUB}"]}]},
            {"github-token": 2},
        ),
        (
            ToolCall("c1", "bash", {"command": f"export T={SECRET}"}),
            {"id": "c1", "name": "bash", "arguments": {"command": f"export T={GITHUB}"}},
            {"github-token": 1},
        ),
    ],
)
def test_secrets_go(value: Any, clean: Any, counts: dict[str, int]) -> None:
    """Each secret is replaced by its kind wherever it stands, and counted; a second pass does nothing."""
    found: dict[str, int] = {}
    assert redact_json(value, found) == clean
    assert found == counts
    again: dict[str, int] = {}
    assert (redact_json(clean, again), again) == (clean, {})


@pytest.mark.parametrize(
    "value",
    [
        {"password": "", "token": None, "pin": 3, "ok": True, "password_hash": "abc"},
        ["-n", "3", "--verbose", "yes"],
        {"name": "colour", "value": "green"},
        {"key": "max_tokens", "value": 4096},
        ("plain", 1.5),
    ],
)
def test_the_rest_stays(value: Any) -> None:
    """What is no secret comes back as it was, tuples as lists."""
    counts: dict[str, int] = {}
    assert redact_json(value, counts) == (list(value) if isinstance(value, tuple) else value)
    assert counts == {}


def test_too_deep() -> None:
    """A value that is nested too deep is refused, however deep it is."""
    value: Any = "x"
    for _ in range(5_000):
        value = [value]
    with pytest.raises(InvalidInput, match="nested more than 64 deep"):
        redact_json(value, {})


def test_ids() -> None:
    """An id with a provider's token in it is known as such; what may follow a name in an id is not."""
    assert holds_secret(f"run-{SECRET}")
    for fine in ("cli:42", "auth:550e8400-e29b-41d4-a716-446655440000", "fix/auth-token", "password:reset"):
        assert not holds_secret(fine)
