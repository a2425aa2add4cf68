"""One moment of a session in a process of its own: what is said, noted, left out, and never said twice."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.agent import hook_event as hooking
from remora.app.agent import session_brief as starting
from remora.app.agent.hook_context import note_trouble, place_of, relative_to, setting_of, tree_of
from remora.app.agent.session_end import _over
from remora.app.memories import triggers
from remora.core import moments
from remora.core.moments import Moment, Reply
from remora.disk import live
from tests.app.hooked import Hooked
from tests.helpers import SECRET, Repo, holds

LESSON = "The cart is cached per tenant, never share the key"


@pytest.fixture
def hooked(repo: Repo, environ: dict[str, str]) -> Hooked:
    """A session in a repository that remembers one lesson about a file."""
    remember(repo, environ, LESSON, related_files=["cart.py"])
    return Hooked(repo.root, environ)


def remember(repo: Repo, environ: dict[str, str], text: str, **more: Any) -> None:
    """Store a gotcha and make its cues."""
    with Memory.open(repo.root, environ=environ) as memory:
        memory.remember(text, type="gotcha", **more)
        triggers.refresh(memory._project)


def log(environ: dict[str, str]) -> list[str]:
    """Return the lines of the log of what went wrong."""
    path = Path(environ["REMORA_HOME"]) / "hooks.log"
    return path.read_text("utf-8").splitlines() if path.exists() else []


def test_what_is_known_of_a_file_is_said_once(hooked):
    """The first edit of the file hears it, the second does not, and a subagent hears it for itself."""
    hooked.start()
    before, after = hooked.edit("cart.py")
    assert LESSON in before.text
    assert after == Reply()
    assert hooked.edit("cart.py") == (Reply(), Reply())
    assert LESSON in hooked.edit("cart.py", agent="sub")[0].text
    assert hooked.kinds == ["start", *["before", "after"] * 3]


def test_what_a_host_tells_twice_is_one_moment(hooked, monkeypatch):
    """By the id of the call, else by what happened, for some seconds: what is done again is told again."""
    for _ in range(2):
        hooked.start()
        hooked.prompt("mend the cart please", turn="t1")
        hooked.tell(moments.BEFORE, tool="Edit", action="edit", paths=("cart.py",), call_id="c1")
        hooked.tell(moments.AFTER, tool="Bash", action="run", command="make")
    assert hooked.kinds == ["start", "prompt", "before", "after"]
    assert sum(bool(reply.text) for reply in hooked.replies) == sum("said" in line for line in hooked.lines)
    for number in range(2):  # something was changed in between
        hooked.tell(moments.AFTER, tool="edit", action="edit", paths=("cart.py",), changed=str(number))
        hooked.tell(moments.AFTER, tool="run", action="run", command="make test")
    assert hooked.kinds[4:] == ["after"] * 4
    hooked.prompt("go on")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 6.0)
    hooked.prompt("go on")
    assert hooked.kinds[8:] == ["prompt", "prompt"]


@contextmanager
def starting_slowly(hooked: Hooked, monkeypatch: pytest.MonkeyPatch, brief: Reply) -> Iterator[None]:
    """Let a session start in a thread, and have its brief only after the block."""
    begun, go = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> Reply:
        begun.set()
        go.wait(5)
        return brief

    monkeypatch.setattr(starting, "brief", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(hooked.start)
        assert begun.wait(5)
        yield
        go.set()
        first.result(5)


def test_a_slow_start_holds_nobody_up(hooked, monkeypatch):
    """While the brief is made a tool is answered at once, a second start is silent, and nothing is lost."""
    with starting_slowly(hooked, monkeypatch, Reply("the brief", ids=("m1",), trigger="brief")):
        started = time.monotonic()
        assert hooked.start() == Reply()
        assert LESSON in hooked.edit("cart.py")[0].text
        assert time.monotonic() - started < 1.0
    assert hooked.replies[-1].text == "the brief"
    assert hooked.kinds == ["start", "before", "after"]


def test_while_somebody_else_is_at_it_nothing_is_said(hooked, monkeypatch, environ):
    """Who holds the file may be saying the very same; what was not said now is said the next time."""
    monkeypatch.setattr(live, "WAIT", 0.02)
    hooked.start()
    with live.live_file("claude-code", "s1", environ):
        assert hooked.edit("cart.py") == (Reply(), Reply())
    assert LESSON in hooked.edit("cart.py")[0].text
    assert hooked.kinds == ["start", *["before", "after"] * 2]


def test_what_a_person_holds_true_everywhere_is_said_here_too(hooked, repo, environ):
    """At a command and at a file, beside what the project knows; a damaged file of theirs harms nobody."""
    with Memory.open(repo.root, environ=environ) as memory:
        memory.remember("`git push --force` loses what others pushed", type="gotcha", user=True)
        memory.remember("Mind the licence header", type="gotcha", related_files=["*.py"], user=True)
    before, _ = hooked.run("git push --force")
    assert "loses what others pushed" in before.text
    said = hooked.edit("cart.py")[0].text
    assert LESSON in said
    assert "licence header" in said
    (Path(environ["REMORA_HOME"]) / "user" / "memory.db").write_bytes(b"no database" * 999)
    other = Hooked(repo.root, environ, session="other")
    other.start()
    assert LESSON in other.edit("cart.py")[0].text


def test_what_a_host_would_cut_is_not_said_and_not_noted(hooked, monkeypatch):
    """Hosts count bytes, and a text in Japanese has three for each character."""
    ids = tuple(f"{n:08d}{n:08d}" for n in range(40, 80))
    lines = [f"- {'記' * 100} [Memory #{i[:8]}]" for i in ids]
    whole = Reply("\n".join(["head", *lines, "tail"]), ids=ids, trigger="brief", why="x")
    monkeypatch.setattr(starting, "brief", lambda *_, **__: whole)
    said = hooked.start()
    assert len(said.text.encode()) <= 9_000
    assert said.text.endswith("\ntail")
    assert all(f"#{i[:8]}]" in said.text for i in said.ids)
    assert 20 < len(said.ids) < 40


def test_a_session_that_is_taken_up_again_is_not_briefed_twice(hooked, monkeypatch):
    """Its conversation has the brief; one that began before there was a memory is told now."""
    told = Reply("What is known", trigger="brief", why="a session begins")
    monkeypatch.setattr(starting, "brief", lambda *_, **__: told)
    assert hooked.start("resume") == told
    assert hooked.start("resume") == Reply()
    assert hooked.start("compact") == told


@pytest.mark.parametrize("how", ["for every session", "by `inject.timeout`"])
def test_an_answer_that_takes_too_long_is_left_out(hooked, monkeypatch, environ, how):
    """The moment is noted, and a line in the log; what comes later is not heard of and complains no more."""
    if how == "for every session":
        monkeypatch.setattr(hooking, "CEILING", 0.2)
    else:
        own = Path(environ["REMORA_CONFIG"])
        own.mkdir(exist_ok=True)
        (own / "config.toml").write_text("[inject]\ntimeout = 0.2\n")
    late = threading.Event()

    def slow(*_: object, **__: object) -> Reply:
        time.sleep(0.6)
        late.set()
        raise OSError("too late")

    monkeypatch.setattr(starting, "brief", slow)
    started = time.monotonic()
    assert hooked.start() == Reply()
    assert time.monotonic() - started < 0.55
    assert late.wait(5)
    time.sleep(0.05)
    assert [line.split(" ", 1)[1] for line in log(environ)] == ["TimeoutError: no answer in time"]
    assert hooked.kinds == ["start"]
    assert LESSON in hooked.edit("cart.py")[0].text


def test_a_project_that_is_not_found_in_time_is_left_alone(hooked, monkeypatch, environ, repo):
    """A git that hangs costs the session its memory, not every tool; later work finds whose it is."""
    with monkeypatch.context() as hanging:
        hanging.setattr(hooking, "CEILING", 0.2)
        hanging.setattr(starting, "head_of", lambda *_: time.sleep(2))
        hooked.start()
        started = time.monotonic()
        assert hooked.edit("cart.py") == (Reply(), Reply())
        assert time.monotonic() - started < 0.2
    assert len(log(environ)) == 1
    assert hooked.kinds == ["start", "before", "after"]
    (over,) = _over(hooked.path.parent, 0.0, environ)
    assert (over.head.root, bool(over.head.home)) == (str(repo.root), True)


def test_what_fails_is_silence(hooked, monkeypatch, environ):
    """A brief or a decision: a line in the log, the moment is noted, and the next tool is answered."""
    with monkeypatch.context() as broken:
        broken.setattr(starting, "brief", lambda *_, **__: 1 / 0)
        assert hooked.start() == Reply()
        broken.setattr(hooking, "decide_in_trial", lambda *_: 1 / 0)
        assert hooked.edit("cart.py") == (Reply(), Reply())
    assert [line.split(" ", 1)[1] for line in log(environ)] == ["ZeroDivisionError: division by zero"] * 3
    assert hooked.kinds == ["start", "before", "after"]
    assert LESSON in hooked.edit("cart.py")[0].text


def test_only_the_first_prompt_loads_the_memory(hooked, monkeypatch):
    """The others, and starts of subagents, are noted and cost nothing."""
    asked: list[str] = []

    def task(_: object, text: str, *__: object, **___: object) -> Reply:
        asked.append(text)
        return Reply()

    monkeypatch.setattr(starting, "task", task)
    hooked.tell(moments.SUBAGENT_START, agent="a")
    hooked.prompt("good morning")
    hooked.prompt("继续")
    hooked.prompt("修复购物车")
    hooked.prompt("mend the price too")
    assert asked == ["修复购物车"]
    assert hooked.kinds == ["subagent_start", "prompt", "prompt", "prompt", "prompt"]


def test_another_work_tree_of_the_repository(hooked, repo, tmp_path):
    """A subagent that works in a tree of its own is told of the same files, and the branch is the tree's."""
    repo.commit("begin", {"cart.py": ""})
    hooked.start()
    known = live.read(hooked.path)[0]
    assert known is not None
    for place in (tmp_path / "beside", repo.root / ".claude" / "worktrees" / "x"):
        repo.git("worktree", "add", "-q", str(place), "-b", f"topic-{place.name}")
        (place / "deep").mkdir()
        head = tree_of(known, str(place / "deep"))
        assert head.root == str(place)
        assert setting_of(known, str(place), lambda: 0.0).branch == f"topic-{place.name}"
        assert relative_to(head.root, str(place))("cart.py") == "cart.py"
    other = Repo(tmp_path / "other").init()
    assert tree_of(known, str(other.root)) == known
    assert tree_of(known, "") == known


