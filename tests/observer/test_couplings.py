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


def told(seen: SeenHere, *edits: str) -> list[Candidate]:
    """Return what a session that changed some files teaches."""
    return [one for one in of(seen, *edits) if isinstance(one, Candidate)]


def together(*days: int, branch: str = "main") -> list[Observation]:
    """Return a session for each of some days, in which the pair was changed."""
    return [on(day, f"{branch}{day}", edits=PAIR, branch=branch) for day in days]


PAIR = ("cli/rewind.go", "store/logs.go")
# Other files that sessions change, each alone and on a branch of its own.
OTHERS = [on(10, f"{n}", edits=(f"lib/part{n}.go",), branch=f"part{n}") for n in range(12)]


def test_a_pair_is_told_from_the_file_that_predicts_the_other() -> None:
    """Three sessions, most of them, more than chance: once, with the share."""
    sessions = [*together(5, 6, 7, 8), on(9, "q", edits=("store/logs.go",)), *OTHERS]
    (found,) = told(seen_of(*sessions), *PAIR)
    share = "`store/logs.go` (4 of 4 times) usually changes too; last 2026-01-08."
    assert found.draft.content == f"When `cli/rewind.go` is changed, {share}"
    memory = found.draft
    assert (memory.type, memory.related_files, memory.branch) == ("causal_dependency", PAIR, None)
    (link,) = memory.relations
    assert (link.relation_type, link.target_file_path, link.confidence) == ("required_with", PAIR[1], 1.0)


def test_what_no_longer_holds_is_withdrawn() -> None:
    """A file that was changed alone often enough since has no partner any more."""
    pairs = together(5, 6, 7, 8)
    since = [on(n, f"a{n}", edits=("cli/rewind.go",)) for n in range(10, 18)]
    (gone,) = [w for w in of(seen_of(*pairs, *since), "cli/rewind.go") if isinstance(w, Withdrawn)]
    (made,) = told(seen_of(*pairs, *OTHERS), "cli/rewind.go")
    assert gone.external_id == made.draft.external_id


def test_a_day_on_one_branch_is_one_occasion() -> None:
    """Sessions that go on with the same work say no more than one of them."""
    same = [on(5, f"s{n}", edits=PAIR) for n in range(4)]
    assert not told(seen_of(*same, *OTHERS), "cli/rewind.go")
    branches = [one for n in range(4) for one in together(5, branch=f"topic{n}")]
    assert told(seen_of(*branches, *OTHERS), "cli/rewind.go")


def test_pairs_that_prove_nothing_are_left_out() -> None:
    """Twice only, by name, tests of their file, by chance, a lock file, a sweeping session."""
    twice = seen_of(*(on(n, f"s{n}", edits=("a/x.go", "b/y.go")) for n in (5, 6)))
    named = seen_of(*(on(n, f"s{n}", edits=("a/x.go", "a/x_test.go", "go.sum")) for n in range(5, 9)))
    usual = seen_of(*(on(n, f"s{n}", edits=("a/x.go", "b/y.go")) for n in range(5, 9)))
    for seen, edits in ((twice, ("a/x.go",)), (named, ("a/x.go", "a/x_test.go")), (usual, ("a/x.go",))):
        assert not told(seen, *edits)
    assert of(usual, *(f"f{n}.go" for n in range(SWEEPING + 1)), "a/x.go") == []
    assert obvious("src/user.ts", "src/user.test.ts")
    assert not obvious("src/user.ts", "src/store.ts")


def test_three_sessions_prove_a_pair_only_if_none_speaks_against_it() -> None:
    """Three of three are told; three of four may be one feature that both were part of."""
    against = [on(9, "alone", edits=("cli/rewind.go", "z.go"))]
    later = [on(day, f"b{day}", edits=("store/logs.go", "y.go")) for day in (9, 11)]
    for more, number in (([], 1), (against, 0)):
        seen = seen_of(*together(5, 6, 7), *OTHERS, *later, *more)
        assert len(told(seen, "cli/rewind.go")) == number
