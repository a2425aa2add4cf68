"""Settings with the source of each value, and changes to the user's `config.toml`.

API keys are not in the file: a setting names the environment variable with the key.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from remora.app.project.locate import SETTINGS_FILE, config_dir
from remora.core.config import CHOICES, Settings, keys, parse, variable
from remora.core.errors import ConfigError
from remora.core.setting_descriptions import DESCRIPTIONS
from remora.disk.files import make_folder, read_small, write_atomic

FILE = "config.toml"


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
    """Return every setting, in the order of the documentation."""
    given = {"project": _flat(_read(root / SETTINGS_FILE)), "user": _flat(_read(config_dir(environ) / FILE))}
    found = []
    for name, default in keys().items():
        section, _, key = name.rpartition(".")
        value = getattr(getattr(settings, section) if section else settings, key)
        files = (one for one, known in given.items() if known.get(name) == value)
        whence = "environment" if variable(name) in environ else next(files, "default")
        kind = (
            "bool" if isinstance(default, bool) else "number" if isinstance(default, int | float) else "text"
        )
        found.append(Setting(name, value, whence, DESCRIPTIONS[name], tuple(CHOICES.get(name, ())), kind))
    return found


def set_setting(name: str, text: str, environ: Mapping[str, str] = os.environ) -> None:
    """Write a setting to the user's file; other content stays.

    Args:
        name: "section.key".
        text: the value as typed; empty removes the setting from the file.
        environ: the environment that names the settings folder.

    Raises:
        ConfigError: the setting is unknown, the value is invalid, or the file cannot be changed safely.
    """
    known = keys()
    if name not in known:
        raise ConfigError(f"there is no setting {name!r}")
    path = config_dir(environ) / FILE
    before = (read_small(path.resolve()) or b"").decode("utf-8")
    section, _, key = name.rpartition(".")
    value = _value(text, known[name]) if text else None
    after = _with(before, section, key, value)
    wanted: dict[str, Any] = tomllib.loads(before)
    table = wanted.setdefault(section, {}) if section else wanted
    table.pop(key, None)
    if value is not None:
        table[key] = value
    if {k: v for k, v in tomllib.loads(after).items() if v != {}} != {
        k: v for k, v in wanted.items() if v != {}
    }:
        raise ConfigError(f"{path} cannot be changed safely", hint=f"Set {name} in the file by hand.")
    parse({str(path): tomllib.loads(after)}, {})
    make_folder(path.parent)
    write_atomic(path.resolve(), after.encode("utf-8"))


def _value(text: str, default: Any) -> Any:
    if isinstance(default, bool):
        return text.lower() in ("true", "yes", "on", "1")
    for kind in (int, float):
        if isinstance(default, int | float):
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def _with(text: str, section: str, key: str, value: Any) -> str:
    """Return a TOML text with one value set or removed; the caller verifies the result by parsing it."""
    lines = text.splitlines()
    head = f"[{section}]"
    begin = 0
    if section:
        begin = next((n + 1 for n, line in enumerate(lines) if line.strip() == head), -1)
    end = next((n for n in range(max(begin, 0), len(lines)) if lines[n].lstrip().startswith("[")), len(lines))
    own = re.compile(rf"\s*{re.escape(key)}\s*=")
    at = next((n for n in range(begin, end) if own.match(lines[n])), -1) if begin >= 0 else -1
    new = [] if value is None else [f"{key} = {_toml(value)}"]
    if at >= 0:
        lines[at : at + 1] = new
    elif begin >= 0:
        lines[begin:begin] = new
    elif new:
        lines += [*([""] if lines else []), head, *new]
    return "\n".join(lines) + "\n" if lines else ""


def _toml(value: Any) -> str:
    if type(value) in (int, float):
        return repr(value)
    # A JSON string is a TOML basic string, except that JSON does not escape DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((read_small(path.resolve()) or b"").decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _flat(content: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in content.items():
        found |= (
            {f"{name}.{key}": v for key, v in value.items()} if isinstance(value, dict) else {name: value}
        )
    return found
