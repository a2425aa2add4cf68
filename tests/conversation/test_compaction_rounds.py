"""A conversation that is shortened again and again loses no message and never outgrows its limit."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from remora.conversation.calls import pair
from remora.conversation.cut import cut_to_fit, room, standing
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import ProviderBusy
from remora.core.values import is_result
from remora.llm.scripted import ScriptedModel
from tests.conversation.compaction import SETTINGS, compact, context_of

SMALL = SETTINGS._replace(max_context_tokens=10_000, overhead_tokens=8_000)


def turns(rng: random.Random, number: int) -> list[dict[str, Any]]:
    """Return one exchange of a coding agent: a request, some calls with their results, an answer."""
    names = [f"call{number}.{i}" for i in range(rng.randrange(4))]
    asked = [{"id": name, "name": "bash", "arguments": {"command": f"make t{number}"}} for name in names]
    results = [
        {"role": "tool", "content": "x" * rng.randrange(3_000), "tool_call_id": name, "tool_name": "bash"}
        for name in names
    ]
    rng.shuffle(results)
    words = "We decided to keep it. It failed, and is fixed now. " * rng.randrange(20)
    request = {"role": "user", "content": f"Request {number}: see src/part{number}.py. {words}"}
    calling = [{"role": "assistant", "content": "", "tool_calls": asked}] if asked else []
    return [request, *calling, *results, {"role": "assistant", "content": f"Done {number}. {words}"}]


@pytest.mark.parametrize("seed", range(2))
def test_a_long_session_stays_under_its_limit(tmp_path: Path, seed: int) -> None:
    """Through 120 exchanges the context is within the limit, whole in its calls, and the log complete."""
    rng = random.Random(seed)
    log = SessionLog(tmp_path, "cli:42", FixedClock())
    said: list[tuple[str, str]] = []
    rounds = 0
    for number in range(1, 121):
        batch = turns(rng, number)
        log.extend(batch)
        said += [(message["role"], message["content"]) for message in batch]
        if standing(context_of(log), SMALL).over:
            place = cut_to_fit(log.messages(), SMALL)
            model = ScriptedModel([ProviderBusy("late")]) if rng.random() < 0.5 else None
            compact(log, len(log.messages()) - place, model, SMALL)
            rounds += 1
        context = context_of(log)
        assert not standing(context, SMALL).over
        results = [at for at, message in enumerate(context) if is_result(message)]
        assert set(results) == set(pair(context))
        assert context[-1].content.startswith(f"Done {number}.")
    assert rounds > 10
    assert [(m.role, m.content) for m in log.history()] == said
    summary = context_of(log)[0].content
    assert "- Request 1: see src/part1.py." in summary
    assert len(summary) <= room(SMALL) + len("[Conversation summary]\n")
