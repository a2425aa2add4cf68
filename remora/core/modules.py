"""The module of a file, by its path alone."""

from __future__ import annotations

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
