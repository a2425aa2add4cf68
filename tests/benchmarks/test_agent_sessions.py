"""Recorded sessions: what is one session, what a person typed, which files are gold."""

from __future__ import annotations

from pathlib import Path

from benchmarks.agent_sessions import EDITS, prompts, read
from benchmarks.learning import Past
from benchmarks.smoke_sessions import HOME, TREE, Writer
from benchmarks.smoke_sessions import write as write_data


def session(number: int, prompt: str, *paths: str, cwd: str = HOME) -> list[dict[str, object]]:
    """Return the records of a session that edits some files."""
    made = Writer(number, cwd)
    made.says(prompt)
    for path in paths:
        made.edits(path)
    return made.records


def test_entries_that_share_a_record_are_one_session(tmp_path: Path) -> None:
    """A shorter copy, and a fork that begins with the same records under another id, add nothing twice."""
    whole = session(1, "mend the parser", "a.py", "b.py")
    fork = [dict(record) for record in whole[:2]]
    fork += [{**record, "sessionId": "f" * 36} for record in session(3, "go on", "c.py")]
    write_data(tmp_path, [whole[:3], whole, fork, session(5, "something else", "d.py")])
    found = read(tmp_path)
    assert [sorted(s.gold) for s in found] == [["a.py", "b.py", "c.py"], ["d.py"]]
    assert [len(s.records) for s in found] == [len(whole) + len(fork) - 2, 3]
    assert found[0].prompt == "mend the parser"


def test_what_was_injected_is_no_prompt() -> None:
    """Skills, summaries, commands, hooks, interruptions and reminders are left out."""
    made = Writer(1)
    for text in (
        "<command-name>/review</command-name>",
        "Operation stopped by hook: another session",
        "[Request interrupted by user]",
        "<system-reminder>todo</system-reminder>",
    ):
        made.says(text)
    made.says("Base directory for this skill: x", isMeta=True)
    made.says("This session is being continued from a previous conversation", isCompactSummary=True)
    made.says("<ide_opened_file>a.py</ide_opened_file>please mend it")
    assert [text for _, text in prompts(made.records)] == ["please mend it"]


def test_gold_is_relative_to_the_work_tree_and_inside_it(tmp_path: Path) -> None:
    """A subfolder as working directory and a work tree below the clone give the repository's paths."""
    inside = Writer(2, f"{HOME}/shop")
    inside.says("go")
    inside.calls("Write", {"file_path": f"{HOME}/README.md", "content": ""})
    inside.calls("Write", {"file_path": "/home/ann/.claude/plans/x.md", "content": ""})
    inside.edits("cart.py", failed=True)
    inside.edits("till.py")
    write_data(tmp_path, [session(1, "go", "a.py"), inside.records, session(3, "go", "b.py", cwd=TREE)])
    assert [sorted(s.gold) for s in read(tmp_path)] == [["a.py"], ["README.md", "shop/till.py"], ["b.py"]]
    assert EDITS[0] == "Edit"


def test_only_sessions_that_are_over_are_known(tmp_path: Path) -> None:
    """A session that began earlier but goes on is not known yet."""
    long = session(1, "long", "a.py")
    long[-1]["timestamp"] = "2024-05-20T10:00:00.000Z"
    write_data(tmp_path, [long, session(2, "short", "b.py"), session(4, "asked", "c.py")])
    found = read(tmp_path)
    assert [s.prompt for s in Past(found).before(found[2])] == ["short"]
