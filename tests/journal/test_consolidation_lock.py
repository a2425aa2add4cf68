"""One at a time, in the order in which they came, and an end to waiting."""

from __future__ import annotations

import os
import threading
import time

import pytest

from remora.core.errors import StoreBusy
from remora.disk.files import lock
from remora.journal.consolidation_lock import _lines, turn


def waiting(path):
    """Return how many threads stand in line for a file."""
    return len(_lines[os.getpid(), str(path)]._waiting)


def test_threads_take_turns_in_order(tmp_path):
    """Nobody overtakes, and never are two in at once."""
    path = tmp_path / "turn"
    came: list[int] = []
    inside: list[int] = []
    threads = []

    def run(number):
        with turn(path, 10):
            inside.append(number)
            assert len(inside) == 1
            came.append(number)
            time.sleep(0.005)
            inside.remove(number)

    with turn(path, 10):
        for number in range(8):
            thread = threading.Thread(target=run, args=(number,))
            thread.start()
            threads.append(thread)
            while waiting(path) < number + 2:  # the one who has the turn stands in line too
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert came == list(range(8))


def test_waiting_has_an_end(tmp_path):
    """Who waits too long gets an error, and those behind are not held up by it."""
    path = tmp_path / "turn"
    came = []

    def run():
        with turn(path, 10):
            came.append("behind")

    with turn(path, 10):
        with pytest.raises(StoreBusy, match=r"longer than 0\.05 s"), turn(path, 0.05):
            came.append("never")
        thread = threading.Thread(target=run)
        thread.start()
    thread.join()
    assert came == ["behind"]


def test_an_error_ends_the_turn(tmp_path):
    """What is raised inside comes out, and the next one can go in."""
    with pytest.raises(ZeroDivisionError), turn(tmp_path / "turn", 1):
        _ = 1 / 0
    with turn(tmp_path / "turn", 1):
        pass


def test_other_processes_count_too(tmp_path):
    """The lock of the file is held during the turn, and waited for."""
    path = tmp_path / "turn"
    with turn(path, 1), pytest.raises(StoreBusy), lock(path, timeout=0):
        pass
    with lock(path), pytest.raises(StoreBusy), turn(path, 0.05):
        pass
