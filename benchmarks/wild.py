"""Does a command of ours fail on a repository that nobody here wrote: names, scripts, sizes, languages?

Every clone that is given is copied nowhere and changed nowhere: its data lies in a home of its own. Each of
init, learn, status, search, impact, files, plan and checks is a process of its own, with its time and the
most memory that it held. None may print a traceback, speak of something unforeseen, be killed, or end with a
status that `remora.core.errors` does not know. `impact` is asked about a definition that the index found.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from remora.app.memory import Memory
from remora.core.errors import EXIT_CODES, RemoraError

LIST = ROOT / "benchmarks" / "labels" / "wild.tsv"
SECONDS = 300.0  # for one command; a person has gone by then
TASK = "fix the error when the input is empty"
UNFORESEEN = ("Traceback (most recent call last)", "something unforeseen")
ALLOWED = frozenset((0, *EXIT_CODES.values())) - {
    EXIT_CODES[RemoraError]
}  # that one is for what nobody foresaw
USUAL = ("generated", "minified", "unknown kind", "larger than", "binary")  # what is left out by design


class Listed(NamedTuple):
    """A repository of the list: owner/name, the commit that was measured, its main language."""

    name: str
    commit: str
    language: str


class Ran(NamedTuple):
    """One command: its words, exit status, seconds, peak memory in MB, and what is wrong with it, or ""."""

    verb: str
    status: int
    seconds: float
    megabytes: float
    wrong: str
    output: str


def listed() -> list[Listed]:
    """Return the list of repositories, without its head line."""
    lines = LIST.read_text("utf-8").splitlines()[1:]
    return [Listed(*line.split("\t")) for line in lines if line]


def run_command(words: Sequence[str], where: Path, env: Mapping[str, str]) -> Ran:
    """Run `remora` with some words in a folder and measure it."""
    code = (
        "import resource, subprocess, sys\n"
        "try: done = subprocess.run(sys.argv[2:], timeout=float(sys.argv[1])).returncode\n"
        "except subprocess.TimeoutExpired: done = 124\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
        "sys.exit(done if done >= 0 else 128 - done)\n"
    )
    remora = [sys.executable, "-P", "-m", "remora", *words]
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, str(SECONDS), *remora],
        cwd=where,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    seconds = time.perf_counter() - began
    said, _, kilobytes = done.stderr.decode("utf-8", "replace").rstrip().rpartition("\n")
    output = done.stdout.decode("utf-8", "replace")
    wrong = next((sign for sign in UNFORESEEN if sign in said or sign in output), "")
    if not wrong and done.returncode not in ALLOWED:
        wrong = "took too long" if done.returncode == 124 else f"exit status {done.returncode}"
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    held = int(kilobytes) / unit if kilobytes.strip().isdigit() else 0.0
    return Ran(words[0], done.returncode, seconds, held, wrong, output or said)


def commands(clone: Path, home: Path) -> list[Ran]:
    """Run all commands on one clone, in the order in which a newcomer would."""
    env = environment(home)
    ran = [run_command(("init", "--json"), clone, env), run_command(("learn", "--json"), clone, env)]
    target = _function(clone, env)
    asked = (("status",), ("search", TASK), ("impact", target), ("files", TASK), ("plan", TASK), ("checks",))
    return ran + [run_command(words, clone, env) for words in asked]


def _function(clone: Path, env: Mapping[str, str]) -> str:
    """Return a definition, or the first file that is tracked where the index has none."""
    with Memory.open(clone, environ=env) as memory:
        graph = memory._project.db.graph
        paths = sorted(path for path, row in graph.files().items() if row.kind == "code" and not row.skipped)
        for path in paths:
            node = graph.node(path)
            for key in sorted(graph.inside(node).values() if node else ()):
                return key
    return paths[0] if paths else "README.md"


def _skipped(ran: Ran) -> Counter[str]:
    """Return why `init` or `learn` skipped something, and how often; reasons of design are left out."""
    try:
        found: Any = json.loads(ran.output)
    except ValueError:
        return Counter()
    skips = [*found.get("skipped", ()), *((found.get("code") or {}).get("skipped", ()))]
    whys = [str(one.get("why") or one.get("reason")) for one in skips]
    return Counter(why.partition(";")[0][:80] for why in whys if not why.startswith(USUAL))


def measure(
    clones: Sequence[tuple[Listed, Path]], keep: Path | None = None
) -> tuple[dict[str, Any], list[Check]]:
    """Return the figures of each repository, and that no command failed on it; outputs go to `keep`."""
    figures: dict[str, Any] = {}
    checks: list[Check] = []
    for one, clone in clones:
        with workplace() as home:
            ran = commands(clone, home)
        if keep is not None:
            folder = keep / one.name.replace("/", "+")
            folder.mkdir(parents=True, exist_ok=True)
            for r in ran:
                (folder / f"{r.verb}.txt").write_text(r.output, "utf-8")
        wrong = [f"{r.verb}: {r.wrong}" for r in ran if r.wrong]
        figures[one.name] = {
            "commit": one.commit,
            "language": one.language,
            "seconds": {r.verb: r.seconds for r in ran},
            "megabytes": {r.verb: r.megabytes for r in ran},
            "status": {r.verb: r.status for r in ran},
            "wrong": wrong,
            "skipped": dict((_skipped(ran[0]) + _skipped(ran[1])).most_common()),
        }
        checks.append(Check(f"{one.name}: commands that failed", float(len(wrong)), "0", not wrong))
        say(f"{one.name}: init {ran[0].seconds:.0f} s, {'; '.join(wrong) or 'all ended as they should'}")
    return figures, checks


def made_up() -> list[Check]:
    """Return the checks of two tiny repositories with what once stopped a command."""
    texts = {
        "scripts": {"lang/ru.json": '{"profileTwoFactorAuth": "Двухфакторная аутентификация"}\n'},
        "itself": {"own.py": "class A:\n    def b(self) -> A.b.c: ...\n\n\ndef g():\n    A().b().d()\n"},
    }
    with workplace() as folder:
        found: list[tuple[Listed, Path]] = []
        for name, files in texts.items():
            clone = folder / name
            for path, text in files.items():
                (clone / path).parent.mkdir(parents=True, exist_ok=True)
                (clone / path).write_text(text, "utf-8")
            subprocess.run(["git", "init", "-q", str(clone)], check=True)
            found.append((Listed(name, "", ""), clone))
        figures, checks = measure(found)
    lost = [name for name, one in figures.items() if one["skipped"]]
    return [*checks, Check("tiny repositories of which a file was skipped", float(len(lost)), "0", not lost)]


def run(options: Options) -> Report:
    """Run every command on each clone of the list that is in `--clones`.

    Raises:
        SystemExit: no folder was named.
    """
    if options.clones is None:
        raise SystemExit("--clones DIR is needed: a folder with clones named OWNER+NAME or NAME")
    there: list[tuple[Listed, Path]] = []
    missing = []
    for one in listed():
        places = (options.clones / one.name.replace("/", "+"), options.clones / one.name.partition("/")[2])
        found = next((place for place in places if (place / ".git").exists()), None)
        if found is None:
            missing.append(one.name)
        else:
            there.append((one, found))
    figures, checks = measure(there[: options.limit], options.keep)
    rows = tuple(
        (
            *(name, f["language"], f["seconds"]["init"], f["megabytes"]["init"]),
            *(max(s for verb, s in f["seconds"].items() if verb != "init"), sum(f["skipped"].values())),
            "; ".join(f["wrong"]) or "none",
        )
        for name, f in figures.items()
    )
    columns = ("repository", "language", "init s", "init MB", "slowest other s", "skipped", "failed")
    notes = (f"not among the clones: {', '.join(missing)}",) if missing else ()
    return Report("wild", figures, (Table("Repositories", columns, rows),), tuple(checks), notes)
