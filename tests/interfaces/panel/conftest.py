"""A browser without a screen in front of the panel of a small project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from remora import FixedClock, Memory
from remora.core.change import PERSON
from remora.interfaces.panel.app import Projects, build

KEY = "one-time-key-of-this-test"
HOST = "127.0.0.1:8766"


class Browser:
    """Sends what a browser would send.

    Attributes:
        client: that sends.
        home: the address of the project.
    """

    def __init__(self, client: TestClient, home: str) -> None:
        self.client = client
        self.home = home

    def get(self, path: str = "", **more: Any) -> Any:
        """Return the answer to a page of the project."""
        return self.client.get(f"{self.home}/{path}", **more)

    def json(self, path: str = "") -> Any:
        """Return the JSON of a page."""
        return self.get(path, headers={"accept": "application/json"}).json()

    def token(self) -> str:
        """Return the token of this session's forms."""
        text: str = self.get("help").text
        return text.partition('name="token" value="')[2].partition('"')[0]

    def post(self, path: str, fields: dict[str, Any] | None = None, **more: Any) -> Any:
        """Send a form and follow it to the next page."""
        data = {"token": self.token(), **(fields or {})}
        return self.client.post(f"{self.home}/{path}", data=data, **more)


@pytest.fixture
def memory(project: Path, clock: FixedClock) -> Iterator[Memory]:
    """The memory that the panel shows."""
    (project / "tax.py").write_text("RATE = 20\n\n\ndef tax(cents):\n    return cents * RATE // 100\n")
    (project / "bill.py").write_text(
        "from tax import tax\n\n\ndef bill(cents):\n    return cents + tax(cents)\n"
    )
    with Memory.open(project, clock=clock, actor=PERSON) as opened:
        yield opened


@pytest.fixture
def client(memory: Memory, environ: dict[str, str], clock: FixedClock) -> TestClient:
    """A client that has no cookie yet."""
    projects = Projects(environ, lambda root: Memory.open(root, clock=clock, actor=PERSON), memory)
    app = build(projects, environ, clock, KEY, (HOST,))
    return TestClient(app, base_url=f"http://{HOST}")


@pytest.fixture
def browser(client: TestClient, memory: Memory) -> Browser:
    """A browser that was let in."""
    assert client.get(f"/?key={KEY}").status_code == 200
    return Browser(client, f"/{memory.home.name}")
