"""search, context, related, show, list."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import StoreReadOnly
from remora.core.values import MEMORY_TYPES, MemoryDraft
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext
from remora.interfaces.draw import ITEM_CHARS
from tests.helpers import FakeEmbedder, Repo
from tests.interfaces.conftest import Run

Answer = Callable[..., Any]
Remember = Callable[..., str]
EMPTY = "Nothing is remembered here yet."


@pytest.mark.parametrize("words", [["search", "cache"], ["list"], ["context", "cache"]])
def test_nothing_yet(run: Run, words: list[str]) -> None:
    """Where nothing was ever remembered, the answer says how to begin, and is no error."""
    result = run(*words)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.startswith(EMPTY)
    assert "`remora init`" in result.stderr


def test_search_line(run: Run, remember: Remember, clock: FixedClock) -> None:
    """A hit is one line: id, rank, score, type, where from, age, text, files."""
    memory_id = remember("Tokens expire after 24 h", "--type", "decision", "--file", "a.py")
    remember("Caches are keyed by tenant", "--type", "gotcha")
    clock.advance(days=3)
    line = run("search", "when", "do", "tokens", "expire").stdout.splitlines()[0].split("  ")
    parts = [part.strip() for part in line if part]
    assert parts == [
        memory_id[:8],
        "#1",
        parts[2],
        "decision",
        "user",
        "3 days ago",
        "Tokens expire after 24 h",
        "[a.py]",
    ]
    assert 0.0 < float(parts[2]) <= 1.0


def test_search_in_json(answer: Answer, remember: Remember) -> None:
    """The document has the question and the hits, each with score, memory and reasons."""
    memory_id = remember("Tokens expire after 24 h", "--type", "decision")
    document = answer("search", "tokens expire")
    assert document["query"] == "tokens expire"
    hit = document["hits"][0]
    assert hit["memory"]["id"] == memory_id
    assert hit["text"] == "Tokens expire after 24 h"
    assert {"stage", "score", "rank", "note"} == set(hit["why"][0])


def test_why(run: Run, remember: Remember) -> None:
    """--why says how a hit was found, what changed its rank, who said it and its confidence now."""
    remember("Tokens expire after 24 h", "--type", "error_pattern")
    lines = run("search", "tokens", "--why").stdout.splitlines()
    stages = [line.split()[0] for line in lines[1:]]
    assert stages[0] == "found:"
    assert stages[-2:] == ["time:", "confidence:"]
    assert len(stages) <= 5


def test_why_shows_the_triggers_of_a_memory(run: Run, remember: Remember) -> None:
    """Each with its conditions in words."""
    given = remember(
        "Logs are structured", "--forbids", "console.log(", "--when", "src/", "--unless", "src/cli/"
    )
    told = run("why", given).stdout
    assert "triggers: forbids `console.log(`; only with `src/`; not with `src/cli/`" in told
    locked = remember("Always run `cargo test --locked`")
    assert "triggers: when `cargo test`; unless with `cargo test --locked`" in run("why", locked).stdout


def test_search_obeys_every_filter(run: Run, remember: Remember, project: Path) -> None:
    """Types, files, modules, scope and kinds each keep out what does not pass."""
    (project / "src").mkdir()
    inside = remember(
        "tokens in a", "--type", "decision", "--file", "src/a.py", "--module", "auth", "--scope", "module"
    )
    outside = remember("tokens in b", "--type", "gotcha", "--file", "lib/b.py")

    def found(*options: str) -> list[str]:
        return [line[:8] for line in run("search", "tokens", *options).stdout.splitlines()]

    assert sorted(found()) == sorted([inside[:8], outside[:8]])
    for options in (
        ("--type", "decision"),
        ("-t", "decision,pattern"),
        ("--file", "src/a.py"),
        ("--file", "src"),
        ("-f", "src/"),
        ("--module", "auth"),
        ("--scope", "module"),
    ):
        assert found(*options) == [inside[:8]]
    assert found("--kind", "turn") == []
    assert len(found("-k", "1")) == 1


def test_no_hit_is_no_error(run: Run, remember: Remember) -> None:
    """Without a hit the answer is a sentence and exit code 0; a filter that does not exist is named."""
    remember("Tokens expire after 24 h", "--type", "decision")
    result = run("search", "zeppelin")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("Nothing found. Try other words")
    assert run("search", "tokens", "-t", "gotcha").stderr == "Nothing matches the filters.\n"
    assert run("search", "tokens", "-t", "gotchas").exit_code == 2


def test_a_list_of_nothing_says_of_what(run: Run, remember: Remember) -> None:
    """Records and memories are listed apart; of the others it is said where they are."""
    remember("Spec 042 succeeded in 14 steps", "--type", "work_unit_outcome")
    told = "There are no memories.\n--records lists the records of commits and sessions.\n"
    assert run("list").stderr == told
    assert run("list", "--records", "--pinned").stderr == "Nothing matches the filters.\n"
    remember("Tokens expire after 24 h", "--type", "decision")
    assert "There are no memories" not in run("list").stderr


def test_where_there_is_code_an_empty_answer_names_the_search_of_it(
    run: Run, project: Path, remember: Remember
) -> None:
    """With memories or without any; and `init` is not asked for where it was."""
    (project / "a.py").write_text("def zeppelin():\n    return 1\n")
    run("init")
    assert "`remora search --code`" in run("search", "zeppelin").stderr
    assert "remora init" not in run("search", "zeppelin").stderr
    remember("Tokens expire after 24 h")
    assert "`remora search --code`" in run("search", "zeppelin").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the question is missing"),
        (["x", "--kind", "page"], "unknown kind of hit 'page'"),
        (["x", "-k", "0"], "0 is not in the range"),
    ],
)
def test_what_cannot_be_searched(run: Run, words: list[str], said: str) -> None:
    """A question or filter that cannot be used is named and exits with 2."""
    result = run("search", *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_turn_is_found_and_named(run: Run, project: Path, clock: FixedClock) -> None:
    """What was said in a conversation is a hit with its own id, speaker and session."""
    with Memory.open(project, clock=clock) as memory:
        memory.session("cli:42").append("Ada", "We met a zeppelin in Friedrichshafen", external_id="D1:3")
    line = run("search", "zeppelin").stdout.splitlines()[0]
    assert line.startswith("D1:3")
    assert "turn" in line
    assert "Ada in cli:42" in line


def test_context(run: Run, answer: Answer, remember: Remember) -> None:
    """The block goes to stdout as it is; how full it is goes to stderr."""
    remember("Tokens expire after 24 h", "--type", "decision")
    result = run("context", "tokens expire after", "--phase", "define", "--budget", "300")
    assert result.exit_code == 0
    assert "Tokens expire after 24 h" in result.stdout
    assert "of 300 tokens" in result.stderr
    document = answer("context", "tokens expire after", "--phase", "define", "--budget", "300")
    assert document["text"] == result.stdout.rstrip("\n")
    assert document["budget"] == 300
    assert document["tokens"] <= 300


def test_related(run: Run, answer: Answer, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that change together are listed with the evidence, wherever in the project one stands."""
    assert "`remora init` reads the git history." in run("related", "a.py").stderr
    repo = Repo(project).init()
    for number in range(4):
        repo.commit(f"change {number}", dict.fromkeys(("src/a.py", "src/b.py"), f"{number}"))
    assert run("init").exit_code == 0
    monkeypatch.chdir(project / "src")
    first = run("related", "a.py").stdout.splitlines()[0]
    assert first.startswith("src/b.py  ")
    document = answer("related", "a.py", "-k", "1")
    assert document["path"] == "src/a.py"
    assert [f["path"] for f in document["files"]] == ["src/b.py"]
    assert "There is no file src/new.py yet; these results match its name." in run("related", "new.py").stderr


