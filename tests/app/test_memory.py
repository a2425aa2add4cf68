"""The verbs of `Memory`, called as the public contract writes them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from remora import Context, FileHit, Hit, InitReport, Memory, MemoryDraft, MemoryRecord
from remora.app.project.accesses import FLUSH_AT
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput, NotFound, StoreReadOnly
from remora.core.values import Receipt, Redaction, Relation, Taint, WorkUnitRef
from tests.app.conftest import Opens
from tests.app.talks import at_once, held
from tests.helpers import SECRET, FakeEmbedder, Repo, files, holds, rows, texts

SAID = "Access tokens expire after 24 h; refresh in middleware/auth.py"


def test_the_contract(repo: Repo, environ: dict[str, str], clock: FixedClock, embedder: FakeEmbedder) -> None:
    """Every verb works with the names and in the forms that outside programs use."""
    path = str(repo.root)
    rules = "- Run make test first.\n"
    repo.commit("Add auth", {"auth/tokens.py": "0", "middleware/auth.py": "0", "AGENTS.md": rules})
    repo.commit("Change auth", {"auth/tokens.py": "1", "middleware/auth.py": "1"})
    with Memory.open(project=path, environ=environ, clock=clock, embedder=embedder) as memory:
        r = memory.remember(SAID, type="decision", related_files=["middleware/auth.py"], tags=["auth"])
        assert isinstance(r, MemoryRecord)
        found = memory.search(
            "token lifetime", k=8, types=None, files=None, modules=None, scope=None, branch=None, kinds=None,
            phase=None, recent_tools=(),
        )  # fmt: skip
        assert all(isinstance(hit, Hit) for hit in found)
        assert [h.id for h in memory.search("when do access tokens expire")] == [r.id]
        assert [m.id for m in memory.list(types=None, limit=100)] == [r.id]
        assert memory.show(r.id).content == SAID
        assert memory.edit(r.id, content="Access tokens expire after 23 h").content.endswith("23 h")
        assert memory.forget(r.id).deprecated
        assert not memory.restore(r.id).deprecated
        assert memory.pin(r.id).pinned
        assert memory.verify(r.id).user_verified
        assert memory.doctor().kind == ""
        new = memory.supersede(r.id, "Access tokens now expire after 12 h")
        assert memory.show(r.id).superseded_by == new.id
        assert isinstance(memory.init(path), InitReport)
        related = memory.related_files("auth/tokens.py", k=10)
        assert related[0].path == "middleware/auth.py"
        assert isinstance(related[0], FileHit)
        assert related[0].why
        context = memory.context(task="change how access tokens expire", phase="define", budget=2500)
        assert isinstance(context, Context)
        assert "expire after 12 h" in context.text
        assert (context.budget, 0 < context.tokens <= 2500, len(context.hits) > 0) == (2500, True, True)
        session = memory.session("cli:42")
        session.append("user", "How long do tokens live?")
        session.extend([{"role": "Ann", "content": "A day.", "external_id": "D1:3", "time": "2023-05-08"}])
        assert len(session.messages()) == len(session.history()) == session.count() == 2
        session.clear()
        assert session.count() == 0
        hit = memory.search("How long do tokens live?", kinds=["turn"])[0]
        assert (hit.source, hit.session_id) == ("turn", "cli:42")
        assert memory.stats().memories == 2


def test_remember(bare: Memory) -> None:
    """A memory is stored with what is given, and the rest by default."""
    (bare.root / "a.py").touch()
    given: dict[str, Any] = {
        "type": "dead_end",
        "source": "qa_auto",
        "scope": "module",
        "confidence": 0.4,
        "related_files": ("a.py",),
        "related_modules": ("parser",),
        "tags": ("threads",),
        "session_id": "s1",
        "work_unit_ref": WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3"),
        "relations": (Relation("required_with", target_file_path="b.py"),),
        "payload": {"approach_tried": "threads", "why_it_failed": "races"},
    }
    said = "Threads were tried in the parser and gave races"
    r = bare.remember(said, created_at="2024-03-15T14:00:00+02:00", **given)
    assert r.receipt == Receipt("stored")
    assert {name: getattr(r, name) for name in given} == given
    assert (r.decay_half_life_days, r.created_at) == (90.0, "2024-03-15T12:00:00.000Z")
    assert bare.show(r.id) == r._replace(receipt=None)
    assert bare.remember("Cookies are small").confidence == 0.8
    assert bare.remember("Tabs, not spaces", source="user_taught").confidence == 1.0


def test_remember_each(bare: Memory) -> None:
    """Drafts are taken as `remember` takes them, each by itself."""
    rule, missing, tag, other, near = bare.remember_each(
        [
            {"content": "Never commit to main without a review", "related_files": ["src/"]},
            {"type": "gotcha"},
            {"content": "Tokens expire after 24 h", "tag": "auth"},
            {"content": "Tokens expire after 24 h", "project": "p"},
            {"content": "never commit to main without a review", "source": "user_taught"},
        ]
    )
    assert isinstance(rule, MemoryRecord)
    assert (rule.type, rule.related_files, rule.confidence) == ("requirement", ("src/",), 0.8)
    assert isinstance(missing, InvalidInput)
    assert str(missing) == "a draft needs 'content'"
    assert isinstance(tag, InvalidInput)
    assert str(tag) == "a memory has no field 'tag'"
    assert isinstance(other, InvalidInput)
    assert other.hint.startswith("Its fields are content, type")
    assert isinstance(near, MemoryRecord)
    assert (near.id, near.confidence, near.receipt and near.receipt.action) == (rule.id, 1.0, "merged")
    (mine,) = bare.remember_each([{"content": "I like tabs"}], user=True)
    assert isinstance(mine, MemoryRecord)
    assert mine.realm == "user"


def test_remember_each_waits_for_the_disk_once(bare: Memory) -> None:
    """Many drafts that say the same are one memory, stored in one transaction."""
    db = bare._project.db.connection
    before = db.version()[1]
    found = bare.remember_each([{"content": "Tokens expire after 24 h", "tags": ["auth"]}] * 50)
    assert db.version()[1] == before + 1
    actions = [r.receipt.action for r in found if isinstance(r, MemoryRecord) and r.receipt]
    assert actions == ["stored"] + ["merged"] * 49


def test_what_is_no_memory(bare: Memory) -> None:
    """Neither is a word, alone, among others, as a correction or in place of another, nor an odd field."""
    kept = bare.remember("Use tabs", type="preference")
    odd: dict[str, Any] = {"colour": "red"}
    refused: list[tuple[str, Callable[[], object]]] = [
        ("too short", lambda: bare.remember("tabs")),
        ("only a secret", lambda: bare.remember(f"token: {SECRET}")),
        ("content has 10,000,000 characters", lambda: bare.remember("x" * 10_000_000)),
        ("a memory has no field 'colour'", lambda: bare.remember("Use spaces", **odd)),
        ("too short", lambda: bare.remember_many([MemoryDraft("Use spaces"), MemoryDraft("spaces")])),
        ("too short", lambda: bare.edit(kept.id, content="tabs")),
        ("too short", lambda: bare.supersede(kept.id, "spaces")),
        ("a memory has no field 'colour'", lambda: bare.supersede(kept.id, "Use spaces", **odd)),
    ]
    for message, call in refused:
        with pytest.raises(InvalidInput, match=message) as caught:
            call()
        assert caught.value.hint
    (said, word) = bare.remember_each([{"content": "Indent by four"}, {"content": "four"}])
    assert isinstance(said, MemoryRecord)
    assert isinstance(word, InvalidInput)
    assert {m.content for m in bare.list()} == {"Use tabs", "Indent by four"}


def test_paths_of_the_project(bare: Memory, folder: Path) -> None:
    """Paths are kept as git writes them, however they are given, and filters understand both."""
    given: list[str | Path] = [folder / "auth/mw.py", "./auth\\keys.py", "/etc/hosts"]
    r = bare.remember("Tokens are refreshed", related_files=given)
    assert r.related_files == ("auth/mw.py", "auth/keys.py", "/etc/hosts")
    for path in ("auth/mw.py", f"{folder}/auth/mw.py", folder / "auth/mw.py", "auth/", f"{folder}/auth/"):
        assert [m.id for m in bare.list(files=[path])] == [r.id]
        assert [h.id for h in bare.search("tokens", files=[path])] == [r.id]
    assert bare.list(files=["other/"]) == []
    assert bare.edit(r.id, related_files=[folder / "b.py"]).related_files == ("b.py",)
    new = bare.supersede(r.id, "Tokens are rotated", related_files=[folder / "c.py"])
    assert new.related_files == ("c.py",)


def test_taint(bare: Memory) -> None:
    """What rests on a tainted memory is tainted too; use never clears it, a person's word does."""
    web = Taint("web_fetch", 3)
    parent = bare.remember("A page says port 8080 is open", user=True, taint=web, needs_review=True)
    child = bare.remember("So the proxy uses 8080", derived_from=[parent.id], confidence=0.8)
    assert (child.realm, child.taint, child.needs_review) == ("project", web, True)
    assert child.confidence == pytest.approx(0.56)
    for _ in range(20):
        bare.search("port 8080 open")
        bare.context("which port is open, 8080")
    bare.prune()
    found = bare.show(parent.id)
    assert (found.access_count, found.needs_review, found.taint) == (40, True, web)
    assert bare.verify(parent.id).taint is None


