"""The words that a revert took out of its files: an edit that brings them back repeats what was reverted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from remora.core.triggers import CODE_WORD
from remora.sources.git_log import text
from remora.sources.git_process import run

FILES, WORDS, LONGEST = 4, 12, 32  # that are read of one revert; words of one, and characters of a word
# Unlike `show` and `diff`, `diff-tree` does not depend on the user's display settings.
_PATCH = ("diff-tree", "-p", "-U0", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv")


def taken_out(folder: Path, sha: str, files: Sequence[str]) -> tuple[str, ...]:
    """Return the words that a commit removed and its files no longer contain, in order.

    Args:
        folder: of the repository.
        sha: the commit.
        files: the paths that it changed; the first few are read, as they are in the checked-out commit.

    Raises:
        SourceError: git is not installed, or took too long.
    """
    patch = run(folder, *_PATCH, sha, "--", *files[:FILES])
    if patch.returncode:
        return ()
    removed = (line[1:] for line in text(patch.stdout).split("\n") if line[:1] == "-" and line[:3] != "---")
    found = dict.fromkeys(
        word for line in removed for word in CODE_WORD.findall(line) if len(word) <= LONGEST
    )
    kept: set[str] = set()
    for path in files[:FILES]:
        kept.update(CODE_WORD.findall(text(run(folder, "show", f"HEAD:{path}").stdout)))
    return tuple(word for word in found if word not in kept)[:WORDS]
