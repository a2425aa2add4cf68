"""Pairs of tasks from a repository's own history, done by a model with memory and without: `--repo CLONE`.

A task is a commit that changed code and tests: the code stands as before it, the tests as after it, and the
agent has to make them pass. Two tasks make a pair if their tests fail in the same way (by the error's
fingerprint), or else if they change the same file: what is met in the first comes back in the second. Each
pair is done twice from the same start, without memory and with it; only the second task counts. The agent is
a small loop of our own: any model that REMORA_LLM_PROVIDER and its kin name answers with one JSON object a
step (run, read, write or done), 40 steps at most. With memory it gets the brief and the advice at its
actions, as `Memory.loop` gives them, and the first task is learned before the second begins.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.common import Options, Report, Table, environment, say, workplace
from remora.app.memory import Memory
from remora.core.errors import RemoraError
from remora.core.tokens import ceil_chars_4
from remora.llm.client import Message, extract
from remora.observer.fingerprint import fingerprint

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.llm.client import LanguageModel

STEPS, SECONDS, SHOWN = 40, 120.0, 6_000  # of a task; of a command; characters of what a tool answers
COMMITS, PAIRS = 400, 10
ROUNDS = 2_000
CHECK = f"{shlex.quote(sys.executable)} -m pytest -q -x"
PROMPT = """You mend a program. Its tests fail; make them pass without changing the tests.
Answer each time with one JSON object: {"tool": "run", "command": "..."}, {"tool": "read", "path": "..."},
{"tool": "write", "path": "...", "content": "..."} or {"tool": "done"}. Paths are relative."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string", "enum": ["run", "read", "write", "done"]},
        "command": {"type": "string"},
        "path": {"type": "string"},
        "content": {"type": "string"},
    },
    "required": ["tool"],
}


class Task(NamedTuple):
    """A commit to be done again: its id, what it says, its tests, its other files, how its tests fail."""

    commit: str
    subject: str
    tests: tuple[str, ...]
    code: tuple[str, ...]
    mark: str


class Outcome(NamedTuple):
    """What an agent needed for a task."""

    solved: bool
    calls: int
    tokens: int


def run(options: Options) -> Report:
    """Do every pair with the configured model; `--limit` is the number of pairs."""
    if options.repo is None:
        raise SystemExit(
            "live needs --repo CLONE, and a model in [llm] of the settings or in the environment"
        )
    named = {key: value for key, value in os.environ.items() if key.startswith("REMORA_LLM_")}
    with workplace() as place, Memory.open(place, environ=environment(place / "home", **named)) as memory:
        model = memory._project.llm("live")
        if model is None:
            raise SystemExit("no language model is configured: REMORA_LLM_PROVIDER and its kin name one")
        return compared(options.repo, model, CHECK, options.limit or PAIRS)


def compared(
    repo: Path, model: LanguageModel, check: str, most: int, find: Callable[..., list[Task]] | None = None
) -> Report:
    """Return what a model needs for the second task of each pair, without memory and with it."""
    tasks = (find or tasks_of)(repo, check)
    pairs = pairs_of(tasks)[:most]
    found: dict[str, list[Outcome]] = {"without": [], "with": []}
    for number, pair in enumerate(pairs, 1):
        say(f"live: pair {number} of {len(pairs)}: {pair[0].subject[:40]} / {pair[1].subject[:40]}")
        for arm, outcomes in found.items():
            with workplace() as place:
                outcomes.append(_pair(place, repo, pair, model, check, with_memory=arm == "with"))
    return _report(found, len(tasks), model.model_id)


def tasks_of(repo: Path, check: str, commits: int = COMMITS) -> list[Task]:
    """Return the commits of a repository that changed code and tests, whose tests fail before them."""
    log = _git(repo, "log", "--no-merges", f"-{commits}", "--format=%H%x00%s").splitlines()
    found = []
    for line in log:
        commit, _, subject = line.partition("\0")
        files = _git(repo, "show", "--format=", "--name-only", "--diff-filter=AM", commit).split("\n")
        tests = tuple(f for f in files if f.endswith(".py") and "test" in Path(f).name)
        code = tuple(f for f in files if f.endswith(".py") and f not in tests)
        if not tests or not code or _git(repo, "rev-list", "--parents", "-1", commit).count(" ") != 1:
            continue
        with workplace() as place:
            _stand_at(place / "code", repo, Task(commit, subject, tests, code, ""))
            done, said = _shell(place / "code", f"{check} {shlex.join(tests)}")
        if not done:
            found.append(Task(commit, subject, tests, code, fingerprint(said) or ""))
    return found


def pairs_of(tasks: Sequence[Task]) -> list[tuple[Task, Task]]:
    """Return pairs of an earlier and a later task, each task once; those that fail alike come first."""
    older_first = list(reversed(tasks))
    taken: set[str] = set()
    found = []
    for alike in (_fail_alike, _share_a_file):
        for place, first in enumerate(older_first):
            for second in older_first[place + 1 :]:
                if not {first.commit, second.commit} & taken and alike(first, second):
                    found.append((first, second))
                    taken |= {first.commit, second.commit}
    return found


def _fail_alike(one: Task, other: Task) -> bool:
    return bool(one.mark) and one.mark == other.mark


def _share_a_file(one: Task, other: Task) -> bool:
    return not set(one.code).isdisjoint(other.code)


