"""What failed, what helped, and changes that were taken back.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.core.events import ErrorSeen
from tests.observer.script import Script, observed, of_type
from tests.tables import table

UNWRAPPED = (
    "Exit code 1\n[lint] $ golangci-lint run ./...\n[lint] ERROR task failed\n\n"
    "cmd/entire/cli/config.go:239:15: error returned from external package is unwrapped: "
    "sig: func os.ReadFile(name string) ([]byte, error) (wrapcheck)"
)


def only_error(script: Script) -> ErrorSeen:
    """Return the one error of a session."""
    (error,) = observed(script).errors
    return error


def test_the_change_between_failure_and_success_is_the_resolution():
    """Session 3de15637: the linter failed, one line was changed, the linter passed."""
    script = Script().step().run("mise run fmt && mise run lint", UNWRAPPED, error=True)
    script.step()
    script.edit("cmd/entire/cli/config.go", "\treturn nil, err", '\treturn nil, fmt.Errorf("%w", err)')
    script.step().run("cd /w/app && mise run fmt && mise run lint 2>&1 | tail -5", "0 issues.")
    error = only_error(script)
    assert (error.resolved, error.resolved_paths) == (True, ("cmd/entire/cli/config.go",))
    changed = '`return nil, err` became `return nil, fmt.Errorf("%w", err)`'
    assert error.resolved_how == f"changed `cmd/entire/cli/config.go`: {changed}"
    (signal,) = of_type(observed(script), "error_retry")
    assert (signal.key, signal.detail["harness"], signal.detail["own"]) == (error.fingerprint, False, False)


def test_the_decisive_change_is_of_a_file_that_the_failure_names():
    """A later change elsewhere, and lines that only import, do not take its place."""
    script = Script().step().run("go test ./...", "a.go:3:1: undefined: Foo", error=True)
    script.step().edit("a.go", "Foo()", "pkg.Foo()").edit("a.go", "", '"x.io/pkg"')
    script.edit("docs/b.md", "x", "y").step().run("go test ./...")
    assert only_error(script).resolved_how == "changed `a.go`: `Foo()` became `pkg.Foo()` (and another file)"


def test_a_command_with_other_variables_is_another_one():
    """Each form has its own runs and failures; a variable exported before belongs to it."""
    script = Script().step().run("pytest -q", "No module named app", error=True)
    script.step().run("PYTHONPATH=. pytest -q").run("export PYTHONPATH=.; pytest -q 2>&1 | tail -3")
    assert [(c.command, c.as_run, c.runs, c.failures) for c in observed(script).commands] == [
        ("pytest -q", "pytest -q", 1, 1),
        ("pytest -q", "PYTHONPATH=. pytest -q", 2, 0),
    ]


@pytest.mark.parametrize(("failed", "message", "between", "then", "how"), table(__file__, "fixes"))
def test_another_form_of_a_command(failed: str, message: str, between: str, then: str, how: str):
    """A variable, another program, a right path; what ran in between is told, unless a flag was wrong."""
    script = Script().step().run(failed, message, error=True).step()
    error = only_error((script.run(between) if between else script).step().run(then))
    assert error.resolved_how == how
    assert error.worked in ("", then, how.split("`")[1])


def test_a_file_that_is_elsewhere():
    """A read of a missing file is answered by the one of the same name."""
    script = Script()
    script.step().call("Read", "read", "Error: no such file", error=True, paths=("cli/help.go",))
    script.step().read("cmd/cli/help.go")
    assert only_error(script).resolved_how == "the file is `cmd/cli/help.go`"


def test_what_ran_in_between():
    """All of it is kept, but for looks, records of version control, checks and the command itself."""
    script = Script().step().run("npm run seed", "Error: connect ECONNREFUSED", error=True).step()
    for command in ("ls", "docker compose up -d", "git commit -m x", "npm run lint", "make db"):
        script.run(command)
    error = only_error(script.step().run("npm run seed"))
    assert error.helped == ("docker compose up -d", "make db")
    script = Script().step().run("npm ci", "Error: the lock file is behind", error=True).step()
    script.run("npm ci --package-lock-only").step().run("npm ci")
    assert only_error(script).helped == ("npm ci --package-lock-only",)
    assert error.resolved_how == "it works after `docker compose up -d` and `make db`"


@pytest.mark.parametrize(
    ("problems", "outcome"),
    [("1 problem (1 error, 0 warnings)", "failure"), ("3 problems (0 errors, 3 warnings)", "success")],
)
def test_a_hidden_failure_decides_the_outcome(problems: str, outcome: str):
    """A piped linter that found errors is no success of the session; warnings alone are."""
    script = Script().step().ask("make the button blue").edit("a.js").step()
    script.run("npx eslint . 2>&1 | tail -3", f"✖ {problems}").say("Done.")
    observation = observed(script)
    assert observation.outcome == outcome
    assert [c.failures for c in observation.commands] == [int(outcome == "failure")]


@pytest.mark.parametrize("code", [{"exit_code": 1}, {}], ids=["told", "in the text"])
def test_words_of_a_project_are_no_refusal(code: dict[str, int]):
    """A test that fails with such words ran, and failed."""
    script = Script().step().ask("make the button blue").edit("a.js").step()
    told = "Exit code 1\nUserRejectedRequestError: User rejected the request."
    script.call("Bash", "run", told, command="npx vitest run", error=True, extra=code)
    observation = observed(script.say("Done."))
    assert observation.outcome == "failure"
    assert [(c.command, c.failures) for c in observation.commands] == [("npx vitest run", 1)]
    assert [e.message for e in observation.errors] == [told.partition("\n")[2]]


def test_what_has_an_exit_code_was_not_refused():
    """Whatever a command prints first, one that ended was let to run; one that did not end may be refused."""
    said = "The tool use was rejected by the policy under test"
    for extra, failures in (({"exit_code": 1}, [1]), ({}, [])):
        script = Script().step().call("Bash", "run", said, command="pytest -q", error=True, extra=extra)
        assert [c.failures for c in observed(script).commands] == failures


def test_a_narrow_run_does_not_resolve_another_test():
    """A pass of one test says nothing about the other; the wide run does."""
    fail = Script().step().run("go test ./...", "--- FAIL: TestA (0.1s)", error=True).step().edit("a.go")
    fail.step().run("go test -run TestB ./...", "ok")
    assert not only_error(fail).resolved
    fail.step().run("go test ./...", "ok")
    assert only_error(fail).resolved


@pytest.mark.parametrize(
    "script",
    [
        Script()
        .step()
        .run("grep x a.go", "Exit code 1", error=True)
        .run("grep x a.go", "Exit code 1", error=True),
        Script()
        .step()
        .run("rm x", "The user doesn't want to proceed with this tool use.", error=True)
        .run("rm x", "The user doesn't want to proceed with this tool use.", error=True),
        Script().step().run("go test ./...", "panic: once", error=True),
        Script()
        .step()
        .call("search_memory", "memory", "panic: x", error=True)
        .call("search_memory", "memory", "panic: x", error=True),
    ],
    ids=["says nothing", "refused", "once", "memory"],
)
def test_what_is_no_retried_error(script: Script):
    """Codes alone, refusals, errors that came once and memory tools give no signal."""
    assert of_type(observed(script), "error_retry") == []


def test_errors_of_the_hosts_tools_are_flagged_and_left_out():
    """They are signals with `harness`, and no errors of the project."""
    told = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    script = Script().step().call("Edit", "edit", told, error=True, paths=("a.go",)).step().edit("a.go")
    observation = observed(script)
    assert [s.detail["harness"] for s in of_type(observation, "error_retry")] == [True]
    assert observation.errors == ()


def test_the_sessions_own_slips_are_marked():
    """An error in a file that the session had just changed is its own."""
    script = Script().step().edit("a.go").run("go build ./...", "a.go:3:1: undefined: Foo", error=True)
    script.step().edit("a.go").run("go build ./...")
    (signal,) = of_type(observed(script), "error_retry")
    assert signal.detail["own"] is True


def test_a_change_that_is_put_back_is_a_backtrack():
    """Session 21a2e002: checkpoints became steps and were changed back."""
    one = 'label += fmt.Sprint(" (%d checkpoints)", len(node.Children))'
    other = 'label += fmt.Sprint(" (%d steps)", len(node.Children))'
    one, other = one.replace("fmt.Sprint", "text.Of"), other.replace("fmt.Sprint", "text.Of")
    script = Script().step().edit("list/view.go", f"if x {{\n{one}\n}}", f"if x {{\n{other}\n}}")
    script.step(14).say("Now let me revert view.go as well.").edit("list/view.go", other, one)
    (back,) = of_type(observed(script), "backtrack")
    assert (back.key, back.detail["how"]) == ("list/view.go", "changed back")


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- a/b.go",
        "git checkout a/b.go",
        "git restore a/b.go",
        "git checkout .",
        "git checkout main -- a/b.go",
        "git -C a checkout -- b.go",
        "cd a && git checkout b.go && cd ..",
        "git reset --hard",
        "git reset --hard HEAD",
        "git reset --hard -q HEAD",
        "git reset --hard origin/main",
        "git switch --discard-changes main",
    ],
)
def test_a_file_that_is_restored_is_a_backtrack(command: str):
    """Version control takes the change back."""
    (back,) = of_type(
        observed(Script().step().edit("a/b.go", "old text", "new text").step().run(command)), "backtrack"
    )
    assert back.key == "a/b.go"


def test_a_hard_reset_throws_away_what_is_not_committed_and_no_more():
    """What a commit took up before stands after it, and so does what was thrown away once already."""
    script = Script().step().edit("a.go", "old text", "new text")
    script.run("git commit -am 'one'", "[main 1a2b3c4] one").edit("b.go", "old text", "other text")
    script.step().run("git reset --hard HEAD", "HEAD is now at 1a2b3c4 one")
    script.run("git reset --hard 1a2b3c4", "HEAD is now at 1a2b3c4 one")
    assert [s.key for s in of_type(observed(script), "backtrack")] == ["b.go"]


def test_a_folder_that_is_restored_takes_back_the_changes_in_it():
    """Git says how many paths it updated; a branch of the folder's name is switched to in other words."""
    changed = (
        Script().step().edit("web/a.go", "old text", "new text").edit("api/b.go", "old text", "newer text")
    )
    back = Script(prefix="x").step().run("git checkout web", "Updated 1 path from the index")
    branch = Script(prefix="y").step().run("git checkout web", "Switched to branch 'web'")
    silent = Script(prefix="z").step().run("git checkout -q web", "")
    assert [s.key for s in of_type(observed(changed, back), "backtrack")] == ["web/a.go"]
    assert of_type(observed(changed, branch), "backtrack") == []
    assert of_type(observed(changed, silent), "backtrack") == []


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -b a",
        "git checkout -B a origin/a",
        "git checkout a",
        "git checkout --theirs -- a/b.go",
        "git switch main",
        "git stash push a/b.go",
        "git revert HEAD",
        "git commit -am 'one' && git revert HEAD",
        "git commit -am 'one' && git checkout -- a/b.go",
        "git commit -am 'one' && git reset --hard",
        "git restore -S a/b.go",
        "cd web && git checkout -- .",
        "git log --grep 'git checkout -- a/b.go'",
        "echo git reset --hard",
    ],
)
def test_a_command_of_git_that_takes_no_change_back_is_no_backtrack(command: str):
    """Branches, merges, and what is already committed: the change stands or is kept."""
    script = Script().step().edit("a/b.go", "old text", "new text").step().run(command)
    assert of_type(observed(script), "backtrack") == []


