"""remember, edit, supersede."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.core.values import MemoryDraft
from tests.interfaces.conftest import Run

Answer = Callable[..., Any]


def test_remember_takes_every_option(answer: Answer, run: Run, project: Path, tmp_path: Path) -> None:
    """What is given arrives in the memory; else a person taught it; --user keeps it for every project."""
    (project / "a.py").touch()
    options = "--type gotcha --file a.py -f b.py,c.py --module cache --tag tenants --tag keys --scope module"
    more = "--confidence 0.5 --source qa_auto"
    record = answer("remember", "Caches are keyed by tenant", *options.split(), *more.split())
    assert (record["type"], record["related_files"]) == ("gotcha", ["a.py", "b.py", "c.py"])
    assert (record["related_modules"], record["tags"]) == (["cache"], ["tenants", "keys"])
    assert (record["scope"], record["confidence"], record["source"]) == ("module", 0.5, "qa_auto")
    assert record["receipt"]["action"] == "stored"
    record = answer("remember", "Tabs are fine", "--type", "preference")
    assert (record["source"], record["confidence"], record["realm"]) == ("user_taught", 1.0, "project")
    assert answer("remember", "I like tabs", "--type", "preference", "--user")["realm"] == "user"
    other = tmp_path / "other"
    other.mkdir()
    assert "I like tabs" in run("list", "--project", str(other)).stdout
    assert "I like tabs" not in run("list", "--project", str(other), "--project-only").stdout


SAID = "Größe: tokens cost 5 € – naïve caches don’t count"


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (SAID.encode("utf-16"), ""),  # with its mark, as PowerShell writes
        (SAID.encode("utf-16-le"), "note: stdin: read as UTF-16\n"),
    ],
    ids=["utf-16", "without a mark"],
)
def test_encodings_on_stdin(run: Run, answer: Answer, raw: bytes, note: str) -> None:
    """Text in another encoding is stored as it was meant; a sign that was cut and a NUL are told as lost."""
    result = run("remember", "-", "--type", "pattern", stdin=raw)
    assert (result.exit_code, result.stderr) == (0, note)
    assert run("note", "add", "prices", "-", stdin=raw).stderr == note
    assert [m["content"] for m in answer("list")["memories"]] == [SAID]
    assert answer("note", "show", "prices")["content"] == SAID
    cut = "数据库连接要用JWT".encode() + b"\xe6\x95"
    record = json.loads(run("remember", "-", "--type", "pattern", "--json", stdin=cut).stdout)
    assert record["content"] == "数据库连接要用JWT\ufffd"
    assert record["receipt"]["notes"] == ["invalid Unicode characters were replaced"]
    result = run("note", "add", "a", "-", stdin=cut)
    assert result.stderr == "note: stdin: not entirely UTF-8; invalid bytes were replaced\n"
    result = run("remember", "-", "--type", "gotcha", stdin="Access tokens expire\0 after 24 h")
    assert "1 control characters were removed" in result.stdout
    assert answer("list", "--type", "gotcha")["memories"][0]["content"] == "Access tokens expire after 24 h"


@pytest.mark.parametrize(
    "words",
    [
        ["remember", "-"],
        ["note", "add", "a", "-"],
        ["session", "append", "cli:1", "-", "--role", "user"],
        ["remember", "--from-json", "-"],
        ["search", "-"],
    ],
)
def test_no_text_on_stdin(run: Run, answer: Answer, words: list[str]) -> None:
    """Bytes that are no text are refused by every verb that reads stdin, and nothing is stored."""
    result = run(*words, stdin=bytes(range(256)) * 4)
    assert result.exit_code == 2
    assert result.stderr == (
        "error: stdin looks like binary data\nhint: Use text, preferably UTF-8; nothing was stored.\n"
    )
    assert answer("list")["memories"] == answer("note")["entries"] == answer("session")["sessions"] == []


def test_secrets_are_counted_and_never_shown(run: Run) -> None:
    """The answer says how many secrets of which kind were taken out; the value is nowhere."""
    result = run("remember", "The staging password: hunter2swordfish", "--type", "gotcha")
    assert "1 secret removed before storing: 1 password" in result.stdout
    everything = result.stdout + run("list").stdout + run("list", "--json").stdout
    assert "hunter2swordfish" not in everything


def test_files_are_named_from_here(
    answer: Answer, run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path is taken from where one stands, or the root; what lies outside the project stays as written."""
    (project / "src").mkdir()
    (project / "src" / "a.py").touch()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.chdir(project / "src")
    typed = {
        "a.py": "src/a.py",
        "src/a.py": "src/a.py",
        "new.py": "src/new.py",
        "x/../gone.py": "src/gone.py",
        "../b.py": "b.py",
        "./c/": "src/c/",
        "../../out.py": "../../out.py",
        str(project / "d" / "e.py"): "d/e.py",
        "~/f.py": "~/f.py",
    }
    files = [word for name in typed for word in ("-f", name)]
    stored = answer("remember", "first/one", "--type", "pattern", *files)
    assert stored["related_files"] == list(dict.fromkeys(typed.values()))
    for name in ("new.py", "c/"):
        assert "first" in run("list", "-f", name).stdout
    monkeypatch.chdir(tmp_path)
    words = f"remember second/one --type pattern -f new.py --project {project}"
    assert answer(*words.split())["related_files"] == ["new.py"]