def test_supersede(bare: Memory) -> None:
    """What is not given, and the pin, is taken over from the old memory; the old one leaves every search."""
    old = bare.remember(SAID, type="decision", tags=["auth"], related_files=["a.py"], scope="module")
    child = bare.remember("So refresh daily", derived_from=[old.id])
    bare.pin(old.id)
    new = bare.supersede(old.id[:8], "Access tokens now expire after 12 h", tags=["jwt"])
    assert (bare.show(new.id).pinned, bare.show(old.id).pinned) == (True, False)
    assert (new.type, new.scope, new.related_files, new.tags) == ("decision", "module", ("a.py",), ("jwt",))
    assert texts(bare.search("access tokens expire")) == ["Access tokens now expire after 12 h"]
    assert bare.show(child.id).needs_review
    with pytest.raises(Conflict, match="was superseded by"):
        bare.supersede(old.id, "Something else again")
    with pytest.raises(InvalidInput, match="tags must be a list"):
        bare.supersede(new.id, "Something else", tags="auth")


def test_ids(bare: Memory) -> None:
    """A unique start of an id will do, in either database; anything else is not found, or ambiguous."""
    mine = bare.remember("Tabs, not spaces", user=True)
    ours = bare.remember(SAID)
    assert bare.show(mine.id[:8]) == mine._replace(receipt=None)
    assert bare.show(ours.id[:8]).realm == "project"
    verbs = (bare.show, bare.forget, bare.restore, bare.pin, bare.verify, bare.dependents)
    for wrong in ("", "abc", "no-such-id", "%", ours.id + "x"):
        for verb in verbs:
            with pytest.raises(NotFound, match="there is no memory"):
                verb(wrong)
    for record, twin in ((ours, "abcd-1"), (mine, "abcd-2")):
        db = bare._project.store(record.realm).db
        with db.connection.transaction():
            db.memories.insert(record._replace(id=twin))
    with pytest.raises(Conflict, match="abcd-1, abcd-2"):
        bare.show("abcd")
    assert bare.show("abcd-2").realm == "user"


