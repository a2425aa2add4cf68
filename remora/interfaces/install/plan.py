"""Plan an installation: compute the changes of each file of a host without writing."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from remora.core.errors import RemoraError, SourceError
from remora.core.secrets import redact
from remora.disk.files import error_of
from remora.interfaces.install import jsonc, records
from remora.interfaces.install.components import HOOKS, MCP, RULES, Kept, Piece
from remora.interfaces.install.hosts import (
    LOCAL,
    PROJECT,
    USER,
    File,
    Host,
    Place,
    claude_folder,
    files_of,
)
from remora.interfaces.install.insertions import Broken, Draft, Text
from remora.interfaces.install.launch_command import NAME
from remora.interfaces.install.records import Past, Record, digest

TOO_LARGE = 50_000_000  # bytes; settings of a host are smaller


class Change(NamedTuple):
    """The planned change of a file.

    Attributes:
        path: the path of the file.
        parts: the parts of the installation that are or were in it.
        before: its bytes now; None if there is no file.
        after: its bytes afterwards; None if there is no file then.
        past: its entry in the record afterwards; None if it contains no part of Remora then.
        remarks: remarks to the user.
        made: folders that an earlier installation created for it.
    """

    path: Path
    parts: tuple[str, ...]
    before: bytes | None
    after: bytes | None
    past: Past | None
    remarks: tuple[str, ...] = ()
    made: tuple[Path, ...] = ()

    @property
    def action(self) -> str:
        """The kind of the change: "create", "change", "delete" or "keep"."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"

    def diff(self) -> list[str]:
        """Return the change as lines of a unified diff, with secrets redacted."""
        old, new = _lines(self.before), _lines(self.after)
        old_name, new_name = (
            str(self.path) if side is not None else "/dev/null" for side in (self.before, self.after)
        )
        lines = [line.rstrip("\r\n") for line in difflib.unified_diff(old, new, old_name, new_name)]
        head, lines = lines[:2], lines[2:]
        return [*head, *(line[:1] + redact(line[1:]).text for line in lines)]


class Plan(NamedTuple):
    """The plan of an installation or uninstallation for one host.

    Attributes:
        host: the host's name.
        scope: one of `SCOPES`.
        root: the root of the project.
        changes: the changes of the files that have or had a part of Remora.
        record: the path of the record.
        written: the record afterwards; None if no part of Remora is left.
        notes: notes for the user before the change.
        after: steps for the user after the change.
    """

    host: str
    scope: str
    root: Path
    changes: tuple[Change, ...]
    record: Path
    written: Record | None
    notes: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def idle(self) -> bool:
        """Whether there is nothing to change."""
        return all(change.action == "keep" for change in self.changes)


class Wish(NamedTuple):
    """The options of an installation.

    Attributes:
        scope: one of `SCOPES`, or None for the default.
        hooks: whether to install hooks; None for the host's default.
        mcp: the same for the MCP server.
        rules: the same for rules.
    """

    scope: str | None = None
    hooks: bool | None = None
    mcp: bool | None = None
    rules: bool | None = None


class PlanInput(NamedTuple):
    """The input of a plan.

    Attributes:
        place: the environment of the installation.
        data: the data folder.
        pending: bytes of files that an earlier plan of the same run changes.
    """

    place: Place
    data: Path
    pending: Mapping[Path, bytes | None] = {}

    def of(self, scope: str) -> PlanInput:
        """Return the input for the files of a scope: the user's own files call Remora by path."""
        return (
            self if scope == PROJECT else self._replace(place=self.place._replace(call=self.place.call.own()))
        )

    def read(self, path: Path) -> bytes | None:
        """Return the bytes of a file; None if there is none.

        Raises:
            SourceError: the path is a folder or below a file, or the file is larger than TOO_LARGE.
            StoreError: the file cannot be read.
        """
        if path in self.pending:
            return self.pending[path]
        try:
            if path.is_file() and path.stat().st_size > TOO_LARGE:
                raise SourceError(f"{path} is larger than {TOO_LARGE:,} bytes; it was not changed")
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise SourceError(
                f"{path} cannot be created: one of its folders is a file",
                hint="Move that file away.",
            ) from None
        except IsADirectoryError:
            raise SourceError(f"{path} is a folder, not a file", hint="Move it.") from None
        except OSError as error:
            raise error_of(error, path, "read") from error


def install(given: PlanInput, host: Host, wish: Wish) -> Plan:
    """Return the plan of an installation.

    Raises:
        SourceError: a file cannot be parsed; nothing is changed.
    """
    notes: list[str] = []
    scope = wish.scope or PROJECT
    wanted = _wanted(given, host, wish, notes)
    plan = _plan(given, host, scope, wanted, notes)
    if not given.place.call.shared and scope == PROJECT and not plan.idle:
        words = " ".join(given.place.call.words)
        notes.append(f"these files call `{words}`, which exists only on this machine; do not commit them")
    if HOOKS in wanted and scope == LOCAL:
        notes += [f"{one.path} is only for you: do not commit it" for one in plan.changes[:1] if one.past]
    return plan._replace(notes=tuple(notes), after=host.after)