def test_a_name_that_two_changed_files_have_means_the_one_that_is_there():
    """`git checkout main.go` in a folder is about the file of that folder."""
    script = Script().step().edit("web/main.go", "old text", "new text")
    script.edit("api/main.go", "old text", "newer text").step().run("cd api && git checkout -- main.go")
    assert [s.key for s in of_type(observed(script), "backtrack")] == ["api/main.go"]


@pytest.mark.parametrize(
    "script",
    [
        Script()
        .step()
        .edit("a.go", "x", 'x\nfmt.Println("here", x)')
        .step()
        .edit("a.go", 'x\nfmt.Println("here", x)', "x"),
        Script()
        .step()
        .edit("a.go", "the old line", "the new line")
        .say("Let me temporarily revert it to verify that the test fails.")
        .edit("a.go", "the new line", "the old line"),
        Script()
        .step()
        .edit("a.go", "x", "x\nfunc moved() int {}")
        .edit("a.go", "x\nfunc moved() int {}", "x")
        .edit("b.go", "y", "y\nfunc moved() int {}"),
        Script()
        .step()
        .edit("a.go", "import (", 'import (\n\t"example.org/some/package"')
        .edit("a.go", 'import (\n\t"example.org/some/package"', "import ("),
        Script()
        .step()
        .edit("a.go", "first version", "second version")
        .edit("a.go", "second version", "third version"),
        Script().step().edit("a.go", "old text", "new text").run("git checkout main"),
        Script().step().edit("a.go", "old text", "new text").run("git restore --staged a.go"),
        Script().step().edit("a.go", "old text", "new text").run("git reset HEAD~1"),
    ],
    ids=["debug", "to see it fail", "moved", "import", "goes on", "branch", "unstaged", "soft"],
)
def test_what_is_no_backtrack(script: Script):
    """Debug output, checks of a test, moves, imports, further changes and switching branches are none."""
    assert of_type(observed(script), "backtrack") == []


def test_what_ran_in_another_repository_is_no_command_of_this_one() -> None:
    """Checks keep their folder; those of a repository beside this one are not counted."""
    script = Script().step().run("cd web && npm test").run("cd ../other && npm test").run("make lint")
    assert [one.as_run for one in observed(script).commands] == ["(cd web && npm test)", "make lint"]
