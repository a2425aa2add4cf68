"""The Claude Agent SDK: hooks in its own loop with Claude Code itself, and the store of its sessions."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk")

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from claude_agent_sdk.testing.session_store_conformance import run_session_store_conformance

from remora import Memory
from remora.interfaces.adapters.claude_sdk import EVENTS, RemoraSessionStore, remora_hooks
from tests.helpers import no_file_above
from tests.interfaces.adapters.talking import PARTNERS, RULE, Broken, teach, told
from tests.interfaces.hooks.real.scripted_api import Say, ScriptedApi, Use

KEY: Any = {"project_key": "-w-app", "session_id": "6f-1"}
SUB: Any = {**KEY, "subpath": "subagents/agent-1"}
TASK = "fix the cache please"


# The store


def test_the_packaged_suite_passes(tmp_path: Path, place: Path) -> None:
    """The SDK's own suite for stores passes, apart from summaries, which are optional."""
    count = iter(range(1000))
    opened: list[Memory] = []

    def make() -> RemoraSessionStore:
        environ = {**os.environ, "REMORA_HOME": str(tmp_path / f"data{next(count)}")}
        opened.append(Memory.open(place, environ=environ))
        return RemoraSessionStore(opened[-1])

    try:
        asyncio.run(run_session_store_conformance(make, skip_optional=frozenset({"list_session_summaries"})))
    finally:
        for memory in opened:
            memory.close()


def entry(number: int, **more: Any) -> Any:
    """Return an entry of a transcript."""
    return {"type": "user", "uuid": f"u{number}", "n": number, **more}


def add(store: RemoraSessionStore, *entries: Any, key: Any = KEY) -> None:
    """Append entries to a transcript."""
    asyncio.run(store.append(key, list(entries)))


def numbers(memory: Memory) -> list[int]:
    """Return the numbers of the entries that a new store has."""
    return [one["n"] for one in kept(memory)]


def kept(memory: Memory, key: Any = KEY) -> Any:
    """Return what a new store has of a transcript."""
    return asyncio.run(RemoraSessionStore(memory).load(key))


def test_entries_last_and_come_back_as_they_were(memory: Memory) -> None:
    """Another object has the same entries, whatever signs are in them, and only the owner can read them."""
    given = [entry(1, text="half \ud83d, \u2028 and ünï"), {"type": "ai-title", "aiTitle": "t"}, entry(2)]
    store = RemoraSessionStore(memory)
    add(store, *given)
    assert kept(memory) == given
    assert (store.folder / "-w-app" / "6f-1.jsonl").stat().st_mode & 0o777 == 0o600


def test_an_entry_is_there_once(memory: Memory) -> None:
    """A uuid that was appended twice, by any object or within a batch, comes back once; others stay."""
    one, other = RemoraSessionStore(memory), RemoraSessionStore(memory)
    add(one, entry(1), entry(1))
    add(other, entry(1), entry(2))
    add(one, entry(2), entry(3), {"type": "tag"}, {"type": "tag"})
    add(one, entry(1), key=SUB)
    assert [e.get("uuid") for e in kept(memory)] == ["u1", "u2", "u3", None, None]
    assert kept(memory, SUB) == [entry(1)]
    asyncio.run(other.delete(KEY))  # it can begin again: nothing of the old entries counts as there
    add(one, entry(1), entry(2))
    add(one, entry(1), key=SUB)
    assert numbers(memory) == [1, 2]
    assert kept(memory, SUB) == [entry(1)]
    assert [s["session_id"] for s in asyncio.run(one.list_sessions("-w-app"))] == ["6f-1"]


def test_what_a_crash_left_costs_itself(memory: Memory) -> None:
    """A torn line is passed over, and the entries around it are there."""
    store = RemoraSessionStore(memory)
    add(store, entry(1))
    with (store.folder / "-w-app" / "6f-1.jsonl").open("ab") as file:
        file.write(json.dumps(entry(2)).encode() + b'\n{"type": "us')
    assert numbers(memory) == [1, 2]
    add(store, entry(2), entry(3))
    assert numbers(memory) == [1, 2, 3]


