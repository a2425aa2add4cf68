"""Run the command line in a forked process: a process of its own, without the start of an interpreter.

The imports of the test process are already there, which saves nearly all the time of a short command. What a
fresh interpreter loads, and what a kill leaves behind, are tested with real processes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from remora.interfaces.entry import main


def forked(
    words: Sequence[str], given: bytes, *, env: Mapping[str, str], cwd: str | Path, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """Return the finished command `remora WORDS` with its output; as `subprocess.run` without `check`.

    Raises:
        TimeoutExpired: it took longer than `timeout` seconds, and was killed.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(given)
        stdin.flush()
        stdin.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a worker of xdist has a second thread
            child = os.fork()
        if child == 0:
            _child(words, (stdin.fileno(), out.fileno(), err.fileno()), dict(env), cwd)
        code = _wait(child, time.monotonic() + timeout)
        if code is None:
            raise subprocess.TimeoutExpired(list(words), timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(list(words), code, out.read(), err.read())


def _child(words: Sequence[str], streams: Sequence[int], env: Mapping[str, str], cwd: str | Path) -> NoReturn:
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = ["remora", *words]
        sys.stdin = os.fdopen(0, encoding="utf-8")
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  the parent reads it
        os.write(2, traceback.format_exc().encode())
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _wait(child: int, until: float) -> int | None:
    """Return the exit code of a child; None if it had to be killed."""
    pause = 0.0005
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(pause * 2, 0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
