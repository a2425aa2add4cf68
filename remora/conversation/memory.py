"""The conversation of an agent: add to it, read it, prune it to a token budget.

`ConversationMemory` holds it in memory. `MessageMemory` is the interface, which `PersistentMemory`
(`persistent`) implements over a session's log. Messages are copied on the way in and out: changing a returned
message changes nothing here. Every method may be called by several threads.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from remora.conversation.exact_tokens import token_counter
from remora.conversation.format import copied, prepare
from remora.conversation.message_search import Found, find
from remora.conversation.pruning import SUMMARY_TOKENS, Pruned, Summarise, prune
from remora.conversation.strategies import Strategy
from remora.conversation.strategies import strategy as strategy_of
from remora.core.argument_types import checked
from remora.core.errors import InvalidInput
from remora.core.tokens import Estimator
from remora.core.values import Message

TAGS = "tags"  # the key in a message's metadata

Which = int | Callable[[Message], bool]
if TYPE_CHECKING:  # not checked by `checked`: the hint of `several` names `add`
    Messages = Iterable[Message | Mapping[str, Any] | None]
_EPOCH = "1970-01-01T00:00:00.000Z"


@checked
class MessageMemory(ABC):
    """The interface of a conversation memory.

    Args:
        counter: the name of a token counter (`core.tokens`, `exact_tokens`), or a counter.
        strategy: the name of a strategy (`strategies`), or a strategy.
        summarise: turns dropped messages into the text of a summary; without it there is no summary.
        summary_tokens: maximum tokens of a summary.
    """

    def __init__(
        self,
        *,
        counter: str | Estimator = "scripts",
        strategy: str | Strategy = "recency",
        summarise: Summarise | None = None,
        summary_tokens: int = SUMMARY_TOKENS,
    ) -> None:
        self.counter = token_counter(counter)
        self._strategy = strategy_of(strategy)
        self._summarise = summarise
        self._summary_tokens = summary_tokens

    def add(self, message: Message | Mapping[str, Any] | None) -> None:
        """Add a message at the end: a `Message`, or a mapping with `role` and `content`. None is ignored.

        Raises:
            InvalidInput: it is neither, or has an invalid field.
        """
        self.add_many([message])

    @abstractmethod
    def add_many(self, messages: Messages) -> None:
        """Add messages at the end, all or none, without others in between. None is ignored.

        Raises:
            InvalidInput: a message is invalid; none was added.
        """

    @abstractmethod
    def get_all(self) -> list[Message]:
        """Return the conversation, oldest first."""

    def get_recent(self, n: int) -> list[Message]:
        """Return the last `n` messages, oldest first; none for 0 and less."""
        return self.get_all()[-n:] if n > 0 else []

    def get_by_role(self, role: str) -> list[Message]:
        """Return the messages of one role, oldest first."""
        return [message for message in self.get_all() if message.role == role]

    def count(self) -> int:
        """Return the number of messages."""
        return len(self.get_all())

    def tokens(self) -> int:
        """Return the number of tokens of the conversation, by this memory's counter."""
        return self.counter.tokens(self.get_all())

    @abstractmethod
    def clear(self) -> None:
        """Delete the conversation, including system messages."""

    @abstractmethod
    def prune(self, max_tokens: int, strategy: str | Strategy | None = None) -> Pruned:
        """Shorten the conversation to a budget and return the result.

        Args:
            max_tokens: the budget for all kept messages.
            strategy: replaces the memory's strategy this time.

        Raises:
            InvalidInput: the budget is not positive, or no strategy has that name.
        """

    @abstractmethod
    def tag(self, which: Which, *tags: str) -> int:
        """Tag messages, and return how many got a new tag.

        Args:
            which: a position in `get_all`, or a function that selects messages.
            tags: words; they are kept in the metadata under `tags`.

        Raises:
            InvalidInput: there is no message at the position, or a tag is blank.
        """

    def by_tag(self, tag: str) -> list[Message]:
        """Return the messages with a tag, oldest first."""
        return [message for message in self.get_all() if tag in tags_of(message)]

    def find(self, query: str, role: str | None = None, limit: int = 10) -> list[Found]:
        """Return the messages that match a query, the best first; see `message_search`."""
        return find(self.get_all(), query, role, limit)

    def _pruned(
        self, messages: Sequence[Message], max_tokens: int, strategy: str | Strategy | None
    ) -> Pruned:
        chosen = self._strategy if strategy is None else strategy_of(strategy)
        return prune(messages, max_tokens, self.counter, chosen, self._summarise, self._summary_tokens)


