"""What a person said in sessions: kept, found, told, turned into memories, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.errors import NotFound
from tests.app.conftest import Opens
from tests.app.learning.test_learn import Talk
from tests.helpers import Repo, holds

DATABASE = "The staging database is read only for us."
ZANZIBAR = "The zanzibar server is not for tests."
PORT = "The collector must listen on port 4320."
APPLY = "On this team we do not run `terraform apply` by hand from now on."


@pytest.fixture
def repo(repo: Repo) -> Repo:
    """A repository with a file."""
    repo.commit("start", {"app.py": "a = 1\n"})
    return repo


@pytest.fixture
def memory(repo: Repo, opens: Opens) -> Iterator[Memory]:
    """The memory of it."""
    with opens() as opened:
        yield opened


def learnt(memory: Memory, tmp_path: Path, *said: str, name: str = "one", day: int = 5) -> None:
    """Learn a session in which a person said something."""
    talk = Talk(name, day, memory.root)
    for text in said:
        talk.user(text).reply("Done.")
    talk.save(tmp_path / "talks")
    memory.learn(tmp_path / "talks")


def words(memory: Memory) -> list[str]:
    """Return the quotes that are kept."""
    return [hit.text for hit in memory.quotes()]


def test_a_quote_is_found_by_meaning_and_is_no_memory(memory: Memory, tmp_path: Path) -> None:
    """Who asks for quotes, by kind or speaker, is told the very words with their day; nobody else is."""
    learnt(memory, tmp_path, DATABASE, "Rename the helper, please.")
    memory.reindex()  # written files are read anew; what sessions said is not theirs
    (hit,) = memory.search("may I write to the staging database?", kinds=["quote"])
    assert (hit.text, hit.source, hit.role) == (DATABASE, "quote", "user")
    assert (hit.session_id, (hit.time or "")[:10]) == ("claude-code:one", "2026-01-05")
    assert memory.list() == []
    assert memory.stats().written == {"quote": 1}
    task = "write a migration that runs against the staging database"
    assert memory.search(task) == []
    assert DATABASE not in memory.context(task).text + memory.plan_context(task).text
    assert [hit.text for hit in memory.search(task, role="user")] == [DATABASE]
    text = memory.context(task, kinds=["quote"]).text
    assert f"“{DATABASE}”" in text
    assert "2026-01-05" in text


def test_a_request_of_three_sessions_is_kept_once(memory: Memory, tmp_path: Path) -> None:
    """That it is made again says that it lasts, whatever its form; two sessions say nothing yet."""
    for day in range(1, 6):
        learnt(memory, tmp_path, "address PR feedback" + "!" * (day % 2), name=f"s{day}", day=day)
        assert len(words(memory)) == (day > 2)
    (hit,) = memory.search("what is done about feedback of a PR", k=1, kinds=["quote"])
    assert hit.text.startswith("address PR feedback")


def test_a_quote_becomes_a_memory_when_a_person_says_so(memory: Memory, tmp_path: Path) -> None:
    """It has the person's words, source and session; whether a quote still holds nobody knows before."""
    learnt(memory, tmp_path, APPLY)
    assert not memory.loop("later").before("Bash", {"command": "terraform apply"})
    record = memory.keep_quote(memory.quotes()[0].id, type="decision")
    assert (record.content, record.source, record.type) == (APPLY, "user_taught", "decision")
    assert record.session_id == "one"
    memory.keep_quote(memory.quotes()[0].id)
    assert APPLY in (memory.loop("third").before("Bash", {"command": "terraform apply"}) or "")


def test_what_a_session_said_is_replaced_and_removed(memory: Memory, tmp_path: Path) -> None:
    """Learned again it has its quotes once, with their ids; one that was removed stays away, alone."""
    learnt(memory, tmp_path, DATABASE)
    before = memory.quotes()[0].id
    learnt(memory, tmp_path, DATABASE, ZANZIBAR)
    assert {hit.text: hit.id for hit in memory.quotes()}[DATABASE] == before
    (hit,) = memory.quotes(session_id="one", limit=1)
    assert (hit.text, memory.quotes(session_id="two")) == (ZANZIBAR, [])
    assert memory.remove_quote(hit.id) == hit.text
    assert [bool(holds(memory.home, word)) for word in ("zanzibar", "staging")] == [False, True]
    memory.learn(tmp_path / "talks", again=True)
    assert words(memory) == [DATABASE]
    with pytest.raises(NotFound):
        memory.remove_quote(hit.id)
    learnt(memory, tmp_path, f"Remember: {DATABASE}", name="two")
    kept = [text for text in words(memory) if text.startswith("Remember")]
    memory.remove_quote(before)
    assert words(memory) == kept != []


def test_private_spans_and_the_setting(opens: Opens, tmp_path: Path) -> None:
    """What is marked private is in no file; the setting keeps nothing at all."""
    private = f"{DATABASE} <private>The vault code is never xyzzy.</private>"
    with opens() as memory:
        learnt(memory, tmp_path, private, "<PRIVATE>\nplugh")
        assert words(memory) == [DATABASE]
    found = [bool(holds(memory.home, word)) for word in ("staging", "xyzzy", "plugh")]
    assert found == [True, False, False]
    with opens(REMORA_LEARN_QUOTES="false", REMORA_HOME=str(tmp_path / "off")) as memory:
        memory.learn(tmp_path / "talks")
        assert memory.quotes() == []


def said_on(memory: Memory, repo: Repo, tmp_path: Path, branch: str) -> None:
    """Learn a session on a new branch that has a commit of its own, then go back to main."""
    repo.git("checkout", "-q", "-b", branch, "main")
    repo.commit(f"{branch} begins", {f"{branch}.py": "b = 1\n"})
    Talk(branch, 9, memory.root, branch).user(APPLY).reply("Done.").save(tmp_path / "talks")
    memory.learn(tmp_path / "talks")
    repo.git("checkout", "-q", "main")


def told(memory: Memory) -> bool:
    """Return whether a search finds the quote."""
    return bool(memory.search("who runs terraform apply", kinds=["quote"]))


def test_what_was_said_on_a_branch_is_told_there_and_everywhere_once_it_is_merged(
    memory: Memory, repo: Repo, tmp_path: Path
) -> None:
    """In a search; the list has it all the time. Of a deleted branch it is told nowhere."""
    said_on(memory, repo, tmp_path, "topic")
    assert not told(memory)
    assert words(memory) == [APPLY]
    head = repo.git("rev-parse", "topic")
    repo.git("checkout", "-q", "topic")
    assert told(memory)
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-D", "topic")
    memory.learn(tmp_path / "talks")
    assert not told(memory)
    repo.git("merge", "-q", "--no-ff", "-m", "Merge topic", head)
    memory.learn(tmp_path / "talks")
    assert told(memory)


def test_a_memory_of_a_quote_holds_where_the_quote_does(memory: Memory, repo: Repo, tmp_path: Path) -> None:
    """On its branch; a person's own memory, and one that is given another branch, are not bound to it."""
    said_on(memory, repo, tmp_path, "topic")
    name = memory.quotes()[0].id
    assert memory.keep_quote(name, user=True).branch is None
    assert memory.keep_quote(name).branch == "topic"
    memory.remove_quote(name)
    learnt(memory, tmp_path, PORT)
    assert memory.keep_quote(memory.quotes()[0].id).branch is None
