"""A language model that answers from a list, for tests of Remora and of programs that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from remora.llm.client import Call, Completion, Message

__all__ = ["Call", "Reply", "ScriptedModel"]

Reply = str | Completion | Exception | Callable[[Call], "str | Completion"]


class ScriptedModel:
    r"""Returns its replies in order: a string is the answer, an exception is raised, a function is called.

    Attributes:
        calls: the received calls, in order.

    >>> model = ScriptedModel(["Paris", lambda call: call.messages[-1].content.upper()])
    >>> model.complete([Message("user", "capital?")], max_tokens=9).text
    'Paris'
    >>> model.complete([Message("user", "loud")], max_tokens=9).text
    'LOUD'
    >>> len(model.calls), model.left
    (2, 0)
    """

    def __init__(self, replies: Iterable[Reply], *, model_id: str = "scripted") -> None:
        self._replies = list(replies)
        self.model_id = model_id
        self.calls: list[Call] = []

    @property
    def left(self) -> int:
        """The number of unused replies."""
        return max(0, len(self._replies) - len(self.calls))

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Return or raise the next reply.

        Raises:
            AssertionError: no reply is left. It is deliberately no Remora error: code that survives a failing
                provider must not survive a wrong script.
        """
        call = Call(tuple(messages), max_tokens, temperature, schema, timeout)
        self.calls.append(call)
        if len(self.calls) > len(self._replies):
            last = messages[-1].content if messages else ""
            raise AssertionError(
                f"The script has {len(self._replies)} replies; call {len(self.calls)} asks: {last[:200]!r}"
            )
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        answer = reply(call) if callable(reply) else reply
        return answer if isinstance(answer, Completion) else Completion(answer)
