"""Every page: its JSON is that of the command line, and hostile text stays text."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from remora import Memory
from remora.interfaces.panel.pages import PAGES
from tests.interfaces.conftest import Run
from tests.interfaces.panel.conftest import Browser
from tests.tables import table

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=//x.example/y onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "' autofocus onfocus='alert(1)",
)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A memory with something on every page."""
    memory.index()
    memory.remember("Tax is rounded down, for the office does so", type="gotcha", related_files=["tax.py"])
    memory.remember("Bills are sent on Mondays", needs_review=True)
    memory.session("cli:1").append("user", "Why is tax rounded down?")
    memory.journal.write("# Shop\n\n- Tills are shared.\n")
    memory.journal.add_history("Moved the rates.")
    memory.entries.add("deploy", "Never on Fridays")
    with memory.loop("s1", host="test") as loop:
        loop.before("Edit", {"file_path": str(memory.root / "tax.py"), "old_string": "a", "new_string": "b"})
    return memory


def test_a_page_answers_with_the_json_of_its_verb(browser: Browser, filled: Memory, run: Run) -> None:
    """The panel has no behaviour of its own; ID stands for a memory's id."""
    memory_id = filled.list(types=["gotcha"])[0].id
    for path, line in table(__file__, "same"):
        here = browser.json(path.replace("ID", memory_id))
        there = json.loads(run(*shlex.split(line.replace("ID", memory_id)), "--json").stdout)
        if path == "privacy":  # databases grow while they are looked at
            here, there = ([one["what"] for one in found["places"]] for found in (here, there))
        assert here == there, path


def test_every_page_is_shown(browser: Browser, filled: Memory) -> None:
    """Each has a heading, a title and no trace of an error; neither a list nor a search moves trust."""
    memory_id, before = filled.list()[0].id, filled.stats().uses
    for path, _ in PAGES:
        asked = path.replace("{id}", "cli:1" if path.startswith("sessions") else memory_id)
        answer = browser.get(asked + ("?path=tax.py" if path == "file" else ""))
        assert answer.status_code == 200, path
        assert "<h1" in answer.text
        assert "<title>" in answer.text
    for path in ("memories?q=tax", "ask?q=tax", "preview?at=edit&about=tax.py"):
        browser.get(path)
    assert filled.stats().uses == before


def test_a_panel_of_an_empty_memory(browser: Browser) -> None:
    """A newcomer's pages say what to do, and the score waits."""
    assert browser.json()["score"] is None
    for path, _ in PAGES:
        if "{" not in path and path != "file":
            assert browser.get(path).status_code == 200, path


def test_hostile_text_stays_text(browser: Browser, memory: Memory) -> None:
    """In contents, tags, files, names of notes, conversations and questions, on every page."""
    for number, text in enumerate(HOSTILE):
        memory.remember(f"{text} number {number}", tags=[text[:40]], related_files=[f"dir/{text[:30]}.py"])
    memory.session("cli:<b>1").append("user", HOSTILE[1])
    memory.journal.write(HOSTILE[0])
    memory.entries.add("note", HOSTILE[2])
    pages = [path for path, _ in PAGES if "{" not in path and path != "file"]
    pages += [f"memories/{one.id}" for one in memory.list()]
    pages += [
        "sessions/cli:%3Cb%3E1",
        "memories?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "ask?q=%3Cimg%20src=x%3E",
        "file?path=%22%3E%3Csvg%20onload=alert(1)%3E",
        "preview?about=%3Cscript%3E",
        "teach?file=%22%3E%3Cb%3E",
    ]
    for path in pages:
        text = browser.get(path).text
        planted = ("<script>alert", "<img src=//", "<img src=x", "<svg onload", "onfocus='alert", "<b>1")
        assert [one for one in planted if one in text] == [], path


def test_what_a_session_taught_is_reviewed(browser: Browser, filled: Memory, run: Run, project: Path) -> None:
    """What was learned stands there; keeping one verifies it, dropping one forgets it."""
    from tests.app.learning.test_learn import work

    work("s1", 1, str(project)).save(project / "talks")
    run("learn", "talks")
    due = [one.memory for one in filled.session_summary().learned]
    text = browser.get("review").text
    assert due[0].content.split("`")[0][:20] in text
    browser.post("review/done", {"id": due[0].id, "do": "keep", "content": due[0].content})
    assert filled.show(due[0].id).user_verified
    late = filled.session_summary().learned
    browser.post("review/done", {"do": "keep_all", "id": []})
    assert filled.session_summary().learned == late  # nothing that was not on the page
    for one in due[1:]:
        browser.post("review/done", {"id": one.id, "do": "drop"})
        assert filled.show(one.id).deprecated


def test_errors_are_pages(
    client: TestClient, browser: Browser, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What happened, what to do, whether another try helps; of a mistake of ours no traceback comes out."""
    answer = browser.get("memories/nobody")
    assert answer.status_code == 404
    assert "there is no memory" in answer.text
    assert set(browser.json("memories/nobody")["error"]) == {"kind", "message", "hint", "retryable"}

    def mistaken(_: object) -> None:
        raise ZeroDivisionError("of our own")

    monkeypatch.setattr(type(memory), "health", mistaken)
    careless = TestClient(client.app, base_url=str(client.base_url), raise_server_exceptions=False)
    careless.cookies = client.cookies
    answer = careless.get(f"{browser.home}/")
    assert answer.status_code == 500
    assert "of our own" in answer.text
    assert "Traceback" not in answer.text


def test_a_long_list_has_pages(browser: Browser, memory: Memory) -> None:
    """A list shows 50, leads on, and the first page stays small."""
    with memory._project.db.transaction():
        store = memory._project.store("project")
        record = memory.remember("Statement number 0 stands here")
        for number in range(1, 130):
            copy = record._replace(id=f"{number:08d}-copy", content=f"Statement number {number} stands here")
            store.db.memories.insert(copy)
    first = browser.get("memories")
    assert first.text.count('class="memory"') == 50
    assert "?offset=50" in first.text
    assert browser.get("memories?offset=100").text.count('class="memory"') == 30
    assert len(browser.get().content) < 150_000


def test_another_project_of_the_data_folder(browser: Browser, memory: Memory, tmp_path: Path) -> None:
    """It can be chosen at the top; one that is not there cannot."""
    other = tmp_path / "other"
    other.mkdir()
    with Memory.open(other) as second:
        second.remember("The other project has its own rules")
        key = second.home.name
    assert f'value="{key}"' in browser.get().text
    assert "its own rules" in browser.client.get(f"/{key}/memories").text
    assert browser.client.get("/nowhere/memories").status_code == 404
