"""Tell a user's own home inside a repository from one that came with the repository.

A home in the work tree holds a key; a receipt for that key lies in the data folder, outside of every
repository. Both are created with the home. A clone has no receipt for the key it brought, so a committed
home is never taken for the user's own; and a folder with files tracked by git is never a home, whatever its
key. A copied or moved repository keeps both.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.errors import Conflict, RemoraError
from remora.disk.files import make_folder, os_errors, read_small, write_atomic

if TYPE_CHECKING:
    from remora.sources.git import Repository

KEY = "key"  # file in the home
RECEIPTS = "homes"  # folder in the data folder
IGNORE = ".gitignore"
EVERYTHING = b"*\n"  # content of the ignore file: git never sees the files of a home
_KEY = re.compile(r"[0-9a-f]{64}")


def is_own(home: Path, repository: Repository | None, data: Path) -> bool:
    """Return whether this user created a home in a work tree here, and git tracks no file of it."""
    return _has_receipt(home, data) and not (repository is not None and tracked(home, repository))


def notice(foreign: Path | None) -> str:
    """Return the notice about a home that is not the user's own; empty for None."""
    if foreign is None:
        return ""
    return (
        f"{foreign} came with the repository or from an earlier version and is not read. "
        "`remora init --import-shipped` imports its memories, unverified; if you made it yourself, "
        "`remora init --claim-home` uses it again"
    )


def is_free(home: Path) -> bool:
    """Return whether a home may be created: the folder is missing, or holds only our ignore file."""
    if home.is_symlink():
        return False
    try:
        return {entry.name for entry in home.iterdir()} <= {IGNORE}
    except FileNotFoundError:
        return True
    except OSError:
        return False


def claim(home: Path, data: Path) -> None:
    """Create the key of a home and its receipt, for a home that is free or that its owner claims.

    Raises:
        StoreError: one of them cannot be written.
    """
    make_folder(home)
    key = secrets.token_hex(32)
    receipts = data / RECEIPTS
    make_folder(receipts)
    receipt = receipts / _digest(key)
    # The receipt comes first: a key without a receipt counts as foreign.
    write_atomic(receipt, json.dumps({"home": str(home)}).encode())
    try:
        descriptor = os.open(home / KEY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        receipt.unlink(missing_ok=True)  # another process was faster, or the home has a key
        return
    with os_errors(home / KEY, "write"), os.fdopen(descriptor, "w") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def reclaim(home: Path, repository: Repository | None, data: Path) -> None:
    """Claim a home without a key of ours: an earlier version created it, or it was moved here.

    Raises:
        Conflict: git tracks files in it, or it is a link.
        StoreError: the key cannot be written.
    """
    if home.is_symlink() or (repository is not None and tracked(home, repository)):
        raise Conflict(
            f"{home} came with the repository: git tracks files in it",
            hint="`remora init --import-shipped` imports its memories, unverified.",
        )
    with os_errors(home / KEY, "remove"):
        (home / KEY).unlink(missing_ok=True)
    claim(home, data)
    ignore_all(home)


def ignore_all(home: Path) -> None:
    """Write an ignore file that hides a home in a work tree from git, in place of any other."""
    path = home / IGNORE
    with os_errors(path, "write"):
        if path.is_symlink() or not path.is_file() or path.read_bytes() != EVERYTHING:
            if path.is_symlink():
                path.unlink()
            write_atomic(path, EVERYTHING)


def tracked(home: Path, repository: Repository) -> bool:
    """Return whether git tracks a file below a folder; if git fails, it counts as tracked."""
    from remora.sources.git_process import run

    apart = not repository.bare and repository.git_dir != repository.common_dir
    main = repository.common_dir.parent if apart else repository.root
    done = run(main, "ls-files", "-z", "--", str(home))
    return done.returncode != 0 or bool(done.stdout)


def _has_receipt(home: Path, data: Path) -> bool:
    if home.is_symlink():
        return False
    try:
        key = (read_small(home / KEY, 200) or b"").decode("ascii").strip()
    except (RemoraError, UnicodeDecodeError):
        return False
    return _KEY.fullmatch(key) is not None and (data / RECEIPTS / _digest(key)).is_file()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]
