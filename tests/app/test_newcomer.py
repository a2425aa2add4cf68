"""What a newcomer asks in the first five minutes is answered honestly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from remora import Memory
from remora.interfaces.present import about
from tests.helpers import Repo, environment, git_environment


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A repository whose pager was mended once and changed since, after `init`; the tests only read."""
    tmp_path = tmp_path_factory.mktemp("newcomer")
    repo = Repo(tmp_path / "project").init()
    repo.commit(
        "start", {"src/pager.py": "def page(stream):\n    return stream\n", "src/help.py": "TEXT = ''\n"}
    )
    body = "The stream was closed twice because the writer closed it, too, so the last page was lost."
    repo.commit(f"Fix lost pages of the streaming pager\n\n{body}", {"src/pager.py": "a = 2\n"})
    for number in range(3):
        repo.commit(f"change {number}", {"src/pager.py": f"def page(stream):\n    return {number}\n"})
    with pytest.MonkeyPatch.context() as patch:
        for name, value in git_environment().items():
            patch.setenv(name, value)
        with Memory.open(repo.root, environ=environment(tmp_path)) as opened:
            opened.init()
            opened.index()
            yield opened


def test_what_broke_in_a_file_is_answered(memory: Memory) -> None:
    """What a commit says, in its own words, stays true when the file changes later; nobody says it mended."""
    hit = memory.search("what broke in src/pager.py", 1)[0]
    assert "src/pager.py" in hit.text or hit.memory is not None
    assert about(hit)
    assert not [reason for reason in hit.why if reason.stage == "stale"]
    (told,) = (one.content for one in memory.list(source="commit_auto"))
    assert told.startswith("An earlier commit: Fix lost pages of the streaming pager. The stream")


def test_why_a_file_is_likely_and_how_much_is_said_plainly(memory: Memory) -> None:
    """Scores fall with the share of the words that are known; no reason is said twice, no file at 0.00."""
    assert all(hit.score < 0.1 for hit in memory.predict_files("hot air balloon"))
    found = memory.predict_files("page the stream")
    partly = memory.predict_files("page hot air balloon flights over mountains")
    assert found[0].score > 2 * partly[0].score
    assert found[0].why[0].startswith("words of page")
    assert not [why for hit in found for why in hit.why if "first line" in why]
    assert all(hit.score >= 0.005 for hit in found)


def test_nothing_is_related_to_a_file_that_nobody_knows(memory: Memory) -> None:
    """The root holds everything; a file of the same name, or of the same folder, still tells something."""
    assert memory.related_files("nosuch.py") == []
    assert [hit.path for hit in memory.related_files("other/pager.py")] == ["src/pager.py"]
    assert {hit.path for hit in memory.related_files("src/nosuch.py")} == {"src/pager.py", "src/help.py"}


def test_a_least_score(memory: Memory) -> None:
    """Only hits as relevant as asked are returned."""
    found = memory.search("streaming pager")
    for least in (found[0].score - 0.05, 1.0):
        hits = memory.search("streaming pager", min_score=least)
        assert [h.id for h in hits] == [h.id for h in found if h.score >= least]
