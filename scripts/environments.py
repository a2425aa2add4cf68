"""Virtual environments beside the checkout, made from lock files; and commands run in its folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
DEV, RUN, SITE, EXTRAS = (ROOT / name for name in (".venv", ".venv-run", ".venv-site", ".venv-extras"))
# The extras with a lock of their own; those for frameworks have none, because no two need to fit together.
OWN_EXTRAS = ("exact-tokens", "mcp", "panel", "share", "postgresql")
LOCKS = {name: f"requirements/{name}.txt" for name in ("run", "dev", "build", "site", "extras")}


def python_of(venv: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def script_of(venv: Path, name: str) -> Path:
    """Return a command that an environment's packages brought with them."""
    return venv / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")


def call(
    *command: str | Path, quiet: bool = False, env: dict[str, str] | None = None, cwd: Path = ROOT
) -> None:
    """Run a command, in the project's folder unless told otherwise; stop everything when it fails."""
    done = subprocess.run(
        [str(c) for c in command],
        cwd=cwd,
        env=env,
        check=False,
        stdout=subprocess.DEVNULL if quiet else None,
    )
    if done.returncode:
        raise SystemExit(f"failed ({done.returncode}): {' '.join(str(c) for c in command)}")


def pip(venv: Path, *arguments: str) -> None:
    """Run this Python's pip on a virtual environment; works where the venv module brings no pip."""
    base = [sys.executable, "-m", "pip", "--python", str(python_of(venv)), "--disable-pip-version-check"]
    call(*base, *arguments, quiet=True)


def halves(locks: Sequence[Path], folder: Path) -> list[Path]:
    """Write the packages of lock files into two files of about the same size, for two installs at a time."""
    text = "".join(lock.read_text("utf-8") for lock in locks)
    packages = list(dict.fromkeys(re.findall(r"^\S.*\n(?:[ \t]+.*\n)*", text, re.MULTILINE)))
    for number in (0, 1):
        (folder / f"{number}.txt").write_text("".join(packages[number::2]), "utf-8")
    return [folder / "0.txt", folder / "1.txt"]


def _install(venv: Path, packages: Path) -> None:
    """Install locked packages. Python compiles what is imported, which is a part of all, at the first use."""
    how = ("--quiet", "--no-compile", "--require-hashes", "--no-deps")
    pip(venv, "install", *how, "-r", str(packages))


def environment(venv: Path, locks: Sequence[str], *, project: bool = True) -> None:
    """Make a virtual environment from lock files, and install the project; skip what is up to date."""
    files = [ROOT / LOCKS[name] for name in locks]
    stamp = venv / "remora-stamp"
    watched = (*files, ROOT / "pyproject.toml") if project else files
    state = hashlib.sha256(b"".join(f.read_bytes() for f in watched))
    wanted = f"{sys.version} {venv} {state.hexdigest()}"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if Path(sys.prefix) == venv:
        raise SystemExit(f"{venv.name} is out of date: run this with the Python that it was made by")
    started = time.monotonic()
    print(f"setting up {venv.name} …", flush=True)
    if venv.exists():
        shutil.rmtree(venv)
    call(sys.executable, "-m", "venv", "--without-pip", venv)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        list(pool.map(partial(_install, venv), halves(files, Path(folder))))
    if project:
        pip(venv, "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    stamp.write_text(wanted)
    print(f"  done in {time.monotonic() - started:.0f} s", flush=True)
