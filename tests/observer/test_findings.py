"""What linters and type checkers list, in the forms the usual tools print.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import time

import pytest

from remora.observer.findings import MOST, finding, findings, same_file

# output; rule, linter, path, line, line of code
LISTED = [
    # session 6113e919
    (
        "cmd/x.go:425:19: G304: a file of a name (gosec)\n\t\tb, err := os.ReadFile(p)\n\t\t          ^",
        ("G304", "gosec", "cmd/x.go", 425, "b, err := os.ReadFile(p)"),
    ),
    # session 44df7d08
    (
        "a.go:360:34: redefines-builtin-id: redefinition of the built-in function new (revive)",
        ("redefines-builtin-id", "revive", "a.go", 360, ""),
    ),
    # session cc432c40: the whole function follows, and no caret
    (
        "a_test.go:90: 90-109 lines are duplicate of `b.go:1-30` (dupl)\nfunc TestX(t *testing.T) {\n\tx()",
        ("dupl", "", "a_test.go", 90, "func TestX(t *testing.T) {"),
    ),
    ("src/a.py:3: error: Incompatible types  [assignment]", ("assignment", "", "src/a.py", 3, "")),
    ("a.c:3:5: warning: unused variable 'x' [-Wunused-variable]", ("unused-variable", "", "a.c", 3, "")),
    ("s.sh:3:5: note: Double quote. [SC2086]", ("SC2086", "", "s.sh", 3, "")),
    (
        "b.py:1:8: F401 [*] `os` imported but unused\n  |\n1 | import os\n  |        ^^",
        ("F401", "", "b.py", 1, "import os"),
    ),
    ("b.py:2:1: E501 line too long (120 > 88)", ("E501", "", "b.py", 2, "")),
    (
        "F841 [*] Local `x` is never used\n --> c.py:2:5\n  |\n1 | def f():\n2 |     x = 1\n  |     ^",
        ("F841", "", "c.py", 2, "x = 1"),
    ),
    (
        (
            "warning: not simple\n --> src/main.rs:2:9\n  |\n2 |     return x;\n  |     ^^^^^^\n  |\n"
            "  = note: `#[warn(clippy::needless_return)]` on by default"
        ),
        ("needless_return", "", "src/main.rs", 2, "return x;"),
    ),
    (
        "error[E0308]: mismatched types\n  --> src/x.rs:4:5\n   |\n4  |     y\n   |     ^",
        ("E0308", "", "src/x.rs", 4, "y"),
    ),
    ("src/a.ts(3,5): error TS2345: Argument of type 'x'", ("TS2345", "", "src/a.ts", 3, "")),
    (
        "src/b.ts:3:5 - error TS2322: Type 'x'\n\n3   const a: x = y;\n    ~~~",
        ("TS2322", "", "src/b.ts", 3, ""),
    ),
    (
        "/w/app/index.js\n  3:5   error    'x' is not defined       no-undef\n\n✖ 1 problem",
        ("no-undef", "", "/w/app/index.js", 3, ""),
    ),
    (
        "mod.py:1:0: C0114: Missing docstring (missing-module-docstring)",
        ("missing-module-docstring", "C0114", "mod.py", 1, ""),
    ),
    ("a.rb:3:5: C: Layout/LineLength: Line is too long.", ("Layout/LineLength", "", "a.rb", 3, "")),
]


@pytest.mark.parametrize(("output", "expected"), LISTED, ids=[str(e[0]) for _, e in LISTED])
def test_a_finding_is_read(output: str, expected: tuple[object, ...]) -> None:
    """Place, rule and, where it is printed, the line of code; the kept line alone gives the rule again."""
    (found,) = findings(output)
    assert (found.rule, found.linter, found.path, found.line, found.source) == expected
    again = finding(found.told)
    assert again is not None
    assert again.rule == found.rule


@pytest.mark.parametrize(
    "output",
    [
        "a.go:3:9: undefined: runClean",
        "a.go:3:9: undefined: runClean (typecheck)",
        "    overlap_test.go:88: Expected 2 rewind points (got 1)",
        "# entire.io/cli/strategy [entire.io/cli/strategy.test]\na.go:3:1: x [entire.io/cli/strategy.test]",
        "see a.go:3 (really)",
        "0 issues.",
        "",
    ],
)
def test_what_is_no_finding(output: str) -> None:
    """Compilers, tests, packages and prose name no rule."""
    assert findings(output) == []


def test_all_of_an_output_are_read_up_to_a_limit() -> None:
    """Session e7eb742c: several rules in one run, in order, without the summary; never more than MOST."""
    output = (
        "cmd/debug.go:183:3: missing cases in switch of type x (exhaustive)\n\t\tswitch st {\n\t\t^\n"
        "cmd/debug.go:53:3: error is not nil (line 50) but it returns nil (nilerr)\n\t\treturn nil\n\t\t^\n"
        "2 issues:\n* exhaustive: 1\n* nilerr: 1"
    )
    assert [(f.rule, f.source) for f in findings(output)] == [
        ("exhaustive", "switch st {"),
        ("nilerr", "return nil"),
    ]
    assert len(findings("a.py:1:1: E501 too long\n" * 500)) == MOST


def test_a_long_message_keeps_its_rule() -> None:
    """The rule stands at the end of a line that is cut."""
    found = finding("a.go:1:1: error returned: sig: func " + "x" * 900 + " (wrapcheck)")
    assert found is not None
    assert (found.rule, len(found.told) <= 400) == ("wrapcheck", True)


@pytest.mark.parametrize(
    "output",
    [
        "a.go:1:1: x" + " " * 3900 + "y",
        "/a.js\n  1:1  error  x" + " " * 3900 + "y",
        "a/" * 2000 + ":1:1: ",
        "a.go:1: " + "x (" * 1300,
        "a.go:1: x" + " " * 900 + ")",
    ],
)
def test_odd_lines_take_no_time(output: str) -> None:
    """No pattern goes back and forth over a line; the limit is far above what it takes."""
    start = time.perf_counter()
    assert findings(output) == []
    assert time.perf_counter() - start < 0.25


def test_one_file_under_two_names() -> None:
    """A tool may name a file from further up or from further down than the editor."""
    assert same_file("./cmd/a.go", "cmd/a.go")
    assert same_file("cli/a.go", "/w/app/cli/a.go")
    assert not same_file("a.go", "data.go")
