"""Changes of one memory by several people, and what they add up to."""

from __future__ import annotations

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from remora.core.merge import Revision, merge


def made(
    rev: str, parents: str = "", *, op: str = "edit", device: str = "a", at: int = 0, **fields: object
) -> Revision:
    """Return a revision; its id says when it was made, unless `at` does."""
    hlc = f"{at or int(rev[1:]):013d}000000"
    return Revision(rev, "m", tuple(parents.split()), device, 1, hlc, "person", op, fields, "")


FIRST = made("r1", op="create", content="one", tags='["x", "y"]', confidence=0.5)


def test_changes_of_different_columns_meet() -> None:
    """Two people who change different columns at a time both get their way, and nothing is contested."""
    found = merge([FIRST, made("r2", "r1", content="two"), made("r3", "r1", confidence=0.9)])
    assert (found.fields["content"], found.fields["confidence"], found.contested) == ("two", 0.9, ())


def test_two_texts_are_contested() -> None:
    """Two texts written at a time are contested; the one written last is shown."""
    found = merge([FIRST, made("r2", "r1", content="two"), made("r3", "r1", content="three")])
    assert (found.fields["content"], found.contested) == ("three", ("r2", "r3"))


def test_the_same_text_twice_is_not_contested() -> None:
    """Two people who write the same agree."""
    assert merge([FIRST, made("r2", "r1", content="two"), made("r3", "r1", content="two")]).contested == ()


def test_a_decision_ends_it() -> None:
    """A change after both texts has decided, even one that sets the text that was shown."""
    both = [FIRST, made("r2", "r1", content="two"), made("r3", "r1", content="three")]
    assert merge([*both, made("r4", "r2 r3", content="three")]).contested == ()


def test_a_text_against_a_retirement() -> None:
    """Who edits while another retires is contested, and the memory is found until somebody decides."""
    retired = made("r2", "r1", op="retire", deprecated=1, deprecated_at="2026-01-01")
    found = merge([FIRST, retired, made("r3", "r1", content="two")])
    assert found.contested == ("r2", "r3")
    assert (found.fields["deprecated"], found.fields["content"]) == (0, "two")


def test_lists_keep_what_each_added_and_removed() -> None:
    """Of a list, what one added and what another removed at a time both hold."""
    found = merge([FIRST, made("r2", "r1", tags='["x", "y", "z"]'), made("r3", "r1", tags='["y"]')])
    assert json.loads(found.fields["tags"]) == ["y", "z"]


def test_a_removal_takes_what_it_saw() -> None:
    """An element that was added again at a time stays: who removed it had not seen that."""
    again = made("r3", "r2", tags='["y", "x"]')
    found = merge([FIRST, made("r2", "r1", tags='["y"]'), again, made("r4", "r1", tags='["y"]')])
    assert json.loads(found.fields["tags"]) == ["x", "y"]


def test_erasure_beats_everything() -> None:
    """What was erased stays so, whatever was written at a time or later."""
    erased = made("r2", "r1", op="erase")
    assert merge([FIRST, erased, made("r3", "r1", content="two"), made("r4", "r2", content="x")]).fields == {}


@st.composite
def histories(draw: st.DrawFn) -> list[Revision]:
    """Return a history: each change came after some of those before it."""
    found = [FIRST]
    for number in range(2, draw(st.integers(2, 9))):
        parents = draw(st.sets(st.sampled_from([one.rev for one in found]), min_size=1, max_size=2))
        tags = json.dumps(draw(st.lists(st.sampled_from("xyz"), unique=True)))
        kind = draw(st.sampled_from(["content", "tags", "deprecated", "confidence"]))
        value = {"content": f"text {number}", "tags": tags, "deprecated": draw(st.integers(0, 1))}
        fields = {kind: value.get(kind, number / 10)}
        at = draw(st.integers(number, number + 1))
        device = draw(st.sampled_from("ab"))
        change = made(f"r{number}", " ".join(sorted(parents)), device=device, at=at)
        found.append(change._replace(fields=fields))
    return found


@given(histories(), st.randoms(use_true_random=False))
def test_order_does_not_matter(history: list[Revision], chance: random.Random) -> None:
    """Whoever holds the same changes has the same state, in whatever order they came, and however often."""
    wanted = merge(history)
    shuffled = [*history, *chance.choices(history, k=3)]
    chance.shuffle(shuffled)
    assert merge({one.rev: one for one in shuffled}.values()) == wanted
