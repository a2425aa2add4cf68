"""OpenAI-compatible servers, Ollama and Anthropic, against a real server in each one's shape."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from remora.core.config import LlmSettings
from remora.core.errors import ConfigError, InvalidInput, ModelMissing, ProviderError
from remora.llm.client import Completion, Message, extract
from remora.llm.providers import AnthropicModel, OllamaModel, OpenAIModel, build, context_size
from remora.net.hosts import ApiKey
from tests.servers import ModelServer, Reply

CHAT = "POST /v1/chat/completions"
OLLAMA = "POST /api/chat"
CLAUDE = "POST /v1/messages"
TALK = [Message("system", "Be brief."), Message("user", "Capital of France?")]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
KEY = ApiKey("sk-test-123456")


def no_sleep(_: float) -> None:
    """Wait for nothing."""


def openai_says(content: Any, reason: str = "stop", **more: Any) -> dict[str, Any]:
    """Return an answer of /chat/completions."""
    return {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **more},
                "finish_reason": reason,
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    }


def ollama_says(content: str, reason: str = "stop") -> dict[str, Any]:
    """Return an answer of /api/chat."""
    return {
        "message": {"role": "assistant", "content": content},
        "done": True,
        "done_reason": reason,
        "prompt_eval_count": 12,
        "eval_count": 3,
    }


def claude_says(*blocks: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    """Return an answer of /v1/messages."""
    return {"content": list(blocks), "stop_reason": reason, "usage": {"input_tokens": 12, "output_tokens": 3}}


def refuse(words: str, status: int = 400) -> Reply:
    """Return a refusal in the shape that OpenAI and Anthropic share."""
    return Reply({"error": {"message": words, "type": "invalid_request_error"}}, status)


# --- OpenAI-compatible ---------------------------------------------------------------------------


def test_openai_gets_messages_and_gives_text_and_counts():
    """The request has model, messages, limit, temperature and key; the answer is text with its cost."""
    says = openai_says(" Paris. ")
    with ModelServer().on(CHAT, says) as server, closing(OpenAIModel(server.url, "m", key=KEY)) as model:
        answer = model.complete(TALK, max_tokens=50)
        request = server.requests[0]
    assert answer == Completion("Paris.", "stop", 12, 3)
    assert request.headers["authorization"] == "Bearer sk-test-123456"
    assert request.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Capital of France?"},
        ],
        "max_tokens": 50,
        "temperature": 0.0,
    }
    assert model.model_id == "openai:m"
    assert "123456" not in repr(model)


def test_a_newer_openai_model_is_asked_in_its_own_way():
    """max_completion_tokens in place of max_tokens and no temperature: found out once, kept."""

    def picky(request):
        if "max_tokens" in request.body:
            return refuse(
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            )
        if "temperature" in request.body:
            return refuse("Unsupported value: 'temperature' does not support 0 with this model.")
        return openai_says("Paris")

    with ModelServer().on(CHAT, picky) as server, closing(OpenAIModel(server.url, "o9")) as model:
        assert model.complete(TALK, max_tokens=50).text == "Paris"
        assert model.complete(TALK, max_tokens=60).text == "Paris"
        bodies = server.bodies()
    assert len(bodies) == 4
    assert bodies[3]["max_completion_tokens"] == 60
    assert "temperature" not in bodies[3]


def test_a_server_without_schemas_is_asked_in_words():
    """json_schema first, then only words: extract gets its record from either."""

    def picky(request):
        if "response_format" in request.body:
            return refuse("response_format json_schema is not supported by this server")
        return openai_says('Sure:\n```json\n{"city": "Paris"}\n```')

    with ModelServer().on(CHAT, picky) as server, closing(OpenAIModel(server.url, "m")) as model:
        assert extract(model, TALK, SCHEMA) == {"city": "Paris"}
        first, second = server.bodies()
    described = {"name": "answer", "strict": False, "schema": SCHEMA}
    assert first["response_format"] == {"type": "json_schema", "json_schema": described}
    assert "response_format" not in second


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (openai_says("", "length", reasoning_content="hm"), r"no text \(stop reason: length\)"),
        (openai_says("<think>hm", "length"), "no text"),
        (openai_says(None, "content_filter"), "content_filter"),
        (refuse("context_length_exceeded"), "context_length_exceeded"),
    ],
)
def test_what_is_no_answer_is_an_error(answer, words):
    """Empty text is never taken for an answer, and a refusal has the server's words."""
    refused = pytest.raises(ProviderError, match=words)
    with ModelServer().on(CHAT, answer) as server, closing(OpenAIModel(server.url, "m")) as model, refused:
        model.complete(TALK, max_tokens=50)