def test_list_filters(bare: Memory, clock: FixedClock) -> None:
    """Memories are listed newest first, by every filter, alone and together; nonsense is refused."""
    a = bare.remember("Tokens expire", type="gotcha", tags=["x"], related_files=["src/a.py"], confidence=0.2)
    clock.advance(days=1)
    b = bare.remember(
        "Cookies are small", type="decision", related_modules=["web"], source="user_taught", pinned=True
    )
    clock.advance(days=1)
    c = bare.remember(
        "Queues are long", type="gotcha", scope="module", branch="dev", needs_review=True, user=True
    )
    gone = bare.forget(bare.remember("Lexers are fast").id)
    cases: list[tuple[dict[str, Any], list[MemoryRecord]]] = [
        ({}, [c, b, a]),
        ({"types": ["gotcha"]}, [c, a]),
        ({"types": ["gotcha", "decision"], "limit": 2}, [c, b]),
        ({"limit": 1, "offset": 1}, [b]),
        ({"limit": 0}, []),
        ({"files": ["src/"]}, [a]),
        ({"files": ["src/a.py"], "types": ["decision"]}, []),
        ({"modules": ["web"]}, [b]),
        ({"scope": "module"}, [c]),
        ({"branch": None}, [b, a]),
        ({"branch": "dev"}, [c, b, a]),
        ({"branch": "main"}, [b, a]),
        ({"tag": "x"}, [a]),
        ({"source": "user_taught"}, [b]),
        ({"needs_review": True}, [c]),
        ({"needs_review": False}, [b, a]),
        ({"pinned": True}, [b]),
        ({"user": True}, [c]),
        ({"user": False}, [b, a]),
        ({"order": "confidence"}, [b, c, a]),
    ]
    for given, wanted in cases:
        assert [m.id for m in bare.list(**given)] == [m.id for m in wanted], given
    assert {m.id for m in bare.list(include_forgotten=True)} == {a.id, b.id, c.id, gone.id}
    for wrong in ({"order": "colour"}, {"limit": -1}, {"offset": -1}, {"scope": "world"}):
        with pytest.raises(InvalidInput):
            bare.list(**wrong)


