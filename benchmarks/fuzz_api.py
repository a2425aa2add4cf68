"""Wrong types and values to every public method of the Python API: each answers, or raises an error of ours.

The methods are found by looking at the objects that a `Memory` hands out, so that a new verb is tried by
itself. Most arguments of a call are usable ones and a few are wrong, so that calls get past the first
check. The numbers are drawn from a seed for each method, and the same in every run.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import inspect
import random
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import Check, Options, Report, Table, environment, workplace
from remora.app.aio import AsyncMemory
from remora.app.memory import Memory
from remora.app.records.items import Items, Put
from remora.core.errors import RemoraError
from remora.core.events import Event
from remora.core.values import MemoryDraft, Message

CALLS = 200  # of each method, by default
SEED = 18
WRONG = 0.35  # of the arguments
NO_MODEL = {"REMORA_EMBEDDING_PROVIDER": "none"}
ENDING = frozenset({"close"})  # after these the object is of no use; they take no arguments
BY_NAME: dict[str, Any] = {
    "role": "user",
    "type": "gotcha",
    "order": "created",
    "namespace": ("a", "b"),
    "prefix": ("a",),
    "key": "k",
    "value": {"text": "tokens expire"},
    "arguments": {"file_path": "src/auth.py"},
    "messages": [{"role": "user", "content": "hello"}],
    "drafts": [{"content": "Tokens expire after 24 h"}],
    "path": "src/auth.py",
    "paths": ["src/auth.py"],
    "files": ["src/auth.py"],
    "related_files": ["src/auth.py"],
    "day": datetime.date(2026, 3, 1),
    "event": Event("message", "2026-03-01T12:00:00Z", "s:1"),
    "said": lambda _: None,
    "time": "2026-03-01T12:00:00Z",
    "puts": [Put(("a",), "k", {"text": "x"})],
    "changes": [Put(("a",), "k", {"text": "x"})],
}


FIELDS = {
    "fields": sorted({*MemoryDraft._fields, *Message._fields, "no_such_field"} - {"content", "role"}),
    "changes": sorted({*MemoryDraft._fields, "no_such_field"}),
}


class Odd:
    """An object of nobody's."""


class Rude:
    """An object that fails whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    __str__ = __repr__


POOL: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.5, 1e308,
    float("nan"), float("inf"), float("-inf"), b"", b"bytes \xff", "", " ", "a", "\0", "a\0b", "\ud800",
    "text \udfff text", "x" * 4_000, "word " * 20_000, "é" * 5_000,
    "../../..", "/no/such/path", "no/such/path.py", "~nobody/x", "%", "*", '"', "' OR 1=1 --", "2026-13-45",
    "9999-12-31T23:59:59Z", "0000-00-00", "\u202e", "[", "(",
    "a" * 300, [], [None], ["a", 1, None, b"x"], [[]], [{}], ["\0"], ["\ud800"], [float("nan")], (), ("a", 2),
    {}, {"a": 1}, {1: 2}, {"content": 3}, {"role": None}, [{"role": 1, "content": 2}], set(),
    frozenset({1}), range(3),
    object(), Odd(), Rude(), 1j, Path("no/such"), Path("a\0b"),
    datetime.date.min, datetime.date.max, datetime.datetime.max, datetime.timedelta.max,
)  # fmt: skip


class Failure(NamedTuple):
    """A call that raised an error of nobody's, or took too long."""

    method: str
    call: str
    error: str


class Verb(NamedTuple):
    """A public method, with the object it is called on made anew for each call."""

    name: str
    owner: Callable[[], Any]
    method: str


def objects(memory: Memory) -> dict[str, Callable[[], Any]]:
    """Return what makes each public object, by its name."""
    items = Items(memory._project, lambda value, _: [str(value)])
    loop = memory.loop("fuzz-loop")
    return {
        "memory": lambda: memory,
        "session": lambda: memory.session("fuzz:1"),
        "entries": lambda: memory.entries,
        "journal": lambda: memory.journal,
        "items": lambda: items,
        "loop": lambda: loop,
        "observe": lambda: memory.observe("fuzz-watched", "python"),
        "async_memory": lambda: AsyncMemory(memory),
        "async_session": lambda: AsyncMemory(memory).session("fuzz:1"),
        "async_entries": lambda: AsyncMemory(memory).entries,
        "async_journal": lambda: AsyncMemory(memory).journal,
    }