# --- Ollama --------------------------------------------------------------------------------------


def test_ollama_is_asked_for_one_quiet_answer_with_enough_context():
    """No stream, no thinking, a context that holds the input; counts are Ollama's."""
    with ModelServer().on(OLLAMA, ollama_says("Paris")) as server:
        model = OllamaModel(server.url, "qwen3:4b")
        answer = model.complete([Message("user", "word " * 4000)], max_tokens=500, schema=SCHEMA)
        model.close()
        body = server.bodies()[0]
    assert answer == Completion("Paris", "stop", 12, 3)
    assert (body["stream"], body["think"], body["keep_alive"]) == (False, False, "10m")
    assert body["options"] == {"temperature": 0.0, "num_predict": 500, "num_ctx": 8192}
    assert body["format"] == SCHEMA
    assert model.model_id == "ollama:qwen3:4b"


def test_the_context_is_a_power_of_two_and_never_too_small():
    """4,096 at least; a text that nothing holds is an error before it is sent, not cut in silence."""
    assert context_size([Message("user", "x")], 10) == 4096
    assert context_size([Message("user", "日" * 4000)], 10) == 8192
    with pytest.raises(InvalidInput, match="more than 131,072"):
        context_size([Message("user", "x" * 1_000_000)], 10)


def test_an_older_ollama_is_asked_without_what_it_refuses():
    """`think` and schemas are given up one after the other, for good."""

    def picky(request):
        if "think" in request.body:
            return Reply({"error": '"old" does not support thinking'}, 400)
        if isinstance(request.body.get("format"), dict):
            return Reply({"error": "invalid format: expected json"}, 400)
        return ollama_says('{"city": "Paris"}')

    with ModelServer().on(OLLAMA, picky) as server, closing(OllamaModel(server.url, "old")) as model:
        assert extract(model, TALK, SCHEMA) == {"city": "Paris"}
        assert extract(model, TALK, SCHEMA) == {"city": "Paris"}
        assert [body.get("format") for body in server.bodies()] == [SCHEMA, SCHEMA, None, None]


@pytest.mark.parametrize(
    ("route", "make", "reply", "hint"),
    [
        (OLLAMA, OllamaModel, Reply({"error": "model 'x' not found"}, 404), "Run `ollama pull x`."),
        (CHAT, OpenAIModel, refuse("The model `x` does not exist", 404), "Check llm.model in the settings."),
    ],
)
def test_a_missing_model_says_what_to_do(route, make, reply, hint):
    """The hint is Ollama's command, or the setting."""
    lacks = pytest.raises(ModelMissing, match="does not have the model x")
    with ModelServer().on(route, reply) as server, closing(make(server.url, "x")) as model, lacks as caught:
        model.complete(TALK, max_tokens=5)
    assert caught.value.hint == hint


# --- Anthropic -----------------------------------------------------------------------------------


def test_anthropic_gets_the_system_text_apart_and_its_headers():
    """System messages leave the list; the version header and the bare key are sent."""
    answer = claude_says({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Paris"})
    with ModelServer().on(CLAUDE, answer) as server:
        model = AnthropicModel(server.url + "/v1", "claude-x", key=KEY)
        found = model.complete([*TALK, Message("system", "In French.")], max_tokens=50)
        model.close()
        request = server.requests[0]
    assert found == Completion("Paris", "stop", 12, 3)
    assert request.headers["x-api-key"] == "sk-test-123456"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.body == {
        "model": "claude-x",
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "Capital of France?"}],
        "system": "Be brief.\n\nIn French.",
        "temperature": 0.0,
    }


