"""Which files will a session of an agent edit, going by its first prompt and the sessions before it?

Asked of every repository of the recordings, in the order of the starts of its sessions. Before each, all that
is over by then is learned, and the repository stands as it stood: a clone is checked out at the newest
commit of the session's own branch before its start (the first parents of the branch, or of the merge that
brought it in; of the default branch where nobody knows it any more), and `Memory.init` reads code and
history up to there and nothing later. Without a clone there are only the files that sessions edited. Gold are
the files that the session edits afterwards, also those that it creates, tests, documents and settings; so the
share of gold that exists by then bounds everything but guesses at new names. The rivals see the same ones:
the files most sessions edited, those the last ones did, what the sessions with the nearest prompts edited,
and that with the first by rank. Each repository counts alike, and the worst stands beside the mean.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import agent_sessions, many_sessions
from benchmarks.agent_sessions import AgentSession
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.learning import Past
from benchmarks.metrics import mean, recall_at
from benchmarks.session_floors import file_floors
from remora.app.memory import Memory
from remora.app.recall.files import predict_files
from remora.core.tasks import SIGNALS

K = 10
PROMISED = 1.2  # times the best of the floors, the mean over the repositories
OURS = "remora"
ALONE: Mapping[str, frozenset[str]] = {
    "without earlier sessions": frozenset({"sessions", "often", "lately"}),
    "words of the task alone": frozenset({"often", "lately", "heat", "branch"}),
}

Rankings = dict[str, list[str]]
Written = Callable[[AgentSession, Path], Path]


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


class Recorded(NamedTuple):
    """A repository of the recordings: OWNER__NAME, its sessions, how they are written down, its clone."""

    key: str
    sessions: Sequence[AgentSession]
    write: Written
    clone: Path | None


def run(options: Options) -> Report:
    """Ask every session that edits something, of each repository or the first of it.

    `--repo` is a clone for the first data set, `--repos` holds clones of the other's by their keys.
    """
    found: dict[str, list[Asked]] = {}
    model, settings = "none", dict[str, Any]()
    for one in recorded(options):
        with workplace(options.keep, f"sessions-{one.key}") as place:
            asked = list(ask(one, place, options))
        found[one.key] = [each for each, _, _ in asked]
        model, settings = next(((m, s) for _, m, s in asked), (model, settings))
    return report({key: asked for key, asked in found.items() if asked}, model, settings, options)


def recorded(options: Options) -> Iterator[Recorded]:
    """Yield the repositories of the data sets that are there.

    Raises:
        SystemExit: none is.
    """
    sets = [name for name in (agent_sessions.DATA, many_sessions.DATA) if (_data(options) / name).is_dir()]
    if not sets:
        raise SystemExit(f"sessions: there is neither {agent_sessions.DATA}/ nor {many_sessions.DATA}/")
    if agent_sessions.DATA in sets:
        sessions = agent_sessions.read(options.folder(agent_sessions.DATA))
        yield Recorded(agent_sessions.DATA, sessions, agent_sessions.write, options.repo)
    if many_sessions.DATA in sets:
        with workplace() as place:
            read = many_sessions.read(options.folder(many_sessions.DATA), place)
        for one in read:
            clone = options.repos / one.key if options.repos is not None else None
            there = clone if clone is not None and clone.is_dir() else None
            yield Recorded(one.key, one.sessions, many_sessions.write, there)


def _data(options: Options) -> Path:
    if options.data is None:
        raise SystemExit("--data DIR is needed: the folder that holds the recordings of sessions")
    return options.data


def ask(one: Recorded, place: Path, options: Options) -> Iterator[tuple[Asked, str, dict[str, Any]]]:
    """Yield each session of a repository with its rankings, the model and the settings in use."""
    past = Past(one.sessions)
    wanted = [session for session in one.sessions if session.gold and session.prompt][: options.limit]
    history = History(one.clone) if one.clone is not None else None
    clone = Clone(one.clone, place) if one.clone is not None else None
    written: set[str] = set()
    for number, session in enumerate(wanted, 1):
        over = past.before(session)
        if history is not None and clone is not None:
            if not clone.stand_at(history, session):
                say(f"sessions: {session.id} has no tree")
                continue
            there = history.files(_commit(clone))
        else:
            there = _made(place / "project", over)
        with memory_in(place) as memory:
            memory.init()
            fresh = [other for other in over if other.id not in written]
            for other in fresh:
                one.write(other, place / "projects")
                written.add(other.id)
            if fresh:
                memory.learn(place / "projects")
            memory.catch_up()
            ranked = rankings(memory, session, ablate=options.ablate) | file_floors(over, session.prompt)
            asked = Asked(session, ranked, there)
            yield asked, model_of(memory), settings_of(memory)
        recall = recall_at(ranked[OURS], session.gold, K)
        say(f"sessions: {one.key}, {number} of {len(wanted)}, {session.id}: {recall:.2f}")


def _made(project: Path, over: Sequence[AgentSession]) -> frozenset[str]:
    """Make an empty file of each that sessions edited; return their names."""
    there = frozenset(path for session in over for path in session.gold)
    for path in there:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()
    return there


def rankings(memory: Memory, session: AgentSession, *, ablate: bool) -> Rankings:
    """Return our ranking, and what is left of it without some of its evidence."""

    def ours(without: frozenset[str] = frozenset()) -> list[str]:
        hits, _ = predict_files(memory._project, session.prompt, K, tests=True, without=without)
        return [hit.path for hit in hits]

    parts = dict(ALONE)
    if ablate:
        parts |= {f"without {signal}": frozenset({signal}) for signal in SIGNALS}
    return {OURS: ours(), **{name: ours(left_out) for name, left_out in parts.items()}}


def report(
    found: Mapping[str, Sequence[Asked]], model: str, settings: dict[str, Any], options: Options
) -> Report:
    """Return recall@10 of every ranking by repository, and how ours stands to the best floor of each."""
    floors = list(file_floors([], ""))
    names = [name for name in next(iter(found.values()))[0].ranked if name not in floors]
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    scores: dict[str, dict[str, float]] = {}
    # Repositories are numbered: the data set may not be quoted.
    for number, (key, asked) in enumerate(found.items(), 1):
        own = {
            name: mean(recall_at(a.ranked[name], a.session.gold, K) for a in asked)
            for name in asked[0].ranked
        }
        scores[key] = own
        exists = mean(recall_at(sorted(a.there), a.session.gold, len(a.there)) for a in asked)
        best = max(own[name] for name in floors)
        ratio = own[OURS] / best if best else None
        figures[key] = {"sessions": len(asked), "recall@10": own, "gold that exists": exists, "ratio": ratio}
        values = (*(own[name] for name in (OURS, *floors)), "-" if ratio is None else ratio, exists)
        rows.append((f"repository {number}", len(asked), *values))
    together = {name: mean(own[name] for own in scores.values()) for name in (*names, *floors)}
    ratios = [one["ratio"] for one in figures.values() if one["ratio"] is not None]
    lifted = together[OURS] / mean(max(own[name] for name in floors) for own in scores.values())
    worst = min(ratios, default=0.0)
    rows.append(("mean", "", *(together[name] for name in (OURS, *floors)), lifted, ""))
    columns = ("", "sessions", OURS, *floors, "times the best floor", "gold that exists")
    tables = [Table("Edited files, recall@10", columns, tuple(rows))]
    others = [name for name in names if name != OURS]
    parts = tuple(
        (name, together[name], min(own[name] - own[OURS] for own in scores.values())) for name in others
    )
    tables.append(Table("With less", ("", "mean", "most that a repository loses"), parts))
    figures |= {"mean": together, "times the best floor": lifted, "worst times the best floor": worst}
    checks: tuple[Check, ...] = ()
    if options.limit is None:
        checks = (
            Check.at_least("worst repository / its best floor", worst, 1.0),
            Check.at_least("mean / mean of the best floors", lifted, PROMISED),
        )
    return Report("sessions", figures, tuple(tables), checks, (), model, settings)


def _recall(one: Asked, name: str) -> float:
    return recall_at(one.ranked[name], one.session.gold, K)


def _commit(clone: Clone) -> str:
    return git(clone.folder, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Return what git prints in a folder."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout
