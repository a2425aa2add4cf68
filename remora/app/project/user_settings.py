"""Find the source of each setting, and change settings in the user's `config.toml`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remora.app.project.locate import SETTINGS_FILE, of_repository, set_by_user, user_file
from remora.core.config import Settings, flat, keys, parse, values, variable
from remora.core.errors import ConfigError
from remora.disk.files import make_folder, read_small, write_atomic


def settings_files(root: Path, environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the contents of the files that set something, by path; the later ones win.

    Of a repository's file only what it may set is returned.

    Raises:
        ConfigError: the user's file cannot be read.
    """
    own = user_file(environ)
    found = {str(own): set_by_user(environ)} if own.is_file() else {}
    if allowed := of_repository(root)[0]:
        found[str(root / SETTINGS_FILE)] = allowed
    return found


def sources(settings: Settings, root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the file or environment variable that sets each setting, by the setting's name.

    A setting that has its default, or its value from the program, is missing.

    Raises:
        ConfigError: the user's file cannot be read, or has a wrong setting.
    """
    effective = values(settings)
    found: dict[str, str] = {}
    for path, content in settings_files(root, environ).items():
        given = values(parse({path: content}, {}))
        found |= {name: path for name in flat(content) if given[name] == effective[name]}
    return found | {name: variable(name) for name in effective if variable(name) in environ}


def set_settings(changes: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Write settings to the user's file, in one write; other content stays.

    API keys are not in the file: a setting names the environment variable with the key.

    Args:
        changes: the values as typed, by "section.key"; an empty one removes the setting from the file.
        environ: the environment that names the settings folder.

    Raises:
        ConfigError: a setting is unknown, a value is invalid, or the file cannot be changed safely.
    """
    known = keys()
    path = user_file(environ)
    wanted = set_by_user(environ)
    text = (read_small(path.resolve()) or b"").decode("utf-8")
    for name, typed in changes.items():
        if name not in known:
            raise ConfigError(f"there is no setting {name!r}")
        section, _, key = name.rpartition(".")
        value = _value(typed, known[name]) if typed else None
        text = _with(text, section, key, value)
        table = wanted.setdefault(section, {}) if section else wanted
        table.pop(key, None)
        if value is not None:
            table[key] = value
    try:
        made = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        made = {}
    if {k: v for k, v in made.items() if v != {}} != {k: v for k, v in wanted.items() if v != {}}:
        names = ", ".join(changes)
        raise ConfigError(f"{path} cannot be changed safely", hint=f"Set {names} in the file by hand.")
    parse({str(path): made}, {})
    make_folder(path.parent)
    write_atomic(path.resolve(), text.encode("utf-8"))


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
