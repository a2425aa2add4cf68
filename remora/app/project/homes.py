"""Whether a home inside a repository is this user's own, or came with the repository.

A home that lies in the work tree holds a key; a receipt for that key lies in the data folder, outside of
every repository. Both are made together, when the home is. A clone has no receipt for the key it brought, so
what somebody committed is never taken for one's own memory; and what git tracks is never a home at all,
whatever key it has. A copied or moved repository keeps both.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.errors import Conflict, RemoraError
from remora.disk.files import make_folder, os_errors, read_small, write_atomic

if TYPE_CHECKING:
    from remora.sources.git import Repository

KEY = "key"  # file in the home
RECEIPTS = "homes"  # folder in the data folder
IGNORE = ".gitignore"
EVERYTHING = b"*\n"  # of the ignore file: git never sees what lies in a home
_KEY = re.compile(r"[0-9a-f]{64}")


def is_own(home: Path, repository: Repository | None, data: Path) -> bool:
    """Return whether a home in a work tree was made here by this user, and git tracks no file of it.

    Git itself is asked only when its index has changed since it was asked last: a hook must not pay for it.
    """
    receipt = _receipt(home, data)
    if receipt is None:
        return False
    if repository is None:
        return True
    stamp = _stamp(repository.common_dir / "index")  # a home lies in the main work tree
    with suppress(OSError, ValueError, RemoraError):
        if stamp and json.loads(receipt.read_text("utf-8")).get("untracked") == stamp:
            return True
    if tracked(home, repository):
        return False
    with suppress(OSError, RemoraError):  # asking again costs some milliseconds and nothing else
        write_atomic(receipt, json.dumps({"home": str(home), "untracked": stamp}).encode())
    return True


def notice(foreign: Path | None) -> str:
    """Return the line about a home that is not one's own; empty where there is none."""
    if foreign is None:
        return ""
    return (
        f"{foreign} came with the repository or from an earlier version and is not read. "
        "`remora init --import-shipped` imports its memories, unverified; if you made it yourself, "
        "`remora init --claim-home` uses it again"
    )


def is_free(home: Path) -> bool:
    """Return whether a home may be made there: nothing is there, or our ignore file alone."""
    if home.is_symlink():
        return False
    try:
        return {entry.name for entry in home.iterdir()} <= {IGNORE}
    except FileNotFoundError:
        return True
    except OSError:
        return False


def claim(home: Path, data: Path) -> None:
    """Make the key of a home and its receipt; call it for a home that is free, or that its owner claims.

    Raises:
        StoreError: one of them cannot be written.
    """
    make_folder(home)
    key = secrets.token_hex(32)
    receipts = data / RECEIPTS
    make_folder(receipts)
    receipt = receipts / _digest(key)
    # The receipt comes first: a key without one is a stranger's.
    write_atomic(receipt, json.dumps({"home": str(home)}).encode())
    try:
        descriptor = os.open(home / KEY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        receipt.unlink(missing_ok=True)  # another process was at it at the same time, or it has one
        return
    with os_errors(home / KEY, "write"), os.fdopen(descriptor, "w") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def reclaim(home: Path, repository: Repository | None, data: Path) -> None:
    """Take a home without a key of ours as one's own: an earlier version made it, or it was moved here.

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
    """Let git see nothing of a home in a work tree, whatever the repository ships as its ignore file."""
    path = home / IGNORE
    with os_errors(path, "write"):
        if path.is_symlink() or not path.is_file() or path.read_bytes() != EVERYTHING:
            if path.is_symlink():
                path.unlink()
            write_atomic(path, EVERYTHING)


def tracked(home: Path, repository: Repository) -> bool:
    """Return whether git tracks a file below a folder; where git cannot say so, it counts as tracked."""
    from remora.sources.git_process import run

    apart = not repository.bare and repository.git_dir != repository.common_dir
    main = repository.common_dir.parent if apart else repository.root
    done = run(main, "ls-files", "-z", "--", str(home))
    return done.returncode != 0 or bool(done.stdout)


def _receipt(home: Path, data: Path) -> Path | None:
    if home.is_symlink():
        return None
    try:
        key = (read_small(home / KEY, 200) or b"").decode("ascii").strip()
    except (RemoraError, UnicodeDecodeError):
        return None
    receipt = data / RECEIPTS / _digest(key)
    return receipt if _KEY.fullmatch(key) and receipt.is_file() else None


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def _stamp(index: Path) -> list[int]:
    try:
        found = index.stat()
    except OSError:
        return []
    return [found.st_mtime_ns, found.st_size, found.st_ino]