def uninstall(given: PlanInput, host: Host, scope: str | None) -> Plan:
    """Return the plan of an uninstallation.

    Raises:
        SourceError: a file with entries of Remora cannot be parsed; nothing is changed.
    """
    notes: list[str] = []
    plan = _plan(given, host, scope or PROJECT, (), notes)
    for other in (USER, LOCAL):
        if scope is None and not _plan(given, host, other, (), []).idle:
            where = "the user" if other == USER else "you in this project"
            notes.append(f"it is installed for {where}: `remora uninstall {host.name} --scope {other}`")
    return plan._replace(notes=tuple(notes))


def _wanted(given: PlanInput, host: Host, wish: Wish, notes: list[str]) -> set[str]:
    """Return the parts to install: the requested ones, else the host's defaults."""
    offered = {file.part for file in files_of(host, given.place, wish.scope)}
    by_plugin = _plugin_of(given) if host.name == "claude-code" else None
    wanted = set()
    if wish.hooks or (wish.hooks is None and not _held_back(given, host, wish, by_plugin, notes)):
        wanted.add(HOOKS)
    if wish.mcp or (wish.mcp is None and by_plugin is None):
        wanted.add(MCP)
    if wish.rules or (wish.rules is None and not host.tells and MCP in wanted):
        wanted.add(RULES)
    if wanted - offered:
        missing = ", ".join(sorted(wanted - offered))
        notes.append(f"{host.title} has no file in this scope for: {missing}")
    return wanted & offered


def _held_back(given: PlanInput, host: Host, wish: Wish, by_plugin: Path | None, notes: list[str]) -> bool:
    """Return whether to omit hooks, because the host would run them twice; append the reason to the notes."""
    if by_plugin is not None:
        notes.append(
            f"the Remora plugin is enabled in {by_plugin}: nothing else is needed; "
            "--hooks --mcp installs both anyway, and then each event is handled twice"
        )
        return True
    own = [file for file in host.files(given.place) if file.part == HOOKS]
    here = [file for file in own if file.scope == (wish.scope or PROJECT)]
    if any(_is_there(given, file) for file in here):
        return False
    for file in own:
        if file not in here and _is_there(given, file):
            whose = {USER: "the user has", LOCAL: "you have", PROJECT: "this project has"}[file.scope]
            notes.append(f"no hooks: {whose} them already, in {file.path}; --hooks adds them here, too")
            return True
    for path in host.also_runs(given.place):
        if given.read(path):
            notes.append(
                f"no hooks: {host.title} also runs those in {path}, and would report each event twice; "
                "--hooks adds them anyway"
            )
            return True
    return False


def _is_there(given: PlanInput, file: File) -> bool:
    data = given.read(file.path)
    try:
        return data is not None and file.piece.there(Text.of(data, str(file.path)).text, Kept())
    except (Broken, SourceError):
        return False


def _plugin_of(given: PlanInput) -> Path | None:
    """Return the settings file that enables Remora's plugin for Claude Code; None if none does."""
    project = given.place.root / ".claude"
    own = claude_folder(given.place) / "settings.json"
    for path in (project / "settings.local.json", project / "settings.json", own):
        found = _json(given, path, ["enabledPlugins"])
        for name, on in found.items() if isinstance(found, Mapping) else ():
            if name.partition("@")[0] == NAME and on:
                return path
    return None


def _json(given: PlanInput, path: Path, keys: Sequence[str]) -> Any:
    try:
        data = given.read(path)
        found = None if data is None else jsonc.at_path(jsonc.parse(Text.of(data, "").text), keys)
    except (Broken, RemoraError):
        return None
    return None if found is None else found.plain()


def _plan(given: PlanInput, host: Host, scope: str, wanted: Collection[str], notes: list[str]) -> Plan:
    """Return the plan for the files of a scope."""
    given = given.of(scope)
    files = list(files_of(host, given.place, scope))
    place = records.place_of(given.data, host.name, scope, given.place.root)
    record = records.read(place)
    changes = []
    for path in dict.fromkeys(file.path for file in files):
        pieces = {file.part: file.piece for file in files if file.path == path}
        past = record.file(path) if record else None
        changes.append(_change(given, path, pieces, wanted, past))
    planned = {change.path for change in changes}
    others = [past for past in (record.files if record else ()) if past.path not in planned]
    changes += [_elsewhere(given, past) for past in others]
    notes += [f"{change.path}: {remark}" for change in changes for remark in change.remarks]
    left = [change.past for change in changes if change.past is not None]
    root = "" if scope == USER else str(given.place.root)
    command = " ".join(given.place.call.words)
    written = Record(host.name, scope, root, command, tuple(left)) if left else None
    return Plan(host.name, scope, given.place.root, tuple(changes), place, written)


