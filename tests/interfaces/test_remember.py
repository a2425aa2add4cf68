"""remember, edit, supersede."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import StoreFull
from remora.core.values import MemoryDraft
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext
from tests.interfaces.conftest import Run

Answer = Callable[..., Any]


def test_remember_says_what_was_stored(run: Run) -> None:
    """The answer is the short id, what became of it, its type and its text."""
    result = run("remember", "Tokens", "expire", "after 24 h", "--type", "decision")
    assert result.exit_code == 0
    memory_id, said = result.stdout.rstrip().split("  ", 1)
    assert len(memory_id) == 8
    assert said == "stored as decision  Tokens expire after 24 h"


def test_remember_takes_every_option(answer: Answer, project: Path) -> None:
    """Type, files, modules, tags, scope, confidence and source arrive in the memory."""
    (project / "a.py").touch()
    record = answer(
        "remember", "Caches are keyed by tenant", "--type", "gotcha", "--file", "a.py", "-f", "b.py,c.py",
        "--module", "cache", "--tag", "tenants", "--tag", "keys", "--scope", "module", "--confidence", "0.5",
        "--source", "qa_auto",
    )  # fmt: skip
    assert record["type"] == "gotcha"
    assert record["related_files"] == ["a.py", "b.py", "c.py"]
    assert record["related_modules"] == ["cache"]
    assert record["tags"] == ["tenants", "keys"]
    assert (record["scope"], record["confidence"], record["source"]) == ("module", 0.5, "qa_auto")
    assert record["receipt"]["action"] == "stored"


def test_a_person_is_the_source_by_default(answer: Answer) -> None:
    """What is typed counts as taught by the user, with full confidence."""
    record = answer("remember", "Tabs are fine", "--type", "preference")
    assert (record["source"], record["confidence"], record["realm"]) == ("user_taught", 1.0, "project")


def test_remember_for_every_project(answer: Answer, run: Run, tmp_path: Path) -> None:
    """--user keeps it in the user's own memory, which other projects see too."""
    assert answer("remember", "I like tabs", "--type", "preference", "--user")["realm"] == "user"
    other = tmp_path / "other"
    other.mkdir()
    assert "I like tabs" in run("list", "--project", str(other)).stdout
    assert "I like tabs" not in run("list", "--project", str(other), "--project-only").stdout


def test_remember_from_stdin(run: Run) -> None:
    """A single dash reads the text from stdin."""
    result = run("remember", "-", "--type", "pattern", stdin="One line\nand another\n")
    assert result.stdout.endswith("stored as pattern  One line and another\n")


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
    """Text in another encoding is stored as it was meant, as a memory, a note and a draft in a file."""
    result = run("remember", "-", "--type", "pattern", stdin=raw)
    assert (result.exit_code, result.stderr) == (0, note)
    assert run("note", "add", "prices", "-", stdin=raw).stderr == note
    assert [m["content"] for m in answer("list")["memories"]] == [SAID]
    assert answer("note", "show", "prices")["content"] == SAID


def test_damaged_utf_8_on_stdin(run: Run, answer: Answer) -> None:
    """Where a sign was cut in two, all others stay what they are, and the loss is told in JSON, too."""
    raw = "数据库连接要用JWT".encode() + b"\xe6\x95"
    result = run("remember", "-", "--type", "pattern", "--json", stdin=raw)
    record = json.loads(result.stdout)
    assert record["content"] == "数据库连接要用JWT\ufffd"
    assert record["receipt"]["notes"] == ["invalid Unicode characters were replaced"]
    result = run("note", "add", "a", "-", stdin=raw)
    assert result.stderr == "note: stdin: not entirely UTF-8; invalid bytes were replaced\n"