def test_related_tells_whose_a_file_is(run: Run, answer: Answer, project: Path) -> None:
    """The module of a file and its authors go to stderr, harmless for a terminal, and into the document."""
    repo = Repo(project).init()
    for number, name in enumerate(("Bo", "Ada", "A\x1b[31md\x07a")):
        for path in ("shop/auth/a.py", "shop/b.py"):
            repo.put(path, f"{number}")
        repo.git("add", ".")
        repo.git("commit", "-q", "-m", f"change {number}", GIT_AUTHOR_NAME=name)
    assert run("init").exit_code == 0
    result = run("related", "shop/auth/a.py")
    assert "shop/auth/a.py is in module shop/auth; 3 commits: " in result.stderr
    assert "Ada 1, Bo 1; last 2" in result.stderr
    assert "\x1b" not in result.stderr + result.stdout
    assert result.stdout.startswith("shop/b.py  ")
    owned = answer("related", "shop/auth/a.py")["ownership"]
    assert (owned["module"], owned["commits"]) == ("shop/auth", 3)
    assert {"name": "Bo", "commits": 1} in owned["authors"]
    assert answer("stats")["modules"] == {"shop": 1, "shop/auth": 1}
    assert "modules: shop (1), shop/auth (1)" in run("stats").stdout
    assert answer("related", "else.py")["ownership"] is None


def test_show(run: Run, answer: Answer, remember: Remember) -> None:
    """The whole text is shown, however long; a unique start of the id is enough."""
    text = "Tokens expire. " * 100
    memory_id = remember(text, "--type", "decision")
    shown = run("show", memory_id[:6]).stdout
    assert text.strip() in shown
    assert len(text) > ITEM_CHARS
    document = answer("show", memory_id)
    assert document["content"] == text.strip()
    assert document["dependents"] == []


