"""A world without memories or sessions."""

from __future__ import annotations

from tests.retrieval.conftest import bare

__all__ = ["bare"]
