"""The protocols of a language model and of a reranker, and JSON records from any model."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from remora.core.errors import ProviderBusy, ProviderError
from remora.core.text import shorten

JSON_ATTEMPTS = 2
GRACE = 1.0  # seconds that a model may be over its limit before it is left behind
MAX_CANDIDATES = 200  # opening braces tried in one answer
_THINKING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THINKING = re.compile(r"\A\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
_END_OF_THINKING = re.compile(r"\A.*</think>", re.DOTALL | re.IGNORECASE)
_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class Message(NamedTuple):
    """One message: role "system", "user" or "assistant"."""

    role: str
    content: str


class Call(NamedTuple):
    """The arguments of one call of `LanguageModel.complete`."""

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float
    schema: Mapping[str, Any] | None
    timeout: float | None


class Completion(NamedTuple):
    """The answer of a model.

    `finish_reason` is "stop", "length" (cut at `max_tokens`) or the provider's own word. Token counts are 0
    if the provider does not report them.
    """

    text: str
    finish_reason: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0


class LanguageModel(Protocol):
    """Completes messages."""

    @property
    def model_id(self) -> str:
        """Provider and model, for reports."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Return the model's answer.

        Args:
            messages: the conversation, oldest first.
            max_tokens: maximum length of the answer.
            temperature: 0 for the most likely words; left out for models that reject it.
            schema: a JSON schema for the answer; not every server enforces it.
            timeout: seconds for everything, retries included.

        Raises:
            ProviderError: no answer, or no usable one.
            ModelMissing: the server does not have the model.
        """
        ...


class Reranker(Protocol):
    """Scores documents against a query."""

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return one score for each document, in input order, higher is better.

        Raises:
            ProviderError: no answer within `timeout` seconds, or no usable one.
        """
        ...


def complete_in_time(
    model: LanguageModel,
    messages: Sequence[Message],
    *,
    max_tokens: int,
    timeout: float,
    schema: Mapping[str, Any] | None = None,
) -> Completion:
    """Return a model's answer, or raise the model's error; wait at most GRACE longer than its time limit.

    A model should keep its own limit. One that does not must not block its caller, so it runs in a thread
    that ends with the process.

    Raises:
        ProviderBusy: there is no answer yet.
    """
    results: list[Completion] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(model.complete(messages, max_tokens=max_tokens, schema=schema, timeout=timeout))
        except BaseException as error:  # noqa: BLE001  raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, name="remora-model", daemon=True)
    thread.start()
    thread.join(timeout + GRACE)
    if errors:
        raise errors[0]
    if not results:
        raise ProviderBusy(f"no answer within {timeout + GRACE:.1f} s")
    return results[0]


def extract(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    *,
    max_tokens: int = 1024,
    timeout: float | None = None,
) -> dict[str, Any]:
    """Return a record that matches a JSON schema, from any model's answer.

    The schema is sent twice, as a constraint and in words, because servers that cannot constrain the answer
    do not report it. The first matching object in the answer counts: prose, code fences and thinking around
    it are skipped. An answer without a match is sent back once with the reason.

    Args:
        model: any language model.
        messages: the task.
        schema: of an object; `type`, `properties`, `required`, `items` and `enum` are checked.
        max_tokens: maximum length of the answer; doubled once if the answer was cut.
        timeout: seconds for each attempt.

    Raises:
        ProviderError: no answer matches.
        ModelMissing: see `complete`.
    """
    wish = "Answer with one JSON object and nothing else. It must fit this JSON schema:\n" + json.dumps(
        schema, ensure_ascii=False
    )
    asked = _with_wish(messages, wish)
    why = ""
    for _ in range(JSON_ATTEMPTS):
        answer = model.complete(asked, max_tokens=max_tokens, schema=schema, timeout=timeout)
        found, why = find_object(answer.text, schema)
        if found is not None:
            return found
        if answer.finish_reason == "length":
            why = f"it was cut at {max_tokens} tokens"
            max_tokens *= 2
            continue
        asked = [
            *asked,
            Message("assistant", answer.text),
            Message("user", f"That cannot be used: {why}. Answer again, with the JSON object alone."),
        ]
    raise ProviderError(
        f"{model.model_id} returned no answer that matches the schema: {why}",
        hint="Use a larger model, or a server that supports JSON schemas.",
    )


def _with_wish(messages: Sequence[Message], wish: str) -> list[Message]:
    """Return the messages with the schema request appended to the last one, as some templates require."""
    if messages and messages[-1].role == "user":
        return [*messages[:-1], Message("user", f"{messages[-1].content}\n\n{wish}")]
    return [*messages, Message("user", wish)]


def find_object(text: str, schema: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    r"""Return the first JSON object in a text that matches a schema, or None and the reason.

    >>> find_object('Sure! ```json\n{"a": 1}\n```', {"required": ["a"]})
    ({'a': 1}, '')
    >>> find_object('{"b": 1}', {"required": ["a"]})
    (None, "'a' is missing")
    """
    reason = "there is no JSON object in it"
    for candidate in objects(strip_thinking(text)):
        misfit = fit(candidate, schema)
        if not misfit:
            return candidate, ""
        if reason.startswith("there is no"):
            reason = misfit
    return None, reason


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text; raw line breaks in their strings are accepted."""
    decoder = json.JSONDecoder(strict=False)
    at = -1
    for _ in range(MAX_CANDIDATES):
        at = text.find("{", at + 1)
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield found
        at = end - 1


def fit(value: Any, schema: Mapping[str, Any], where: str = "") -> str:
    """Return why a value does not match a JSON schema, empty if it does. Unknown keywords are ignored."""
    name = f"{where!r}" if where else "the answer"
    kinds = schema.get("type")
    if kinds is not None:
        wanted = [kinds] if isinstance(kinds, str) else list(kinds)
        if not any(_is_a(value, kind) for kind in wanted):
            return f"{name} is not of type {' or '.join(wanted)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} is {shorten(str(value), 40)!r}, not one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        for key in schema.get("required", ()):
            if key not in value:
                return f"{_inside(where, key)!r} is missing"
        for key, inner in schema.get("properties", {}).items():
            if key in value and (why := fit(value[key], inner, _inside(where, key))):
                return why
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for place, item in enumerate(value):
            if why := fit(item, schema["items"], f"{where}[{place}]"):
                return why
    return ""


def _inside(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS.get(kind, (object,)))


def strip_thinking(text: str) -> str:
    """Return an answer without the thinking that some models write before it.

    >>> strip_thinking("<think>hm</think>yes"), strip_thinking("hm</think>yes"), strip_thinking("<think>hm")
    ('yes', 'yes', '')
    """
    shown = _THINKING.sub("", text, count=1)
    if shown == text:
        if _OPEN_THINKING.match(text):
            return ""
        if "<think" not in text.lower():
            shown = _END_OF_THINKING.sub("", text, count=1)
    return shown.strip()
