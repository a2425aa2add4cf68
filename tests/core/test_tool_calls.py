"""Tool calls: what a call names, in every host's spelling, live and in transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.tool_calls import Call, call, changed_lines, sides
from tests.sources.transcripts.records import ROOT, roots

PATCH = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-1\n+it's 2\n*** End Patch"


def _call(tool: str, **given: Any) -> Call:
    return call(tool, given, lambda path: roots().relative(path, ROOT))


def test_edits_keep_what_was_and_what_is() -> None:
    """Old and new text stay, shortened; several edits are joined."""
    assert _call("Edit", file_path="a.py", old_string="1", new_string="2").extra == {"old": "1", "new": "2"}
    several = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}, 5]
    assert _call("MultiEdit", file_path="a.py", edits=several).extra == {"old": "a\nc", "new": "b\nd"}
    assert len((_call("Edit", file_path="a", old_string="x" * 9000).extra or {})["old"]) <= 1000
    notebook = _call("NotebookEdit", notebook_path=f"{ROOT}/n.ipynb", new_source="x")
    assert (notebook.paths, notebook.extra) == (("n.ipynb",), {"old": "", "new": "x"})
    assert _call("Write", file_path=f"{ROOT}/b.py", content="x").extra == {"old": "", "new": "x"}


def test_fetches_and_plans_tell_what_they_are_about() -> None:
    """An address, a question, a list."""
    assert _call("WebFetch", url="https://a.org", prompt="p").url == "https://a.org"
    assert _call("WebSearch", query="go tests").extra == {"query": "go tests"}
    todos = [{"content": "a", "status": "pending"}, {"step": "b", "status": "done"}, 3]
    kept = [{"content": "a", "status": "pending"}, {"content": "b", "status": "done"}]
    assert _call("TodoWrite", todos=todos).extra == {"todos": kept}
    assert _call("ExitPlanMode", plan="1. look").extra == {"plan": "1. look"}


@pytest.mark.parametrize(
    "given", [None, 5, "x", [], {"file_path": 5}, {"edits": {}}, {"todos": 3}, {"offset": "1"}]
)
def test_nonsense_arguments_name_nothing(given: Any) -> None:
    """Arguments of the wrong shape are passed over."""
    for tool in ("Read", "MultiEdit", "Bash", "Grep", "Glob", "TodoWrite", "Task", "WebFetch"):
        made = call(tool, given, lambda path: path)
        assert (made.paths, made.command, made.url) == ((), "", ""), tool


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"paths": ["a.py", 5, "", " "], "files": ["b.py"]}, ("a.py", "b.py")),
        ({"file_paths": ["a.py"], "filePaths": ["b.py", "a.py"]}, ("a.py", "b.py")),
        ({"path": "x" * 4_096}, ("x" * 4_096,)),
        ({"path": "x" * 4_097}, ()),
        ({"paths": [f"{n}.py" for n in range(1_000)]}, tuple(f"{n}.py" for n in range(200))),
        ({"path": "a\ud83d.py"}, ("a\ufffd.py",)),
    ],
)
def test_files_are_named_by_many_arguments(given: dict[str, Any], paths: tuple[str, ...]) -> None:
    """Of long lists the beginning counts; a path that no system takes is not cut to another one."""
    assert call("Read", given, str).paths == paths


@pytest.mark.parametrize("key", ["command", "cmd", "command_line", "commandLine"])
def test_a_command_comes_as_text_or_as_words(key: str) -> None:
    """Long words keep both ends, as a long text does."""
    assert call("Bash", {key: "make"}, str).command == "make"
    assert call("Bash", {key: ["git", "add", "two words", 5]}, str).command == "git add 'two words'"
    script = f"make {'x ' * 9_000} end"
    for given in ({key: script}, {key: ["bash", "-lc", script]}):
        command = call("Bash", given, str).command
        assert len(command) <= 4_000
        assert (command[:5], command[-4:]) == ("make ", " end")
    assert len(call("Bash", {key: ["x" * 100] * 1_000_000}, str).command) <= 4_000


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["apply_patch", PATCH], "workdir": "/w/x"},
        {"cmd": ["bash", "-lc", f"cd x && apply_patch <<'E'\n{PATCH}\nE"], "working_directory": "/w"},
        {"command": f"cd /w/x && apply_patch <<'E'\n{PATCH}\nE\ncurl https://a.org"},
    ],
)
def test_a_command_that_applies_a_patch_is_an_edit(given: dict[str, Any]) -> None:
    """Its files lie below the folder it runs in; what else it does is kept, without the patch."""
    made = call("Bash", given, str)
    assert (made.action, made.paths, made.command) == ("edit", ("/w/x/a.py", "/w/x/b.py"), "")
    extra = made.extra or {}
    assert (extra["old"], extra["new"]) == ("1", "it's 2")
    assert "apply_patch" in extra["around"]
    assert "***" not in extra["around"]
    assert ("curl" in extra["around"]) is ("curl" in given.get("command", ""))


def test_only_an_applied_patch_is_an_edit() -> None:
    """One that a command shows is not, nor one that a file holds."""
    shown = f"cat <<'E'\n{PATCH}\nE"
    assert call("Bash", {"command": shown}, str)[:4] == ("Bash", "run", (), shown)
    written = call("Write", {"file_path": "a.md", "content": PATCH}, str)
    assert (written.action, written.paths) == ("write", ("a.md",))
    broken = {"input": "*** Begin Patch", "path": "a.py", "new_str": "x"}
    assert call("Edit", broken, str).paths == ("a.py",)


def test_a_patch_stands_in_whichever_argument_has_one() -> None:
    """Other arguments of such a name may come first; a patch that only adds files writes."""
    for key in ("input", "patch", "patchText", "patch_text", "command"):
        assert call("apply_patch", {"input": "see below", key: PATCH}, str).paths == ("a.py", "b.py")
    added = {"input": "*** Begin Patch\n*** Add File: n.md\n+x\n*** End Patch"}
    assert call("apply_patch", added, str).action == "write"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({"url": "https://a.org", "prompt": "or https://b.org"}, "https://a.org"),
        ({"uri": "file:///a"}, "file:///a"),
        ({"urls": [5, "https://a.org", "https://b.org"]}, "https://a.org"),
        ({"prompt": "Ask httpx about https://a.org/x now"}, "https://a.org/x"),
        ({"prompt": "httpx"}, ""),
        ({"url": "x" * 9_000}, 1_000),
    ],
)
def test_an_address_may_stand_in_a_prompt(given: dict[str, Any], url: str | int) -> None:
    """Gemini CLI passes it there; a word that begins like one is none."""
    found = call("WebFetch", given, str).url
    assert (found if isinstance(url, str) else len(found)) == url


def test_a_search_names_its_files_and_its_first_folder() -> None:
    """In whichever order they come; `dir_path` is a folder, whatever its name."""
    for paths in (["src", "a.py"], ["a.py", "src"]):
        made = call("Grep", {"query": "x", "paths": paths}, str)
        assert (made.pattern, made.paths, made.extra) == ("x", ("a.py",), {"in": "src"})
    for tool in ("Grep", "Glob"):
        assert call(tool, {"regex": "x", "dir_path": "v1.2"}, str).extra == {"in": "v1.2"}
    assert call("LSP", {"operation": "hover", "filePath": "a.py"}, str) == Call("LSP", "search", ("a.py",))


def test_a_moment_has_the_texts_and_the_folder_of_its_call() -> None:
    """What it has no field for is left out."""
    edit = call("Edit", {"path": "a.py", "old_str": "x" * 9_000, "new_str": "b"}, str, limit=4_000).moment()
    assert (edit["paths"], len(edit["removed"]) > 3_000, edit["changed"]) == (("a.py",), True, "b")
    found = call("Glob", {"pattern": "*.py", "path": "src"}, str).moment()
    assert (found["pattern"], found["place"], found["changed"]) == ("*.py", "src", "")
    ran = call("Bash", {"command": "make", "workdir": "src"}, str)
    assert set(ran.moment()) == set(found) >= {"tool", "action", "command", "url"}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"old_string": "a", "new_string": "b"}, ("a", "b")),
        ({"oldText": "a", "newText": ""}, ("a", "")),
        ({"file_path": "a.py", "content": "b"}, ("", "b")),
        ({"replacements": [{"oldString": "a", "newString": "b"}, {"newString": "c"}, 5]}, ("a", "b\nc")),
        ({"edits": [], "new_str": "b"}, ("", "b")),
        ({"edits": [{"new_str": "x"}] * 55}, ("", "\n".join("x" * 50))),
        ({}, ("", "")),
    ],
)
def test_both_sides_of_an_edit(given: dict[str, Any], found: tuple[str, str]) -> None:
    """Each host's names are known, single edits are joined, and what is no text is none."""
    assert sides(given, 1_000) == found


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        ("a\nb\nc", "a\nx\nc", ("b", "x")),
        ("a\nb", "a\nb\nc", ("", "c")),
        ("a\na", "a", ("a", "")),
        ("", "new", ("", "new")),
    ],
)
def test_the_lines_that_differ(old: str, new: str, differ: tuple[str, str]) -> None:
    """What both sides share at their ends is left out, and nothing is taken for shared twice."""
    assert changed_lines(old, new) == differ