@checked
class ConversationMemory(MessageMemory):
    """A conversation in this process's memory; it ends with the object. See `MessageMemory`."""

    def __init__(
        self,
        messages: Messages = (),
        *,
        counter: str | Estimator = "scripts",
        strategy: str | Strategy = "recency",
        summarise: Summarise | None = None,
        summary_tokens: int = SUMMARY_TOKENS,
    ) -> None:
        super().__init__(
            counter=counter, strategy=strategy, summarise=summarise, summary_tokens=summary_tokens
        )
        self._lock = threading.RLock()
        self._messages: list[Message] = []
        self.add_many(messages)

    def add_many(self, messages: Messages) -> None:
        """Add messages at the end; see `MessageMemory`."""
        new = [_as_message(message) for message in several(messages)]
        with self._lock:
            self._messages.extend(new)

    def get_all(self) -> list[Message]:
        """Return the conversation, oldest first."""
        with self._lock:
            return [copied(message) for message in self._messages]

    def count(self) -> int:
        """Return the number of messages."""
        with self._lock:
            return len(self._messages)

    def clear(self) -> None:
        """Delete the conversation, including system messages."""
        with self._lock:
            self._messages.clear()

    def prune(self, max_tokens: int, strategy: str | Strategy | None = None) -> Pruned:
        """Shorten the conversation to a budget and return the result; see `MessageMemory`.

        Other threads wait for a summary that is being written.
        """
        with self._lock:
            pruned = self._pruned(self.get_all(), max_tokens, strategy)
            self._messages = [copied(message) for message in pruned.kept]
        return pruned

    def tag(self, which: Which, *tags: str) -> int:
        """Tag messages, and return how many got a new tag; see `MessageMemory`."""
        wanted = checked_tags(tags)
        with self._lock:
            tagged = 0
            for place in places(self._messages, which):
                message = self._messages[place]
                if not set(wanted) <= set(tags_of(message)):
                    self._messages[place] = with_tags(message, wanted)
                    tagged += 1
            return tagged


def several(messages: Messages) -> list[Message | Mapping[str, Any]]:
    """Return a list of the given items, without None.

    Raises:
        InvalidInput: a single message was given instead of a list.
    """
    if isinstance(messages, str | Mapping | Message) or not isinstance(messages, Iterable):
        raise InvalidInput("messages must be a list of messages, not one", hint="Use add for a single one.")
    return [message for message in messages if message is not None]


def _as_message(message: Message | Mapping[str, Any]) -> Message:
    """Return a message as a copy; a mapping follows the rules of the session log.

    Raises:
        InvalidInput: it is no message.
    """
    if isinstance(message, Message):
        if not isinstance(message.role, str) or not message.role.strip():
            raise InvalidInput("role must be a non-empty string")
        if not isinstance(message.content, str):
            raise InvalidInput("content must be a string")
        return copied(message)
    read = prepare([message], _EPOCH)[0].message
    return read if message.get("time") is not None else read._replace(time=None)


def places(messages: Sequence[Message], which: Which) -> list[int]:
    """Return the positions of the selected messages.

    Raises:
        InvalidInput: a position without a message.
    """
    if callable(which):
        return [place for place, message in enumerate(messages) if which(copied(message))]
    if not -len(messages) <= which < len(messages):
        raise InvalidInput(f"there is no message {which}; there are {len(messages)}, counted from 0")
    return [which % len(messages)]


def tags_of(message: Message) -> tuple[str, ...]:
    """Return a message's tags."""
    return words_in((message.metadata or {}).get(TAGS))


def words_in(value: object) -> tuple[str, ...]:
    """Return the texts in a list of tags; none of what is no list."""
    return tuple(tag for tag in value if isinstance(tag, str)) if isinstance(value, list | tuple) else ()


def with_tags(message: Message, tags: Iterable[str]) -> Message:
    """Return a message with additional tags, each once."""
    return message._replace(
        metadata={**(message.metadata or {}), TAGS: list(dict.fromkeys((*tags_of(message), *tags)))}
    )


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags in stored form, without white space around them.

    Raises:
        InvalidInput: there is none, or one is blank.
    """
    found = tuple(tag.strip() if isinstance(tag, str) else "" for tag in tags)
    if not found or not all(found):
        raise InvalidInput("a tag must be a non-blank string", hint="Give one or more.")
    return found
