"""Tools: what a call names."""

from __future__ import annotations

from typing import Any

import pytest

from remora.sources.transcripts.tools import Call, call
from tests.sources.transcripts.records import ROOT, roots


def _call(tool: str, **given: Any) -> Call:
    return call(tool, given, lambda path: roots().relative(path, ROOT))


def test_a_read_names_its_file() -> None:
    """Which lines were read is not kept."""
    assert _call("Read", file_path=f"{ROOT}/a.py", offset=10) == Call("Read", "read", ("a.py",))


def test_edits_keep_what_was_and_what_is() -> None:
    """Old and new text stay, shortened; several edits are joined."""
    assert _call("Edit", file_path="a.py", old_string="1", new_string="2").extra == {"old": "1", "new": "2"}
    several = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}, 5]
    assert _call("MultiEdit", file_path="a.py", edits=several).extra == {"old": "a\nc", "new": "b\nd"}
    assert len((_call("Edit", file_path="a", old_string="x" * 9000).extra or {})["old"]) <= 1000
    notebook = _call("NotebookEdit", notebook_path=f"{ROOT}/n.ipynb", new_source="x")
    assert (notebook.paths, notebook.extra) == (("n.ipynb",), {"old": "", "new": "x"})
    assert _call("Write", file_path=f"{ROOT}/b.py", content="x").extra == {"old": "", "new": "x"}


def test_a_search_names_a_file_only_where_it_is_one() -> None:
    """A folder to search in is no file that was read."""
    in_folder = _call("Grep", pattern="x", path=f"{ROOT}/src", glob="*.py")
    assert (in_folder.paths, in_folder.extra) == ((), {"in": "src"})
    assert _call("Grep", pattern="x", path=f"{ROOT}/src/a.py").paths == ("src/a.py",)
    assert _call("Glob", pattern="**/*.py", path=ROOT).extra == {"in": "."}


def test_paths_in_commands_are_not_guessed() -> None:
    """A command is text; only its own working directory is a path."""
    made = _call("Bash", command=f"cat {ROOT}/a.py")
    assert (made.command, made.paths, made.extra) == (f"cat {ROOT}/a.py", (), None)
    assert _call("shell", command=["bash", "-lc", "make"], workdir=f"{ROOT}/sub").extra == {"cwd": "sub"}


def test_fetches_and_plans_tell_what_they_are_about() -> None:
    """An address, a question, a list."""
    assert _call("WebFetch", url="https://a.org", prompt="p").url == "https://a.org"
    assert _call("WebSearch", query="go tests").extra == {"query": "go tests"}
    todos = [{"content": "a", "status": "pending"}, {"step": "b", "status": "done"}, 3]
    assert _call("TodoWrite", todos=todos).extra == {
        "todos": [{"content": "a", "status": "pending"}, {"content": "b", "status": "done"}]
    }
    assert _call("ExitPlanMode", plan="1. look").extra == {"plan": "1. look"}


@pytest.mark.parametrize(
    "given", [None, 5, "x", [], {"file_path": 5}, {"edits": {}}, {"todos": 3}, {"offset": "1"}]
)
def test_nonsense_arguments_name_nothing(given: Any) -> None:
    """Arguments of the wrong shape are passed over."""
    for tool in ("Read", "MultiEdit", "Bash", "Grep", "Glob", "TodoWrite", "Task", "WebFetch"):
        made = call(tool, given, lambda path: path)
        assert (made.paths, made.command, made.url) == ((), "", ""), tool
