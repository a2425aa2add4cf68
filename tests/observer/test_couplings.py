"""Files that change together over sessions."""

from __future__ import annotations

from remora.core.events import Observation
from remora.observer.candidate import Candidate, Withdrawn
from remora.observer.couplings import SWEEPING, coupled, obvious
from tests.observer.seen_here import SeenHere
from tests.observer.sessions import on, seen_of


def of(seen: SeenHere, *edits: str) -> list[Candidate | Withdrawn]:
    """Return what a session that changed some files proposes."""
    return list(coupled(on(20, "now", edits=edits), seen))


def background(count: int = 12) -> list[str]:
    """Return files that other sessions change, each alone."""
    return [f"lib/part{n}.go" for n in range(count)]


def alone(paths: list[str]) -> list[Observation]:
    """Return a session for each of some files, each on a branch of its own."""
    return [on(10, path, edits=(path,), branch=path) for path in paths]


def test_a_pair_is_told_from_the_file_that_predicts_the_other() -> None:
    """Three sessions, most of them, more than chance: once, with the share."""
    sessions = [on(n, f"p{n}", edits=("cli/rewind.go", "store/logs.go")) for n in range(5, 9)]
    sessions += [on(9, "q", edits=("store/logs.go",))]
    sessions += alone(background())
    found = [c for c in of(seen_of(*sessions), "cli/rewind.go", "store/logs.go") if isinstance(c, Candidate)]
    told = "`store/logs.go` (4 of 4 times) usually changes too; last 2026-01-08."
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
    since = [on(n, f"a{n}", edits=("cli/rewind.go",)) for n in range(10, 18)]
    (gone,) = [w for w in of(seen_of(*together, *since), "cli/rewind.go") if isinstance(w, Withdrawn)]
    before = seen_of(*together, *alone(background()))
    (made,) = [c for c in of(before, "cli/rewind.go") if isinstance(c, Candidate)]
    assert gone.external_id == made.draft.external_id


def test_a_day_on_one_branch_is_one_occasion() -> None:
    """Sessions that go on with the same work say no more than one of them."""
    others = alone(background())
    pair = ("cli/rewind.go", "store/logs.go")
    same = [on(5, f"s{n}", edits=pair) for n in range(4)]
    assert not [c for c in of(seen_of(*same, *others), "cli/rewind.go") if isinstance(c, Candidate)]
    branches = [on(5, f"b{n}", edits=pair, branch=f"topic{n}") for n in range(4)]
    assert [c for c in of(seen_of(*branches, *others), "cli/rewind.go") if isinstance(c, Candidate)]


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
    others = alone(background())
    against = [on(9, "alone", edits=("cli/rewind.go", "z.go"))]
    later = [on(day, f"b{day}", edits=("store/logs.go", "y.go")) for day in (9, 11)]
    for more, told in (([], 1), (against, 0)):
        seen = seen_of(*together, *others, *later, *more)
        assert len([c for c in of(seen, "cli/rewind.go") if isinstance(c, Candidate)]) == told
