"""Verbs on memories: remembering, finding, editing, and keeping or forgetting."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.values import MemoryDraft, Taint
from remora.interfaces.draw import ITEM_CHARS
from tests.helpers import Repo
from tests.interfaces.conftest import Answer, Remember, Run

# Remembering


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


@pytest.mark.parametrize("mark", [True, False])
def test_encodings_on_stdin(run: Run, answer: Answer, mark: bool) -> None:
    """Text in another encoding is stored as it was meant; without a cut sign and a NUL."""
    raw = SAID.encode("utf-16" if mark else "utf-16-le")  # with its mark, as PowerShell writes
    note = "" if mark else "note: stdin: read as UTF-16\n"
    result = run("remember", "-", "--type", "pattern", stdin=raw)
    assert (result.exit_code, result.stderr) == (0, note)
    assert run("note", "add", "prices", "-", stdin=raw).stderr == note
    assert [m["content"] for m in answer("list")["memories"]] == [SAID]
    assert answer("note", "show", "prices")["content"] == SAID
    cut = "数据库连接要用JWT".encode() + b"\xe6\x95"
    record = json.loads(run("remember", "-", "--type", "pattern", "--json", stdin=cut).stdout)
    assert record["content"] == "数据库连接要用JWT\ufffd"
    result = run("note", "add", "a", "-", stdin=cut)
    assert result.stderr == "note: stdin: not entirely UTF-8; invalid bytes were replaced\n"
    assert run("remember", "-", "--type", "gotcha", stdin="Access tokens expire\0 after 24 h").exit_code == 0
    assert answer("list", "--type", "gotcha")["memories"][0]["content"] == "Access tokens expire after 24 h"


BINARY = "error: stdin looks like binary data\nhint: Use text, preferably UTF-8; nothing was stored.\n"
READING = (
    "remember -",
    "remember --from-json -",
    "note add a -",
    "search -",
    "session append x - --role user",
)


def test_what_cannot_be_read_or_remembered(run: Run, answer: Answer) -> None:
    """Bytes that are no text, a text that is too long, broken drafts; and of any text the secrets."""
    for line in READING:
        result = run(*line.split(), stdin=bytes(range(256)) * 4)
        assert (result.exit_code, result.stderr) == (2, BINARY)
    for words, stdin, said in (
        (["x" * 30_000, "--type", "gotcha"], "", "30,000 characters"),
        (["--from-json", "-"], '{"content": "a\0b", "type": "pattern"}\n', "line 1 column "),
        (["--from-json", "-"], "1" * 5000, "the drafts are not JSON"),
        (["--from-json", "-"], "[" * 100_000, "the drafts are not JSON"),
    ):
        result = run("remember", *words, stdin=stdin)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
    assert answer("list")["memories"] == answer("note")["entries"] == answer("session")["sessions"] == []
    told = run("remember", "The staging password: hunter2swordfish", "--type", "gotcha").stdout
    assert "1 secret removed before storing: 1 password" in told
    assert "hunter2swordfish" not in told + run("list").stdout + run("list", "--json").stdout


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


def test_edit_changes_what_is_named(run: Run, answer: Answer, remember: Remember) -> None:
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
    record = answer("remember", "No threads", "--type", "dead_end", "--payload", json.dumps(tried))
    assert (record["type"], record["payload"]) == ("dead_end", tried)
    other = {**tried, "alternative_used": "processes"}
    assert answer("edit", record["id"], "--payload", json.dumps(other))["payload"] == other
    assert answer("edit", record["id"], "--payload", "null")["payload"] is None
    assert '"alternative_used"' not in run("show", record["id"]).stdout


def test_supersede_takes_over_and_says_what_went(run: Run, answer: Answer, remember: Remember) -> None:
    """The new memory keeps type, files and tags; the old one leaves the list and names its successor."""
    old = remember("Tokens expire after 24 h", "--type", "decision", "--tag", "auth", "--file", "a.py")
    result = run("supersede", old[:8], "Tokens", "expire after 12 h")
    first, second = result.stdout.splitlines()
    assert first.endswith("stored as decision  Tokens expire after 12 h")
    assert second == f"  replaces {old[:8]}: Tokens expire after 24 h"
    (new,) = answer("list")["memories"]
    found = (new["content"], new["tags"], new["related_files"])
    assert found == ("Tokens expire after 12 h", ["auth"], ["a.py"])
    assert f"superseded by {new['id'][:8]}" in run("show", old).stdout


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


# Finding


def test_search_and_context(run: Run, answer: Answer, remember: Remember, clock: FixedClock) -> None:
    """A hit is one line, which --why explains; a block goes to stdout, how full it is to stderr."""
    memory_id = remember("Tokens expire after 24 h", "--type", "decision", "--file", "a.py")
    remember("Caches are keyed by tenant", "--type", "gotcha")
    clock.advance(days=3)
    line, *why = run("search", "when", "do", "tokens", "expire", "--why", "-k", "1").stdout.splitlines()
    key, rank, score, *rest = [part.strip() for part in line.split("  ") if part]
    assert (key, rank, 0.0 < float(score) <= 1.0) == (memory_id[:8], "#1", True)
    assert rest == ["decision", "user", "3 days ago", "Tokens expire after 24 h", "[a.py]"]
    stages = [one.split()[0] for one in why]
    assert (stages[0], stages[-2:]) == ("found:", ["time:", "confidence:"])
    document = answer("search", "tokens expire")
    hit = document["hits"][0]
    assert (document["query"], hit["memory"]["id"], hit["text"]) == ("tokens expire", memory_id, rest[3])
    assert {"stage", "score", "rank", "note"} == set(hit["why"][0])
    words = ["context", "tokens expire after", "--phase", "define", "--budget", "300"]
    result, document = run(*words), answer(*words)
    assert "Tokens expire after 24 h" in result.stdout
    assert "of 300 tokens" in result.stderr
    assert (document["text"], document["budget"]) == (result.stdout.rstrip("\n"), 300)
    assert document["tokens"] <= 300


def test_why_tells_what_brings_a_memory_up(run: Run, remember: Remember) -> None:
    """Triggers that were given, and those that were read from its words."""
    given = "--forbids console.log( --when src/ --unless src/cli/"
    told = run("why", remember("Logs are structured", *given.split())).stdout
    assert "triggers: forbids `console.log(`; only with `src/`; not with `src/cli/`" in told
    told = run("why", remember("Never run `cargo test`, run `cargo nextest run`")).stdout
    assert "triggers: forbids `cargo test`; unless with `cargo nextest run`" in told


SHARED = ("-t decision,pattern", "--type decision", "--file src/a.py", "--file src", "-f src/")


def test_every_filter_of_search_and_list(run: Run, remember: Remember, project: Path) -> None:
    """Types, files, modules, scope, kinds, tags, pins and realms each keep out what does not pass."""
    (project / "src").mkdir()
    options = "--type decision --file src/a.py --module auth --scope module --tag x"
    inside = remember("tokens in a", *options.split())[:8]
    outside = remember("tokens in b", "--type", "gotcha", "--file", "lib/b.py", "--user")[:8]
    gone = remember("tokens in c", "--type", "pattern")[:8]
    assert run("pin", inside).exit_code == run("forget", gone).exit_code == 0

    def found(verb: str, line: str = "") -> set[str]:
        return {shown[:8] for shown in run(*verb.split(), *line.split()).stdout.splitlines()}

    for line in (*SHARED, "--module auth", "--scope module"):
        assert found("search tokens", line) == {inside}, line
    for line in (*SHARED, "--tag x", "--pinned", "--project-only"):
        assert found("list", line) == {inside}, line
    assert found("search tokens") == found("list") == {inside, outside}
    assert found("search tokens", "--kind turn") == found("list", "--needs-review") == set()
    assert len(found("search tokens", "-k 1")) == 1
    assert found("list", "--all") == {inside, outside, gone}
    assert found("list", "--user") == {outside}


def test_nothing_found_says_of_what(run: Run, project: Path, remember: Remember) -> None:
    """Records and memories are listed apart; where there is code, the search of it is named, `init` not."""
    (project / "a.py").write_text("def rigid():\n    return 1\n")
    run("init")
    assert "`remora search --code`" in run("search", "zeppelin").stderr
    assert "remora init" not in run("search", "zeppelin").stderr
    remember("Spec 042 succeeded in 14 steps", "--type", "work_unit_outcome")
    told = "There are no memories.\n--records lists the records of commits and sessions.\n"
    assert run("list").stderr == told
    assert run("list", "--records", "--pinned").stderr == "Nothing matches the filters.\n"
    remember("Tokens expire after 24 h", "--type", "decision")
    assert "There are no memories" not in run("list").stderr
    result = run("search", "zeppelin")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("Nothing found. Try other words")
    assert "`remora search --code`" in result.stderr
    assert run("search", "tokens", "-t", "gotcha").stderr == "Nothing matches the filters.\n"


def test_related(run: Run, answer: Answer, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that change together are listed with the evidence; whose a file is stands beside the list."""
    assert "`remora init` reads the git history." in run("related", "a.py").stderr
    repo = Repo(project).init()
    for number, name in enumerate(("Bo", "Ada", "Ada")):
        for path in ("shop/auth/a.py", "shop/b.py"):
            repo.put(path, f"{number}")
        repo.git("add", ".")
        repo.git("commit", "-q", "-m", f"change {number}", GIT_AUTHOR_NAME=name)
    assert run("init").exit_code == 0
    monkeypatch.chdir(project / "shop" / "auth")  # wherever in the project one stands
    result = run("related", "a.py")
    assert result.stdout.startswith("shop/b.py  ")
    assert "shop/auth/a.py is in module shop/auth; 3 commits: " in result.stderr
    assert "Ada 2, Bo 1; last 2" in result.stderr
    document = answer("related", "a.py", "-k", "1")
    assert document["path"] == "shop/auth/a.py"
    assert [f["path"] for f in document["files"]] == ["shop/b.py"]
    owned = document["ownership"]
    assert (owned["module"], owned["commits"]) == ("shop/auth", 3)
    assert {"name": "Bo", "commits": 1} in owned["authors"]
    assert answer("related", "else.py")["ownership"] is None
    told = run("related", "new.py").stderr
    assert "There is no file shop/auth/new.py yet; these results match its name." in told
    assert answer("stats")["modules"] == {"shop": 1, "shop/auth": 1}
    assert "modules: shop (1), shop/auth (1)" in run("stats").stdout