def test_an_anthropic_model_that_refuses_is_asked_without():
    """Temperature is given up for good; a schema is asked for in words alone."""

    def picky(request):
        if "temperature" in request.body:
            words = "`temperature` is deprecated for this model"
            return Reply({"type": "error", "error": {"type": "invalid_request_error", "message": words}}, 400)
        return claude_says({"type": "text", "text": '{"city": "Paris"}'})

    with ModelServer().on(CLAUDE, picky) as server, closing(AnthropicModel(server.url, "claude-x")) as model:
        assert extract(model, TALK, SCHEMA) == {"city": "Paris"}
        assert extract(model, TALK, SCHEMA) == {"city": "Paris"}
        assert len(server.requests) == 3
        assert json.dumps(SCHEMA) in server.bodies()[0]["messages"][-1]["content"]


def test_an_overloaded_anthropic_is_busy_and_a_cut_answer_says_so():
    """529 may pass; max_tokens is finish_reason length; a refusal without text is an error."""
    overloaded = Reply({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529)
    cut = claude_says({"type": "text", "text": "Par"}, reason="max_tokens")
    with ModelServer().on(CLAUDE, overloaded, cut, claude_says(reason="refusal")) as server:
        model = AnthropicModel(server.url, "claude-x", sleep=no_sleep)
        assert model.complete(TALK, max_tokens=5)[:2] == ("Par", "length")
        with pytest.raises(ProviderError, match="refusal"):
            model.complete(TALK, max_tokens=5)
        model.close()


# --- the wiring ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        (LlmSettings(provider="openai"), ConfigError, "llm.model is empty"),
        (LlmSettings(provider="ollama"), ConfigError, "llm.model is empty"),
        (LlmSettings(provider="openai", model="m"), ModelMissing, "OPENAI_API_KEY"),
        (LlmSettings(provider="anthropic", model="m"), ModelMissing, "ANTHROPIC_API_KEY"),
    ],
)
def test_a_provider_needs_a_model_and_a_key(settings, error, words):
    """The usual variable is named in the hint; without a provider there is no model."""
    with pytest.raises(error) as caught:
        build(settings, {})
    assert words in f"{caught.value} {caught.value.hint}"
    assert build(LlmSettings(), {}) is None


def test_settings_and_environment_make_the_model():
    """URL, key variable and OLLAMA_HOST are obeyed; building sends nothing."""
    with ModelServer() as server:
        server.on(CHAT, openai_says("a")).on(OLLAMA, ollama_says("b"))
        server.on(CLAUDE, claude_says({"type": "text", "text": "c"}))
        built = [
            build(LlmSettings("openai", "m", server.url, "MY_KEY"), {"MY_KEY": "secret-1"}),
            build(LlmSettings("ollama", "m"), {"OLLAMA_HOST": server.host}),
            build(
                LlmSettings("anthropic", "m"),
                {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "secret-2"},
            ),
        ]
        assert server.requests == []
        texts = []
        for model in built:
            assert model is not None
            texts.append(model.complete(TALK, max_tokens=5).text)
            model.close()  # type: ignore[attr-defined]
        assert texts == ["a", "b", "c"]
        assert server.requests[0].headers["authorization"] == "Bearer secret-1"
        assert server.requests[2].headers["x-api-key"] == "secret-2"


def test_a_key_is_not_sent_where_it_does_not_belong():
    """A URL in the settings does not lead OPENAI_API_KEY astray, and the hint says why."""
    settings = LlmSettings("openai", "m", "https://models.example/v1")
    model = build(settings, {"OPENAI_API_KEY": "sk-live-1234567890"})
    assert isinstance(model, OpenAIModel)
    assert "authorization" not in model._client._headers
    model.close()
