"""Search with a model's guessed answer (hypothetical document embeddings), as a last resort."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.errors import RemoraError

if TYPE_CHECKING:
    from remora.llm.client import LanguageModel

FEW = 3  # section 7: fewer good hits than this
GOOD = 0.5
MAX_TOKENS = 100
PROMPT = 'Write a memory of two sentences that would perfectly answer this question: "{query}"'


def wanted(scores: list[float]) -> bool:
    """Return whether too few hits are good."""
    return sum(1 for s in scores if s >= GOOD) < FEW


def guess(query: str, model: LanguageModel) -> tuple[str, str]:
    """Return the guessed answer and "", or "" and a note if the model failed."""
    from remora.llm.client import Message

    messages = [Message("user", PROMPT.format(query=query))]
    try:
        answer = model.complete(messages, max_tokens=MAX_TOKENS).text.strip()
    except RemoraError as error:
        return "", f"no guess: {error}"
    return answer, "" if answer else "no guess: the model returned nothing"
