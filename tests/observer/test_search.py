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
    assert (hunt.key, hunt.detail["steps"]) == ("extractmodifiedfiles", [1, 2, 3])
    assert hunt.detail["found"] == "cmd/entire/cli/transcript.go"


def test_a_change_is_a_better_answer_than_a_read():
    """What was changed in the end is what was looked for."""
    script = Script().step().grep("agentType", "a.go\nb.go").step().grep("agentType", "a.go\nb.go")
    script.step().grep("agentType", "a.go\nb.go").step().edit("b.go").step().read("a.go")
    (hunt,) = of_type(observed(script), "repeated_grep")
    assert (hunt.detail["found"], hunt.detail["changed"]) == ("b.go", True)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (r"func.*CountOther\(", "countother"),
        (r"^type Session struct", "session"),
        ("a|fooBar|bazQux", "bazqux|foobar"),
        (r"[Cc]heckpoint", "checkpoint"),
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


def test_an_address_that_was_fetched_and_what_followed():
    """Session 48f428f9: goreleaser's page, then .goreleaser.yaml."""
    script = Script().step().fetch("https://goreleaser.com/customization/homebrew/?x=1")
    script.step().edit(".goreleaser.yaml")
    (seen,) = of_type(observed(script), "external_reference")
    assert seen.key == "https://goreleaser.com/customization/homebrew"
    assert (seen.detail["then"], seen.detail["count"]) == (".goreleaser.yaml", 1)
