"""Whatever happens to a file, a reader gives events that are sound, and never raises."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from remora.core.events import ACTIONS, EVENT_KINDS, Event
from remora.sources.transcripts.discovery import find_in
from remora.sources.transcripts.plain import header, line_of
from remora.sources.transcripts.reader import read
from tests.core.test_codex_patch import PATCH
from tests.sources.transcripts.records import ROOT, answers, asks, claude, codex, put

AGENT = {"isSidechain": True, "agentId": "a1"}
CLAUDE: list[dict[str, Any]] = [
    claude("user", "u1", "go", promptId="p1", origin={"kind": "human"}),
    asks("a1", "Edit", "t1", file_path=f"{ROOT}/a.py", edits=[{"old_string": "1"}], mid="m1"),
    answers(
        "u2", "t1", [{"type": "text", "text": "x"}], is_error=True, toolUseResult={"file": {"startLine": 1}}
    ),
    asks("a2", "Task", "t2", prompt="look", mid="m2", usage={"input_tokens": 5}),
    claude("user", "x1", "look", **AGENT),
    claude(
        "assistant",
        "x2",
        [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "ok"}],
        mid="n",
        **AGENT,
    ),
    answers("u3", "t2", "ok\nagentId: a1b2c3", toolUseResult={"agentId": "a1"}),
    asks("a3", "TaskUpdate", "t3", taskId="1", status="x", mid="m3"),
    claude("system", "c1", None, subtype="compact_boundary", compactMetadata={"preTokens": 5}),
    claude(
        "attachment",
        "q1",
        None,
        attachment={"type": "queued_command", "commandMode": "prompt", "prompt": "x"},
    ),
]
CODEX: list[dict[str, Any]] = [
    codex("session_meta", id="c1", cwd=ROOT, git={"branch": "b"}, source={"subagent": {"thread_spawn": {}}}),
    codex("turn_context", turn_id="t", cwd=ROOT),
    codex("response_item/message", role="user", content=[{"type": "input_text", "text": "go"}]),
    codex("response_item/reasoning", summary=[{"text": "x"}]),
    codex(
        "response_item/function_call",
        name="shell",
        call_id="k",
        arguments=json.dumps({"command": ["ls"], "workdir": "x"}),
    ),
    codex(
        "response_item/function_call_output",
        call_id="k",
        output=json.dumps({"output": "x", "metadata": {"exit_code": 1}}),
    ),
    codex("response_item/custom_tool_call", name="apply_patch", call_id="k2", input=PATCH),
    codex("event_msg/patch_apply_end", call_id="k2", success=False),
    codex("event_msg/token_count", info={"last_token_usage": {"input_tokens": 5}}),
    codex("response_item/custom_tool_call", name="exec", call_id="k3", input="x"),
    codex("event_msg/item_completed", item={"type": "FileChange", "id": "e", "changes": {"a": {}}}),
    codex("event_msg/turn_aborted", reason="interrupted"),
    codex("compacted", message="x"),
]
PLAIN: list[dict[str, Any]] = [
    json.loads(header("x")),
    json.loads(
        line_of(Event("tool_call", "s", "k", 1, paths=("a",), action="read", extra={"lines": [1, 2]}))
    ),
]
RECORDS = {"claude-code": CLAUDE, "codex": CODEX, "plain": PLAIN}
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2**80,
    1.5,
    float("nan"),
    "",
    "x" * 9000,
    "\ud800",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
]


def changed(value: Any, random_: random.Random) -> Any:
    """Return a copy with one thing in it replaced, dropped or doubled."""
    if isinstance(value, dict) and value and random_.random() < 0.85:
        key = random_.choice(sorted(value))
        if random_.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: changed(value[key], random_)}
    if isinstance(value, list) and value and random_.random() < 0.85:
        place = random_.randrange(len(value))
        return [*value[:place], changed(value[place], random_), *value[place:][: random_.randrange(3)]]
    return random_.choice(VALUES)


def check(events: list[Event]) -> None:
    """Assert that events can be stored, and have names of their own."""
    keys = [event.key for event in events]
    assert len(set(keys)) == len(keys)
    for event in events:
        assert event.kind in EVENT_KINDS
        assert event.action in ("", *ACTIONS)
        assert event.session_id is not None
        assert event.step >= 0
        assert len(event.text) <= 8_000
        assert all(isinstance(path, str) for path in event.paths)
        for text in (event.text, event.key, event.command, event.tool, *event.paths):
            text.encode()
        json.dumps(event.extra, allow_nan=False).encode()


@pytest.mark.slow
@pytest.mark.parametrize("host", RECORDS)
def test_changed_values_never_raise(tmp_path: Path, host: str) -> None:
    """Any value may be of any kind: what cannot be understood is passed over."""
    random_ = random.Random(7)
    for round_ in range(150):
        lines = [changed(r, random_) if random_.random() < 0.4 else r for r in RECORDS[host]]
        random_.shuffle(lines) if round_ % 4 == 0 else None
        path = put(tmp_path / f"{round_}.jsonl", [json.dumps(line) for line in lines])
        check(list(read(path, host=host)))


@pytest.mark.parametrize("host", RECORDS)
def test_changed_bytes_never_raise(tmp_path: Path, host: str) -> None:
    """Cut anywhere, with any bytes changed: sound lines are read, the rest is counted."""
    random_ = random.Random(11)
    whole = put(tmp_path / "whole", list(RECORDS[host])).read_bytes()
    path = tmp_path / "cut.jsonl"
    for _ in range(120):
        data = bytearray(whole[: random_.randrange(len(whole))])
        for _ in range(random_.randrange(20)):
            if data:
                data[random_.randrange(len(data))] = random_.randrange(256)
        path.write_bytes(data)
        opened = read(path, host=host)
        check(list(opened))
        find_in(tmp_path)
