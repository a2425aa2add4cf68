"""Language models over HTTP: OpenAI-compatible servers, Ollama and Anthropic.

Servers reject different fields. A rejected field is left out from then on, so each object pays for this only
once.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from remora.core.config import LlmSettings
from remora.core.errors import ConfigError, InvalidInput, ModelMissing, ProviderError
from remora.core.tokens import scripts
from remora.disk.places import data_folder
from remora.llm.client import Call, Completion, LanguageModel, Message, strip_thinking
from remora.net.hosts import ApiKey, host_of, is_loopback, key_for, ollama_url, openai_base
from remora.net.http import JsonClient, member, server_said, with_retries
from remora.net.listeners import require_trusted

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
ANTHROPIC_VERSION = "2023-06-01"
KEEP_ALIVE = "10m"
LEAST_CONTEXT, MOST_CONTEXT = 4_096, 131_072
SCHEMA_NAME = "answer"
_FINISHED = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class _Served(ABC):
    """A model behind a server: retries within the timeout, adaptation to rejected fields.

    Attributes:
        provider: its name in the settings.
        path: the path of requests.
        counted: names of the numbers of input and output tokens.
        optional: the fields that some servers reject, each with words of the rejection.
        key_header: the name of the header with the key.
        headers: other headers.
        remedy: the hint for a model that the server does not have.
    """

    provider = ""
    path = ""
    counted = ("", "")
    optional: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    key_header = "authorization"
    headers: ClassVar[Mapping[str, str]] = {}
    remedy = "Check llm.model in the settings."

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: ApiKey | None = None,
        timeout: float = 15.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = JsonClient(
            self._base(url), key=key, key_header=self.key_header, headers=self.headers, timeout=timeout
        )
        self._model = model
        self._timeout = timeout
        self._sleep = sleep
        self._wanted = set(self.optional)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_id} at {self._client.host})"

    @property
    def model_id(self) -> str:
        """Provider and model."""
        return f"{self.provider}:{self._model}"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

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
            InvalidInput: the messages exceed the largest context that is requested from Ollama, which would
                truncate them silently.
        """
        call = Call(tuple(messages), max_tokens, temperature, schema, timeout)

        def post(seconds: float) -> Any:
            return self._client.post_json(self.path, self._body(call), timeout=seconds)

        answer = self._adapted(post, self._timeout if timeout is None else timeout)
        text, reason, usage = self._read(answer, self._client.where(self.path))
        shown = strip_thinking(text)
        if not shown:
            raise ProviderError(
                f"{self.model_id} at {self._client.host} returned no text (stop reason: {reason})",
                hint="A reasoning model may need a larger max_tokens." if reason == "length" else "",
                status=200,
            )
        counts = [usage.get(name) if isinstance(usage, Mapping) else 0 for name in self.counted]
        numbers = [n if isinstance(n, int) else 0 for n in counts]
        return Completion(shown, reason, numbers[0], numbers[1])

    def _adapted(self, post: Callable[[float], Any], budget: float) -> Any:
        """Return the result of `post`, repeated after each rejection to which the body can be adapted."""
        while True:
            try:
                return with_retries(post, budget=budget, sleep=self._sleep)
            except ProviderError as error:
                if error.status == 404 and server_said(error, "model"):
                    raise ModelMissing(
                        f"{self._client.host} does not have the model {self._model}",
                        hint=self.remedy.format(self._model),
                    ) from None
                if error.status not in (400, 422) or not self._adapt(error):
                    raise

    def _adapt(self, error: ProviderError) -> bool:
        """Leave a rejected field out from now on; return whether there was one."""
        for name, words in self.optional.items():
            if name in self._wanted and server_said(error, *words):
                self._wanted.remove(name)
                return True
        return False

    def _base(self, url: str) -> str:
        return url

    @abstractmethod
    def _body(self, call: Call) -> dict[str, Any]:
        """Return the request's body."""

    @abstractmethod
    def _read(self, answer: Any, where: str) -> tuple[str, str, Any]:
        """Return text, finish reason and usage of an answer."""


class OpenAIModel(_Served):
    """A model behind an OpenAI-compatible `/chat/completions`."""

    provider = "openai"
    path = "/chat/completions"
    counted = ("prompt_tokens", "completion_tokens")
    optional: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "max_tokens": ("max_completion_tokens",),  # which newer models want in its place
        "temperature": ("temperature",),
        "response_format": ("response_format", "schema"),
    }

    def _base(self, url: str) -> str:
        return openai_base(url)

    def _body(self, call: Call) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [m._asdict() for m in call.messages],
            "max_tokens" if "max_tokens" in self._wanted else "max_completion_tokens": call.max_tokens,
        }
        if "temperature" in self._wanted:
            asked["temperature"] = call.temperature
        if call.schema is not None and "response_format" in self._wanted:
            described = {"name": SCHEMA_NAME, "strict": False, "schema": call.schema}
            asked["response_format"] = {"type": "json_schema", "json_schema": described}
        return asked

    def _read(self, answer: Any, where: str) -> tuple[str, str, Any]:
        choices = member(answer, "choices", list, where)
        message = member(choices[0] if choices else None, "message", dict, where)
        reason = str(choices[0].get("finish_reason") or "stop")
        return _said(message.get("content"), where), reason, answer.get("usage")


