"""How much of what is learned from recorded sessions is junk, by two readers who judged apart.

All sessions are learned with the default settings, in a clone of their repository (`--repo`) as it was
when the last of them ended, so that what no longer stands is left out as it is for users; without one,
in an empty folder. A hundred of the memories that an agent there is given, those of unmerged branches left
out, are drawn by the hash of their names with a seed. `labels/junk.tsv` holds what two readers said of each
under `labels/junk.md`; a memory whose text has changed since has no label and is counted as missing, so the
figure cannot outlive what it was taken of. `--ablate` prints the list that is to be labelled.
"""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.agent_sessions import DATA, read, write
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace

SEED = "junk 1"
MAIN = "main"  # the branch that is checked out
SAMPLE = 100
ENOUGH = 100  # memories that must be learnt in all
MOST_JUNK = 0.15
LABELS = Path(__file__).parent / "labels" / "junk.tsv"
GOOD = "good"
WORDS = ("good", "noise", "vague", "obvious", "wrong", "twice")


class Drawn(NamedTuple):
    """A memory of the sample: a name for its text, its type and its text."""

    digest: str
    type: str
    text: str


def draw(memories: list[tuple[str, str, str]]) -> list[Drawn]:
    """Return the sample of (name, type, text) by the hash of name and seed."""
    order = sorted(memories, key=lambda m: hashlib.sha256(f"{SEED}\n{m[0]}".encode()).hexdigest())
    return [Drawn(digest_of(text), kind, text) for _, kind, text in order[:SAMPLE]]


def digest_of(text: str) -> str:
    """Return what a text is known by in the labels."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def labels(path: Path = LABELS) -> dict[str, tuple[str, str]]:
    """Return both readers' answers by digest; lines that begin with "#" say where the texts are from."""
    if not path.exists():
        return {}
    found: dict[str, tuple[str, str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            digest, first, second = line.split("\t")[:3]
            found[digest] = (first, second)
    return found


def kappa(pairs: list[tuple[bool, bool]]) -> float:
    """Return Cohen's kappa of two readers: how much more they agree than by chance; 1.0 if they always do.

    >>> kappa([(True, True), (False, False)]), round(kappa([(True, False), (False, True)]), 2)
    (1.0, -1.0)
    """
    if not pairs:
        return 0.0
    number = len(pairs)
    agreed = sum(a == b for a, b in pairs) / number
    first, second = sum(a for a, _ in pairs) / number, sum(b for _, b in pairs) / number
    chance = first * second + (1 - first) * (1 - second)
    return 1.0 if chance == 1.0 else (agreed - chance) / (1 - chance)


def check_out(repository: Path, folder: Path, moment: str) -> None:
    """Clone a repository as its main line was at a time, ISO 8601."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    inner = repository / ".git"
    tip = ("rev-list", "-1", "--first-parent", f"--before={moment}", "HEAD")
    commit = git(f"--git-dir={inner if inner.exists() else repository}", *tip)
    git("clone", "-q", "--shared", "--no-checkout", str(repository), str(folder))
    git("-C", str(folder), "checkout", "-q", "-B", MAIN, commit)


def run(options: Options) -> Report:
    """Learn everything, draw the sample and look its labels up."""
    if options.data is None:
        raise SystemExit("--data DIR is needed: the folder that holds agent_sessions/")
    sessions = read(options.data / DATA)[: options.limit]
    with workplace() as place, contextlib.ExitStack() as closing:
        if options.repo is not None:
            check_out(options.repo, place / "project", max(s.ended for s in sessions))
        memory = closing.enter_context(memory_in(place))
        if options.repo is not None:
            memory.index()
        folder = place / "projects"
        folder.mkdir()
        for session in sessions:
            write(session, folder)
        say(f"junk: learning {len(sessions)} sessions")
        report = memory.learn(folder)
        given = memory.list(limit=100_000, branch="*" if options.repo is None else MAIN)
        live = [(m.external_id or m.id, m.type, m.content) for m in given]
        model, settings = model_of(memory), settings_of(memory)
    sample = draw(live)
    if options.ablate:
        for one in sample:
            print(f"{one.digest}\t{one.type}\t{' '.join(one.text.split())}")
    known = labels()
    labelled = [(one, known[one.digest]) for one in sample if one.digest in known]
    junk = [[word != GOOD for word in answers] for _, answers in labelled]
    rates = [sum(row[reader] for row in junk) / len(junk) if junk else 1.0 for reader in (0, 1)]
    agreement = kappa([(row[0], row[1]) for row in junk])
    kinds = Counter(m[1] for m in live)
    answers = [Counter(pair[reader] for _, pair in labelled) for reader in (0, 1)]
    tables = (
        Table("Learnt", ("type", "memories", "in the sample"), tuple(
            (kind, number, sum(one.type == kind for one in sample)) for kind, number in kinds.most_common()
        )),
        Table("Labels", ("", "first reader", "second reader"), tuple(
            (word, answers[0][word], answers[1][word]) for word in WORDS
        )),
    )  # fmt: skip
    mean = sum(rates) / 2
    figures = {
        "sessions": len(sessions),
        "learnt": len(live),
        "discarded": dict(report.discarded),
        "sample": len(sample),
        "labelled": len(labelled),
        "junk by reader": rates,
        "junk": mean,
        "kappa": agreement,
    }
    checks = () if options.limit is not None else (
        Check.above("memories learned", float(len(live)), float(ENOUGH), "at least"),
        Check("labelled", len(labelled) / SAMPLE, "1.000", len(labelled) == len(sample) == SAMPLE),
        Check.below("junk", mean, MOST_JUNK + 1e-9, ""),
    )  # fmt: skip
    return Report("junk", figures, tables, tuple(checks), (), model, settings)
