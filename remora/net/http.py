"""JSON requests to model servers: one client, checked answers, translated failures.

A failure names the host, the path, the status and the server's own message, truncated and without keys.
Failures that may pass (429, 503, a timeout, no listener) are `ProviderBusy`, the others are `ProviderError`.
Redirects are not followed: they would carry text and key to another host.

Proxies of the environment are used for other hosts, because a company network often has no other way out, and
never for this machine, because a proxy could not reach it and must not see it.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from remora.core.errors import ConfigError, ProviderBusy, ProviderError
from remora.core.text import clean, collapse
from remora.net.hosts import ApiKey, address_of, is_loopback

if TYPE_CHECKING:
    import httpx2


T = TypeVar("T")

CONNECT_SECONDS = 5.0  # a server that is there accepts a connection long before that
MAX_BYTES = 64 << 20  # 2,048 vectors of 4,096 numbers as base64 are 45 MB
SHOWN = 300  # characters of a server's own words
SHORTEST_SECRET = 6  # dummy keys such as "none" would blot out half a message
BUSY = frozenset({408, 425, 429, 502, 503, 504, 529})  # 529: Anthropic's "overloaded"
FIRST_WAIT = 0.25  # seconds before the second attempt; doubles with every one
LEAST_WAIT = 0.05
ATTEMPTS = 6

# The usual forms of keys. Servers like to repeat, half masked, the key that they refuse.
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|hf|gsk|jina|co|key|Bearer)[-_ ](?=[\w*.…-]*[\d*])[\w*.…-]{6,}")
_TOO_LONG = (
    "context length",
    "input length",
    "too long",
    "too large",
    "maximum context",
    "exceed",
    "must have less than",
    "maximum allowed batch size",
)


class JsonClient:
    """A client of one server. Thread-safe; `close()` it."""

    def __init__(
        self,
        base_url: str,
        *,
        key: ApiKey | None = None,
        key_header: str = "authorization",
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
    ) -> None:
        """Prepare a client; nothing is opened before the first request.

        Args:
            base_url: http or https, with a path if the server has one.
            key: sent as `Authorization: Bearer …`, or bare in another header.
            key_header: the name of that header.
            headers: others, for every request; nothing secret.
            timeout: seconds for a whole request.

        Raises:
            ConfigError: the URL is not that of a server.
        """
        host, _ = address_of(base_url)
        parts = urlsplit(base_url)
        user, _, self.host = parts.netloc.rpartition("@")
        self._url = f"{parts.scheme}://{self.host}{parts.path.rstrip('/')}"
        # The HTTP library logs URLs whole, so a password must not stay in one.
        self._login = (unquote(parts.username or ""), unquote(parts.password or "")) if user else None
        self.loopback = is_loopback(host)
        self._path = parts.path.rstrip("/")
        self._plain = parts.scheme == "http"
        self._key = key or ApiKey()
        self._secrets = [
            s for s in (self._key.reveal(), unquote(parts.password or "")) if len(s) >= SHORTEST_SECRET
        ]
        self._headers = {"accept": "application/json", "content-type": "application/json", **(headers or {})}
        if self._key:
            bearer = "Bearer " if key_header == "authorization" else ""
            self._headers[key_header] = bearer + self._key.reveal()
        self._timeout = timeout
        self._opened: httpx2.Client | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"JsonClient({self.host}{self._path})"

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def get_json(self, path: str, *, timeout: float | None = None) -> Any:
        """Return the JSON answer to a GET; errors as `post_json`."""
        return self._request("GET", path, None, timeout)

    def post_json(self, path: str, body: Mapping[str, Any], *, timeout: float | None = None) -> Any:
        """Return the JSON answer to a POST of `body`.

        Args:
            path: appended to the base URL.
            body: any JSON value; lone surrogates become question marks.
            timeout: seconds for the whole request, in place of the client's.

        Raises:
            ProviderBusy: no listener, a timeout, a status that means "later".
            ProviderError: any other status, a broken or too long answer, no JSON.
            ConfigError: an invalid proxy setting in the environment.
        """
        data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        return self._request("POST", path, data, timeout)

    def where(self, path: str) -> str:
        """Return host and path for messages."""
        return f"{self.host}{self._path}{path.partition('?')[0]}"

    def _client(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._opened is None:
                # A plain connection to this machine needs no certificates; reading them costs 20-100 ms.
                verify = not (self.loopback and self._plain)
                try:
                    self._opened = httpx2.Client(auth=self._login, verify=verify, trust_env=not self.loopback)
                except (ImportError, ValueError, httpx2.InvalidURL):
                    raise ConfigError(
                        "A proxy in the environment cannot be used",
                        hint="Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY; SOCKS needs the package socksio.",
                    ) from None
            return self._opened

    def _request(self, method: str, path: str, data: bytes | None, timeout: float | None) -> Any:
        import httpx2

        seconds = self._timeout if timeout is None else timeout
        where = f"{method} {self.where(path)}"
        status = 0
        limits = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        end = time.monotonic() + seconds
        try:
            with self._client().stream(
                method, self._url + path, content=data, headers=self._headers, timeout=limits
            ) as response:
                status = response.status_code
                body = _read(response, where, end)
        except (httpx2.TimeoutException, TimeoutError):
            raise ProviderBusy(
                f"{where} did not answer within {seconds:g} s",
                hint="Loading a model takes longer; try again, or raise the timeout in the settings.",
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            said = self._words(str(error))
            if status:
                raise ProviderError(
                    f"{where} closed the connection during its answer: {said}",
                    hint="Try again; if it happens again, check the server's log.",
                    status=status,
                ) from None
            raise ProviderBusy(
                f"{where} cannot be reached: {said}",
                hint="Check that the server runs and that the URL is right.",
            ) from None
        if not 200 <= status < 300:
            raise self._refused(where, status, response.headers, body)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            said = self._words(body)
            raise ProviderError(
                f"{where} answered {status} with a body that is not JSON: {said or 'nothing'}",
                hint="Check that the URL is that of a model server.",
                status=status,
            ) from None

    def _refused(self, where: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        said = self._words(body)
        message = f"{where} answered {status}: {said}" if said else f"{where} answered {status}"
        if status in BUSY:
            return ProviderBusy(
                message, hint="Try again later.", status=status, retry_after=retry_after(headers)
            )
        hint = ""
        if status in (401, 403):
            hint = self._key.hint
        elif 300 <= status < 400:
            hint = "The server redirects; set the URL to the address that it redirects to."
        elif status == 404:
            hint = "Check the URL and the model's name in the settings."
        return ProviderError(message, hint=hint, status=status)

    def _words(self, said: bytes | str) -> str:
        """Return a server's message on one line, truncated, without keys."""
        text = said if isinstance(said, str) else said[: SHOWN * 8].decode("utf-8", "replace")
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        text = collapse(clean(_KEY_LIKE.sub("[key]", text)))
        return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _read(response: httpx2.Response, where: str, end: float) -> bytes:
    """Return the body; the timeouts of the HTTP library apply to each read, so a trickle is stopped here."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise ProviderError(
                f"{where} answered with more than {MAX_BYTES:,} bytes", status=response.status_code
            )
        if time.monotonic() > end:
            raise TimeoutError
    return b"".join(parts)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait; None if it names none.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after": "soon"})
    (7.0, None)
    """
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def with_retries(
    call: Callable[[float], T],
    *,
    budget: float,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.monotonic,
) -> T:
    """Return the result of `call`, retrying while the server is busy and the budget lasts.

    Args:
        call: gets the remaining seconds, to use as its timeout.
        budget: seconds for everything, waiting included. A wait that does not fit is not started.
        sleep: waits.
        now: a monotonic clock.

    Raises:
        ProviderBusy: the last one, when the budget or six attempts are used up.
    """
    deadline = now() + budget
    attempt = 0
    while True:
        try:
            return call(max(deadline - now(), LEAST_WAIT))
        except ProviderBusy as busy:
            attempt += 1
            wait = FIRST_WAIT * 2 ** (attempt - 1) if busy.retry_after is None else busy.retry_after
            wait = max(wait, LEAST_WAIT)
            if attempt >= ATTEMPTS or now() + wait >= deadline:
                raise
            sleep(wait)


def server_said(error: ProviderError, *words: str) -> bool:
    """Return whether a server's message contains any of some words, ignoring case."""
    text = str(error).partition(f" answered {error.status}: ")[2].lower()
    return any(word.lower() in text for word in words)


def said_too_long(error: ProviderError) -> bool:
    """Return whether a server rejected its input for its length or number."""
    return error.status in (400, 413, 422, 500) and (error.status == 413 or server_said(error, *_TOO_LONG))


def member(answer: Any, name: str, kind: type[T], where: str) -> T:
    """Return one member of a JSON object after checking both types.

    Raises:
        ProviderError: the answer is not an object, or has no such member of that type.
    """
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise ProviderError(
            f"{where} returned an unexpected response: no {name!r} of type {kind.__name__}",
            hint="Check that the provider in the settings matches the server at the URL.",
            status=200,
        )
    return found
