"""An agent's own loop: it is told at the four points, and learned when it is over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

from remora.app.agent import loop as module
from remora.app.agent.loop_calls import moment_of
from remora.app.memories import triggers
from remora.app.memory import Memory
from remora.core.actions import own_id
from remora.core.errors import InvalidInput
from remora.core.moments import BEFORE, Reply
from remora.injection.trial import decide_in_trial
from tests.app.conftest import Opens

NOTE = "Prices are in cents; a float loses them"


@pytest.fixture
def memory(bare: Memory) -> Memory:
    """A project with a lesson about a file, a decision, and a command that a person warns of."""
    bare.remember(NOTE, type="gotcha", related_files=["shop/cart.py"])
    bare.remember("Money is stored in cents", type="decision")
    bare.remember("`make deploy` asks for a token", type="gotcha", scope="global")
    triggers.refresh(bare._project)
    return bare


def edit(memory: Memory, path: str = "shop/cart.py", **more: Any) -> dict[str, Any]:
    """Return the arguments of an edit."""
    return {"file_path": str(memory.root / path), "old_string": "a", "new_string": "b", **more}


def test_the_four_points(memory: Memory):
    """The brief at the start, a lesson at the file, and again nothing; steps only after the first five."""
    with memory.loop("s1") as loop:
        assert "Money is stored in cents" in loop.brief()
        assert NOTE in loop.before("Edit", edit(memory), "c1")
        assert loop.after("Edit", edit(memory), "done", call_id="c1") == ""
        assert loop.before("Edit", edit(memory), "c2") == ""
        assert loop.prepare_step(3) is None
        assert loop.steps == 1
    with memory.loop("s2") as loop:  # of a framework that only tells of results
        assert NOTE in loop.after("Edit", edit(memory), "done")
    with memory.loop("s3") as loop:
        assert NOTE in loop.after("Read", {"file_path": str(memory.root / "shop/cart.py")}, "text")


def test_a_brief_in_the_middle_has_the_person_s_own_words(memory: Memory, opens: Opens):
    """A program may have dropped them from its messages; without quotes there are none."""
    words = "Never touch export/legacy.py, finance relies on it."
    with memory.loop("s1") as loop:
        loop.first_message("Make the report faster")
        loop.heard(words)
        assert loop.brief().startswith(f"Said by the user earlier in this session:\n- “{words}”\n")
    with opens(REMORA_LEARN_QUOTES="false") as silent, silent.loop("s2") as loop:
        loop.heard(words)
        assert "legacy.py" not in loop.brief()


def test_between_steps(memory: Memory):
    """What was read without a word being said, and what another agent recorded."""
    with memory.loop("s1") as loop:
        loop.recorded("the port is 8081")
        said = loop.prepare_step(6)
        assert said is not None
        assert (said.trigger, "8081" in said.text) == ("recorded", True)
        assert loop.prepare_step(7) is None
        recent = [("Read", {"file_path": str(memory.root / "shop/cart.py")}), ("x", 3), None]
        said = loop.prepare_step(8, recent=recent)
        assert said is not None
        assert NOTE in said.text


def test_calls_with_the_same_id_are_told_apart(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    """Servers count them anew in each reply; a result belongs to the call of its tool and its agent."""
    seen: list[tuple[str, str, str]] = []
    with memory.loop("s1") as loop:
        monkeypatch.setattr(
            loop, "_watch", lambda kind, moment, _: seen.append((kind, moment.call_id, moment.agent))
        )
        for agent in ("", "sub"):
            loop.before("Bash", {"command": "make test"}, "call_0", agent)
        loop.after("Bash", {"command": "make test"}, "ok", call_id="call_0", agent="sub")
        loop.after("Bash", {"command": "make test"}, "ok", call_id="call_0")
        loop.before("Bash", {"command": "make test"}, "call_0")
    called = [(name, agent) for kind, name, agent in seen if kind == "tool_call"]
    ended = [(name, agent) for kind, name, agent in seen if kind == "tool_result"]
    assert [agent for _, agent in called] == ["", "sub", ""]
    assert ended == called[1::-1]
    assert len({name for name, _ in called}) == 3
    assert all(own_id(name, "Bash") for name, _ in called)


def test_results_of_calls_at_once_go_to_what_was_asked(memory: Memory):
    """Without ids the arguments tell them apart, in whatever order they end."""
    lint, test = ({"command": f"make {name}"} for name in ("lint", "test"))
    with memory.loop("s1") as loop:
        loop.heard("Please mend the cart")
        loop.before("Bash", test)
        loop.before("Bash", lint)
        loop.after("Bash", lint, "all fine")
        loop.after("Bash", test, "3 failed", failed=True)
        loop.finish()
    assert [one.command for one in memory.suggest_commands()] == ["make lint"]


def test_it_never_raises_and_never_holds_up(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    """A failing memory and a slow one are both silence."""

    def fail(*_: object, **__: object) -> Reply:
        raise RuntimeError("broken")

    with memory.loop("s1") as loop:
        monkeypatch.setattr(module, "decide_in_trial", fail)
        assert loop.before("Edit", edit(memory)) == ""
        assert loop.trouble == ["broken"]

        def slow(*_: object, **__: object) -> Reply:
            time.sleep(0.5)
            return Reply("late")

        monkeypatch.setattr(module, "decide_in_trial", slow)
        loop._ceiling = 0.05
        assert loop.before("Edit", edit(memory)) == ""
        assert loop.late == 1


WRONG: list[tuple[Callable[[Any], Any], object]] = [
    (lambda loop: loop.brief(3), ""),
    (lambda loop: loop.first_message(None), ""),
    (lambda loop: loop.before("Edit", None), ""),
    (lambda loop: loop.before(None, {}), ""),
    (lambda loop: loop.after("Edit", [], "x"), ""),
    (lambda loop: loop.after("Edit"), ""),
    (lambda loop: loop.prepare_step("x"), None),
    (lambda loop: loop.prepare_step(9, recent=None), None),
    (lambda loop: loop.heard(None), None),
    (lambda loop: loop.replied(b"x"), None),
    (lambda loop: loop.recorded(None), None),
]


def test_what_makes_no_sense_is_noted_and_answered_with_nothing(memory: Memory):
    """A mistake of the program or the model does not end it; a call after the end is answered as little."""
    odd: list[dict[str, Any]] = [{}, {"file_path": 3}, {"file_path": None, "command": ["x"]}, {"a": {}}]
    with memory.loop("s1") as loop:
        for number, (call, nothing) in enumerate(WRONG, 1):
            assert call(loop) == nothing
            assert len(loop.trouble) == number
        for tool, arguments in product(("Edit", "Bash", "", "mcp__x__y", "Grep"), odd):
            assert loop.before(tool, arguments) == ""
            assert loop.after(tool, arguments, "x", failed=True) == ""
        assert NOTE in loop.before("Edit", edit(memory), "c1")
    loop = memory.loop("s2")
    loop.close()
    assert (loop.brief(), loop.before("Edit", edit(memory)), loop.prepare_step(9)) == ("", "", None)
    assert loop.trouble
    for session, host in (("", "x"), ("x", "")):
        with pytest.raises(InvalidInput):
            memory.loop(session, host=host)


def test_it_is_off_when_the_settings_say_so(opens: Opens):
    """Nothing is said; the session is learned all the same."""
    with opens(REMORA_INJECT_ENABLED="false") as memory:
        memory.remember(NOTE, type="gotcha", related_files=["shop/cart.py"])
        with memory.loop("s1") as loop:
            assert (loop.brief(), loop.before("Edit", edit(memory))) == ("", "")
            assert loop.finish("success") is not None


def test_a_session_is_learnt_and_can_go_on(memory: Memory):
    """What happened before a pause and after it are one session; `log` and `why` show what followed."""
    with memory.loop("s1", host="mine") as loop:
        loop.heard("mend the cart")
        loop.before("Edit", edit(memory), "c1")
        loop.after("Edit", edit(memory), "ok", call_id="c1")
    with memory.loop("s1", host="mine") as loop:
        loop.heard("and the price")
        loop.replied("Both are mended.")
        assert loop.finish("success") is not None
    rows = memory._project.db.connection.rows("SELECT id, prompt FROM observer_sessions")
    assert rows == [("mine:s1", "mend the cart\n\fand the price")]
    (said,) = memory.log()
    assert (said.session_id, said.trigger, said.moment) == ("mine:s1", "gotchas", "before")
    assert (said.about, said.followed) == ("shop/cart.py", "the file was changed")
    why = memory.why(said.memory_ids[0])
    assert (why.memory.content, why.said) == (NOTE, (said,))
    assert memory.log(session_id="s1") == [said] == memory.log(session_id="mine:s1")
    assert memory.log(session_id="other") == []


def test_what_a_session_was_told_is_not_told_when_it_goes_on(memory: Memory):
    """Advice and what bears on a task are said once in a session; another session hears them."""
    task = "why is money stored in cents here"
    with memory.loop("s1") as loop:
        assert not loop.resumed
        assert NOTE in loop.before("Edit", edit(memory), "c1")
        assert "Money is stored in cents" in loop.first_message(task)
    with memory.loop("s1") as loop:
        assert loop.resumed
        assert (loop.before("Edit", edit(memory), "c1"), loop.first_message(task)) == ("", "")
        assert NOTE in loop.before("Edit", edit(memory), "c2", agent="sub")
    with memory.loop("s1") as loop:
        assert loop.before("Edit", edit(memory), "c3", agent="sub") == ""
    for session, host in (("s2", "python"), ("s1", "other")):
        with memory.loop(session, host=host) as loop:
            assert not loop.resumed
            assert NOTE in loop.before("Edit", edit(memory), "c1")
    assert len(memory.log(session_id="python:s1")) == 3


def test_ceilings_are_those_of_the_session(bare: Memory):
    """What was said before a pause counts after it."""
    for n in range(20):
        text = f"lesson about the part called w{chr(97 + n)}"
        bare.remember(text, type="gotcha", related_files=[f"m{n}.py"])

    def told(names: range) -> int:
        with bare.loop("s1") as loop:
            loop._head = loop._head._replace(limits=(0.65, 3, 2_000, 5, 16_000, 5))
            return sum(bool(loop.before("Edit", edit(bare, f"m{n}.py"))) for n in names)

    assert (told(range(3)), told(range(3, 10)), told(range(10, 20))) == (3, 2, 0)


def test_a_system_prompt_is_made_anew_when_a_session_goes_on(memory: Memory):
    """The brief comes as often as it is asked for, without what the session was told elsewhere."""
    memory.remember("Carts are emptied at midnight", type="decision")
    with memory.loop("s1") as loop:
        assert "Money is stored in cents" in loop.first_message("why is money stored in cents here")
        before = loop.brief()
        assert loop.brief() == before
    with memory.loop("s1") as loop:
        after = loop.brief()
    assert "emptied at midnight" in before
    assert "stored in cents" not in before
    assert after == before


def test_a_memory_that_is_only_read_speaks_and_learns_nothing(memory: Memory, opens: Opens):
    """The read side writes nothing."""
    with opens(read_only=True) as reader, reader.loop("s1") as loop:
        assert NOTE in loop.before("Edit", edit(reader))
        assert loop.finish() is None


def test_tools_at_the_same_file_at_once_hear_it_once(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    """Both ask before either was told: the second answer is dropped."""
    together, decide = threading.Barrier(2), decide_in_trial

    def both(*given: Any) -> Reply:
        together.wait(2)
        return decide(*given)

    monkeypatch.setattr(module, "decide_in_trial", both)
    with memory.loop("s1") as loop, ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda call: loop.before("Edit", edit(memory), call), ("c1", "c2")))
    assert sorted(map(bool, said)) == [False, True]
    assert len(memory.log()) == 1


EDIT = {"path": "a.py", "old_str": "x", "new_str": "y"}
USUAL: dict[str, dict[str, Any]] = {
    "edit_file": EDIT,
    "write_file": {"path": "a.py", "content": "y"},
    "str_replace_based_edit_tool": {"command": "str_replace", **EDIT},
    "replace_in_file": {"path": "a.py", "old_text": "x", "new_text": "y"},
    "apply_patch": {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** End Patch"},
    "multi_edit": {"edits": [{"path": "a.py", "old_text": "1", "new_text": "2"}]},
    **{tool: {"command": "make deploy"} for tool in ("shell", "execute_command", "run_terminal_cmd", "bash")},
}


def test_the_usual_names_of_tools_are_known(bare: Memory) -> None:
    """A memory about a file or a command is told by any framework's name for the tool."""
    bare.remember("Check the till before the tax", type="gotcha", related_files=["a.py"])
    bare.remember("Never run `make deploy` on Fridays", type="requirement", source="user_taught")
    for tool, given in USUAL.items():
        with bare.loop(tool) as loop:
            told = "make deploy" if given.get("command") == "make deploy" else "Check the till"
            assert told in loop.before(tool, given)
            assert loop.trouble == []
    for tool in ("apply_patch", "multi_edit"):
        made = moment_of(loop._head, BEFORE, tool, USUAL[tool], "c", "", "", "edit")
        assert (made.paths, made.removed, made.changed) == (("a.py",), "1", "2")
    assert moment_of(loop._head, BEFORE, "search", {"query": "till"}, "c", "", "", "search").pattern == "till"


def test_an_unknown_tool_is_noted_once_and_can_be_named(bare: Memory) -> None:
    """What nobody knows stands in `trouble` once; the program can say what its tools do."""
    bare.remember("Check the till before the tax", type="gotcha", related_files=["a.py"])
    with bare.loop("s1") as loop:
        assert loop.before("frobnicate", EDIT) == ""
        loop.after("frobnicate", EDIT, "done")
        (said,) = loop.trouble
        assert "'frobnicate'" in said
    with bare.loop("s2", tools={"frobnicate": "edit"}) as loop:
        assert "Check the till" in loop.before("frobnicate", EDIT)
        assert loop.trouble == []
    with pytest.raises(InvalidInput, match="unknown action 'fly'"):
        bare.loop("s3", tools={"frobnicate": "fly"})
