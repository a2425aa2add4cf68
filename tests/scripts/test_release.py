"""What a release checks: its version everywhere, its packages' files, its bill of materials and licences."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from scripts import inventory, packages
from scripts.release import problems

ROOT = Path(__file__).resolve().parents[2]
BASE = """\
one==1.0 \\
    --hash=sha256:{a}
two==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
""".format(a="a" * 64, b="b" * 64)
FULL = BASE + f"zwei==3.0 \\\n    --hash=sha256:{'c' * 64}\n"


def checkout(folder: Path, *, module: str, plugin: str, changes: str) -> Path:
    """Make as much of a checkout as states a version."""
    (folder / "remora").mkdir()
    (folder / "remora" / "__init__.py").write_text(f'__version__ = "{module}"\n')
    (folder / "plugin" / ".claude-plugin").mkdir(parents=True)
    (folder / "plugin" / ".claude-plugin" / "plugin.json").write_text(f'{{"version": "{plugin}"}}')
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {changes}\n\n## 0.0.1 - 2026-01-01\n")
    return folder


def test_a_release_that_is_ready_has_no_problem(tmp_path: Path):
    """The version stands in the module, the plugin and with a day at the top of the changelog."""
    ready = checkout(tmp_path, module="1.2.0", plugin="1.2.0", changes="1.2.0 - 2026-02-03")
    assert list(problems(ready, "1.2.0")) == []


@pytest.mark.parametrize(
    ("version", "fields", "problem"),
    [
        ("1.2.0", {"module": "1.1.0"}, "remora/__init__.py has version 1.1.0"),
        ("1.2.0", {"plugin": "1.1.0"}, "plugin.json has version 1.1.0"),
        ("1.2.0", {"changes": "Unreleased"}, 'begins with "Unreleased"'),
        ("1.2.0", {"changes": "1.2.0 - 2026-02-30"}, 'begins with "1.2.0 - 2026-02-30"'),
        ("1.2", {"module": "1.2", "plugin": "1.2", "changes": "1.2 - 2026-02-03"}, "1.2 is no version"),
    ],
)
def test_what_a_release_lacks_is_said(version: str, fields: dict[str, str], problem: str, tmp_path: Path):
    """Another version in a file, a changelog without the version or without a day that exists."""
    ready = {"module": "1.2.0", "plugin": "1.2.0", "changes": "1.2.0 - 2026-02-03"}
    (found,) = problems(checkout(tmp_path, **(ready | fields)), version)
    assert problem in found


def test_a_file_that_lacks_or_is_too_many_in_the_wheel_is_said(tmp_path: Path):
    """The wheel holds what git lists of the package, and nothing else."""
    names = subprocess.check_output(["git", "ls-files", "remora"], cwd=ROOT, text=True).splitlines()
    wheel, sdist = tmp_path / "remora-0-py3-none-any.whl", tmp_path / "remora-0.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in {*names, "tests/test_docs.py"} - {"remora/py.typed"}:
            archive.writestr(name, "")
    with tarfile.open(sdist, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("remora-0/README.md"), io.BytesIO())
    with pytest.raises(SystemExit, match=r"missing .*'remora/py.typed'.*too many \['tests/test_docs.py'\]"):
        packages.check(wheel, sdist)


@pytest.mark.parametrize(
    ("licence", "strong"),
    [
        ("GPL-3.0-only", True),
        ("MIT AND AGPL-3.0-or-later", True),
        ("MIT OR GPL-2.0-only", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
    ],
)
def test_the_gpl_is_told_from_other_licences(licence: str, strong: bool):
    """The GPL and the AGPL count, unless another licence can be chosen; the LGPL does not."""
    assert inventory.is_strong(licence) is strong


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ([("License-Expression", "MIT OR Apache-2.0"), ("License", "other")], "MIT OR Apache-2.0"),
        ([("License", "BSD"), ("Classifier", "License :: OSI Approved :: MIT License")], "BSD"),
        ([("License", "The whole text\nof it"), ("Classifier", "License :: OSI Approved :: X")], "X"),
        ([("Classifier", "License :: OSI Approved")], "unknown"),
    ],
)
def test_a_licence_is_read_from_what_a_package_states(fields: list[tuple[str, str]], licence: str):
    """The expression comes first, then a short text, then the classifiers."""
    stated: Any = Message()
    for name, value in fields:
        stated[name] = value
    assert inventory.licence_of(stated) == licence


def test_a_lock_is_read_as_packages():
    """Name, version, marker and hashes of each; what the lock of the base install has too is of the base."""
    found = inventory.packages_of(BASE, FULL)
    assert [(p.purl, p.marker, len(p.hashes), p.base) for p in found] == [
        ("pkg:pypi/one@1.0", "", 1, True),
        ("pkg:pypi/two@2.0", "sys_platform == 'win32'", 2, True),
        ("pkg:pypi/zwei@3.0", "", 1, False),
    ]


def test_every_package_of_the_locks_is_read():
    """No entry of the locks has a form that is passed over."""
    base, full = ((ROOT / f"requirements/{name}.txt").read_text("utf-8") for name in ("run", "extras"))
    found = inventory.packages_of(base, full)
    assert len(found) == full.count("==") - sum(p.marker.count("==") for p in found)
    assert sum(len(p.hashes) for p in found) == full.count("--hash=")
    assert sum(p.base for p in found) == len(inventory.packages_of(base, base))


def test_a_bill_of_materials_refers_to_what_it_lists():
    """Every dependency is a component, and the same packages make the same document."""
    found = [p for p in inventory.packages_of(BASE, FULL) if not p.marker]
    found = [inventory.Package(p.name, p.version, "", p.hashes, p.base, True, "MIT") for p in found]
    edges = {"remora": {"one", "elsewhere"}, "one": {"zwei"}}
    made = inventory.sbom("1.2.0", found, edges)
    assert made == inventory.sbom("1.2.0", found, edges)
    assert [(c["bom-ref"], c["scope"]) for c in made["components"]] == [
        ("pkg:pypi/one@1.0", "required"),
        ("pkg:pypi/zwei@3.0", "optional"),
    ]
    assert made["dependencies"] == [
        {"ref": "pkg:pypi/one@1.0", "dependsOn": ["pkg:pypi/zwei@3.0"]},
        {"ref": "pkg:pypi/remora@1.2.0", "dependsOn": ["pkg:pypi/one@1.0"]},
    ]
