"""A release: what has to be right before it, and everything that is published, in build/release.

Nothing is uploaded. Without `--tag` nothing outside of build/ changes, so it can be tried at any time.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path

from scripts import packages
from scripts.environments import BUILD, DEV, EXTRAS, ROOT, call, environment, python_of

RELEASE = BUILD / "release"


def release(version: str, *, tag: bool) -> None:
    """Build a release, say what is wrong with it, and print the commands that publish it; maybe tag it.

    Raises:
        SystemExit: something is wrong. With `tag`, this is found before anything is built.
    """
    wrong = [*problems(ROOT, version), *_in_git(version)]
    if wrong and tag:
        raise SystemExit("\n".join(wrong))
    environment(DEV, ["dev"])
    environment(EXTRAS, ["extras", "build"])
    shutil.rmtree(RELEASE, ignore_errors=True)
    RELEASE.mkdir(parents=True)
    packages.check(*packages.build(RELEASE))
    call(python_of(EXTRAS), "-m", "scripts.inventory", RELEASE, version)
    sums = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(RELEASE.iterdir())]
    (RELEASE / "SHA256SUMS").write_text("".join(sums), "utf-8")
    for path in sorted(RELEASE.iterdir()):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    if wrong:
        raise SystemExit("not to be released yet:\n" + "\n".join(f"  {text}" for text in wrong))
    if tag:
        call("git", "tag", "--annotate", f"v{version}", "--message", f"Remora {version}")
    print("To publish it:")
    if not tag:
        print(f'  git tag --annotate v{version} --message "Remora {version}"')
    print(f"  git push origin v{version}\n  uv publish build/release/*.whl build/release/*.tar.gz")


def problems(root: Path, version: str) -> Iterator[str]:
    """Yield what the files of a checkout lack for a version."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        yield f"{version} is no version like 1.2.3 or 1.2.3rc1"
    module = (root / "remora" / "__init__.py").read_text("utf-8")
    stated = re.search(r'^__version__ = "(.*)"$', module, re.MULTILINE)
    plugin = json.loads((root / "plugin" / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    for place, found in (
        ("remora/__init__.py", stated[1] if stated else None),
        ("plugin/.claude-plugin/plugin.json", plugin["version"]),
    ):
        if found != version:
            yield f"{place} has version {found}"
    newest = re.search(r"^## (.*)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    heading = newest[1] if newest else ""
    name, _, day = heading.partition(" - ")
    if name != version or not _is_day(day):
        yield f'CHANGELOG.md begins with "{heading}" and not with "{version} - YEAR-MONTH-DAY"'


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _in_git(version: str) -> Iterator[str]:
    """Yield what is wrong with the state of the repository."""
    if changed := subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT, text=True):
        yield f"not committed: {len(changed.splitlines())} files"
    if subprocess.check_output(["git", "tag", "--list", f"v{version}"], cwd=ROOT, text=True):
        yield f"the tag v{version} is there already"
