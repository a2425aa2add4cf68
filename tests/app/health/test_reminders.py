"""Sentences about what stands in the way of good answers."""

from __future__ import annotations

from remora import Memory
from tests.helpers import FakeEmbedder


def test_all_is_well(bare: Memory) -> None:
    """Where nothing is wrong there is nothing to say."""
    bare.remember("Tokens expire after 24 h", type="decision")
    assert bare.reminders() == bare.reminders(vectors=True) == ()


def test_what_waits_for_a_vector(able: Memory, embedder: FakeEmbedder) -> None:
    """A backlog is counted, with the command that works it off; not where the model itself fails."""
    able.remember("Tokens expire after 24 h", type="decision")
    assert able.reminders() == ()
    assert able.reminders(vectors=True) == ("1 memory has no vector yet; `remora reindex` computes it",)
    able.remember("Caches are keyed by tenant", type="gotcha")
    able.session("cli:1").append("user", "We moved the refresh into the gateway")
    assert able.reminders(vectors=True)[0].startswith("3 memories and turns have no vector yet;")
    embedder.broken = True
    able.catch_up()
    assert able.reminders(vectors=True) == ()
    embedder.broken = False
    able.reindex()
    assert able.reminders(vectors=True) == ()