def test_show_names_parents_and_dependents(run: Run, project: Path, clock: FixedClock) -> None:
    """What a memory rests on and what rests on it are shown with their texts."""
    with Memory.open(project, clock=clock) as memory:
        parent = memory.remember("Tokens are JWTs", type="decision")
        child = memory.remember("So they are big", type="gotcha", derived_from=(parent.id, "0000-gone"))
    assert f"dependents: {child.id[:8]}  So they are big" in run("show", parent.id).stdout
    shown = run("show", child.id).stdout
    assert f"derived from: {parent.id[:8]}  Tokens are JWTs" in shown
    assert "(deleted)" in shown


def test_list_filters(run: Run, remember: Remember) -> None:
    """Each filter of `list` keeps what passes it."""
    first = remember("one thing", "--type", "gotcha", "--tag", "x", "--file", "src/a.py")
    second = remember("two things", "--type", "decision", "--user")
    third = remember("three things", "--type", "pattern")
    assert run("pin", first).exit_code == 0
    assert run("forget", third).exit_code == 0

    def ids(*options: str) -> set[str]:
        return {line[:8] for line in run("list", *options).stdout.splitlines()}

    assert ids() == {first[:8], second[:8]}
    assert ids("--all") == {first[:8], second[:8], third[:8]}
    for options in (
        ["--tag", "x"],
        ["--file", "src/a.py"],
        ["-t", "gotcha"],
        ["--pinned"],
        ["--project-only"],
    ):
        assert ids(*options) == {first[:8]}
    assert ids("--user") == {second[:8]}
    assert ids("--needs-review") == set()
    assert run("list", "--user", "--project-only").exit_code == 2


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
    assert run("list", "--order", "length").exit_code == 2


@pytest.mark.parametrize("words", [["list"], ["search", "tokens"]])
def test_unknown_type_is_named(run: Run, words: list[str]) -> None:
    """A type that does not exist is an error that lists those that do and names the one that comes close."""
    result = run(*words, "--type", "gotchas")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "error: unknown memory type 'gotchas'\nhint: Did you mean gotcha? The types are gotcha, "
    )
    assert all(kind in result.stderr for kind in MEMORY_TYPES)
    result = run(*words, "--type", "gotcha,zzz", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["message"] == "unknown memory type 'zzz'"


class Slow(FakeEmbedder):
    """A model that takes longer for a batch than a search waits."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Take a little longer than a search waits for the first batch, and much longer for another one."""
        time.sleep(0.8 if self.documents else 0.31)
        return super().embed_documents(texts)


def test_backlog_of_vectors_is_said(project: Path, clock: FixedClock) -> None:
    """After a search that had no time to embed everything, stderr says how many wait and what to do."""
    with Memory.open(project, clock=clock) as memory:
        memory.remember_many([MemoryDraft(f"Service number{n} has port{n}") for n in range(100)])

    def call(*words: str) -> Result:
        return CliRunner().invoke(
            cli, list(words), obj=CliContext(clock, partial(Memory.open, embedder=Slow()))
        )

    result = call("search", "which port has number7")
    assert result.exit_code == 0
    assert result.stderr.startswith("note: 84 memories have no vector yet; `remora reindex` computes them\n")
    assert "no vector yet" not in result.stdout
    with Memory.open(project, clock=clock, embedder=FakeEmbedder()) as memory:
        memory.reindex()
    assert "no vector yet" not in call("search", "which port has number7").stderr
    assert json.loads(call("search", "which port has number7", "--json").stdout)["notes"] == []


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


def test_read_only_data_can_be_read(remember: Remember, clock: FixedClock) -> None:
    """Where nothing can be written, reading verbs still answer and writing verbs say why they cannot."""

    def opened(project: str, *, read_only: bool = False, clock: FixedClock) -> Memory:
        if not read_only:
            raise StoreReadOnly("the disk cannot be written")
        return Memory.open(project, read_only=True, clock=clock)

    memory_id = remember("Tokens expire after 24 h", "--type", "decision")

    def call(*words: str) -> Result:
        return CliRunner().invoke(cli, list(words), obj=CliContext(clock, opened))

    for words in (["list"], ["search", "tokens"], ["show", memory_id]):
        assert "Tokens expire" in call(*words).stdout
    assert call("stats").exit_code == 0
    for words in (["remember", "another"], ["forget", memory_id], ["init"]):
        result = call(*words)
        assert (result.exit_code, result.stdout) == (13, "")
        assert result.stderr == "error: the disk cannot be written\n"
