"""Python processes on scripts that tests write."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import PIPE, Popen

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}


def started(script: str, *words: str) -> Popen[str]:
    """Start a Python process on a script, with words as its arguments."""
    command = [sys.executable, "-c", script, *words]
    return Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, env=ENVIRONMENT)


def output_of(process: Popen[str]) -> str:
    """Wait for a process to end well and return what it printed."""
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out.strip()
