"""A small repository as the README describes it: a rule file, two modules, a fix in the history."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

RULES = """\
# Rules

## Testing

- Run tests with `pytest -q` before every commit.
- Never mock the database; use a real SQLite file.

## Architecture

- We chose JWT over sessions because the API is stateless.
- `auth/tokens.py` signs and verifies tokens.
"""

TOKENS = '''\
"""Sign and read access tokens."""

EXPIRY = 24


def read_token(text: str) -> dict[str, int]:
    """Return what a token says; an expired one is refused."""
    return {"expires": EXPIRY}
'''

MIDDLEWARE = '''\
"""Check every request."""

from auth.tokens import read_token


def refresh(text: str) -> dict[str, int]:
    """Return a fresh token for an old one."""
    return read_token(text)
'''

FIX = """\
fix: refresh token loop when Redis is unreachable

The middleware retried for ever because the client swallowed ConnectionError.
"""


def make(path: Path) -> Path:
    """Make the repository and return its path; dates, names and configuration are its own."""
    path.mkdir(parents=True)
    (path / "AGENTS.md").write_text(RULES, "utf-8")
    (path / "auth").mkdir()
    _commit(path, "Add token auth", tokens=TOKENS, middleware=MIDDLEWARE, day=1)
    _commit(path, FIX, tokens=TOKENS + "\n# hours\n", middleware=MIDDLEWARE + "\n# once\n", day=2)
    return path


def _commit(path: Path, message: str, *, tokens: str, middleware: str, day: int) -> None:
    (path / "auth" / "tokens.py").write_text(tokens, "utf-8")
    (path / "auth" / "middleware.py").write_text(middleware, "utf-8")
    who = {"NAME": "Ann", "EMAIL": "ann@example.org", "DATE": f"2026-01-0{day}T12:00:00Z"}
    env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    if not (path / ".git").exists():
        subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True, env=env)
    subprocess.run(["git", "add", "."], check=True, cwd=path, env=env)
    subprocess.run(["git", "commit", "-q", "-m", message], check=True, cwd=path, env=env)
