"""Virtual environments beside the checkout, made from lock files; and commands run in its folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
DEV, RUN, SITE, EXTRAS, UV = (ROOT / f".venv{name}" for name in ("", "-run", "-site", "-extras", "-uv"))
# The extras with a lock of their own; those for frameworks have none, because no two need to fit together.
OWN_EXTRAS = ("exact-tokens", "mcp", "panel", "share", "postgresql")
LOCKS = {name: f"requirements/{name}.txt" for name in ("run", "dev", "build", "site", "extras", "uv")}


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


def install(venv: Path, *arguments: str | Path) -> None:
    """Install packages with uv, or with pip where there is no uv or it finds no package index."""
    try:
        environment(UV, ["uv"], project=False)
        call(script_of(UV, "uv"), "pip", "install", "--quiet", "--python", python_of(venv), *arguments)
    except SystemExit as failed:  # uv reads no settings of pip
        print(f"{failed}; pip installs the packages", flush=True)
        pip(venv, "install", "--quiet", *map(str, arguments))


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
    locked = ["--no-deps", "--require-hashes", *(word for file in files for word in ("-r", file))]
    if venv == UV:
        pip(venv, "install", "--quiet", *map(str, locked))
    else:
        install(venv, *locked)
    if project:
        install(venv, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    stamp.write_text(wanted)
    print(f"  done in {time.monotonic() - started:.0f} s", flush=True)