def test_edit_changes_what_is_named(run: Run, answer: Answer, remember: Callable[..., str]) -> None:
    """Each option changes its field, the rest stays; an extended type takes its parts as JSON."""
    memory_id = remember("Caches are keyed by tenant", "--tag", "a", "--file", "a.py", "--branch", "topic")
    assert answer("show", memory_id)["branch"] == "topic"
    assert answer("edit", memory_id, "--branch", "release")["branch"] == "release"
    assert answer("edit", memory_id, "--branch", "")["branch"] is None
    options = "--type gotcha --add-tag b --remove-tag a --add-file b.py --confidence 0.4 --scope module"
    record = answer("edit", memory_id[:8], *options.split())
    assert (record["type"], record["tags"], record["related_files"]) == ("gotcha", ["b"], ["a.py", "b.py"])
    assert (record["confidence"], record["scope"]) == (0.4, "module")
    assert record["content"] == "Caches are keyed by tenant"
    assert answer("edit", memory_id, "--file", "c.py", "--remove-file", "c.py")["related_files"] == []
    result = run("edit", memory_id, "--content", "-", stdin="Caches are keyed by shop")
    assert result.stdout == f"{memory_id[:8]}  updated, gotcha  Caches are keyed by shop\n"
    result = run("edit", memory_id)  # no editor opens where nobody can use it
    assert result.exit_code == 2
    assert result.stderr.startswith("error: nothing to change")
    tried = {"approach_tried": "threads", "why_it_failed": "races"}
    words = ["remember", "Threads were given up", "--type", "dead_end", "--payload", json.dumps(tried)]
    record = answer(*words)
    assert (record["type"], record["payload"]) == ("dead_end", tried)
    other = {**tried, "alternative_used": "processes"}
    assert answer("edit", record["id"], "--payload", json.dumps(other))["payload"] == other
    assert answer("edit", record["id"], "--payload", "null")["payload"] is None
    assert '"alternative_used"' not in run("show", record["id"]).stdout


def test_supersede_takes_over_and_says_what_went(run: Run, remember: Callable[..., str]) -> None:
    """The new memory keeps type, files and tags; the old one leaves the list and names its successor."""
    old = remember("Tokens expire after 24 h", "--type", "decision", "--tag", "auth", "--file", "a.py")
    result = run("supersede", old[:8], "Tokens", "expire after 12 h")
    first, second = result.stdout.splitlines()
    assert first.endswith("stored as decision  Tokens expire after 12 h")
    assert second == f"  replaces {old[:8]}: Tokens expire after 24 h"
    listed = json.loads(run("list", "--json").stdout)["memories"]
    assert [(m["content"], m["tags"], m["related_files"]) for m in listed] == [
        ("Tokens expire after 12 h", ["auth"], ["a.py"])
    ]
    shown = run("show", old).stdout
    assert f"superseded by {listed[0]['id'][:8]}" in shown