def test_projects_are_apart(bare: Memory, opens: Opens) -> None:
    """What a project has is never found from another; what is the user's own is, unless a setting says no."""
    one, other = bare, opens("another")
    record = one.remember("The parser of project one is slow")
    one.session("cli:1").append("user", "Why is the parser slow?")
    assert other.search("parser slow") == []
    assert other.list() == []
    assert other.context("fix the slow parser").hits == ()
    with pytest.raises(NotFound):
        other.show(record.id)
    assert one.home != other.home
    own = one.remember("Use tabs for indentation everywhere", type="preference", user=True)
    assert (own.realm, own.project_id) == ("user", "user")
    hit = other.search("tabs indentation")[0]
    assert (hit.id, hit.realm) == (own.id, "user")
    assert [m.id for m in other.list(user=True)] == [own.id]
    assert (one.stats().memories, one.stats().user_memories) == (1, 1)
    other.edit(own.id, tags=["style"])
    assert one.show(own.id).tags == ("style",)
    with opens(REMORA_SEARCH_USER_MEMORIES="no") as without:
        assert without.search("tabs indentation") == []
        assert without.context("indentation with tabs").hits == ()
        assert own.id in [m.id for m in without.list()]
    other.forget(own.id)
    other.close()
    assert one.search("tabs indentation") == []


def test_branches(repo: Repo, memory: Memory) -> None:
    """What was learned on a branch is found there or when asked for; what is said of files has its commit."""
    head = repo.commit("first", {"a.py": ""})
    about = memory.remember("Tokens are signed here", type="pattern", related_files=["a.py"])
    free = memory.remember("The parser is slow", branch="dev")
    assert (about.commit_sha, free.commit_sha) == (head, None)
    assert memory.search("parser") == []
    assert len(memory.search("parser", branch="dev")) == len(memory.search("parser", branch="*")) == 1
    repo.git("checkout", "-q", "-b", "dev")
    assert len(memory.search("parser")) == 1


