"""The same search again, names that lead nowhere, and what was fetched.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.observer.search import core
from tests.observer.script import Script, observed, of_type


def test_a_search_that_came_three_times_names_its_answer():
    """Session 0442a060: extractModifiedFiles was searched three times and found in transcript.go."""
    found = "cmd/entire/cli/transcript.go:41:func extractModifiedFiles(lines []string) []string {"
    script = Script().step().grep("func extractModifiedFiles", "No matches found")
    script.step().grep("extractModifiedFiles\\(", found)
    script.step().run("grep -rn 'extractModifiedFiles' cmd/", found)
    script.step().read("cmd/entire/cli/transcript.go")
    (hunt,) = of_type(observed(script), "repeated_grep")
    assert (hunt.key, hunt.detail["found"], hunt.detail["steps"]) == (
        "extractmodifiedfiles",
        "cmd/entire/cli/transcript.go",
        [1, 2, 3],
    )


def test_a_change_is_a_better_answer_than_a_read():
    """What was changed in the end is what was looked for."""
    script = Script().step().grep("agentType", "a.go\nb.go").step().grep("agentType", "a.go\nb.go")
    script.step().grep("agentType", "a.go\nb.go").step().edit("b.go").step().read("a.go")
    (hunt,) = of_type(observed(script), "repeated_grep")
    assert (hunt.detail["found"], hunt.detail["changed"]) == ("b.go", True)


@pytest.mark.parametrize(
    "script",
    [
        Script()
        .step()
        .grep("agentType", "a.go")
        .grep("agentType", "a.go")
        .grep("agentType", "a.go")
        .step()
        .read("a.go"),
        Script().step().grep("id", "a.go").step().grep("id", "a.go").step().grep("id", "a.go").read("a.go"),
        Script()
        .step()
        .grep("oldName", "a.go")
        .step()
        .edit("a.go")
        .grep("oldName", "a.go")
        .step()
        .grep("oldName", "No files found"),
        Script().step().grep("agentType", "a.go").step().grep("agentType", "a.go").read("a.go"),
        Script()
        .step()
        .run("go test | grep agentType")
        .step()
        .run("go test | grep agentType")
        .step()
        .run("go test | grep agentType")
        .read("a.go"),
    ],
    ids=["one step", "short", "is it gone", "twice", "filters"],
)
def test_what_is_no_repeated_search(script: Script):
    """Several folders at once, short patterns, looking whether something is gone, and filters are none."""
    assert of_type(observed(script), "repeated_grep") == []


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (r"func.*CountOther\(", "countother"),
        (r"^type Session struct", "session"),
        ("a|fooBar|bazQux", "bazqux|foobar"),
        (r"[Cc]heckpoint", "checkpoint"),
        ("914e68cc-d156-4742-8af4-439ddb54a7c0", ""),
        (r"\d+:\s", ""),
    ],
)
def test_the_names_in_a_pattern(pattern: str, names: str):
    """Syntax, keywords and ids are not what is looked for."""
    assert core(pattern) == names


def test_a_name_that_leads_nowhere():
    """Session 198393f2: there is no enable*.go, enabling lives in setup.go."""
    script = Script().step().glob("**/enable*.go", "No files found")
    script.step().grep("enable", "cmd/entire/cli/setup.go:3").step().read("cmd/entire/cli/setup.go")
    (glob,) = of_type(observed(script), "glob_ignore")
    assert (glob.key, glob.detail["instead"]) == ("**/enable*.go", "cmd/entire/cli/setup.go")


def test_finds_that_were_ignored():
    """Session 8b418ea5: the files under commands were left for root.go."""
    script = Script().step().glob("cmd/entire/cli/commands/*", "cmd/entire/cli/commands/login.go")
    script.step().grep("commands\\.NewHelpCmd", "cmd/entire/cli/root.go:9")
    script.step().edit("cmd/entire/cli/root.go")
    (glob,) = of_type(observed(script), "glob_ignore")
    assert glob.detail["instead"] == "cmd/entire/cli/root.go"


@pytest.mark.parametrize(
    "script",
    [
        Script()
        .step()
        .glob("**/enable*.go", "a/enable.go")
        .step()
        .grep("enable", "b.go")
        .read("b.go")
        .read("a/enable.go"),
        Script().step().glob("**/*.go", "a.go").step().grep("enable", "b.go").step().read("b.go"),
        Script().step().glob("**/enable*.go", "No files found").step().read("b.go"),
        Script()
        .step()
        .glob("**/settings*.py", "No files found")
        .step()
        .glob("**/conf*.py", "b.py")
        .read("b.py"),
        Script().step().glob("**/enable*.go", "No files found").step(9).grep("enable", "b.go").read("b.go"),
    ],
    ids=["used later", "everything", "not searched", "another errand", "long after"],
)
def test_what_is_no_ignored_name(script: Script):
    """Finds that are used, lists of everything, and files that no later search named are none."""
    assert of_type(observed(script), "glob_ignore") == []


def test_an_address_that_was_fetched_and_what_followed():
    """Session 48f428f9: goreleaser's page, then .goreleaser.yaml."""
    script = Script().step().fetch("https://goreleaser.com/customization/homebrew/?x=1")
    script.step().edit(".goreleaser.yaml")
    (seen,) = of_type(observed(script), "external_reference")
    assert (seen.key, seen.detail["then"], seen.detail["count"]) == (
        "https://goreleaser.com/customization/homebrew",
        ".goreleaser.yaml",
        1,
    )


@pytest.mark.parametrize(
    "script",
    [
        Script().step().fetch("https://x.org/a", "404", error=True),
        Script().step().fetch("http://localhost:3000/a"),
        Script().step().call("mcp__linear-server__create_issue", "fetch", "ok", url="ENT-1"),
    ],
    ids=["failed", "here", "writes"],
)
def test_what_is_no_reference(script: Script):
    """Failed fetches, this machine, and tools that write outside are none."""
    assert of_type(observed(script), "external_reference") == []
