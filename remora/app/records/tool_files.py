"""The files of the memory tool, in `memory/tool` of the project.

The tool is Anthropic's `memory_20250818`: a model views, creates, edits, renames and deletes files below
`/memories`. It gets the same texts as from the SDK's own class, on which it was trained. A search finds the
files like notes (`note_index`). Secrets are removed from written text, no path leads out of the folder, and
writes are atomic.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from remora.app.records.note_index import TOOL_FOLDER, TOOL_ROOT, look_again
from remora.core.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    RemoraError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from remora.core.secrets import redact
from remora.disk.files import error_of, lock, make_folder, write_atomic
from remora.disk.leftovers import temporary_in
from remora.lifecycle.redaction import holds_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.app.project.open_project import OpenProject

MAX_BYTES = 1_048_576  # of a file: some 260,000 tokens; typical files have a few hundred
MAX_FILES = 5_000  # in all; a scan of so many costs a search some ten milliseconds
MAX_PATH = 1_024  # bytes
MAX_LINES = 999_999  # the tool's own limit: line numbers have six digits
MOST_PLACES = 1_000  # line numbers listed for a text with many occurrences
PATIENCE = 3.0  # seconds to wait for another writer

_DEPTH = 2  # levels of folders in a view
_AROUND = 2  # lines shown before and after a change
_UNITS = "BKMG"


class ToolFiles:
    """The commands of the memory tool on a project's files. Each returns the text for the model.

    Raises:
        InvalidInput, NotFound, Conflict: the command is invalid; the error's text is for the model.
        StoreError: the files cannot be read or written; the text has the reason, without a path on disk.
    """

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._folder = self._project.memory_folder / TOOL_FOLDER

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Show a file with line numbers, or the contents of a folder, two levels deep."""
        place = self._place(path)
        with _in_words_of(path):
            try:
                mode = place.lstat().st_mode
            except (FileNotFoundError, NotADirectoryError):
                if place != self._root():
                    raise NotFound(_missing(path)) from None
                return f"{_header(path)}\n{_size(0)}\t{path}"
            if stat.S_ISDIR(mode):
                lines = [f"{_size(place.stat().st_size)}\t{path}", *self._listing(place, path, 1)]
                return "\n".join([_header(path), *lines])
            lines = _read(place, path, "replace").split("\n")
        if len(lines) > MAX_LINES:
            raise InvalidInput(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
        first = 1
        if view_range and len(view_range) == 2:
            first = max(1, view_range[0])
            lines = lines[first - 1 : len(lines) if view_range[1] == -1 else view_range[1]]
        return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first)}"

    def create(self, path: str, file_text: str) -> str:
        """Create a file."""
        place = self._named(path)
        text = _clean(file_text)
        with self._changing(path):
            if os.path.lexists(place):
                raise Conflict(f"File {path} already exists")
            if sum(len(files) for _, _, files in os.walk(self._root())) >= MAX_FILES:
                raise InvalidInput(f"{path} cannot be created: there are already {MAX_FILES:,} files")
            _write(place, path, text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replace a text that occurs once in a file."""
        place = self._place(path)
        new = _clean(new_str)
        with self._changing(path):
            text = _text(place, path)
            count = text.count(old_str)
            if not count:
                raise NotFound(
                    f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
                )
            if count > 1:
                places = ", ".join(_lines_of(text, old_str))
                raise Conflict(
                    f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: "
                    f"{places}. Please ensure it is unique"
                )
            changed = text.replace(old_str, new)
            _write(place, path, changed)
        lines = changed.split("\n")
        at = text[: text.find(old_str)].count("\n")
        first = max(0, at - _AROUND)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            + _numbered(lines[first : at + _AROUND + 1], first + 1)
        )

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert a text after a line of a file; 0 is the top."""
        place = self._place(path)
        new = _clean(insert_text)
        with self._changing(path):
            lines = _text(place, path).split("\n")
            if not lines[-1]:
                lines.pop()
            if not 0 <= insert_line <= len(lines):
                raise InvalidInput(
                    f"Invalid `insert_line` parameter: {insert_line}. "
                    f"It should be within the range [0, {len(lines)}]."
                )
            lines.insert(insert_line, new.rstrip("\n"))
            text = "\n".join(lines)
            _write(place, path, text if text.endswith("\n") else text + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Delete a file, or a folder with everything in it."""
        place = self._place(path)
        if place == self._root():
            raise InvalidInput(f"Cannot delete the {TOOL_ROOT} directory itself")
        with self._changing(path):
            if not (place.is_file() or place.is_dir()):
                raise NotFound(f"The path {path} does not exist")
            self._remove(place)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file or a folder to a path that does not exist."""
        old, new = self._place(old_path), self._named(new_path)
        if old == self._root():
            raise InvalidInput(f"Cannot rename the {TOOL_ROOT} directory itself")
        with self._changing(new_path):
            if os.path.lexists(new):
                raise Conflict(f"The destination {new_path} already exists")
            if old in new.parents:
                raise InvalidInput(f"Cannot move {old_path} into itself")
            make_folder(new.parent)
            try:
                old.rename(new)
            except FileNotFoundError:
                raise NotFound(f"The path {old_path} does not exist") from None
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Delete everything."""
        with self._changing(TOOL_ROOT):
            for place in list(self._root().iterdir()):
                self._remove(place)
        return "All memory cleared"

    def _root(self) -> Path:
        return Path(os.path.realpath(self._folder))

    def _place(self, path: str) -> Path:
        """Return the real path of a path of the model's, with symbolic links resolved."""
        if not isinstance(path, str):
            raise InvalidInput(f"a path must be text, not {type(path).__name__}")
        if not path.startswith(TOOL_ROOT):
            raise InvalidInput(f"Path must start with {TOOL_ROOT}, got: {path}")
        rest = path.removeprefix(TOOL_ROOT).lstrip("/")
        escape = InvalidInput(f"Path {path} would escape {TOOL_ROOT} directory")
        if "\0" in rest or _hides_a_way_up(rest):
            raise escape
        try:
            if len(rest.encode()) > MAX_PATH:
                raise InvalidInput(f"Path {path[:80]}… is longer than {MAX_PATH:,} bytes")
        except UnicodeEncodeError:
            raise InvalidInput("the path is not valid Unicode") from None
        root = self._root()
        with _in_words_of(path):
            place = Path(os.path.realpath(root / rest))
        if place != root and root not in place.parents:
            raise escape
        return place

    def _named(self, path: str) -> Path:
        """Return the real path of a new path; it is shown and indexed, so it must hold no secret."""
        place = self._place(path)
        if holds_secret(path):
            raise InvalidInput("the path holds a secret; choose another one")
        return place

    @contextmanager
    def _changing(self, path: str) -> Iterator[None]:
        """Hold the lock of the files; raise an error if the memory is closed or read-only."""
        self._project.store("project")  # raises if the memory is closed
        if self._project.read_only:
            raise StoreReadOnly(f"{path} cannot be changed: the memory is open for reading only")
        with _in_words_of(path):
            make_folder(self._root())
            with lock(self._folder.with_name(f".{TOOL_FOLDER}"), timeout=PATIENCE):
                yield
        look_again(self._project)

    def _remove(self, place: Path) -> None:
        """Remove a file, or a folder atomically: it is renamed first."""
        if not place.is_dir() or place.is_symlink():
            place.unlink()
            return
        away = temporary_in(place.parent)
        place.rename(away)
        shutil.rmtree(away, ignore_errors=True)

    def _listing(self, folder: Path, shown: str, depth: int) -> Iterator[str]:
        try:
            found = sorted(folder.iterdir(), key=lambda item: item.name)
        except OSError:
            return
        root = self._root()
        for item in found:
            if item.name.startswith("."):
                continue
            try:
                behind = Path(os.path.realpath(item))
                status = item.stat()
            except OSError:
                continue
            if root not in behind.parents:
                continue  # a link out of the folder
            name = f"{shown}/{item.name}"
            if stat.S_ISDIR(status.st_mode):
                yield f"{_size(status.st_size)}\t{name}/"
                if depth < _DEPTH:
                    yield from self._listing(item, name, depth + 1)
            elif stat.S_ISREG(status.st_mode):
                yield f"{_size(status.st_size)}\t{name}"


@contextmanager
def _in_words_of(path: str) -> Iterator[None]:
    """Convert file system errors to errors with the model's path, which hide the place on disk."""
    try:
        yield
    except OSError as error:
        raise _told(path, error_of(error, Path(path), "change")) from error
    except StoreError as error:
        raise _told(path, error) from error


def _told(path: str, error: RemoraError) -> StoreError:
    cause = error.__cause__
    match error:
        case StoreBusy():
            return StoreBusy(f"{path} is being changed by another process; try again")
        case StoreFull():
            return StoreFull(f"{path} cannot be written: the disk is full")
        case StoreReadOnly():
            return StoreReadOnly(f"{path} cannot be changed: no permission")
    reason = cause.strerror if isinstance(cause, OSError) else ""
    return StoreError(f"{path} cannot be used: {reason or 'the file system refuses it'}")


def _hides_a_way_up(rest: str) -> bool:
    """Return whether a path has `..` or NUL in an encoding that a reader may decode."""
    plain = rest
    for _ in range(3):
        plain = unquote(plain)
    return plain != rest and ("\0" in plain or ".." in re.split(r"[/\\]", plain))


def _missing(path: str) -> str:
    return f"The path {path} does not exist. Please provide a valid path."


def _header(path: str) -> str:
    return f"Here're the files and directories up to {_DEPTH} levels deep in {path}, excluding hidden items:"


def _size(size: int) -> str:
    """Return a size as the tool writes it: "0B", "1.5K", "2M"."""
    unit = min(max(0, size.bit_length() - 1) // 10, len(_UNITS) - 1)
    amount = size / 1024**unit
    return f"{int(amount)}{_UNITS[unit]}" if amount == int(amount) else f"{amount:.1f}{_UNITS[unit]}"


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def _lines_of(text: str, wanted: str) -> Iterator[str]:
    """Yield the line number of every occurrence, overlapping ones too."""
    line, last = 1, 0
    at = text.find(wanted)
    for _ in range(MOST_PLACES):
        line += text.count("\n", last, at)
        yield str(line)
        last, at = at, text.find(wanted, at + 1)
        if at < 0:
            return
    yield "…"


def _text(place: Path, path: str) -> str:
    """Return the text of a file to be changed."""
    if not place.exists():
        raise NotFound(_missing(path))
    if not place.is_file():
        raise InvalidInput(f"The path {path} is not a file.")
    return _read(place, path, "strict")


def _read(place: Path, path: str, errors: str) -> str:
    """Return a file's text."""
    status = place.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInput(f"Unsupported file type for {path}")
    if status.st_size > MAX_BYTES:
        raise InvalidInput(f"File {path} is larger than {MAX_BYTES:,} bytes and cannot be shown or edited.")
    try:
        return place.read_bytes().decode("utf-8", errors)
    except UnicodeDecodeError:
        raise InvalidInput(f"File {path} is not UTF-8 text and cannot be edited.") from None


def _clean(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidInput(f"the content must be text, not {type(text).__name__}")
    return redact(text).text


def _write(place: Path, path: str, text: str) -> None:
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise InvalidInput(f"{path} would have more than {MAX_BYTES:,} bytes; split it into several files")
    write_atomic(place, text)
