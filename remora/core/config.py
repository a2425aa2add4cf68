"""Every setting with its default and its environment variable; parsed once, from mappings.

Later sources override earlier ones: defaults, `config.toml` in the user's configuration folder, `remora.toml`
at the root of the repository (only `home` and `[search]`: a repository must not choose servers or keys),
environment variables. This module reads no file and no environment: the open project passes mappings, so
the effective settings can be shown (`remora doctor`) and tested.

A key in remora.toml is `[section] name`; its variable is `REMORA_SECTION_NAME`. API keys are never settings:
a setting names the environment variable that holds the key. `setting_descriptions.py` describes each setting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.errors import ConfigError


class EmbeddingSettings(NamedTuple):
    """`[embedding]`: the model that turns text into vectors."""

    provider: str = "auto"
    model: str = ""
    url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    dimensions: int = 1024
    query_prefix: str = ""
    document_prefix: str = ""
    timeout: float = 10.0


class LlmSettings(NamedTuple):
    """`[llm]`: the optional language model. No feature requires one."""

    provider: str = "none"
    model: str = ""
    url: str = ""
    api_key_env: str = ""
    timeout: float = 15.0
    describe: bool = True
    command: str = ""
    daily_calls: int = 50
    daily_tokens: int = 0
    price_in: float = 0.0
    price_out: float = 0.0


class RerankSettings(NamedTuple):
    """`[rerank]`: the optional reranker of the best candidates."""

    provider: str = "none"
    model: str = ""
    url: str = ""
    api_key_env: str = ""
    candidates: int = 20
    budget_ms: int = 400


class SearchSettings(NamedTuple):
    """`[search]`: the defaults of a search."""

    user_memories: bool = True
    # It helps to find the files that a task will change, and hurts the search for a single place.
    neighbourhood_boost: bool = False
    hyde: bool = True


class CompactionSettings(NamedTuple):
    """`[compaction]`: when a conversation is compacted, and to which size."""

    enabled: bool = True
    keep_last: int = 20
    max_context_tokens: int = 50_000
    model_input_limit: int = 128_000
    model_share: float = 0.8
    characters_per_token: float = 3.5
    overhead_tokens: int = 8_000
    summary_tokens: int = 500
    summary_timeout: float = 15.0
    message_characters: int = 300
    summary_temperature: float = 0.3


class JournalSettings(NamedTuple):
    """`[journal]`: MEMORY.md, HISTORY.md and the daily notes."""

    enabled: bool = True
    recent_days: int = 7
    note_replies: bool = True
    memory_window: int = 50
    max_memory_size: int = 8_192
    consolidation_timeout: float = 30.0
    consolidation_tokens: int = 4_096


class LearnSettings(NamedTuple):
    """`[learn]`: learning from the sessions of agents."""

    quotes: bool = True
    synthesis: bool = False
    synthesis_timeout: float = 120.0


class InjectSettings(NamedTuple):
    """`[inject]`: the text added to an agent's context without being asked for."""

    enabled: bool = True
    threshold: float = 0.0
    brief_tokens: int = 1_200
    longterm_tokens: int = 300
    task_tokens: int = 800
    at_once: int = 3
    moment_tokens: int = 500
    times: int = 40
    session_tokens: int = 4_000
    skip_steps: int = 5
    ask: bool = True
    notice: bool = True
    timeout: float = 3.0


class TrialSettings(NamedTuple):
    """`[trial]`: measure whether advice helps, by withholding some of it."""

    share: float = 0.1
    sessions: bool = False


class SynthesisSettings(NamedTuple):
    """`[synthesis]`: the common content of several sessions on a module."""

    enabled: bool = True
    model: bool = False


class Settings(NamedTuple):
    """All settings. `home` moves the project's data; empty keeps it in the data folder."""

    home: str = ""
    embedding: EmbeddingSettings = EmbeddingSettings()
    llm: LlmSettings = LlmSettings()
    rerank: RerankSettings = RerankSettings()
    search: SearchSettings = SearchSettings()
    compaction: CompactionSettings = CompactionSettings()
    journal: JournalSettings = JournalSettings()
    learn: LearnSettings = LearnSettings()
    inject: InjectSettings = InjectSettings()
    trial: TrialSettings = TrialSettings()
    synthesis: SynthesisSettings = SynthesisSettings()


CHOICES: dict[str, tuple[str, ...]] = {
    "embedding.provider": ("auto", "ollama", "openai", "onnx", "none"),
    "llm.provider": ("none", "openai", "ollama", "anthropic", "command"),
    "rerank.provider": ("none", "cohere", "jina", "tei", "llamacpp", "vllm"),
}

