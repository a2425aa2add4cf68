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


@pytest.mark.parametrize(("arguments", "expected"), table(__file__, "macros"))
def test_what_a_macro_is_given_is_read_by_its_signs(arguments: str, expected: str) -> None:
    """A name before round brackets is a call, of the one name before it."""
    uses = facts_of(f"fn top() {{ show!({arguments}); }}\n".encode(), "rust").uses
    found = [f"{r.receiver} {r.name}" for r in uses.references if r.kind == "call"]
    assert sorted(found) == sorted([" show", *(expected.split(", ") if expected else ())])
