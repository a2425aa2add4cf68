"""Report the model servers that texts are sent to, and a local server that needs the user's consent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.errors import ConfigError
from remora.disk.places import data_folder
from remora.net.hosts import BASES, address_of, is_loopback, ollama_url, reachable
from remora.net.listeners import stranger

if TYPE_CHECKING:
    from remora.core.config import Settings

PROBE_SECONDS = 0.2  # to connect to a local server


def destinations(settings: Settings, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (purpose, destination) for each kind of model; no server is contacted.

    Raises:
        ConfigError: a setting names no valid server.
    """
    found = []
    for what, section in (
        ("embedding", settings.embedding),
        ("llm", settings.llm),
        ("rerank", settings.rerank),
    ):
        provider = section.provider
        url = section.url or environ.get(BASES.get(f"{provider.upper()}_API_KEY", ""), "")
        if provider in ("none", "onnx"):
            where = "nowhere: on this machine, in this process" if provider == "onnx" else "nowhere"
        elif provider in ("auto", "ollama") and not url:
            where = "to Ollama on this machine if you or the system runs it, else nowhere"
        else:
            where = f"to {':'.join(map(str, address_of(url)))}" if url else f"to the server of {provider}"
        found.append((what, where))
    return found


def in_one_line(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return the destinations of texts in one line; for an invalid setting, its error message."""
    try:
        found = [f"{what}: {where}" for what, where in destinations(settings, environ) if where != "nowhere"]
    except ConfigError as error:
        return str(error)
    return "; ".join(found) or "nowhere"


def to_ask(settings: Settings, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the URL of a local server that needs the user's consent, and the reason; else empty texts."""
    wanted = [s for s in (settings.embedding, settings.llm) if s.provider in ("auto", "ollama") and not s.url]
    try:
        url = ollama_url(environ)
        host, port = address_of(url)
    except ConfigError:
        return "", ""
    if not wanted or not is_loopback(host) or not reachable(host, port, PROBE_SECONDS):
        return "", ""
    why = stranger(url, Path(data_folder(environ)), answered=True)
    return (url, why) if why else ("", "")
