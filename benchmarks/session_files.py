"""Which files will a session of an agent edit, going by its first prompt and the sessions before it?

The sessions are asked in the order of their starts. Before each, everything that is over by then is
learnt from transcripts, and the repository stands as it stood: a clone is checked out at the newest
commit of the session's own branch before its start (the first parents of the branch, or of the merge that
brought it in; of the default branch where nobody knows it any more), and `Memory.init` reads code and
history up to there and nothing later. Gold are the files that the session edits afterwards, also those
that it creates, tests, documents and settings; so the share of gold that exists by then bounds everything
but guesses at new names. The rivals see the same sessions: the files most sessions edited, what the
sessions with the nearest prompts edited, and both by rank.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.agent_sessions import AgentSession
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.learning import Past, Stream, sessions_of
from benchmarks.metrics import mean, paired_interval, recall_at
from benchmarks.session_floors import file_floors
from remora.app.memory import Memory
from remora.app.recall import predict_files
from remora.retrieval.files import SIGNALS

K = 10
PROMISED = 1.4  # times the best of the floors
AIM = 0.45
OURS = "remora"
ALONE: Mapping[str, frozenset[str]] = {
    "without earlier sessions": frozenset({"sessions", "memories"}),
    "earlier sessions alone": frozenset(SIGNALS) - {"sessions", "memories"},
    "what the branch changed alone": frozenset(SIGNALS) - {"branch"},
    "without the branch": frozenset({"branch"}),
}

Rankings = dict[str, list[str]]


class Asked(NamedTuple):
    """A session with the rankings by name, and the files that there were when it began."""

    session: AgentSession
    ranked: Rankings
    there: frozenset[str]


class History:
    """Where a repository stood at a time, branch by branch."""

    def __init__(self, repository: Path) -> None:
        self._git = repository
        names = self._run("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes")
        self._tips = {name.removeprefix("origin/"): name for name in names.splitlines()}
        self.default = self._run("symbolic-ref", "--short", "HEAD").strip()
        merges = self._run("log", "--merges", "--format=%P %s", self.default).splitlines()
        for line in reversed(merges):
            parents, _, branch = line.partition(" Merge pull request #")
            if branch and len(parents.split()) == 2:
                self._tips.setdefault(branch.partition("/")[2], parents.split()[1])

    def at(self, branch: str, moment: str) -> str:
        """Return the newest commit of a branch before a moment; empty where there is none."""
        tip = self._tips.get(branch, self.default)
        return self._run("rev-list", "--first-parent", "-1", f"--before={moment}", tip).strip()

    def knows(self, branch: str) -> bool:
        """Return whether a branch, or the merge that brought it in, is still there."""
        return branch in self._tips

    def files(self, commit: str) -> frozenset[str]:
        """Return the files of a commit."""
        return frozenset(self._run("ls-tree", "-r", "--name-only", "-z", commit).split("\0")) - {""}

    def _run(self, *arguments: str) -> str:
        return git(self._git, *arguments)


class Clone:
    """A clone without remotes, whose branches are moved to where they stood."""

    def __init__(self, repository: Path, place: Path) -> None:
        self.folder = place / "project"
        if not self.folder.exists():
            source = str(repository.resolve())
            git(place, "clone", "-q", "--no-checkout", "--shared", source, str(self.folder))
            git(self.folder, "remote", "remove", "origin")

    def stand_at(self, history: History, session: AgentSession) -> bool:
        """Check out the tree of a session's start, on its branch; return whether there is one."""
        own = history.at(session.branch, session.started)
        default = history.at(history.default, session.started)
        if not own or not default:
            return False
        # A clone may lack large files: git complains of them, but checks the rest out and moves HEAD.
        git(self.folder, "checkout", "-q", "-f", "--detach", own, check=False)
        if _commit(self) != own:
            return False
        git(self.folder, "update-ref", f"refs/heads/{history.default}", default)
        branch = session.branch or history.default
        git(self.folder, "update-ref", f"refs/heads/{branch}", own)
        git(self.folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
        return True


def run(options: Options) -> Report:
    """Ask every session that edits something, or the first of them; without `--repo` only the rivals."""
    sessions = sessions_of(options)
    past = Past(sessions)
    wanted = [session for session in sessions if session.gold and session.prompt][: options.limit]
    if options.repo is None:
        say("sessions: without --repo there are no trees, so only the rivals are asked")
        found = [
            Asked(session, file_floors(past.before(session), session.prompt), frozenset())
            for session in wanted
        ]
        return report(found, [], "none", {}, whole=options.limit is None)
    with workplace(options.keep, "sessions") as place:
        return _measured(place, options.repo, past, wanted, whole=options.limit is None)


def _measured(
    place: Path, repository: Path, past: Past, wanted: Sequence[AgentSession], *, whole: bool
) -> Report:
    history, clone, stream = History(repository), Clone(repository, place), Stream(place, past)
    found: list[Asked] = []
    model, settings, known = "none", dict[str, Any](), 0
    for number, session in enumerate(wanted, 1):
        if not clone.stand_at(history, session):
            say(f"sessions: {session.id} has no tree")
            continue
        known += history.knows(session.branch)
        with memory_in(place) as memory:
            memory.init()
            over = stream.learn_before(memory, session)
            memory.catch_up()
            ranked = rankings(memory, session) | file_floors(over, session.prompt)
            model, settings = model_of(memory), settings_of(memory)
        found.append(Asked(session, ranked, history.files(_commit(clone))))
        say(f"sessions: {number} of {len(wanted)}, {session.id}: {_recall(found[-1], OURS):.2f}")
    trees = [
        f"{len(found)} of {len(wanted)} sessions have a tree, {known} of them the one of their own branch."
    ]
    return report(found, trees, model, settings, whole=whole)


def rankings(memory: Memory, session: AgentSession) -> Rankings:
    """Return our ranking, and what is left of it without some of its evidence."""

    def ours(without: frozenset[str] = frozenset(), *, tests: bool = True) -> list[str]:
        hits, _ = predict_files(memory._parts, session.prompt, K, tests=tests, without=without)
        return [hit.path for hit in hits]

    parts = {name: ours(left_out) for name, left_out in ALONE.items()}
    return {OURS: ours(), "without tests": ours(tests=False), **parts}


def report(
    asked: Sequence[Asked], notes: Sequence[str], model: str, settings: dict[str, Any], *, whole: bool
) -> Report:
    """Return recall@10 of every ranking, and of ours by the kind of file."""
    names = list(asked[0].ranked)
    floors = list(file_floors([], ""))
    scores = {name: [_recall(one, name) for one in asked] for name in names}
    best = max(floors, key=lambda name: mean(scores[name]))
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {"sessions": len(asked), "best floor": best}
    for name in names:
        lead = paired_interval([[v] for v in scores[name]], [[v] for v in scores[best]])
        rows.append((name, mean(scores[name]), lead.mean, lead.low, lead.high))
        figures[name] = {"recall@10": mean(scores[name]), "lead": lead._asdict()}
    tables = [
        Table(
            f"Edited files, {len(asked)} sessions",
            ("", "recall@10", f"over {best}", "low", "high"),
            tuple(rows),
        )
    ]
    checks: list[Check] = []
    if OURS in names:
        kinds, figures["kinds"] = _by_kind(asked, names)
        tables.append(kinds)
        there = mean(recall_at(sorted(one.there), one.session.gold, len(one.there)) for one in asked)
        figures["gold that exists"] = there
        notes = (*notes, f"{there:.3f} of the gold of a session exists when it begins.")
        if whole:
            ratio = mean(scores[OURS]) / mean(scores[best])
            figures["times the best floor"] = ratio
            checks = [Check.at_least(f"recall@10 / {best}", ratio, PROMISED)]
            notes = (*notes, f"The aim is {AIM:.2f}.")
    return Report("sessions", figures, tuple(tables), tuple(checks), tuple(notes), model, settings)


def _recall(one: Asked, name: str) -> float:
    return recall_at(one.ranked[name], one.session.gold, K)


_KINDS: dict[str, Callable[[str, frozenset[str]], bool]] = {
    "new files": lambda path, there: path not in there,
    "tests": lambda path, _: path.endswith("_test.go") or "/integration_test/" in path,
    "code": lambda path, _: path.endswith(".go"),
    "everything else": lambda *_: True,
}


def kind_of(path: str, there: frozenset[str]) -> str:
    """Return what kind of gold a file is.

    >>> kind_of("a/b_test.go", frozenset({"a/b_test.go"})), kind_of("README.md", frozenset())
    ('tests', 'new files')
    """
    return next(name for name, holds in _KINDS.items() if holds(path, there))


def _by_kind(asked: Sequence[Asked], names: Sequence[str]) -> tuple[Table, dict[str, Any]]:
    """Return which share of all gold files of a kind each ranking has among its ten."""

    def gold(kind: str) -> Iterator[tuple[Asked, str]]:
        for one in asked:
            yield from ((one, path) for path in one.session.gold if kind_of(path, one.there) == kind)

    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    for kind in _KINDS:
        own = list(gold(kind))
        shares = {name: mean(float(path in one.ranked[name][:K]) for one, path in own) for name in names}
        figures[kind] = {"files": len(own), **shares}
        rows.append((kind, len(own), *shares.values()))
    return Table("Share of the gold files found, by kind", ("", "files", *names), tuple(rows)), figures


def _commit(clone: Clone) -> str:
    return git(clone.folder, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Return what git prints in a folder."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout
