"""What single languages have of their own; `test_drawn_projects.py` shows where their names lead."""

from __future__ import annotations

import pytest

from remora.graph.languages.go import local_name
from tests.graph.projects import facts_of
from tests.tables import table


@pytest.mark.parametrize(
    ("module", "expected"),
    [("a.com/m/v2", "m"), ("gopkg.in/yaml.v3", "yaml"), ("fmt", "fmt"), ("v2", "v2"), ("", "")],
)
def test_a_package_of_go_goes_by_its_last_name(module: str, expected: str) -> None:
    """Versions are no part of a package's name."""
    assert local_name(module) == expected


def test_a_template_of_variables_is_a_definition() -> None:
    """`template <…> constexpr bool v = …` defines v, at the top level, in a namespace and in a class."""
    source = (
        "// Whether T is small.\ntemplate <class T>\ninline constexpr bool is_small = sizeof(T) < 8;\n"
        "template <> constexpr bool is_small<int> = true;\n"
        "namespace n { template <class T> T *none = nullptr; template <class T> T zero{}; }\n"
        "struct S { template <class T> static constexpr int count = 1; };\n"
        "template <class T> T make(T x);\nint plain = 1;\n"
    )
    found = facts_of(source.encode(), "cpp").outline.definitions
    assert [(d.kind, d.qualname) for d in found] == [
        ("function", "is_small"),
        ("function", "is_small#2"),
        ("module", "n"),
        ("function", "n.none"),
        ("function", "n.zero"),
        ("class", "S"),
        ("method", "S.count"),
        ("function", "make"),
    ]
    assert found[0][3:8] == (1, 3, 3, "", "inline constexpr bool is_small")
    assert found[0].doc == "Whether T is small."


@pytest.mark.parametrize(("arguments", "expected"), table(__file__, "macros"))
def test_what_a_macro_is_given_is_read_by_its_signs(arguments: str, expected: str) -> None:
    """A name before round brackets is a call, of the one name before it."""
    uses = facts_of(f"fn top() {{ show!({arguments}); }}\n".encode(), "rust").uses
    found = [f"{r.receiver} {r.name}" for r in uses.references if r.kind == "call"]
    assert sorted(found) == sorted([" show", *(expected.split(", ") if expected else ())])
