"""Changes to real files are told in sets, and nothing else is."""

from __future__ import annotations

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
from remora.graph.watch import watch

QUICK = 60  # milliseconds
PATIENCE = 5.0  # seconds; a busy machine may take them


class Watcher:
    """A watch in a thread, with what it has told so far."""

    def __init__(self, root: Path, wanted: Callable[[str], bool]) -> None:
        self.sets: queue.Queue[set[str]] = queue.Queue()
        self.stop = threading.Event()
        self.error: Exception | None = None
        self.root = root
        self.thread = threading.Thread(target=self.run, args=(wanted,))
        self.thread.start()

    def run(self, wanted: Callable[[str], bool]) -> None:
        """Collect sets until the end."""
        try:
            for found in watch(self.root, debounce_ms=QUICK, stop=self.stop, wanted=wanted):
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
def watching(root: Path, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Watcher]:
    """Watch a folder; it has begun when a first file was told of."""
    watcher = Watcher(root, wanted)
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


def test_a_folder_that_moves(tmp_path: Path) -> None:
    """Its old and its new place are told, whatever their names; a change of its rights is nothing."""
    for folder in ("old", "still"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("1")
    with watching(tmp_path, lambda path: "." not in path or path.endswith(".py")) as watcher:
        (tmp_path / "still").chmod(0o700)
        (tmp_path / "old").rename(tmp_path / "new.d")
        assert watcher.until("old", "new.d") == {"old", "new.d"}


@pytest.mark.parametrize("error", [OSError("OS file watch limit reached."), RuntimeError("no watcher")])
def test_a_refusal_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """It is an error that says what helps."""

    def refused(*_: object, **__: object) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        raise error

    monkeypatch.setattr(watchfiles, "watch", refused)
    with pytest.raises(SourceError, match=str(error)) as caught:
        next(watch(tmp_path, stop=threading.Event(), wanted=lambda _: True))
    assert "fs.inotify.max_user_watches" in caught.value.hint
    assert "WATCHFILES_FORCE_POLLING=true" in caught.value.hint


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