def test_a_full_disk_is_told_and_a_retry_loses_nothing(memory: Memory) -> None:
    """A write that fails raises and leaves nothing; the same batch is whole once there is room."""
    store = RemoraSessionStore(memory)
    add(store, entry(1))
    size = (store.folder / "-w-app" / "6f-1.jsonl").stat().st_size
    with no_file_above(size), pytest.raises(Exception, match="cannot append"):
        add(store, entry(2), entry(3))
    add(store, entry(2), entry(3))
    assert numbers(memory) == [1, 2, 3]


def test_keys_never_leave_the_folder(memory: Memory) -> None:
    """Whatever a key holds, its file lies below the store's folder, and two keys never share one."""
    store = RemoraSessionStore(memory)
    keys: list[Any] = [
        {"project_key": p, "session_id": s, **more}
        for p in ("../..", "/etc", "A", "a")
        for s in ("../x", "S", "s", "..")
        for more in ({}, {"subpath": "../../y"}, {"subpath": "con/../z"})
    ]
    for number, key in enumerate(keys):
        add(store, entry(number), key=key)
    assert [kept(memory, key) for key in keys] == [[entry(number)] for number in range(len(keys))]
    assert [p for p in memory.home.rglob("*.jsonl") if store.folder not in p.parents] == []
    assert sorted(asyncio.run(store.list_subkeys(keys[0]))) == ["../../y", "con/../z"]
    with pytest.raises(Exception, match="too long"):
        add(store, entry(1), key={"project_key": "p", "session_id": "S" * 200})


def test_writers_side_by_side(memory: Memory) -> None:
    """What several objects append at the same time is all there, once."""

    async def all_of_them() -> None:
        stores = [RemoraSessionStore(memory) for _ in range(4)]
        await asyncio.gather(*(s.append(KEY, [entry(n), entry(100 + n)]) for n in range(20) for s in stores))

    asyncio.run(all_of_them())
    assert sorted(numbers(memory)) == [*range(20), *range(100, 120)]


# The hooks, called as the SDK calls them


def call(hooks: Any, event: str, **told: Any) -> Any:
    """Return what the callback for an event answers."""
    given = {"hook_event_name": event, "session_id": "s", "cwd": "/w", "transcript_path": "/t", **told}
    (matcher,) = hooks[event]
    assert matcher.on_failure == "continue"
    assert matcher.matcher is None
    return asyncio.run(matcher.hooks[0](given, told.get("tool_use_id"), {"signal": None}))


def text_of(answer: Any, event: str) -> str:
    """Return what an answer says to the model; it says nothing else."""
    if answer == {}:
        return ""
    assert set(answer) == {"hookSpecificOutput"}
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == event
    return str(answer["hookSpecificOutput"]["additionalContext"])


BASH: dict[str, Any] = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "make"}}


def test_each_event_says_and_notes_its_part(speaking: Any) -> None:
    """The brief comes with the first prompt and after a compaction; calls, failures and replies are noted."""
    hooks = remora_hooks(speaking)
    assert set(hooks) == set(EVENTS)

    def tell(event: str, **told: Any) -> str:
        return text_of(call(hooks, event, **told), event)

    assert tell("UserPromptSubmit", prompt="fix the cache") == "BRIEF\n\nFIRST"
    assert tell("PreToolUse", **BASH) == "BEFORE Bash"
    assert tell("PostToolUse", **BASH, tool_response={"stdout": "ok", "stderr": ""}) == "AFTER Bash"
    assert tell("PostToolUseFailure", **{**BASH, "tool_use_id": "t2"}, error="Exit code 1") == "AFTER Bash"
    assert tell("Stop", stop_hook_active=False, last_assistant_message="done") == ""
    assert tell("UserPromptSubmit", prompt="and now?") == ""
    assert tell("PreCompact", trigger="auto", custom_instructions=None) == ""
    assert tell("PostToolUse", **BASH, tool_response="ok", agent_id="a1") == "AFTER Bash"
    assert tell("PostToolUse", **BASH, tool_response="ok") == "BRIEF\n\nAFTER Bash"
    assert tell("UserPromptSubmit", prompt="go on") == ""
    assert tell("SubagentStart", agent_id="a1", agent_type="general-purpose") == "BRIEF"
    assert tell("SubagentStop", agent_id="a1", agent_type="", stop_hook_active=False) == ""

    loop = speaking.loops["s"]
    assert loop.name == "claude-code:s"
    assert loop.of("heard") == [("fix the cache",), ("and now?",), ("go on",)]
    assert loop.of("after")[:2] == [
        ("Bash", {"command": "make"}, "ok", False, "t1"),
        ("Bash", {"command": "make"}, "Exit code 1", True, "t2"),
    ]
    assert loop.of("replied") == [("done",)]
    hooks.finish("s")
    assert loop.of("finish") == [(None,)]