def test_show(run: Run, answer: Answer, memory: Memory) -> None:
    """The whole text is shown, however long, with what it rests on; a unique start of the id is enough."""
    text = "Tokens expire. " * 100
    parent = memory.remember(text, type="decision")
    child = memory.remember("So they are big", type="gotcha", derived_from=(parent.id, "0000-gone"))
    shown = run("show", parent.id[:6]).stdout
    assert text.strip() in shown
    assert len(text) > ITEM_CHARS
    assert f"dependents: {child.id[:8]}  So they are big" in shown
    assert answer("show", parent.id)["content"] == text.strip()
    assert answer("show", child.id)["dependents"] == []
    shown = run("show", child.id).stdout
    assert f"derived from: {parent.id[:8]}  Tokens expire." in shown
    assert "(deleted)" in shown


def test_list_limit_and_order(run: Run, answer: Answer, remember: Remember, clock: FixedClock) -> None:
    """The newest come first; a list that was cut says so; --limit 0 shows all."""
    for number in range(3):
        remember(f"statement {number}", "--confidence", f"0.{9 - number}")
        clock.advance(days=1)
    result = run("list", "--limit", "2")
    assert [line.split("  ")[-1] for line in result.stdout.splitlines()] == ["statement 2", "statement 1"]
    assert result.stderr == "Showing the first 2; use --limit 0 for all.\n"
    assert answer("list", "--limit", "2")["more"] is True
    document = answer("list", "--limit", "0", "--order", "confidence")
    assert [m["content"] for m in document["memories"]] == [f"statement {n}" for n in range(3)]
    assert document["more"] is False


