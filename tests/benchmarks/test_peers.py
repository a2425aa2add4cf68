"""The driver of `peers` measures all memories alike and says of each what it lost and why it failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import peer_child
from benchmarks.embedder import FastEmbedder
from benchmarks.peers import BARE, WRITERS, Bench, Dialogue, Peer, Vectors, message, report
from benchmarks.recall import Case, Question

FAKE = Path(__file__).with_name("fake_peer.py")
SAID = ("the cat sleeps on the roof", "the dog wants out", "rain is due tomorrow", "a train came late")


def fake(name: str) -> Peer:
    """A peer of `fake_peer`, in this very Python."""
    return Peer(name, packages=("numpy", "no such package"), script=FAKE)


def bench_of(place: Path, *peers: Peer) -> Bench:
    """Peers in a folder, with vectors that cost nothing."""
    assert FastEmbedder.dims == peer_child.DIMS
    return Bench(peers, place / "stores", place / "envs", Vectors(FastEmbedder()))


def dialogue() -> Dialogue:
    """Four turns of one session and two questions; one of their gold turns does not exist."""
    items = [message(f"D1:{n}", "s1", text) for n, text in enumerate(SAID, 1)]
    questions = [
        Question("where is the cat", frozenset({"D1:1"})),
        Question("which train", frozenset({"D1:4", "X"})),
    ]
    return Dialogue([items], Case("one", lambda _: None, questions, ()))


@pytest.mark.slow
def test_a_peer_is_measured(tmp_path: Path) -> None:
    """Recall, processor, memory, disk, secrets and writers are figures beside those of the bare store."""
    bench = bench_of(tmp_path, Peer(BARE), fake("keeper"))
    bench.answer([dialogue()], rounds=1)
    bench.keep_secrets()
    bench.write_at_once(3)
    told = report(bench.found, [dialogue()], Vectors(FastEmbedder()), whole=True)
    assert told.figures["failed"] == {}
    for name in (BARE, "keeper"):
        figures = told.figures["peers"][name]
        assert figures["recall@10"] == figures["worst dialogue"] == 0.75
        assert min(figures[what] for what in ("search ms", "ingest ms", "open ms", "peak MB", "disk MB")) > 0
        secrets, races = told.figures["secrets"][name], told.figures["writers"][name]
        assert secrets["kept"] == secrets["planted"] > 50
        assert (races["there"], races["written"], races["errors"]) == (3 * WRITERS, 3 * WRITERS, 0)
    assert told.figures["peers"][BARE]["search / bare"] == 1.0
    assert list(told.figures["versions"]["keeper"]) == ["numpy"]


def test_the_bare_store_finds_the_nearest(tmp_path: Path) -> None:
    """The vector store that all are compared with ranks by the cosine of the driver's vectors."""
    bench = bench_of(tmp_path, Peer(BARE))
    bench.answer([dialogue()], rounds=1)
    [work] = bench.found.works[BARE][0]
    assert [answer.ranked[0] for answer in work.answers] == ["D1:1", "D1:4"]


@pytest.mark.slow
def test_lost_writes_are_counted(tmp_path: Path) -> None:
    """What a store refuses is an error with its text, and missing; what it blackens is not kept."""
    bench = bench_of(tmp_path, fake("loser"))
    bench.keep_secrets()
    bench.write_at_once(4)
    races = bench.found.races["loser"]
    assert (races["written"], races["there"], races["errors"]) == (4 * WRITERS, 2 * WRITERS, 2 * WRITERS)
    assert races["first error"] == "ValueError: even"
    assert bench.found.secrets["loser"]["kept"] == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "OSError: nothing can be made in STORES/"),
        ("caller", "asked for the network: telemetry.invalid"),
        ("mute", "the process ended with 3 and no answer"),
    ],
)
def test_a_peer_that_fails_is_reported(tmp_path: Path, name: str, reason: str) -> None:
    """Its reason stands in the report without a path of this machine, and the others are measured."""
    bench = bench_of(tmp_path, fake(name), fake("keeper"))
    bench.answer([dialogue()], rounds=1)
    told = report(bench.found, [dialogue()], Vectors(FastEmbedder()), whole=False)
    assert told.figures["failed"][name].startswith(reason)
    assert list(told.figures["peers"]) == ["keeper"]
    assert any(note.startswith(f"{name} could not be measured") for note in told.notes)


@pytest.mark.slow
def test_a_peer_that_cannot_be_installed_is_reported(tmp_path: Path) -> None:
    """The reason is what the installer said last."""
    (tmp_path / "envs").write_text("not a folder")
    bench = bench_of(tmp_path, Peer("absent", (("numpy",),)), fake("keeper"))
    bench.answer([dialogue()], rounds=1)
    assert bench.found.failed["absent"].startswith("not installed: ")
    assert list(bench.found.works) == ["keeper"]
