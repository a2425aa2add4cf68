"""A person's home, a project, and installing in it without a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.interfaces.install import plan as planning
from remora.interfaces.install import records
from remora.interfaces.install.apply import carry_out
from remora.interfaces.install.hosts import HOSTS, Place
from remora.interfaces.install.launch_command import Call
from remora.interfaces.install.plan import Plan, PlanInput, Wish

Tree = dict[str, bytes]


class Bench:
    """A home and a project, and what `remora install` does there.

    Attributes:
        home: of the person.
        root: of the project.
        call: how Remora is called.
        environ: what the environment says of folders.
        platform: the machine.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.root, self.data = folder / "person", folder / "shop", folder / "data"
        self.home.mkdir()
        self.root.mkdir()
        self.call = Call()
        self.environ: dict[str, str] = {}
        self.platform = "linux"

    def given(self, host: str = "") -> PlanInput:
        """Return what planning reads."""
        known = tuple(record.command for record in records.every(self.data, host))
        return PlanInput(
            Place(self.root, self.home, self.environ, self.call, self.platform, known), self.data
        )

    def plan(self, host: str, wish: Wish | None = None) -> Plan:
        """Return what installing would do; everything that a host can have, unless it says otherwise."""
        return planning.install(self.given(host), HOSTS[host], wish or Wish())

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

    def tree(self) -> Tree:
        """Return every file and folder of the home and the project, with its bytes and mode."""
        found: Tree = {}
        for top in (self.home, self.root):
            for path in sorted(top.rglob("*")):
                name = str(path.relative_to(self.folder))
                mode = f"{path.lstat().st_mode:o} ".encode()
                found[name] = mode + (path.read_bytes() if path.is_file() else b"(folder)")
        return found

    def put(self, path: Path, data: bytes | str) -> None:
        """Write a file as somebody else would."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A home and a project with nothing in them."""
    return Bench(tmp_path)
