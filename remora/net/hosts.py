"""Addresses of model servers, and the keys that may be sent to each.

A key belongs to the provider that its variable is named after. A repository can bring a configuration with a
URL; without this rule it could send somebody's OPENAI_API_KEY to a host of its choice. So the well-known
variables are sent only to their provider, to this machine, and to the host in the user's own environment
(OPENAI_BASE_URL, ANTHROPIC_BASE_URL). Any other variable is sent where the settings say.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from remora.core.errors import ConfigError

OLLAMA_PORT = 11_434

# The hosts (and their subdomains) that a well-known variable may be sent to.
HOMES: dict[str, tuple[str, ...]] = {
    "OPENAI_API_KEY": ("openai.com", "openai.azure.com"),
    "ANTHROPIC_API_KEY": ("anthropic.com",),
    "COHERE_API_KEY": ("cohere.com", "cohere.ai"),
    "CO_API_KEY": ("cohere.com", "cohere.ai"),
    "JINA_API_KEY": ("jina.ai",),
}
# Variables of the person's own environment that name another host for the same provider.
BASES = {"OPENAI_API_KEY": "OPENAI_BASE_URL", "ANTHROPIC_API_KEY": "ANTHROPIC_BASE_URL"}


class ApiKey:
    """A key that is never displayed: not in `repr`, not in `str`, not when it is pickled.

    Attributes:
        hint: the remedy if a server rejects it.
    """

    __slots__ = ("_value", "hint")

    def __init__(self, value: str = "", *, variable: str = "", hint: str = "") -> None:
        """Hold a key.

        Raises:
            ConfigError: the key has characters not allowed in an HTTP header.
        """
        value = value.strip()
        if not (value.isascii() and (value.isprintable() or not value)):
            raise ConfigError(
                f"The key in {variable or 'the environment'} has characters not allowed in an HTTP header",
                hint="Set the variable again; it may contain a line break or a typographic character.",
            )
        self._value = value
        self.hint = hint

    def reveal(self) -> str:
        """Return the key itself, for a request header."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"ApiKey({'set' if self._value else 'empty'})"

    def __reduce__(self) -> tuple[object, ...]:
        return (ApiKey, ())


def key_for(variable: str, environ: Mapping[str, str], url: str) -> ApiKey:
    """Return the key of a variable for a URL; empty if there is none or it may not be sent there.

    Raises:
        ConfigError: see `ApiKey`.
    """
    if not variable:
        return ApiKey(hint="The server requires a key; set api_key_env to the variable with the key.")
    value = environ.get(variable, "")
    if not value.strip():
        return ApiKey(hint=f"The server requires a key; set {variable}.")
    if not _may_travel(variable, environ, url):
        homes = ", ".join(HOMES[variable])
        return ApiKey(
            hint=f"{variable} goes only to {homes} and to this machine; set api_key_env to another "
            "variable with this server's key."
        )
    return ApiKey(value, variable=variable, hint=f"Check the key in {variable}.")


def _may_travel(variable: str, environ: Mapping[str, str], url: str) -> bool:
    homes = HOMES.get(variable)
    host = host_of(url)
    if homes is None or is_loopback(host):
        return True
    named = environ.get(BASES.get(variable, ""), "")
    if named and host_of(named) == host:
        return True
    secure = urlsplit(url).scheme == "https"
    return secure and any(host == home or host.endswith("." + home) for home in homes)


def host_of(url: str) -> str:
    """Return the lower-case host of a URL without port and user, empty when there is none.

    >>> host_of("https://user:secret@API.example.com:8443/v1")
    'api.example.com'
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def address_of(url: str) -> tuple[str, int]:
    """Return host and port of an http or https URL.

    Raises:
        ConfigError: it is not such a URL.

    >>> address_of("https://example.com/v1"), address_of("http://[::1]:8080")
    (('example.com', 443), ('::1', 8080))
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    odd = not host or parts.query or parts.fragment or any(c.isspace() for c in url)
    if odd or parts.scheme not in ("http", "https"):
        raise ConfigError(
            f"{_without_user(url)!r} is not the URL of a model server",
            hint="Write it as http://host:port or https://host/path, without a query.",
        )
    return host, port or (443 if parts.scheme == "https" else 80)


def _without_user(url: str) -> str:
    head, at, tail = url.partition("?")[0].rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else tail


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("10.0.0.1")
    (True, True, True, False)
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ollama_url(environ: Mapping[str, str]) -> str:
    """Return the URL of Ollama from OLLAMA_HOST, read as Ollama itself reads it.

    An address to listen on (0.0.0.0, ::) is this machine for a client. Without a scheme the port is
    Ollama's own, with one it is the scheme's.

    >>> ollama_url({}), ollama_url({"OLLAMA_HOST": "0.0.0.0:1234"}), ollama_url({"OLLAMA_HOST": "gpu"})
    ('http://127.0.0.1:11434', 'http://127.0.0.1:1234', 'http://gpu:11434')
    """
    given = environ.get("OLLAMA_HOST", "").strip().strip("\"'").rstrip("/")
    whole = "://" in given
    url = given if whole else f"http://{given}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url  # who uses it reports what is wrong
    if not port and not whole:
        port = OLLAMA_PORT
    if host in ("", "0.0.0.0", "::"):  # noqa: S104 a client's reading of an address to listen on
        host = "127.0.0.1"
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path}"


def openai_base(url: str) -> str:
    """Return the base of an OpenAI-compatible server: with its path, `/v1` when the URL has none.

    >>> openai_base("http://localhost:8000"), openai_base("https://host/api/v1/")
    ('http://localhost:8000/v1', 'https://host/api/v1')
    """
    address_of(url)
    trimmed = url.rstrip("/")
    return trimmed if urlsplit(trimmed).path.strip("/") else trimmed + "/v1"


def reachable(host: str, port: int, seconds: float) -> bool:
    """Return whether something listens at an address, by a bare TCP connect.

    It costs well under a millisecond when nothing listens on this machine, and loads no HTTP client.
    """
    try:
        with socket.create_connection((host, port), timeout=seconds):
            return True
    except (OSError, UnicodeError, OverflowError):
        return False