# Numbers that may be 0; all others must be above it.
MAY_BE_ZERO = frozenset(
    {
        "compaction.keep_last",
        "compaction.summary_temperature",
        "journal.recent_days",
        "inject.threshold",
        "inject.skip_steps",
        "inject.longterm_tokens",
        "trial.share",
        "llm.daily_tokens",
        "llm.price_in",
        "llm.price_out",
    }
)

# Numbers that are 1 at most.
SHARES = frozenset({"compaction.model_share", "inject.threshold", "trial.share"})

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def keys() -> dict[str, Any]:
    """Return the dotted name of every setting with its default, in the order of `Settings`."""
    return values(Settings())


def values(settings: Settings) -> dict[str, Any]:
    """Return the dotted name of every setting with its value, in the order of `Settings`."""
    found: dict[str, Any] = {}
    for name, value in settings._asdict().items():
        if hasattr(value, "_asdict"):
            found |= {f"{name}.{k}": v for k, v in value._asdict().items()}
        else:
            found[name] = value
    return found


def variable(key: str) -> str:
    """Return the environment variable of a setting.

    REMORA_HOME is the folder of all projects' data; the home of one project has a variable of its own.

    >>> variable("embedding.provider"), variable("home")
    ('REMORA_EMBEDDING_PROVIDER', 'REMORA_PROJECT_HOME')
    """
    return "REMORA_" + ("project_home" if key == "home" else key.replace(".", "_")).upper()


def parse(files: Mapping[str, Mapping[str, Any]], environ: Mapping[str, str]) -> Settings:
    """Return the settings from parsed TOML files (in order, later wins) and the environment.

    Args:
        files: file name (for messages) to its parsed content.
        environ: the process environment; only REMORA_* variables of known settings are read.

    Raises:
        ConfigError: an unknown key, a value of the wrong type or outside its choices. The message
            names the file or variable.
    """
    known = keys()
    settings = Settings()
    for file, content in files.items():
        for key, value in flat(content).items():
            if key not in known:
                raise ConfigError(
                    f"{file}: unknown setting {key!r}", hint=f"Known settings: {', '.join(known)}."
                )
            settings = _with(settings, key, _coerce(key, value, known[key], file))
    for key, default in known.items():
        name = variable(key)
        if name in environ:
            settings = _with(settings, key, _coerce(key, environ[name], default, name))
    return settings


def flat(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a parsed TOML file by dotted name.

    >>> flat({"home": ".remora", "search": {"hyde": True}})
    {'home': '.remora', 'search.hyde': True}
    """
    found: dict[str, Any] = {}
    for name, value in content.items():
        found |= {f"{name}.{k}": v for k, v in value.items()} if isinstance(value, Mapping) else {name: value}
    return found


def _coerce(key: str, value: Any, default: Any, where: str) -> Any:
    try:
        coerced = _convert(value, type(default))
    except ValueError as error:
        raise ConfigError(
            f"{where}: {key} must be {error}, not {value!r}", hint=f"Its default is {default!r}."
        ) from None
    if key in CHOICES and coerced not in CHOICES[key]:
        raise ConfigError(
            f"{where}: {key} cannot be {value!r}", hint=f"Choose one of {', '.join(CHOICES[key])}."
        )
    if isinstance(coerced, int | float) and not isinstance(coerced, bool):
        zero, share = key in MAY_BE_ZERO, key in SHARES
        if coerced < 0 or (coerced == 0 and not zero) or (share and coerced > 1):
            least = "0 or more" if zero else "above 0"
            allowed = f"{least} and at most 1" if share else least
            raise ConfigError(
                f"{where}: {key} must be {allowed}, not {value!r}", hint=f"Its default is {default!r}."
            )
    return coerced


def _convert(value: Any, kind: type) -> Any:
    if kind is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
            return value.lower() in _TRUE
        raise ValueError("true or false")
    if kind in (int, float):
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError("a number")
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise ValueError("a number") from None
        if not math.isfinite(number):
            raise ValueError("a number")
        if kind is int and not number.is_integer():
            raise ValueError("a whole number")
        return kind(number)
    if not isinstance(value, str):
        raise ValueError("a string")
    return value


def _with(settings: Settings, key: str, value: Any) -> Settings:
    """Return the settings with another value of one of them."""
    section, _, name = key.rpartition(".")
    if not section:
        return settings._replace(**{name: value})
    return settings._replace(**{section: getattr(settings, section)._replace(**{name: value})})
