"""Convert lists, paths and types from callers to the form that lower layers expect."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remora.core.errors import InvalidInput
from remora.core.values import MEMORY_TYPES, Filters

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


# The MCP tools use the short names `files` and `modules`; both names are accepted everywhere.
SHORT = {"files": "related_files", "modules": "related_modules"}


def own_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a memory under their full names.

    Raises:
        InvalidInput: a field was given by both of its names.
    """
    given = dict(fields)
    for short, name in SHORT.items():
        if short in given:
            if given.get(name):
                raise InvalidInput(f"{short!r} and {name!r} are one field; give it once")
            given[name] = given.pop(short)
    return given


def listed(name: str, values: Any) -> tuple[Any, ...]:
    """Return a list as a tuple, () for None.

    Raises:
        InvalidInput: the value is no list; a single text is a common mistake.
    """
    if isinstance(values, str):
        raise InvalidInput(f"{name} must be a list of texts", hint=f"Write {name}=[{values!r:.80}].")
    if values is None:
        return ()
    if isinstance(values, bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(f"{name} must be a list of texts, not {type(values).__name__}")
    return tuple(values)


def paths(name: str, values: Any, root: Path) -> tuple[Any, ...]:
    """Return paths as git writes them: relative to the root, with forward slashes; folders end in one.

    A text that is no file of the project may name some as models do: with a line ("a.py:6"), or several
    separated by commas. Values that are no text or path, and paths outside the root, stay unchanged.

    Raises:
        InvalidInput: as for `listed`.
    """
    above = root.as_posix().rstrip("/") + "/"
    found: list[Any] = []
    for value in listed(name, values):
        plain = os.fspath(value) if isinstance(value, os.PathLike) else value
        found += _named(plain, above) if isinstance(plain, str) else [plain]
    return tuple(found)


def _named(text: str, above: str) -> list[str]:
    """Return the files that a text names below a folder; the whole text unless all of them exist there."""

    def inside(path: str) -> str:
        return path.replace("\\", "/").removeprefix("./").removeprefix(above)

    def there(path: str) -> bool:
        return (
            not path.startswith("/")
            and {"", ".", ".."}.isdisjoint(path.rstrip("/").split("/"))
            and os.path.lexists(above + path)
        )

    whole = inside(text)
    parts = [whole] if there(whole) else [inside(part.strip()) for part in text.split(",")]
    files = [part if there(part) else part.partition(":")[0] for part in parts]
    if not all(map(there, files)):
        return [whole]
    return [f"{file.rstrip('/')}/" if os.path.isdir(above + file) else file for file in files]  # noqa: PTH112


def known_types(project: OpenProject, values: Any) -> tuple[Any, ...]:
    """Return memory types to filter by, () for None.

    Known types are those of Remora, of installed methodologies, and of any stored memory.

    Raises:
        InvalidInput: as for `listed`, or a type is unknown; the hint lists the known ones.
    """
    given = listed("types", values)
    if all(kind in MEMORY_TYPES for kind in given):
        return given
    known = (*MEMORY_TYPES, *project.plugins().types())
    for kind in given:
        if kind in known or _stored(project, kind):
            continue
        raise InvalidInput(f"unknown memory type {kind!r:.60}", hint=f"The types are {', '.join(known)}.")
    return given


def _stored(project: OpenProject, kind: object) -> bool:
    if not isinstance(kind, str):
        return False
    having = Filters(types=(kind,), branch="*")
    databases = [store.db for store in project.stores()]
    return any(s.memories.find(having, include_deprecated=True, limit=1) for s in databases)


def filters_of(
    project: OpenProject,
    *,
    types: Sequence[str] | None = None,
    files: Sequence[Any] | None = None,
    modules: Sequence[str] | None = None,
    scope: str | None = None,
    branch: str | None = None,
    kinds: Sequence[str] | None = None,
    since: object = None,
    until: object = None,
    session: str | None = None,
    role: str | None = None,
) -> Filters:
    """Return validated filters from a caller's arguments; see `Memory.search`.

    Raises:
        InvalidInput: a filter is unknown.
    """
    from remora.retrieval.request import checked_filters  # `remember` alone needs no search

    return checked_filters(
        Filters(
            types=known_types(project, types),
            files=paths("files", files, project.location.root),
            modules=listed("modules", modules),
            scope=scope,
            branch=branch,
            kinds=listed("kinds", kinds),
            since=_bound("since", since, project.clock.now()),
            until=_bound("until", until, project.clock.now(), end=True),
            session=session or None,
            role=role or None,
        )
    )


def _bound(name: str, value: object, now: float, *, end: bool = False) -> str | None:
    if value is None or value == "":
        return None
    from remora.core.times import bound  # rarely needed

    try:
        return bound(value, now, end=end)
    except (ValueError, OverflowError) as error:
        hint = 'Write a date such as 2023-05-08, "8 May 2023", "May 2023" or "last week".'
        raise InvalidInput(f"{name}: {error}", hint=hint) from None


def current_branch(project: OpenProject, branch: str | None) -> str | None:
    """Return the given branch, else the one checked out."""
    from remora.app.project.locate import branch_of  # help needs no git

    return branch if branch is not None else branch_of(project.location.repository)


def file_names(files: Any, root: Path) -> tuple[str, ...]:
    """Return paths as `paths` does.

    Raises:
        InvalidInput: a value is no path.
    """
    found = paths("files", files, root)
    wrong = [one for one in found if not isinstance(one, str)]
    if wrong:
        raise InvalidInput(f"files must be a list of paths, not of {type(wrong[0]).__name__}")
    return found