def verbs(memory: Memory) -> Iterator[Verb]:
    """Yield every public method of every public object."""
    for name, owner in objects(memory).items():
        kind = type(owner())
        for method in sorted(dir(kind)):
            if not method.startswith("_") and method not in ENDING and callable(getattr(kind, method)):
                yield Verb(f"{name}.{method}", owner, method)


def usable(parameter: inspect.Parameter, memory_id: str, rng: random.Random) -> Any:
    """Return a value that the parameter takes, as far as its name tells."""
    if parameter.name == "memory_id":
        return memory_id
    if parameter.name == "stop":
        stop = threading.Event()
        stop.set()
        return stop
    if parameter.name in BY_NAME:
        return BY_NAME[parameter.name]
    if isinstance(parameter.default, bool | int | float | tuple | str) and parameter.default != "":
        return parameter.default
    return rng.choice(("tokens", "Tokens expire after 24 h"))


def arguments(call: Any, memory_id: str, rng: random.Random) -> dict[str, Any]:
    """Return arguments by name: usable ones, some of them replaced by wrong ones."""
    given: dict[str, Any] = {}
    for parameter in inspect.signature(call).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            names = FIELDS[parameter.name]
            given.update({name: rng.choice(POOL) for name in rng.sample(names, rng.randrange(3))})
            continue
        needed = parameter.default is parameter.empty
        if not needed and rng.random() < 0.6:
            continue
        wrong = rng.random() < WRONG
        given[parameter.name] = rng.choice(POOL) if wrong else usable(parameter, memory_id, rng)
    return given


def attempt(verb: Verb, memory_id: str, rng: random.Random) -> Failure | None:
    """Make one call; return what it did wrong."""
    call = getattr(verb.owner(), verb.method)
    given = arguments(call, memory_id, rng)
    positional = [
        given.pop(p.name)
        for p in inspect.signature(call).parameters.values()
        if p.kind is p.POSITIONAL_ONLY and p.name in given
    ]
    try:
        answer = call(*positional, **given)
        if inspect.isawaitable(answer):
            asyncio.run(_awaited(answer))
    except RemoraError:
        return None
    except Exception as error:  # noqa: BLE001  that is what is looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {_words(error)} ({Path(place.filename).name}:{place.lineno})"
        return Failure(verb.name, f"{_words([*positional, given])}", said)
    return None


async def _awaited(answer: Any) -> Any:
    return await answer


def _words(value: Any) -> str:
    try:
        return (str if isinstance(value, Exception) else repr)(value)[:300]
    except Exception:  # noqa: BLE001  some of the pool cannot be written
        return f"<{type(value).__name__}>"


def fuzz(
    folder: Path, calls: int, seed: int = SEED, only: str = ""
) -> tuple[int, list[Failure], dict[str, float]]:
    """Call every method so many times; return the calls made, the failures and the seconds of each method."""
    root = folder / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src/auth.py").write_text("def login():\n    return 1\n", "utf-8")
    failures: list[Failure] = []
    spent: dict[str, float] = {}
    made = 0
    place = contextlib.chdir(root)  # some verbs write the file that they are given
    with place, Memory.open(root, environ=environment(folder, **NO_MODEL)) as memory:
        for verb in [v for v in verbs(memory) if only in v.name]:
            rng = random.Random(f"{seed}/{verb.name}")
            memory_id = memory.remember("Tokens expire after 24 h").id
            started = time.perf_counter()
            # An async twin runs the same code in a thread, at ten times the cost.
            for _ in range(max(1, calls // 10) if verb.name.startswith("async") else calls):
                failure = attempt(verb, memory_id, rng)
                made += 1
                if failure is not None:
                    failures.append(failure)
            spent[verb.name] = time.perf_counter() - started
    return made, failures, spent


def run(options: Options) -> Report:
    """Fuzz with the calls that `--limit` says for each method."""
    calls = options.limit or CALLS
    with workplace(options.keep) as folder:
        made, failures, spent = fuzz(folder, calls)
    rows = tuple((f.method, f.error[:100], f.call[:100]) for f in failures[:40])
    return Report(
        "fuzz_api",
        {"calls": made, "methods": len(spent), "failures": len(failures)},
        (Table("Errors that are not ours", ("method", "error", "call"), rows),),
        (Check("errors that are not ours", len(failures), "0", not failures),),
    )