def test_no_secret_is_stored(bare: Memory, tmp_path: Path) -> None:
    """No secret, and no hash of a text with one, is in any file, while open and after closing."""
    whole = f"Deploy with {SECRET} from the vault"
    r = bare.remember(
        whole,
        tags=[f"key {SECRET}"],
        related_files=[f"conf/{SECRET}.yml"],
        citation_text=SECRET,
        context_prefix=f"Keys > {SECRET}",
        payload={"env": {"DB_PASSWORD": "swordfish"}, SECRET: [SECRET]},
    )
    assert r.receipt is not None
    assert r.receipt.redactions == (Redaction("github-token", 7), Redaction("password", 1))
    bare.remember(f"My own {SECRET} from the vault", user=True)
    bare.edit(r.id, content=f"Deploy with {SECRET} from elsewhere", tags=[SECRET])
    new = bare.supersede(r.id, f"Deploy by hand, with {SECRET}")
    bare.session("cli:1").append("user", whole, metadata={"password": "swordfish"})
    bare.search("deploy vault")
    for place in (SECRET, "swordfish", whole, whole.casefold(), f"Deploy by hand, with {SECRET}"):
        assert holds(tmp_path / "data", place) == []
    bare.close()
    for place in (SECRET, "swordfish", whole, whole.casefold()):
        assert holds(tmp_path / "data", place) == []
    assert new.content == "Deploy by hand, with [REDACTED:github-token]"


def test_accesses_are_written_afterwards(opens: Opens, clock: FixedClock) -> None:
    """A search counts the good hits it handed out, by the time the memory is closed."""
    with opens() as memory:
        good = memory.remember("Access tokens expire after 24 h")
        said = "The parser reads files; tokens are one of many words it knows by heart, not more"
        weak = memory.remember(said)
        before = rows(memory)["memories"]
        clock.advance(days=1)
        found = {h.id: h.score for h in memory.search("when do access tokens expire")}
        assert (found[good.id] >= 0.5, found[weak.id] < 0.5) == (True, True)
        assert rows(memory)["memories"] == before
        clock.advance(days=1)
    with opens() as memory:
        used = {one.id: (one.access_count, (one.last_accessed_at or "")[:10]) for one in memory.list()}
        assert used == {good.id: (1, "2026-03-02"), weak.id: (0, "2026-03-01")}


def test_many_accesses_are_written_on_the_way(bare: Memory) -> None:
    """A long-lived program writes its counts now and then; many uses of one session prove nothing."""
    r = bare.remember("Access tokens expire after 24 h", confidence=0.8)
    for _ in range(FLUSH_AT - 1):
        bare.search("when do access tokens expire")
    assert bare.show(r.id).access_count == 0
    bare.search("when do access tokens expire")
    found = bare.show(r.id)
    assert found.access_count == FLUSH_AT
    assert found.confidence == 0.8


def test_a_locked_database_fails_no_search(bare: Memory) -> None:
    """While another holds the database searches and an exit are quick, and the counts are kept."""
    r = bare.remember("Access tokens expire after 24 h")
    with held(bare):
        started = time.monotonic()
        for _ in range(2 * FLUSH_AT):
            assert [h.id for h in bare.search("when do access tokens expire")] == [r.id]
        assert time.monotonic() - started < 10.0
    bare.prune()
    assert bare.show(r.id).access_count == 2 * FLUSH_AT
    bare.search("when do access tokens expire")
    with held(bare):
        started = time.monotonic()
        bare.close()
        assert time.monotonic() - started < 8.0


def test_a_locked_database_and_a_model(able: Memory) -> None:
    """A search whose fresh memories cannot get their vectors finds them by words, and says so."""
    able.remember("The lexer is fast")
    able.search("lexer")
    r = able.remember("Access tokens expire after 24 h")
    with held(able):
        started = time.monotonic()
        assert able.search("when do access tokens expire")[0].id == r.id
        assert time.monotonic() - started < 8.0
    assert any("some texts have no vector yet" in note for note in able.notes)
    able.search("tokens")
    assert not able.notes


