"""Carry a shared log in a folder that other software synchronises: a network drive, Syncthing, a cloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from remora.core.errors import SourceError, StoreError
from remora.disk.files import make_folder, os_errors, write_atomic
from remora.sharing.carriers.tree import TreeCarrier


class Folder(TreeCarrier):
    """The tree of one log in a folder; see `TreeCarrier`. Files of other devices are only read."""

    def __init__(self, folder: Path, space: str) -> None:
        self._folder = folder
        self._base = folder / f"remora-{space}"

    def refresh(self) -> None:
        """Check that the folder exists."""
        if not self._folder.is_dir():
            raise SourceError(f"{self._folder} does not exist", hint="Mount it, or create it.")

    def names(self) -> list[str]:
        """Return the paths of the files."""
        found = self._base.glob("*/*") if self._base.is_dir() else ()
        return sorted(p.relative_to(self._base).as_posix() for p in found if p.is_file())

    def content(self, name: str) -> bytes:
        """Return the content of a file."""
        try:
            with os_errors(self._base / name, "read"):
                return (self._base / name).read_bytes()
        except StoreError as error:
            raise SourceError(str(error), hint=error.hint) from None

    def change(self, make: Callable[[], Mapping[str, bytes]]) -> None:
        """Write files in one step."""
        self.refresh()
        try:
            for name, data in make().items():
                make_folder((self._base / name).parent)
                write_atomic(self._base / name, data)
        except StoreError as error:
            raise SourceError(str(error), hint=error.hint) from None
