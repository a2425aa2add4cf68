"""The package's own names, and that importing it costs and does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import remora

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "onnxruntime", "tokenizers", "httpx2", "pydantic", "rich", "apsw", "platformdirs", "click")


def in_process(code: str, **variables: str) -> str:
    """Run Python in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_every_name_is_there() -> None:
    """Each public name can be imported, and is listed; another is an AttributeError, as for any module."""
    for name in remora.__all__:
        assert getattr(remora, name) is not None
    assert set(remora.__all__) <= set(dir(remora))
    with pytest.raises(AttributeError, match="module 'remora' has no attribute 'memory_of_everything'"):
        _ = remora.memory_of_everything
    assert (ROOT / "remora/py.typed").exists()


def test_memory_is_light() -> None:
    """`from remora import Memory` loads the database driver, and no model, client or table library."""
    heavy = tuple(m for m in HEAVY if m not in ("apsw", "platformdirs"))
    code = f"import sys; from remora import Memory; print([m for m in {heavy!r} if m in sys.modules])"
    assert in_process(code) == "[]"


def test_importing_has_no_effect(tmp_path: Path) -> None:
    """Importing every public name starts no process, connects to nothing and writes no file."""
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    code = """
import sys
seen = []
def hook(event, args):
    if event in ("socket.connect", "subprocess.Popen", "os.mkdir", "os.rename", "os.remove"):
        seen.append(event)
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        seen.append((event, str(args[0])))
sys.addaudithook(hook)
import remora
for name in remora.__all__:
    getattr(remora, name)
print(seen)
"""
    places: dict[str, Any] = {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    assert in_process(code, **places) == "[]"
    assert list(home.iterdir()) == []