LINES = """\
{"content": "Releases are cut on Mondays", "type": "decision", "tags": ["release"], "branch": "main"}

{"content": "Threads were given up", "type": "dead_end", "payload": {"approach_tried": "threads"}}
{"content": "The cache is keyed by tenant", "type": "gotcha", "confidence": 0.5, "source": "qa_auto"}
{"content": "Releases are cut on  mondays", "type": "decision"}
"""


def test_drafts_from_a_file(run: Run, project: Path) -> None:
    """Good drafts are stored, bad ones named with their place; with --json they come as one document."""
    (project / "drafts.jsonl").write_text(LINES)
    result = run("remember", "--from-json", "drafts.jsonl")
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert lines[0].endswith("  stored as decision  Releases are cut on Mondays")
    assert lines[1].endswith("  stored as gotcha  The cache is keyed by tenant")
    assert "merged with an existing decision (same text)" in lines[2]
    assert lines[-2].startswith("draft 2: dead_end needs 'why_it_failed'. Its fields are ")
    assert lines[-1] == "Of 4 drafts: 2 stored, 1 merged, 1 refused."
    assert len(run("list").stdout.splitlines()) == 2
    result = run("remember", "--from-json", "-", "--json", stdin=LINES)
    assert (result.exit_code, result.stderr) == (2, "")
    document = json.loads(result.stdout)
    assert [m["receipt"]["action"] for m in document["memories"]] == ["merged"] * 3
    assert [s["what"] for s in document["skipped"]] == ["draft 2"]


def test_any_draft(answer: Answer, run: Run, project: Path) -> None:
    """One that is no object is named; null counts as missing; options fill in what drafts leave out."""
    strange = {**dict.fromkeys(MemoryDraft._fields), "content": "x is y", "files": ["a.py"], "type": None}
    drafts = [3, strange, {"content": "b", "files": ["a"], "related_files": ["b"]}]
    words = ["remember", "--from-json", "-", "--type", "gotcha", "-f", "c.py", "--json"]
    result = run(*words, stdin="\ufeff" + json.dumps(drafts))
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert [(m["type"], m["related_files"]) for m in document["memories"]] == [("gotcha", ["a.py"])]
    assert [s["what"] for s in document["skipped"]] == ["draft 1", "draft 3"]
    own = {"tags": ["own"], "source": "qa_auto", "related_files": ["./src/a.py"]}
    other = {"related_files": [str(project / "b.py")], "user_verified": True}
    drafts = [{"content": "Caches have keys", **own}, {"content": "Tokens expire after 24 h", **other}]
    options = "--type gotcha --tag all --scope module --branch topic -f c.py".split()
    found = answer("remember", "--from-json", "-", *options, stdin=json.dumps(drafts))["memories"]
    assert [(m["tags"], m["source"], m["confidence"], m["related_files"]) for m in found] == [
        (["own"], "qa_auto", 0.8, ["src/a.py"]),
        (["all"], "user_taught", 1.0, ["b.py"]),
    ]
    assert [(m["type"], m["scope"], m["branch"]) for m in found] == [("gotcha", "module", "topic")] * 2
    assert found[1]["user_verified"]


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["x" * 30_000, "--type", "gotcha"], "", "30,000 characters"),
        (["--from-json", "-"], '{"content": "a\0b", "type": "pattern"}\n', "line 1 column "),
        (["--from-json", "-"], "1" * 5000, "the drafts are not JSON"),
        (["--from-json", "-"], "[" * 100_000, "nested too deep"),
    ],
)
def test_what_cannot_be_remembered(run: Run, words: list[str], stdin: str, said: str) -> None:
    """A text that is too long, and drafts that nobody can read, are one error; nothing is stored."""
    result = run("remember", *words, stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert run("list").stdout == ""
