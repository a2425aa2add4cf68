"""Uses of files, pairs, wrong doors, chains of imports and configuration.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

from tests.observer.script import Script, observed, of_type


def test_a_file_that_was_read_and_changed_is_one_access_with_both_counts():
    """Reads and changes of a file are counted."""
    script = Script().step().read("a.go").step().edit("b.go").step().edit("a.go")
    found = {s.key: s.detail for s in of_type(observed(script), "file_access")}
    assert found == {
        "a.go": {"reads": 1, "edits": 1, "count": 2},
        "b.go": {"reads": 0, "edits": 1, "count": 1},
    }


def test_pairs_carry_both_directions():
    """Steps 1 and 3 are together, with each direction counted on its own."""
    script = Script().step().read("b.go").step(2).read("a.go").step().edit("b.go")
    (pair,) = of_type(observed(script), "co_access")
    assert pair.key == "a.go + b.go"
    assert (pair.detail["forward"], pair.detail["backward"], pair.detail["edited"]) == (1, 1, 0)
    script = Script().step().edit("a.go").step(5).edit("b.go", answered=False)
    (changed,) = of_type(observed(script), "co_access")
    assert changed.detail["edited"] == 1


def test_the_wrong_door_is_told_with_the_right_one():
    """Session 8b418ea5: commands/help.go was opened for help.go."""
    script = Script().step(3).read("cmd/entire/cli/commands/help.go")
    script.step(3).read("cmd/entire/cli/help.go").step().edit("cmd/entire/cli/help.go")
    (wrong,) = of_type(observed(script), "read_abandon")
    assert wrong.key == "cmd/entire/cli/commands/help.go"
    assert wrong.detail["instead"] == "cmd/entire/cli/help.go"


GO = '     1→package {}\n     3→import (\n     4→\t"entire.io/cli/cmd/entire/cli/{}"\n     5→)\n'


def test_a_chain_of_imports_is_followed():
    """Session dc577197: a test, the package it imports, the package that one imports."""
    test = "cmd/entire/cli/integration_test/session_conflict_test.go"
    script = Script().step().read(test, GO.format("integration", "strategy")).step()
    script.read("cmd/entire/cli/strategy/manual_commit_git.go", GO.format("strategy", "checkpoint"))
    script.step().read("cmd/entire/cli/checkpoint/temporary.go", "package checkpoint")
    (chase,) = of_type(observed(script), "import_chase")
    names = ["session_conflict_test.go", "manual_commit_git.go", "temporary.go"]
    assert [p.rsplit("/", 1)[-1] for p in chase.paths] == names


def test_configuration_changed_beside_code():
    """Session deeac353: the linter's configuration and code in the same stretch."""
    code = "cmd/entire/cli/agent/claudecode/hooks.go"
    (touch,) = of_type(observed(Script().step().edit(".golangci.yaml").step().edit(code)), "config_touch")
    assert (touch.key, touch.detail["with"]) == (".golangci.yaml", [code])