def test_prune(bare: Memory, clock: FixedClock) -> None:
    """Pruning looks after both databases; a dry run changes nothing; use in this process counts."""
    gone = bare.forget(bare.remember("Queues are long", type="decision").id)
    clock.advance(days=10)
    used = bare.remember("Access tokens expire after 24 h", type="work_state")
    idle = bare.remember("Cookies are small", type="work_state")
    mine = bare.remember("Tabs, not spaces", type="work_state", user=True)
    clock.advance(days=5)
    assert bare.search("when do access tokens expire")[0].score >= 0.5
    clock.advance(days=17)
    before = rows(bare), rows(bare, "user")
    planned = bare.prune(dry_run=True)
    assert {m.id for m in planned.forget} == {idle.id, mine.id}
    assert [m.id for m in planned.delete] == [gone.id]
    assert (rows(bare), rows(bare, "user")) == before
    done = bare.prune()
    assert {m.id for m in done.forget} == {idle.id, mine.id}
    assert [m.id for m in bare.list(records=True)] == [used.id]
    with pytest.raises(NotFound):
        bare.show(gone.id)
    assert bare.restore(mine.id).realm == "user"
    assert not bare.restore(idle.id).deprecated


def test_a_clock_that_goes_backwards(bare: Memory, clock: FixedClock) -> None:
    """A clock that was wrong ages nothing, and what was said later is still found."""
    r = bare.remember("Access tokens expire after 24 h", type="work_state")
    clock.advance(days=-400)
    assert bare.search("when do access tokens expire")[0].id == r.id
    assert bare.prune().empty
    again = bare.remember("Access tokens expire after 24 h")
    assert again.id == r.id
    assert bare.show(r.id).last_accessed_at == "2026-03-01T12:00:00.000Z"


@pytest.mark.slow
def test_eight_threads(able: Memory) -> None:
    """One memory used by eight threads at once loses no write, no message and no order."""
    texts_of = [[f"Thread {t} says statement {n} of topic{t}x{n}" for n in range(6)] for t in range(8)]

    def work(number: int) -> None:
        session = able.session(f"cli:{number}")
        for n, text in enumerate(texts_of[number]):
            r = able.remember(text)
            session.append("user", text)
            assert any(h.id == r.id for h in able.search(f"topic{number}x{n}"))
            if n % 3 == 0:
                able.edit(r.id, tags=[f"t{number}"])
                able.list(limit=5)
            if n == 5:
                able.forget(r.id)
        assert [m.content for m in session.history()] == texts_of[number]

    at_once(*(partial(work, t) for t in range(8)))
    assert (able.stats().memories, able.stats().forgotten, able.stats().turns) == (40, 8, 48)
    assert able._project.db.connection.check() == []


def test_reading_only_changes_nothing(
    tmp_path: Path, repo: Repo, opens: Opens, embedder: FakeEmbedder
) -> None:
    """The whole read path leaves every file as it was, to the byte and the time."""
    rules = "- Always run make test before a push.\n"
    repo.commit("Add the shop", {"a.py": "0", "b.py": "0", "AGENTS.md": rules})
    with opens(embedder=embedder) as memory:
        memory.init()
        r = memory.remember("Access tokens expire after 24 h", related_files=["a.py"])
        memory.remember("Use tabs for indentation", user=True)
        memory.session("cli:1").append("user", "When do tokens expire?")
        memory.catch_up()
    before = files(tmp_path)
    with opens(embedder=embedder, read_only=True) as memory:
        for _ in range(FLUSH_AT + 1):
            assert memory.search("when do access tokens expire", recent_files=["b.py"])
        assert memory.search("tabs indentation")[0].realm == "user"
        assert memory.context("change when access tokens expire", "define").hits
        assert [h.path for h in memory.related_files("a.py")] == ["b.py", "AGENTS.md"]
        assert len(memory.list()) == 3
        assert memory.show(r.id[:8]).access_count == 0
        assert memory.dependents(r.id) == []
        assert memory.stats().turns == 1
        assert memory.doctor().kind == ""
        assert memory.prune(dry_run=True).empty
        assert len(memory.session("cli:1").history()) == 1
        for write in (
            lambda: memory.remember("Something new"),
            lambda: memory.edit(r.id, tags=["x"]),
            lambda: memory.forget(r.id),
            lambda: memory.supersede(r.id, "Something else"),
            lambda: memory.prune(),
            lambda: memory.init(),
        ):
            with pytest.raises(StoreReadOnly):
                write()
    assert files(tmp_path) == before