def test_no_text_on_stdin(run: Run, answer: Answer) -> None:
    """Bytes that are no text are refused by every verb that reads stdin, and nothing is stored."""
    raw = bytes(range(256)) * 4
    verbs = (
        ["remember", "-"],
        ["note", "add", "a", "-"],
        ["session", "append", "cli:1", "-", "--role", "user"],
    )
    for words in (*verbs, ["remember", "--from-json", "-"], ["search", "-"]):
        result = run(*words, stdin=raw)
        assert result.exit_code == 2
        assert result.stderr == (
            "error: stdin looks like binary data\nhint: Use text, preferably UTF-8; nothing was stored.\n"
        )
    assert (
        answer("list")["memories"] == answer("note", "list")["entries"] == answer("session")["sessions"] == []
    )


def test_a_nul_on_stdin(run: Run, answer: Answer) -> None:
    """A single NUL in a text is taken out and told; among drafts it is no JSON."""
    result = run(
        "remember", "-", "--type", "pattern", stdin="Access tokens expire\0 after 24 h in the gateway"
    )
    assert result.exit_code == 0
    assert "1 control characters were removed" in result.stdout
    lines = (
        '{"content": "Builds run on Mondays", "type": "pattern"}\n{"content": "a\0b", "type": "pattern"}\n'
    )
    result = run("remember", "--from-json", "-", stdin=lines)
    assert result.exit_code == 2
    assert "the drafts are not JSON (line 2, column " in result.stderr
    (memory,) = answer("list")["memories"]
    assert memory["content"] == "Access tokens expire after 24 h in the gateway"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the statement is missing"),
        (["..."], "content is empty"),
        (["x is y", "--type", "fact"], "unknown type 'fact'"),
        (["x is y", "--confidence", "high"], "not a valid float"),
        (["x" * 30_000, "--type", "gotcha"], "30,000 characters"),
    ],
)
def test_what_cannot_be_remembered(run: Run, words: list[str], said: str) -> None:
    """Bad input is named, exits with 2 and stores nothing."""
    result = run("remember", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert run("list").stdout == ""


def test_secrets_are_counted_and_never_shown(run: Run) -> None:
    """The answer says how many secrets of which kind were taken out; the value is nowhere."""
    result = run("remember", "The staging password: hunter2swordfish", "--type", "gotcha")
    assert "1 secret removed before storing: 1 password" in result.stdout
    everything = result.stdout + run("list").stdout + run("list", "--json").stdout
    assert "hunter2swordfish" not in everything


def test_guessed_type_is_called_a_guess(run: Run) -> None:
    """Without --type the wording decides, and the answer says how to change it."""
    result = run("remember", "We decided to keep sessions in Redis because it expires them by itself")
    assert result.exit_code == 0, result.stderr
    assert "stored as decision" in result.stdout
    assert "type guessed from the wording" in result.stdout


def test_files_are_named_from_the_root(
    answer: Answer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path typed in a subfolder is stored relative to the project's root."""
    (project / "src").mkdir()
    (project / "src" / "a.py").touch()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.chdir(project / "src")
    words = "remember first/one --type pattern -f a.py -f src/a.py".split()
    assert answer(*words)["related_files"] == ["src/a.py"]


def test_files_that_do_not_exist_are_named_from_here(
    answer: Answer, run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path to nothing is taken from where one stands; what lies outside the project stays as written."""
    (project / "src").mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.chdir(project / "src")
    words = "remember first/one --type pattern -f new.py -f x/../gone.py -f ../b.py -f ./c/ -f ../../out.py"
    absolute = str(project / "d" / "e.py")
    assert answer(*words.split(), "-f", absolute, "-f", "~/f.py")["related_files"] == [
        "src/new.py",
        "src/gone.py",
        "b.py",
        "src/c/",
        "../../out.py",
        "d/e.py",
        "~/f.py",
    ]
    for typed in ("new.py", "c/"):
        assert "first" in run("list", "-f", typed).stdout
    monkeypatch.chdir(tmp_path)
    words = f"remember second/one --type pattern -f new.py --project {project}"
    assert answer(*words.split())["related_files"] == ["new.py"]


def test_edit_changes_what_is_named(run: Run, answer: Answer, remember: Callable[..., str]) -> None:
    """Each option changes its field; the rest stays."""
    memory_id = remember("Caches are keyed by tenant", "--tag", "a", "--file", "a.py")
    options = "--type gotcha --add-tag b --remove-tag a --add-file b.py --confidence 0.4 --scope module"
    record = answer("edit", memory_id[:8], *options.split())
    assert (record["type"], record["tags"], record["related_files"]) == ("gotcha", ["b"], ["a.py", "b.py"])
    assert (record["confidence"], record["scope"]) == (0.4, "module")
    assert record["content"] == "Caches are keyed by tenant"
    assert answer("edit", memory_id, "--file", "c.py", "--remove-file", "c.py")["related_files"] == []
    result = run("edit", memory_id, "--content", "-", stdin="Caches are keyed by shop")
    assert result.stdout == f"{memory_id[:8]}  updated, gotcha  Caches are keyed by shop\n"


def test_edit_without_options_in_a_pipe(run: Run, remember: Callable[..., str]) -> None:
    """No editor opens where nobody can use it; the error says what to do."""
    result = run("edit", remember("Caches are keyed by tenant"))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: nothing to change")


def test_edit_cannot_remove_what_is_not_there(run: Run, remember: Callable[..., str]) -> None:
    """Taking off a tag that is not on the memory is an error that names those that are."""
    result = run("edit", remember("Caches have keys", "--tag", "a"), "--remove-tag", "b")
    assert result.exit_code == 2
    assert result.stderr == "error: the memory has no tag 'b'\nhint: It has: a.\n"


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


def test_branch(answer: Answer, remember: Callable[..., str]) -> None:
    """A memory can be kept for one branch, moved to another, and made to hold on all."""
    memory_id = remember("The cache is written in Rust", "--branch", "topic")
    assert answer("show", memory_id)["branch"] == "topic"
    assert answer("edit", memory_id, "--branch", "release")["branch"] == "release"
    assert answer("edit", memory_id, "--branch", "")["branch"] is None


def test_payload(run: Run, answer: Answer) -> None:
    """An extended type takes its parts as JSON; edit sets others or takes them away."""
    tried = {"approach_tried": "threads", "why_it_failed": "races"}
    words = ["remember", "Threads were given up", "--type", "dead_end", "--payload", json.dumps(tried)]
    record = answer(*words)
    assert (record["type"], record["payload"]) == ("dead_end", tried)
    other = {**tried, "alternative_used": "processes"}
    assert answer("edit", record["id"], "--payload", json.dumps(other))["payload"] == other
    assert answer("edit", record["id"], "--payload", "null")["payload"] is None
    assert '"alternative_used"' not in run("show", record["id"]).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--type", "dead_end", "--payload", "{}"], "dead_end needs 'approach_tried', 'why_it_failed'"),
        (["--type", "dead_end", "--payload", "threads"], "the payload is not JSON"),
        (["--payload", "{}"], "a payload needs a type"),
    ],
)
def test_wrong_payloads(run: Run, words: list[str], said: str) -> None:
    """A payload that does not fit its type is refused with what is missing, and nothing is stored."""
    result = run("remember", "Threads were given up", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert run("list").stdout == ""


LINES = """\
{"content": "Releases are cut on Mondays", "type": "decision", "tags": ["release"], "branch": "main"}

{"content": "Threads were given up", "type": "dead_end", "payload": {"approach_tried": "threads"}}
{"content": "The cache is keyed by tenant", "type": "gotcha", "confidence": 0.5, "source": "qa_auto"}
{"content": "Releases are cut on  mondays", "type": "decision"}
"""


def test_drafts_from_a_file(run: Run, project: Path) -> None:
    """Good drafts are stored, bad ones named with their place; the sum is last and the exit code 2."""
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


def test_drafts_from_stdin_in_json(run: Run) -> None:
    """With --json the records and what was refused come as one document."""
    result = run("remember", "--from-json", "-", "--json", stdin=LINES)
    assert (result.exit_code, result.stderr) == (2, "")
    document = json.loads(result.stdout)
    assert [m["receipt"]["action"] for m in document["memories"]] == ["stored", "stored", "merged"]
    assert [m["branch"] for m in document["memories"]] == ["main", None, None]
    assert [s["what"] for s in document["skipped"]] == ["draft 2"]


def test_a_line_that_is_not_json_refuses_the_file(run: Run) -> None:
    """The line is named, and nothing is stored."""
    result = run("remember", "--from-json", "-", stdin=LINES + '{"content": "half a line",\n')
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the drafts are not JSON (line 6, column " in result.stderr
    assert run("list").stdout == ""


def test_a_draft_that_is_no_object_is_refused(run: Run) -> None:
    """It is named with its place, and the others are stored."""
    drafts = [3, {"content": "Caches have keys"}, {"content": "b", "files": ["a"], "related_files": ["b"]}]
    result = run("remember", "--from-json", "-", "--json", stdin=json.dumps(drafts))
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert [m["content"] for m in document["memories"]] == ["Caches have keys"]
    assert [s["what"] for s in document["skipped"]] == ["draft 1", "draft 3"]


def test_options_fill_in_what_drafts_leave_out(answer: Answer, project: Path) -> None:
    """The options hold for every draft that does not say otherwise; paths in a file are from the root."""
    drafts = [
        {
            "content": "Caches have keys",
            "tags": ["own"],
            "source": "qa_auto",
            "related_files": ["./src/a.py"],
        },
        {
            "content": "Tokens expire after 24 h",
            "related_files": [str(project / "b.py")],
            "user_verified": True,
        },
    ]
    options = "--type gotcha --tag all --scope module --branch topic -f c.py".split()
    document = answer("remember", "--from-json", "-", *options, stdin=json.dumps(drafts))
    first, second = document["memories"]
    assert (first["tags"], first["source"], first["confidence"]) == (["own"], "qa_auto", 0.8)
    assert (second["tags"], second["source"], second["confidence"]) == (["all"], "user_taught", 1.0)
    assert [m["related_files"] for m in (first, second)] == [["src/a.py"], ["b.py"]]
    assert [(m["type"], m["scope"], m["branch"]) for m in (first, second)] == [
        ("gotcha", "module", "topic")
    ] * 2
    assert second["user_verified"]


def test_drafts_without_text_beside_them(run: Run, project: Path) -> None:
    """A text and a file, a file that is not there or too large, and a file without drafts are errors."""
    (project / "empty.json").touch()
    (project / "table.csv").write_text("a,b\n1,2\n")
    for words, said in (
        (["one text", "--from-json", "empty.json"], "not both"),
        (["--from-json", "nowhere.json"], "nowhere.json cannot be read: No such file"),
        (["--from-json", "."], "cannot be read"),
        (["--from-json", "empty.json"], "there are no drafts"),
        (["--from-json", "table.csv"], "the drafts are not JSON (line 1, column 1"),
    ):
        result = run("remember", *words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert said in result.stderr


def test_null_counts_as_missing_and_short_names_count(answer: Answer) -> None:
    """A draft may hold every field, and call files and modules as the tools call them."""
    draft = {**dict.fromkeys(MemoryDraft._fields), "content": "x is y", "files": ["a.py"], "type": None}
    document = answer(
        "remember", "--from-json", "-", "--type", "gotcha", "-f", "c.py", stdin=json.dumps(draft)
    )
    (record,) = document["memories"]
    assert (record["type"], record["related_files"]) == ("gotcha", ["a.py"])


class Full:
    """A memory whose disk is full."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self.memory, name)

    def remember_each(self, drafts: Sequence[dict[str, Any]], **how: Any) -> list[Any]:
        """Store nothing."""
        raise StoreFull("the disk is full")


def test_a_store_that_fails(project: Path, clock: FixedClock) -> None:
    """When the store itself fails, its error ends the command."""

    def opened(path: str, *, clock: FixedClock) -> Any:
        return Full(Memory.open(path, clock=clock))

    words = ["remember", "--from-json", "-"]
    result = CliRunner().invoke(cli, words, input=LINES, obj=CliContext(clock, opened))
    assert (result.exit_code, result.stdout) == (14, "")
    assert result.stderr.splitlines() == ["error: the disk is full"]
