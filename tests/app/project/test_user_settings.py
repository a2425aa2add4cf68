"""The user's settings: where a value comes from, and changes to the file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from remora.app.project.locate import ignored_settings, settings_for
from remora.app.project.user_settings import set_settings, sources
from remora.core.errors import ConfigError


def test_a_setting_changes_nothing_else_in_the_file(tmp_path: Path) -> None:
    """Comments and other tables stay; an empty value takes the line out; nonsense is refused."""
    path = tmp_path / "config.toml"
    path.write_text('# mine\n[inject]\ntimes = 4  # few\n\n[llm]\nprovider = "none"\n')
    environ = {"REMORA_CONFIG": str(tmp_path)}
    set_settings({"inject.at_once": "2", "inject.times": "9"}, environ)
    set_settings({"search.hyde": "true"}, environ)
    text = path.read_text()
    assert text.startswith("# mine\n")
    found = tomllib.loads(text)
    assert found["inject"] == {"at_once": 2, "times": 9}
    assert found["llm"] == {"provider": "none"}
    set_settings({"inject.times": ""}, environ)
    assert "times" not in tomllib.loads(path.read_text())["inject"]
    text = path.read_text()
    for name, value in (("nothing.here", "1"), ("llm.provider", "magic")):
        with pytest.raises(ConfigError):
            set_settings({"inject.at_once": "3", name: value}, environ)
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["[search] # mine\nhyde = false\n", "search = {hyde = false}\n"])
def test_a_file_that_cannot_be_changed_safely_stays(tmp_path: Path, text: str) -> None:
    """What is written in a way that the change would break is left to the person."""
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="cannot be changed safely"):
        set_settings({"search.hyde": "true"}, {"REMORA_CONFIG": str(tmp_path)})
    assert path.read_text() == text


def test_a_value_comes_from_the_last_source_that_may_set_it(tmp_path: Path) -> None:
    """The environment, the repository as far as it may, the user's file; a default has no source."""
    (tmp_path / "config.toml").write_text("[inject]\ntimes = 4\nat_once = 2\n[search]\nhyde = true\n")
    theirs = "[search]\nhyde = false\n[inject]\nenabled = false\n"
    (tmp_path / "remora.toml").write_text(theirs)
    environ = {"REMORA_CONFIG": str(tmp_path), "REMORA_INJECT_TIMES": "5"}
    assert ignored_settings(tmp_path) == ()
    found = settings_for(tmp_path, environ)
    inject = found.inject
    assert (inject.times, inject.at_once, inject.enabled, found.search.hyde) == (5, 2, False, False)
    assert settings_for(tmp_path, environ | {"REMORA_SEARCH_HYDE": "yes"}).search.hyde
    (tmp_path / "remora.toml").write_text(theirs + '[llm]\nprovider = "none"\n')
    assert sources(settings_for(tmp_path, environ), tmp_path, environ) == {
        "inject.times": "REMORA_INJECT_TIMES",
        "inject.at_once": str(tmp_path / "config.toml"),
        "inject.enabled": str(tmp_path / "remora.toml"),
        "search.hyde": str(tmp_path / "remora.toml"),
    }
