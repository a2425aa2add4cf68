"""How the time of every pattern and of every scanner grows with its text, and what 100 kB of it take.

Patterns are found as `benchmarks.patterns` says, scanners by their signature: a public function that asks
for one text and nothing else. What takes more stands in a table. The growth test of the gate runs the same.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks import growth
from benchmarks.common import Check, Options, Report, Table, say
from benchmarks.patterns import Found, all_modules, all_patterns, hard_texts
from remora.core import paths, tasks
from remora.core.budget import FILE_SECONDS
from remora.core.errors import RemoraError
from remora.core.events import Event
from remora.core.history_entries import parse
from remora.graph import tables
from remora.graph.chunks import chunks
from remora.graph.extract import extract
from remora.graph.grammars import LANGUAGES
from remora.interfaces.install.insertions import Broken
from remora.observer.observer import Observer
from remora.sources.rules import read_given

SIZE = 100_000  # bytes of the texts that are timed
SHOWN = 20

# Packages whose functions of one text are pure: they open nothing and write nothing.
PURE = (
    "core conversation entries.names entries.words graph injection interfaces.drafts "
    "interfaces.hooks.reading interfaces.install.jsonc interfaces.install.tomls interfaces.present journal "
    "lifecycle llm.client observer retrieval shell sources"
).split()
TEXTS = frozenset({"str", "bytes", "str | None"})
NO_SCANNERS = frozenset({
    "core.secret_rules:compiled",  # its text is a pattern of ours
    "graph.packed:kept_outline",  # of bytes that we packed
    "graph.packed:unpack_outline", "graph.packed:unpack_uses",
})  # fmt: skip
REFUSALS = (RemoraError, Broken, ValueError, LookupError, RecursionError)  # of a text that makes no sense

# What is repeated for a scanner: what opens something and never closes it, long words, runs of one sign.
BITS = (
    *(" ", "\n", "a", "0", "_", "-", "/", ".", ":", "=", "#", "|", "\\", '"', "'", "`", "(", "[", "{", "é"),
    *(
        "a ",
        "a.",
        "a/",
        "a_",
        "- a\n",
        "a: b\n",
        "x='",
        "aB9+/",
        "<!--",
        "/*",
        "$(",
        "```\n",
        "{{a,b}",
        "a;b&&",
    ),
    *("A b. ", "use a.py, ", '{"a":', "[a](", "<a>", "@a"),
)
# More of them, for the benchmark.
MORE_BITS = (
    *(
        "\r\n",
        "\t",
        '\\"',
        "../",
        "./",
        "//",
        "a.a ",
        "a:",
        "[[",
        "[a]\n",
        ",",
        'File "',
        "module ",
        "\nmodule",
    ),
    *(
        "`a",
        "``a`",
        "``` ",
        "\u2028",
        "a@",
        "a-",
        "@",
        "\0",
        "-----BEGIN A PRIVATE KEY-----",
        "key=",
        "の",
        "!",
    ),
    *(
        "<<a\n",
        "*** Add File: a\n",
        "Error: a\n",
        "E   a\n",
        "a.py:1: ",
        "\x1b[",
        "~~~\n",
        "# a\n",
        "|a|\n|-|\n",
        "<b ",
    ),
)


class Scanner(NamedTuple):
    """Something that reads text, by the name that is printed."""

    name: str
    run: growth.Run
    texts: tuple[tuple[str, str], ...]


def _observed(text: str) -> None:
    """Watch a session in which a person, an agent, a command and its output say a text."""
    observer = Observer("s", "claude-code")
    told = (
        Event("prompt", "s", "1", text=text),
        Event("reply", "s", "2", 1, text=text),
        Event("tool_call", "s", "3", 1, action="run", tool="Bash", call_id="c", command=text),
        Event("tool_result", "s", "4", 1, action="run", tool="Bash", call_id="c", text=text, error=True),
    )
    for event in told:
        observer.observe(event)
    observer.finalize()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _parsed(language: str, text: str) -> None:
    chunks("a", text, extract(_bytes(text), language), "code")


# Scanners that ask for more than one text, as they are called.
CALLED: MappingProxyType[str, growth.Run] = MappingProxyType({
    "core.paths:matches (glob)": lambda text: paths.matches(text, "a" * 200),
    "core.paths:matches (path)": lambda text: paths.matches("**/*a*b*/{c,d}", text),
    "core.tasks:written_paths": lambda text: tasks.written_paths(tasks.zones(text)),
    "core.tasks:names": lambda text: tasks.names(tasks.zones(text)),
    "graph.tables:split_signature": lambda text: tables.split_signature(text, "a"),
    "core.history_entries:parse": lambda text: list(parse([_bytes(text)])),
    "sources.rules:read_given": lambda text: read_given(_bytes(text), "AGENTS.md", Path("/no")),
    "observer.observer:Observer": _observed,
})  # fmt: skip


def scanners(bits: tuple[str, ...] = BITS) -> Iterator[Scanner]:
    """Yield every scanner of text with what is repeated for it."""
    texts = tuple(("", bit) for bit in bits)
    for module in all_modules():
        name = module.__name__.partition(".")[2]
        if not any(name == pure or name.startswith(pure + ".") for pure in PURE):
            continue
        for key, value in sorted(vars(module).items()):
            kind = _of_one_text(value) if getattr(value, "__module__", None) == module.__name__ else ""
            if kind and not key.startswith("_") and f"{name}:{key}" not in NO_SCANNERS:
                yield Scanner(f"{name}:{key}", _fresh(inspect.unwrap(value), kind), texts)
    for name, called in CALLED.items():
        yield Scanner(name, _fresh(called, "str"), texts)
    for language in (name for name in LANGUAGES if LANGUAGES[name].queries):  # a parser takes its time
        yield Scanner(
            f"graph.extract:extract ({language})", _fresh(partial(_parsed, language), "str"), texts[::5]
        )


def _of_one_text(value: Any) -> str:
    """Return how the one text that a function needs is annotated, "" when it needs none or more."""
    if not callable(value) or isinstance(value, type):
        return ""
    asked = inspect.signature(value).parameters.values()
    needed = [p for p in asked if p.default is p.empty]
    kind = needed[0].annotation if len(needed) == 1 and needed[0].kind is not needed[0].VAR_POSITIONAL else ""
    return kind if kind in TEXTS else ""


_NUMBERS = itertools.count()


def _fresh(function: Callable[[Any], Any], kind: str) -> growth.Run:
    """Return a call with a text that no cache has seen; an answer that comes bit by bit is taken whole."""

    def run(text: str) -> None:
        text = f"{text}{next(_NUMBERS)}"
        try:
            answer = function(_bytes(text) if kind == "bytes" else text)
            if isinstance(answer, Iterator):
                for _ in answer:
                    pass
        except REFUSALS:
            pass

    return run


def of_pattern(found: Found) -> Scanner:
    """Return a pattern with the texts that are hard for it."""
    return Scanner(found.place, found.run, tuple(hard_texts(found.pattern)))


def failures(scanner: Scanner) -> list[growth.Growth]:
    """Return the first text that takes a scanner more than 2.5 times as long when it is twice as long."""
    for start, bit in growth.suspects(scanner.run, scanner.texts):
        if found := growth.failure(scanner.run, start, bit):
            return [found]
    return []


def slowest(scanner: Scanner, chars: int = growth.LONGER) -> tuple[str, str]:
    """Return the (start, bit) of the text that takes a scanner the longest."""

    def spent(text: tuple[str, str]) -> float:
        start, bit = text
        return growth.seconds(scanner.run, growth.text_of(start, bit, growth.END, chars))

    return max(scanner.texts, key=spent)


class _Row(NamedTuple):
    name: str
    text: str
    factor: float
    seconds: float  # for SIZE bytes

    @classmethod
    def of(cls, scanner: Scanner) -> _Row:
        start, bit = slowest(scanner)
        per_byte = SIZE * len(bit) // len(bit.encode("utf-8", "replace"))
        times = [
            growth.seconds(scanner.run, growth.text_of(start, bit, growth.END, per_byte // part), 2)
            for part in (4, 2, 1)
        ]
        whole = times[-1] >= growth.FLOOR and all(times)
        factor = min(times[1] / times[0], times[2] / times[1]) if whole else 0.0
        return cls(scanner.name, f"{start}{bit}…", factor, times[-1])


def run(options: Options) -> Report:
    """Time every pattern and every scanner; `--limit` takes that many of each."""
    patterns = [of_pattern(found) for found in all_patterns()][: options.limit]
    functions = list(scanners((*BITS, *MORE_BITS)))[: options.limit]
    rows: dict[str, list[_Row]] = {"patterns": [], "scanners": []}
    broken: list[tuple[str, str]] = []
    for kind, group in (("patterns", patterns), ("scanners", functions)):
        for number, scanner in enumerate(group):
            if number % 100 == 0:
                say(f"{kind}: {number} of {len(group)}")
            bad = failures(scanner)
            broken += [(scanner.name, str(one)) for one in bad]
            if not bad and scanner.texts:
                rows[kind].append(row := _Row.of(scanner))
                if row.factor > growth.GROWTH:
                    broken.append((row.name, f"{row.text}: {row.factor:.1f} times up to 100 kB"))
    tables = [
        Table(
            f"The slowest {kind}, for their worst text",
            ("name", "text", "growth", "seconds for 100 kB"),
            tuple(
                (row.name, ascii(row.text)[:50], round(row.factor, 2), row.seconds)
                for row in sorted(found, key=lambda row: -row.seconds)[:SHOWN]
            ),
        )
        for kind, found in rows.items()
    ]
    if broken:
        tables.append(Table("More than 2.5 times a doubling", ("name", "text"), tuple(broken)))
    worst = {kind: max((row.seconds for row in found), default=0.0) for kind, found in rows.items()}
    figures = {
        "patterns": len(patterns),
        "scanners": len(functions),
        "texts": sum(len(scanner.texts) for scanner in (*patterns, *functions)),
        "too fast": len(broken),
        "seconds": {kind: round(seconds, 3) for kind, seconds in worst.items()},
    }
    checks = (
        Check("grow by more than 2.5 times a doubling", len(broken), "0", not broken),
        *(
            Check.below(f"slowest of the {kind}, 100 kB", most, FILE_SECONDS, "s")
            for kind, most in worst.items()
        ),
    )
    return Report("scanners", figures, tuple(tables), checks)
