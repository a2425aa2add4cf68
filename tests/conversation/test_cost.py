"""What shortening without a model costs: a fixed amount of work for each message, and little of it."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

from remora.conversation.summary import summarise
from remora.core.config import CompactionSettings
from remora.core.values import Message

TIMES_PARSING = 15  # what the JSON of a message takes to be written and read
WORDS = """The request handler returns a list of rows and the page shows it below the chart so that people see
what was sold on each day and in which shop while nothing else moves around""".split()


def conversation(count: int) -> list[Message]:
    """Return messages of ordinary prose, 40 words each."""
    chosen = random.Random(5)
    return [
        Message(seq, ("user", "assistant")[seq % 2], f"{' '.join(chosen.choices(WORDS, k=40))} {seq}.")
        for seq in range(1, count + 1)
    ]


def seconds(what: Callable[[], object]) -> float:
    """Return the least of five measurements of the processor's time."""
    taken = []
    for _ in range(5):
        started = time.process_time()
        what()
        taken.append(time.process_time() - started)
    return min(taken)


def test_a_message_costs_little() -> None:
    """A long conversation is told at a small multiple of what reading its messages takes."""
    messages = conversation(1_000)
    parsing = seconds(lambda: [json.loads(json.dumps(message._asdict())) for message in messages])
    assert seconds(lambda: summarise(messages, "", None, CompactionSettings())) < TIMES_PARSING * parsing
