"""The plugin for OpenCode, run by Node with the hooks that OpenCode would call."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from remora.core import moments
from remora.interfaces.hooks import opencode
from remora.interfaces.install.launch_command import Call
from tests.interfaces.install.conftest import Bench

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")
REMORA = """\
import json, sys
event = json.load(sys.stdin)
open(LOG, "a").write(json.dumps({"argv": sys.argv[1:], **event}) + "\\n")
name = event["event"]
print(json.dumps({"context": "said at " + name, "message": "hm" if "chat" in name else ""}))
"""
SCRIPT = """\
import { Remora } from "./remora.mjs"
const toasts = []
const client = { tui: { showToast: async (toast) => toasts.push(toast.body.message) } }
const hooks = await Remora({ client, directory: process.cwd() })
const shown = []
const system = async (id) => {
  const output = { system: ["you are"] }
  await hooks["experimental.chat.system.transform"]({ sessionID: id }, output)
  shown.push(output.system)
}
%s
console.log(JSON.stringify({ shown, toasts }))
process.exit(0)
"""
TALK = """\
const at = { sessionID: "s1" }
const text = { type: "text", text: "fix it" }
hooks.event({ event: { type: "session.created", properties: { info: { id: "s1", directory: "/w" } } } })
await hooks["chat.message"](at, { message: { id: "m1" }, parts: [text, { type: "file", url: "x" }] })
await system("s1")
const call = { tool: "bash", ...at, callID: "c1" }
await hooks["tool.execute.before"](call, { args: { command: "make" } })
const result = { title: "make", output: "x".repeat(900000), metadata: { exit: 1 } }
await hooks["tool.execute.after"]({ ...call, args: { command: "make" } }, result)
await hooks["experimental.text.complete"]({ ...at, messageID: "m2", partID: "p" }, { text: "it fails" })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s2", parentID: "s1" } } } })
await system("s2")
await hooks["chat.message"](at, { parts: [] })
await system("s1")
const output = { context: [] }
await hooks["experimental.session.compacting"](at, output)
shown.push(output.context)
await hooks.event({ event: { type: "session.compacted", properties: at } })
await hooks.event({ event: { type: "session.idle", properties: at } })
await hooks.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } })
await hooks.event({ event: { type: "file.edited", properties: {} } })
await hooks.event({})
"""


def play(bench: Bench, call: Call, script: str, limit: int = 3500) -> dict[str, Any]:
    """Install the plugin, play a script with it, and return what the model would be shown."""
    assert NODE is not None
    bench.call = call
    bench.install("opencode")
    plugin = bench.root / ".opencode/plugins/remora.js"
    source = plugin.read_text("utf-8").replace("LIMIT_MS = 3500", f"LIMIT_MS = {limit}")
    (bench.folder / "remora.mjs").write_text(source, "utf-8")
    (bench.folder / "play.mjs").write_text(SCRIPT % script)
    command = [NODE, str(bench.folder / "play.mjs")]
    done = subprocess.run(command, cwd=bench.root, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def python(bench: Bench, source: str) -> Call:
    """Return a call of a program in Python."""
    program = bench.folder / "program.py"
    program.write_text(source.replace("LOG", repr(str(bench.folder / "log.jsonl"))))
    return Call((sys.executable, str(program)))


def test_a_session(bench: Bench) -> None:
    """Every event reaches Remora once, in order and readable; what it says reaches the model."""
    found = play(bench, python(bench, REMORA), TALK)
    events = [json.loads(line) for line in (bench.folder / "log.jsonl").read_text().splitlines()]
    read = [opencode.parse(event, {}) for event in events]
    assert [moment.kind for moment in read] == [
        moments.START, moments.PROMPT, moments.BEFORE, moments.AFTER, moments.REPLY, moments.SUBAGENT_START,
        moments.PROMPT, moments.COMPACTING, moments.COMPACTED, moments.STOP, moments.END,
    ]  # fmt: skip
    assert all(event["argv"] == ["hook", "--host", "opencode"] for event in events)
    assert {event["directory"] for event in events} == {str(bench.root)}
    assert {moment.session for moment in read} == {"s1", "s2"}
    assert (read[0].cwd, read[1].text, read[1].turn) == ("/w", "fix it", "m1")
    assert (read[3].tool, read[3].call_id, read[3].command, read[3].failed) == ("bash", "c1", "make", True)
    assert read[4].text == "it fails"
    assert len(events[3]["output"]["output"]) < 210_000
    start, prompt = "said at session.created", "said at chat.message"
    assert found["shown"] == [
        ["you are", start, prompt],
        ["you are", start],
        ["you are", start, prompt],
        ["said at experimental.session.compacting"],
    ]
    assert found["toasts"] == ["hm", "hm"]


@pytest.mark.parametrize("source", ["raise SystemExit(2)", "print('5')", ""])
def test_whatever_goes_wrong(bench: Bench, source: str) -> None:
    """A program that fails, says something else or is not there says nothing."""
    call = python(bench, source) if source else Call(("remora-that-is-not-there",))
    assert play(bench, call, TALK) == {"shown": [["you are"], ["you are"], ["you are"], []], "toasts": []}


def test_a_remora_that_hangs(bench: Bench) -> None:
    """A program that does not end is killed, and the agent goes on."""
    source = "import os, time\nopen(LOG, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    start = time.monotonic()
    assert play(bench, python(bench, source), 'await system("s1")', limit=1500)["shown"] == [["you are"]]
    assert time.monotonic() - start < 20
    process = Path("/proc") / (bench.folder / "log.jsonl").read_text()
    deadline = time.monotonic() + 5
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()