def _pair(
    place: Path, repo: Path, pair: tuple[Task, Task], model: LanguageModel, check: str, *, with_memory: bool
) -> Outcome:
    """Do a pair of tasks and return what the second took."""
    code = place / "code"
    environ = environment(place / "home")
    outcome = Outcome(False, 0, 0)
    for number, task in enumerate(pair):
        _stand_at(code, repo, task)
        if not with_memory:
            outcome = solve(code, task, model, check, None)
            continue
        with Memory.open(code, environ=environ, actor="agent") as memory:
            loop = memory.loop(f"task-{number}", host="live")
            outcome = solve(code, task, model, check, loop)
            loop.finish("success" if outcome.solved else "failure")
    return outcome


def solve(code: Path, task: Task, model: LanguageModel, check: str, loop: Loop | None) -> Outcome:
    """Let a model work on a task until it says that it is done, or for STEPS steps."""
    tests = f"{check} {shlex.join(task.tests)}"
    asked = f"The tests are run by: {tests}\nThe change that is wanted: {task.subject}"
    told = [Message("system", PROMPT), Message("user", asked)]
    if loop is not None:
        told.append(Message("user", f"{loop.brief()}\n{loop.first_message(asked)}".strip() or "(nothing)"))
        loop.heard(asked)
    tokens = 0
    calls = 0
    for _ in range(STEPS):
        tokens += sum(ceil_chars_4(message.content) for message in told)
        try:
            step = extract(model, told, SCHEMA)
        except RemoraError:
            break
        if step["tool"] == "done":
            break
        calls += 1
        before = _advice(loop, step)
        worked, answer = _act(code, step)
        after = _advice(loop, step, answer, failed=not worked)
        told.append(Message("assistant", str(dict(step))))
        told.append(Message("user", "\n".join(filter(None, (before, answer[-SHOWN:], after))) or "(nothing)"))
    done, _ = _shell(code, tests)
    return Outcome(done, calls, tokens)


def _advice(
    loop: Loop | None, step: Mapping[str, Any], answer: str | None = None, *, failed: bool = False
) -> str:
    if loop is None:
        return ""
    names = {"run": "Bash", "read": "Read", "write": "Write"}
    given = {k: v for k, v in (("command", step.get("command")), ("file_path", step.get("path"))) if v}
    tool = names[step["tool"]]
    if answer is None:
        return loop.before(tool, given)
    return loop.after(tool, given, answer, failed=failed)


def _act(code: Path, step: Mapping[str, Any]) -> tuple[bool, str]:
    """Return whether a step worked, and what it answers."""
    if step["tool"] == "run":
        return _shell(code, str(step.get("command", "")))
    path = (code / str(step.get("path", ""))).resolve()
    if not path.is_relative_to(code.resolve()):
        return False, "that is outside of the project"
    try:
        if step["tool"] == "read":
            return True, path.read_text("utf-8", "replace")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(step.get("content", "")), "utf-8")
    except OSError as error:
        return False, str(error)
    return True, "written"


def _stand_at(code: Path, repo: Path, task: Task) -> None:
    """Put the code as before a commit, with the tests as after it, into a folder that git knows."""
    if not code.exists():
        _git(repo, "clone", "-q", "--no-hardlinks", str(repo), str(code))
    _git(code, "checkout", "-q", "-f", f"{task.commit}~1")
    _git(code, "clean", "-qfd")
    _git(code, "checkout", "-q", task.commit, "--", *task.tests)


def _shell(folder: Path, command: str) -> tuple[bool, str]:
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # no stale code after two writes in a second
    told: dict[str, Any] = {"cwd": folder, "env": environ, "capture_output": True, "text": True}
    try:  # the benchmark is about running commands
        done = subprocess.run(command, shell=True, timeout=SECONDS, check=False, **told)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    return done.returncode == 0, done.stdout + done.stderr


def _git(folder: Path, *words: str) -> str:
    git = shutil.which("git") or "git"
    told = [git, "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(told, capture_output=True, text=True, check=True).stdout


def _report(found: Mapping[str, Sequence[Outcome]], tasks: int, model: str) -> Report:
    """Return solved, calls and tokens of both arms, and their differences with bootstrap intervals."""
    rows, figures = [], {"tasks": float(tasks), "pairs": float(len(found["with"]))}
    for field in Outcome._fields:
        one, other = ([float(getattr(o, field)) for o in found[arm]] for arm in ("without", "with"))
        if not one:
            continue
        low, high = _interval([b - a for a, b in zip(one, other, strict=True)])
        means = (sum(one) / len(one), sum(other) / len(other))
        figures |= {f"{field}, without": means[0], f"{field}, with": means[1]}
        rows.append((field, *means, means[1] - means[0], f"[{low:.2f}, {high:.2f}]"))
    table = Table("Second tasks", ("", "without", "with", "difference", "95 %"), tuple(rows))
    return Report("live", figures, (table,), model=model)


def _interval(differences: Sequence[float]) -> tuple[float, float]:
    chance = random.Random(1)
    n = len(differences)
    drawn = sorted(sum(chance.choices(differences, k=n)) / n for _ in range(ROUNDS))
    return drawn[int(0.025 * ROUNDS)], drawn[int(0.975 * ROUNDS)]
