"""Uses of files, pairs, wrong doors, chains of imports and configuration.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from tests.observer.script import Script, observed, of_type


def test_a_file_that_was_read_and_changed_is_one_access_with_both_counts():
    """Reads and changes of a file are counted; its place among the files is kept."""
    script = Script().step().read("a.go").step().edit("b.go").step().edit("a.go")
    found = {s.key: s.detail for s in of_type(observed(script), "file_access")}
    assert found == {
        "a.go": {"reads": 1, "edits": 1, "place": 1, "count": 2},
        "b.go": {"reads": 0, "edits": 1, "place": 2, "count": 1},
    }


@pytest.mark.parametrize(
    "script",
    [
        Script().step().call("Read", "read", "File does not exist.", error=True, paths=("a.go",)),
        Script().step().read("/etc/hosts"),
        Script().step().read("../other/x.go"),
        Script().step().grep("x", "a.go:1:x").glob("*.go", "a.go"),
        Script()
        .step()
        .call("Edit", "edit", "The user doesn't want to proceed with this", error=True, paths=("a.go",)),
        Script().step().call("search_memory", "memory", "a.go", paths=("a.go",)),
    ],
    ids=["failed", "absolute", "above", "searched", "refused", "memory"],
)
def test_what_is_no_access(script: Script):
    """Failed and refused calls, files outside, searches and memory tools are no accesses."""
    assert of_type(observed(script), "file_access") == []


def test_a_call_whose_result_never_came_still_counts():
    """A transcript may end before the result."""
    assert [
        s.key for s in of_type(observed(Script().step().read("a.go", answered=False)), "file_access")
    ] == ["a.go"]


def test_pairs_carry_both_directions():
    """Steps 1 and 3 are together, with each direction counted on its own."""
    script = Script().step().read("b.go").step(2).read("a.go").step().edit("b.go")
    (pair,) = of_type(observed(script), "co_access")
    assert pair.key == "a.go + b.go"
    assert (pair.detail["forward"], pair.detail["backward"]) == (1, 1)
    assert pair.detail["edited"] == 0


def test_pairs_that_were_both_changed_say_so():
    """Two changes within five steps are the strongest pair."""
    (pair,) = of_type(observed(Script().step().edit("a.go").step(5).edit("b.go")), "co_access")
    assert pair.detail["edited"] == 1


def test_files_more_than_five_steps_apart_are_no_pair():
    """Steps 1 and 10 are apart; so are 1 and 7."""
    assert of_type(observed(Script().step().read("a.go").step(9).read("b.go")), "co_access") == []
    assert of_type(observed(Script().step().read("a.go").step(6).read("b.go")), "co_access") == []


def test_real_steps_decide_and_not_the_order_of_arrival():
    """A late event pairs with its neighbours by step."""
    script = Script().step().read("a.go").step(20).read("z.go")
    script.at_step = 2
    script.read("b.go")
    assert {s.key for s in of_type(observed(script), "co_access")} == set()
    script.at_step = 18
    script.edit("y.go")
    assert {s.key for s in of_type(observed(script), "co_access")} == {"y.go + z.go"}


def test_the_wrong_door_is_told_with_the_right_one():
    """Session 8b418ea5: commands/help.go was opened for help.go."""
    script = Script().step(3).read("cmd/entire/cli/commands/help.go")
    script.step(3).read("cmd/entire/cli/help.go").step().edit("cmd/entire/cli/help.go")
    (wrong,) = of_type(observed(script), "read_abandon")
    assert wrong.key == "cmd/entire/cli/commands/help.go"
    assert wrong.detail["instead"] == "cmd/entire/cli/help.go"


@pytest.mark.parametrize(
    "script",
    [
        Script().step().read("a/help.go").step().edit("b/help.go").step().edit("a/help.go"),
        Script().step().read("a/help.go").step().read("a/help.go").step().edit("b/help.go"),
        Script().step().read("a/help.go").read("b/help.go").step().edit("b/help.go"),
        Script().step().read("docs/help.md").step().edit("b/help.md"),
        Script().step().read("a/help_test.go").step().edit("a/help.go"),
        Script().step().read("a/help.go").step(9).edit("b/help.go"),
        # session ee6078de: looking through a family of files is no mistake
        Script()
        .step()
        .read("s/manual_commit.go")
        .step()
        .read("s/manual_commit_git.go")
        .step()
        .edit("s/manual_commit_git_condense.go"),
    ],
    ids=["changed", "read twice", "together", "documentation", "its test", "long ago", "family"],
)
def test_what_is_no_wrong_door(script: Script):
    """A file that is used again, read with others, or not like the right one was no mistake."""
    assert of_type(observed(script), "read_abandon") == []


GO = '     1→package {}\n     3→import (\n     4→\t"entire.io/cli/cmd/entire/cli/{}"\n     5→)\n'


def test_a_chain_of_imports_is_followed():
    """Session dc577197: a test, the package it imports, the package that one imports."""
    test = "cmd/entire/cli/integration_test/session_conflict_test.go"
    script = Script().step().read(test, GO.format("integration", "strategy")).step()
    script.read("cmd/entire/cli/strategy/manual_commit_git.go", GO.format("strategy", "checkpoint"))
    script.step().read("cmd/entire/cli/checkpoint/temporary.go", "package checkpoint")
    (chase,) = of_type(observed(script), "import_chase")
    assert [p.rsplit("/", 1)[-1] for p in chase.paths] == [
        "session_conflict_test.go",
        "manual_commit_git.go",
        "temporary.go",
    ]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("from pkg.auth import login\n", "pkg/auth.py"),
        ("import { x } from './auth'\n", "pkg/auth.ts"),
        ("use crate::auth;\n", "src/auth.rs"),
    ],
)
def test_imports_of_other_languages(first: str, then: str):
    """Python, TypeScript and Rust imports lead on; a third file makes the chain."""
    ending = then.rsplit(".", 1)[1]
    script = Script().step().read(f"pkg/start.{ending}", first.replace("auth", "middle"))
    script.step().read(then.replace("auth", "middle"), first).step().read(then)
    assert len(of_type(observed(script), "import_chase")) == 1


def test_files_without_an_import_between_them_are_no_chain():
    """Reading one package file after the other follows nothing."""
    script = Script().step().read("s/a.go").step().read("s/b.go").step().read("s/c.go")
    assert of_type(observed(script), "import_chase") == []


def test_configuration_changed_beside_code():
    """Session deeac353: the linter's configuration and code in the same stretch."""
    script = Script().step().edit(".golangci.yaml").step().edit("cmd/entire/cli/agent/claudecode/hooks.go")
    (touch,) = of_type(observed(script), "config_touch")
    assert (touch.key, touch.detail["with"]) == (
        ".golangci.yaml",
        ["cmd/entire/cli/agent/claudecode/hooks.go"],
    )


@pytest.mark.parametrize("path", ["Cargo.toml", "web/package.json", ".github/workflows/ci.yml", "Dockerfile"])
def test_the_list_is_compared_in_lower_case(path: str):
    """`Cargo.toml` and `Dockerfile` are configuration though they have capitals."""
    assert [s.key for s in of_type(observed(Script().step().edit(path).edit("x.rs")), "config_touch")] == [
        path
    ]


@pytest.mark.parametrize(
    "script",
    [
        Script().step().edit("go.sum").edit("a.go"),
        Script().step().read("go.mod").edit("a.go"),
        Script().step().edit("go.mod").edit("mise.toml"),
        Script().step().edit("go.mod").step(20).edit("a.go"),
    ],
    ids=["lock file", "read only", "configuration only", "far apart"],
)
def test_what_is_no_touch_of_configuration(script: Script):
    """Lock files, reads, configuration alone and distant changes are none."""
    assert of_type(observed(script), "config_touch") == []