def _change(
    given: PlanInput, path: Path, pieces: Mapping[str, Piece], wanted: Collection[str], past: Past | None
) -> Change:
    mine = {part: piece for part, piece in pieces.items() if part in wanted}
    data = given.read(path)
    try:
        return _changed(given, path, pieces, mine, past, data)
    except Broken as why:
        if not mine and NAME.encode() not in (data or b""):  # the file contains nothing of Remora
            return Change(path, tuple(pieces), data, data, None)
        raise SourceError(
            f"{path}:{why.line}:{why.column}: {why}; nothing was changed",
            hint="Fix the file and try again, or edit the entries of Remora by hand.",
        ) from None


def _changed(
    given: PlanInput,
    path: Path,
    pieces: Mapping[str, Piece],
    mine: Mapping[str, Piece],
    past: Past | None,
    data: bytes | None,
) -> Change:
    text = Text("") if data is None else Text.of(data, str(path))
    # Without a record, an installation leaves a server alone that differs from Remora's entry.
    kept = {part: past.kept(part) if past else Kept(ours=not mine) for part in pieces}
    change = Change(path, tuple(pieces), data, data, past, made=past.folders if past else ())
    fits = all(piece.right(text.text, kept[part]) for part, piece in mine.items())
    extra = [part for part in pieces if part not in mine and pieces[part].there(text.text, kept[part])]
    if mine and fits and not extra:
        return change._replace(remarks=_remarks(text, mine, kept))
    base = _without_us(pieces, past, data, text, kept)
    if not mine:
        return change._replace(after=base, past=None)
    old = Text("") if base is None else Text.of(base, str(path))
    draft = Draft(old.text)
    added = [part for part, piece in mine.items() if not piece.right(old.text, Kept())]
    for part in added:
        mine[part].add(draft)
    new_text = old._replace(text=draft.text)
    after = new_text.encoded()
    change = change._replace(remarks=_remarks(new_text, mine, kept))
    if not added:
        return change._replace(after=after, past=None)
    new = Past(
        path,
        tuple(added),
        "" if base is None else digest(base),
        digest(after),
        tuple(draft.inserted),
        _folders(given, path),
    )
    return change._replace(after=after, past=new)


def _remarks(text: Text, mine: Mapping[str, Piece], kept: Mapping[str, Kept]) -> tuple[str, ...]:
    if MCP in mine and not mine[MCP].there(text.text, kept[MCP]):
        return (f"another server has the name {NAME!r}; it was not changed",)
    return ()


def _without_us(
    pieces: Mapping[str, Piece], past: Past | None, data: bytes | None, text: Text, kept: Mapping[str, Kept]
) -> bytes | None:
    """Return the bytes of a file without Remora's parts; exactly the old bytes if the file is unchanged."""
    if data is None:
        return None
    exact, old = past.restored(data) if past is not None else (False, None)
    if exact:
        return old
    left: str | None = text.text
    for part, piece in pieces.items():
        left = None if left is None else piece.removed(left, kept[part])
    if left == text.text:
        return data
    return None if left is None else text._replace(text=left).encoded()


def _elsewhere(given: PlanInput, past: Past) -> Change:
    """Return the change of a file that an earlier installation changed and this one does not."""
    data = given.read(past.path)
    exact, old = past.restored(data)
    if exact:
        return Change(past.path, (), data, old, None, made=past.folders)
    if data is None:
        return Change(past.path, (), None, None, None)
    said = "this file changed since an earlier install: check it for entries of Remora"
    return Change(past.path, (), data, data, None, (said,))


def real_path(path: Path) -> Path:
    """Return the path that a link leads to; any other path unchanged."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _folders(given: PlanInput, path: Path) -> tuple[Path, ...]:
    """Return the parent folders of a file that exist only for Remora, the outermost first.

    They are missing, or an installation for any host created them: the last uninstallation removes them.
    """
    real = real_path(path)
    made = {folder for one in records.every(given.data) for past in one.files for folder in past.folders}
    return tuple(folder for folder in reversed(real.parents) if folder in made or not folder.exists())


def _lines(data: bytes | None) -> list[str]:
    r"""Return the lines of a file for a diff, with a note if the last has no line end.

    >>> _lines(b"a\nb")
    ['a\n', 'b\n', '\\ no line end here\n']
    """
    text = (data or b"").decode("utf-8", "replace")
    lines = text.splitlines(keepends=True) if text else []
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
        lines.append("\\ no line end here\n")
    return lines
