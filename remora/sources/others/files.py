"""Read another program's files: names, text, JSON, times.

Nothing is written. Links are not followed: the folder may come from anywhere, and the target of a link may be
private. A file that cannot be read gives a reason without a path of this machine.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from remora.core.clock import to_iso
from remora.core.decoding import decode
from remora.core.text import clean
from remora.sources.others.import_result import Gatherer, Unreadable
from remora.sources.rule_text import Text
from remora.sources.rule_text import read as read_markdown

MAX_TEXT = 64 << 20  # bytes of a file that is read whole
MAX_LINE = 16 << 20  # bytes of one line of JSON
MAX_FILES = 100_000
LOOKED_AT = 20  # lines; one that fits identifies a file
MAX_DEPTH = 32  # of metadata and tool arguments; the session log takes 64


class File(NamedTuple):
    """A file below a folder. `shown` is its relative path, with forward slashes."""

    path: Path
    shown: str


def files_of(
    root: Path, gather: Gatherer | None = None, *, prefix: str = "", without: frozenset[str] = frozenset()
) -> Iterator[File]:
    """Yield the files below a folder, by name, without links.

    Args:
        root: the folder, or one file.
        gather: receives the skipped files.
        prefix: of each shown path.
        without: names of folders to skip.
    """
    if root.is_file():
        yield File(root, prefix + root.name)
        return
    number = 0

    def skip(path: Path, why: str) -> None:
        if gather:
            gather.pass_over("files", prefix + path.relative_to(root).as_posix(), why)

    def closed(error: OSError) -> None:
        skip(Path(error.filename or root), f"cannot be read: {error.strerror}")

    for here, folders, names in os.walk(root, onerror=closed):
        for name in folders:
            if name in without:
                skip(Path(here, name), "folder not read")
        folders[:] = sorted(name for name in folders if name not in without)
        for name in [*folders, *sorted(names)]:
            path = Path(here, name)
            if path.is_symlink():
                skip(path, "a link")
                continue
            if name in folders:
                continue
            number += 1
            if number > MAX_FILES:
                skip(path, f"only the first {MAX_FILES:,} files are read")
                return
            yield File(path, prefix + path.relative_to(root).as_posix())


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, without waiting for one that is not regular.

    Raises:
        Unreadable: it is missing, forbidden, no regular file, or cannot be read to its end.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("not a regular file")
            yield file
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_bytes(path: Path, limit: int = MAX_TEXT) -> bytes:
    """Return a file's bytes.

    Raises:
        Unreadable: it cannot be read, or has more than `limit` bytes.
    """
    with opened(path) as file:
        raw = file.read(limit + 1)
    if len(raw) > limit:
        raise Unreadable(f"larger than {limit >> 20} MB")
    return raw


def head_of(path: Path, number: int) -> bytes:
    """Return a file's first bytes, empty if it cannot be read."""
    with suppress(Unreadable), opened(path) as file:
        return file.read(number)
    return b""


def read_text(file: File, gather: Gatherer) -> str:
    r"""Return a file's text with "\n" line ends, without invisible characters.

    UTF-8 is expected, UTF-16 recognized, Windows-1252 the last resort; the gatherer gets a remark.

    Raises:
        Unreadable: it cannot be read, is too large, or is not text.
    """
    raw = read_bytes(file.path)
    try:
        text, note = decode(raw)
    except ValueError:
        raise Unreadable("binary, not text") from None
    if note:
        gather.remark(note, file.shown)
    return clean(text.replace("\r\n", "\n").replace("\r", "\n"))


def read_note(path: Path, limit: int = MAX_TEXT) -> Text:
    """Return the text and the front matter of a Markdown file.

    Raises:
        Unreadable: it cannot be read, has more than `limit` bytes, or is not text.
    """
    raw = read_bytes(path, limit)
    try:
        return read_markdown(raw)
    except ValueError:
        raise Unreadable("binary, not text") from None


