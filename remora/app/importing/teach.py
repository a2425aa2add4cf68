"""Store the statements of a file that a person wrote as memories, with the outcome of each.

The file is read like a rule file: secrets are removed, then it is cut into pieces that can be understood
alone, and each gets its type. A person hands it in, so the source is `user_taught` and the confidence 1. A
dry run stores everything in a transaction and rolls it back, so that its report is exact.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.errors import InvalidInput, NotFound
from remora.core.values import MemoryDraft, MemoryRecord, Redaction, Skipped
from remora.sources.rules import MAX_BYTES, read_given

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

CONFIDENCE = 1.0  # a person states it


class Piece(NamedTuple):
    """One statement of a file.

    Attributes:
        line: number of its first line in the file.
        action: "stored", "merged", "restored", "updated" or "refused".
        type: the type of the memory.
        text: the text of the statement.
        memory_id: id of its memory; empty if it was refused, or is new in a dry run.
        why: the reason of a refusal, or the similarity of the memory it was merged with.
    """

    line: int
    action: str
    type: str
    text: str
    memory_id: str = ""
    why: str = ""


class Taught(NamedTuple):
    """The result of teaching a file.

    Attributes:
        path: the path as reports show it.
        kind: the kind of a rule file; "taught" for any other file.
        pieces: the statements in the order of the file.
        skipped: parts of the file without a statement, with the reason.
        redactions: secrets that were removed, by kind.
        note: irregularities of its bytes.
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
        """Return the number of pieces with one of the given actions."""
        return sum(piece.action in actions for piece in self.pieces)


def teach(project: OpenProject, path: Path, text: str | bytes | None, *, user: bool, dry_run: bool) -> Taught:
    """Store the statements of a file that a person wrote; see `Memory.teach`."""
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
    secrets = Counter(dict(file.redactions))
    with store.db.transaction(undo=dry_run):
        for rule in scan.rules:
            draft = rule.draft._replace(confidence=CONFIDENCE)
            if user:  # files and folders are those of this project
                draft = draft._replace(related_files=(), related_modules=(), scope="global")
            line = rule.origins[0][1]
            try:
                record = store.intake.remember(draft, stated=True)
            except InvalidInput as error:
                pieces.append(Piece(line, "refused", draft.type, draft.content, why=str(error)))
                continue
            pieces.append(_piece(line, record, draft, dry_run=dry_run))
            secrets.update(dict(record.receipt.redactions if record.receipt is not None else ()))
    redactions = tuple(Redaction(kind, number) for kind, number in sorted(secrets.items()))
    kind, note = file.found.kind, file.text.note
    return Taught(shown, kind, tuple(pieces), scan.skipped, redactions, note, dry_run=dry_run)


def _shown(project: OpenProject, path: Path) -> tuple[str, bool]:
    """Return the shown path of a file, relative to the root inside the project, and whether it is inside."""
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
