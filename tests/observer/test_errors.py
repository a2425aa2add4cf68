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
    assert (signal.key, signal.detail["harness"]) == (error.fingerprint, False)


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


def test_what_has_an_exit_code_was_not_refused():
    """Whatever a command prints first, one that ended was let to run; one that did not end may be refused."""
    said = "The tool use was rejected by the policy under test"
    own = "Exit code 1\nUserRejectedRequestError: User rejected the request."
    told = Script().step().edit("a.js").step().run("npx vitest run", own, error=True).say("Done.")
    assert observed(told).outcome == "failure"
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


def test_errors_of_the_hosts_tools_are_flagged_and_left_out():
    """They are signals with `harness`, and no errors of the project."""
    told = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    script = Script().step().call("Edit", "edit", told, error=True, paths=("a.go",)).step().edit("a.go")
    observation = observed(script)
    assert [s.detail["harness"] for s in of_type(observation, "error_retry")] == [True]
    assert observation.errors == ()


def test_a_change_that_is_put_back_is_a_backtrack():
    """Session 21a2e002: checkpoints became steps and were changed back."""
    one = 'label += fmt.Sprint(" (%d checkpoints)", len(node.Children))'
    other = 'label += fmt.Sprint(" (%d steps)", len(node.Children))'
    script = Script().step().edit("list/view.go", f"if x {{\n{one}\n}}", f"if x {{\n{other}\n}}")
    script.step(14).say("Now let me revert view.go as well.").edit("list/view.go", other, one)
    (back,) = of_type(observed(script), "backtrack")
    assert back.key == "list/view.go"


def test_what_ran_in_another_repository_is_no_command_of_this_one() -> None:
    """Checks keep their folder; those of a repository beside this one are not counted."""
    script = Script().step().run("cd web && npm test").run("cd ../other && npm test").run("make lint")
    assert [one.as_run for one in observed(script).commands] == ["(cd web && npm test)", "make lint"]
