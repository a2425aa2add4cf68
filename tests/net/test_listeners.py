"""Texts go to no stranger who listens on this machine, and to no other machine that only a variable names."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remora.app.project.destinations import in_one_line, to_ask
from remora.core.config import EmbeddingSettings, Settings
from remora.core.errors import ConfigError, ProviderError
from remora.embeddings.embedder import choose
from remora.net import listeners
from remora.net.listeners import allow, allowed, distrusted, owners, require_trusted

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


@pytest.fixture
def listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write a table of sockets with a user's listener, as the system does, for the table that is read."""

    def write(uid: int, port: int = 11_434) -> None:
        path = tmp_path / "tcp"
        own, between = f"0100007F:{port:04X}", "00000000:00000000 00:00000000 00000000"
        rows = [
            f"   0: {own} 00000000:0000 0A {between}  {uid}  0 1 1\n",
            f"   1: {own} 0100007F:9999 01 {between}  4321  0 2 1\n",
        ]
        path.write_text(HEAD + "".join(rows))
        monkeypatch.setattr(listeners, "TABLES", (path,))

    return write


class Probe:
    """Finds no server anywhere, and notes the hosts it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, seconds: float) -> bool:
        """Note a host."""
        self.asked.append(host)
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_ones_own_listener_is_known():
    """By the table of the system itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert owners(port) == {os.geteuid()}
        assert distrusted(port) == ""
    assert owners(port) == set()


@pytest.mark.parametrize(("uid", "trusted"), [(0, True), (998, True), (os.geteuid(), True), (4_242, False)])
def test_who_may_listen(listening: Callable[..., None], uid: int, trusted: bool):
    """This user, root and the system's accounts; nobody else."""
    listening(uid)
    assert (distrusted(11_434) == "") is trusted


def test_a_stranger_is_refused_until_a_person_says_yes(tmp_path: Path, listening: Callable[..., None]):
    """The answer is kept outside of every repository."""
    url = "http://127.0.0.1:11434"
    listening(4_242)
    with pytest.raises(ProviderError, match="another user") as refused:
        require_trusted(url, tmp_path / "data")
    assert "--allow-server" in refused.value.hint
    allow(tmp_path / "data", url)
    allow(tmp_path / "data", url)
    require_trusted(url, tmp_path / "data")
    assert allowed(tmp_path / "data") == ("http://localhost:11434",)


@pytest.mark.parametrize(
    "said",
    [
        "http://127.0.0.1:11434",
        "HTTP://LocalHost:11434/",
        "http://[::1]:11434",
        "http://127.0.0.1:11434//",
    ],
)
@pytest.mark.parametrize("used", ["http://localhost:11434", "http://127.0.0.1:11434", "http://[::1]:11434/"])
def test_a_yes_counts_however_the_address_is_written(
    tmp_path: Path, listening: Callable[..., None], said: str, used: str
):
    """The three names of this machine are one; another port is another server."""
    listening(4_242)
    allow(tmp_path, said)
    require_trusted(used, tmp_path)
    listening(4_242, port=80)
    with pytest.raises(ProviderError):
        require_trusted("http://127.0.0.1:80", tmp_path)


def test_a_port_that_is_the_scheme_s_own_need_not_be_written(tmp_path: Path):
    """With it and without it is one address; what is no address is refused."""
    allow(tmp_path, "https://GPU.example:443/")
    require_trusted("https://gpu.example", tmp_path)
    with pytest.raises(ProviderError):
        require_trusted("http://gpu.example", tmp_path)
    with pytest.raises(ConfigError):
        allow(tmp_path, "localhost:11434")


def test_a_person_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A no is remembered, is no yes, and gives way to one."""
    monkeypatch.setattr(listeners, "distrusted", lambda *_: "it belongs to another user (id 4242)")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        environ = {"OLLAMA_HOST": url, "REMORA_HOME": str(tmp_path)}
        assert to_ask(Settings(), environ) == (url, "it belongs to another user (id 4242)")
        named = Settings(embedding=EmbeddingSettings(provider="ollama", url=url))
        assert to_ask(named, environ) == ("", "")
        allow(tmp_path, url, yes=False)
        assert to_ask(Settings(), environ) == ("", "")
        with pytest.raises(ProviderError):
            require_trusted(url, tmp_path)
        allow(tmp_path, url)
        require_trusted(url, tmp_path)
    assert to_ask(Settings(), environ) == ("", "")


def test_where_texts_go_is_one_line():
    """Nowhere, this machine, or a server by its name."""
    none = Settings(embedding=EmbeddingSettings(provider="none"))
    assert in_one_line(none, {}) == "nowhere"
    assert in_one_line(Settings(), {}).startswith(
        "embedding: to Ollama on this machine if you or the system runs it"
    )
    far = Settings(embedding=EmbeddingSettings(provider="openai", url="https://gpu.example/v1"))
    assert in_one_line(far, {}) == "embedding: to gpu.example:443"


def test_where_nothing_tells_who_listens_a_person_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As on systems without such a table."""
    monkeypatch.setattr(listeners, "TABLES", (tmp_path / "none",))
    with pytest.raises(ProviderError, match="does not report"):
        require_trusted("http://127.0.0.1:11434", tmp_path)


def test_another_machine_of_the_environment_gets_nothing(tmp_path: Path):
    """Nobody is asked there; the bundled model takes its place, and the reason says so."""
    environ = {"OLLAMA_HOST": "gpu.example", "REMORA_HOME": str(tmp_path)}
    probe = Probe()
    found = choose(EmbeddingSettings(), environ=environ, probe=probe)
    try:
        assert probe.asked == []
        assert found.tier == "onnx"
        assert "set only in the environment" in found.reasons[0]
    finally:
        found.close()


def test_another_machine_of_the_settings_is_asked(tmp_path: Path):
    """What the user's own configuration names is meant."""
    probe = Probe()
    settings = EmbeddingSettings(provider="ollama", url="http://gpu.example:11434")
    with pytest.raises(ProviderError, match="Nothing listens"):
        choose(settings, environ={"REMORA_HOME": str(tmp_path)}, probe=probe)
    assert probe.asked == ["gpu.example"]
