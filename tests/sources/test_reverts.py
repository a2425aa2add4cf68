"""The words that a revert took out of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.sources.fixes import taken_out
from tests.helpers import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository in which something was tried and reverted."""
    repo = Repo(tmp_path / "shop").init()
    repo.commit("Serve", {"nginx.conf": "http2 off;\n", "reqs.txt": "flask==2.0.1\n"})
    repo.commit("Try", {"nginx.conf": "http2 on;\nset_real_ip all;\n", "reqs.txt": "flask==2.1.0\n"})
    return repo


def test_words_that_are_gone_and_stay_gone(repo: Repo):
    """Identifiers and versions, but none that the files still have."""
    sha = repo.commit("Revert", {"nginx.conf": "http2 off;\n", "reqs.txt": "flask==2.0.1\n"})
    assert taken_out(repo.root, sha, ["nginx.conf", "reqs.txt"]) == ("set_real_ip", "2.1.0")
    repo.commit("Log", {"nginx.conf": "http2 off;\nset_real_ip all;\n"})
    assert taken_out(repo.root, sha, ["nginx.conf"]) == ("on",)


def test_a_secret_and_a_comment_are_not_taken_over(repo: Repo):
    """The payload of a memory is no place for what somebody removed in haste."""
    secret = {"nginx.conf": 'http2 off;\npassword = "Tr0ub4dor3xyz9";\n'}
    repo.commit("Add a password", secret)
    sha = repo.commit("Revert it", {"nginx.conf": "http2 off;\n"})
    assert taken_out(repo.root, sha, ["nginx.conf"]) == ()
    repo.commit("Explain", {"nginx.conf": "# because upstream drops it\nhttp2 on;\n"})
    sha = repo.commit("Revert", {"nginx.conf": "http2 off;\n"})
    assert taken_out(repo.root, sha, ["nginx.conf"]) == ("on",)


def test_what_git_does_not_know_took_nothing_out(repo: Repo):
    """A commit that is gone, and a file that is."""
    assert taken_out(repo.root, "0" * 40, ["nginx.conf"]) == ()
    sha = repo.commit("Drop", {})
    assert taken_out(repo.root, sha, ["gone.txt"]) == ()
