"""Texts: joined, without what a host hid in them, cut to size."""

from __future__ import annotations

from remora.sources.transcripts.texts import MAX_RESULT, joined, number, result_text, without_reminders


def test_reminders_go_wherever_they_stand() -> None:
    """What a host hid for its model is cut out; one that is never closed takes the rest with it."""
    said = "<system-reminder>x</system-reminder>1 passed<system-reminder>y\nz</system-reminder>!"
    assert without_reminders(said) == "1 passed!"
    assert without_reminders("kept<system-reminder>open") == "kept"


def test_a_result_is_plain_and_bounded() -> None:
    """Colours go, megabytes become a few thousand characters."""
    assert result_text("\x1b[1;31mFAIL\x1b[0m x\n") == "FAIL x"
    assert len(result_text("\x1b[31mx\x1b[0m" * 1_000_000)) <= MAX_RESULT


def test_content_is_joined_whatever_its_shape() -> None:
    """Strings, blocks, blocks without text and nonsense give their words."""
    assert joined("a") == "a"
    assert joined([{"type": "text", "text": "a"}, {"type": "image"}, "b", 3, None]) == "a\n[image]\nb"
    assert joined({"type": "text", "text": "a"}) == "a"
    assert joined(None) == ""


def test_numbers_fit_a_database() -> None:
    """Only whole numbers of a sane size are numbers."""
    assert [number(v) for v in (5, True, 2.0, "5", 2**70)] == [5, None, None, None, None]