ODD: list[Any] = [
    None,
    5,
    "x",
    [],
    {},
    {"a": [1, {"b": "\ud83d"}]},
    [{"type": "text", "text": "t"}],
    "y" * 100_000,
]
FIELDS = ("tool_input", "tool_response", "prompt", "error", "last_assistant_message", "tool_name")


@pytest.mark.parametrize("event", EVENTS)
def test_nothing_that_comes_disturbs(memory: Memory, speaking: Any, event: str) -> None:
    """Missing and odd fields are answered with nothing or with words, never with a failure or a block."""
    hooks = remora_hooks(speaking)
    for value in ODD:
        for field in FIELDS:
            text_of(call(hooks, event, **{**BASH, field: value}), event)
    nothing: list[Any] = [None, [], {"hook_event_name": event}, {"session_id": "s"}]
    for given in nothing:
        assert asyncio.run(hooks[event][0].hooks[0](given, None, {"signal": None})) == {}
    dead = remora_hooks(Broken(memory))  # type: ignore[arg-type]
    assert call(dead, event, **BASH, prompt="p", tool_response="r", error="e") == {}
    dead.finish("s")
    dead.close()


def test_hooks_run_in_any_event_loop(speaking: Any) -> None:
    """The SDK runs in trio as well as in asyncio; so do the callbacks, where trio is there."""
    import anyio

    hooks = remora_hooks(speaking)
    given: Any = {"hook_event_name": "PreToolUse", "session_id": "s", **BASH}

    async def ask() -> Any:
        return await hooks["PreToolUse"][0].hooks[0](given, "t1", {"signal": None})

    for backend in ("asyncio", "trio"):
        try:
            answer = anyio.run(ask, backend=backend)
        except LookupError:
            assert backend == "trio"
        else:
            assert text_of(answer, "PreToolUse") == "BEFORE Bash"


# Claude Code itself, with a scripted model


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    """A scripted Messages API on this machine."""
    with ScriptedApi() as found:
        yield found


