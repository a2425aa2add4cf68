"""Teach: a file that a person wrote becomes memories, each with what became of it.

The file is read as rule files are: secrets go first, then it is cut into pieces that can be understood
alone, and each gets its type. A person hands it in, so what is stored is `user_taught` and sure. A dry run
stores everything in a transaction and takes it back, so that it says exactly what would happen.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.app.memories.targets import noted
from remora.core.errors import InvalidInput, NotFound
from remora.core.values import MemoryDraft, MemoryRecord, Redaction, Skipped
from remora.sources.rules import MAX_BYTES, read_given

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

CONFIDENCE = 1.0  # a person says so, here and now


class Piece(NamedTuple):
    """One memory of a file.

    Attributes:
        line: where it begins in the file.
        action: "stored", "merged", "restored", "updated" or "refused".
        type: of the memory.
        text: what it says.
        memory_id: of the memory that has it now; empty of what was refused, and in a dry run of what is new.
        why: of what was refused, the reason; of what was merged, how alike the other is.
    """

    line: int
    action: str
    type: str
    text: str
    memory_id: str = ""
    why: str = ""


class Taught(NamedTuple):
    """What became of a file.

    Attributes:
        path: as reports show it.
        kind: of a rule file, which; "taught" of any other.
        pieces: in the order of the file.
        skipped: what is in the file and says nothing, with the reason.
        redactions: secrets that were taken out, by kind.
        note: what was odd about its bytes.
        dry_run: nothing was stored.
    """

    path: str
    kind: str
    pieces: tuple[Piece, ...]
    skipped: tuple[Skipped, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    note: str = ""
    dry_run: bool = False

    def number(self, *actions: str) -> int:
        """Return how many pieces came to one of some ends."""
        return sum(piece.action in actions for piece in self.pieces)


class _Undo(Exception):
    """Ends a dry run: what it wrote is taken back."""


def teach(project: OpenProject, path: Path, text: str | bytes | None, *, user: bool, dry_run: bool) -> Taught:
    """Take in a file that a person wrote; see `Memory.teach`."""
    shown, inside = _shown(project, path) if text is None else (path.as_posix(), False)
    raw = _read(path) if text is None else text.encode("utf-8", "replace") if isinstance(text, str) else text
    scan = read_given(raw, shown, project.location.root, inside=inside)
    if not scan.files:
        raise InvalidInput(
            f"{shown} cannot be taught: {scan.skipped[0].why}", hint="Use Markdown or plain text."
        )
    (file,) = scan.files
    pieces: list[Piece] = []
    store = project.store("user" if user else "project")

    def take_in() -> None:
        for rule in scan.rules:
            draft = rule.draft._replace(confidence=CONFIDENCE)
            if user:  # files and folders are those of this project
                draft = draft._replace(related_files=(), related_modules=(), scope="global")
            line = rule.origins[0][1]
            try:
                (record,) = store.intake.remember_many([draft], stated=True)
            except InvalidInput as error:
                pieces.append(Piece(line, "refused", draft.type, draft.content, why=str(error)))
                continue
            pieces.append(_piece(line, noted(store.db, draft, record), draft, dry_run=dry_run))
            secrets.extend(record.receipt.redactions if record.receipt is not None else ())

    secrets = list(file.redactions)
    with suppress(_Undo), store.db.transaction():
        take_in()
        if dry_run:
            raise _Undo
    if not dry_run:
        from remora.app.memories.embedding import embed_when_many

        embed_when_many(project)
    return Taught(
        file.path, file.kind, tuple(pieces), scan.skipped, _summed(secrets), file.note, dry_run=dry_run
    )


def _shown(project: OpenProject, path: Path) -> tuple[str, bool]:
    """Return what a file is called, and whether it lies in the project: from its root then."""
    try:
        return path.expanduser().resolve().relative_to(project.location.root).as_posix(), True
    except (ValueError, OSError, RuntimeError):
        return path.as_posix(), False


def _read(path: Path) -> bytes:
    try:
        path = path.expanduser()
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder", hint="Name files; `remora init` finds rule files.")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="Name an existing file.") from None
    except (OSError, ValueError, RuntimeError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"{path} cannot be read: {said}", hint="Name a readable file.") from None


def _piece(line: int, record: MemoryRecord, draft: MemoryDraft, *, dry_run: bool) -> Piece:
    receipt = record.receipt
    assert receipt is not None
    why = ""
    if receipt.action == "merged":
        alike = "the same text" if receipt.similarity >= 1.0 else f"{receipt.similarity:.0%} alike"
        why = f"with {record.id[:8]}, {alike}"
    known = "" if dry_run and receipt.action == "stored" else record.id
    text = record.content if receipt.action == "stored" else draft.content
    return Piece(line, receipt.action, record.type, text, known, why)


def _summed(secrets: list[Redaction]) -> tuple[Redaction, ...]:
    counts: dict[str, int] = {}
    for kind, number in secrets:
        counts[kind] = counts.get(kind, 0) + number
    return tuple(Redaction(kind, number) for kind, number in sorted(counts.items()))
