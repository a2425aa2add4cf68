r"""Paths of files: matched against globs of rule files, with drives of Windows, by module.

Rule files of different tools agree on little: `**/` may match no folder, `{ts,tsx}` one of several endings,
and a folder may have the name `[slug]`. A star also crosses folders here: a rule shown a little too widely
is harmless, one that never applies is lost.

`C:\w\app` of Windows is `/c/w/app` in Git Bash and `/mnt/c/w/app` in WSL, in any case. A drive is certain
only if a colon names it. Otherwise `/c` is an ordinary folder, and a backslash is part of a name; so nothing
here changes a path of a machine without drives.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from itertools import islice, product

MOST_FORMS = 64  # forms from braces and "**/"; further ones are not tried
LONGEST = 1_000  # characters of a glob; a longer one matches nothing
_INNERMOST = re.compile(r"\{([^{}]*,[^{}]*)\}")


def matches(glob: str, path: str) -> bool:
    """Return whether a glob matches a path.

    >>> matches("src/**/*.{ts,tsx}", "src/app.tsx"), matches("src/**", "src/api/auth.py")
    (True, True)
    >>> matches("app/[slug]/*", "app/[slug]/page.tsx"), matches("**/*.py", "docs/a.md")
    (True, False)
    """
    return any(test(path) for test in _tests(glob))


@lru_cache(maxsize=4_096)
def _tests(glob: str) -> tuple[Callable[[str], object], ...]:
    spelt = forms(glob) if len(glob) <= LONGEST else ()
    return tuple(re.compile(translate(form)).match for form in spelt)


def forms(glob: str) -> list[str]:
    """Return the plain forms of a glob, each once; braces are expanded first.

    >>> forms("a/**/{b,c}")
    ['a/**/b', 'a/b', 'a/**/c', 'a/c']
    """
    found: dict[str, None] = {}
    for spelt in _without_braces(glob):
        parts = spelt.split("**/")
        for between in islice(product(("**/", ""), repeat=len(parts) - 1), MOST_FORMS):
            form = "".join(part + gap for part, gap in zip(parts, (*between, ""), strict=True))
            form = form.replace("[^", "[!")
            found[form] = None
            if "[" in form:
                found[form.replace("[", "[[]")] = None
            if len(found) >= MOST_FORMS:
                return list(found)[:MOST_FORMS]
    return list(found)


def _without_braces(glob: str) -> list[str]:
    waiting, done = [glob], list[str]()
    while waiting:
        first = waiting.pop(0)
        brace = _INNERMOST.search(first)
        if brace is None or len(waiting) + len(done) >= MOST_FORMS:
            done.append(first)
            continue
        ends = first[: brace.start()], first[brace.end() :]
        waiting[:0] = [f"{ends[0]}{choice}{ends[1]}" for choice in brace[1].split(",")]
    return done


_DRIVE = re.compile(r"/?[A-Za-z]:(?:[\\/]|$)")
_MOUNTED = re.compile(r"\A/(?:mnt/)?([A-Za-z])(?=/|\Z)")


def has_drive(path: str) -> bool:
    r"""Return whether a path names its drive.

    >>> has_drive("C:\\w"), has_drive("/c/w"), has_drive("src/a.py")
    (True, False, False)
    """
    return _DRIVE.match(path) is not None


def forward(path: str) -> str:
    r"""Return a path that names its drive with forward slashes and a capital letter; others unchanged.

    >>> forward("c:\\w\\a"), forward("/C:/w"), forward("a\\b")
    ('C:/w/a', 'C:/w', 'a\\b')
    """
    if not has_drive(path):
        return path
    path = path.replace("\\", "/").lstrip("/")
    return path[0].upper() + path[1:]


def below(path: str, folder: str) -> str | None:
    """Return a path relative to a folder that contains it, "" for the folder itself, None for other paths.

    Whole parts are compared; paths on a drive in all spellings, ignoring case.

    >>> below("/w/app/a", "/w/app"), below("/w/app", "/w/app"), below("/w/app-fork", "/w/app")
    ('a', '', None)
    >>> below("/c/W/app/A", "C:/w/app"), below("D:/w", "/mnt/d"), below("/c/W", "/c/w")
    ('A', 'w', None)
    """
    if has_drive(path) or has_drive(folder):
        path, folder = (_MOUNTED.sub(r"\1:", forward(one)) for one in (path, folder))
        if path[: len(folder)].lower() == folder.lower():
            path = folder + path[len(folder) :]
    if path == folder:
        return ""
    folder = folder if folder.endswith("/") else f"{folder}/"
    return path[len(folder) :] if path.startswith(folder) else None


# Folders that only contain other folders: they say nothing about a file's purpose.
CONTAINERS = frozenset(
    """src Sources lib libs pkg packages apps app crates cmd internal services modules plugins
    components projects main java kotlin scala groovy python js ts go com org net io python3""".split()
)
MODULE_DEPTH = 2


def module_of(path: str) -> str:
    """Return the module of a file: its folders down to the second that is not in CONTAINERS.

    >>> module_of("remora/sources/git.py"), module_of("src/click/core.py"), module_of("setup.py")
    ('remora/sources', 'src/click', '.')
    >>> module_of("packages/ui/src/forms/fields/Input.tsx")
    'packages/ui/src/forms'
    """
    folders = path.split("/")[:-1]
    kept: list[str] = []
    told = 0
    for folder in folders:
        if told == MODULE_DEPTH:
            break
        kept.append(folder)
        told += folder not in CONTAINERS
    return "/".join(kept) or "."
