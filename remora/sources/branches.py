"""What became of branches: still open, merged in whichever way, or deleted with their work unmerged.

A merge commit, a fast-forward and a rebase leave the branch's commits, or the same changes, in the
default branch. A squash leaves one commit with all of them; it is known by its patch: the changes of the
whole branch since it left, compared with each later commit of the default branch.

A branch that was never seen ahead of the default one has nothing to merge: it is open while it exists.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from remora.sources.git_log import text
from remora.sources.git_process import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from remora.sources.git import Repository

State = Literal["open", "merged", "deleted", "unknown"]
LOOKED_AT = 2_000  # commits of the default branch that are compared with a squashed branch
_ID = re.compile(r"[0-9a-f]{40,64}")


class Known(NamedTuple):
    """What was seen of a branch: its last commit, and whether it was ever ahead of the default branch."""

    head: str | None = None
    ahead: bool = False


class Branch(NamedTuple):
    """A branch and what became of it.

    Attributes:
        state: "unknown" where its last commit is no longer in the repository, so that nobody can tell.
        known: what is to be remembered of it.
        why: the evidence, in words.
    """

    name: str
    state: State
    known: Known
    why: str


def default_branch(repository: Repository) -> str | None:
    """Return the branch that others are merged into, by its full reference; None if there is none.

    That is what `origin/HEAD` points at, else `main` or `master`, else the only branch there is.
    """
    done = run(repository.root, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    pointed = text(done.stdout).strip() if done.returncode == 0 else ""
    if pointed:
        local = "refs/heads/" + pointed.removeprefix("refs/remotes/origin/")
        return local if _commit(repository, local) else pointed
    for name in ("refs/heads/main", "refs/heads/master"):
        if _commit(repository, name):
            return name
    done = run(repository.root, "for-each-ref", "--count=2", "--format=%(refname)", "refs/heads")
    found = text(done.stdout).split() if done.returncode == 0 else []
    return found[0] if len(found) == 1 else None


def follow(repository: Repository, names: Mapping[str, Known]) -> list[Branch]:
    """Return what became of branches, by name.

    Args:
        repository: where they are, or were.
        names: the branches, with what was known of each before.
    """
    default = default_branch(repository)
    target = _commit(repository, default) if default else None
    short = (default or "").removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")
    return [_follow(repository, name, names[name], short, target) for name in sorted(names)]


def _follow(repository: Repository, name: str, known: Known, default: str, target: str | None) -> Branch:
    if name == default or target is None:
        return Branch(name, "open", known, "the default branch" if name == default else "no default branch")
    head = _commit(repository, f"refs/heads/{name}") or _commit(repository, f"refs/remotes/origin/{name}")
    if head is not None:
        if not repository.is_ancestor(head, target):
            if _squashed(repository, head, target):
                return Branch(name, "merged", Known(head, ahead=True), f"its changes are in {default}")
            return Branch(name, "open", Known(head, ahead=True), "it has commits of its own")
        if known.ahead:
            return Branch(name, "merged", Known(head, ahead=True), f"its commits are in {default}")
        return Branch(name, "open", Known(head, ahead=False), "it has no commit of its own yet")
    if known.head is None:
        return Branch(name, "unknown", known, "it is not in the repository, and never was seen there")
    if not repository.has_commit(known.head):
        return Branch(name, "unknown", known, "its last commit is no longer in the repository")
    if not known.ahead or repository.is_ancestor(known.head, target):
        return Branch(name, "merged", known, f"it was deleted, and all its commits are in {default}")
    if _squashed(repository, known.head, target):
        return Branch(name, "merged", known, f"it was deleted, and its changes are in {default}")
    return Branch(name, "deleted", known, f"it was deleted, and its changes are not in {default}")


def _commit(repository: Repository, reference: str) -> str | None:
    done = run(repository.root, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")
    found = text(done.stdout).strip()
    return found if done.returncode == 0 and _ID.fullmatch(found) else None


def _squashed(repository: Repository, head: str, target: str) -> bool:
    """Return whether the changes of a branch are in another: commit by commit, or all in one."""
    done = run(repository.root, "cherry", target, head)
    if done.returncode == 0:
        lines = text(done.stdout).split("\n")
        own = [line for line in lines if line.strip()]
        if own and all(line.startswith("-") for line in own):
            return True
    base = run(repository.root, "merge-base", head, target)
    left = text(base.stdout).strip()
    if base.returncode or not _ID.fullmatch(left) or left == head:
        return False
    whole = _patch_ids(repository, "diff-tree", "-p", "--no-ext-diff", left, head)
    if not whole:
        return False
    window = f"--max-count={LOOKED_AT}"
    later = _patch_ids(repository, "log", "-p", "--no-merges", "--no-ext-diff", window, f"{left}..{target}")
    return not whole.isdisjoint(later)


def _patch_ids(repository: Repository, *arguments: str) -> set[str]:
    """Return the patch ids of what a git command prints; they do not depend on place or white space."""
    printed = run(repository.root, *arguments)
    if printed.returncode or not printed.stdout.strip():
        return set()
    done = run(repository.root, "patch-id", "--stable", given=printed.stdout)
    return {line.split()[0] for line in text(done.stdout).splitlines() if line.strip()}