def test_trouble_is_said_beside_lists_and_counts(
    run: Run, remember: Remember, answer: Answer, tmp_path: Path
) -> None:
    """A user's own database that cannot be opened is said by list, stats and search, in JSON as a note."""
    remember("Tokens expire after 24 h")
    (tmp_path / "data" / "user").mkdir()
    (tmp_path / "data" / "user" / "memory.db").write_text("no database " * 100)
    for words in (["list"], ["stats"], ["search", "tokens"]):
        result = run(*words)
        assert result.exit_code == 0
        said = [line for line in result.stderr.splitlines() if line.startswith("note: your own memories")]
        assert len(said) == 1
        (note,) = [n for n in answer(*words)["notes"] if n.startswith("your own memories cannot be read: ")]
        assert said == [f"note: {note}"]


# Keeping


def test_forget_and_restore(run: Run, remember: Remember, answer: Answer) -> None:
    """A forgotten memory leaves the list until it is restored; an unknown id stops before any change."""
    memory_id, second = remember("Tokens expire after 24 h", "--type", "decision"), remember("two things")
    assert run("forget", memory_id, "ffffffff", second).exit_code == 4
    assert len(run("list").stdout.splitlines()) == 2
    assert run("forget").exit_code == 2
    assert run("forget", memory_id[:8]).stdout == f"{memory_id[:8]}  forgotten  Tokens expire after 24 h\n"
    assert run("list").stdout.startswith(second[:8])
    assert run("forget", memory_id).stdout.split("  ")[1] == "already forgotten"
    assert run("restore", memory_id).stdout == f"{memory_id[:8]}  restored  Tokens expire after 24 h\n"
    assert run("restore", memory_id).stdout.split("  ")[1] == "was not forgotten"
    assert memory_id[:8] in run("list").stdout
    document = answer("forget", memory_id, second, memory_id)
    assert [(m["id"], m["deprecated"]) for m in document["memories"]] == [(memory_id, True), (second, True)]
    assert run("list").stdout == ""


