"""The index held against the files: what changed is read again before a question is answered, or said."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.agent.session_brief import brief_of
from remora.app.codebase import freshness as module
from remora.app.codebase import tree_comparison as comparing
from remora.app.codebase.indexing import index
from remora.app.project.open_project import OpenProject
from remora.core.clock import FixedClock, to_iso
from remora.core.errors import NotFound, SourceError
from remora.disk.files import lock
from remora.sources.tree import Tree, look
from remora.sources.tree_read import LeftOut, read
from tests.helpers import Repo, environment
from tests.observer.sessions import session

MONEY = "def price(item):\n    return item.cents\n"
USER = "from shop.money import price\n\n\ndef {name}(items):\n    return price(items)\n"
FILES = {
    "shop/__init__.py": "",
    "shop/money.py": MONEY,
    "shop/cart.py": USER.format(name="total"),
    "lib/late.py": "x = 1\n",
}
OLD_NS = 1_600_000_000_000_000_000


def put(repo: Repo, files: dict[str, str]) -> None:
    """Write files that nobody tells git of."""
    for path, text in files.items():
        repo.put(path, text)


def age(root: Path) -> None:
    """Let everything below a folder be as if written long ago."""
    for place, folders, names in os.walk(root):
        for name in (*folders, *names, ""):
            os.utime(f"{place}/{name}", ns=(OLD_NS, OLD_NS))


def users(memory: Memory, target: str = "shop/money.py:price") -> list[str]:
    """Return the definitions that depend on a target."""
    return [f"{i.path}:{i.symbol}" for i in memory.impact(target)]


def anew(memory: Memory) -> Memory:
    """Let the memory look at the files at its next question, however lately it did."""
    memory._project.last_look = None
    return memory


@pytest.fixture
def shop(tmp_path: Path, repo: Repo, clock: FixedClock) -> Iterator[Memory]:
    """The memory of a small repository whose code is indexed and old."""
    repo.commit("One", FILES)
    age(repo.root)
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock) as memory:
        memory.index()
        yield memory


def test_what_changed_outside_of_the_answer_is_read_first(shop: Memory, repo: Repo):
    """Edits, files unknown to git, and those that are gone; another time of the same content is no change."""
    assert users(shop) == ["shop/cart.py:total"]
    for path in FILES:
        os.utime(repo.root / path, ns=(OLD_NS + 5, OLD_NS + 5))
    assert anew(shop).impact("shop/money.py:price").notes == ()
    stamps = shop._project.db.graph.stamps(list(FILES))
    assert {at for _, at in stamps.values()} == {OLD_NS + 5}
    shop._project.last_look = None
    put(repo, {"lib/late.py": USER.format(name="late"), "fresh/deep/more.py": USER.format(name="more")})
    (repo.root / "shop/cart.py").unlink()
    found = shop.impact("shop/money.py:price")
    assert [i.symbol for i in found] == ["more", "late"]
    names = "fresh/deep/more.py, lib/late.py, shop/cart.py"
    assert found.notes == (f"{names} changed since the last `remora index` and were read again",)
    assert shop.impact("shop/money.py:price").notes == ()


def test_what_git_brought_is_read_at_once(shop: Memory, repo: Repo):
    """A pull or a switch of branches is seen, however lately the files were looked at."""
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("Two", {"lib/late.py": USER.format(name="late")})
    repo.git("checkout", "-q", "main")
    shop.index()
    assert users(anew(shop)) == ["shop/cart.py:total"]
    never_again(shop)
    repo.git("merge", "-q", "other")
    assert users(shop) == ["lib/late.py:late", "shop/cart.py:total"]


def test_many_changed_files_are_only_counted(shop: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """A question does not wait for a large change, and says that it was not waited for."""
    monkeypatch.setattr(module, "FEW_BYTES", 100)
    put(repo, {"lib/late.py": USER.format(name="late") + "# long\n" * 50})
    found = shop.impact("shop/money.py:price")
    assert [i.symbol for i in found] == ["total"]
    said = "changed since the last `remora index` and {} not in this answer yet; run it again"
    assert found.notes == (f"lib/late.py {said.format('is')}",)
    monkeypatch.undo()
    put(repo, {f"lib/m{n}.py": USER.format(name=f"m{n}") for n in range(module.FEW)})
    for _ in range(2):
        found = anew(shop).impact("shop/money.py:price")
        assert [i.symbol for i in found] == ["total"]
        assert found.notes == (f"{module.FEW + 1} files {said.format('are')}",)
    shop.index()
    assert len(users(shop)) == module.FEW + 2
    assert shop.impact("shop/money.py:price").notes == ()


def test_a_reader_only_says_what_changed(tmp_path: Path, shop: Memory, repo: Repo, clock: FixedClock):
    """It reads no file again: the note, or the hint where a name may be new, says what changed."""
    shop.close()
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock, read_only=True) as reader:
        look_late(reader)
        put(repo, {"lib/late.py": USER.format(name="late")})
        with pytest.raises(NotFound) as error:
            reader.impact("lib/late.py:late")
        assert "lib/late.py changed since the last `remora index`" in str(error.value.hint)
        found = anew(reader).impact("shop/money.py:price")
        assert [i.symbol for i in found] == ["total"]
        assert "lib/late.py changed since the last `remora index` and is not in this" in found.notes[0]


def test_a_question_goes_on_without_a_look(shop: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """Or while the files cannot be listed: that is said, and the answer comes as the index knows it."""

    def refuse(*_: object, **__: object) -> None:
        raise SourceError("git refuses")

    put(repo, {"lib/late.py": USER.format(name="late")})
    with lock(shop._project.location.home / "index"):
        (note,) = shop.impact("shop/money.py:price").notes
    assert note == "lib/late.py changed since the last `remora index`; another process is reading it"
    assert users(shop) == ["lib/late.py:late", "shop/cart.py:total"]
    monkeypatch.setattr(module, "look", refuse)
    put(repo, {"lib/new.py": USER.format(name="new")})
    found = anew(shop).impact("shop/money.py:price")
    assert [i.symbol for i in found] == ["late", "total"]
    assert found.notes == ("the files could not be compared with the index: git refuses",)


def test_an_ignored_file_is_looked_for_once(shop: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """A folder that got something nobody wants is listed again when it gets more, not before."""
    put(repo, {".gitignore": "made.py\n"})
    shop.index()
    put(repo, {"shop/made.py": USER.format(name="made")})
    now = time.time_ns()
    os.utime(repo.root / "shop", ns=(now, now))  # the clock of a file system may stand for milliseconds
    asked: list[Path] = []

    def counted(root: Path, *rest: Any, **how: Any) -> Tree:
        asked.append(root)
        return look(root, *rest, **how)

    monkeypatch.setattr(module, "look", counted)
    monkeypatch.setattr(module, "EXACT_NS", 0)
    for _ in range(3):
        assert users(anew(shop)) == ["shop/cart.py:total"]
    assert asked == [repo.root]


def test_a_long_look_is_not_taken_each_time(shop: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """Where nothing changed it costs no process; until the next one a file elsewhere is not seen."""

    def refuse(*_: object) -> None:
        raise AssertionError("git was asked")

    with monkeypatch.context() as alone:
        alone.setattr(subprocess, "Popen", refuse)
        alone.setattr(subprocess, "run", refuse)
        assert shop.impact("shop/money.py:price").notes == ()
    assert users(shop) == ["shop/cart.py:total"]
    never_again(shop)
    put(repo, {"lib/late.py": USER.format(name="late"), "shop/cart.py": USER.format(name="sum_up")})
    assert users(shop) == ["shop/cart.py:sum_up"]


MANY = module.FEW + 30
Two = tuple[Memory, Memory]


@pytest.fixture
def two(tmp_path: Path, repo: Repo, clock: FixedClock) -> Iterator[Two]:
    """The memories of two work trees of one project of more files than a question reads again; indexed."""
    many = {f"p/m{n:03}.py": USER.format(name=f"m{n}") for n in range(MANY)}
    repo.commit("One", {**FILES, **many})
    age(repo.root)
    repo.git("worktree", "add", "-q", str(tmp_path / "wt2"), "-b", "feat")
    environ = environment(tmp_path)
    with (
        Memory.open(repo.root, environ=environ, clock=clock) as first,
        Memory.open(tmp_path / "wt2", environ=environ, clock=clock) as second,
    ):
        first.index()
        yield first, second


def rename_all(memory: Memory) -> None:
    """Rename the function of each of the many files, which stay as long, so that only the content tells."""
    for n in range(MANY):
        (memory.root / f"p/m{n:03}.py").write_text(USER.format(name=f"n{n}"))


def test_the_same_content_in_another_work_tree_is_not_stale(two: Two, monkeypatch: pytest.MonkeyPatch):
    """The other tree's times are its own; its questions spoil nobody's answers and read each file once."""
    first, second = two
    before = users(first)
    assert len(before) == MANY + 1
    asked: list[str] = []

    def counted(root: Path, path: str, limit: int) -> bytes | LeftOut:
        asked.append(path)
        return read(root, path, limit)

    monkeypatch.setattr(comparing, "read", counted)
    for memory in (second, first, second, first):
        found = anew(memory).impact("shop/money.py:price")
        assert ([f"{i.path}:{i.symbol}" for i in found], found.notes) == (before, ())
    assert len(asked) == MANY + len(FILES)
    second.close()
    with Memory.open(second.root, environ=second._project.environ, clock=second._project.clock) as third:
        assert users(third) == before
    assert len(asked) == MANY + len(FILES)  # what they hold was remembered


def test_few_files_that_differ_are_read_again_in_turn(two: Two):
    """Each tree sees its own files: changed, new and deleted ones, in any order of questions."""
    first, second = two
    root = second.root
    (root / "shop/cart.py").write_text(USER.format(name="sum_up"))
    (root / "p/m000.py").unlink()
    (root / "p/new.py").write_text(USER.format(name="new"))
    theirs = users(first)
    changed = {"shop/cart.py:total", "p/m000.py:m0", "shop/cart.py:sum_up", "p/new.py:new"}
    ours = sorted(set(theirs) ^ changed)
    for memory, expected in [(second, ours), (first, theirs), (first, theirs), (second, ours)]:
        assert sorted(users(anew(memory))) == sorted(expected)
    second.index()
    assert sorted(users(anew(first))) == sorted(theirs)


def test_many_files_that_differ_are_left_out_of_that_trees_answers(two: Two):
    """Another branch in another work tree: its answers say of which tree the index is, and spoil no other."""
    first, second = two
    rename_all(second)
    before = users(first)
    said = "{} files differ from the work tree that `remora index` read last ({}) and are not in this answer"
    for _ in range(2):
        found = second.impact("shop/money.py:price")
        assert [i.symbol for i in found] == ["total"]
        assert found.notes == (f"{said.format(MANY, first.root)} yet; run it again",)
        assert users(first) == before
        assert first.impact("shop/money.py:price").notes == ()
    second.index()
    assert "p/m001.py:n1" in users(second)
    found = anew(first).impact("shop/money.py:price")
    assert [i.symbol for i in found] == ["total"]
    assert found.notes[0].startswith(f"{said.format(MANY, second.root)} yet")
    assert "p/m001.py:n1" in users(second)


def test_the_marks_of_the_trees_own_questions_do_not_hold_in_another(two: Two):
    """Where many files of the indexed tree changed, one that is still as the index was is told so."""
    first, second = two
    before = users(first)
    rename_all(first)
    first._project.last_look = None
    for _ in range(2):
        assert users(first) == ["shop/cart.py:total"]
        assert users(second) == before


def test_what_there_was_no_time_to_compare_is_said(two: Two, monkeypatch: pytest.MonkeyPatch):
    """A look reads so many files, the next goes on; the files of the answer come first there."""
    monkeypatch.setattr(comparing, "COMPARED", MANY // 2)
    first, second = two
    note = f"files are not compared with the index yet, which is of the work tree {first.root}"
    found = second.impact("shop/cart.py:total")
    assert list(found) == []
    assert note in found.notes[0]
    assert "files are not compared" in second.impact("shop/cart.py:total").notes[0]
    assert "files are not compared" not in " ".join(second.impact("shop/cart.py:total").notes)
    assert len(users(second)) == MANY + 1


def look_late(memory: Memory) -> None:
    """Let the memory look at the files now, and not again for ever."""
    users(anew(memory))
    never_again(memory)


def never_again(memory: Memory) -> None:
    """Let the last look at the files hold for ever."""
    last = memory._project.last_look
    assert last is not None
    memory._project.last_look = last._replace(until=float("inf"))


@pytest.mark.parametrize("name", ["lib/late.py:late", "late", "lib/new.py", "new"])
def test_what_was_just_written_is_found_at_once(shop: Memory, repo: Repo, name: str):
    """By its name or its path; where nothing is called so, the files are looked at again, however lately."""
    look_late(shop)
    put(repo, {f"lib/{word}.py": USER.format(name=word) for word in ("late", "new") if word in name})
    found = shop.impact(name)
    path = "lib/late.py" if "late" in name else "lib/new.py"
    assert found.target.startswith(path)
    assert found.notes[0] == f"{path} changed since the last `remora index` and was read again"


def test_a_use_that_was_just_written_is_found_at_once(shop: Memory, repo: Repo):
    """Before nothing is said to depend on a target, all files are compared, however lately that was."""
    put(repo, {"shop/money.py": MONEY.replace("price", "cost")})
    assert users(shop, "shop/money.py:cost") == []
    never_again(shop)
    put(repo, {"shop/cart.py": USER.replace("price", "cost").format(name="total")})
    assert users(shop, "shop/money.py:cost") == ["shop/cart.py:total"]
    never_again(shop)
    put(repo, {"shop/cart.py": "", "lib/late.py": USER.replace("price", "cost").format(name="late")})
    assert users(shop, "shop/money.py:cost") == ["lib/late.py:late"]


def test_a_name_that_is_nowhere_is_looked_for_once(shop: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """A question that has just looked does not look again, and one that finds nothing says so."""
    looks: list[object] = []
    changed = module._changed

    def counted(project: OpenProject) -> tuple[dict[str, int], int]:
        looks.append(project)
        return changed(project)

    monkeypatch.setattr(module, "_changed", counted)
    shop._project.last_look = None
    for expected in (1, 2, 3):
        with pytest.raises(NotFound, match="'nowhere' is not in the code graph"):
            shop.impact("nowhere")
        assert len(looks) == expected
        never_again(shop)
    users(shop)
    assert len(looks) == 3


def test_search_and_predictions_know_what_was_just_written(shop: Memory, repo: Repo):
    """A new function is found in the code, and its file for a task."""
    put(repo, {"lib/new.py": "def quantise(amount):\n    return amount\n"})
    assert [h.path for h in shop.search("quantise", kinds=["code"])] == ["lib/new.py"]
    shop._project.last_look = None
    put(repo, {"lib/newer.py": "def dequantise(amount):\n    return amount\n"})
    assert "lib/newer.py" in [hit.path for hit in shop.predict_files("dequantise an amount")]
    assert "lib/newer.py changed since the last `remora index` and was read again" in shop.notes


def test_an_index_of_another_version_is_said_to_be_one(shop: Memory, repo: Repo):
    """It is not thrown away for the sake of one file; a whole run makes it again."""
    db = shop._project.db
    with db.connection.transaction():
        db.connection.execute("UPDATE graph_index_state SET index_version = index_version - 1")
    put(repo, {"shop/cart.py": USER.format(name="sum_up")})
    found = shop.impact("shop/money.py:price")
    assert found.notes[0] == "the index was made by another version of Remora; `remora index` rebuilds it"
    report = shop.index_files(["lib/late.py"])
    assert (report.read, report.files) == (4, 4)
    assert users(shop) == ["shop/cart.py:sum_up"]


def test_a_project_without_code_is_not_called_unindexed(tmp_path: Path, repo: Repo, clock: FixedClock):
    """Where a run found nothing to read, another run is no advice."""
    repo.commit("One", {"picture.bin": "\0"})
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock) as memory:
        memory.index()
        memory.search("anything", kinds=["code"])
        assert module.NO_CODE in memory.notes
        with pytest.raises(NotFound) as error:
            memory.impact("anything")
        assert error.value.hint == module.NO_CODE
        shutil.copy(__file__, repo.root / "code.py")
        assert anew(memory).impact("age").target == "code.py:age"


def had(memory: Memory, name: str, at: str) -> None:
    """Let a session have been learned that began at a time."""
    db = memory._project.db
    with db.connection.transaction():
        db.sessions.record(session(name, started=at), (), name, at)


def test_the_first_sessions_are_told_of_a_running_index(tmp_path: Path, repo: Repo, clock: FixedClock):
    """Three of them, in the brief, the status and a plan; what ran before the index began does not count."""
    repo.commit("One", FILES)
    told = f"[{module.IN_PROGRESS}]"
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock) as memory:
        assert memory.status().notes == (module.NOT_INDEXED,)
        assert memory.status().brief == ""
        stops = iter((False, True))
        index(memory._project, stop=lambda: next(stops, True))
        for n in range(5):
            had(memory, f"before {n}", "2020-01-01T00:00:00Z")
        for n in range(3):
            assert memory.status().notes == (module.IN_PROGRESS,)
            assert brief_of(memory._project).text == told
            assert brief_of(memory._project, again=True).text == ""
            memory.plan_context("late work")
            assert module.IN_PROGRESS in memory.notes
            had(memory, f"first {n}", to_iso(clock.now() + n))
        assert memory.status().notes == ()
        assert brief_of(memory._project).text == ""
        memory.plan_context("late work")
        assert module.IN_PROGRESS not in memory.notes
        assert module.IN_PROGRESS in memory.impact("shop/money.py").notes
        memory.index()
        clock.advance(seconds=100.0)
        stops = iter((False, True))
        put(repo, {"shop/money.py": MONEY.replace("price", "cost")})
        index(memory._project, stop=lambda: next(stops, True))
        memory.remember("Money is kept in cents", type="decision")
        assert brief_of(memory._project).text.startswith(f"{told}\nRemora, the memory")
        memory.index()
        assert not brief_of(memory._project).text.startswith(told)
