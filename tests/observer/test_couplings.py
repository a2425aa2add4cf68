"""Files that change together over sessions."""

from __future__ import annotations

from remora.observer.candidate import Candidate, Withdrawn
from remora.observer.couplings import SWEEPING, coupled, obvious
from remora.observer.seen import SeenHere
from tests.observer.sessions import on, seen_of


def of(seen: SeenHere, *edits: str) -> list[Candidate | Withdrawn]:
    """Return what a session that changed some files proposes."""
    return list(coupled(on(20, "now", edits=edits), seen))


def background(count: int = 12) -> list[str]:
    """Return files that other sessions change, each alone."""
    return [f"lib/part{n}.go" for n in range(count)]


def test_a_pair_is_told_from_the_file_that_predicts_the_other() -> None:
    """Three sessions, most of them, more than chance: once, with the share."""
    sessions = [on(n, f"p{n}", edits=("cli/rewind.go", "store/logs.go")) for n in range(5, 9)]
    sessions += [on(9, "q", edits=("store/logs.go",))]
    sessions += [on(10, path, edits=(path,)) for path in background()]
    found = [c for c in of(seen_of(*sessions), "cli/rewind.go", "store/logs.go") if isinstance(c, Candidate)]
    told = "`store/logs.go` (4 of 4 sessions) usually changes too; last 2026-01-08."
    assert [c.draft.content for c in found] == [f"When `cli/rewind.go` is changed, {told}"]
    memory = found[0].draft
    assert (memory.type, memory.related_files, memory.branch) == (
        "causal_dependency",
        ("cli/rewind.go", "store/logs.go"),
        None,
    )
    assert [(r.relation_type, r.target_file_path, r.confidence) for r in memory.relations] == [
        ("required_with", "store/logs.go", 1.0)
    ]


def test_what_no_longer_holds_is_withdrawn() -> None:
    """A file that was changed alone often enough since has no partner any more."""
    together = [on(n, f"p{n}", edits=("cli/rewind.go", "store/logs.go")) for n in range(5, 9)]
    alone = [on(n, f"a{n}", edits=("cli/rewind.go",)) for n in range(10, 18)]
    (gone,) = [w for w in of(seen_of(*together, *alone), "cli/rewind.go") if isinstance(w, Withdrawn)]
    before = seen_of(*together, *(on(9, path, edits=(path,)) for path in background()))
    (made,) = [c for c in of(before, "cli/rewind.go") if isinstance(c, Candidate)]
    assert gone.external_id == made.draft.external_id


def test_pairs_that_prove_nothing_are_left_out() -> None:
    """Twice only, by name, tests of their file, by chance, a lock file, a sweeping session."""
    twice = seen_of(*(on(n, f"s{n}", edits=("a/x.go", "b/y.go")) for n in (5, 6)))
    named = seen_of(*(on(n, f"s{n}", edits=("a/x.go", "a/x_test.go", "go.sum")) for n in range(5, 9)))
    usual = seen_of(*(on(n, f"s{n}", edits=("a/x.go", "b/y.go")) for n in range(5, 9)))
    for seen, edits in ((twice, ("a/x.go",)), (named, ("a/x.go", "a/x_test.go")), (usual, ("a/x.go",))):
        assert not [c for c in of(seen, *edits) if isinstance(c, Candidate)]
    assert of(usual, *(f"f{n}.go" for n in range(SWEEPING + 1)), "a/x.go") == []
    assert obvious("src/user.ts", "src/user.test.ts")
    assert not obvious("src/user.ts", "src/store.ts")


def test_three_sessions_prove_a_pair_only_if_none_speaks_against_it() -> None:
    """Three of three are told; three of four may be one feature that both were part of."""
    together = [on(n, f"p{n}", edits=("cli/rewind.go", "store/logs.go")) for n in range(5, 8)]
    others = [on(10, path, edits=(path,)) for path in background()]
    alone = [on(9, "alone", edits=("cli/rewind.go", "z.go"))]
    later = [on(9, "b", edits=("store/logs.go", "y.go")), on(9, "c", edits=("store/logs.go", "y.go"))]
    for more, told in (([], 1), (alone, 0)):
        seen = seen_of(*together, *others, *later, *more)
        assert len([c for c in of(seen, "cli/rewind.go") if isinstance(c, Candidate)]) == told
