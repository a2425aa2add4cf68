"""The wheel and the sdist: built, compared with what git lists, and each used in a clean environment."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

from scripts.environments import DEV, ROOT, call, environment, install, python_of, script_of

BESIDE = {"README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "pyproject.toml", "PKG-INFO", ".gitignore"}
INFORMATION = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "licenses/NOTICE"}


def packages() -> None:
    """Build both and check them; the step of the gate."""
    with tempfile.TemporaryDirectory() as folder:
        check(*build(Path(folder) / "dist"))


def build(folder: Path, source: Path = ROOT) -> tuple[Path, Path]:
    """Build the packages of a source tree into a folder; return the wheel and the sdist."""
    call(python_of(DEV), "-m", "hatchling", "build", "-d", folder, quiet=True, cwd=source)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def check(wheel: Path, sdist: Path) -> None:
    """Stop everything if a package lacks a file, has one too many, or does not work."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "remora"]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).splitlines()
    wanted = {name for name in names if (ROOT / name).exists()}
    stem = sdist.name.removesuffix(".tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        _same(wheel, set(archive.namelist()), wanted | {f"{stem}.dist-info/{name}" for name in INFORMATION})
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        with tarfile.open(sdist) as archive:
            held = {member.name.partition("/")[2] for member in archive if member.isfile()}
            _same(sdist, held, wanted | BESIDE)
            archive.extractall(work, filter="data")
        again, _ = build(work / "again", work / stem)
        if again.read_bytes() != wheel.read_bytes():
            raise SystemExit(f"{sdist.name} builds another wheel than the checkout")
        for package, locks in ((wheel, ["run"]), (sdist, ["run", "build"])):
            home = work / package.suffix
            home.mkdir()
            _use(_installed(package, locks, home / "venv"), home)


def _same(package: Path, held: set[str], wanted: set[str]) -> None:
    missing, extra = sorted(wanted - held), sorted(held - wanted)
    if missing or extra:
        raise SystemExit(f"{package.name}: missing {missing}, too many {extra}")


def _installed(package: Path, locks: list[str], venv: Path) -> Path:
    """Make an environment of locked packages and a package of ours."""
    environment(venv, locks, project=False)
    install(venv, "--no-deps", "--no-build-isolation", package)
    return venv


def _use(venv: Path, home: Path) -> None:
    """Do the main job with an installed package, outside of the checkout."""
    env = {**os.environ, "REMORA_HOME": str(home / "data"), "HOME": str(home), "PYTHONPATH": ""}
    remora = script_of(venv, "remora")
    repository = home / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / "AGENTS.md").write_text("# Rules\n\n- Always run `make lint` before a commit.\n")
    for command in (
        ["--version"],
        ["init"],
        ["remember", "The cache is keyed by tenant id; a bare key leaks data", "--type", "gotcha"],
        ["search", "cache key tenant", "--json"],
        ["doctor"],
    ):
        call(remora, *command, quiet=True, env=env, cwd=repository)
