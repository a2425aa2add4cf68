"""`python -m benchmarks NAME`: run a benchmark, print its table, keep its figures."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    advice,
    amended,
    beam,
    boost,
    bursts,
    cochange,
    concurrency,
    conversations,
    cosqa,
    crash,
    entries,
    fuzz_api,
    hook,
    indexing,
    issues,
    junk,
    latency,
    leaks,
    learning,
    live,
    locomo,
    many_commands,
    mcp_start,
    moments,
    peers,
    poisoning,
    rediscovery,
    replay,
    resolution,
    roundtrip,
    rule_pieces,
    rule_triggers,
    scanners,
    secrets_found,
    session_files,
    sharing,
    smoke,
    standing,
    unasked,
    wild,
    words,
    written,
)
from benchmarks.common import RESULTS, Options, Report, load, render, save

BENCHMARKS: dict[str, Callable[[Options], Report]] = {
    "locomo": locomo.run,
    "amended": amended.run,
    "beam": beam.run,
    "cosqa": cosqa.run,
    "cochange": cochange.run,
    "boost": boost.run,
    "standing": standing.run,
    "issues": issues.run,
    "resolution": resolution.run,
    "indexing": indexing.run,
    "latency": latency.run,
    "mcp": mcp_start.run,
    "concurrency": concurrency.run,
    "roundtrip": roundtrip.run,
    "sharing": sharing.run,
    "crash": crash.run,
    "fuzz_api": fuzz_api.run,
    "scanners": scanners.run,
    "entries": entries.run,
    "conversations": conversations.run,
    "learning": learning.run,
    "junk": junk.run,
    "sessions": session_files.run,
    "commands": many_commands.run,
    "poisoning": poisoning.run,
    "advice": advice.run,
    "hook": hook.run,
    "bursts": bursts.run,
    "moments": moments.run,
    "words": words.run,
    "written": written.run,
    "unasked": unasked.run,
    "rule_pieces": rule_pieces.run,
    "rule_triggers": rule_triggers.run,
    "replay": replay.run,
    "live": live.run,
    "rediscovery": rediscovery.run,
    "leaks": leaks.run,
    "secrets": secrets_found.run,
    "wild": wild.run,
    "peers": peers.run,
}


ALONE = ("peers",)  # not part of "all": it installs other programs


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    found.add_argument("name", choices=[*BENCHMARKS, "smoke", "all"])
    found.add_argument("--data", type=Path, help="the folder that holds locomo/, beam_100k/ and the others")
    found.add_argument("--out", type=Path, help="where the JSON goes; benchmarks/results by default")
    found.add_argument("--limit", type=int, help="at most so many dialogues, chats, queries, commits or runs")
    found.add_argument("--ablate", action="store_true", help="also measure the search without each part")
    found.add_argument("--sizes", default="1000,10000,100000", help="numbers of memories for latency")
    found.add_argument("--keep", type=Path, help="keep the filled projects here for the next run")
    found.add_argument("--repos", type=Path, help="a folder with clones of sympy and pytest, for issues")
    found.add_argument(
        "--repo",
        type=Path,
        help="a git repository for indexing (else made up), cochange, boost, standing, sessions, junk",
    )
    found.add_argument("--packages", type=Path, nargs="+", default=(), help="folders for resolution")
    found.add_argument("--clones", type=Path, help="a folder with clones of public repositories, for wild")
    found.add_argument("--servers", nargs="+", default=(), help="addresses of PostgreSQL, libSQL for sharing")
    found.add_argument("--envs", type=Path, help="a folder for the environments of other memories, for peers")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for; return 1 when a promise was not kept."""
    asked = parser().parse_args(arguments)
    sizes = tuple(int(size) for size in asked.sizes.split(","))
    options = Options(asked.data, asked.limit, asked.ablate, sizes, asked.keep, repos=asked.repos)
    options = options._replace(repo=asked.repo, packages=tuple(asked.packages), clones=asked.clones)
    options = options._replace(servers=tuple(asked.servers), envs=asked.envs)
    chosen = {"smoke": smoke.run} if asked.name == "smoke" else BENCHMARKS
    kept = True
    for name, run in chosen.items():
        if asked.name != name and (asked.name != "all" or name in ALONE):
            continue
        started = time.perf_counter()
        report = run(options)
        seconds = time.perf_counter() - started
        print(f"\n{render(report)}\n\n{name}: {seconds:.0f} s, load {load()}", flush=True)
        # The smoke run is part of every check; its figures are worth nothing and would only pile up.
        if name != "smoke" or asked.out:
            save(report, options, asked.out or RESULTS, seconds)
        kept = kept and all(check.met for check in report.checks)
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