@pytest.fixture
def apart(api: ScriptedApi, tmp_path: Path, place: Path) -> dict[str, Any]:
    """Options that give Claude Code a home of its own and the scripted model."""
    env = {
        "HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
        "ANTHROPIC_BASE_URL": api.url,
        "ANTHROPIC_API_KEY": "sk-test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    tools = ["Bash", "Read"]
    return {"cwd": place, "env": env, "allowed_tools": tools, "setting_sources": [], "model": "claude-test"}


@pytest.fixture
def ask(apart: dict[str, Any]) -> Callable[..., list[Any]]:
    """Run one query with Claude Code and return the messages that came."""

    def run(prompt: str, **options: Any) -> list[Any]:
        chosen = ClaudeAgentOptions(**apart, **options)

        async def all_of_them() -> list[Any]:
            return [message async for message in query(prompt=prompt, options=chosen)]

        return asyncio.run(asyncio.wait_for(all_of_them(), 120))

    return run


def bash(command: str) -> list[Use]:
    """Return a turn that runs a command."""
    return [Use("Bash", {"command": command})]


def seen(api: ScriptedApi) -> list[str]:
    """Return all that the model was sent with each request of an agent, but for descriptions of tools."""
    bodies = [one.body for one in api.asked if one.body.get("tools")]
    return [json.dumps([body.get("system"), body["messages"]], ensure_ascii=False) for body in bodies]


def test_claude_code_tells_the_model(speaking: Any, api: ScriptedApi, ask: Callable[..., list[Any]]) -> None:
    """In a real run the model sees brief, advice and the words to results; a failure is noted as one."""
    api.play({TASK: [bash("echo one"), bash("exit 3"), [Say("all done")]]})
    with remora_hooks(speaking) as hooks:
        messages = ask(TASK, hooks=hooks)
    result = messages[-1]
    assert isinstance(result, ResultMessage)
    assert result.result == "all done"
    first, second, third = seen(api)
    assert "BRIEF\\n\\nFIRST" in first
    assert "BEFORE Bash" not in first
    for one in (second, third):
        assert "PreToolUse:Bash hook additional context: BEFORE Bash" in one
        assert "PostToolUse:Bash hook additional context: AFTER Bash" in one
    assert "PostToolUseFailure:Bash hook additional context: AFTER Bash" in third
    loop = speaking.loops[result.session_id]
    assert loop.of("heard") == [(TASK,)]
    assert [(one[0], one[1]["command"], one[3]) for one in loop.of("after")] == [
        ("Bash", "echo one", False),
        ("Bash", "exit 3", True),
    ]
    assert loop.of("replied") == [("all done",)]


def test_a_session_is_stored_and_resumed(
    memory: Memory, api: ScriptedApi, ask: Callable[..., list[Any]], tmp_path: Path
) -> None:
    """A session that is only in the store is found, resumed, goes on there, and can be learned from."""
    store = RemoraSessionStore(memory)
    first: list[Any] = [bash("exit 3"), bash("echo one"), [Say("first answer")]]
    api.play({TASK: first, "and now?": [[Say("second answer")]]})
    name = ask(TASK, session_store=store)[-1].session_id
    assert [one.id for one in memory.learn(store.folder).sessions] == [name]
    (tmp_path / "config").rename(tmp_path / "gone")
    ask("and now?", session_store=RemoraSessionStore(memory), resume=name)
    assert TASK in seen(api)[-1]
    assert "first answer" in seen(api)[-1]
    here = str(memory.root)
    listed = asyncio.run(claude_agent_sdk.list_sessions_from_store(store, directory=here))
    assert [one.session_id for one in listed] == [name]
    told = asyncio.run(claude_agent_sdk.get_session_messages_from_store(store, name, directory=here))
    assert [one.type for one in told].count("user") >= 2
    assert "second answer" in json.dumps([one.message for one in told])


def test_claude_code_with_a_real_loop(
    memory: Memory, api: ScriptedApi, ask: Callable[..., list[Any]], place: Path
) -> None:
    """What was taught comes with the first prompt and beside its edit; what was said is on record."""
    teach(memory)
    (place / "cache.py").write_text("KEY = 1\n", "utf-8")
    path = str(place / "cache.py")
    edit = Use("Edit", {"file_path": path, "old_string": "KEY = 1", "new_string": "KEY = 2"})
    api.play({"please tidy this up": [[Use("Read", {"file_path": path})], [edit], [Say("done")]]})
    with remora_hooks(memory) as hooks:
        result = ask("please tidy this up", hooks=hooks, permission_mode="acceptEdits")[-1]
        assert hooks.finish(result.session_id, "success") is not None
    assert (place / "cache.py").read_text("utf-8") == "KEY = 2\n"
    first, second, third = seen(api)
    assert RULE in first
    assert PARTNERS not in second
    assert PARTNERS in third
    assert told(memory) == ["brief", "partners"]


def test_the_documented_example(
    memory: Memory, api: ScriptedApi, apart: dict[str, Any], example: Callable[..., dict[str, Any]]
) -> None:
    """The example of the documentation runs, and the model sees what was taught."""
    teach(memory)
    api.play({"The cache mixes up tenants": [[Say("done")]]})
    assert example("Claude Agent SDK", memory=memory, more=apart)["answer"] == "done"
    assert RULE in seen(api)[0]
    assert list((memory.home / "claude-sessions").rglob("*.jsonl"))
