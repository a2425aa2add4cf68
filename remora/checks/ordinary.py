"""Test whether a check is so ordinary that nothing in it can come from external text.

A command that an agent runs after reading external text may originate there, so it is not offered to other
sessions. But `cargo fmt --check` or `bun run lint` contains nothing of that text: each of its words belongs
to the vocabulary of checks, is a plain flag, or is a path of the project that the session used. An arbitrary
name, a value, a variable, a script, or a package downloaded by its name is no such word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from remora.core.programs import CHECKS, VOCABULARY
from remora.shell.lines import bare, folder_of, parts_in, without_folder
from remora.shell.purposes import check_of, purpose_of, says_what_for

_FLAG = re.compile(r"--?[A-Za-z][a-z-]*(?:=\d+)?|--|-[A-Z]")
_EVERYTHING = frozenset((".", "./", "./..."))
_INSTALLED = re.compile(r"(?:(?:\./)?(?:\.?venv|env)/bin|(?:\./)?node_modules/\.bin)/(?P<program>[\w-]+)")
_FETCHES = frozenset("npx bunx uvx pnpx dlx pipx --with --package --from".split())
_CODE = frozenset("-c -e --eval -exec --exec".split())  # code to run follows


def places_of(paths: Iterable[str]) -> set[str]:
    """Return some files and their folders.

    >>> sorted(places_of(["web/a.ts"]))
    ['.', 'web', 'web/a.ts']
    """
    return {place for path in paths for place in (path, *map(str, PurePosixPath(path).parents))}


def is_ordinary(line: str, places: Collection[str]) -> bool:
    """Return whether all words of a command line belong to the vocabulary of checks or to the project.

    Args:
        line: in normal form, with variables and folders.
        places: files and folders of the project that the session used.

    >>> is_ordinary("cargo fmt --check && (cd web && bun run lint)", ["web"])
    True
    >>> [is_ordinary(one, ()) for one in ("make evil", "go test -exec evil .", "npx typecheck", "A=1 tox")]
    [False, False, False, False]
    """
    return all(_is_ordinary(part, places) for part in parts_in(line))


def _is_ordinary(part: str, own: Collection[str]) -> bool:
    folder, whole = folder_of(part), without_folder(part)
    words = tuple(whole.split())
    if (folder and folder not in own) or bare(whole) != whole or not check_of(words):
        return False
    program, *rest = words
    if found := _INSTALLED.fullmatch(program):
        program = found["program"]
    fetches = not _FETCHES.isdisjoint(words)
    if fetches and purpose_of((rest[0],) if rest else ()) not in CHECKS:
        return False
    known = program in VOCABULARY and _CODE.isdisjoint(words)
    return known and all(_is_known(word, folder, own) for word in rest)


def _is_known(word: str, folder: str, own: Collection[str]) -> bool:
    word = word.strip("'\"")
    path = word.removeprefix("./").removesuffix("/...").removesuffix("/")
    below = f"{folder}/{path}" if folder else path
    return (
        word in VOCABULARY
        or word in _EVERYTHING
        or below in own
        or _FLAG.fullmatch(word) is not None
        or (word.isascii() and says_what_for(word))
    )
