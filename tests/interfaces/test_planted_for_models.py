"""Terminal sequences and hidden signs in names and texts never reach a model, whichever way they leave."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from remora.app.agent.loop import Injection, Loop
from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.moments import Reply
from remora.interfaces.hooks import claude_code
from remora.interfaces.hooks.hosts import HOSTS, host_named
from remora.interfaces.hooks.main import answer, clean
from remora.interfaces.mcp_server.descriptions import TOOLS
from remora.interfaces.mcp_server.tools import Tools
from tests.interfaces.hooks.schemas import goldens
from tests.interfaces.mcp_calls import Caller
from tests.interfaces.planting import BAD, NAME, PLANTED, SESSION, SOFTER, transcript


@pytest.fixture
def planted(planted: str, project: Path, environ: dict[str, str]) -> str:
    """The planted project has a session of an agent, too."""
    transcript(project, Path(environ["HOME"]))
    return planted


def assert_clean(text: str) -> None:
    """No sign of those that were planted is in a text."""
    assert not BAD & set(text), ascii(text)


# MCP

# What each tool is called with, and a word that its answer has; ID stands for a memory's.
CALLED: dict[str, tuple[dict[str, Any], str]] = {
    "search_memory": ({"query": "pager"}, "keeps its stream"),
    "record_memory": ({"content": f"The pager opens late {SOFTER}", "files": [PLANTED]}, "there is no file"),
    "get_session_context": ({}, ""),
    "analyze_impact": ({"target": "a.py"}, "pager"),
    "get_dependencies": ({"target": "a.py"}, "pager"),
    "context_for_task": ({"task": f"mend the pager {PLANTED}"}, "keeps its stream"),
    "why": ({"memory_id": "ID"}, "keeps its stream"),
    "forget": ({"ids": ["ID"]}, "keeps its stream"),
    "review": ({}, ""),
}
RESOURCES = {
    "remora://project/brief": "The pager",
    "remora://memory/{memory_id}": "keeps its stream",
    "remora://files/{+path}": "Eve",
}
PROMPTS = {"recall": "topic", "ask": "question", "remember": "text", "reflect": "session", "review": ""}


@pytest.fixture
def call(tools: Tools, planted: str) -> Caller:
    """Call the server of the planted project."""
    return Caller(tools)


def test_all_that_is_offered_is_tried(call: Caller) -> None:
    """A new tool, resource, prompt, event of the host or verb that returns a text needs its line here."""
    offered = call.offered()
    assert set(offered.tools) == set(CALLED) == {tool.name for tool in TOOLS}
    assert set(offered.resources) == set(RESOURCES)
    assert set(offered.prompts) == set(PROMPTS)
    assert set(EVENTS) == {name for name, kind in claude_code._KINDS.items() if kind in claude_code.INJECTS}
    own = {"remove_quote"}  # its text goes to whoever deletes it
    own |= {"off_since", "turn_off", "turn_on"}  # a time, or a session's name
    texts = returning(Memory, "str", "Context", "Prefetch", "Reflection") - own
    assert texts | returning(Loop, "str", "Injection | None") == set(SAID)


@pytest.mark.parametrize("name", sorted(CALLED))
def test_no_tool_answers_with_what_was_planted(call: Caller, planted: str, name: str) -> None:
    """Memories, names of files, authors, commands and notes come without such signs, and do come."""
    arguments, word = CALLED[name]
    given = json.loads(json.dumps(arguments).replace('"ID"', f'"{planted}"'))
    call("search_memory", query=f"pager {PLANTED}")  # so that there is something to tell of the session
    answered = call(name, **given)
    assert word in answered
    assert_clean(answered)


@pytest.mark.parametrize("name", [*sorted(set(CALLED) - {"get_session_context"}), PLANTED])
def test_no_refusal_repeats_what_was_planted(call: Caller, name: str) -> None:
    """Nor do errors about arguments that are wrong, unknown or name nothing."""
    wrong = dict.fromkeys(CALLED.get(name, ({}, ""))[0], PLANTED) | {"files": 3, "ids": [PLANTED], "limit": 0}
    assert_clean(call.error(name, **wrong, **{PLANTED: 1}))


def test_no_resource_and_no_prompt_shows_what_was_planted(call: Caller, planted: str) -> None:
    """The brief, a memory, a file, what a person gave, the evidence of a session; nor does an error."""
    for template, word in RESOURCES.items():
        text = call.read(template.replace("{memory_id}", planted).replace("{+path}", "a.py"))
        assert word in text
        assert_clean(text)
    for name, field in PROMPTS.items():
        text = call.prompt(name, **({field: SESSION if name == "reflect" else PLANTED} if field else {}))
        assert "Mend the pager" in text or name != "reflect"
        assert_clean(text)
    with pytest.raises(MCPError) as missing:
        call.read("remora://memory/x%1b%5b2Jx%e2%80%ae")
    with pytest.raises(MCPError) as unknown:
        call.prompt(f"none {PLANTED}")
    assert_clean(f"{missing.value} {unknown.value}")


# Hooks


@pytest.mark.parametrize("name", HOSTS)
def test_no_event_of_a_host_brings_what_was_planted(name: str) -> None:
    """Whatever is to be said at an event of a host, its output holds no such sign once it is decoded."""
    host = host_named(name)
    for golden in goldens(name).values():
        moment = host.parse(golden["stdin"], golden.get("environ", {}))
        shown = host.render(golden["stdin"], moment, clean(Reply(f"a {PLANTED}", f"b {PLANTED}")))
        assert_clean(json.dumps(shown, ensure_ascii=False).replace("\\n", ""))


EDITED = {"file_path": "a.py"}
# The events at which Claude Code's model hears something, with a word that it hears here.
EVENTS: dict[str, tuple[dict[str, Any], str]] = {
    "SessionStart": ({"source": "startup"}, "counted from one"),
    "UserPromptSubmit": ({"prompt": f"mend the pager {PLANTED}"}, "of this shop"),
    "PreToolUse": (
        {"tool_name": "Edit", "tool_input": {**EDITED, "old_string": "1", "new_string": "2"}},
        "keeps its stream",
    ),
    "PostToolUse": ({"tool_name": "Read", "tool_input": EDITED, "tool_response": {}}, ""),
    "PostToolUseFailure": ({"tool_name": "Bash", "tool_input": {"command": "make"}, "error": PLANTED}, ""),
    "SubagentStart": ({"agent_id": "a1", "agent_type": "general-purpose"}, ""),
}


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_no_hook_says_what_was_planted(
    planted: str, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A hook in the planted project prints none of the signs, and prints what is remembered."""
    monkeypatch.setenv("REMORA_WORK", "off")
    more, word = EVENTS[name]
    common = {"session_id": "s1", "cwd": str(project), "transcript_path": str(project / "t.jsonl")}
    if "tool_input" in more:
        more = json.loads(json.dumps(more).replace("a.py", str(project / "a.py")))
    event = {**common, "prompt_id": "p1", "tool_use_id": "t1", "hook_event_name": name, **more}
    printed = answer(["--host", "claude-code"], json.dumps(event).encode())
    text = json.dumps(json.loads(printed), ensure_ascii=False) if printed else ""
    assert word in text
    assert_clean(text)


