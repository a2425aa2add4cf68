"""Prefetch: the files to load in advance, because earlier sessions of the kind used them (section 10).

The sessions that changed files in a module of the task are its group. A file that more than 80 % of a group
used comes first, one that more than half used second; a group of fewer than three sessions proves nothing.
Stored patterns (`prefetch_pattern`) stand in for a module with fewer. The result contains current files of
the project: existing, not ignored, text, and neither by name nor by content a place for secrets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.decoding import text_of
from remora.core.errors import SourceError
from remora.core.secrets import redact
from remora.core.text import safe
from remora.core.tokens import scripts
from remora.core.values import Filters, Skipped
from remora.injection.scope import Scope
from remora.sources.tree import listed
from remora.sources.tree_read import Folders, by_content, by_name, read

if TYPE_CHECKING:
    from remora.core.values import MemoryRecord
    from remora.sources.git import Repository
    from remora.store.database import Database

ALWAYS, OFTEN = 0.8, 0.5  # of the sessions of a group; section 10
MOST_FILES, MOST_TOKENS = 12, 32_000  # section 10
SESSIONS = 3  # of a group, at least; the files of fewer are chance
MOST_IN_MODULE = 20  # sessions of a group; old ones tell little
CANDIDATES = 60  # files that are examined, so that twelve remain after some are left out
LARGEST = 256_000  # bytes; a larger file exceeds the whole budget
TITLE = "## Current contents of files that similar sessions used"

_SECRET_NAME = re.compile(
    r"""(?:^|/)(?:
        \.env(?:[.-](?!example|sample|template|dist)[\w.-]+)? | [\w.-]*\.env
      | \.netrc | \.pgpass | \.npmrc | \.pypirc | \.htpasswd | \.git-credentials | \.dockercfg
      | id_(?:rsa|dsa|ecdsa|ed25519)[\w.-]* | [\w.-]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk)
      | (?:[\w.-]*[_.-])?(?:secrets?|credentials?|passwords?)\.(?:ya?ml|json|toml|ini|txt|properties|conf|env)
      | service[_-]?account[\w.-]*\.json | [\w.-]*\.tfvars(?:\.json)? | [\w.-]*\.tfstate(?:\.backup)?
    )$ | (?:^|/)\.(?:ssh|aws|gnupg|kube|docker|azure)/""",
    re.VERBOSE | re.IGNORECASE,
)


class PrefetchFile(NamedTuple):
    """A file to load in advance.

    Attributes:
        path: relative to the root.
        share: share of the group's sessions that used it.
        always: more than 80 % of them did.
        tokens: the estimated size with line numbers.
        why: the evidence in words.
    """

    path: str
    share: float
    always: bool
    tokens: int
    why: str


class Prefetch(list[PrefetchFile]):
    """The files to load in advance, those that were always used first.

    Attributes:
        tokens: the estimated size of `text`.
        left_out: files with the same evidence that are not included, with the reason.
        text: the contents with line numbers, for a first message; secrets are redacted.
    """

    def __init__(
        self, files: Iterable[PrefetchFile], left_out: Iterable[Skipped] = (), text: str = ""
    ) -> None:
        super().__init__(files)
        self.left_out = tuple(left_out)
        self.text = safe(text)
        self.tokens = scripts(self.text)


class _Named(NamedTuple):
    """A file that a group of sessions used."""

    share: float
    used: int
    of: int
    group: str

    @property
    def why(self) -> str:
        """The evidence in words."""
        return f"used in {self.used} of {self.of} sessions {self.group}"


def prefetch(
    db: Database,
    root: Path,
    where: Scope,
    *,
    repository: Repository | None = None,
    branch: str | None = None,
    most: int = MOST_FILES,
    budget: int = MOST_TOKENS,
    without: Sequence[str] = (),
) -> Prefetch:
    """Return the files that work on a task will most likely read, with their packed contents.

    Args:
        db: the project's database.
        root: the project's folder.
        where: the files and modules of the task.
        repository: the git repository of the folder; without one the ignore files are read.
        branch: patterns of this branch are included.
        most: number of files, at most.
        budget: tokens (`scripts`) of the packed text, at most.
        without: files that are already loaded.
    """
    named = _named(db, where, branch)
    ranked = [path for path in _ranked(named) if path not in without][:CANDIDATES]
    if not ranked or most < 1:
        return Prefetch(())
    usable, left_out = _usable(root, ranked, repository)
    files: list[PrefetchFile] = []
    parts: list[str] = []
    room = budget - scripts(f"{TITLE}\n\n")
    for path in usable:
        if len(files) >= most:
            break
        one = named[path]
        content, why = _content(root, path)
        if why:
            left_out.append(Skipped(path, why))
            continue
        part = section(path, one.why, content)
        # The sum of the parts is never less than the count of the whole.
        tokens = scripts(f"\n\n{part}")
        if tokens > room:
            left_out.append(Skipped(path, f"its {tokens:,} tokens do not fit"))
            continue
        room -= tokens
        files.append(PrefetchFile(path, round(one.share, 3), one.share > ALWAYS, tokens, one.why))
        parts.append(part)
    return Prefetch(files, left_out, "\n\n".join((TITLE, *parts)) if parts else "")


def section(path: str, why: str, content: str) -> str:
    r"""Return one file as a section of a first message, with numbered lines.

    >>> print(section("a.py", "used in 3 of 3 sessions in `a`", "x = 1\n"))
    ### a.py (used in 3 of 3 sessions in `a`)
    ```
         1	x = 1
    ```
    """
    lines = content.removesuffix("\n").split("\n")
    numbered = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, start=1))
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    fence = "`" * (longest + 1)  # longer than any fence in the file
    return f"### {path} ({why})\n{fence}\n{numbered}\n{fence}"


def secret_name(path: str) -> bool:
    """Return whether the name of a file is that of a place for secrets.

    >>> [secret_name(p) for p in (".env", "conf/.env.local", ".env.example", "deploy/id_rsa", "src/key.py")]
    [True, True, False, True, False]
    """
    return _SECRET_NAME.search(path) is not None


# Selection of files


def _named(db: Database, where: Scope, branch: str | None) -> dict[str, _Named]:
    """Return the files that more than half of a group used, each with its best group."""
    best: dict[str, _Named] = {}
    uncounted: list[str] = []
    for module in where.modules:
        sessions = db.sessions.working_in(module, MOST_IN_MODULE)
        used = db.sessions.files(sessions)
        # A session that used no file does not show which ones are needed.
        working = [i for i in sessions if used.get(i)]
        if len(working) < SESSIONS:
            uncounted.append(module)
            continue
        for path, number in Counter(path for i in working for path in used[i]).items():
            share = number / len(working)
            if share > OFTEN:
                _offer(best, path, _Named(share, number, len(working), f"that changed `{module}`"))
    for record in _patterns(db, uncounted, branch):
        _offer_pattern(best, record)
    return best


def _patterns(db: Database, modules: Collection[str], branch: str | None) -> list[MemoryRecord]:
    """Return the stored patterns of some modules."""
    if not modules:
        return []
    found = db.memories.find(Filters(types=("prefetch_pattern",), branch=branch), limit=200)
    return [m for m in found if m.taint is None and m.stale_at is None and _triggered(m, modules)]


def _triggered(record: MemoryRecord, modules: Collection[str]) -> bool:
    trigger = (record.payload or {}).get("module_trigger")
    return trigger in modules or not set(record.related_modules).isdisjoint(modules)


def _offer_pattern(best: dict[str, _Named], record: MemoryRecord) -> None:
    payload = record.payload or {}
    sessions = payload.get("session_count")
    if not isinstance(sessions, int) or sessions < SESSIONS:
        return
    module = str(payload.get("module_trigger") or record.related_modules[:1])
    for name, share in (("always_read_files", 0.9), ("frequently_read_files", 0.6)):
        paths = payload.get(name)
        for path in paths if isinstance(paths, list) else ():
            least = int(share * sessions)
            _offer(best, str(path), _Named(share, least, sessions, f"that changed `{module}`, from memory"))


def _offer(best: dict[str, _Named], path: str, one: _Named) -> None:
    known = best.get(path)
    if known is None or (one.share, one.of) > (known.share, known.of):
        best[path] = one


def _ranked(named: dict[str, _Named]) -> list[str]:
    """Return the paths inside the project, those always used first, then by share and sessions."""

    def order(path: str) -> tuple[bool, float, int, str]:
        one = named[path]
        return (one.share <= ALWAYS, -round(one.share, 9), -one.used, path)

    return sorted((path for path in named if _inside(path)), key=order)


def _inside(path: str) -> bool:
    return bool(path) and path[0] not in "/~" and ":" not in path[:2] and ".." not in path.split("/")


def _usable(
    root: Path, paths: Sequence[str], repository: Repository | None
) -> tuple[list[str], list[Skipped]]:
    """Return the files that may be shown, and the other existing ones with the reason."""
    there = [path for path in paths if (root / path).is_file()]
    try:
        seen = listed(root, there, repository)
    except SourceError as error:
        return [], [Skipped(path, f"cannot tell whether it is ignored: {error}") for path in there]
    folders = Folders(there)
    usable, left_out = [], []
    for path in there:
        why = "its name is typical of a file with secrets" if secret_name(path) else by_name(path) or ""
        why = why or folders.left_out(path.rpartition("/")[0]) or ""
        if path not in seen:
            why = "ignored"
        if why:
            left_out.append(Skipped(path, why))
        else:
            usable.append(path)
    return usable, left_out


def _content(root: Path, path: str) -> tuple[str, str]:
    """Return the text of a file with its secrets redacted, and the reason if it is not shown."""
    data = read(root, path, LARGEST)
    if not isinstance(data, bytes):
        return "", data.why
    if why := by_content(data):
        return "", why
    text = text_of(data)
    if not text.strip():
        return "", "empty"
    clean = redact(text)
    if clean.text.count("\n") != text.count("\n"):
        return "", "it contains a private key"  # its line numbers would no longer match the file
    return clean.text, ""
