"""Payloads of every host: the moment that an event makes, and what goes out; also of those nobody foresaw."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remora.core.events import ACTIONS
from remora.core.moments import KINDS, OTHER, SILENCE, Moment, Reply
from remora.interfaces.hooks.hosts import HOSTS, host_named
from remora.interfaces.hooks.payloads import LIMIT, code_told, fitted, mapping, words
from tests.interfaces.hooks.schemas import SCHEMAS, goldens, wrong
from tests.tables import table

GOLDENS = [(host, stem, golden) for host in HOSTS for stem, golden in goldens(host).items()]
PAYLOADS = [(host, golden["stdin"]) for host, _, golden in GOLDENS]


def parsed(host: str, **payload: Any) -> Moment:
    """Return the moment that a payload makes."""
    moment: Moment = host_named(host).parse(payload, {})
    return moment


# Events that hosts are known to send, as files beside this


@pytest.mark.parametrize(
    ("name", "golden"),
    [(host, golden) for host, _, golden in GOLDENS],
    ids=[f"{host}-{stem}" for host, stem, _ in GOLDENS],
)
def test_an_event_and_a_reply(name: str, golden: dict[str, Any]) -> None:
    """Each part is where it belongs; what is said goes out where INJECTS has it, cut at a line if long."""
    host, stdin = host_named(name), golden["stdin"]
    made = host.parse(stdin, golden.get("environ", {}))
    assert made == Moment(**{**golden["moment"], "paths": tuple(golden["moment"].get("paths", ()))})
    said = Reply("src/cache.py: clear the cache before the tests", "Remora: one memory")
    printed = host.render(stdin, made, said)
    assert printed == golden["output"]
    long = host.render(stdin, made, Reply("ein Satz über Mäuse\n" * 5_000, "n" * 50_000))
    for output in (printed, long):
        assert wrong(name, stdin, output) == ""
    for silence in (SILENCE, Reply(" \n", "\t")):
        assert host.render(stdin, made, silence) is None
    printed = host.render(stdin, made, Reply("a lesson"))
    # Cursor tells of some tools twice, and listens only once.
    if not stdin.get("hook_event_name", "").startswith(("after", "before")):
        assert (printed is not None) is (made.kind in host.INJECTS)
    if printed is not None:
        assert made.kind in host.INJECTS
        text = json.dumps(long, ensure_ascii=False)
        assert "über Mäuse\\n[Truncated; search_memory" in text
        assert len(text) > 5_000


@pytest.mark.parametrize("name", HOSTS)
def test_every_kind_of_event_has_a_file(name: str) -> None:
    """Each host has a file for every event that it knows, and one for an event that is none of ours."""
    host: Any = host_named(name)
    moments = [golden["moment"] for golden in goldens(name).values()]
    kinds = {moment["kind"] for moment in moments}
    assert kinds <= set(KINDS)
    assert kinds == {*host._KINDS.values(), OTHER} | (kinds & {"before", "after", "subagent_start"})
    assert {moment.get("action", "other") for moment in moments} <= set(ACTIONS)
    assert kinds >= host.INJECTS
    assert host.TRANSCRIPTS is (name in ("claude-code", "codex"))
    assert host.parse({}, {}) == Moment("other", host=name)


# Which answers show a failure, what a call names, how answers are made to fit


@pytest.mark.parametrize(("host", "which", "answer"), table(__file__, "failures"))
def test_a_failure_is_what_the_answer_shows(host: str, which: str, answer: str) -> None:
    """By a code, a mark or the host's own words at their place; never by what the output talks about."""
    told = json.loads(answer)
    ran = {"session_id": "s", "tool_input": {"command": "make"}, "tool_response": told}
    payload = {
        "codex": {"hook_event_name": "PostToolUse", "tool_name": "Bash", **ran},
        "cursor": {"hook_event_name": "postToolUse", "tool_name": "Shell", **ran, "tool_output": told},
        "gemini": {"hook_event_name": "AfterTool", "tool_name": "run_shell_command", **ran},
        "copilot": {"toolName": "bash", "toolArgs": {"command": "make"}, "toolResult": told},
        "vscode": {"hookEventName": "PostToolUse", "tool_name": "run_in_terminal", **ran},
        "opencode": {"event": "tool.execute.after", "input": {"tool": "bash"}, "output": told},
    }[host]
    moment = parsed(host, **payload)
    assert (moment.kind, moment.action, moment.failed) == ("after", "run", which == "failed")


