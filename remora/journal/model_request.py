"""Request a consolidation from a model: one time limit, one retry, no wait for a hung model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from remora.core.config import JournalSettings
from remora.core.errors import RemoraError
from remora.core.tokens import scripts
from remora.journal.judge import Reply, judge
from remora.journal.prompt import SCHEMA
from remora.journal.reply import Rejected
from remora.llm.client import Completion, LanguageModel, Message, complete_in_time

RETRY_AFTER = 1.0  # seconds
MOST_TOKENS = 32_768  # of an answer, however large the memory


class Asked(NamedTuple):
    """The result of a request: a reply, or the error and the unused answer, if any."""

    reply: Reply | None
    problem: str = ""
    answer: str = ""


def ask(
    model: LanguageModel,
    prompt: str,
    memory: str,
    settings: JournalSettings,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Asked:
    """Return a model's judged reply; the failure of a model is a result, not an error.

    Args:
        model: any language model.
        prompt: the request.
        memory: the long-term memory in the prompt.
        settings: the time limit and the tokens of the answer. A memory that would not fit gets more.
        session_id: the session of the facts.
        sleep: waits before the second attempt.
    """
    deadline = time.monotonic() + settings.consolidation_timeout
    needed = scripts(memory) * 5 // 4 + 1_024  # JSON escapes and the history entry come on top
    tokens = max(settings.consolidation_tokens, min(needed, MOST_TOKENS))

    def attempt() -> Completion:
        left = max(0.05, deadline - time.monotonic())
        asked = [Message("user", prompt)]
        return complete_in_time(model, asked, max_tokens=tokens, schema=SCHEMA, timeout=left)

    try:
        try:
            answer = attempt()
        except RemoraError as error:
            if not error.retryable or deadline - time.monotonic() <= RETRY_AFTER:
                raise
            sleep(RETRY_AFTER)
            answer = attempt()
    except (RemoraError, OSError) as error:
        return Asked(None, f"{type(error).__name__}: {error}")
    try:
        return Asked(judge(answer.text, memory, settings.max_memory_size, answer.finish_reason))
    except Rejected as reason:
        return Asked(None, f"the answer of {model.model_id} was rejected: {reason}", answer.text)
