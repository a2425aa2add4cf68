"""How long a host waits for the first answer of the MCP server, and for every answer after it.

Cold is from starting the process to the answer of the first tool call, with the handshake in between. It
stands beside what no server in Python can do without, measured in the same run and in turns: a process that
imports `mcp.server` and says so. That process is timed to its word, not to its end. Every round has one of
each, so that whoever else uses the machine disturbs all of them alike; what counts is the median of the
rounds' own ratios. Beside it stands the processor time of the whole processes, their end included. A first
round, which finds files for the first time and writes bytecode, is left out.

There is no embedding model: what one takes to load is a matter of `latency`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.metrics import percentile
from benchmarks.texts import Sample, Texts
from remora.app.memory import Memory

MEMORIES = 1_000
ROUNDS = 21
WARM_CALLS = 300
WARM_UP = 20
COLD_BUDGET = 1.3  # times the import alone, from the design
WARM_BUDGET_MS = 30.0
IMPORT = "import mcp.server; print('there', flush=True)"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Host:
    """A server in a process of its own, and a host that writes lines to it."""

    def __init__(self, place: Path, env: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "remora", "mcp", "--project", str(place / "project")]
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0

    def hello(self) -> float:
        """Shake hands; return the seconds since the process was started."""
        self._ask("initialize", HELLO)
        seconds = time.perf_counter() - self.started
        self._write({"method": "notifications/initialized"})
        return seconds

    def call(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Call a tool and wait for its answer."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if answer["result"].get("isError"):
            raise SystemExit(f"{tool} failed: {answer['result']['content'][0]['text']}")

    def close(self) -> None:
        """Close its stdin and wait for its end."""
        self._process.communicate()

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


@contextmanager
def host(place: Path, env: Mapping[str, str]) -> Iterator[Host]:
    """Start a server and end it again."""
    started = Host(place, env)
    try:
        yield started
    finally:
        started.close()


def imported(env: Mapping[str, str]) -> float:
    """Return the seconds until a new process has imported `mcp.server`."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", IMPORT], cwd=ROOT, env=dict(env), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - started


def first(
    place: Path, env: Mapping[str, str], tool: str, arguments: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the seconds from the start of a server to its handshake and to its first answer."""
    with host(place, env) as server:
        hello = server.hello()
        server.call(tool, arguments)
        return hello, time.perf_counter() - server.started


def processor() -> float:
    """Return the seconds of processor time that processes took which this one started and which are over."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cold(place: Path, env: Mapping[str, str], queries: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each kind of start, round by round."""
    kinds = ("import", "handshake", "search", "review", "import, processor", "search, processor")
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number in range(rounds + 1):
        query = {"query": queries[number % len(queries)]}
        spent = [processor()]
        alone = imported(env)
        spent.append(processor())
        handshake, search = first(place, env, "search_memory", query)
        spent.append(processor())
        review = first(place, env, "review", {})[1]
        if number:
            taken = (alone, handshake, search, review, spent[1] - spent[0], spent[2] - spent[1])
            for kind, seconds in zip(kinds, taken, strict=True):
                found[kind].append(seconds)
    return found


def warm(place: Path, env: Mapping[str, str], queries: Sequence[str], calls: int) -> dict[str, list[float]]:
    """Return the seconds of answers of a server that has been asked before."""
    found: dict[str, list[float]] = {"search": [], "review": []}
    with host(place, env) as server:
        server.hello()
        for number in range(calls + WARM_UP):
            asked = {"query": queries[number % len(queries)]}
            for name, tool, arguments in (("search", "search_memory", asked), ("review", "review", {})):
                started = time.perf_counter()
                server.call(tool, arguments)
                if number >= WARM_UP:
                    found[name].append(time.perf_counter() - started)
    return found


def samples() -> Iterator[Sample]:
    """Yield made-up memories with their queries, without end."""
    texts = Texts()
    while True:
        yield texts.sample()


def measure(limit: int | None) -> dict[str, float]:
    """Return every figure."""
    with workplace() as place:
        made = list(islice(samples(), MEMORIES))
        env = environment(place, REMORA_EMBEDDING_PROVIDER="none")
        (place / "project").mkdir()
        with Memory.open(place / "project", environ=env) as memory:
            memory.remember_many([sample.draft for sample in made])
        queries = list(dict.fromkeys(sample.query for sample in made))
        say(f"mcp: {limit or ROUNDS} rounds of starts")
        starts = cold(place, env, queries, limit or ROUNDS)
        answers = warm(place, env, queries, WARM_CALLS if limit is None else min(WARM_CALLS, 20 * limit))
    figures = {f"{name} p50 ms": percentile(values, 50) * 1000 for name, values in starts.items()}
    for name in ("handshake", "search", "review"):
        ratios = [ours / alone for ours, alone in zip(starts[name], starts["import"], strict=True)]
        figures[f"{name} / import"] = percentile(ratios, 50)
        figures[f"{name} / import, of the medians"] = figures[f"{name} p50 ms"] / figures["import p50 ms"]
    for name, values in answers.items():
        figures[f"warm {name} p50 ms"] = percentile(values, 50) * 1000
        figures[f"warm {name} p95 ms"] = percentile(values, 95) * 1000
    return figures


def run(options: Options) -> Report:
    """Measure the first answer and those after it."""
    figures = measure(options.limit)
    rows = tuple((name, value) for name, value in figures.items())
    checks: list[Check] = []
    if options.limit is None:
        for name in ("search", "review"):
            what = f"first answer of {name}, cold / import mcp.server"
            checks.append(Check.below(what, figures[f"{name} / import"], COLD_BUDGET, "x"))
            checks.append(
                Check.below(f"{name}, warm, p50", figures[f"warm {name} p50 ms"], WARM_BUDGET_MS, "ms")
            )
    title = f"MCP server, {MEMORIES:,} memories, no embedding model"
    return Report("mcp", figures, (Table(title, ("", "median"), rows),), tuple(checks))
