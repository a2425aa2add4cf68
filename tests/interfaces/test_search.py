"""search, context, related, show, list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.interfaces.draw import ITEM_CHARS
from tests.helpers import Repo
from tests.interfaces.conftest import Run

Answer = Callable[..., Any]
Remember = Callable[..., str]


def test_search_line(run: Run, answer: Answer, remember: Remember, clock: FixedClock) -> None:
    """A hit is one line, which --why explains; the document has its score, memory and reasons."""
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
    given = "--forbids console.log( --when src/ --unless src/cli/"
    told = run("why", remember("Logs are structured", *given.split())).stdout
    assert "triggers: forbids `console.log(`; only with `src/`; not with `src/cli/`" in told
    told = run("why", remember("Always run `cargo test --locked`")).stdout
    assert "triggers: when `cargo test`; unless with `cargo test --locked`" in told


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


def test_show(run: Run, answer: Answer, project: Path, clock: FixedClock) -> None:
    """The whole text is shown, however long, with what it rests on; a unique start of the id is enough."""
    text = "Tokens expire. " * 100
    with Memory.open(project, clock=clock) as memory:
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