class OllamaModel(_Served):
    """A model of an Ollama server."""

    provider = "ollama"
    path = "/api/chat"
    counted = ("prompt_eval_count", "eval_count")
    remedy = "Run `ollama pull {}`."
    optional: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "think": ("think",),
        "format": ("format", "schema", "grammar"),
    }

    def _body(self, call: Call) -> dict[str, Any]:
        context = context_size(call.messages, call.max_tokens)
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [m._asdict() for m in call.messages],
            "stream": False,
            "keep_alive": KEEP_ALIVE,
            "options": {"temperature": call.temperature, "num_predict": call.max_tokens, "num_ctx": context},
        }
        if "think" in self._wanted:
            asked["think"] = False
        if call.schema is not None and "format" in self._wanted:
            asked["format"] = call.schema
        return asked

    def _read(self, answer: Any, where: str) -> tuple[str, str, Any]:
        message = member(answer, "message", dict, where)
        return _said(message.get("content"), where), str(answer.get("done_reason") or "stop"), answer


def context_size(messages: Sequence[Message], max_tokens: int) -> int:
    """Return the context size to request from Ollama: a power of two that holds messages and answer.

    A quarter is added to the estimate, since code has shorter tokens than prose; powers of two, because
    Ollama reloads the model whenever the number changes.

    Raises:
        InvalidInput: more than 131,072 tokens would be needed.

    >>> context_size([Message("user", "hello")], 800), context_size([Message("user", "a b " * 8000)], 800)
    (4096, 32768)
    """
    needed = max_tokens + sum(scripts(m.content) * 5 // 4 + 16 for m in messages)
    if needed > MOST_CONTEXT:
        raise InvalidInput(
            f"The messages need about {needed:,} tokens, more than {MOST_CONTEXT:,}",
            hint="Send a shorter text.",
        )
    return max(LEAST_CONTEXT, 1 << (needed - 1).bit_length())


class AnthropicModel(_Served):
    """A model of Anthropic's Messages API. It gets a schema only in the words of `extract`."""

    provider = "anthropic"
    path = "/v1/messages"
    counted = ("input_tokens", "output_tokens")
    optional: ClassVar[Mapping[str, tuple[str, ...]]] = {"temperature": ("temperature",)}
    key_header = "x-api-key"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": ANTHROPIC_VERSION}

    def _base(self, url: str) -> str:
        return url.rstrip("/").removesuffix("/v1")

    def _body(self, call: Call) -> dict[str, Any]:
        system = "\n\n".join(m.content for m in call.messages if m.role == "system")
        spoken = [m._asdict() for m in call.messages if m.role != "system"]
        asked: dict[str, Any] = {"model": self._model, "max_tokens": call.max_tokens, "messages": spoken}
        if system:
            asked["system"] = system
        if "temperature" in self._wanted:
            asked["temperature"] = call.temperature
        return asked

    def _read(self, answer: Any, where: str) -> tuple[str, str, Any]:
        blocks = [b for b in member(answer, "content", list, where) if isinstance(b, dict)]
        text = "".join(_said(b.get("text"), where) for b in blocks if b.get("type") == "text")
        stopped = str(answer.get("stop_reason") or "end_turn")
        return text, _FINISHED.get(stopped, stopped), answer.get("usage")


def _said(text: Any, where: str) -> str:
    """Return the text of a model's answer, empty for none; a value that is not text is an error."""
    if text is None or isinstance(text, str):
        return text or ""
    raise ProviderError(
        f"{where} returned an unexpected response: the text is of type {type(text).__name__}",
        hint="Check that llm.provider matches the server at the URL.",
        status=200,
    )


def build(settings: LlmSettings, environ: Mapping[str, str], *, outside: str = "") -> LanguageModel | None:
    """Return the configured language model, None for provider "none"; nothing is sent or started.

    Args:
        settings: of the model.
        environ: holds keys and addresses.
        outside: the project, whose own programs are never run as the model.

    Raises:
        ConfigError: no model is set, or the URL or the key is invalid.
        ModelMissing: a hosted provider without a key.
    """
    if settings.provider == "none":
        return None
    if settings.provider == "command":
        from remora.llm.command import FOLDER, CommandModel

        return CommandModel(
            settings.command,
            Path(data_folder(environ)) / FOLDER,
            environ,
            outside=outside,
            timeout=settings.timeout,
            daily_calls=settings.daily_calls,
        )
    if not settings.model:
        raise ConfigError(
            f"llm.provider is {settings.provider}, but llm.model is empty",
            hint="Set llm.model.",
        )
    if settings.provider == "ollama":
        url = settings.url or ollama_url(environ)
        if not settings.url:
            require_trusted(url, Path(data_folder(environ)))
        return OllamaModel(url, settings.model, timeout=settings.timeout)
    hosted, variable, base = {
        "openai": (OPENAI_URL, "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        "anthropic": (ANTHROPIC_URL, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    }[settings.provider]
    url = settings.url or environ.get(base, "") or hosted
    key = key_for(settings.api_key_env or variable, environ, url)
    host = host_of(url)
    if not key and not is_loopback(host) and host == host_of(hosted):
        raise ModelMissing(f"{host} requires a key, and none is set", hint=key.hint)
    make = OpenAIModel if settings.provider == "openai" else AnthropicModel
    return make(url, settings.model, key=key, timeout=settings.timeout)
