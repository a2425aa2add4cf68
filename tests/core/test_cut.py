"""Texts: made sound, and cut to size."""

from __future__ import annotations

from remora.core.cut import both_ends


def test_a_long_text_keeps_both_ends() -> None:
    """The beginning and the end stay, and the gap says how much went."""
    cut = both_ends("A" * 5000 + "Z" * 5000, 4000)
    assert len(cut) <= 4000
    assert cut.startswith("AAA")
    assert cut.endswith("ZZZ")
    assert "[… 6000 characters …]" in cut


def test_half_signs_become_whole() -> None:
    """A lone surrogate, as programs that cut UTF-16 leave them, cannot break a later write."""
    assert both_ends("a\ud83d", 10).encode() == "a\ufffd".encode()
