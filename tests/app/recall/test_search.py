"""What a search may read, what it checks first, and what it does without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora import Memory, ScriptedModel
from remora.app.codebase.indexing import mark_changed
from remora.app.project.locate import commit_of
from remora.app.recall.search import AT_HAND
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, ProviderBusy
from remora.sources import git_process
from tests.helpers import FakeEmbedder, Repo, environment, rows, texts

FACT = "Access tokens expire after 24 h"


def test_what_cannot_be_searched(bare: Memory) -> None:
    """A query says something, a number of hits is whole, and a filter that makes no sense is not ignored."""
    wrong: list[tuple[str, Any, str]] = [
        ("query", " \n ", "the query is empty"),
        ("query", "?!… \x00", "the query is empty"),
        ("k", -1, "k must be a whole number"),
        ("types", "gotcha", "types must be"),
        ("files", "a.py", "files must be"),
        ("scope", "world", "scope"),
        ("kinds", ["letter"], "letter"),
        ("recent_tools", "Grep", "recent_tools must be"),
    ]
    for name, value, message in wrong:
        with pytest.raises(InvalidInput, match=message):
            bare.search(**{"query": "tokens", name: value})
        if name == "query":
            with pytest.raises(InvalidInput, match=message):
                bare.context(value)


@pytest.mark.parametrize(
    "query",
    [
        "tokens* OR -expire ^ {a b}: (",
        "tokens\x00\u202e expire",
        "tokens \ud83d expire",
        "tokens " * 100_000,
        "tokens " + "x" * 1_000_000,
    ],
    ids=["signs", "marks", "half a sign", "many words", "a long word"],
)
def test_odd_queries(bare: Memory, query: str) -> None:
    """Whatever signs a query has, and however long it is, it is searched for by its words."""
    bare.remember(FACT)
    assert texts(bare.search(query)) == [FACT]


def test_a_language_model_that_fails(tmp_path: Path, folder: Path, embedder: FakeEmbedder) -> None:
    """A model that cannot guess leaves the hits as they are; a context never asks it."""
    model = ScriptedModel([ProviderBusy("the model is away")])
    with Memory.open(folder, environ=environment(tmp_path), embedder=embedder, llm=model) as memory:
        memory.remember(FACT)
        memory.context("something about tokens that nobody knows")
        assert model.calls == []
        assert texts(memory.search("tokens")) == [FACT]
        assert len(model.calls) == 1
        assert any("the model is away" in note for note in memory.notes)


def test_related_files(repo: Repo, tmp_path: Path) -> None:
    """Partners of a file are found by any spelling of its path, and what agents read together counts."""
    for n in range(3):
        repo.commit(f"Change {n}", {"src/a.py": str(n), "src/b.py": str(n), f"c{n}.py": "0"})
    (repo.root / "notes.md").write_text("Read me.\n")
    with Memory.open(repo.root, environ=environment(tmp_path)) as memory:
        memory.init()
        wanted = [h.path for h in memory.related_files("src/a.py")]
        assert wanted[0] == "src/b.py"
        for path in ("./src/a.py", "src\\a.py", str(repo.root / "src/a.py")):
            assert [h.path for h in memory.related_files(path)] == wanted
        assert [h.path for h in memory.related_files("src/a.py", k=1)] == ["src/b.py"]
        assert memory.related_files("src/a.py", k=0) == []
        before = memory.related_files("src/a.py")[0].score
        db = memory._project.db
        with db.connection.transaction():
            db.connection.execute(
                """INSERT INTO observer_co_access_edges(file_a, file_b, project_id, weight, last_observed_at)
                   VALUES ('src/a.py', 'src/b.py', 'p', 0.8, 0), ('src/a.py', 'notes.md', 'p', 0.5, 0)"""
            )
        found = {h.path: h for h in memory.related_files("src/a.py")}
        assert found["src/b.py"].score > before
        assert found["src/b.py"].why[-1] == "read together in agent sessions (80%)"
        assert found["notes.md"].score == pytest.approx(0.25)


def test_related_files_are_tied_by_their_code(repo: Repo, memory: Memory) -> None:
    """What imports a file is named with it, once the code is indexed, and no longer when that is stale."""
    repo.commit("Begin", {"src/a.py": "def one():\n    return 1\n", "web/page.py": "", "docs/x.md": "x"})
    memory.init()
    before = memory.related_files("src/a.py")
    assert all("imports it" not in hit.why for hit in before)
    uses = "from src.a import one\n\nprint(one())\n"
    repo.put("lib/user.py", uses)
    memory.index()
    found = {hit.path: hit for hit in memory.related_files("src/a.py")}
    assert "imports it" in found["lib/user.py"].why
    other = {hit.path: hit for hit in memory.related_files("lib/user.py")}
    assert "is imported by it" in other["src/a.py"].why
    repo.put("lib/user.py", "print(1)\n")  # taken out since the last index
    assert "imports it" not in str(memory.related_files("src/a.py"))
    repo.put("lib/user.py", uses)
    assert "is imported by it" in str(memory.related_files("lib/user.py"))
    mark_changed(memory._project, ["lib/user.py"])
    assert memory.related_files("src/a.py") == before
    for path, message in (("  ", "the path is empty"), (str(repo.root.parent / "a.py"), "is not in")):
        with pytest.raises(InvalidInput, match=message):
            memory.related_files(path)
    assert memory.related_files("no/such/file.py") == []


def test_files_that_are_gone_are_not_recommended(repo: Repo, memory: Memory) -> None:
    """A file that this branch renamed or removed is neither related to another nor part of a task."""
    page, dates, guide = "web/page.py", "web/dates.py", "web/guide.md"
    for n in range(3):
        code = {path: f"def {name}():\n    return {n}\n" for path, name in ((page, "page"), (dates, "night"))}
        repo.commit(f"Format night dates of the page {n}", {**code, guide: str(n)})
    memory.init()
    assert {dates, guide} <= {hit.path for hit in memory.related_files(page)}
    repo.git("checkout", "-qb", "topic")
    repo.git("mv", dates, "web/nights.py")
    repo.git("rm", "-q", guide)
    repo.git("commit", "-qm", "Rename")
    likely = [hit.path for hit in memory.predict_files("format night dates of the page", tests=True)]
    assert "web/nights.py" in likely
    related = [hit.path for hit in memory.related_files(page)]
    assert not {dates, guide} & {*likely, *related}


def test_a_search_embeds_what_is_new_and_writes_nothing_else(able: Memory, embedder: FakeEmbedder) -> None:
    """What was just remembered or said has its vector first; then it leaves every table as it is."""
    able.remember(FACT, related_files=["a.py"])
    able.session("cli:1").append("user", "Why do tokens expire?")
    found = able.search("tokens expire")
    assert {h.source for h in found} == {"memory", "turn"}
    assert len(embedder.documents) == 2
    assert all(any("dense" in str(reason) for reason in hit.why) for hit in found)
    assert able.notes == ()
    before = rows(able)
    for _ in range(5):
        able.search("why do access tokens expire", recent_files=["a.py"], phase="define")
        able.context("tokens")
        able.related_files("a.py")
    assert rows(able) == before


def test_new_commits_are_seen_without_init(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that a new commit changed, or took away, lowers what was learned before; git is asked once."""
    asked: list[tuple[str, ...]] = []
    started = git_process.tokens

    def counted(folder: Path, *arguments: str) -> Any:
        asked.append(arguments)
        return started(folder, *arguments)

    clock = FixedClock("2026-01-01T18:00:00Z")
    with Memory.open(repo.root, environ=environment(tmp_path), clock=clock) as memory:
        repo.commit("Add the shop", {"till.py": "1", "stock.py": "1", "CLAUDE.md": "# Shop\n"})
        memory.init()
        memory.remember("The till rounds half up", related_files=["till.py"])
        memory.remember("The stock counts boxes, never pieces", related_files=["stock.py"])

        def doubts(query: str) -> list[str]:
            (hit, *_) = memory.search(query)
            return [reason.note for reason in hit.why if reason.stage == "stale"]

        monkeypatch.setattr("remora.sources.git.tokens", counted)
        clock.advance(days=3)
        assert doubts("how does the till round") == []
        assert asked == []  # nothing is checked out that was not read
        with monkeypatch.context() as patched:
            read: list[object] = []

            def watched(repository: Any) -> str | None:
                read.append(repository)
                return commit_of(repository)

            patched.setattr("remora.app.project.open_project.commit_of", watched)
            assert len(memory.search("what does the till or the stock do")) == 2
            assert len(read) == 1  # git's files are read once a search, not for every hit
        changed = repo.commit("Round down", {"till.py": "2"})
        (note,) = doubts("how does the till round")
        assert note.startswith("1 of 1 files changed since ")
        assert doubts("does the stock count boxes") == []
        assert len(asked) == 1
        (repo.root / "stock.py").unlink()
        repo.commit("Nobody counts any more")
        assert "its files are gone" in doubts("does the stock count boxes")[0]
        repo.git("reset", "-q", "--hard", changed)
        assert doubts("does the stock count boxes") == []
        repo.git("checkout", "-q", "-b", "side", "HEAD~1")
        assert doubts("how does the till round") == []
        repo.git("gc", "-q", "--prune=now")
        memory._project.db.meta.set("history.commit", "0" * 40)
        repo.git("checkout", "-q", "main")
        assert len(doubts("how does the till round")) == 1


def test_what_is_known_of_a_file_at_hand_is_told(able: Memory) -> None:
    """The best few about the very file, though the task's words say nothing of it; others stay out."""
    names = ("north", "south", "east", "west", "upper", "lower", "inner")
    for name in names:
        able.remember(f"The {name} gate drops headers", type="gotcha", related_files=["web/gate.py"])
    able.remember("Mail leaves at night", type="gotcha", related_files=["mail/queue.py"])
    told = able.context("rename a variable", "implement", recent_files=["web/gate.py"])
    assert len(told.hits) == AT_HAND
    assert {hit.memory.related_files for hit in told.hits if hit.memory} == {("web/gate.py",)}
    assert able.context("rename a variable", "implement").hits == ()
    able.remember("Access tokens are refreshed by the worker", related_files=["worker.py"])
    able.remember("Access tokens are refreshed by the proxy", related_files=["proxy.py"])
    found = able.context("how are access tokens refreshed", files=["proxy.py"]).hits
    first, second = [h.memory.related_files for h in found if h.memory and "tokens" in h.text]
    assert (first, second) == (("proxy.py",), ("worker.py",))  # a hint keeps nothing else out
