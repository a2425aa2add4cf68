"""What a session is told at its start and with its first prompt, from a whole memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remora.app.agent.session_brief import brief, brief_of, head_of, task_of
from remora.app.learning.work_state import save_work_state
from remora.app.memory import Memory
from remora.app.recall.relevance import relevance_bar
from remora.core import moments
from remora.core.clock import to_iso
from remora.core.moments import Moment
from tests.app.learning.test_learn import Talk
from tests.helpers import Repo
from tests.observer.sessions import session


def start(folder: str | Path) -> Moment:
    """Return the start of a session in a folder."""
    return Moment(moments.START, "h", "s1", str(folder), source="startup", transcript="/t.jsonl")


def test_a_repository_has_a_memory_and_a_plain_folder_has_none(
    tmp_path: Path, repo: Repo, environ: dict[str, str]
):
    """Nothing is made in a folder of holiday pictures, nor by asking; switched off, nothing is limited."""
    head = head_of(start(repo.root), environ)
    assert (head.root, head.transcript) == (str(repo.root), "/t.jsonl")
    assert head.limits[0] == 0.0
    assert head.head_file == str(repo.root / ".git" / "HEAD")
    assert brief(head, environ).text == ""
    assert not (Path(head.home) / "memory.db").exists()
    assert head_of(start(repo.root), environ | {"REMORA_INJECT_ENABLED": "0"}).limits == ()
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for nowhere in ("", "/nowhere/at/all", pictures):
        assert head_of(start(nowhere), environ).home == ""
    with Memory.open(pictures, environ=environ) as memory:
        memory.remember("The best ones are of the sea")
    assert head_of(start(pictures), environ).home != ""


def test_the_brief_of_a_project(able: Memory):
    """Decisions are in it, lessons about a file and what rule files say are not."""
    (able.root / "CLAUDE.md").write_text("# Rules\n\n- Always run `make lint` before a commit.\n")
    able.init()
    able.remember("Money is kept in cents", type="decision")
    able.remember("The cart is cached", type="gotcha", related_files=["cart.py"])
    said = brief_of(able._project)
    assert "Money is kept in cents" in said.text
    assert "make lint" not in said.text
    assert "cached" not in said.text
    assert said.trigger == "brief"


def test_a_host_is_told_what_it_does_not_show(able: Memory):
    """Its own rule files and their imports stand before it already; contributors and decisions wait."""
    (able.root / "docs" / "adr").mkdir(parents=True)
    for path, text in {
        "CLAUDE.md": "- Always lint before the claude word.\n\n@docs/more.md\n",
        "docs/more.md": "- Always test before the imported word.\n",
        "AGENTS.md": "- Always build before the agents word.\n",
        "CONTRIBUTING.md": "## Code\n\nNever rename the contributing word.\n",
        "docs/adr/1.md": "# Money\n\n## Decision\n\nCents hold the decided word.\n",
    }.items():
        (able.root / path).write_text(text)
    able.init()
    words = ("claude", "imported", "agents", "contributing", "decided")
    for host, said in (
        ("claude-code", "agents"),
        ("codex", "claude imported"),
        ("copilot", ""),
        ("gemini", "claude imported agents"),
        ("", ""),
    ):
        told = brief_of(able._project, host=host).text
        assert [word for word in words if f"the {word} word" in told] == said.split(), host


def test_a_file_that_is_shown_on_request_is_not_in_the_brief(able: Memory):
    """Until its front matter says that it always applies, or a person says the same, or tags it so."""
    rule = "Never write a spec of two pages"
    file = able.root / ".cursor" / "rules" / "spec.mdc"
    file.parent.mkdir(parents=True)
    for always in ("false", "true", "False"):
        file.write_text(f"---\nalwaysApply: {always}\n---\n\n- {rule}.\n")
        able.init()
        assert ("two pages" in brief_of(able._project, host="codex").text) is (always == "true")
    able.remember(rule, type="preference")
    able.remember("Cents hold the tagged word", type="decision", tags=["decisions"])
    able.init()
    told = brief_of(able._project, host="codex").text
    assert "two pages" in told
    assert "the tagged word" in told


def test_the_first_session_hears_once_how_much_is_known(able: Memory):
    """And that new things wait for a yes; not on a level that asks for none, nor after another session."""
    able.remember("Money is kept in cents", type="decision")
    hello = "First session: 1 memory so far; learned ones need more evidence at first"
    assert hello in brief_of(able._project, session_id="s1").text
    assert hello not in brief_of(able._project, session_id="s1", again=True).text
    able.trust(3)
    assert hello not in brief_of(able._project, session_id="s1").text
    able.trust(1)
    with able.loop("s1") as loop:
        loop.brief()
    assert hello in brief_of(able._project, session_id="s1").text
    assert hello not in brief_of(able._project, session_id="s2").text


def test_after_a_compaction_what_the_session_forgot_comes_first(
    tmp_path: Path, able: Memory, environ: dict[str, str]
):
    """What it recorded itself, which is no lesson of earlier ones; what the person said, verbatim.

    That is without what was for the moment, private or secret.
    """
    known = able.remember("Money is kept in cents", type="decision")
    head = head_of(start(able.root), environ)

    def told(**more: Any) -> str:
        return brief(head, environ, again=True, **more).text

    recorded = told(recorded=["the port is 8081"])
    assert recorded.startswith("Recorded in this session:\n- the port is 8081\nRemora, the memory")
    line = f"Money is kept in cents [Memory #{known.id[:8]}]"
    assert told(recorded=[line]).count("kept in cents") == 1
    words = "No, never touch export/legacy.py, finance relies on it."
    talk = Talk("s", 1, able.root).user("Make the report faster. Don't run it yet")
    talk.reply("I start with the export.").user(words)
    talk.user("<private>Never tell Ann that the order is hers.</private> Is it done?")
    said = told(transcript=str(talk.save(tmp_path / "talks")))
    assert said.startswith(f"Said by the user earlier in this session:\n- “{words}”\nRemora, the memory")
    assert told(transcript="gone.jsonl").startswith("Remora, the memory")


def test_a_task_is_not_told_both_sides(able: Memory):
    """Of two that deny each other the later one goes with a prompt."""
    able.remember("We use PostgreSQL for the storage of orders", type="decision")
    able.remember("We do not use PostgreSQL for the storage of orders", type="decision")
    told = task_of(able._project, "which storage do orders use, is it PostgreSQL").text
    assert "We do not use PostgreSQL" in told
    assert "We use PostgreSQL" not in told


def test_a_task_is_told_what_bears_on_it(able: Memory):
    """Not what is no better than chance by the store's own measure, what was said, or one session showed."""
    able.remember("The token refresh runs in middleware/auth.py every hour", type="decision")
    able.remember("The token refresh is tried twice", type="decision", source="observer_inferred")
    said = task_of(able._project, "why does the token refresh run in middleware/auth.py twice")
    assert "every hour" in said.text
    assert "tried twice" not in said.text
    assert task_of(able._project, "why does the token refresh run", said=set(said.ids)).text == ""
    assert task_of(able._project, "the weather is nice in Paris").text == ""
    assert task_of(able._project, "go on").text == ""
    assert relevance_bar(able._project) == 0.5
    db = able._project.db
    with db.connection.transaction():
        db.meta.set("inject.relevance", 0.99)
    assert relevance_bar(able._project) == 0.99
    assert task_of(able._project, "how does the refreshing of many tokens work").text == ""


