"""Write files so that a crash leaves the old bytes or the new ones, with clear errors.

Three guarantees, one per function:

- `write_atomic` replaces a whole file: temporary file in the same folder, fsync, rename, fsync of the
  folder. A reader sees the old text or the new text, never a part. A later process removes the temporary
  file of a killed one (`leftovers`).
- `append_line` adds whole lines. An unfinished line left by a crash is ended first, so that it never
  swallows the new one; a failed write is undone. When it returns, the bytes are on the disk. The name of
  a new file is made durable before its first byte, so a file with content survives a power cut.
- `lock` lets one thread of one process at a time change a file. It is advisory: it binds only those who
  take it.

New files are 0600 and new folders 0700; the mode of an existing file is kept.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakValueDictionary

from remora.core.errors import RemoraError, StoreBusy, StoreError, StoreFull, StoreReadOnly
from remora.core.text import sound
from remora.disk.leftovers import temporary_in

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_SUFFIX = ".lock"
SMALL = 65_536  # bytes of a settings file at most

OUT_OF_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}
_BINARY = getattr(os, "O_BINARY", 0)
_WAIT = 0.002  # seconds; short, so that a busy writer starves nobody


def error_of(error: OSError, path: Path, doing: str) -> RemoraError:
    """Translate an operating system error for a file."""
    what = f"cannot {doing} {path}: {error.strerror or error}"
    if error.errno in OUT_OF_ROOM:
        return StoreFull(what, hint="Free some space (or raise the limit) and try again.")
    if error.errno in _FORBIDDEN:
        kind = StoreError if doing == "read" else StoreReadOnly
        return kind(what, hint="Check who owns the file and its folder, and their permissions.")
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return StoreError(what, hint="A file exists where a folder is needed; move it away.")
    return StoreError(what, hint="`remora doctor` checks the data folder.")


@contextmanager
def os_errors(path: Path, doing: str) -> Iterator[None]:
    """Translate every OSError of the block; `doing` is its verb."""
    try:
        yield
    except OSError as error:
        raise error_of(error, path, doing) from error


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents, 0700, durably. Existing ones are unchanged.

    Raises:
        StoreError: the folder cannot be created, or a file has its name.
    """
    with os_errors(path, "make the folder"):
        if path.is_dir():
            return
        if path.parent != path:
            make_folder(path.parent)
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            if not path.is_dir():
                raise
        else:
            sync_folder(path.parent)


def read_small(path: Path, limit: int = SMALL, *, links: bool = False) -> bytes | None:
    """Return the bytes of a small regular file; None if it does not exist.

    It never blocks, though a repository may hold a pipe, or a link to a device. Links are followed if `links`
    is set.

    Raises:
        StoreError: it is no regular file, is larger than the limit, or cannot be read.
    """
    flags = os.O_RDONLY | _BINARY | getattr(os, "O_NONBLOCK", 0)
    flags |= 0 if links else getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoreError(f"{path} is a link") from None
        raise error_of(error, path, "read") from error
    try:
        with os_errors(path, "read"):
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise StoreError(f"{path} is not a regular file")
            if found.st_size > limit:
                raise StoreError(f"{path} has more than {limit:,} bytes")
            return os.read(descriptor, limit + 1)[:limit]
    finally:
        os.close(descriptor)


def keep_to_oneself(path: Path) -> None:
    """Make one of Remora's folders private to its owner.

    Raises:
        StoreReadOnly: it belongs to another user.
    """
    if sys.platform == "win32":
        return
    with os_errors(path, "protect"):
        found = path.stat()
        if found.st_uid not in (os.geteuid(), 0) and os.geteuid() != 0:
            raise StoreReadOnly(
                f"{path} belongs to another user", hint="Set REMORA_HOME to a folder that you own."
            )
        if found.st_mode & 0o077 and found.st_uid == os.geteuid():
            path.chmod(0o700)


def write_atomic(path: Path, data: bytes | str, *, still: Callable[[], bool] | None = None) -> bool:
    """Replace a file's content durably; after a crash at any point the file is the old or the new one.

    Text is written as UTF-8 with its line ends unchanged. A symbolic link is followed, so that its target
    changes and the link stays. Missing folders are created. `still` decides at the last moment whether to
    replace it; returns whether it was.

    Raises:
        StoreFull: no room; the old file is untouched.
        StoreReadOnly: no permission; the old file is untouched.
        StoreError: any other error of the operating system.
    """
    content = data if isinstance(data, bytes) else sound(data).encode()
    with os_errors(path, "write"):
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        if target.exists() and not os.access(target, os.W_OK):
            # A rename would get past the permission that somebody set on the file.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        make_folder(target.parent)
        temporary = temporary_in(target.parent)
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
            try:
                with suppress(FileNotFoundError):
                    temporary.chmod(target.stat().st_mode & 0o7777)
                _write(descriptor, content)
                _sync(descriptor)
            finally:
                os.close(descriptor)
            if still is not None and not still():
                temporary.unlink()
                return False
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(target.parent)
    return True