def test_a_search_in_another_folder_is_not_this_project_s(hooked, repo, environ, tmp_path):
    """It is neither answered nor remembered for the next step; one in a folder of the project is."""
    remember(repo, environ, "The `retry_budget` setting lies in config/limits.yaml")
    used = {"tool": "Grep", "action": "search", "pattern": "retry_budget"}
    assert hooked.tell(moments.AFTER, call_id="g1", place=str(tmp_path), **used).text == ""
    assert "q" not in hooked.lines[-1]
    assert "limits.yaml" in hooked.tell(moments.AFTER, call_id="g2", place=f"{repo.root}/src", **used).text
    assert hooked.lines[-1]["q"] == "retry_budget"


def test_a_host_that_hears_nothing_is_only_noted(repo, environ):
    """What cannot reach the model is not looked up; a session without an id is nobody's."""
    moment = Moment(moments.START, "h", "", str(repo.root))
    assert hooking.respond(moment, environ) == Reply()
    assert not Path(environ["REMORA_HOME"]).exists()
    assert hooking.respond(moment._replace(session="s1"), environ, injects=()) == Reply()
    assert Hooked(repo.root, environ, "h").kinds == ["start"]


def test_a_folder_without_a_memory_is_looked_at_once(tmp_path, environ, monkeypatch):
    """The first moment is noted; later ones find that out from the live file and write nothing."""
    (tmp_path / "pictures").mkdir()
    hooked = Hooked(tmp_path / "pictures", environ)
    hooked.start()
    monkeypatch.setattr(starting, "head_of", lambda *_: 1 / 0)
    hooked.edit("sea.txt")
    hooked.end()
    assert hooked.kinds == ["start"]
    assert log(environ) == []


