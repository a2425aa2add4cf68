"""A person's home, a project, and installing in it without a command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remora.interfaces.install import plan as planning
from remora.interfaces.install import records
from remora.interfaces.install.apply import carry_out
from remora.interfaces.install.hosts import HOSTS, File, Place, files_of
from remora.interfaces.install.launch_command import Call
from remora.interfaces.install.plan import Plan, PlanInput, Wish


class Bench:
    """A home and a project, and what `remora install` does there.

    A test may change how Remora is called, what the environment says of folders, and the machine.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.root, self.data = folder / "person", folder / "shop", folder / "data"
        self.home.mkdir()
        self.root.mkdir()
        self.call, self.platform = Call(), "linux"
        self.environ: dict[str, str] = {}

    def given(self, host: str = "") -> PlanInput:
        """Return what planning reads."""
        known = tuple(record.command for record in records.every(self.data, host))
        place = Place(self.root, self.home, self.environ, self.call, self.platform, known)
        return PlanInput(place, self.data)

    def files(self, host: str, *scopes: str | None) -> dict[Path, File]:
        """Return the files that a host has in some scopes, by default in a project."""
        place = self.given(host).place
        return {f.path: f for scope in scopes or (None,) for f in files_of(HOSTS[host], place, scope)}

    def plan(self, host: str, wish: Wish | None = None) -> Plan:
        """Return what installing would do; everything that a host can have, unless it says otherwise."""
        return planning.install(self.given(host), HOSTS[host], wish or Wish())

    def notes(self, host: str, wish: Wish | None = None) -> str:
        """Return what is said before installing."""
        return " ".join(self.plan(host, wish).notes)

    def install(self, host: str, wish: Wish | None = None) -> Plan:
        """Install."""
        plan = self.plan(host, wish)
        carry_out(plan)
        return plan

    def uninstall(self, host: str, scope: str | None = None) -> Plan:
        """Uninstall."""
        plan = planning.uninstall(self.given(host), HOSTS[host], scope)
        carry_out(plan)
        return plan

    def tree(self) -> dict[str, bytes]:
        """Return every file and folder of the home and the project, with its mode and bytes."""
        paths = [path for top in (self.home, self.root) for path in sorted(top.rglob("*"))]
        return {
            str(path.relative_to(self.folder)): f"{path.lstat().st_mode:o} ".encode()
            + (path.read_bytes() if path.is_file() else b"(folder)")
            for path in paths
        }

    def put(self, path: Path, data: bytes | str) -> None:
        """Write a file as somebody else would."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def document(self, name: str) -> Any:
        """Return what a JSON file says."""
        return json.loads((self.folder / name).read_text("utf-8"))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A home and a project with nothing in them."""
    return Bench(tmp_path)
