"""Any payload of any host: a moment comes of it, within bounds, and what is printed the host takes."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.events import ACTIONS
from remora.core.moments import KINDS, Moment, Reply
from remora.interfaces.hooks.hosts import HOSTS, host_named
from tests.interfaces.hooks.schemas import SCHEMAS, goldens, wrong

PAYLOADS = [(host, golden["stdin"]) for host in HOSTS for golden in goldens(host).values()]


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(_keys(inner) for inner in value.values()))
    return set().union(*(_keys(inner) for inner in value)) if isinstance(value, list) else set()


def _words(value: Any) -> set[str]:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return set().union(*(_words(one) for one in inner))
    return {value} if isinstance(value, str) else set()


KEYS = sorted(set().union(*(_keys(payload) for _, payload in PAYLOADS)))
WORDS = sorted(set().union(*(_words(payload) for _, payload in PAYLOADS)))
EVENTS = sorted({event for schema in SCHEMAS.values() for event in schema} | {"Stop", "post_run_command"})
texts = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=30),
    st.sampled_from(
        ["\ud83d", "\x1b[31m", "*** Begin Patch\n*** Add File: a\n+x", "{", "[]", "\0", "x" * 9_000]
    ),
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS) | st.text(), inner)
    ),
    max_leaves=12,
)
anything = st.dictionaries(st.sampled_from(KEYS) | st.text(), values, max_size=12)
events = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("hook_event_name", "hookEventName", "event", "agent_action_name"), st.sampled_from(EVENTS)
    ),
)
# A real payload with parts taken away and others put in their place.
damaged = st.tuples(
    st.sampled_from([payload for _, payload in PAYLOADS]), st.sets(st.sampled_from(KEYS)), anything
).map(lambda drawn: {k: v for k, v in drawn[0].items() if k not in drawn[1]} | drawn[2])
payloads = st.one_of(damaged, st.tuples(anything, events).map(lambda two: two[0] | two[1]))
replies = st.builds(
    Reply,
    st.one_of(st.text(max_size=60), st.text(min_size=1, max_size=9).map(lambda t: t * 4_000)),
    st.one_of(st.just(""), st.text(max_size=60)),
)
environs = st.dictionaries(
    st.sampled_from(["CURSOR_VERSION", "CURSOR_PROJECT_DIR", "GEMINI_SESSION_ID", "CLAUDECODE"]),
    st.text(max_size=9),
)


def _check(moment: Moment, name: str) -> None:
    assert moment.host == name
    assert moment.kind in KINDS
    assert moment.action in (*ACTIONS, "")
    assert len(moment.text) <= 8_000
    assert max(len(moment.changed), len(moment.removed), len(moment.command)) <= 4_000
    assert len(moment.paths) <= 50
    assert all(path.strip() and len(path) <= 4_096 for path in moment.paths)
    assert max(map(len, (moment.session, moment.agent, moment.turn, moment.call_id, moment.tool))) <= 200
    assert max(len(moment.pattern), len(moment.url)) <= 1_000
    for field in moment:
        for text in field if isinstance(field, tuple) else [field]:
            if isinstance(text, str):
                text.encode()  # half a sign would break the first write
    assert isinstance(moment.failed, bool)


@given(st.sampled_from(HOSTS), payloads, environs, replies)
def test_any_object_makes_a_moment_and_a_valid_answer(
    name: str, payload: dict[str, Any], environ: dict[str, str], reply: Reply
) -> None:
    """Missing parts, parts of wrong types and unknown ones: never an error, never an invalid output."""
    host = host_named(name)
    moment = host.parse(payload, environ)
    _check(moment, name)
    printed = host.render(payload, moment, reply)
    assert wrong(name, payload, printed) == ""
    json.dumps(printed, ensure_ascii=False).encode()  # half a sign would spoil the whole output
    if moment.kind == "other":
        assert printed is None


NAMES = ("hook_event_name", "hookEventName", "event", "agent_action_name", "tool_name", "tool")


def _swollen(payload: Any, text: str) -> Any:
    """Return a payload in which every longer text is another one."""
    if isinstance(payload, dict):
        return {k: v if k in NAMES else _swollen(v, text) for k, v in payload.items()}
    if isinstance(payload, list):
        return [_swollen(inner, text) for inner in payload]
    return text if isinstance(payload, str) and len(payload) > 3 else payload


@pytest.mark.parametrize("name", HOSTS)
def test_huge_and_deep_payloads_are_no_trouble(name: str) -> None:
    """Of a huge text the ends are kept, and no copy is made; what JSON can hold may be at every place."""
    host = host_named(name)
    for payload in (payload for owner, payload in PAYLOADS if owner == name):
        for part in payload:
            deep = payload | ({} if isinstance(payload[part], str) else {part: DEEP})
            _check(host.parse(deep, {}), name)
        swollen = _swollen(payload, "{" + "E   assert 1 == 2\n" * 600_000)
        tracemalloc.start()
        _check(host.parse(swollen, {}), name)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 3_000_000, payload


DEEP: Any = {}
for _ in range(900):
    DEEP = {"metadata": DEEP, "content": [DEEP], "text": "x"}
for _ in range(900):
    DEEP = {"metadata": DEEP, "content": [DEEP], "text": "x"}


def test_both_ends_are_kept_and_what_is_many_is_bounded() -> None:
    """An error tells what went wrong at its start or its end; a call over everything names fifty files."""
    given = {"command": "make " + "x" * 9_000 + " end"}
    error = "Exit code 2\n" + "." * 90_000 + "\nmake: *** Error 2"
    event = {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": given,
        "error": error,
    }
    moment = host_named("claude-code").parse(event, {})
    assert moment.text.startswith("Exit code 2\n")
    assert moment.text.endswith("\nmake: *** Error 2")
    assert len(moment.text) <= 8_000
    assert moment.command.startswith("make xxx")
    assert moment.command.endswith(" end")
    assert len(moment.command) <= 4_000
    edits = [{"file_path": f"/w/{n}.py", "old_string": "a" * 900, "new_string": "b"} for n in range(500)]
    event = {"hook_event_name": "PreToolUse", "tool_name": "MultiEdit", "tool_input": {"edits": edits}}
    moment = host_named("claude-code").parse(event, {})
    assert (len(moment.paths), len(moment.removed) <= 4_000) == (50, True)
    files = "".join(f"*** Delete File: f{n}\n" for n in range(150))
    patch = {"command": f"*** Begin Patch\n{files}*** End Patch"}
    event = {"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": patch}
    assert len(host_named("codex").parse(event, {}).paths) == 50
