"""The state of branches: open, merged by any method, or deleted unmerged.

A merge commit, a fast-forward and a rebase leave the branch's commits, or the same changes, in the default
branch. A squash leaves one commit with all of them; it is detected by its patch: the changes of the whole
branch since its base, compared with each later commit of the default branch. Only changed lines are compared,
because other commits may have changed the lines around them.

A branch never seen ahead of the default branch has nothing to merge: it is open while it exists.

The default branch is read locally and at the remotes: a branch merged on a server counts as merged before
anybody pulls. A branch that is gone is open while another one holds its commits, because it was renamed or
another branch was built on it. It may also have been rebased or extended after it was last seen; its tip when
it was last checked out here then counts too.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from remora.sources.git_process import answer, run, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from remora.sources.git import Repository

State = Literal["open", "merged", "deleted", "unknown"]
LOOKED_AT = 2_000  # commits of the default branch that are compared with a squashed branch
MOST_OWN, OWN_COMMITS = 50, 200  # files, and commits, of one piece of work; more are a line of their own
_LOCAL, _REMOTE, _ORIGIN = "refs/heads/", "refs/remotes/", "refs/remotes/origin/"
_ALL = (_LOCAL.rstrip("/"), _REMOTE.rstrip("/"))
_REFS = "--format=%(objectname) %(refname)"
# The output of `diff-tree`, unlike `log` and `diff`, does not depend on the user's display settings.
_PATCH = ("diff-tree", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv")


class Known(NamedTuple):
    """The known state of a branch: its last commit, and whether it was ever ahead of the default branch."""

    head: str | None = None
    ahead: bool = False


class Branch(NamedTuple):
    """A branch and its state.

    Attributes:
        state: "unknown" if its last commit is no longer in the repository.
        known: the state to store for the next call.
        at: for a branch without a commit of its own, the time of its commit, in epoch seconds.
    """

    name: str
    state: State
    known: Known
    at: int | None = None


def default_branch(repository: Repository) -> str | None:
    """Return the full reference of the branch that others are merged into; None if there is none.

    It is the target of `origin/HEAD`, else `main` or `master`, else the only branch.
    """
    pointed = answer(repository.root, "symbolic-ref", "--quiet", f"{_ORIGIN}HEAD")
    names = [f"{place}{name}" for name in ("main", "master") for place in (_LOCAL, _ORIGIN)]
    if pointed:
        names = [_LOCAL + pointed.removeprefix(_ORIGIN), pointed, *names]
    if there := next((name for name in names if _exists(repository, name)), None):
        return there
    found = answer(repository.root, "for-each-ref", "--count=2", "--format=%(refname)", _LOCAL).split()
    return found[0] if len(found) == 1 else None


def on_default(repository: Repository) -> bool:
    """Return whether the branch that others are merged into is checked out."""
    default = default_branch(repository)
    return default is not None and repository.branch() == _short(default)


def follow(repository: Repository, names: Mapping[str, Known]) -> list[Branch]:
    """Return the state of branches, by name.

    Args:
        repository: their repository.
        names: the branches, with their known states.
    """
    default = default_branch(repository)
    trunk = _Trunk(repository, _short(default)) if default else None
    return [_follow(trunk, name, names[name]) for name in sorted(names)]


def own_files(repository: Repository) -> list[str]:
    """Return the files changed on the current branch since it left the default one, uncommitted ones first.

    Empty on the default branch, and on one that changed more than MOST_OWN files, which is not one task.
    """
    default = default_branch(repository)
    if default is None or repository.branch() == _short(default):
        return []
    heads = [commit for commit, _ in _heads(repository, _short(default))]
    if not heads:
        return []
    others = [f"^{commit}" for commit in heads]
    names = ("--name-only", "-z")
    asked = ("log", "--no-merges", "--no-renames", "--format=", f"--max-count={OWN_COMMITS}", *names)
    printed = run(repository.root, *asked, "HEAD", *others).stdout
    printed = run(repository.root, "diff", "--no-ext-diff", "--no-renames", *names, "HEAD").stdout + printed
    paths = dict.fromkeys(text(word).strip("\n") for word in printed.split(b"\0"))
    found = [path for path in paths if path]
    return found if len(found) <= MOST_OWN else []


def looks(repository: Repository) -> str:
    """Return a digest of all branch tips, here and at the remotes."""
    done = run(repository.root, "for-each-ref", _REFS, *_ALL)
    return hashlib.blake2b(done.stdout, digest_size=16).hexdigest()


class _Trunk:
    """The default branch, local and at the remotes."""

    def __init__(self, repository: Repository, name: str) -> None:
        self.repository = repository
        self.name = name
        self.tips = tuple(dict.fromkeys(commit for commit, _ in _heads(repository, name)))
        self._patches: dict[tuple[str, str], set[str]] = {}

    def holds(self, head: str) -> bool:
        """Return whether a commit is in the default branch."""
        return any(self.repository.is_ancestor(head, tip) for tip in self.tips)

    def has_changes_of(self, head: str) -> bool:
        """Return whether it contains the changes of a branch: commit by commit, or all in one."""
        return any(self._squashed(head, tip) for tip in self.tips)

    def _squashed(self, head: str, tip: str) -> bool:
        own = answer(self.repository.root, "cherry", tip, head).splitlines()
        if own and all(line.startswith("-") for line in own):
            return True
        left = answer(self.repository.root, "merge-base", head, tip)
        if not left or left == head:
            return False
        whole = _patch_ids(self.repository, left, head)
        return bool(whole) and not whole.isdisjoint(self._since(left, tip))

    def _since(self, left: str, tip: str) -> set[str]:
        if (left, tip) not in self._patches:
            asked = ("rev-list", "--no-merges", f"--max-count={LOOKED_AT}", f"{left}..{tip}")
            commits = run(self.repository.root, *asked).stdout
            self._patches[left, tip] = _patch_ids(self.repository, "--stdin", given=commits)
        return self._patches[left, tip]


def _follow(trunk: _Trunk | None, name: str, known: Known) -> Branch:
    if trunk is None or name == trunk.name:
        return Branch(name, "open", known)
    repository = trunk.repository
    if heads := _heads(repository, name):
        head = heads[0][0]
        if not trunk.holds(head):
            state: State = "merged" if trunk.has_changes_of(head) else "open"
            return Branch(name, state, Known(head, ahead=True))
        if known.ahead:
            return Branch(name, "merged", Known(head, ahead=True))
        return Branch(name, "open", Known(head), at=_made(repository, head))
    if known.head is None or not repository.has_commit(known.head):
        return Branch(name, "unknown", known)
    tips = [known.head] if known.ahead else []
    left = _left(repository, name)
    if left not in ("", known.head) and repository.has_commit(left) and not trunk.holds(left):
        tips.append(left)
    if not tips or any(trunk.holds(tip) or trunk.has_changes_of(tip) for tip in tips):
        return Branch(name, "merged", known)
    held = any(_listed(repository, f"--contains={tip}", *_ALL) for tip in tips)
    return Branch(name, "open" if held else "deleted", Known(tips[-1], ahead=True))


def _heads(repository: Repository, name: str) -> list[tuple[str, str]]:
    """Return (commit, full reference) of a branch here and at each remote, the local one first."""
    found = _listed(repository, f"{_LOCAL}{name}", f"{_REMOTE}*/{name}")
    return [(commit, reference) for commit, reference in found if _short(reference) == name]


def _listed(repository: Repository, *which: str) -> list[tuple[str, str]]:
    """Return (commit, full reference) of some branches."""
    printed = answer(repository.root, "for-each-ref", _REFS, *which)
    rows = [line.partition(" ")[::2] for line in printed.splitlines()]
    return [(commit, name) for commit, name in rows if not name.endswith("/HEAD")]


def _left(repository: Repository, name: str) -> str:
    """Return the commit of a branch when it was last left here; empty if it never was.

    It may have been rebased or extended since it was seen, and merged only then.
    """
    moved = f"checkout: moving from {name} to "
    lines = answer(repository.root, "log", "-g", "--format=%H %gs", "HEAD").splitlines()
    steps = pairwise(line.partition(" ")[::2] for line in lines)
    return next((before for (_, what), (before, _) in steps if what.startswith(moved)), "")


def _short(reference: str) -> str:
    """Return the name of a branch without its remote."""
    if reference.startswith(_REMOTE):
        return reference.removeprefix(_REMOTE).partition("/")[2]
    return reference.removeprefix(_LOCAL)


def _exists(repository: Repository, reference: str) -> bool:
    return bool(answer(repository.root, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}"))


def _made(repository: Repository, commit: str) -> int | None:
    found = answer(repository.root, "log", "-1", "--format=%ct", commit)
    return int(found) if found.isdigit() else None


def _patch_ids(repository: Repository, *commits: str, given: bytes = b"") -> set[str]:
    """Return the patch ids of changes; they do not depend on place or white space.

    Args:
        repository: the repository of the commits.
        commits: two, for the changes between them; or `--stdin` for those of each given commit.
        given: commits, one a line.
    """
    printed = run(repository.root, *_PATCH, *commits, given=given)
    if printed.returncode:
        return set()
    done = run(repository.root, "patch-id", "--stable", given=printed.stdout)
    return {line.split()[0] for line in text(done.stdout).splitlines()}
