"""Hosts, URLs, and which key may travel where."""

from __future__ import annotations

import pickle

import pytest

from remora.core.errors import ConfigError
from remora.net.hosts import (
    ApiKey,
    address_of,
    is_loopback,
    key_for,
    ollama_url,
    openai_base,
    reachable,
)
from tests.servers import ModelServer, free_port

OPENAI = "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("gpu-box:99", "http://gpu-box:99"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("[::]:99", "http://127.0.0.1:99"),
        ("[fe80::1]", "http://[fe80::1]:11434"),
        ("h:x", "http://h:x"),
        ("https://gpu.example/ollama/", "https://gpu.example/ollama"),
        (' "10.0.0.5:1" ', "http://10.0.0.5:1"),
    ],
)
def test_ollama_host_is_read_in_all_its_forms(host, url):
    """OLLAMA_HOST means for us what it means for Ollama's own client."""
    assert ollama_url({"OLLAMA_HOST": host}) == url


@pytest.mark.parametrize(
    "url", ["", "localhost:8080", "ftp://me:hunter2secret@host/", "http://", "http://h:99999", "http://a b"]
)
def test_what_is_no_url_of_a_server_is_refused(url):
    """A setting that is no http or https URL gives an error that says how to write one, and no password."""
    with pytest.raises(ConfigError, match="not the URL") as caught:
        address_of(url)
    assert "http://host:port" in caught.value.hint
    assert "hunter2secret" not in str(caught.value)


def test_openai_base_keeps_a_path_and_adds_v1_where_there_is_none():
    """A base URL may be given with or without /v1."""
    assert openai_base("http://h:1") == "http://h:1/v1"
    assert openai_base("http://h:1/v1/") == "http://h:1/v1"
    assert openai_base("https://h/openai/deployments/x") == "https://h/openai/deployments/x"


@pytest.mark.parametrize(
    ("url", "travels"),
    [
        (OPENAI, True),
        ("https://eu.api.openai.com/v1", True),
        ("https://me.openai.azure.com/x", True),
        ("http://localhost:8000/v1", True),
        ("http://api.openai.com/v1", False),  # not encrypted
        ("https://api.openai.com.evil.example/v1", False),
        ("https://evilopenai.com/v1", False),
        ("https://user@evil.example/v1", False),
    ],
)
def test_a_well_known_key_travels_only_to_its_provider_and_this_machine(url, travels):
    """OPENAI_API_KEY is never sent to a host that a repository's settings may name."""
    key = key_for("OPENAI_API_KEY", {"OPENAI_API_KEY": "sk-live-1234567890"}, url)
    assert bool(key) is travels
    if not travels:
        assert "goes only to openai.com" in key.hint


def test_the_persons_own_environment_may_name_another_host_for_the_key():
    """OPENAI_BASE_URL is as trusted as the key that stands beside it."""
    environ = {"OPENAI_API_KEY": "sk-live-1234567890", "OPENAI_BASE_URL": "https://gateway.example/v1"}
    assert key_for("OPENAI_API_KEY", environ, "https://gateway.example/v1")
    assert not key_for("OPENAI_API_KEY", environ, "https://other.example/v1")


def test_a_key_never_shows_itself():
    """Neither repr, str nor a pickle of a key holds its value."""
    key = ApiKey("sk-live-1234567890")
    assert "1234567890" not in f"{key!r} {key}"
    assert b"1234567890" not in pickle.dumps(key)
    assert not pickle.loads(pickle.dumps(key))


@pytest.mark.parametrize("value", ["sk-“quoted”-1", "sk-line\nbreak-1", "sk-\x00-1"])
def test_a_key_that_no_header_can_carry_is_a_clear_error(value):
    """The message names the variable and not the value."""
    with pytest.raises(ConfigError, match="MY_KEY") as caught:
        key_for("MY_KEY", {"MY_KEY": value}, OPENAI)
    assert "sk-" not in str(caught.value)


def test_loopback_knows_names_and_addresses():
    """This machine has many names; a name that only begins like one of them is another machine."""
    assert all(map(is_loopback, ["localhost", "app.localhost", "127.0.0.1", "127.9.9.9", "::1"]))
    assert not any(map(is_loopback, ["localhost.evil.example", "0.0.0.0", "192.168.0.1", ""]))


def test_reachable_tells_a_listening_port_from_a_closed_one():
    """A bare connect is enough to know whether a server is there; bad names are just not there."""
    with ModelServer() as server:
        host, port = address_of(server.url)
        assert reachable(host, port, 1.0)
    assert not reachable("127.0.0.1", free_port(), 1.0)
    assert not reachable("no.such.host.invalid", 80, 0.2)
    assert not reachable("a" * 300, 80, 0.2)