def modified(path: Path) -> str | None:
    """Return when a file was last written, ISO 8601 in UTC; None if unknown."""
    try:
        return to_iso(path.stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return None


def parse_json(raw: bytes | str) -> Any:
    """Return a JSON value that can be written as JSON again: no NaN, no infinity, not nested too deeply.

    Raises:
        Unreadable: it is not such a value.
    """
    try:
        text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("not JSON") from None
    if not _is_sound(value):
        raise Unreadable("JSON with numbers out of range, or nested too deep")
    return value


def _is_sound(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 8):  # a few levels around the metadata itself
        if not level:
            return True
        inner: list[Any] = []
        for one in level:
            if isinstance(one, float) and not math.isfinite(one):
                return False
            if isinstance(one, dict):
                inner.extend(one.values())
            elif isinstance(one, list):
                inner.extend(one)
        level = inner
    return False


def json_lines(file: File) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the number of each line that is not blank, with its object or the reason why there is none.

    The file is read line by line, so its size does not matter.

    Raises:
        Unreadable: the file cannot be read at all, or not to its end.
    """
    with opened(file.path) as stream:
        number = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_LINE)
                yield number, f"longer than {MAX_LINE >> 20} MB"
            elif line.strip():
                yield number, _record(line)


def _record(line: bytes) -> dict[str, Any] | str:
    try:
        value = parse_json(line)
    except Unreadable as error:
        return str(error)
    return value if isinstance(value, dict) else "JSON, but not an object"


def begins_with(path: Path, fits: Callable[[dict[str, Any]], bool]) -> bool:
    """Return whether one of the first lines of a file is an object that fits."""
    with suppress(Unreadable):
        lines = islice(json_lines(File(path, path.name)), LOOKED_AT)
        return any(isinstance(record, dict) and fits(record) for _, record in lines)
    return False


def text(value: object) -> str:
    """Return a value if it is text, else "".

    >>> text("a"), text(3)
    ('a', '')
    """
    return value if isinstance(value, str) else ""


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a list, () for anything else."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def number(value: object) -> float | None:
    """Return a value if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def digest(*parts: str, characters: int = 24) -> str:
    """Return a short name for some texts: the beginning of the SHA-256 of all of them.

    >>> digest("a", "b") != digest("ab")
    True
    """
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:characters]


class Ids:
    """Names for things without names; the second of a kind gets `~2`."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def give(self, name: str) -> str:
        """Return the name, made unique by a count of earlier uses."""
        self._given[name] += 1
        return name if self._given[name] == 1 else f"{name}~{self._given[name]}"


def content_of(value: object) -> str:
    r"""Return the content of a message: text, the texts of a list of parts, or any other value as JSON.

    >>> content_of([{"type": "text", "text": "a"}, {"type": "image"}]), content_of(None)
    ('a\n{"type": "image"}', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(part for part in map(_part, value) if part)
    return _part(value)


def _part(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return json.dumps(value, ensure_ascii=False)


def tool_calls_of(value: object) -> list[dict[str, Any]]:
    """Return the tool calls of a message in our form; calls without a tool name are left out.

    Calls are flat (`id`, `name`, `arguments`) or have a `function`; arguments given as the text of a JSON
    object become the object.
    """
    calls = []
    for call in value if isinstance(value, list) else []:
        if not isinstance(call, dict):
            continue
        inner = call.get("function")
        source: Mapping[str, Any] = inner if isinstance(inner, dict) else call
        if name := text(source.get("name")):
            arguments = _arguments(source.get("arguments"))
            calls.append({"id": text(call.get("id")), "name": name, "arguments": arguments})
    return calls


def _arguments(value: object) -> object:
    if isinstance(value, str):
        try:
            parsed = parse_json(value)
        except Unreadable:
            return value
        return parsed if isinstance(parsed, dict | list) else value
    return value


def message(role: str, content: str, external_id: str, **fields: Any) -> dict[str, Any]:
    """Return a message for `SessionLog.add`, without empty fields."""
    said = {"role": role, "content": content, "external_id": external_id}
    return said | {name: value for name, value in fields.items() if value}


def with_times(messages: list[dict[str, Any]], created: str) -> tuple[dict[str, Any], ...]:
    """Return messages that all have a time: one without gets that of the message before it."""
    last = created
    timed = []
    for one in messages:
        last = one.get("time") or last
        timed.append(one | {"time": last} if last else one)
    return tuple(timed)
