"""What a person changes in the panel is done by the verbs, and most of it can be taken back."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from remora import Memory
from remora.core.clock import FixedClock
from remora.core.values import MemoryRecord
from tests.interfaces.panel.conftest import Browser


def test_a_memory_is_edited(browser: Browser, memory: Memory) -> None:
    """The form says what it is, in a person's name; of two tabs the second is shown both texts first."""
    record = memory.remember("A cache has a key")
    seen = memory.history(record.id)[-1].rev
    fields = {"type": "gotcha", "tags": "cache, keys", "files": "tax.py", "revision": seen}
    path = f"memories/{record.id}/edit"
    assert "Saved." in browser.post(path, {**fields, "content": "A cache has two keys"}).text
    found = memory.show(record.id)
    assert (found.content, found.type, found.tags) == ("A cache has two keys", "gotcha", ("cache", "keys"))
    assert found.related_files == ("tax.py",)
    assert memory.history(record.id)[-1].author.startswith("person:")
    answer = browser.post(path, {**fields, "content": "A cache has three keys"})
    assert answer.status_code == 409
    assert "A cache has two keys" in answer.text
    assert "A cache has three keys" in answer.text
    assert memory.show(record.id).content == "A cache has two keys"
    again = {"content": "A cache has four keys", "revision": memory.history(record.id)[-1].rev}
    browser.post(path, {**fields, **again})
    assert memory.show(record.id).content == "A cache has four keys"
    browser.post(f"memories/{record.id}/change", {"do": "restore", "revision": seen})
    assert memory.show(record.id).content == "A cache has a key"


def test_nobody_confirms_a_text_that_they_never_read(browser: Browser, memory: Memory) -> None:
    """A page that was overtaken by a change shows the new text instead of acting on it."""
    record = memory.remember("A cache has a key")
    memory.edit(record.id, content="A cache has two keys")
    for path, form in (
        ("change", {"do": "verify"}),
        ("change", {"do": "forget"}),
        ("wrong", {"choice": "silent"}),
    ):
        answer = browser.post(f"memories/{record.id}/{path}", {**form, "shown": "A cache has a key"})
        assert answer.status_code == 409
        assert "A cache has two keys" in answer.text
    found = memory.show(record.id)
    assert (found.user_verified, found.deprecated, found.silent) == (False, False, False)


def test_a_change_of_many_can_be_taken_back(browser: Browser, memory: Memory) -> None:
    """Undo restores what the last change forgot, and nothing else; a change by filter means all of them."""
    records = [memory.remember(f"The {one} is red", type="gotcha") for one in ("door", "roof", "wall")]
    memory.forget(records[2].id)
    answer = browser.post("memories/bulk", {"do": "forget", "id": [one.id for one in records[:2]]})
    assert "2 memories forgotten" in answer.text
    assert memory.list() == []
    browser.post("undo", {"back": "/memories"})
    assert {one.content for one in memory.list()} == {"The door is red", "The roof is red"}
    assert browser.post("undo").status_code == 422
    memory.remember("Bills are sent on Mondays", type="decision")
    browser.post("memories/bulk", {"do": "pin", "all": "1", "type": "gotcha"})
    assert {one.type for one in memory.list(pinned=True)} == {"gotcha"}
    assert browser.post("memories/bulk", {"do": "pin"}).status_code == 422


CORRECTIONS: tuple[tuple[str, dict[str, str], Callable[[MemoryRecord], bool]], ...] = (
    ("wrong", {"right": "A cache has two keys"}, lambda r: r.deprecated),
    ("outdated", {}, lambda r: r.stale_at is not None),
    ("narrow", {"only_files": "tax.py"}, lambda r: r.related_files == ("tax.py",)),
    ("silent", {}, lambda r: r.silent),
)


def test_the_corrections(browser: Browser, memory: Memory) -> None:
    """Each of the choices does what the verb does; what is erased leaves nothing."""
    for choice, more, state in CORRECTIONS:
        record = memory.remember(f"The {choice} cache has a key of its own")
        answer = browser.post(f"memories/{record.id}/wrong", {"choice": choice, **more})
        assert answer.status_code == 200
        assert state(memory.show(record.id)), choice
    record = memory.remember("The zebra code is 4711")
    browser.post(f"memories/{record.id}/wrong", {"choice": "erase"})
    assert "zebra" not in browser.get("memories?state=forgotten").text


