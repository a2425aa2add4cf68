"""Describe the modules of the code with a language model, a bounded number at a time.

Only modules whose outline changed since their description are sent, so that a run over an unchanged project
costs nothing. Each module is stored on its own: a failing model, a limit or Ctrl-C ends the pass, and earlier
descriptions stay until they are replaced.

The work after sessions describes a few modules at most once a day, unless the setting `llm.describe` is off.
The time and the outcome are stored for the doctor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.core.clock import days_between, from_iso, to_iso
from remora.core.errors import InvalidInput, RemoraError, StoreBusy
from remora.disk.files import lock
from remora.graph import semantic
from remora.graph.modules import grouping
from remora.llm.client import LanguageModel, extract
from remora.store.layers import module_key

if TYPE_CHECKING:
    from remora.app.project.called_models import CalledModel
    from remora.app.project.open_project import OpenProject
    from remora.graph.modules import Grouping
    from remora.store.database import Database

MODULES, CALLS, SECONDS = 20, 40, 300.0  # of one pass
CALL_SECONDS = 60.0
ANSWER_TOKENS = 2_000
LOCK_SECONDS = 0.5
DAILY_MODULES, DAILY_CALLS, DAILY_SECONDS = 5, 10, 120.0  # of an automatic pass: two calls per module,
# and less than the time limit of the work after a session
RAN = "semantic.ran"  # meta key: start and outcome of the last automatic pass
FAILED = "semantic.failed"  # meta key: module to the digest of the outline without a usable answer
Progress = Callable[[str, int, int], None]


class SemanticReport(NamedTuple):
    """The result of a pass over the modules.

    Attributes:
        modules: number of modules.
        described: modules described in this pass.
        waiting: number of modules whose outline changed since their description, or without one.
        edges, dropped: number of edges written, and of unusable parts of answers.
        calls: number of calls to the model.
        complete: nothing is waiting.
        notes: reasons why the pass was not run, or not completed.
        seconds: duration.
    """

    modules: int = 0
    described: tuple[str, ...] = ()
    waiting: int = 0
    edges: int = 0
    dropped: int = 0
    calls: int = 0
    complete: bool = False
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def describe(
    project: OpenProject,
    *,
    modules: int = MODULES,
    calls: int = CALLS,
    seconds: float = SECONDS,
    progress: Progress | None = None,
    ticks: Callable[[], float] = time.monotonic,
) -> SemanticReport:
    """Describe modules with the configured language model; see `Memory.describe_modules`."""
    if min(modules, calls) < 1 or not seconds > 0:
        raise InvalidInput("modules, calls and seconds must be above 0")
    started = ticks()
    db = project.db
    try:
        model = project.llm("describe")
    except RemoraError as error:
        return SemanticReport(notes=(f"modules were not described: {error}",))
    if model is None:
        return SemanticReport(notes=("descriptions of modules need a language model; llm.provider is none",))
    if db.graph.is_empty():
        return SemanticReport(notes=("the code is not indexed yet; run `remora index`",))
    report = progress or (lambda *_: None)
    try:
        with lock(project.location.home / "semantic", timeout=LOCK_SECONDS):
            done = _pass(project, model, modules, calls, seconds, report, lambda: ticks() - started)
    except StoreBusy:
        return SemanticReport(notes=("another process is describing this project's modules",))
    return done._replace(seconds=ticks() - started)


def describe_when_due(project: OpenProject) -> SemanticReport | None:
    """Describe the most changed modules; None if the setting is off or the day's pass was made.

    A failure of the model is stored, and the model is called again the next day.
    """
    if project.read_only or not project.settings.llm.describe:
        return None
    with suppress(RemoraError):  # the pass reports a wrong setting
        if project.llm("describe") is None:
            return None
    db = project.db
    if db.graph.is_empty():
        return None
    with db.connection.transaction():
        last = db.meta.get(RAN)
        if last and days_between(last["at"], project.clock.now()) < 1.0:
            return None
        begun = to_iso(project.clock.now())
        db.meta.set(RAN, {"at": begun, "described": 0, "waiting": 0, "notes": ["it did not finish"]})
    try:
        report = describe(project, modules=DAILY_MODULES, calls=DAILY_CALLS, seconds=DAILY_SECONDS)
    except RemoraError as error:
        report = SemanticReport(notes=(str(error),))
    outcome = {"described": len(report.described), "waiting": report.waiting, "notes": list(report.notes)}
    with db.connection.transaction():
        db.meta.set(RAN, {"at": begun, **outcome})
    return report


def _pass(
    project: OpenProject,
    model: CalledModel,
    modules: int,
    calls: int,
    seconds: float,
    progress: Progress,
    elapsed: Callable[[], float],
) -> SemanticReport:
    db = project.db
    group = grouping(db)
    digests = semantic.digests(db, group)
    with db.connection.transaction(durable=False):
        paths = {name: [file.path for file in files] for name, files in group.files.items()}
        db.layers.place_modules(paths, _now(project))
    todo = _todo(db, group, digests)
    report = SemanticReport(modules=len(group.files), waiting=len(todo))
    notes: list[str] = []
    asked = todo[:modules]
    for number, name in enumerate(asked):
        progress("describing", number, len(asked))
        left = seconds - elapsed()
        if model.calls >= calls:
            notes.append(f"the limit of {calls} calls is reached")
            break
        if left <= 0:
            notes.append(f"the limit of {seconds:g} s is reached")
            break
        try:
            answer = _ask(db, group, name, model, min(left, CALL_SECONDS))
        except RemoraError as error:
            notes.append(f"stopped at {name}: {error}")
            with db.connection.transaction(durable=False):
                db.meta.set(FAILED, {**(db.meta.get(FAILED) or {}), name: digests[name]})
            break
        about = {
            "purpose": answer.purpose,
            "digest": digests[name],
            "model": model.model_id,
            "at": to_iso(project.clock.now()),
        }
        with db.connection.transaction(durable=False):
            written = db.layers.describe_module(name, paths[name], answer.edges, about, _now(project))
        report = report._replace(
            described=(*report.described, name),
            waiting=report.waiting - 1,
            edges=report.edges + written,
            dropped=report.dropped + answer.dropped + len(answer.edges) - written,
        )
    else:
        progress("describing", len(asked), len(asked))
    return report._replace(calls=model.calls, complete=not report.waiting, notes=tuple(notes))


def _todo(db: Database, group: Grouping, digests: Mapping[str, str]) -> list[str]:
    """Return the modules to describe: changed ones, then new ones, then those that failed before.

    A module without code has no outline and is left out. Within each group modules with most changed code
    come first, then the largest; modules of tests come last.
    """
    read_at = db.overview.read_at()
    known = db.layers.modules()
    failed = db.meta.get(FAILED) or {}
    todo = []
    for name, digest in digests.items():
        code = [file for file in group.files[name] if file.kind == "code"]
        before = known.get(name, {}).get("digest")
        if code and before != digest:
            tests = all(file.test for file in code)
            lines = sum(file.lines for file in code)
            at = 0.0 if before is None else from_iso(known[name]["at"]) * 1000
            changed = sum(file.lines for file in code if read_at.get(file.path, 0) > at)
            todo.append((failed.get(name) == digest, before is None, tests, -changed, -lines, name))
    return [name for *_, name in sorted(todo)]


def _ask(db: Database, group: Grouping, name: str, model: LanguageModel, timeout: float) -> semantic.Answer:
    paths = {file.path for file in group.files[name]}
    own = module_key(name)
    found = extract(
        model,
        semantic.prompt(db, group, name),
        semantic.SCHEMA,
        max_tokens=ANSWER_TOKENS,
        timeout=timeout,
    )
    return semantic.checked(
        found,
        inside=lambda key: key == own or key in paths or key.partition(":")[0] in paths,
        existing=lambda keys: db.layers.existing(list(keys)),
    )


def _now(project: OpenProject) -> int:
    return int(project.clock.now() * 1000)
