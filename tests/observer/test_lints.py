"""Findings followed over a session, from the run that lists them to the run that does not.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import json

import pytest

from remora.core.events import ErrorSeen, Remedy
from remora.observer.observer import Observer
from tests.observer.script import Script, observed, watching

HEAD = "Exit code 1\n[lint] $ golangci-lint run ./...\n"
NILERR = "a.go:53:3: error is not nil (line 50) but it returns nil (nilerr)\n\t\treturn nil\n\t\t^\n"
WRAPCHECK = "a.go:66:30: error returned is unwrapped (wrapcheck)\n\t\treturn nil, err\n\t\t            ^\n"
SILENCED = "return nil //nolint:nilerr // fine"


def lint(script: Script, text: str = "0 issues.", command: str = "mise run lint") -> Script:
    """Run the linter, which fails where it lists something."""
    failed = "(" in text
    return script.step().run(command, HEAD + text if failed else text, error=failed)


def rules(script: Script) -> dict[str, ErrorSeen]:
    """Return the errors of a session by the rule that their message names."""
    return {e.message.rpartition("(")[2].rstrip(")"): e for e in observed(script).errors}


def test_each_finding_has_a_remedy_of_its_own() -> None:
    """Session e7eb742c: one run lists two rules, one edit each, and the next run lists none."""
    script = lint(Script(), NILERR + WRAPCHECK)
    script.step().edit("a.go", "\treturn nil\n}", f"\t{SILENCED}\n}}")
    script.step().edit("a.go", "\treturn nil, err", '\treturn nil, fmt.Errorf("x: %w", err)')
    found = rules(lint(script))
    assert found["nilerr"].remedies == (Remedy("silenced", "", "//nolint:nilerr // fine"),)
    assert found["wrapcheck"].remedies == (
        Remedy("changed", "return nil, err", 'return nil, fmt.Errorf("x: %w", err)'),
    )
    assert found["nilerr"].resolved_how == "silenced with `//nolint:nilerr // fine`"
    assert (found["nilerr"].count, found["nilerr"].resolved, found["nilerr"].resolved_paths) == (
        1,
        True,
        ("a.go",),
    )
    assert found["nilerr"].message == NILERR.split("\n")[0]


def test_what_did_not_help_is_forgotten() -> None:
    """It is listed still, in its new form: the next edit is what resolved it, and it counts once."""
    script = lint(Script(), WRAPCHECK)
    script.step().edit("a.go", "return nil, err", "return nil, newError(err)")
    lint(script, WRAPCHECK.replace("return nil, err", "return nil, newError(err)"))
    script.step().edit("a.go", "return nil, newError(err)", 'return nil, fmt.Errorf("x: %w", err)')
    error = rules(lint(script))["wrapcheck"]
    assert [r.before for r in error.remedies] == ["return nil, newError(err)"]
    assert error.count == 1


def test_findings_that_look_alike_are_told_apart() -> None:
    """Two of a rule in one file: the one that is no longer listed is resolved, the other goes on."""
    other = NILERR.replace("return nil\n", "return 0, nil\n")
    script = lint(Script(), NILERR + other)
    script.step().edit("a.go", "\treturn nil\n}", f"\t{SILENCED}\n}}")
    lint(script, other)
    error = rules(script)["nilerr"]
    assert (error.count, [r.times for r in error.remedies]) == (2, [1])
    script.step().edit("a.go", "\treturn 0, nil\n}", "\treturn 0, err\n}")
    assert [r.kind for r in rules(lint(script))["nilerr"].remedies] == ["silenced", "changed"]


def test_the_same_remedy_counts_how_often() -> None:
    """Three places of one rule, silenced with the same words."""
    places = "".join(NILERR.replace("a.go", f"{name}.go") for name in "abc")
    script = lint(Script(), places)
    for name in "abc":
        script.step().edit(f"{name}.go", "\treturn nil\n}", f"\t{SILENCED}\n}}")
    error = rules(lint(script))["nilerr"]
    assert error.remedies == (Remedy("silenced", "", "//nolint:nilerr // fine", times=3),)
    assert error.resolved_paths == ("a.go", "b.go", "c.go")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("mise run fmt", "ok"),
        ("go test ./...", "ok"),
        ("golangci-lint run ./other/...", "0 issues."),
        ("mise run lint | grep wrapcheck", "nothing"),
        ("mise run lint", "a.go:1:1: undefined: x (typecheck)"),
        ("mise run lint | head -3", "b.go:1:1: x (errcheck)\n1\n2"),
    ],
    ids=["formatter", "tests", "elsewhere", "filtered", "does not compile", "cut"],
)
def test_a_run_that_says_little_resolves_nothing(command: str, text: str) -> None:
    """Another check, other files, a filter, a compiler that stopped it or a cut list prove nothing."""
    script = lint(Script(), NILERR)
    script.step().edit("a.go", "return nil", SILENCED)
    assert not rules(lint(script, text, command))["nilerr"].resolved
    assert rules(lint(script))["nilerr"].resolved


def test_without_an_edit_that_speaks_of_it_nobody_knows() -> None:
    """The finding is gone, and what was changed has nothing to do with it."""
    script = lint(Script(), NILERR)
    script.step().edit("b.go", "return nil", SILENCED).edit("a.go", "x := 1", "x := 2")
    error = rules(lint(script))["nilerr"]
    assert (error.resolved, error.remedies, error.resolved_how) == (False, (), "")


def test_a_tool_that_prints_no_line_has_the_one_change_of_the_file() -> None:
    """With two changes nobody knows which of them it was."""
    script = Script().step().run("mypy", "a.py:3: error: bad type  [arg-type]", error=True)
    script.step().edit("a.py", "f(x)", "f(int(x))")
    passed = lambda: observed(script.step().run("mypy", "Success: no issues found")).errors[0]  # noqa: E731
    assert passed().remedies == (Remedy("changed", "f(x)", "f(int(x))"),)
    script.step().run("mypy", "b.py:3: error: bad type  [arg-type]", error=True)
    script.step().edit("b.py", "g(x)", "g(y)").edit("b.py", "h(x)", "h(y)")
    assert [r.before for r in passed().remedies] == ["f(x)"]


def test_a_command_that_mends_by_itself() -> None:
    """What a fix of the linter took away has that as its remedy."""
    script = Script().step().run("ruff check .", "b.py:2:1: UP006 Use `list` here", error=True)
    script.step().run("ruff check --fix .", "All checks passed!")
    (error,) = observed(script).errors
    assert error.remedies == (Remedy("ran", "", "ruff check --fix ."),)


def test_an_edit_of_the_configuration_counts() -> None:
    """The rule was left out for the whole project."""
    script = lint(Script(), NILERR)
    script.step().edit(".golangci.yaml", "disable:", "disable:\n  - nilerr")
    assert rules(lint(script))["nilerr"].remedies == (Remedy("configured", "", "- nilerr", ".golangci.yaml"),)


def test_a_whole_function_takes_the_words_before_the_edits() -> None:
    """Session 0d28c0d4: said first, then done in two edits."""
    dupl = "a.go:9: 9-40 lines are duplicate of `b.go:1-30` (dupl)\nfunc start() error {\n"
    script = lint(Script(), dupl)
    script.step().say("The handlers are duplicated. Let me extract the common logic to a shared function.")
    script.edit("b.go", "func begin() error {\n\tx()\n}", "func begin() error {\n\treturn both()\n}")
    script.edit("a.go", "func end() {}", "func end() {}\n\nfunc both() error {\n\treturn nil\n}")
    assert rules(lint(script))["dupl"].remedies == (
        Remedy("reworked", "", "both()", "extract the common logic to a shared function"),
    )


def test_a_rule_is_one_error_however_its_lines_differ() -> None:
    """The old way, one message a run, adds none beside it; other errors stay."""
    script = lint(Script(), NILERR)
    script.step().run("go test ./...", "panic: x", error=True)
    lint(script, NILERR.replace("53:3", "99:1"))
    assert sorted(e.message for e in observed(script).errors) == [NILERR.split("\n")[0], "panic: x"]


def test_it_survives_a_checkpoint() -> None:
    """Open findings with what was tried are read back, and resolved as without a break."""
    first = lint(Script(), NILERR + WRAPCHECK)
    first.step().say("Let me mend it.").edit("a.go", "return nil", SILENCED)
    whole = Script()
    whole.events, whole.at_step, whole._number = list(first.events), first.at_step, first._number
    lint(whole)
    restored = Observer.restore(json.loads(json.dumps(watching(first).checkpoint())), strict=True)
    for event in whole.events[len(first.events) :]:
        restored.observe(event)
    assert restored.finalize().errors == observed(whole).errors


def test_what_is_kept_is_bounded() -> None:
    """A thousand findings, and as many rules, leave a state of limited size."""
    script = Script()
    for number in range(40):
        text = "".join(f"f{n}.py:1:1: A{number:02}{n:02} it is wrong\n" for n in range(50))
        script.step().run("ruff check .", text, error=True)
    observer = watching(script)
    lints = observer._watches[""].lints
    assert len(lints.open) <= 120
    assert len(lints.rules) <= 100
    assert len(json.dumps(lints.to_json())) < 200_000