def test_teaching(browser: Browser, memory: Memory, project: Path) -> None:
    """A look stores nothing; storing makes a person's statement, or each of a file of rules."""
    text = "Never deploy on Fridays, since nobody is there on Saturdays."
    looked = browser.post("teach/text", {"text": text, "do": "look"})
    assert "This would be stored (1 statement)" in looked.text
    assert memory.list() == []
    browser.post("teach/text", {"text": text, "do": "store", "type": "preference", "about": "tax.py"})
    (record,) = memory.list()
    assert (record.source, record.type, record.related_files) == ("user_taught", "preference", ("tax.py",))
    assert browser.post("teach/text", {"do": "store"}).status_code == 422
    (project / "RULES.md").write_text("# Rules\n\n- Never deploy alone\n- Keep times in UTC\n")
    browser.post("teach/text", {"path": str(project / "RULES.md"), "do": "store"})
    assert len(memory.list()) == 3


def test_the_journal_and_settings(browser: Browser, memory: Memory, environ: dict[str, str]) -> None:
    """MEMORY.md has versions; a level and the end of the first steps are for good, a setting in the file."""
    browser.post("journal/write", {"text": "# One\r\n\r\n- a\r\n"})
    browser.post("journal/write", {"text": "# Two\n"})
    assert memory.journal.show().strip() == "# Two"
    browser.post("journal/write", {"version": memory.journal.versions()[0].name})
    assert memory.journal.show().startswith("# One\n\n- a")
    browser.post("settings/trust", {"level": "3"})
    assert memory.trust().level == 3
    browser.post("settings/set", {"name": "inject.times", "value": "7"})
    written = tomllib.loads((Path(environ["REMORA_CONFIG"]) / "config.toml").read_text("utf-8"))
    assert written == {"inject": {"times": 7}}
    assert browser.post("settings/set", {"name": "inject.times", "value": "many"}).status_code == 422
    assert "Do not show this again" in browser.get().text
    browser.post("cards")
    assert "Do not show this again" not in browser.get().text


def test_exporting_and_erasing(browser: Browser, memory: Memory, tmp_path: Path) -> None:
    """A new file has everything, one that is there stays; without the word nothing is erased."""
    memory.remember("The zebra code is 4711")
    place = {"path": str(tmp_path / "out.json"), "format": "json"}
    browser.post("privacy/export", place)
    assert "The zebra code" in (tmp_path / "out.json").read_text("utf-8")
    assert browser.post("privacy/export", place).status_code == 409
    assert browser.post("privacy/erase", {"containing": "zebra code", "confirm": "yes"}).status_code == 422
    assert memory.list() != []
    browser.post("privacy/erase", {"containing": "zebra code", "confirm": "erase"})
    assert memory.list() == []
    memory.session("cli:1").append("user", "hello")
    browser.post("sessions/cli:1/erase")
    assert memory.sessions() == []


def test_a_team_decides_in_the_panel(
    browser: Browser, memory: Memory, clock: FixedClock, tmp_path: Path
) -> None:
    """Sharing, an invitation, a dispute, an exchange and a conflict, each from a form of the page."""
    (tmp_path / "carried").mkdir()
    (tmp_path / "other" / "shop").mkdir(parents=True)
    environ = {"REMORA_HOME": str(tmp_path / "other" / "data"), "REMORA_EMBEDDING_PROVIDER": "none"}
    record = memory.remember("Bills are sent on Mondays", type="gotcha")
    memory.sharing.init(f"folder:{tmp_path}/carried", me="Ann")
    browser.post("team/share", {"id": record.id, "visibility": "team"})
    assert memory.show(record.id).trust_level_scope == "team"
    browser.post("team/sync", {})
    assert memory.sharing.status().at
    assert "remora share join remora-invitation:" in browser.post("team/invite", {"name": "Ben"}).text
    browser.post("team/speak", {"id": record.id, "text": "since May on Fridays", "do": "say"})
    assert "since May on Fridays" in browser.get("team").text
    browser.post("team/speak", {"id": record.id, "text": "no, still Mondays", "do": "uphold"})
    assert memory.sharing.disputes() == []
    with Memory.open(tmp_path / "other" / "shop", environ=environ, clock=clock) as other:
        other.sharing.join(memory.sharing.invite())
        memory.sharing.sync()
        memory.edit(record.id, content="Bills are sent on Tuesdays")
        other.edit(record.id, content="Bills are sent on Fridays")
        for one in (other, memory):
            one.sharing.sync()
    page = browser.get("team").text
    assert "Bills are sent on Tuesdays" in page
    assert "Bills are sent on Fridays" in page
    (contested,) = memory.sharing.conflicts()
    theirs = next(version for version in contested.versions if not version.mine)
    browser.post("team/decide", {"id": record.id, "keep": theirs.revision})
    assert memory.show(record.id).content == "Bills are sent on Fridays"
