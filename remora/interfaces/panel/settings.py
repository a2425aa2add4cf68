"""Settings as the panel shows them, with the source of each value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from remora.app.project.locate import SETTINGS_FILE, user_file
from remora.app.project.user_settings import sources
from remora.core.config import CHOICES, Settings, keys, values, variable
from remora.core.setting_descriptions import DESCRIPTIONS


class Setting(NamedTuple):
    """A setting.

    Attributes:
        name: "section.key".
        value: the effective value.
        whence: the source of the value: "environment", "project", "user" or "default".
        description: the description.
        choices: the allowed values; empty for any.
        kind: "bool", "number" or "text".
    """

    name: str
    value: Any
    whence: str
    description: str
    choices: tuple[str, ...]
    kind: str


def shown_settings(settings: Settings, root: Path, environ: Mapping[str, str] = os.environ) -> list[Setting]:
    """Return every setting, in the order of the documentation.

    Raises:
        ConfigError: the user's file cannot be read, or has a wrong setting.
    """
    given, effective = sources(settings, root, environ), values(settings)
    whence = {str(user_file(environ)): "user", str(root / SETTINGS_FILE): "project"}
    found = []
    for name, default in keys().items():
        source = given.get(name, "")
        told = "environment" if source == variable(name) else whence.get(source, "default")
        kind = (
            "bool" if isinstance(default, bool) else "number" if isinstance(default, int | float) else "text"
        )
        choices = tuple(CHOICES.get(name, ()))
        found.append(Setting(name, effective[name], told, DESCRIPTIONS[name], choices, kind))
    return found
