"""A project's own sessions and commits are asked again, and set what each signal for files counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.learning.signal_weights import AGAIN, replay, weigh
from remora.core.clock import FixedClock
from remora.core.events import Event
from remora.core.weights import FEWEST, SHIPPED
from remora.retrieval.files import WEIGHTS, weights_of
from remora.sources.transcripts import plain
from tests.helpers import Repo, environment, rows

AREAS = ("cart", "mail", "till")


def wrote(folder: Path, day: int, asked: Sequence[str], *edited: str) -> None:
    """Write a session of an hour: what was asked, and the files that were edited."""
    name, at, end = f"s{day:02}", f"2026-02-{day:02}T10:00:00Z", f"2026-02-{day:02}T11:00:00Z"
    told = [Event("session_start", name, "start", at=at)]
    told += [Event("user_prompt", name, f"p{n}", at=at, text=text) for n, text in enumerate(asked)]
    for n, path in enumerate(edited):
        more: dict[str, Any] = {
            "step": n + 1,
            "at": end,
            "tool": "Edit",
            "action": "edit",
            "call_id": f"c{n}",
        }
        told.append(Event("tool_call", name, f"c{n}:call", paths=(path,), **more))
        told.append(Event("tool_result", name, f"c{n}:result", paths=(path,), **more))
    told.append(Event("session_end", name, "end", at=end))
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(plain.dump(told, "test")), "utf-8")


@pytest.fixture
def memory(tmp_path: Path, repo: Repo, clock: FixedClock) -> Iterator[Memory]:
    """A project of three areas whose change log goes with every commit."""
    for area in AREAS:
        code = f"def {area}_total(items):\n    return sum(items)\n"
        repo.commit(f"Begin the {area}", {f"shop/{area}.py": code, "CHANGES.md": f"{area}\n"})
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock) as opened:
        opened.init()
        yield opened


def sessions(tmp_path: Path, number: int) -> Path:
    """Write sessions that each edit the file of an area, and the change log."""
    for day in range(1, number + 1):
        area = AREAS[day % 3]
        wrote(tmp_path / "talks", day, [f"mend the {area}", "go on"], f"shop/{area}.py", "CHANGES.md")
    return tmp_path / "talks"


def test_a_replay_asks_with_what_was_known_then(memory: Memory, tmp_path: Path) -> None:
    """Each session is asked by its first prompt, and knows only the sessions that were over before it."""
    memory.learn(sessions(tmp_path, FEWEST))
    asked = replay(memory._project.db, 60.0)
    assert [one.session.asked for one in asked[:4]] == [f"mend the {AREAS[n % 3]}" for n in (1, 2, 3, 4)]
    assert [len(one.task.signals.get("often", {})) for one in asked[:5]] == [0, 2, 3, 4, 4]
    assert asked[3].task.touched == {"shop/mail.py", "CHANGES.md"}
    alike = asked[3].task.signals["sessions"]
    assert alike["shop/mail.py"] > max(alike.get("shop/till.py", 0.0), alike.get("shop/cart.py", 0.0))
    assert "sessions" not in asked[0].task.signals


def test_a_replay_knows_no_later_commit(memory: Memory, repo: Repo, tmp_path: Path) -> None:
    """A commit that came after a session began says nothing of its files."""
    folder = sessions(tmp_path, FEWEST)
    repo.put("shop/late.py", "x = 1\n")
    repo.git("add", "-A")
    at = "2026-02-06T09:00:00Z"
    repo.git("commit", "-q", "-m", "mend the cart", GIT_AUTHOR_DATE=at, GIT_COMMITTER_DATE=at)
    memory.init()
    memory.learn(folder)
    asked = replay(memory._project.db, 60.0)
    known = ["shop/late.py" in one.task.signals["heat"] for one in asked]
    assert known == [False] * 5 + [True] * (FEWEST - 5)


def test_too_little_past_leaves_what_ships(memory: Memory, tmp_path: Path) -> None:
    """With fewer sessions than FEWEST nothing is kept."""
    memory.learn(sessions(tmp_path, FEWEST - 1))
    db = memory._project.db
    assert weigh(memory._project) is None
    assert db.meta.get(WEIGHTS) is None
    assert weights_of(db) == SHIPPED


def test_what_was_learnt_is_weighed_and_nothing_else_is_written(memory: Memory, tmp_path: Path) -> None:
    """Learning keeps what the replay came to; weighing once more changes that value alone."""
    memory.learn(sessions(tmp_path, FEWEST))
    db = memory._project.db
    kept = db.meta.get(WEIGHTS)
    assert kept["sessions"] == kept["known"] == FEWEST
    assert kept["recall"] >= max(kept["shipped"], kept["floor_recall"])
    before = rows(memory)
    weigh(memory._project)
    after = rows(memory)
    meta, now = dict(before.pop("meta")), dict(after.pop("meta"))
    assert before == after
    assert {key for key in now if now[key] != meta.get(key)} <= {WEIGHTS}


def test_the_doctor_says_what_came_of_it(memory: Memory, tmp_path: Path) -> None:
    """One line has the sessions that were asked, what was found, and the best simple ranking."""
    memory.learn(sessions(tmp_path, FEWEST))
    (said,) = [f.detail for f in memory.doctor().findings if f.detail.startswith("file prediction: ")]
    assert f"of the files edited in {FEWEST} earlier sessions (" in said
    assert said.endswith("weights that differ from the defaults: none")


def test_it_is_weighed_again_after_some_sessions(memory: Memory, tmp_path: Path) -> None:
    """One session more is no reason to look again, AGAIN of them are."""
    memory.learn(sessions(tmp_path, FEWEST))
    known = memory._project.db.meta
    for number, looked in ((FEWEST + 1, FEWEST), (FEWEST + AGAIN, FEWEST + AGAIN)):
        memory.learn(sessions(tmp_path, number))
        assert known.get(WEIGHTS)["known"] == looked


def test_a_replay_ends_in_time(memory: Memory, tmp_path: Path) -> None:
    """Where no time is left, no session is asked, and what is known stays."""
    memory.learn(sessions(tmp_path, FEWEST))
    kept = memory._project.db.meta.get(WEIGHTS)
    assert weigh(memory._project, -1.0) is None
    assert memory._project.db.meta.get(WEIGHTS) == kept


def test_the_weights_that_were_found_rank(memory: Memory, tmp_path: Path) -> None:
    """A signal whose weight is nothing speaks for no file, also where the memory is only read."""
    memory.learn(sessions(tmp_path, 3))
    first = memory.predict_files("mend the cart", 9, tests=True)
    assert {"CHANGES.md", "shop/cart.py"} <= {hit.path for hit in first}
    assert any("edited in many sessions" in why for hit in first for why in hit.why)
    db = memory._project.db
    nothing = dict.fromkeys(SHIPPED, 0.0)
    with db.connection.transaction():
        db.meta.set(WEIGHTS, {"weights": {**nothing, "parts": 1.0}})
    memory.close()
    with Memory.open(memory.root, environ=environment(tmp_path), read_only=True) as reader:
        found = reader.predict_files("mend the cart", 9, tests=True)
    assert [hit.path for hit in found] == ["shop/cart.py"]
    assert all(why.startswith("words of") for why in found[0].why)


def test_every_file_can_be_meant_where_tests_are_asked_for(
    memory: Memory, repo: Repo, tmp_path: Path
) -> None:
    """A file that nobody can read as code or text is ranked by what commits say, but not among code alone."""
    repo.commit("Draw the logo anew", {"art/logo.drawing": "x\n"})
    memory.init()
    assert memory.predict_files("the logo", 3, tests=True)[0].path == "art/logo.drawing"
    assert "art/logo.drawing" not in {hit.path for hit in memory.predict_files("the logo", 9)}