def test_a_moment_without_a_place_is_in_the_folder_of_the_process(repo, environ):
    """Some hosts name no folder with a prompt, or one that is gone; a later moment may know better."""
    prompt = Moment(moments.PROMPT, "h", "s1", text="mend the cart please")
    hooking.respond(prompt, environ, started=str(repo.root))
    assert Hooked(repo.root, environ, "h").head.root == str(repo.root)
    late = Hooked(repo.root, environ, "h", "s2")
    hooking.respond(prompt._replace(session="s2"), environ, started="/")
    assert late.head.home == ""
    late.tell(moments.AFTER, cwd="", tool="Read", action="read", paths=(f"{repo.root}/cart.py",))
    assert late.head.root == str(repo.root)
    assert late.kinds == ["prompt", "after"]
    gone = Hooked(repo.root, environ)
    gone.tell(moments.PROMPT, text="mend it", cwd=str(repo.root / "gone"))
    assert gone.head.home == ""
    gone.run("make")
    assert gone.kinds == ["prompt", "before", "after"]


def test_a_secret_that_was_searched_for_is_not_written_down(hooked, environ):
    """A line has no text of people, tools and models; what was looked for is in it without the token."""
    hooked.tell(moments.AFTER, tool="Grep", action="search", pattern=f"token = {SECRET}", call_id="c1")
    hooked.tell(moments.AFTER, tool="Grep", action="search", pattern="cart_key", call_id="c2")
    assert [line["q"] for line in hooked.lines] == ["token = [REDACTED:github-token]", "cart_key"]
    assert holds(Path(environ["REMORA_HOME"]), SECRET) == []
    hooked.start()
    hooked.prompt("a very private remark about somebody")
    hooked.run("psql very-private-host", "a private answer")
    hooked.edit("cart.py", "private = 1", "private = 2")
    assert "private" not in hooked.path.read_text("utf-8")
    line = hooked.lines[-1]
    assert line == {"k": "after", "at": line["at"], "a": "edit", "p": ["cart.py"], "i": "call_x8k2m102"}