def test_a_rule_of_a_folder_is_told_with_a_task_that_names_the_folder(able: Memory):
    """With another one it waits for an edit there, however much the task has in common with it."""
    for folder in ("", "examples/shop/"):
        (able.root / folder).mkdir(parents=True, exist_ok=True)
        (able.root / folder / "AGENTS.md").write_text(f"- Always keep the {folder}quokka report in sync.\n")
    able.init()
    for task, told in (
        ("sync the quokka report with the docs", False),
        ("sync examples/shop/quokka.md", True),
    ):
        found = task_of(able._project, task, host="claude-code").text
        assert "Always keep the quokka report" in found
        assert ("examples/shop/quokka report" in found) == told


def test_what_was_left_open_is_told_once(able: Memory):
    """At the start; where it was not known yet, with the first prompt that goes on with it."""
    given = {"prompts": ("paginate the list of orders",), "outcome": "abandoned", "branch": None}
    one = session("s1", edits=("orders.py",), ended=to_iso(able._project.clock.now()), **given)
    left = save_work_state(able._project, one)
    assert left is not None
    first = brief_of(able._project)
    assert "Where the last session left this work" in first.text
    assert first.ids[0] == left.id
    assert "left this work" not in brief_of(able._project, said=first.ids).text
    second = task_of(able._project, "go on with the pages of orders in the list")
    assert second.text.startswith("Where the last session left this work")
    assert second.ids[0] == left.id
    task = "paginate the list of orders"
    for other in (
        task_of(able._project, task, said=first.ids),
        task_of(able._project, task, session_id="s1"),
        task_of(able._project, "float the footer of the start page"),
    ):
        assert "left this work" not in other.text