def test_forgetting_reaches_what_rests_on_it(run: Run, answer: Answer, memory: Memory) -> None:
    """Dependents are named and wait for a look; a person's word clears them, and removes taint."""
    parent = memory.remember("Tokens are JWTs", type="decision")
    child = memory.remember("So they are big", type="gotcha", derived_from=(parent.id,))
    tainted = memory.remember("Ports are open", type="gotcha", taint=Taint("a web page"))
    result = run("forget", parent.id)
    assert result.stderr == f"1 dependent memory marked for review: {child.id[:8]}\n"
    assert run("list", "--needs-review").stdout.startswith(child.id[:8])
    assert run("verify", child.id).stdout == f"{child.id[:8]}  verified  So they are big\n"
    assert run("list", "--needs-review").stdout == ""
    assert "tainted by a web page" in run("show", tainted.id).stdout
    told = answer("verify", tainted.id)["memories"][0]
    assert (told["taint"], told["user_verified"]) == (None, True)


def test_prune(run: Run, answer: Answer, remember: Remember, clock: FixedClock) -> None:
    """A dry run lists what would go and changes nothing; then it goes, and can be restored."""
    old = remember("Builds fail on Mondays", "--type", "error_pattern")
    clock.advance(days=200)
    kept = remember("Caches are keyed by tenant", "--type", "decision")
    assert run("prune", "--dry-run").stdout.startswith(f"{old[:8]}  would be forgotten")
    assert len(answer("list")["memories"]) == 2
    document = answer("prune", "--dry-run")
    assert document["dry_run"] is True
    assert [m["id"] for m in document["forget"]] == [old]
    assert run("prune").stdout.splitlines()[0].startswith(f"{old[:8]}  forgotten")
    assert [m["id"] for m in answer("list")["memories"]] == [kept]
    clock.advance(days=31)
    assert run("prune").stdout.splitlines()[0].startswith(f"{old[:8]}  deleted")
    assert run("show", old).exit_code == 4
    assert run("prune").stdout == "Nothing to prune.\n"


def test_verify_and_pin(run: Run, remember: Remember, answer: Answer) -> None:
    """By filter or all, and what is verified is left alone; no choice is an error; --off takes a pin off."""
    first = remember("one thing", "--type", "decision", "--file", "src/a.py")
    second = remember("two things", "--type", "gotcha")
    shown = run("verify", "--type", "decision", "--file", "src/").stdout
    assert shown.split("  ")[:2] == [first[:8], "verified"]
    assert run("verify", "--all").stdout.split("  ")[:2] == [second[:8], "verified"]
    assert run("verify", "--all").stdout == ""
    assert all(one["user_verified"] for one in answer("list")["memories"])
    assert run("verify").exit_code == run("verify", first, "--all").exit_code == 2
    assert run("pin", first).stdout.split("  ")[1] == "pinned"
    assert [one["id"] for one in answer("list", "--pinned")["memories"]] == [first]
    assert run("pin", "--off", first).stdout.split("  ")[1] == "unpinned"
    assert answer("list", "--pinned")["memories"] == []


def test_forget_by_filter(run: Run, remember: Remember, memory: Memory) -> None:
    """Only what passes all filters goes, and more than a few only after a yes."""
    kept = remember("Tokens expire after 24 h", "--type", "decision", "--tag", "auth")
    gone = remember("The old relay listens on port 7071", "--type", "gotcha", "--tag", "auth")
    assert run("forget", "--type", "gotcha", "--tag", "other").stderr == "No memory matches.\n"
    assert run("forget", "--type", "gotcha", "--tag", "auth").stdout.startswith(f"{gone[:8]}  forgotten")
    assert run("list").stdout.startswith(kept[:8])
    assert run("forget", kept, "--type", "decision").exit_code == 2
    for number in range(21):
        memory.remember(f"Route {number} is served by host {number}", type="pattern")
    assert "21 memories would be forgotten" in run("forget", "--type", "pattern").stderr
    assert len(run("forget", "--type", "pattern", "--yes").stdout.splitlines()) == 21
