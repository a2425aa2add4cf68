"""Ask a model for a consolidation: one limit for everything, one retry, and no wait for a hung model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from remora.core.config import JournalSettings
from remora.core.errors import ProviderBusy, RemoraError
from remora.core.tokens import scripts
from remora.journal.judge import Rejected, Reply, judge
from remora.journal.prompting import Prompt
from remora.llm.client import Completion, LanguageModel, Message

T = TypeVar("T")

RETRY_AFTER = 1.0  # seconds
GRACE = 1.0  # seconds that a model may be over its limit before it is left behind
MOST_TOKENS = 32_768  # of an answer, however large the memory


class Asked(NamedTuple):
    """What came of asking: a reply, or what went wrong and the answer that was not used, if any."""

    reply: Reply | None
    problem: str = ""
    answer: str = ""


def ask(
    model: LanguageModel,
    prompt: Prompt,
    memory: str,
    settings: JournalSettings,
    *,
    session_id: str = "",
    sleep: Callable[[float], None] = time.sleep,
) -> Asked:
    """Return a model's judged reply; a model that fails is a result, not an error.

    Args:
        model: any language model.
        prompt: what to ask.
        memory: the long-term memory that the prompt shows.
        settings: the limit of time and the tokens of the answer. A memory that would not fit gets more.
        session_id: the session that facts come from.
        sleep: how to wait before the second attempt.
    """
    deadline = time.monotonic() + settings.consolidation_timeout
    needed = scripts(memory) * 5 // 4 + 1_024  # JSON escapes and the history entry come on top
    tokens = max(settings.consolidation_tokens, min(needed, MOST_TOKENS))

    def attempt() -> Completion:
        left = max(0.05, deadline - time.monotonic())
        return _within(
            left + GRACE,
            lambda: model.complete(
                [Message("user", prompt.text)], max_tokens=tokens, schema=prompt.schema, timeout=left
            ),
        )

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
    reply = judge(answer.text, memory, settings.max_memory_size, answer.finish_reason, session_id)
    if isinstance(reply, Rejected):
        return Asked(None, f"the answer of {model.model_id} was rejected: {reply.reason}", answer.text)
    return Asked(reply)


def _within(seconds: float, call: Callable[[], T]) -> T:
    """Return what a call returns, or stop waiting for it after some seconds.

    Models promise to keep to their timeout. One that does not must not hold up every later
    consolidation, so it runs in a thread of its own that ends with the process.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where the caller waits
            errors.append(error)

    thread = threading.Thread(target=run, name="remora-consolidation", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise ProviderBusy(f"the model did not answer within {seconds:.1f} s")
    return results[0]
