"""Read sessions that the Entire CLI stores in the project's repository, on `entire/checkpoints/v1`.

    <id[:2]>/<id[2:]>/<number>/metadata.json    `session_id`, `agent`, `created_at`, `branch`
    <id[:2]>/<id[2:]>/<number>/full.jsonl       the agent's own transcript so far; a long one continues in
                                                `full.jsonl.001`

The layout is that of the CLI's source, 0.4.4. Each checkpoint has the whole session again, so the newest one
is read. Such a session has no file: its name is the branch in the repository and its id, and its transcript
is written to a private folder while it is read. Only the local branch counts, which exists if the CLI is used
here: a branch that merely came with a clone is a stranger's.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from remora.core.errors import SourceError
from remora.sources.git_process import answer, ask, run
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.values import json_of, mapping
from remora.sources.transcripts.texts import string

HOST = "entire"
_BRANCH = ("entire", "checkpoints", "v1")
_FULL = re.compile(r"full\.(?:jsonl(?:\.\d{3})?|log)")
_NAME = re.compile(r"\w[\w.-]{0,199}")
_MAX_METADATA = 1_000_000  # bytes
_OPENCODE, _GEMINI = "OpenCode", "Gemini CLI"


class Stored(NamedTuple):
    """A session on the branch.

    Attributes:
        id: the CLI's id; some have the date before the agent's own id.
        agent: the title of its agent.
        created: time of the newest checkpoint, ISO 8601.
        branch: the branch that was checked out then.
        parts: the git objects of its transcript, in order.
        size: in bytes.
    """

    id: str
    agent: str
    created: str
    branch: str | None
    parts: tuple[str, ...]
    size: int


def name_of(root: Path, session: Stored) -> Path:
    """Return the path that represents a session, which has no file of its own."""
    return root.joinpath(*_BRANCH, session.id)


def is_stored(path: Path) -> bool:
    """Return whether a path represents such a session."""
    return path.parts[-4:-1] == _BRANCH and not path.exists()


def stored(root: Path) -> tuple[Stored, ...]:
    """Return the sessions on the branch, the oldest first; none if there is no such branch.

    Raises:
        SourceError: git cannot read it.
    """
    tree = answer(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{'/'.join(_BRANCH)}^{{tree}}")
    return _stored(root, tree) if tree else ()


@contextmanager
def laid_out(path: Path) -> Iterator[Path]:
    """Write a session's transcript to a temporary file for reading.

    Args:
        path: the session's path from `name_of`.

    Raises:
        SourceError: it is no longer there, or git cannot read it.
    """
    root = path.parents[len(_BRANCH)]
    found = next((one for one in stored(root) if one.id == path.name), None)
    if found is None:
        raise SourceError(f"{path} is no longer on the branch {'/'.join(_BRANCH)}")
    parts = [ask(root, "cat-file", "blob", part) for part in found.parts]
    folder = tempfile.mkdtemp(prefix="remora-")
    try:
        file = Path(folder, _file_name(found, parts[0]))
        file.write_bytes(b"\n".join(parts))
        yield file
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _file_name(session: Stored, data: bytes) -> str:
    """Return a file name that the agent's reader recognizes."""
    document = session.agent == _OPENCODE or data.partition(b"\n")[0].strip() == b"{"  # no JSON lines
    ending = ".json" if document else ".jsonl"
    beginning = {_OPENCODE: "opencode-", _GEMINI: "session-"}.get(session.agent, "")
    return f"{beginning}{session.id}{ending}"


@lru_cache(maxsize=1)
def _stored(root: Path, tree: str) -> tuple[Stored, ...]:
    folders: defaultdict[PurePosixPath, dict[str, tuple[str, int]]] = defaultdict(dict)
    for entry in ask(root, "ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0"):
        kind, _, name = entry.decode("utf-8", "replace").partition("\t")
        words = kind.split()
        if len(words) == 4 and words[1] == "blob" and words[3].isdigit():
            path = PurePosixPath(name)
            folders[path.parent][path.name] = (words[2], int(words[3]))
    there = [files for files in folders.values() if "metadata.json" in files and any(map(_is_full, files))]
    told = _metadata(root, [files["metadata.json"] for files in there])
    newest: dict[str, Stored] = {}
    for files, about in zip(there, told, strict=True):
        parts = [files[name] for name in sorted(filter(_is_full, files))]
        identity, created = string(about.get("session_id"), 300), instant(about.get("created_at")) or ""
        agent, branch = string(about.get("agent"), 100), string(about.get("branch"), 200) or None
        one = Stored(
            identity, agent, created, branch, tuple(p for p, _ in parts), sum(size for _, size in parts)
        )
        known = newest.get(identity)
        if _NAME.fullmatch(identity) and (
            known is None or (known.created, known.size) <= (created, one.size)
        ):
            newest[identity] = one
    return tuple(sorted(newest.values(), key=lambda one: (one.created, one.id)))


def _is_full(name: str) -> bool:
    return _FULL.fullmatch(name) is not None


def _metadata(root: Path, files: Sequence[tuple[str, int]]) -> Iterator[Mapping[str, Any]]:
    """Yield the content of objects that are small JSON objects, an empty one for others."""
    asked = "".join(f"{name}\n" for name, size in files if size <= _MAX_METADATA)
    answer = run(root, "cat-file", "--batch", given=asked.encode()).stdout if asked else b""
    place = 0
    for _, size in files:
        value: Any = None
        if size <= _MAX_METADATA:
            end = answer.find(b"\n", place)
            words = answer[place:end].split()
            place = end + 1
            if len(words) == 3 and words[1] == b"blob":
                value = json_of(answer[place : place + int(words[2])])
                place += int(words[2]) + 1
        yield mapping(value)
