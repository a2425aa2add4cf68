"""What every benchmark shares: its options, its report, a sandbox to run in, and how results are kept."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from remora.app.memory import Memory

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"

# Settings that a caller may hand in from outside; everything else is a user's default.
_PASSED_ON = ("REMORA_EMBEDDING_", "REMORA_RERANK_", "REMORA_SEARCH_", "REMORA_LLM_", "REMORA_INJECT_")


class Options(NamedTuple):
    """How a benchmark is run.

    Attributes:
        data: the folder that holds locomo/, beam_100k/, cosqa/ and git_history/.
        limit: at most so many dialogues, chats, queries, commits or runs; None for all.
        ablate: also measure the search without each of its stages.
        sizes: numbers of memories for `latency`.
        keep: a folder where the databases stay, so that the next run need not make them again.
        repo: a git repository for `indexing` (None makes one up), `cochange` and `boost`.
        packages: folders with a package each, for `resolution`.
        repos: a folder with clones of public repositories, for `issues`.
        clones: a folder with clones of the repositories of labels/wild.tsv, for `wild`.
        servers: addresses of servers that carry a shared log, for `sharing`.
        envs: a folder for the environments of other memories, for `peers`; None for the user's cache.
    """

    data: Path | None = None
    limit: int | None = None
    ablate: bool = False
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    keep: Path | None = None
    repo: Path | None = None
    packages: tuple[Path, ...] = ()
    repos: Path | None = None
    clones: Path | None = None
    servers: tuple[str, ...] = ()
    envs: Path | None = None

    def folder(self, name: str) -> Path:
        """Return a data set's folder.

        Raises:
            SystemExit: no folder was named, or it does not hold that data set.
        """
        if self.data is None:
            raise SystemExit(f"--data DIR is needed: the folder that holds {name}/")
        found = self.data / name
        if not found.is_dir():
            raise SystemExit(f"there is no {name}/ in the folder given by --data")
        return found


class Table(NamedTuple):
    """Rows of figures under column names; floats are printed with three digits."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


class Check(NamedTuple):
    """A figure beside what was promised of it."""

    what: str
    value: float
    promise: str
    met: bool

    @classmethod
    def at_least(cls, what: str, value: float, least: float) -> Check:
        """Return a check that a figure reaches a number."""
        return cls(what, value, f">= {least:.3f}", value >= least)

    @classmethod
    def at_most(cls, what: str, value: float, most: float) -> Check:
        """Return a check that a figure stays at or below a number."""
        return cls(what, value, f"<= {most:.3f}", value <= most)

    @classmethod
    def above(cls, what: str, value: float, other: float, name: str) -> Check:
        """Return a check that a figure is above that of a rival in the same run."""
        return cls(what, value, f"> {other:.3f} ({name})", value > other)

    @classmethod
    def below(cls, what: str, value: float, most: float, unit: str) -> Check:
        """Return a check that a time or a size stays within its budget."""
        return cls(what, value, f"< {most:g} {unit}", value < most)


class Report(NamedTuple):
    """What a benchmark found: figures for programs, tables and notes for people, and the promises."""

    name: str
    figures: Mapping[str, Any]
    tables: tuple[Table, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    model: str = "none"
    settings: Mapping[str, Any] = {}


def say(text: str) -> None:
    """Tell whoever waits how far it is, on standard error."""
    print(text, file=sys.stderr, flush=True)


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return a user's environment whose data lies in `home` and whose settings are the defaults.

    A setting of search, embedding or rerank in the process's own environment is passed on, so that
    another configuration can be measured on purpose; the result says which one it was.
    """
    kept = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    base = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    more = {"REMORA_TRIAL_SHARE": "0", **more}  # nothing is held back by chance
    places = {"HOME": str(home), "REMORA_HOME": str(home / "data"), "REMORA_CONFIG": str(home / "config")}
    return {**base, **kept, **places, **more}


@contextlib.contextmanager
def workplace(keep: Path | None = None, name: str = "") -> Iterator[Path]:
    """Give a folder for homes and projects; it is gone afterwards unless it is to be kept."""
    if keep is not None:
        place = keep / name
        place.mkdir(parents=True, exist_ok=True)
        yield place
        return
    folder = tempfile.mkdtemp(prefix="remora-benchmark-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def memory_in(place: Path, **parts: Any) -> Iterator[Memory]:
    """Open the memory of a project of its own, with a home of its own, inside a folder."""
    project = place / "project"
    project.mkdir(parents=True, exist_ok=True)
    with Memory.open(project, environ=environment(place), **parts) as memory:
        yield memory


def model_of(memory: Memory) -> str:
    """Return the id of the embedding model in use, "none" where there is none."""
    embedder = memory._project.embedder()
    return embedder.model_id if embedder is not None else "none"


def settings_of(memory: Memory) -> dict[str, Any]:
    """Return the settings in force as plain values, section by section."""
    found: dict[str, Any] = {}
    for name, value in memory.settings._asdict().items():
        found[name] = dict(value._asdict()) if hasattr(value, "_asdict") else value
    return found


def revision() -> tuple[str, bool]:
    """Return the short id of the commit that is measured, and whether files differ from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    changed = [
        line for line in git("status", "--porcelain").splitlines() if "benchmarks/results/" not in line
    ]
    return git("rev-parse", "--short", "HEAD") or "unknown", bool(changed)


def load() -> float | None:
    """Return how many processes wanted a processor in the last minute; above `cpus`, times say little."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def render(report: Report) -> str:
    """Return a report as text for a terminal."""
    parts = [f"# {report.name}   model: {report.model}"]
    parts += [_render_table(table) for table in report.tables]
    if report.checks:
        rows = tuple((c.what, c.value, c.promise, "met" if c.met else "NOT MET") for c in report.checks)
        parts.append(_render_table(Table("Promises", ("what", "measured", "promised", ""), rows)))
    parts += [f"note: {note}" for note in report.notes]
    return "\n\n".join(parts)


def _render_table(table: Table) -> str:
    cells = [table.columns, *(tuple(_cell(value) for value in row) for row in table.rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(table.columns))]
    numeric = [all(not isinstance(row[at], str) for row in table.rows) for at in range(len(table.columns))]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([table.title, lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def save(report: Report, options: Options, folder: Path, seconds: float) -> Path:
    """Write a report as JSON, named by benchmark and commit; no path and no name of a machine is in it."""
    commit, dirty = revision()
    content = {
        "benchmark": report.name,
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": platform.python_version(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
        "load": load(),
        "seconds": round(seconds, 1),
        "embedding_model": report.model,
        "settings": report.settings,
        "options": {"limit": options.limit, "ablate": options.ablate, "kept": options.keep is not None},
        "figures": report.figures,
        "checks": [c._asdict() for c in report.checks],
        "notes": list(report.notes),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{report.name}-{commit}.json"
    path.write_text(json.dumps(_rounded(content), indent=1, ensure_ascii=False, sort_keys=False) + "\n")
    return path


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, Mapping):
        return {str(k): _rounded(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_rounded(v) for v in value]
    return value


@contextlib.contextmanager
def stopwatch() -> Iterator[list[float]]:
    """Give a list that holds the seconds of the block when it is over."""
    found: list[float] = []
    started = time.perf_counter()
    try:
        yield found
    finally:
        found.append(time.perf_counter() - started)
