"""The words that a revert took out of its files: an edit that brings them back repeats what was reverted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from remora.core.secrets import redact
from remora.core.text import STOP_WORDS
from remora.core.triggers import CODE_WORD, read_edit
from remora.sources.git_process import run, text

FILES, WORDS, LONGEST = 4, 12, 32  # that are read of one revert; words of one, and characters of a word
# Unlike `show` and `diff`, `diff-tree` does not depend on the user's display settings.
_PATCH = ("diff-tree", "-p", "-U0", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv")


def taken_out(folder: Path, sha: str, files: Sequence[str]) -> tuple[str, ...]:
    """Return the words of code that a commit removed and its files no longer contain, in order.

    Function words count only if there are no others, and a patch with a secret has none.

    Args:
        folder: of the repository.
        sha: the commit.
        files: the paths that it changed; the first few are read, as they are in the checked-out commit.

    Raises:
        SourceError: git is not installed, or took too long.
    """
    patch = run(folder, *_PATCH, sha, "--", *files[:FILES])
    if patch.returncode or not files:
        return ()
    lines = text(patch.stdout).split("\n")
    removed = "\n".join(line[1:] for line in lines if line[:1] == "-" and line[:3] != "---")
    if redact(removed).redactions:
        return ()  # what was taken out may be the secret itself
    code = "\n".join(read_edit(files[0], removed, "").added)  # without comments
    found = dict.fromkeys(word for word in CODE_WORD.findall(code) if len(word) <= LONGEST)
    kept: set[str] = set()
    for path in files[:FILES]:
        kept.update(CODE_WORD.findall(text(run(folder, "show", f"HEAD:{path}").stdout)))
    gone = [word for word in found if word not in kept]
    telling = [word for word in gone if word.lower() not in STOP_WORDS]
    return tuple(telling or gone)[:WORDS]
