"""A ledger of what language models cost: every call by purpose, and a limit for what nobody waits for.

Tokens are the provider's own; where it reports none they are estimated from the characters and marked so. The
limit `llm.daily_tokens` ends what works in the background for the day. What a person waits for goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.core.clock import to_iso
from remora.core.errors import ProviderError, RemoraError, StoreError
from remora.core.tokens import ceil_chars_4
from remora.llm.client import Completion

if TYPE_CHECKING:
    from remora.core.clock import Clock
    from remora.llm.client import LanguageModel, Message
    from remora.store.database import Database

UNASKED = ("describe", "synthesis", "learn", "e2e", "hyde")  # purposes that nobody waits for


class Limited(ProviderError):
    """The tokens of the day are used up."""


class MeteredModel:
    """A language model whose calls are written into a ledger.

    Args:
        model: the real one.
        db: of the project; None where nothing can be written.
        clock: what day it is.
        purpose: what the calls are for.
        most: tokens a day above which nothing is done that nobody waits for; 0 for no limit.
    """

    def __init__(
        self, model: LanguageModel, db: Database | None, clock: Clock, purpose: str, most: int
    ) -> None:
        self._model = model
        self._db = db
        self._clock = clock
        self._purpose = purpose
        self._most = most

    @property
    def model_id(self) -> str:
        """Provider and model."""
        return self._model.model_id

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Return the model's answer; see `LanguageModel`.

        Raises:
            Limited: nobody waits for it, and the tokens of the day are used up.
        """
        day = to_iso(self._clock.now())[:10]
        if self._most and self._purpose in UNASKED and self._spent(day) >= self._most:
            raise Limited(
                f"{self._most:,} tokens were used today",
                hint="llm.daily_tokens is the limit; 0 turns it off.",
            )
        given = sum(ceil_chars_4(message.content) for message in messages)
        began = time.monotonic()
        try:
            answer = self._model.complete(
                messages, max_tokens=max_tokens, temperature=temperature, schema=schema, timeout=timeout
            )
        except RemoraError:
            self._note(day, given, 0, time.monotonic() - began, estimated=True, failed=True)
            raise
        told = answer.input_tokens > 0 or answer.output_tokens > 0
        read = answer.input_tokens if told else given
        written = answer.output_tokens if told else ceil_chars_4(answer.text)
        self._note(day, read, written, time.monotonic() - began, estimated=not told, failed=False)
        return answer

    def _spent(self, day: str) -> int:
        try:
            return self._db.spent.tokens_of(day) if self._db is not None else 0
        except StoreError:
            return 0

    def _note(
        self, day: str, read: int, written: int, seconds: float, *, estimated: bool, failed: bool
    ) -> None:
        if self._db is None:
            return
        call = (day, self._purpose, self.model_id, read, written, seconds)
        with suppress(StoreError), self._db.transaction(durable=False):  # a ledger fails no call
            self._db.spent.add(*call, estimated=estimated, failed=failed)


class CostRow(NamedTuple):
    """Calls of one purpose to one model.

    Attributes:
        purpose, model: of the calls.
        calls, failed: how many, and how many of them failed.
        input_tokens, output_tokens: of all; `estimated` calls reported none.
        estimated: calls whose tokens are estimated.
        seconds: that they took.
        money: by the prices that are set; None without prices.
    """

    purpose: str
    model: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    estimated: int
    seconds: float
    money: float | None = None


class Costs(NamedTuple):
    """What language models cost.

    Attributes:
        days: counted back from today.
        rows: by purpose and model, the most tokens first.
        today: tokens of today.
        limit: tokens a day for what nobody waits for; 0 for none.
        due: what would be asked next without anybody asking, in words.
    """

    days: int
    rows: tuple[CostRow, ...]
    today: int
    limit: int
    due: tuple[str, ...] = ()
