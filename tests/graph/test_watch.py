"""Changes to real files are told in sets, and nothing else is."""

from __future__ import annotations

import os
import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import watchfiles

from remora.core.errors import SourceError
from remora.graph import watch as module
from remora.graph.watch import watch

QUICK = 60  # milliseconds
PATIENCE = 5.0  # seconds; a busy machine may take them


class Watcher:
    """A watch in a thread, with what it has told so far."""

    def __init__(self, root: Path, wanted: Callable[[str], bool], **options: object) -> None:
        self.sets: queue.Queue[set[str]] = queue.Queue()
        self.stop = threading.Event()
        self.error: Exception | None = None
        self.root = root
        self.thread = threading.Thread(target=self.run, args=(wanted, options))
        self.thread.start()

    def run(self, wanted: Callable[[str], bool], options: dict[str, object]) -> None:
        """Collect sets until the end."""
        try:
            for found in watch(self.root, debounce_ms=QUICK, stop=self.stop, wanted=wanted, **options):  # type: ignore[arg-type]
                self.sets.put(found)
        except SourceError as error:
            self.error = error

    def until(self, *paths: str) -> set[str]:
        """Return all that was told until these paths were among it."""
        told: set[str] = set()
        while not told.issuperset(paths):
            told |= self.sets.get(timeout=PATIENCE)
        return told


@contextmanager
def watching(
    root: Path, wanted: Callable[[str], bool] = lambda _: True, **options: object
) -> Iterator[Watcher]:
    """Watch a folder; it has begun when a first file was told of."""
    watcher = Watcher(root, wanted, **options)
    try:
        deadline = time.monotonic() + PATIENCE
        while watcher.sets.empty() and time.monotonic() < deadline:
            (root / "begin.py").write_text(str(time.monotonic()))
            time.sleep(0.02)
        watcher.until("begin.py")
        time.sleep(2 * QUICK / 1000)
        while not watcher.sets.empty():
            watcher.sets.get()
        yield watcher
    finally:
        watcher.stop.set()
        watcher.thread.join(PATIENCE)
        assert not watcher.thread.is_alive()


def test_what_is_written_made_moved_and_deleted(tmp_path: Path) -> None:
    """Each is told by its path from the root, in one set when it happens at once."""
    (tmp_path / "sub").mkdir()
    for name in ("a.py", "sub/b.py", "c.py"):
        (tmp_path / name).write_text("1")
    with watching(tmp_path) as watcher:
        (tmp_path / "a.py").write_text("2")
        (tmp_path / "sub" / "b.py").unlink()
        (tmp_path / "c.py").rename(tmp_path / "d.py")
        (tmp_path / "sub" / "new").mkdir()
        told = watcher.until("a.py", "sub/b.py", "c.py", "d.py")
        assert told >= {"a.py", "sub/b.py", "c.py", "d.py"}
        time.sleep(2 * QUICK / 1000)
        (tmp_path / "sub" / "new" / "e.py").write_text("1")  # a folder that was not there at first
        watcher.until("sub/new/e.py")


def test_what_is_not_wanted_is_not_told(tmp_path: Path) -> None:
    """Git's own files, tools' folders and what the caller refuses stay out."""
    for folder in (".git", "node_modules/x", "src"):
        (tmp_path / folder).mkdir(parents=True)
    with watching(tmp_path, lambda path: path.endswith(".py")) as watcher:
        (tmp_path / ".git" / "HEAD").write_text("ref: x")
        (tmp_path / ".git" / "hook.py").write_text("1")
        (tmp_path / "node_modules" / "x" / "a.py").write_text("1")
        (tmp_path / "src" / "a.log").write_text("1")
        (tmp_path / "src" / "a.py").write_text("1")
        assert watcher.until("src/a.py") == {"src/a.py"}


def test_changes_that_go_on_are_one_set(tmp_path: Path) -> None:
    """A file that is written again and again is told once it rests."""
    with watching(tmp_path) as watcher:
        for i in range(8):
            (tmp_path / f"f{i}.py").write_text("1")
            time.sleep(QUICK / 1000 / 6)
        watcher.until(*(f"f{i}.py" for i in range(8)))
        assert watcher.sets.qsize() <= 1


def test_a_folder_that_moves(tmp_path: Path) -> None:
    """Its old place is told by itself, the files in its new place one by one."""
    (tmp_path / "old" / "deep").mkdir(parents=True)
    (tmp_path / "old" / "node_modules").mkdir()
    for name in ("old/a.py", "old/deep/b.py", "old/c.log", "old/node_modules/d.py"):
        (tmp_path / name).write_text("1")
    with watching(tmp_path, lambda path: path.endswith(".py")) as watcher:
        (tmp_path / "old").rename(tmp_path / "new")
        assert watcher.until("old", "new/a.py") == {"old", "new/a.py", "new/deep/b.py"}


def test_polling_tells_the_same(tmp_path, monkeypatch):
    """Looking at the files again and again finds changes too."""
    monkeypatch.setattr(module, "POLL_MS", 50)
    (tmp_path / "a.py").write_text("1")
    os.utime(tmp_path / "a.py", (1, 1))  # times are compared in whole seconds
    with watching(tmp_path, poll=True) as watcher:
        (tmp_path / "a.py").write_text("22")
        watcher.until("a.py")


def test_without_room_it_polls_and_says_so(tmp_path, monkeypatch):
    """When the system has too few handles the watch goes on by polling."""
    monkeypatch.setattr(module, "POLL_MS", 50)
    real = watchfiles.watch

    def limited(*paths, **options):
        if not options["force_polling"]:
            raise OSError("OS file watch limit reached. about [/p]")
        return real(*paths, **options)

    monkeypatch.setattr(watchfiles, "watch", limited)
    said: list[str] = []
    with watching(tmp_path, say=said.append) as watcher:
        (tmp_path / "a.py").write_text("1")
        watcher.until("a.py")
    assert len(said) == 1
    assert "max_user_watches" in said[0]


def test_another_refusal_is_an_error(tmp_path, monkeypatch):
    """What polling would not help is told to the caller."""

    def broken(*paths, **options):
        raise RuntimeError("error in underlying watcher")

    monkeypatch.setattr(watchfiles, "watch", broken)
    with pytest.raises(SourceError, match="underlying watcher"):
        next(watch(tmp_path, stop=threading.Event(), wanted=lambda _: True))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """It cannot be watched, and one that goes away ends the watch with an error."""
    with pytest.raises(SourceError, match="not a folder"):
        next(watch(tmp_path / "no", stop=threading.Event(), wanted=lambda _: True))
    root = tmp_path / "root"
    root.mkdir()
    with watching(root) as watcher:
        shutil.rmtree(root)
        watcher.thread.join(PATIENCE)
        assert watcher.error is not None
        assert "was deleted" in str(watcher.error)


def test_it_stops_when_it_is_told_to(tmp_path: Path) -> None:
    """The end comes soon, also when nothing changes, and through a linked folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with watching(tmp_path / "link") as watcher:
        (tmp_path / "real" / "a.py").write_text("1")
        watcher.until("a.py")
        start = time.monotonic()
        watcher.stop.set()
        watcher.thread.join(PATIENCE)
        assert time.monotonic() - start < 2.0
