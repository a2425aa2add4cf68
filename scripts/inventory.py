"""What an install is made of: an SBOM in CycloneDX and a report of licences, from locks and metadata.

`python -m scripts.inventory FOLDER VERSION` runs in the environment of the base install and the extras.
Licences are those that installed packages state; one that is locked for another platform is not here to state
its own.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.environments import LOCKS, OWN_EXTRAS, ROOT

UNKNOWN = "unknown"
LOCKED = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\\n((?: +--hash=\S+(?: \\)?\n)+)", re.MULTILINE)
# A licence that whoever passes Remora on with such a package would have to give to all of it.
STRONG = re.compile(r"\bA?GPL|\bGNU (Affero )?General Public", re.IGNORECASE)


@dataclass(frozen=True)
class Package:
    """A locked package."""

    name: str
    version: str
    marker: str  # where it is installed; "" for everywhere
    hashes: tuple[str, ...]  # SHA-256 of each file that the lock accepts
    base: bool  # part of the base install, else of an extra
    here: bool  # installed on this platform
    licence: str  # an expression of SPDX, or the words of the package

    @property
    def purl(self) -> str:
        """The package's address as SBOMs write it."""
        return f"pkg:pypi/{self.name}@{self.version}"


def metadata_of(name: str) -> PackageMetadata | None:
    """Return what an installed package states; None if it is not installed."""
    try:
        return distribution(name).metadata
    except PackageNotFoundError:
        return None


def licence_of(stated: PackageMetadata | None) -> str:
    """Return the licence by the first field that names one, from the newest form to the oldest."""
    if stated is None:
        return UNKNOWN
    classifiers = [
        c.rpartition(" :: ")[2] for c in stated.get_all("Classifier", []) if c.startswith("License ::")
    ]
    expression, words = ("".join(stated.get_all(name) or ()) for name in ("License-Expression", "License"))
    words = words.strip()
    short = words if len(words) < 100 and "\n" not in words else ""
    named = [c for c in classifiers if c != "OSI Approved"]
    return expression or short or " AND ".join(named) or UNKNOWN


def is_strong(licence: str) -> bool:
    """Return whether a licence is the GPL or the AGPL and leaves no choice of another."""
    return all(STRONG.search(choice) for choice in licence.split(" OR "))


def packages_of(base: str, full: str) -> list[Package]:
    """Return the packages of a lock, given as text, and whether the lock of the base install has them too."""
    in_base = {entry[:2] for entry in LOCKED.findall(base)}
    found = []
    for name, version, marker, hashes in sorted(LOCKED.findall(full)):
        stated = metadata_of(name)
        here = stated is not None and stated["Version"] == version
        found.append(
            Package(
                name=name,
                version=version,
                marker=marker,
                hashes=tuple(re.findall(r"sha256:([0-9a-f]{64})", hashes)),
                base=(name, version) in in_base,
                here=here,
                licence=licence_of(stated if here else None),
            )
        )
    return found


def needs() -> dict[str, set[str]]:
    """Return which installed packages each needs here, by name, from Remora with its own extras on."""
    found: dict[str, set[str]] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [("remora", ("", *OWN_EXTRAS))]
    while waiting:
        name, extras = waiting.pop()
        for text in distribution(name).requires or ():
            wanted = Requirement(text)
            other = canonicalize_name(wanted.name)
            here = not wanted.marker or any(wanted.marker.evaluate({"extra": extra}) for extra in extras)
            if here and other not in found.setdefault(name, set()):
                found[name].add(other)
                waiting.append((other, ("", *wanted.extras)))
    return found


def sbom(version: str, packages: Sequence[Package], edges: dict[str, set[str]]) -> dict[str, Any]:
    """Return a bill of materials in CycloneDX 1.6; the same packages make the same document.

    A package of the base install is `required`, one of an extra `optional`.
    """
    root = f"pkg:pypi/remora@{version}"
    here = {p.name: p.purl for p in packages if p.here} | {"remora": root}
    content = ",".join((root, *(p.purl for p in packages)))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "remora",
                "version": version,
                "purl": root,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": package.purl,
                "name": package.name,
                "version": package.version,
                "scope": "required" if package.base else "optional",
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in package.hashes],
                "licenses": [{"license": {"name": package.licence}}],
                "purl": package.purl,
                **({"properties": [{"name": "marker", "value": package.marker}]} if package.marker else {}),
            }
            for package in packages
        ],
        "dependencies": [
            {"ref": here[name], "dependsOn": sorted(here[other] for other in edges[name] if other in here)}
            for name in sorted(edges)
            if name in here
        ],
    }


def report(packages: Iterable[Package]) -> Iterator[str]:
    """Yield the lines of the report of licences: the base install, then what extras add."""
    packages = list(packages)
    yield "# Licences\n\nOf the locked packages, as they state them.\n"
    for title, base in (("Base install", True), ("Extras", False)):
        yield f"## {title}\n\n| package | version | licence |\n|---|---|---|"
        for package in packages:
            if package.base == base:
                where = "" if package.here or not package.marker else f", locked for {package.marker}"
                yield f"| {package.name} | {package.version} | {package.licence}{where} |"
        yield ""


def main(folder: Path, version: str) -> None:
    """Write both into a folder; stop if a package of the base install is under the GPL or the AGPL."""
    base, full = ((ROOT / LOCKS[name]).read_text("utf-8") for name in ("run", "extras"))
    packages = packages_of(base, full)
    document = sbom(version, packages, needs())
    (folder / f"remora-{version}.cdx.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    (folder / "licences.md").write_text("\n".join(report(packages)), "utf-8")
    for package in packages:
        if package.licence == UNKNOWN:
            print(f"licence unknown: {package.name} {package.version} {package.marker}".rstrip())
        elif is_strong(package.licence):
            print(f"licence: {package.name} {package.version} {package.licence}")
    if strong := [p.name for p in packages if p.base and is_strong(p.licence)]:
        raise SystemExit(f"under the GPL in the base install: {', '.join(strong)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
