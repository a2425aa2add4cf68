"""The memory of a linter's rule: what is told of it, and which rules are left out.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.events import ErrorSeen, Remedy
from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected
from remora.observer.failures import failures
from remora.observer.findings import finding
from remora.observer.rules import says_itself
from tests.observer.sessions import met, on, said, seen_of

NILERR = "cmd/list.go:103:3: error is not nil (line 101) but it returns nil (nilerr)"
MARK = Remedy("silenced", "", "//nolint:nilerr // none is fine")
GONE = Remedy("changed", "return nil", "return err")


def broke(message: str, *remedies: Remedy, **fields: Any) -> ErrorSeen:
    """Return how a session met a rule."""
    return met(message, "", remedies=remedies, resolved=bool(remedies), resolved_paths=("a.go",), **fields)


def of(*errors: ErrorSeen, **fields: Any) -> Candidate | Rejected:
    """Return what the last of some sessions proposes, each of which met one rule."""
    sessions = [on(5 + n, f"s{n}", errors=(error,), **fields) for n, error in enumerate(errors)]
    (found,) = failures(sessions[-1], seen_of(*sessions))
    return found


def text(*errors: ErrorSeen, **fields: Any) -> str:
    """Return the sentences of the memory."""
    found = of(*errors, **fields)
    assert isinstance(found, Candidate), found
    return found.draft.content


def test_it_says_the_usual_remedy_and_another_that_is_common() -> None:
    """Counts go over sessions and findings; the rule holds everywhere, so it is tied to no file."""
    found = of(
        broke(NILERR, MARK._replace(times=3), count=3), broke(NILERR, GONE), broke(NILERR, MARK, count=2)
    )
    assert isinstance(found, Candidate)
    assert found.draft.content == (
        "Linter rule `nilerr`: “error is not nil (line 101) but it returns nil (nilerr)”. "
        "What resolved it here: silenced with `//nolint:nilerr // none is fine` (4 of 5); "
        "`return nil` became `return err` (1 of 5). "
        "Met in 6 findings of `make lint`, in `a.go`. (seen in 3 sessions, last 2026-01-07)"
    )
    assert (found.draft.type, found.draft.related_files, found.draft.scope) == ("error_pattern", (), "global")
    assert found.draft.tags == ("observed", "error", "nilerr")


def test_a_way_that_was_taken_once_in_many_is_left_out() -> None:
    """Only what is common is told."""
    assert "return err" not in text(broke(NILERR, MARK._replace(times=8), count=8), broke(NILERR, GONE))


def test_marks_must_still_be_there_where_nothing_else_was_done() -> None:
    """What silenced a rule is looked for in the files; a change of the code is an example for any other."""
    silenced = of(broke(NILERR, MARK, count=2))
    assert isinstance(silenced, Candidate)
    assert silenced.remedy == (("a.go", MARK.after),)
    mixed = of(broke(NILERR, MARK), broke(NILERR, GONE))
    assert isinstance(mixed, Candidate)
    assert mixed.remedy == ()


def test_the_example_is_the_most_typical() -> None:
    """Of several changes the one that has most in common with the others."""
    wrapped = [
        Remedy("changed", "return err", f'return fmt.Errorf("{what}: %w", err)') for what in ("open", "read")
    ]
    odd = Remedy("changed", "return err", "return errOdd")
    told = text(*[broke("a.go:3:1: error is unwrapped (wrapcheck)", r) for r in (*wrapped, odd)])
    assert "`return err` became `return fmt.Errorf(" in told
    assert "(3 of 3)" in told


def test_a_mark_with_another_reason_at_each_place_is_an_example() -> None:
    """The reason that stands in one file is none for the other."""
    readable = Remedy("silenced", "", "//nolint:gosec // a README is for everyone")
    told = text(broke(NILERR, MARK), broke(NILERR, readable), broke(NILERR, GONE))
    assert "What resolved it here: silenced (2 of 3), for example with `//nolint:" in told
    assert "silenced with `//nolint:nilerr // none is fine` (2 of 2)." in text(*[broke(NILERR, MARK)] * 2)


@pytest.mark.parametrize(
    ("remedy", "words"),
    [
        (Remedy("dropped", "f() error {", "f() {", "error"), "dropped `error` from `f() error {`"),
        (Remedy("removed", "return"), "removed `return`"),
        (Remedy("added", "", "case A:"), "added `case A:`"),
        (Remedy("configured", "", "- dupl", ".golangci.yml"), "left out in `.golangci.yml`: `- dupl`"),
        (Remedy("ran", "", "ruff check --fix"), "`ruff check --fix` mended it"),
        (
            Remedy("reworked", "", "both()", "extract what is shared"),
            "reworked: “extract what is shared”, new `both()`",
        ),
        (Remedy("said", said="return a real error"), "in the session's words: “return a real error”"),
    ],
)
def test_each_kind_of_remedy_has_its_words(remedy: Remedy, words: str) -> None:
    """A reader sees what was done without knowing the kinds."""
    assert f"What resolved it here: {words} (2 of 2)." in text(
        *[broke("a.go:3:1: it is odd (x1)", remedy)] * 2
    )


def test_the_precise_name_stands_beside_the_linters() -> None:
    """Session 6113e919: gosec has many rules; both names are tags."""
    found = of(*[broke("a.go:425:19: G304: Potential file inclusion via variable (gosec)", MARK)] * 2)
    assert isinstance(found, Candidate)
    assert found.draft.content.startswith("Linter rule `G304` (gosec): “G304: Potential file inclusion")
    assert found.draft.tags == ("observed", "error", "G304", "gosec")


def test_how_often_it_must_be_met() -> None:
    """Two sessions, twice in one, or once after the user had brought the failing check."""
    once = of(broke(NILERR, MARK))
    assert isinstance(once, Rejected)
    assert once.why == "seen once, 2 sessions are needed"
    assert "(seen once" in text(broke(NILERR, MARK, count=2))
    brought = said("mise run lint fails, please fix it", "Silenced.", "a.go", step=20)
    assert "(seen once" in text(broke(NILERR, MARK), exchanges=(brought,))


def test_a_rule_without_a_remedy_waits() -> None:
    """That it is on is no news to who just broke it."""
    found = of(*[broke(NILERR)] * 4)
    assert isinstance(found, Rejected)
    assert found.why == "nobody knows what resolved it"


def test_clean_meetings_make_a_clean_memory() -> None:
    """What was met after text from outside is left out where the rest is a pattern by itself."""
    late = broke(NILERR, GONE, taint=Taint("https://x", 3))
    alone = of(broke(NILERR, MARK), late)
    assert isinstance(alone, Candidate)
    assert alone.draft.taint == Taint("https://x", 3)
    found = of(broke(NILERR, MARK), broke(NILERR, MARK), late)
    assert isinstance(found, Candidate)
    assert (found.draft.taint, "return err" in found.draft.content) == (None, False)


@pytest.mark.parametrize(
    ("line", "itself"),
    [
        ("a.py:1:1: F401 `os` imported but unused", True),
        ("a.py:1:1: E501 line too long (120 > 88)", True),
        ("a.go:3:1: string `main` has 5 occurrences, make it a constant (goconst)", True),
        ("a.go:3:1: ifElseChain: rewrite if-else to switch statement (gocritic)", True),
        ("a.go:3:1: os.Chdir() could be replaced by t.Chdir() (usetesting)", True),
        ("a.go:3:1: missing cases in switch of type x (exhaustive)", True),
        ("a.ts:3:1: x is never read (no-unused-vars)", True),
        ("a.go:3:1: Error return value is not checked (errcheck)", False),
        ("a.go:3:1: error returned from interface method should be wrapped (wrapcheck)", False),
        ("a.ts:3:1: namespaces are forbidden here (no-namespace)", False),
    ],
)
def test_rules_that_say_what_to_do(line: str, itself: bool) -> None:
    """Formatting, what is unused, and messages that ask for something need no memory."""
    listed = finding(line)
    assert listed is not None
    assert says_itself(listed) is itself


def test_a_type_checkers_rule_needs_three_sessions() -> None:
    """Code that is not done yet breaks it every time."""
    error = broke("a.ts(3,5): error TS2345: Argument of type 'x'", GONE)
    two = of(error, error)
    assert isinstance(two, Rejected)
    assert "being written" in two.why
    assert "Linter rule `TS2345`" in text(error, error, error)