# The library

# How each text for a model is asked for, with a word of it.
SAID: dict[str, tuple[Callable[[Memory, Loop], Any], str]] = {
    "brief": (lambda _, loop: loop.brief("mend the pager"), "counted from one"),
    "first_message": (lambda _, loop: loop.first_message(f"mend the pager {PLANTED}"), "keeps its stream"),
    "before": (lambda _, loop: loop.before("Edit", {**EDITED, "new_string": "2"}), "keeps its stream"),
    "after": (lambda _, loop: loop.after("Read", EDITED, PLANTED), ""),
    "prepare_step": (lambda _, loop: _between(loop), "The pager"),
    "context": (lambda memory, _: memory.context("mend the pager"), "keeps its stream"),
    "plan_context": (lambda memory, _: memory.plan_context("mend the pager", files=["a.py"]), ""),
    "qa_context": (lambda memory, _: memory.qa_context("mend the pager", files=["a.py"]), ""),
    "prefetch": (lambda memory, _: memory.prefetch(f"mend the pager {NAME}"), ""),
    "work_state": (lambda memory, _: memory.work_state("s1"), ""),
    "reflect": (lambda memory, _: memory.reflect(SESSION), "Mend the pager"),
}


def _between(loop: Loop) -> Injection | None:
    loop.recorded(f"The pager {PLANTED} is slow")
    return loop.prepare_step(9, agent="other")


def returning(owner: type, *kinds: str) -> set[str]:
    """Return the public methods of a class that return one of some types."""
    methods = inspect.getmembers(owner, inspect.isfunction)
    return {n for n, m in methods if not n.startswith("_") and m.__annotations__.get("return") in kinds}


@pytest.mark.parametrize("name", sorted(SAID))
def test_no_text_for_a_prompt_says_what_was_planted(
    planted: str, project: Path, clock: FixedClock, name: str
) -> None:
    """What an agent's own loop hands to its model, blocks, files loaded ahead, the evidence of a session."""
    ask, word = SAID[name]
    with Memory.open(project, clock=clock) as memory, memory.loop("s1") as loop:
        said = ask(memory, loop)
        text = said if isinstance(said, str) else said.text
        assert not loop.trouble
    assert word in text
    assert_clean(text)
