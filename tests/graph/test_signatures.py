"""Signatures show parameters."""

from __future__ import annotations

import pytest

from remora.graph.tables import parameters
from tests.tables import table


@pytest.mark.parametrize(("language", "signature", "expected"), table(__file__, "parameters"))
def test_parameters(language: str, signature: str, expected: str) -> None:
    """The names are found in each language's order of name and type."""
    assert parameters(signature, "f", language) == set(expected.split())