def test_what_only_the_host_itself_says_of_a_tool_counts() -> None:
    """What a tool found is no failure; Gemini CLI names a server, from which comes external text."""
    told = '{"error": "E", "exitCode": 3}'
    assert not parsed("cursor", hook_event_name="postToolUse", tool_name="Read", tool_output=told).failed
    found = {"tool_name": "read_file", "tool_response": {"error": "E1"}}
    assert not parsed("vscode", hookEventName="PostToolUse", **found).failed
    read: dict[str, Any] = {"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "read_file"}
    assert parsed("gemini", **read).action == "read"
    assert parsed("gemini", **read, mcp_context={"server_name": "drive"}).action == "fetch"


def test_a_code_counts_at_the_end_and_the_last_one() -> None:
    """A host tells the code when all is over; what stands far before it was printed by the command."""
    pattern = r"^Exit Code: (\d{1,9})$"
    assert code_told("Exit Code: 0\nExit Code: 1", pattern)
    assert not code_told("Exit Code: 1\nExit Code: 0", pattern)
    assert not code_told("Exit Code: 1\n" + "." * 600, pattern)
    assert not code_told("Exit Code: 130", pattern)
    assert not code_told("Exit Code: " + "9" * 5_000, pattern)


def test_words_and_arguments_are_found_wherever_they_are() -> None:
    """Texts, blocks, objects with either, the same once; arguments as an object or its JSON."""
    assert words("a") == "a"
    assert words([{"type": "text", "text": "a"}, "b", {"type": "image", "data": "…"}, 5]) == "a\nb"
    assert words({"output": "a", "text": "a"}) == "a"
    assert words({"file": {"content": "a"}}) == "a"
    assert words({"file": {"content": "a"}}, contents=False) == ""
    assert words({"stdout": "\x1b[1mok\x1b[0m"}) == "ok"
    assert words(None) == words({"content": {"x": {"y": 1}}}) == ""
    assert mapping({"a": 1}) == mapping('{"a": 1}') == {"a": 1}
    assert mapping("[1]") == {"input": "[1]"}
    assert mapping("{broken") == {"input": "{broken"}
    assert mapping(5) == mapping(None) == {}
    assert mapping("{" * 100_000) == {"input": "{" * 100_000}


def test_a_patch_is_known_in_whatever_argument_it_comes() -> None:
    """Files, folder, what goes in and what goes out; a patch that only adds files writes."""
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-1\n+2\n*** End Patch"

    def patched(tool: str, used: Any, host: str = "codex") -> Moment:
        """Return the moment before a tool is used."""
        event = "hookEventName" if host == "vscode" else "hook_event_name"
        return parsed(host, **{event: "PreToolUse"}, tool_name=tool, tool_input=used)

    for used in (patch, {"input": patch}, {"patch": patch}, {"patchText": patch}, {"command": patch}):
        made = patched("apply_patch", used)
        assert (made.action, made.paths, made.changed, made.removed) == ("edit", ("a.py", "b.py"), "2", "1")
    listed = {"command": ["bash", "-lc", f"cd /w/x && apply_patch <<'E'\n{patch}\nE"]}
    assert patched("shell", listed).paths == ("/w/x/a.py", "/w/x/b.py")
    added = {"input": "*** Begin Patch\n*** Add File: n.md\n+x\n*** End Patch"}
    assert patched("apply_patch", added, "vscode").action == "write"
    shown = {"command": "cat patches/one  # *** Begin Patch"}
    assert patched("Bash", shown).command == shown["command"]


def test_a_text_that_fits_stays() -> None:
    """One that does not is cut at a line end, else at a word, else anywhere; never within a sign."""
    assert fitted("a" * LIMIT) == "a" * LIMIT
    assert fitted("ä" * 5_000) == "ä" * 5_000
    for said in ("line\n" * 9_000, "word " * 9_000, "x" * 90_000, "😀" * 9_000, "\ud83d" * 9_000):
        cut = fitted(said)
        assert len(cut.encode()) <= LIMIT
        assert cut.endswith("\n[Truncated; search_memory or `remora search` finds the rest.]")
    assert "line\n[Truncated" in fitted("line\n" * 9_000)
    assert "word\n[Truncated" in fitted("word " * 9_000)


# Payloads of any form


def parts(value: Any) -> tuple[set[str], set[str]]:
    """Return the keys and the texts in a value, at any depth."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    found = [parts(one) for one in inner]
    keys = set(value) if isinstance(value, dict) else set()
    texts = {value} if isinstance(value, str) else set()
    return keys.union(*(one for one, _ in found)), texts.union(*(one for _, one in found))


KEYS, WORDS = (sorted(found) for found in parts([payload for _, payload in PAYLOADS]))
EVENTS = sorted({event for schema in SCHEMAS.values() for event in schema} | {"Stop", "post_run_command"})
NAMES = ("hook_event_name", "hookEventName", "event", "agent_action_name", "tool_name", "tool")
STRANGE = ["\ud83d", "\x1b[31m", "*** Begin Patch\n*** Add File: a\n+x", "{", "[]", "\0", "x" * 9_000]
texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=30), st.sampled_from(STRANGE))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts)
keys = st.sampled_from(KEYS) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner), max_leaves=12
)
anything = st.dictionaries(keys, values, max_size=12)
events = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES[:4], st.sampled_from(EVENTS)))
# A real payload with parts taken away and others put in their place.
damaged = st.tuples(
    st.sampled_from([payload for _, payload in PAYLOADS]), st.sets(st.sampled_from(KEYS)), anything
).map(lambda drawn: {k: v for k, v in drawn[0].items() if k not in drawn[1]} | drawn[2])
payloads = st.one_of(damaged, st.tuples(anything, events).map(lambda two: two[0] | two[1]))
notes = st.just("") | st.text(max_size=60)
replies = st.builds(
    Reply, st.text(max_size=60) | st.text(min_size=1, max_size=9).map(lambda t: t * 4_000), notes
)
environs = st.dictionaries(
    st.sampled_from(["CURSOR_VERSION", "CURSOR_PROJECT_DIR", "GEMINI_SESSION_ID", "CLAUDECODE"]),
    st.text(max_size=9),
)


def check(moment: Moment, name: str) -> None:
    """Check that a moment is one of a host, and within bounds."""
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


@example("vscode", {"hook_event_name": "PostToolUse", "hookEventName": "AfterAgent"}, {}, Reply("0"))
@given(st.sampled_from(HOSTS), payloads, environs, replies)
def test_any_object_makes_a_moment_and_a_valid_answer(
    name: str, payload: dict[str, Any], environ: dict[str, str], reply: Reply
) -> None:
    """Missing parts, parts of wrong types and unknown ones: never an error, never an invalid output."""
    host = host_named(name)
    moment = host.parse(payload, environ)
    check(moment, name)
    printed = host.render(payload, moment, reply)
    assert wrong(name, payload, printed) == ""
    json.dumps(printed, ensure_ascii=False).encode()  # half a sign would spoil the whole output
    if moment.kind == "other":
        assert printed is None


def swollen(payload: Any, text: str) -> Any:
    """Return a payload in which every longer text is another one."""
    if isinstance(payload, dict):
        return {k: v if k in NAMES else swollen(v, text) for k, v in payload.items()}
    if isinstance(payload, list):
        return [swollen(inner, text) for inner in payload]
    return text if isinstance(payload, str) and len(payload) > 3 else payload


@pytest.mark.parametrize("name", HOSTS)
def test_huge_and_deep_payloads_are_no_trouble(name: str) -> None:
    """Of a huge text the ends are kept, and no copy is made; what JSON can hold may be at every place."""
    host, deep = host_named(name), {}  # type: Any, dict[str, Any]
    for _ in range(1_800):
        deep = {"metadata": deep, "content": [deep], "text": "x"}
    for payload in (payload for owner, payload in PAYLOADS if owner == name):
        for part in payload:
            check(host.parse(payload | ({} if isinstance(payload[part], str) else {part: deep}), {}), name)
        large = swollen(payload, "{" + "E   assert 1 == 2\n" * 600_000)
        tracemalloc.start()
        check(host.parse(large, {}), name)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 3_000_000, payload


def test_both_ends_are_kept_and_what_is_many_is_bounded() -> None:
    """An error tells what went wrong at its start or its end; a call over everything names fifty files."""
    command = {"command": "make " + "x" * 9_000 + " end"}
    error = "Exit code 2\n" + "." * 90_000 + "\nmake: *** Error 2"
    failure = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": error}
    moment = parsed("claude-code", **failure, tool_input=command)
    assert moment.text.startswith("Exit code 2\n")
    assert moment.text.endswith("\nmake: *** Error 2")
    assert moment.command.startswith("make xxx")
    assert moment.command.endswith(" end")
    check(moment, "claude-code")
    edits = [{"file_path": f"/w/{n}.py", "old_string": "a" * 900, "new_string": "b"} for n in range(500)]
    patch = "*** Begin Patch\n" + "".join(f"*** Delete File: f{n}\n" for n in range(150)) + "*** End Patch"
    for host, tool, arguments in (
        ("claude-code", "MultiEdit", {"edits": edits}),
        ("codex", "apply_patch", {"command": patch}),
    ):
        moment = parsed(host, hook_event_name="PreToolUse", tool_name=tool, tool_input=arguments)
        assert len(moment.paths) == 50
        check(moment, host)
