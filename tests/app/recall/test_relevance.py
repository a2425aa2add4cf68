"""The bar for what goes with a prompt, measured on the prompts of earlier sessions."""

from __future__ import annotations

from remora.app.memory import Memory
from remora.app.recall.relevance import CHANCE, FEW, calibrate, relevance_bar
from remora.core.values import MemoryDraft
from tests.store.test_session_reader import record, session

SUBJECTS = "token cache parser router ledger invoice mailer search export import locale schema".split()


def filled(memory: Memory, *, own: bool = False) -> None:
    """Store a memory for each subject, and a session that asked for it; learned from it, if so wanted."""
    db = memory._project.db
    for number, subject in enumerate(SUBJECTS, 1):
        text = f"The {subject} runs in a thread of its own"
        origin = f"s{number}" if own else None
        memory.remember_many([MemoryDraft(text, session_id=origin)])
        record(db, session(f"s{number}", number, prompts=(f"why does the {subject} run in a thread",)))


def test_the_bar_lets_the_best_third_pass(able: Memory):
    """It is kept, and its searches are no use."""
    filled(able)
    bar = calibrate(able._project)
    assert bar is not None
    assert CHANCE <= bar <= 0.85
    assert relevance_bar(able._project) == round(bar, 4)
    able._project.accesses.flush()
    assert {one.access_count for one in able.list()} == {0}
    assert not able.stats().uses


def test_what_a_session_taught_is_no_answer_to_itself(able: Memory):
    """Otherwise every prompt would find what came of it; on a few prompts nothing is measured."""
    for number in range(1, FEW):
        record(able._project.db, session(f"s{number}", number))
    assert calibrate(able._project) is None
    assert relevance_bar(able._project) == CHANCE
    filled(able, own=True)
    assert calibrate(able._project) == CHANCE
