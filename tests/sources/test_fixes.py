"""Which commits are worth remembering, and as what."""

from __future__ import annotations

import pytest

from remora.core.payloads import validate
from remora.core.values import MemoryDraft
from remora.sources import fixes
from remora.sources.fixes import Candidates
from remora.sources.git import Commit, FileChange
from remora.sources.messages import body_of
from tests.tables import table

SAYS = "The pager closed the stream while the writer still held it, so output was lost."


def commit(subject: str, body: str = "", *files: str, n: int = 1) -> Commit:
    """Return a commit that touches src/pager.py unless files are named; "-x" deletes, "a>b" renames."""
    changes = []
    for f in files or ("src/pager.py",):
        old, _, new = f.partition(">")
        changes.append(
            FileChange("R", new, old) if new else FileChange("D" if f[0] == "-" else "M", f.lstrip("-"))
        )
    return Commit(f"{n:040x}", (), "2026-03-01T00:00:00.000Z", "Ada", subject, body, tuple(changes))


def gathered(*commits: Commit) -> Candidates:
    """Return what some commits propose to remember."""
    candidates = Candidates()
    for one in commits:
        candidates.add(one)
    return candidates


def fix_candidate(one: Commit) -> MemoryDraft | None:
    """Return what a commit proposes to remember, None when it says nothing worth it."""
    return next(iter(gathered(one).drafts()), None)


def test_a_fix_becomes_a_gotcha_with_its_commit():
    """Content, without the subject that a squash repeats, provenance, place and modest confidence."""
    subject, body = "Fix lost output in the pager", f"* Fix lost output in the pager\n\n{SAYS}"
    draft = fix_candidate(commit(f"{subject} (#12)", body, "src/click/pager.py", "tests/test_pager.py"))
    assert draft == MemoryDraft(
        f"An earlier commit: {subject}. {SAYS}",
        "gotcha",
        source="commit_auto",
        confidence=0.6,
        needs_review=True,
        commit_sha=f"{1:040x}",
        created_at="2026-03-01T00:00:00.000Z",
        related_files=("src/click/pager.py",),
        related_modules=("src/click",),
        scope="module",
        tags=("git", "fix"),
    )


@pytest.mark.parametrize(("subject", "kind"), table(__file__, "subjects"))
def test_a_subject_tells_what_a_commit_is(subject: str, kind: str):
    """Errors have a type of their own; style, documents and fixes of nobody knows what are nothing."""
    draft = fix_candidate(commit(subject, SAYS))
    assert (draft.type if draft else "") == kind


@pytest.mark.parametrize("key", ["HAR-9 ", "[HAR-10] ", "#123 ", "(#7): ", "H2O-1: "])
def test_the_key_of_an_issue_may_stand_before_a_fix(key):
    """The fix is known all the same, without its key, and so is another kind of commit."""
    draft = fix_candidate(commit(f"{key}Fix double booking of a room at midnight", SAYS))
    assert draft is not None
    assert draft.content == f"An earlier commit: Fix double booking of a room at midnight. {SAYS}"
    assert fix_candidate(commit(f"{key}docs: fix the wrong example of a double booking", SAYS)) is None


@pytest.mark.parametrize(
    "body", ["", f"* Fix: {SAYS}", "Signed-off-by: Ada <ada@example.org>", "The pager lost output."]
)
def test_a_subject_alone_is_left_out(body):
    """However much it says, for the log shows it; a body that repeats or signs it adds nothing."""
    candidates = gathered(commit(f"Fix: {SAYS}", body))
    assert candidates.drafts() == []
    assert candidates.left_out() == (("1 commit", "no more than its subject, which the log shows"),)


@pytest.mark.parametrize(
    "files", [("tests/test_pager.py",), ("docs/a.md", "CHANGES.rst"), ("-src/pager.py",), ("poetry.lock",)]
)
def test_a_fix_without_source_is_left_out(files):
    """Tests, documents, lock files and removals are not the product."""
    assert fix_candidate(commit("Fix lost output in the pager", SAYS, *files)) is None


def test_names_that_only_look_like_tests_are_source():
    """A fix of them counts."""
    for path in ("a/b.py", "lib/contest.c", "src/testing_tools.rs", "schema.sql"):
        assert fix_candidate(commit("Fix lost output in the pager", SAYS, path)) is not None


def test_a_revert_becomes_a_dead_end_with_a_payload():
    """What was tried, why it failed, what was done instead, which commit."""
    body = "This reverts commit e798f64ffd01.\n\nIt quoted options as one word. Split the command instead."
    draft = fix_candidate(commit('Revert "Use shlex.quote for the editor command (#9)"', body))
    assert draft is not None
    assert draft.type == "dead_end"
    assert draft.content == (
        "Tried and reverted: Use shlex.quote for the editor command (e798f64ffd). "
        "It quoted options as one word. Split the command instead."
    )
    assert draft.payload == {
        "approach_tried": "Use shlex.quote for the editor command",
        "why_it_failed": "It quoted options as one word. Split the command instead.",
        "alternative_used": "Split the command instead.",
    }
    assert validate("dead_end", draft.payload) == draft.payload


