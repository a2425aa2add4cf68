"""Remora beside other memories for agents, on the same dialogues, with the same vectors, in one run.

Every peer runs in a process of its own, in a virtual environment of its own that the first run makes
(`--envs`), and is driven by the same lines of JSON (`peer_child`). All of them get the vectors of Remora's
bundled model from this process, so that stores are compared with stores: what embedding costs is a row of
its own, and no peer's processor time, memory or disk has a part of it. Each peer is set up as its
documentation recommends for local use. One row is no product: a bare vector store, SQLite and a matrix.

Processor times depend on the machine; compare the ratios to the bare store, which are of one run, with the
peers taking turns.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import platformdirs

from benchmarks import locomo
from benchmarks.common import ROOT, Check, Options, Report, Table, environment, say, workplace
from benchmarks.leaky_files import leaks
from benchmarks.locomo import METRICS
from benchmarks.metrics import mean
from benchmarks.recall import Answer, Case
from benchmarks.texts import numbered
from remora.embeddings.onnx import OnnxEmbedder

if TYPE_CHECKING:
    from remora.embeddings.embedder import Embedder

K = 10
ROUNDS = 3  # of ingest and search; a time is the median of them
WRITERS = 4
WRITES = 250
WARM_UP = 5  # searches that are not counted: the first ones read the store
PATIENCE = 600.0  # seconds for one answer
PLAIN_SECRET = 12  # characters from which a secret does not stand in another text by chance
CHILD = ROOT / "benchmarks" / "peer_child.py"

OURS, BARE, LANGGRAPH = "remora", "bare", "langgraph"


class Peer(NamedTuple):
    """A memory that is measured.

    Attributes:
        name: of the peer, and of its store in `peer_child`.
        installs: what pip installs into its environment, call by call; nothing for this very Python.
        packages: those whose versions are reported.
        environ: settings of its environment, foremost the switches of telemetry.
        script: what its process runs.
    """

    name: str
    installs: tuple[tuple[str, ...], ...] = ()
    packages: tuple[str, ...] = ()
    environ: Mapping[str, str] = {}
    script: Path = CHILD


PEERS = (
    Peer(BARE, (("numpy==2.4.6",),), ("numpy",)),
    Peer(
        OURS,
        (("--require-hashes", "--no-deps", "-r", "requirements/run.txt"), ("--no-deps", "-e", ".")),
        ("remora", "apsw", "numpy"),
    ),
    Peer("chroma", (("chromadb==1.5.9",),), ("chromadb",), {"ANONYMIZED_TELEMETRY": "False"}),
    Peer(
        LANGGRAPH,
        (("langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2", "sqlite-vec==0.1.9"),),
        ("langgraph", "langgraph-checkpoint-sqlite", "sqlite-vec"),
        {"LANGSMITH_TRACING": "false"},
    ),
    Peer(
        "mem0",
        (("mem0ai==2.2.1", "qdrant-client==1.20.0"),),
        ("mem0ai", "qdrant-client"),
        {"MEM0_TELEMETRY": "False"},
    ),
    Peer(
        "memsearch",
        (("memsearch==0.4.23", "milvus-lite==3.2.2", "pymilvus==3.0.2"),),
        ("memsearch", "milvus-lite", "pymilvus"),
    ),
)


class PeerError(Exception):
    """A peer cannot be installed, opened or asked."""


class Vectors:
    """The vectors of a model of `DIMS` dimensions, each computed once.

    Attributes:
        seconds: processor time that it took.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()
        self.seconds = 0.0

    def __len__(self) -> int:
        return len(self._known)

    def of(self, texts: Sequence[str]) -> list[str]:
        """Return the vectors of some texts, each as base64 of float32."""
        with self._lock:
            missing = list(dict.fromkeys(text for text in texts if text not in self._known))
            started = time.process_time()
            for text, vector in zip(missing, self._embedder.embed_documents(missing), strict=True):
                self._known[text] = base64.b64encode(vector.astype("<f4").tobytes()).decode()
            self.seconds += time.process_time() - started
            return [self._known[text] for text in texts]

    def question_seconds(self, questions: Sequence[str]) -> float:
        """Return the processor time that one question takes, each embedded alone: the median."""
        seconds = []
        for question in questions:
            started = time.process_time()
            self._embedder.embed_query(question)
            seconds.append(time.process_time() - started)
        return statistics.median(seconds)