def write_over(path: Path, data: bytes | str, before: bytes | None) -> bool:
    """Replace a file's content as `write_atomic` does, unless somebody else changed it.

    The new text is on the disk before the old one is compared, so only the rename follows the comparison. A
    text saved into the old file in between is detected and restored.

    Args:
        path: the file.
        data: its new content.
        before: its content when `data` was made; None if it did not exist.

    Returns:
        Whether it was replaced.

    Raises:
        StoreError: as for `write_atomic`.
    """
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    old = None

    def unchanged() -> bool:
        nonlocal old
        if before is not None:
            with suppress(OSError):  # not every file system has a second name for a file
                name = temporary_in(target.parent)
                os.link(target, name)
                old = name
        return _content(target) == before

    try:
        if not write_atomic(path, data, still=unchanged):
            return False
        if old is not None and _content(old) != before:
            old.replace(target)
            return False
    finally:
        if old is not None:
            with suppress(OSError):
                old.unlink()
    return True


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def append_line(path: Path, data: bytes | str) -> None:
    """Append one or more whole lines durably.

    A missing line end is added at the end of `data`, and at the end of the file before it. Call it under
    `lock(path)`: only a single writer can undo a failed write.

    Raises:
        StoreFull: no room; nothing was appended.
        StoreReadOnly: no permission; nothing was appended.
        StoreError: any other error of the operating system.
    """
    content = data if isinstance(data, bytes) else sound(data).encode()
    if not content.endswith(b"\n"):
        content += b"\n"
    with os_errors(path, "append to"):
        make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o600)
        try:
            before = os.fstat(descriptor).st_size
            if before == 0:
                sync_folder(path.parent)
            elif not _ends_a_line(descriptor, before):
                content = b"\n" + content
            try:
                _write(descriptor, content)
                _sync(descriptor)
            except BaseException:
                # Only our own bytes may go: had another writer without the lock, the file would be longer.
                with suppress(OSError):
                    if os.fstat(descriptor).st_size <= before + len(content):
                        os.ftruncate(descriptor, before)
                raise
        finally:
            os.close(descriptor)


def finish_last_line(path: Path) -> bool:
    """End a last line left unfinished by a crash; return whether there was one.

    Call it under `lock(path)`. It is durable with the next `append_line`.
    """
    with os_errors(path, "append to"):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)
        except FileNotFoundError:
            return False
        try:
            if _ends_a_line(descriptor, os.fstat(descriptor).st_size):
                return False
            _write(descriptor, b"\n")
            return True
        finally:
            os.close(descriptor)


def _ends_a_line(descriptor: int, size: int) -> bool:
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def _write(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


# The locks among the threads of one process, because some file systems lock by process.
_held: WeakValueDictionary[tuple[int, str], threading.Lock] = WeakValueDictionary()
_held_guard = threading.Lock()


@contextmanager
def lock(path: Path, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock of a file, among all threads and processes that take it.

    The lock is on a sibling named `<file>.lock`, which is created if missing and never removed (removing it
    would let two holders in). It is not reentrant, and it ends with its process, however that dies.

    Args:
        path: the file to guard; it need not exist.
        timeout: seconds to wait; 0 tries once.

    Raises:
        StoreBusy: another holder kept it for the whole time.
        StoreReadOnly: the lock file cannot be created or opened.
    """
    deadline = time.monotonic() + timeout
    # The process id is part of the key: after a fork no thread is left to release what was held.
    key = (os.getpid(), os.path.abspath(path))  # noqa: PTH100 - a Path has no such call
    with _held_guard:
        held = _held.setdefault(key, threading.Lock())
    if not held.acquire(timeout=max(0.0, timeout)):
        raise _busy(path, timeout)
    try:
        with os_errors(path, "lock"):
            make_folder(path.parent)
            descriptor = os.open(path.with_name(path.name + LOCK_SUFFIX), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _wait_for(descriptor, path, deadline, timeout)
            try:
                yield
            finally:
                _unlock(descriptor)
        finally:
            os.close(descriptor)
    finally:
        held.release()


def _wait_for(descriptor: int, path: Path, deadline: float, timeout: float) -> None:
    while True:
        with os_errors(path, "lock"):
            if _try_lock(descriptor):
                return
        if time.monotonic() >= deadline:
            raise _busy(path, timeout)
        time.sleep(_WAIT)


def _busy(path: Path, timeout: float) -> StoreBusy:
    return StoreBusy(
        f"{path} is in use: another writer held its lock for {timeout:g} s",
        hint="Try again. If the lock remains, look for a process that hangs during a write.",
    )


if sys.platform == "win32":

    def _sync(descriptor: int) -> None:
        os.fsync(descriptor)

    def sync_folder(folder: Path) -> None:
        """Do nothing: Windows keeps names in its own journal and has no call to flush them."""

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _sync(descriptor: int) -> None:
        """Flush the bytes to the disk itself: on macOS fsync stops at the drive's cache."""
        full = getattr(fcntl, "F_FULLFSYNC", None)
        if full is not None:
            with suppress(OSError):  # a drive or a share that does not know the call
                fcntl.fcntl(descriptor, full)
                return
        os.fsync(descriptor)

    def sync_folder(folder: Path) -> None:
        """Make the names in a folder durable."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
