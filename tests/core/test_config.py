"""Settings: what wins, what is refused, and how each is called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.config import CHOICES, SHARES, Settings, keys, parse, variable
from remora.core.errors import ConfigError
from remora.core.setting_descriptions import DESCRIPTIONS
from tests.tables import table

USER, REPO = "config.toml", "remora.toml"


def test_defaults():
    """Without files and variables every setting has its default; variables of others change nothing."""
    assert parse({}, {}) == Settings()
    others = {"PATH": "/bin", "REMORA_HOME": "/data", "REMORA_COLOUR": "red", "EMBEDDING_PROVIDER": "none"}
    assert parse({USER: {}}, others) == Settings()


def test_keys_name_every_setting():
    """The list of settings covers every field, once, by its dotted name."""
    found = keys()
    sections = {name: part for name, part in Settings()._asdict().items() if name != "home"}
    assert set(found) == {"home", *(f"{n}.{k}" for n, part in sections.items() for k in part._fields)}
    assert found["embedding.provider"] == "auto"
    assert all(found[key] in choices for key, choices in CHOICES.items())


def test_every_setting_is_described():
    """Each setting has one short sentence or two, and no other name has one."""
    assert list(DESCRIPTIONS) == list(keys())
    for key, text in DESCRIPTIONS.items():
        assert text.endswith("."), key
        assert 20 < len(text) <= 110, key
        assert "|" not in text, key  # a cell of a table


def test_each_setting_has_a_variable_of_its_own():
    """No two settings share a variable, and none is REMORA_HOME, which moves all projects' data."""
    names = [variable(key) for key in keys()]
    assert len(set(names)) == len(names)
    assert "REMORA_HOME" not in names
    assert variable("rerank.budget_ms") == "REMORA_RERANK_BUDGET_MS"


def test_later_wins():
    """The second file goes over the first, a variable over both, and each for its own setting only."""
    files = {
        USER: {"home": "a", "embedding": {"model": "one", "timeout": 5}, "llm": {"model": "x"}},
        REPO: {"home": "b", "embedding": {"model": "two"}},
    }
    settings = parse(files, {"REMORA_EMBEDDING_MODEL": "three", "REMORA_SEARCH_HYDE": "no"})
    assert settings.home == "b"
    assert settings.embedding.model == "three"
    assert settings.embedding.timeout == 5.0
    assert settings.embedding.provider == "auto"
    assert settings.llm.model == "x"
    assert settings.search.hyde is False
    assert parse(files, {}).embedding.model == "two"
    assert parse(files, {"REMORA_PROJECT_HOME": "c"}).home == "c"


@pytest.mark.parametrize("key", [k for k in keys() if k != "home"])
def test_every_setting_can_be_set(key: str):
    """Each setting is read from a file and from its variable, and keeps its type."""
    default = keys()[key]
    section, _, name = key.partition(".")
    if key in CHOICES:
        value: Any = CHOICES[key][-1]
    elif isinstance(default, bool):
        value = not default
    elif key in SHARES:
        value = default / 2
    else:
        value = default + 1 if isinstance(default, int | float) else "something"
    for settings in (parse({REPO: {section: {name: value}}}, {}), parse({}, {variable(key): str(value)})):
        found = getattr(getattr(settings, section), name)
        assert found == value
        assert type(found) is type(default)


def test_yes_and_no():
    """Yes and no may be said in the usual words of any case."""
    for text in ("true", "YES", "1", "On", "false", "No", "0"):
        found = parse({}, {"REMORA_SEARCH_HYDE": text}).search.hyde
        assert found is (text in ("true", "YES", "1", "On"))


@pytest.mark.parametrize(("told", "said"), table(__file__, "bad_settings"))
def test_bad_settings_are_refused(told: str, said: str):
    """A setting that does not exist or cannot have its value is refused by file, name and reason."""
    with pytest.raises(ConfigError) as caught:
        parse({REPO: json.loads(told)}, {})
    assert str(caught.value).startswith(f"{REPO}: {said}")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REMORA_EMBEDDING_PROVIDER", "magic"),
        ("REMORA_EMBEDDING_DIMENSIONS", "1e"),
        ("REMORA_EMBEDDING_TIMEOUT", "nan"),
    ],
)
def test_bad_variables_are_refused(name: str, value: str):
    """A variable that cannot be used is refused by its name."""
    with pytest.raises(ConfigError, match=name) as caught:
        parse({}, {name: value})
    assert caught.value.hint


def test_a_good_variable_does_not_excuse_a_bad_file():
    """A mistake in a file is reported even where a variable goes over it."""
    with pytest.raises(ConfigError, match=REPO):
        parse({REPO: {"search": {"hyde": "maybe"}}}, {"REMORA_SEARCH_HYDE": "yes"})


def test_some_numbers_may_be_zero() -> None:
    """Nothing kept, no day before today, no randomness: each is a wish that makes sense."""
    files = {"a": {"compaction": {"keep_last": 0, "summary_temperature": 0}, "journal": {"recent_days": 0}}}
    settings = parse(files, {})
    assert (settings.compaction.keep_last, settings.compaction.summary_temperature) == (0, 0.0)
    assert settings.journal.recent_days == 0
