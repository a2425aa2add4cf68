"""Check the files beside the database, settings and environment variables; a key's value is never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from remora.app.health.findings import Finding, failed, megabytes
from remora.app.health.stats import database_bytes
from remora.app.project.locate import SETTINGS_FILE, ignored_settings, user_file
from remora.app.project.user_settings import settings_files, sources
from remora.app.records.items import DATABASE
from remora.core.config import keys, values, variable
from remora.core.errors import RemoraError, StoreCorrupt
from remora.core.secrets import redact
from remora.core.setting_descriptions import DESCRIPTIONS
from remora.store.items import Items

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

OWN_VARIABLES = ("REMORA_HOME", "REMORA_CONFIG", "REMORA_LANG", "REMORA_DEBUG", "REMORA_WORK")
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


def items(project: OpenProject) -> Iterator[Finding]:
    """Check the items database; no finding if no program has created it."""
    path = project.location.home / DATABASE
    if not path.exists():
        return
    with closing(Items.open(path, read_only=True)) as store:
        problems, count = store.connection.check(), store.count()
    if problems:
        advice = f"Move {path} away and keep it: it is the only copy. The program then creates a new file."
        yield Finding("error", "items", "; ".join(problems), advice, StoreCorrupt.__name__)
    else:
        yield Finding("ok", "items", f"sound; items: {count:,}; {megabytes(database_bytes(path))}")


def written(project: OpenProject) -> Iterator[Finding]:
    """Check MEMORY.md, the entry store and unfinished consolidations; no finding without their folder."""
    if not project.memory_folder.is_dir():
        return
    try:
        yield Finding("ok", "notes", f"notes and archives: {project.entries().count()}")
    except RemoraError as error:
        yield failed("notes", error)
    if problem := project.journal().read_memory().problem:
        yield Finding("warning", "journal", problem, "Save it as UTF-8 and check its permissions.")
    if waiting := len(list((project.memory_folder / ".pending").glob("*.json"))):
        advice = "`remora journal consolidate` finishes them."
        yield Finding("warning", "journal", f"unfinished consolidations: {waiting}", advice)


# Settings


def settings(project: OpenProject) -> list[Finding]:
    """Report the settings that differ from the defaults, each with its source."""
    root, environ = project.location.root, project.environ
    defaults, files = keys(), settings_files(root, environ)
    findings = [Finding("ok", "settings", f"read from {path}") for path in files]
    given = sources(project.settings, root, environ)
    for key, value in values(project.settings).items():
        if value != defaults[key]:
            source = given.get(key, "the program")
            detail = f"{key} = {_showable(value)}, from {source}. {DESCRIPTIONS[key]}"
            findings.append(Finding("ok", "setting", detail))
    if len(findings) == len(files):
        findings.append(Finding("ok", "settings", "all at their defaults"))
    return findings + _refused(project) + _keys(project)


def _refused(project: OpenProject) -> list[Finding]:
    advice = f"Your own settings are in {user_file(project.environ)}."
    root = project.location.root
    lines = [f"{root / SETTINGS_FILE}: {line}" for line in ignored_settings(root)]
    return [Finding("warning", "settings", line, advice) for line in lines]


def _keys(project: OpenProject) -> list[Finding]:
    """Report the API key variables of the providers in use that are not set; never a value."""
    findings: list[Finding] = []
    for section in (project.settings.embedding, project.settings.llm, project.settings.rerank):
        name, own = section.api_key_env, section.provider in ("none", "local", "onnx", "ollama")
        if not name or own or (section.provider == "auto" and not section.url):
            continue
        if not project.environ.get(name):
            advice = "api_key_env names the variable with the key; set it, if the server asks for one."
            findings.append(Finding("warning", "API key", f"{_showable(name)} is not set", advice))
    return findings


def environment(project: OpenProject) -> list[Finding]:
    """Report unknown REMORA_ variables and an unsafe PYTHONPATH."""
    return [*variables(project.environ), *_import_path(project.environ)]


def _import_path(environ: Mapping[str, str]) -> list[Finding]:
    """Warn of a PYTHONPATH with an empty or relative part: it puts the current folder on the import path.

    Python searches that folder before our code runs, so this can be reported but not prevented.
    """
    parts = environ.get("PYTHONPATH", "")
    if not parts or all(os.path.isabs(part) for part in parts.split(os.pathsep)):  # noqa: PTH117
        return []
    found = "PYTHONPATH has an empty or relative part: Python imports code from the current folder"
    return [Finding("warning", "environment", found, "Use absolute paths only, without extra colons.")]


def variables(environ: Mapping[str, str]) -> list[Finding]:
    """Return a finding for each REMORA_ variable of an environment that is not known."""
    known = {*OWN_VARIABLES, *map(variable, keys())}
    return [
        Finding("warning", "environment", f"{name} is not known", "Unset it, or correct its name.")
        for name in sorted(environ)
        if name.startswith("REMORA_") and name not in known
    ]


def _showable(value: object) -> str:
    """Return a setting's value without credentials in it."""
    text = _USERINFO.sub("[REDACTED]@", str(value))
    return redact(text).text if isinstance(value, str) else text
