"""Files are written whole or not at all, appended durably, and changed by one at a time."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remora.core.errors import StoreBusy, StoreError, StoreFull
from remora.disk.files import append_line, finish_last_line, lock, make_folder, write_atomic
from remora.disk.leftovers import STALE_SECONDS, TEMP_PREFIX
from tests.processes import output_of, started

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and limits")
HEAD = """
import os
from pathlib import Path

folder = Path({folder!r})

def give_up_powers():
    os.chdir(folder)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

"""


def child(script: str, folder: Path) -> subprocess.Popen[str]:
    """Start a Python process on a script that knows `folder`, and how to be no superuser."""
    return started(HEAD.format(folder=str(folder)) + textwrap.dedent(script))


def printed(script: str, folder: Path) -> str:
    """Run such a script to its end and return what it printed."""
    return output_of(child(script, folder))


def mode(path: Path) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    """Return what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


@posix
def test_new_files_and_folders_are_private(tmp_path: Path) -> None:
    """A file is 0600 and a folder made for it 0700, whoever makes them; others stay as they are."""
    write_atomic(tmp_path / "a" / "b" / "c.md", "x")
    append_line(tmp_path / "d" / "e.jsonl", "x")
    with lock(tmp_path / "f" / "g"):
        pass
    files = ["a/b/c.md", "d/e.jsonl", "f/g.lock"]
    assert [mode(tmp_path / name) for name in files] == [0o600] * 3
    assert [mode(tmp_path / name) for name in ("a", "a/b", "d", "f")] == [0o700] * 4
    (tmp_path / "a").chmod(0o755)
    make_folder(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o755


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    """A folder that cannot be made is an error of ours that names it."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(StoreError, match="taken"):
        make_folder(tmp_path / "taken")
    with pytest.raises(StoreError, match="taken"):
        write_atomic(tmp_path / "taken" / "x", b"")


def test_write_atomic_writes_bytes_and_text_as_they_are(tmp_path: Path) -> None:
    """Line ends stay, text is UTF-8, half a sign becomes U+FFFD, and nothing else is left behind."""
    write_atomic(tmp_path / "b", b"\x00\xff\r\n")
    write_atomic(tmp_path / "t", "a\r\nb\né\ud83d")
    assert (tmp_path / "b").read_bytes() == b"\x00\xff\r\n"
    assert (tmp_path / "t").read_bytes() == "a\r\nb\né\ufffd".encode()
    assert names(tmp_path) == ["b", "t"]


@posix
def test_write_atomic_keeps_mode_and_link(tmp_path: Path) -> None:
    """Replacing a file leaves its permissions, and a symbolic link in its place stays a link."""
    target, link = tmp_path / "target.md", tmp_path / "link.md"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert mode(target) == 0o640


@posix
def test_a_failed_replacement_leaves_the_old_file(tmp_path: Path) -> None:
    """Where the system stops a write in the middle the old content stays and no temporary file does."""
    (tmp_path / "m").write_text("old")
    out = printed(
        """
        import resource
        from remora.disk.files import write_atomic
        from remora.core.errors import StoreFull
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_atomic(folder / "m", b"x" * 5000)
        except StoreFull as error:
            print(type(error).__name__, error.retryable, bool(error.hint))
        """,
        tmp_path,
    )
    assert out == "StoreFull True True"
    assert (tmp_path / "m").read_text() == "old"
    assert names(tmp_path) == ["m"]


@posix
def test_killed_replacements_leave_one_whole_version(tmp_path: Path) -> None:
    """A process killed while it replaces a file leaves the old or the new content, never a mixture."""
    path = tmp_path / "m"
    writer = """
        from remora.disk.files import write_atomic
        print("ready", flush=True)
        while True:
            for letter in (b"a", b"b"):
                write_atomic(folder / "m", letter * 1_000_000)
    """
    for delay in (0.0, 0.004, 0.013, 0.031):
        process = child(writer, tmp_path)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.02 + delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        content = path.read_bytes() if path.exists() else b"a" * 1_000_000
        assert len(content) == 1_000_000
        assert len(set(content)) == 1
    left = [name for name in names(tmp_path) if name != "m"]
    assert all(name.startswith(TEMP_PREFIX) for name in left)
    long_ago = time.time() - 2 * STALE_SECONDS
    for name in left:
        os.utime(tmp_path / name, (long_ago, long_ago))
    write_atomic(path, "mended")
    assert names(tmp_path) == ["m"]


@posix
def test_a_read_only_folder_and_file(tmp_path: Path) -> None:
    """Without permission every writing function says so, and what is there stays as it is."""
    (tmp_path / "fixed").write_text("fixed")
    (tmp_path / "fixed").chmod(0o444)
    work = tmp_path / "open"
    work.mkdir()
    (work / "m").write_text("mine")
    (work / "m").chmod(0o444)
    for path in (tmp_path, work, work / "m", tmp_path / "fixed"):
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
    tmp_path.chmod(0o555)
    try:
        out = printed(
            """
            from remora.core.errors import StoreReadOnly
            from remora.disk.files import append_line, finish_last_line, lock, make_folder, write_atomic

            def locked():
                with lock(Path("fixed")):
                    pass

            give_up_powers()
            for act in (
                lambda: write_atomic(Path("new"), b"x"),
                lambda: write_atomic(Path("open/m"), b"x"),
                lambda: append_line(Path("fixed"), b"x"),
                lambda: append_line(Path("new"), b"x"),
                lambda: finish_last_line(Path("fixed")),
                lambda: make_folder(Path("sub")),
                locked,
            ):
                try:
                    act()
                    print("wrote")
                except StoreReadOnly:
                    print("refused")
            """,
            tmp_path,
        )
    finally:
        tmp_path.chmod(0o755)
    assert out.split() == ["refused"] * 7
    assert (tmp_path / "fixed").read_text() == "fixed"
    assert (work / "m").read_text() == "mine"


def test_append_line_adds_the_line_ends_that_are_missing(tmp_path: Path) -> None:
    """Lines end in one line feed, given or not, as does one that a crash left; several go in as they are."""
    path = tmp_path / "log"
    path.write_bytes(b"whole\nhal")
    append_line(path, "one")
    append_line(path, b"two\nthree\n")
    append_line(path, "é")
    assert path.read_bytes() == "whole\nhal\none\ntwo\nthree\né\n".encode()


def test_finish_last_line(tmp_path: Path) -> None:
    """It ends an unfinished line, and does nothing to a finished, an empty or a missing file."""
    path = tmp_path / "log"
    assert not finish_last_line(path)
    assert not path.exists()
    path.touch()
    assert not finish_last_line(path)
    path.write_bytes(b"half")
    assert finish_last_line(path)
    assert not finish_last_line(path)
    assert path.read_bytes() == b"half\n"


@posix
def test_an_append_that_does_not_fit_is_taken_back(tmp_path: Path) -> None:
    """When the disk is full in the middle of a line the file is as it was, and says StoreFull."""
    path = tmp_path / "log"
    append_line(path, "first")
    out = printed(
        """
        import resource
        from remora.disk.files import append_line
        from remora.core.errors import StoreFull
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        append_line(folder / "log", b"second")
        try:
            append_line(folder / "log", b"x" * 5000)
        except StoreFull:
            print("full")
        append_line(folder / "log", b"third")
        """,
        tmp_path,
    )
    assert out == "full"
    assert path.read_bytes() == b"first\nsecond\nthird\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_device(tmp_path: Path) -> None:
    """The system's 'no space left' is StoreFull."""
    (tmp_path / "log").symlink_to("/dev/full")
    with pytest.raises(StoreFull, match="append to"):
        append_line(tmp_path / "log", "x")


@posix
def test_nothing_is_promised_before_the_disk_has_it(tmp_path: Path) -> None:
    """Content is synced before its name is given or the call returns, a new name before or after it."""
    out = printed(
        """
        import stat
        from remora.disk.files import append_line, write_atomic

        done, sync, write, replace = [], os.fsync, os.write, os.replace

        def recorded_sync(descriptor):
            is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            done.append("sync-folder" if is_folder else "sync-file")
            sync(descriptor)

        def recorded_write(descriptor, data):
            done.append("write")
            return write(descriptor, data)

        def recorded_replace(*names):
            done.append("rename")
            replace(*names)

        os.fsync, os.write, os.replace = recorded_sync, recorded_write, recorded_replace
        append_line(folder / "log", b"first")
        print(*done)
        done.clear()
        append_line(folder / "log", b"second")
        print(*done)
        done.clear()
        write_atomic(folder / "sub" / "whole", b"x")
        print(*done)
        """,
        tmp_path,
    )
    assert out.splitlines() == [
        "sync-folder write sync-file",
        "write sync-file",
        "sync-folder write sync-file rename sync-folder",
    ]


def test_lock_keeps_threads_apart(tmp_path: Path) -> None:
    """Threads of one process that take the lock never overlap."""
    inside: list[int] = []
    overlaps: list[int] = []

    def work(_: int) -> None:
        for _ in range(20):
            with lock(tmp_path / "f"):
                inside.append(1)
                if len(inside) > 1:
                    overlaps.append(1)
                time.sleep(0.0002)
                inside.pop()

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(work, range(5)))
    assert overlaps == []


def test_lock_binds_other_processes_and_ends_with_its_holder(tmp_path: Path) -> None:
    """Nobody waits longer than said; a killed process, or an error in the block, lets go of the lock."""
    process = child(
        """
        import time
        from remora.disk.files import lock
        with lock(folder / "f"):
            print("held", flush=True)
            time.sleep(60)
        """,
        tmp_path,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    begun = time.monotonic()
    with pytest.raises(StoreBusy) as caught, lock(tmp_path / "f", timeout=0.1):
        pass
    assert 0.1 <= time.monotonic() - begun < 5
    assert caught.value.retryable
    process.kill()
    process.communicate()
    with lock(tmp_path / "f", timeout=5), lock(tmp_path / "g", timeout=0):
        pass
    with pytest.raises(ValueError, match="mine"), lock(tmp_path / "f"):
        raise ValueError("mine")
    busy = pytest.raises(StoreBusy, match="f is in use")
    with lock(tmp_path / "f"), busy, lock(tmp_path / "f", timeout=0.05):
        pass
    assert names(tmp_path) == ["f.lock", "g.lock"]
