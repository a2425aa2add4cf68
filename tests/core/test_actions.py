"""Actions: what a tool's name means, and the words of a command."""

from __future__ import annotations

import pytest

from remora.core import host_tools
from remora.core.actions import ACTION_OF, OTHER, action_of, loop_action, names_a_file, own_id
from remora.core.events import ACTIONS
from remora.core.programs import script_of, words_of
from tests.tables import table


@pytest.mark.parametrize(("tool", "action"), table(__file__, "actions"))
def test_a_name_means_an_action(tool: str, action: str) -> None:
    """Known names by table; a server's tool is from outside unless its name says otherwise."""
    assert action_of(tool) == action


@pytest.mark.parametrize("host", ["COPILOT", "CURSOR", "GEMINI", "OPENCODE", "VSCODE"])
def test_a_host_s_tools_mean_actions(host: str) -> None:
    """No name means something that events do not know, and none means two things."""
    assert {*getattr(host_tools, host).values(), *ACTION_OF.values()} <= set(ACTIONS)
    assert OTHER.isdisjoint(ACTION_OF)


@pytest.mark.parametrize("tool", ["google_search", "Tavily_Search", "read_url", "open_url", "web_search"])
def test_the_answer_of_a_web_tool_is_external_text(tool: str) -> None:
    """In a program's own loop, by the names that are common for such tools."""
    assert loop_action(tool, {}, {}) == "fetch"


def test_a_file_is_told_by_its_ending() -> None:
    """A short ending of letters, digits and underscores makes a file; anything else may be a folder."""
    files = ("a.py", "src/.env", "C:\\w\\a.py", "a.d_ts", "x.tar.gz")
    others = ("", "src", "v1.2/src", ".", "..", "a.", "a.b c", "a.verylongending", "a.é")
    assert [path for path in (*files, *others) if names_a_file(path)] == list(files)


@pytest.mark.parametrize(
    "call_id",
    [
        "toolu_01AbCd2fGh3jKm4nPq5rSt6u",
        "call_0_6f1c2d3e-8b9a-4c5d-9e0f-a1b2c3d4e5f6",
        "chatcmpl-tool-0f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "functions.Bash:0-x8k2m1qz",
    ],
)
def test_an_id_that_was_drawn_names_one_call(call_id: str) -> None:
    """Whoever drew it, and whatever stands around it."""
    assert own_id(call_id)
    assert own_id(call_id, "Bash")


@pytest.mark.parametrize(("call_id", "tool"), table(__file__, "counted_ids"))
def test_an_id_that_was_counted_names_no_call(call_id: str, tool: str) -> None:
    """However many digits the counter has, and whatever the tool is called."""
    assert not own_id(call_id, tool)


@pytest.mark.parametrize(
    "before",
    [
        ["bash", "-c"],
        ["bash", "-o", "pipefail", "-lc"],
        ["bash", "-ceuo", "pipefail"],
        ["bash", "--norc", "+e", "-O", "extglob", "-c"],
        ["sh", "-c", "-e", "--"],
        ["powershell", "-ExecutionPolicy", "Bypass", "-EP", "Bypass"],
        ["C:\\WINDOWS\\System32\\WindowsPowerShell\\v1.0\\PowerShell.exe", "-command"],
        ["pwsh", "-NoLogo", "-ExecutionPolicy", "Bypass", "-c"],
        ["cmd.exe", "/d", "/s", "/c"],
    ],
)
def test_a_script_is_what_a_shell_is_handed(before: list[str]) -> None:
    """Whatever options stand before it."""
    assert script_of([*before, "a && b"]) == words_of([*before, "a && b"]) == "a && b"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["bash", "-c"],
        ["bash", "run.sh", "-c", "a"],
        ["bash", "-c", "a $1", "_", "b"],
        ["bash", "-euo", "pipefail", "run.sh"],
        ["bash", "+c", "a"],
        ["bash", "-C", "a"],
        ["bash", "--rcfile", "a"],
        ["powershell", "-EncodedCommand", "abc"],
        ["python", "-c", "a"],
    ],
)
def test_other_commands_hold_no_script(words: list[str]) -> None:
    """A file that a shell runs is none, and neither are the words of other programs."""
    assert script_of(words) == ""


def test_words_of_a_command() -> None:
    """Words are quoted where they need it; a shell of Windows takes all of them as one script."""
    assert words_of(["cmd", "/c", "npm", "test"]) == "npm test"
    assert words_of(["powershell", "-File", "run.ps1", "-Fast"]) == "run.ps1 -Fast"
    assert words_of(["rg", "two words", 5]) == "rg 'two words'"
    assert words_of([]) == ""
