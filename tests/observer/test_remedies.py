"""What an edit did about a finding.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.core.events import Remedy
from remora.observer.changes import hunks
from remora.observer.findings import Finding
from remora.observer.remedies import AT_LINE, BY_NAME, BY_PLACE, BY_WORDS, NEAR, remedy, silenced_in


def found(rule: str, source: str = "", message: str = "it is wrong", linter: str = "") -> Finding:
    """Return a finding in a.go."""
    return Finding("a.go", 3, rule, linter, message, source, f"a.go:3:1: {message} ({linter or rule})")


def did(finding: Finding, old: str, new: str, said: str = "") -> tuple[Remedy, int] | None:
    """Return what an edit did about a finding."""
    return remedy(finding, hunks(old, new), said)


NILERR = found("nilerr", "return nil", "error is not nil (line 1) but it returns nil")


@pytest.mark.parametrize(
    ("finding", "old", "new", "mark"),
    [
        (  # session e7eb742c
            NILERR,
            "if err != nil {\n\treturn nil\n}",
            "if err != nil {\n\treturn nil //nolint:nilerr // expected\n}",
            "//nolint:nilerr // expected",
        ),
        (  # session b2273d7d: in a line of its own above the function
            found("ireturn", "func New() Client {"),
            "// New.\nfunc New() Client {",
            "// New.\n//\n//nolint:ireturn // by design\nfunc New() Client {",
            "//nolint:ireturn // by design",
        ),
        (  # by the linter, where the rule is a number of it
            found("G304", "os.Open(p)", linter="gosec"),
            "os.Open(p)",
            "os.Open(p) //nolint:gosec // p is ours",
            "//nolint:gosec // p is ours",
        ),
        (found("E501", "x = 1"), "x = 1", "x = 1  # noqa: E501", "# noqa: E501"),
        (found("E501", "x = 1"), "x = 1", "x = 1  # noqa", "# noqa"),
        (found("arg-type", "f(x)"), "f(x)", "f(x)  # type: ignore[arg-type]", "# type: ignore[arg-type]"),
        (
            found("no-console", "console.log(x)"),
            "console.log(x)",
            "// eslint-disable-next-line no-console\nconsole.log(x)",
            "// eslint-disable-next-line no-console",
        ),
        (
            found("dead_code_x", "fn f() {"),
            "fn f() {",
            "#[allow(dead_code_x)]\nfn f() {",
            "#[allow(dead_code_x)]",
        ),
    ],
)
def test_a_rule_is_silenced(finding: Finding, old: str, new: str, mark: str) -> None:
    """The mark with its reason is kept, at the line or above it."""
    assert did(finding, old, new) == (Remedy("silenced", "", mark), AT_LINE)


@pytest.mark.parametrize(
    ("finding", "new"),
    [
        (NILERR, "a\nreturn nil //nolint:errcheck // another\nb"),
        (
            found("G104", "f.Close()", linter="gosec"),
            "a\nreturn nil //nolint:gosec // G304: the path is ours\nb",
        ),
        (NILERR, "a\nreturn nil\nb // noqa-free"),
    ],
)
def test_a_mark_for_another_rule_is_none(finding: Finding, new: str) -> None:
    """It neither names the rule nor everything."""
    result = did(finding, "a\nreturn nil\nb", new)
    assert result is None or result[0].kind != "silenced"


@pytest.mark.parametrize(
    ("finding", "old", "new", "expected"),
    [
        (  # session 3de15637
            found("wrapcheck", "return nil, err"),
            "if err != nil {\n\treturn nil, err\n}",
            'if err != nil {\n\treturn nil, fmt.Errorf("%w", err)\n}',
            Remedy("changed", "return nil, err", 'return nil, fmt.Errorf("%w", err)'),
        ),
        (  # session 839b35f7: something of the line went
            found("unparam", "func check(id string) bool {"),
            "func check(id string) bool {",
            "func check(id string) {",
            Remedy("dropped", "func check(id string) bool {", "func check(id string) {", "bool"),
        ),
        (
            found("exhaustive", "switch x {"),
            "a\nb",
            "a\nb",
            None,
        ),
        (found("S1", "return"), "a()\nreturn\n}", "a()\n}", Remedy("removed", "return")),
    ],
)
def test_the_line_that_was_meant_changed(
    finding: Finding, old: str, new: str, expected: Remedy | None
) -> None:
    """What it was and what it became, and nothing of the lines around."""
    assert did(finding, old, new) == ((expected, AT_LINE) if expected else None)


def test_a_long_line_is_told_from_where_it_differs() -> None:
    """Session 44df7d08: what both sides begin with is left out."""
    before = "func (s *Store) archive(" + "aaaa string, " * 12 + "b int) error {"
    result = did(found("unparam", before), before, before.replace(" error {", " {"))
    assert result is not None
    assert result[0].said == "error"
    assert result[0].before.startswith("…")
    assert result[0].before.endswith("b int) error {")
    assert result[0].after.endswith("b int) {")


def test_without_the_line_a_name_of_the_message_counts() -> None:
    """Only changed lines that hold it, and it is less sure."""
    finding = found("shadow", message="declaration of `loadErr` shadows another")
    assert did(finding, "k := 1\nloadErr := f()", "k := 1\nreadErr := f()") == (
        Remedy("changed", "loadErr := f()", "readErr := f()"),
        BY_NAME,
    )
    assert did(finding, "x := 1", "x := 2") is None


def test_the_one_change_of_a_file_counts_where_nothing_else_is_listed() -> None:
    """A tool that prints no line leaves no other way; a change in two places is not one."""
    finding = found("arg-type", message="bad type")
    once = remedy(finding, hunks("x = 1", "x = 2"), "", alone=True)
    assert once == (Remedy("changed", "x = 1", "x = 2"), BY_PLACE)
    assert remedy(finding, hunks("x = 1\nb\ny = 1", "x = 2\nb\ny = 2"), "", alone=True) is None
    assert remedy(found("nilerr", "return nil"), hunks("x = 1", "x = 2"), "", alone=True) is None


def test_the_models_plan_counts_least() -> None:
    """Session 0bb9a2d9: a plan that names the rule and says more than that it will be mended."""
    finding = found("unparam", "func List() ([]T, error) {", "List - result 1 (error) is always nil")
    said = (
        "1. `unparam` - error is always nil\nNow let me fix the unparam issue - I need to make List return an"
        " actual error in some case."
    )
    assert did(finding, "a", "b", said) == (
        Remedy("said", said="make List return an actual error in some case"),
        BY_WORDS,
    )
    assert did(finding, "a", "b", "Let me fix the unparam issue.") is None
    assert (
        did(finding, "a", "b", "For unparam I should either return an error or change the signature") is None
    )


DUPL = found("dupl", "func TestA(t *testing.T) {", "90-109 lines are duplicate of `a.go:111-130`")


def test_a_whole_function_is_told_by_what_is_new() -> None:
    """Session cc432c40: duplication is answered by another shape, which no single line shows."""
    old = "func TestA(t *testing.T) {\n\trun(1)\n}\nfunc TestB(t *testing.T) {\n\trun(2)\n}"
    new = "func TestBoth(t *testing.T) {\n\tfor _, x := range []int{1, 2} {\n\t\trun(x)\n\t}\n}"
    said = "The tests are too similar. I should refactor them to use a table-driven test pattern."
    assert did(DUPL, old, new, said) == (
        Remedy("reworked", "", "TestBoth()", "refactor them to use a table-driven test pattern"),
        NEAR,
    )
    assert did(DUPL, old, new) == (Remedy("reworked", "", "TestBoth()"), BY_NAME)
    assert did(DUPL, "x := 1", "x := 2") is None


def test_a_file_written_whole_has_no_new_functions() -> None:
    """Nobody knows what it held before; the words alone count."""
    said = "Let me refactor to reduce complexity by extracting helper functions."
    result = did(found("maintidx", message="Cyclomatic Complexity: 36"), "", "func a() {}\nfunc b() {}", said)
    assert result == (
        Remedy("reworked", "", "", "refactor to reduce complexity by extracting helper functions"),
        NEAR,
    )


def test_a_rule_that_is_left_out_of_the_configuration() -> None:
    """A new line of the settings names it."""
    changed = hunks("disable:\n  - lll", "disable:\n  - lll\n  - nilerr")
    assert silenced_in(NILERR, changed, ".golangci.yaml") == Remedy(
        "configured", "", "- nilerr", ".golangci.yaml"
    )
    assert silenced_in(found("errcheck"), changed, ".golangci.yaml") is None
