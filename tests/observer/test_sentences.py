"""The words of memories."""

from __future__ import annotations

from remora.observer.past_sessions import SeenCount
from remora.observer.sentences import code, listed, quoted, seen_words, sentence


def test_how_often_and_when() -> None:
    """One session is once; more are counted, with the day of the last."""
    assert seen_words(SeenCount(3, "2026-01-01T00:00:00Z", "2026-01-20T09:00:00Z")) == (
        "(seen in 3 sessions, last 2026-01-20)"
    )
    assert seen_words(SeenCount(1, None, "2026-01-20T09:00:00Z")) == "(seen once, 2026-01-20)"
    assert seen_words(SeenCount(3)) == "(seen in 3 sessions)"


def test_names_stand_in_backticks() -> None:
    """A backtick inside a name does not end it; long lists say how many more there are."""
    assert code("go test `x`") == "`go test 'x'`"
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b", "c"]) == "`a`, `b` and `c`"
    assert listed(["a", "b", "c", "d"], 2) == "`a`, `b` and 2 more"


def test_lines_and_sentences_are_cut_whole() -> None:
    """Quotations are one line; sentences end as sentences do."""
    assert quoted("a\n  b") == "“a b”"
    assert sentence("done:") == "done."
    assert sentence("really?") == "really?"