def test_garbage_in_the_live_file(hooked):
    """It is passed over and the session's project is found again; limits that are no numbers are none."""
    hooked.path.parent.mkdir(parents=True, exist_ok=True)
    types = b'{"said": 5, "p": 7, "at": []}\n[1]\n"x"\n'
    hooked.path.write_bytes(b"[" * 50_000 + b"\n" + types + b'\0\xff\xfe{{{\n{"remora": "live"')
    assert LESSON in hooked.edit("cart.py")[0].text
    assert [line["k"] for line in hooked.lines if line.get("k") == "before"] == ["before"]
    head = hooked.head._asdict() | {"limits": ["x", None, {}]}
    with hooked.path.open("a") as file:
        file.write(json.dumps({"remora": "live", **head}) + "\n")
    assert hooked.edit("cart.py", agent="sub") == (Reply(), Reply())
    assert hooked.lines[-1]["k"] == "after"


def test_the_log_does_not_grow_without_end(environ):
    """At 200 kB it becomes the old one; lines are short; where it cannot be written nothing is raised."""
    path = Path(environ["REMORA_HOME"]) / "hooks.log"
    path.parent.mkdir()
    path.write_text("x" * 200_001)
    note_trouble(ValueError("two\nlines " + "y" * 900), environ)
    assert len(log(environ)) == 1
    assert len(log(environ)[0]) < 400
    assert path.with_name("hooks.log.1").exists()
    note_trouble(ValueError("x"), {**environ, "REMORA_HOME": str(path)})


def test_paths_from_the_root(tmp_path):
    """Relative ones start from where the agent is; links are followed, what lies outside is nobody's."""
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    relative = relative_to(str(root), str(root / "src"))
    given = ["cart.py", "../setup.py", f"{tmp_path}/link/cart.py", "/etc/passwd", str(root)]
    assert [relative(path) for path in given] == ["src/cart.py", "setup.py", "cart.py", "", ""]
    assert place_of(Moment(moments.AFTER, cwd="/w", paths=("/x/a.py",))) == "/w"
    assert place_of(Moment(moments.AFTER, paths=("a.py", "/x/a.py"))) == "/x"
    assert place_of(Moment(moments.PROMPT)) == ""
