"""Nobody but the person's own browser gets an answer."""

from __future__ import annotations

from starlette.testclient import TestClient

from remora import Memory
from tests.interfaces.panel.conftest import KEY, Browser


def test_the_key_opens_once(client: TestClient) -> None:
    """Without it, or read later in a terminal, it opens nothing; no script or other site gets the cookie."""
    for path in ("/", "/?key=guessed"):
        assert client.get(path).status_code == 403
    answer = client.get(f"/?key={KEY}", follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/").status_code == 200
    client.cookies.clear()
    assert client.get(f"/?key={KEY}").status_code == 403


def test_a_name_of_another_machine_is_refused(browser: Browser) -> None:
    """DNS rebinding sends the attacker's own name."""
    answer = browser.get(headers={"host": "evil.example:8766"})
    assert answer.status_code == 403
    assert "memory" not in answer.text.lower()


def test_a_form_of_another_site_is_refused(browser: Browser, memory: Memory) -> None:
    """Neither its origin nor a form without the session's token gets through."""
    record = memory.remember("A cache has a key")
    path = f"{browser.home}/memories/{record.id}/change"
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        given = {"token": browser.token(), "do": "forget"}
        assert browser.client.post(path, data=given, headers=headers).status_code == 403
    for token in ("", "guessed"):
        assert browser.client.post(path, data={"token": token, "do": "forget"}).status_code == 403
    assert not memory.show(record.id).deprecated


def test_what_every_answer_carries(browser: Browser) -> None:
    """Scripts, styles and frames from elsewhere are forbidden, and nothing is kept by the browser."""
    for path in ("", "memories", "nowhere"):
        headers = browser.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"


def test_a_form_has_a_largest_size(browser: Browser) -> None:
    """A body that does not end is not read to its end."""
    answer = browser.post("teach/text", {"text": "x" * 4_100_000})
    assert answer.status_code == 413