class Child:
    """The process of a peer, with its store in a folder that is also its home.

    Attributes:
        opening: processor seconds of the imports and of the open.
        versions: of the packages that the peer is made of.

    Raises:
        PeerError: the store cannot be opened.
    """

    def __init__(self, peer: Peer, python: Path, folder: Path, vectors: Vectors) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # One thread each: a pool of threads that wait for work would count as work.
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        self._vectors = vectors
        self._process = subprocess.Popen(
            [str(python), "-P", str(peer.script), peer.name, str(folder), *peer.packages],
            cwd=folder,
            env=environment(folder, **threads, **peer.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        try:
            found = self._answer()
        except PeerError:
            self.end()
            raise
        self.opening: float = found["processor"]
        self.versions: dict[str, str] = found["versions"]

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Return the answer to a command.

        Raises:
            PeerError: the peer failed, or has not answered in time.
        """
        self._send({"do": do, **more})
        return self._answer()

    def close(self) -> dict[str, Any]:
        """Close the store; return the last answer, with peak memory and refused connections."""
        try:
            return self.ask("close")
        finally:
            self.end()

    def end(self) -> None:
        """End the process, whatever it does."""
        with contextlib.suppress(OSError):
            self._pipe(self._process.stdin).close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(20)
        self._process.kill()
        self._process.wait()
        self._pipe(self._process.stdout).close()

    def _send(self, line: Mapping[str, Any]) -> None:
        pipe = self._pipe(self._process.stdin)
        try:
            pipe.write(json.dumps(line) + "\n")
            pipe.flush()
        except OSError as error:
            raise PeerError("the process has ended") from error

    def _answer(self) -> dict[str, Any]:
        """Give vectors until an answer comes."""
        late = threading.Timer(PATIENCE, self._process.kill)
        late.start()
        try:
            for line in iter(self._pipe(self._process.stdout).readline, ""):
                found: dict[str, Any] = json.loads(line)
                if "embed" in found:
                    self._send({"vectors": self._vectors.of(found["embed"])})
                elif "error" in found:
                    raise PeerError(found["error"])
                else:
                    return found
        finally:
            late.cancel()
        raise PeerError(f"the process ended with {self._process.wait()} and no answer")

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


@contextlib.contextmanager
def opened(peer: Peer, python: Path, folder: Path, vectors: Vectors) -> Iterator[Child]:
    """Give the process of a peer; it has ended afterwards."""
    child = Child(peer, python, folder, vectors)
    try:
        yield child
    finally:
        child.end()


def interpreter() -> Path:
    """Return a Python of this version whose SQLite loads extensions; without one, that of this process.

    LangGraph's store needs that, and the processor times of all peers should be those of one Python.
    """
    own = Path(getattr(sys, "_base_executable", sys.executable))
    folders = [Path(part) for part in os.get_exec_path() + os.defpath.split(os.pathsep) if part]
    names = f"python3.{sys.version_info.minor}", "python3"
    found = [path for folder in folders for name in names if (path := folder / name).exists()]
    check = (
        "import ensurepip, sqlite3, sys, venv; "
        "fit = hasattr(sqlite3.Connection, 'load_extension'); "
        f"raise SystemExit(not fit or sys.version_info[1] != {sys.version_info.minor})"
    )
    for path in dict.fromkeys([own, *found]):
        if not subprocess.run([path, "-I", "-c", check], capture_output=True, check=False).returncode:
            return path
    return own


def installed(peer: Peer, envs: Path, base: Path) -> Path:
    """Return the Python of a peer's environment, which is made unless it is there.

    Raises:
        PeerError: pip cannot install it; the reason is its own.
    """
    if not peer.installs:
        return Path(sys.executable)
    folder = envs / peer.name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp, wanted = folder / "peer-stamp", f"{base} {ROOT} {peer.installs}"
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return python
    say(f"peers: installing {peer.name}")
    _run([str(base), "-m", "venv", "--clear", str(folder)])
    for arguments in peer.installs:
        _run([str(python), "-m", "pip", "install", "--quiet", *arguments])
    stamp.write_text(wanted, "utf-8")
    return python


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        wrong = [line for line in lines if line.startswith("ERROR")]
        raise PeerError(f"not installed: {(wrong or lines or ['no reason given'])[-1][:300]}")


def items_of(conversation: Mapping[str, Any]) -> list[list[dict[str, str]]]:
    """Return the sessions of a dialogue, each as the items that a peer stores at once."""
    return [
        [
            {
                "id": turn["dia_id"],
                "session": f"locomo:{number}",
                "role": turn["speaker"],
                "content": locomo.spoken(turn),
                "time": date,
                "text": f"[{date}] {turn['speaker']}: {locomo.spoken(turn)}",
            }
            for turn in turns
        ]
        for number, date, turns in locomo.sessions(conversation)
    ]


def message(key: str, session: str, text: str) -> dict[str, str]:
    """Return an item that a user said."""
    return {"id": key, "session": session, "role": "user", "content": text, "time": "", "text": text}


class Dialogue(NamedTuple):
    """What is stored, session by session, and what is asked."""

    sessions: Sequence[Sequence[dict[str, str]]]
    case: Case


class Work(NamedTuple):
    """What a peer took for one dialogue, in seconds of its processor and in bytes."""

    ingest: float
    open: float
    search: float  # for all questions
    embedded: int  # vectors that the questions took
    peak: int
    disk: int
    answers: list[Answer]


def work(
    peer: Peer, python: Path, folder: Path, vectors: Vectors, dialogue: Dialogue
) -> tuple[Work, dict[str, str]]:
    """Let one process ingest a dialogue and another answer its questions; return also the versions."""
    with opened(peer, python, folder, vectors) as child:
        ingest = sum(child.ask("ingest", items=items)["processor"] for items in dialogue.sessions)
        ingest += child.ask("flush")["processor"]
        ended = child.close()
        ingest += ended["processor"]
        peak = int(ended["peak"])
    disk = bytes_in(folder)
    with opened(peer, python, folder, vectors) as child:
        for item in dialogue.sessions[0][:WARM_UP]:
            child.ask("search", query=item["content"], k=K)
        answers, search, embedded = list[Answer](), 0.0, 0
        for question in dialogue.case.questions:
            found = child.ask("search", query=question.text, k=K)
            search, embedded = search + found["processor"], embedded + found["embedded"]
            answers.append(Answer(dialogue.case.name, question, list(dict.fromkeys(found["ids"]))))
        ended = child.close()
    refused = ended["refused"]
    if refused:
        raise PeerError(f"asked for the network: {', '.join(sorted(set(refused)))}")
    peak = max(peak, int(ended["peak"]))
    return Work(ingest, child.opening, search, embedded, peak, disk, answers), child.versions


def bytes_in(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def secrets_kept(peer: Peer, python: Path, folder: Path, vectors: Vectors) -> dict[str, Any]:
    """Say one leaky file of each kind to a peer; return how many of their secrets stand in its files.

    A secret stands there if its bytes do, as they are or as JSON writes them. Those of several lines are left
    out, and short ones, which may stand elsewhere by chance.
    """
    files = list(leaks(1))
    planted = {
        secret
        for leak in files
        for start, end in leak.secrets
        if len(secret := leak.text[start:end]) >= PLAIN_SECRET and secret.isprintable()
    }
    with opened(peer, python, folder, vectors) as child:
        child.ask("ingest", items=[message(f"leak {leak.kind}", "leaks", leak.text) for leak in files])
        child.ask("flush")
        child.close()
    stored = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    kept = {s for s in planted if any(form in data for form in _forms(s) for data in stored)}
    return {"planted": len(planted), "kept": len(kept)}


def _forms(secret: str) -> set[bytes]:
    return {secret.encode(), json.dumps(secret)[1:-1].encode()}


def race(peer: Peer, python: Path, folder: Path, vectors: Vectors, writes: int) -> dict[str, Any]:
    """Let four processes write to one store at once; return how many items are there, and the errors."""

    def one(writer: int) -> dict[str, Any]:
        items = [
            message(f"writer {writer}:{n}", f"writer:{writer}", numbered(writer * 1_000_000 + n))
            for n in range(writes)
        ]
        try:
            with opened(peer, python, folder, vectors) as child:
                ready.wait()
                found = child.ask("write", items=items)
                child.close()
                return found
        except PeerError as error:
            with contextlib.suppress(threading.BrokenBarrierError):
                ready.wait()  # the others do not wait for one that cannot open
            return {"errors": 1, "first": str(error)}

    ready = threading.Barrier(WRITERS)
    with opened(peer, python, folder, vectors) as child:  # no two make the store at once
        child.ask("ingest", items=[message("first", "first", "The store is made.")])
        child.close()
    started = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        said = list(pool.map(one, range(WRITERS)))
    seconds = time.perf_counter() - started
    with opened(peer, python, folder, vectors) as child:
        there = int(child.ask("count")["count"]) - 1
        child.close()
    first = next((found["first"] for found in said if found["first"]), "")
    return {
        "written": WRITERS * writes,
        "there": there,
        "errors": sum(found["errors"] for found in said),
        "first error": first.replace(str(folder), "STORE"),
        "seconds": seconds,
    }


class Found(NamedTuple):
    """What is known of all peers, by name; `failed` says why something of a peer is missing."""

    works: dict[str, dict[int, list[Work]]]  # of each round, of each dialogue
    secrets: dict[str, dict[str, Any]]
    races: dict[str, dict[str, Any]]
    versions: dict[str, dict[str, str]]
    failed: dict[str, str]


class Bench:
    """The peers, their environments, and a place for their stores."""

    def __init__(self, peers: Sequence[Peer], place: Path, envs: Path, vectors: Vectors) -> None:
        self._place, self._envs, self._vectors = place, envs, vectors
        self._ready: dict[str, tuple[Peer, Path]] = {}
        self.found = Found({}, {}, {}, {}, {})
        base = interpreter() if any(peer.installs for peer in peers) else Path(sys.executable)
        for peer in peers:
            with self._reasons(peer.name):
                self._ready[peer.name] = peer, installed(peer, envs, base)

    @contextlib.contextmanager
    def _reasons(self, name: str) -> Iterator[None]:
        """Leave a peer out from here when it fails, and keep the reason."""
        try:
            yield
        except PeerError as error:
            reason = str(error)
            # Where it happened is this machine's business and must not stand in a result.
            for path, called in ((self._place, "STORES"), (self._envs, "ENVS"), (Path.home(), "HOME")):
                reason = reason.replace(str(path), called)
            self.found.failed[name] = reason
            self._ready.pop(name, None)

    def _each(self, what: str) -> Iterator[tuple[Peer, Path, Path]]:
        """Yield every peer that still works, its Python, and a folder for its store."""
        for peer, python in list(self._ready.values()):
            say(f"peers: {what}, {peer.name}")
            yield peer, python, self._place / f"{peer.name} {what}".replace(" ", "-")

    def answer(self, dialogues: Sequence[Dialogue], rounds: int) -> None:
        """Let all peers take their turns with every dialogue, in every round."""
        for number in range(rounds):
            for dialogue in dialogues:
                for peer, python, folder in self._each(f"round {number + 1} {dialogue.case.name}"):
                    with self._reasons(peer.name):
                        done, versions = work(peer, python, folder, self._vectors, dialogue)
                        self.found.works.setdefault(peer.name, {}).setdefault(number, []).append(done)
                        self.found.versions[peer.name] = versions
        for name in self.found.failed:  # half of the figures would be those of other dialogues
            self.found.works.pop(name, None)

    def keep_secrets(self) -> None:
        """Look for planted secrets in the files of every peer."""
        for peer, python, folder in self._each("secrets"):
            with self._reasons(peer.name):
                self.found.secrets[peer.name] = secrets_kept(peer, python, folder, self._vectors)

    def write_at_once(self, writes: int) -> None:
        """Let four processes write to one store of every peer."""
        for peer, python, folder in self._each("writers"):
            with self._reasons(peer.name):
                self.found.races[peer.name] = race(peer, python, folder, self._vectors, writes)


def figures_of(rounds: Mapping[int, Sequence[Work]], questions: int, turns: int) -> dict[str, float]:
    """Return the figures of a peer: medians over the rounds, milliseconds of its processor, bytes."""

    def median(of: Callable[[Work], float]) -> float:
        return statistics.median(sum(of(done) for done in works) for works in rounds.values())

    recall = METRICS[f"recall@{K}"]
    first = rounds[min(rounds)]
    by_dialogue = [[recall(answer) for answer in done.answers] for done in first]
    return {
        "recall@10": mean(value for values in by_dialogue for value in values),
        "worst dialogue": min(mean(values) for values in by_dialogue),
        "vectors asked": sum(done.embedded for done in first) / questions,
        "search ms": 1000 * median(lambda done: done.search) / questions,
        "ingest ms": 1000 * median(lambda done: done.ingest) / turns,
        "open ms": 1000 * median(lambda done: done.open) / len(first),
        "peak MB": max(done.peak for works in rounds.values() for done in works) / 1e6,
        "disk MB": sum(done.disk for done in first) / 1e6,
    }


def compared(peers: dict[str, dict[str, float]], question_ms: float) -> None:
    """Add what each peer takes beside the bare store and LangGraph's.

    With embedding: the vectors that a question needs are made one by one, as when an agent asks.
    """
    for figures in peers.values():
        if BARE in peers:
            bare = peers[BARE]
            figures["search / bare"] = figures["search ms"] / bare["search ms"]
            whole, least = (f["search ms"] + f["vectors asked"] * question_ms for f in (figures, bare))
            figures["with embedding"] = whole / least
            figures["ingest / bare"] = figures["ingest ms"] / bare["ingest ms"]
        if LANGGRAPH in peers:
            figures["disk / langgraph"] = figures["disk MB"] / peers[LANGGRAPH]["disk MB"]


def _tables(title: str, peers: Mapping[str, Mapping[str, float]], found: Found) -> tuple[Table, ...]:
    """Return the figures, a row a peer, and what is in the files of each."""
    columns = ("peer", *next(iter(peers.values()), {}))
    rows = tuple((name, *figures.values()) for name, figures in peers.items())
    kept: list[tuple[object, ...]] = []
    for name in dict.fromkeys([*found.secrets, *found.races]):
        secrets, races = found.secrets.get(name), found.races.get(name)
        of_secrets = f"{secrets['kept']} of {secrets['planted']}" if secrets else "-"
        of_races = (f"{races['there']} of {races['written']}", str(races["errors"])) if races else ("-", "-")
        kept.append((name, of_secrets, *of_races))
    what = ("peer", "secrets kept", "items of four writers", "errors")
    return Table(title, columns, rows), Table("What is in the files", what, tuple(kept))


def report(found: Found, dialogues: Sequence[Dialogue], vectors: Vectors, *, whole: bool) -> Report:
    """Return what was found; promises are judged only of a whole run."""
    asked = [question.text for dialogue in dialogues for question in dialogue.case.questions]
    turns = sum(len(items) for dialogue in dialogues for items in dialogue.sessions)
    question_ms = 1000 * vectors.question_seconds(asked)
    text_ms = 1000 * vectors.seconds / max(1, len(vectors))
    peers = {name: figures_of(rounds, len(asked), turns) for name, rounds in found.works.items()}
    compared(peers, question_ms)
    firsts = {name: races["first error"] for name, races in found.races.items()}
    notes = [
        f"embedding: {question_ms:.2f} ms a question, {text_ms:.2f} ms for each of {len(vectors)} texts",
        *(f"{name}: {' '.join(f'{k}=={v}' for k, v in has.items())}" for name, has in found.versions.items()),
        *(f"{name} could not be measured further: {reason}" for name, reason in found.failed.items()),
        *(f"{name}, first error of the writers: {first}" for name, first in firsts.items() if first),
    ]
    figures: dict[str, Any] = {
        "turns": turns,
        "questions": len(asked),
        "peers": peers,
        "secrets": found.secrets,
        "writers": found.races,
        "versions": found.versions,
        "failed": found.failed,
        "embedding ms of a question": question_ms,
        "embedding ms of a text": text_ms,
    }
    tables = _tables(f"{turns} turns, {len(asked)} questions", peers, found)
    checks = tuple(_checks(peers, found)) if whole and OURS in peers else ()
    return Report("peers", figures, tables, checks, tuple(notes), OnnxEmbedder.model_id)


def _checks(peers: Mapping[str, Mapping[str, float]], found: Found) -> Iterator[Check]:
    """Yield what is promised of Remora beside the others."""
    ours = peers[OURS]
    others = {name: figures["recall@10"] for name, figures in peers.items() if name != OURS}
    if others:
        best = max(others, key=lambda name: others[name])
        yield Check.above("recall@10", ours["recall@10"], others[best], best)
    if "with embedding" in ours:
        yield Check.at_most("a search with its embedding, times bare", ours["with embedding"], 1.5)
    if "disk / langgraph" in ours:
        yield Check.at_most("disk, times LangGraph's store", ours["disk / langgraph"], 1.2)
    races = found.races.get(OURS)
    if races:
        kept = float(races["there"])
        yield Check("items of four writers", kept, str(races["written"]), kept == races["written"])
        yield Check("errors of four writers", float(races["errors"]), "0", not races["errors"])


def run(options: Options, peers: Sequence[Peer] = PEERS) -> Report:
    """Measure all peers with all dialogues, or with as many as the limit says, once."""
    folder = options.folder("locomo")
    dialogues = [
        Dialogue(items_of(dialogue["conversation"]), locomo.case(dialogue))
        for dialogue in locomo.dialogues(folder)[: options.limit]
    ]
    envs = options.envs or platformdirs.user_cache_path("remora-benchmarks") / "peers"
    whole = options.limit is None
    with workplace() as place:
        vectors = Vectors(OnnxEmbedder())
        bench = Bench(peers, place, envs, vectors)
        bench.answer(dialogues, ROUNDS if whole else 1)
        bench.keep_secrets()
        bench.write_at_once(WRITES)
        return report(bench.found, dialogues, vectors, whole=whole)