def test_reading_beside_a_writer(opens: Opens) -> None:
    """A reader sees what a writer has stored meanwhile, and closing it takes nothing from the writer."""
    with opens() as writer:
        writer.remember("Access tokens expire after 24 h")
        with opens(read_only=True) as reader:
            assert len(reader.list()) == 1
            writer.remember("Cookies are small")
            assert len(reader.list()) == 2
        writer.remember("Queues are long")
    with opens(read_only=True) as reader:
        with opens() as writer:
            writer.remember("Lexers are fast")
            assert len(reader.list()) == 4
            assert writer._project.db.connection.check() == []
        assert len(reader.list()) == 4


def test_contexts(bare: Memory) -> None:
    """The block keeps to its budget; a phase is a universal one or one of the methodology; else refused."""
    for n in range(12):
        text = f"Access tokens of service{n} expire after {n + 1} h because of rule {n}"
        bare.remember(text, type="decision")
    context = bare.context("when do access tokens expire", "coding", budget=100)
    assert (context.phase, 0 < context.tokens <= 100) == ("implement", True)
    assert context.left_out > 0
    assert bare.search("access tokens", phase="implement")
    for budget in (0, -5):
        with pytest.raises(InvalidInput, match="budget must be above 0 tokens"):
            bare.context("x", budget=budget)
    with pytest.raises(InvalidInput, match="unknown phase 'lunch'"):
        bare.search("access tokens", phase="lunch")
    with pytest.raises(InvalidInput, match="unknown methodology 'waterfall'"):
        bare.context("access tokens", "coding", methodology="waterfall")


def test_what_rests_on_another_memory_is_flagged(bare: Memory) -> None:
    """Also in the other database, and by the start of an id; restoring lifts it and names the successor."""
    parent = bare.remember("The gateway retries three times", type="decision")
    ours = bare.remember("So calls take a minute", derived_from=[parent.id[:8], "gone-for-good"])
    assert ours.derived_from == (parent.id, "gone-for-good")
    own = bare.remember(
        "I always set retries to three", type="preference", user=True, derived_from=(parent.id,)
    )
    assert {m.id for m in bare.dependents(parent.id)} == {ours.id, own.id}

    def reasons() -> set[str | None]:
        return {bare.show(one.id).review_reason for one in (ours, own)}

    bare.forget(parent.id)
    assert reasons() == {f"rests on {parent.id[:8]}, which was forgotten"}
    bare.restore(parent.id)
    assert reasons() == {None}
    new = bare.supersede(parent.id, "The gateway retries five times")
    assert all("superseded" in (reason or "") for reason in reasons())
    receipt = bare.restore(parent.id).receipt
    assert receipt is not None
    assert new.id[:8] in receipt.notes[0]


def test_files_and_modules_have_a_short_name_too(bare: Memory) -> None:
    """Whichever way a memory comes in or is changed; a field that is given twice is refused."""
    made = bare.remember("The pager keeps its stream", files=["a.py"], modules=["auth"])
    assert (made.related_files, made.related_modules) == (("a.py",), ("auth",))
    (each,) = bare.remember_each([{"content": "Pages are counted from one", "files": ["b.py"]}])
    assert isinstance(each, MemoryRecord)
    assert each.related_files == ("b.py",)
    assert bare.edit(made.id, files=["c.py"]).related_files == ("c.py",)
    assert bare.supersede(made.id, "The pager drops its stream", files=["d.py"]).related_files == ("d.py",)
    with pytest.raises(InvalidInput, match="are one field"):
        bare.remember("The reader is slow", files=["a.py"], related_files=["b.py"])
