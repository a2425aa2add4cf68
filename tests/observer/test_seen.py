"""Counts over the sessions of one process."""

from __future__ import annotations

from remora.observer.seen import KEPT, SeenCount, SeenHere
from tests.observer.sessions import met, on, seen_of, shows


def test_each_session_counts_once() -> None:
    """A session that is added again changes nothing; times span the first and the last."""
    first = on(5, "a", signals=(shows("repeated_grep", "x"),))
    second = on(9, "b", signals=(shows("repeated_grep", "x")._replace(at=None),))
    seen = seen_of(first, second, first)
    count = seen.sessions("repeated_grep", "x")
    assert count == SeenCount(2, "2026-01-05T10:10:00.000Z", "2026-01-09T11:00:00.000Z")
    assert seen.total().sessions == 2
    assert [s.session_id for s in seen.shown("repeated_grep", "x")] == ["a", "b"]
    assert seen.sessions("repeated_grep", "y") == SeenCount()


def test_changes_are_counted_alone_and_together() -> None:
    """Files of one session make pairs, each way round."""
    seen = seen_of(on(5, "a", edits=("x.go", "y.go")), on(6, "b", edits=("x.go",)))
    assert seen.edits("x.go").sessions == 2
    assert {path: n.sessions for path, n in seen.co_edits("x.go").items()} == {"y.go": 1}
    assert {path: n.sessions for path, n in seen.co_edits("y.go").items()} == {"x.go": 1}


def test_errors_keep_the_newest() -> None:
    """Old meetings of an error are forgotten beyond the limit, but not how many there were."""
    seen = SeenHere()
    for n in range(KEPT + 5):
        seen.add(on(5, f"s{n}", errors=(met("boom"),)))
    found = seen.errors("f" * 16)
    assert (len(found), found[0].session_id, found[-1].session_id) == (KEPT, "s5", f"s{KEPT + 4}")
    assert seen.met("f" * 16).sessions == KEPT + 5