def test_a_revert_with_a_reason_counts_in_any_file():
    """An upgrade that was taken back is a lesson; without a reason it is a chore, but of code it is told."""
    upgrade = 'Revert "Upgrade the queue client to 4.2"'
    assert fix_candidate(commit(upgrade, SAYS, "requirements.txt")) is not None
    assert fix_candidate(commit(upgrade, "", "requirements.txt")) is None
    draft = fix_candidate(commit(upgrade, "This reverts commit abcdef1234."))
    assert draft is not None
    assert draft.payload is not None
    assert draft.payload["why_it_failed"] == "It was reverted; the commit gives no reason."


@pytest.mark.parametrize(
    "of", ["Bump version", "Fix typo", 'Revert "Cache templates"', "Merge pull request #5"]
)
def test_reverts_of_nothing_are_left_out(of):
    """Releases, typing, merges, and reverts of reverts."""
    assert fix_candidate(commit(f'Revert "{of}"')) is None


def test_people_and_numbers_are_taken_out_of_messages():
    """Trailers, addresses, check lists and issue references never reach a memory."""
    body = f"""{SAYS} Reported by ada@example.org.

- [x] tests added
Fixes #12, #13
Closes: https://example.org/issues/4
Co-authored-by: Grace <grace@example.org>
Signed-off-by: Ada <ada@example.org>
Change-Id: I0123456789abcdef"""
    draft = fix_candidate(commit("Fix lost output in the pager (fixes #12) (#14)", body))
    assert draft is not None
    assert draft.content == f"An earlier commit: Fix lost output in the pager. {SAYS} Reported by."


def test_a_fix_that_was_reverted_is_withdrawn():
    """The dead end stays, the gotcha goes; the revert is told, for what an earlier run stored."""
    reverts = f"This reverts commit {0xABC:040x}.\n\n{SAYS}"
    candidates = gathered(
        commit("Fix lost output in the pager", SAYS, n=0xABC),
        commit('Revert "Fix lost output in the pager"', reverts, n=2),
    )
    assert [d.type for d in candidates.drafts()] == ["dead_end"]
    assert candidates.reverted == [f"{0xABC:040x}"]


def test_a_revert_that_was_reverted_is_no_dead_end():
    """The approach came back, so it is not dead."""
    revert, reverted = 'Revert "Cache parsed templates between runs"', "This reverts commit abcdef1234."
    again = commit(f'Revert "{revert}"', f"This reverts commit {0xDEF:040x}.", n=3)
    assert gathered(commit(revert, reverted, n=0xDEF), again).drafts() == []


def test_a_cherry_pick_is_one_candidate():
    """The same words in two commits are said once, by the later one."""
    candidates = gathered(*(commit(f"Fix lost output in the pager (#{n})", SAYS, n=n) for n in (1, 2)))
    assert [d.commit_sha for d in candidates.drafts()] == [f"{2:040x}"]
    assert candidates.left_out() == (("1 commit", "repeated by a later commit"),)


def test_candidates_carry_the_names_files_have_today():
    """Later renames are followed; what is gone is dropped, and told."""
    candidates = gathered(
        commit("Fix lost output in the pager", SAYS, "src/old.py", n=1),
        commit("Fix lost input in the prompt", SAYS, "src/gone.py", n=2),
        commit("Move", "", "src/old.py>src/mid.py", n=3),
        commit("Move", "", "src/mid.py>src/ui/new.py", n=4),
    )
    (draft,) = candidates.drafts({"src/ui/new.py"})
    assert (draft.related_files, draft.related_modules) == (("src/ui/new.py",), ("src/ui",))
    assert candidates.left_out({"src/ui/new.py"}) == (("1 commit", "the changed files no longer exist"),)


def test_renames_in_a_circle_end():
    """Two files that swapped names do not hang the reader."""
    fix = commit("Fix lost output in the pager", SAYS, "src/a.py", n=1)
    assert len(gathered(fix, commit("Swap", "", "src/a.py>src/b.py", "src/b.py>src/a.py", n=2)).drafts()) == 1


def test_only_the_latest_are_kept(monkeypatch):
    """Of many candidates the latest stay, and the rest is counted."""
    monkeypatch.setattr(fixes, "KEPT", 2)
    candidates = gathered(*(commit(f"Fix wrong width of column {n}", SAYS + str(n), n=n) for n in range(5)))
    assert [draft.commit_sha for draft in candidates.drafts()] == [f"{3:040x}", f"{4:040x}"]
    assert candidates.left_out() == (("3 commits", "before the latest 2"),)


SQUASHED = "* fix(types): keep the pager open\n\n* close it when the reader is done"
PRINTED = "    warning: unused\n       --> src/a.rs:4:1\n        |\n    4   | let a = 1;\n\n"


@pytest.mark.parametrize(
    ("body", "subject", "said"),
    [
        (SQUASHED, "types: Keep the pager open (#12)", "close it when the reader is done"),
        (SQUASHED, "Other", "fix(types): keep the pager open; close it when the reader is done"),
        (f"{PRINTED}It hid an error:\n- nothing\n    was seen\n", "", "It hid an error: nothing was seen"),
        ("It fails on node@0.11.15 (see #156).\n\nOurs.", "", "It fails on node@0.11.15. Ours."),
    ],
    ids=["a squash", "another subject", "what a tool printed", "numbers of an issue and of a version"],
)
def test_what_a_body_says_beside_its_subject(body, subject, said):
    """Not the subject again, nor what a tool printed after an empty line, nor numbers and their brackets."""
    assert body_of(body, subject) == said
