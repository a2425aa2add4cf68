"""Rust paths lead to module files, within a crate and between crates of a workspace."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project

TREE = {
    "Cargo.toml": '[workspace]\nmembers = ["core", "cli"]\n',
    "core/Cargo.toml": '[package]\nname = "my-core"\n',
    "core/src/lib.rs": "pub mod shapes;\nmod util;\npub use shapes::Circle;\n"
    "pub fn area(c: &Circle) { c.measure() }\n",
    "core/src/shapes/mod.rs": "pub mod round;\npub struct Circle;\n"
    "impl Circle { pub fn new() -> Self { Circle } pub fn measure(&self) { self.twice(); } "
    "fn twice(&self) {} }\n",
    "core/src/shapes/round.rs": "",
    "core/src/util.rs": "pub fn square() {}\npub enum Kind { A }\n",
    "cli/Cargo.toml": '[package]\nname = "cli"\n[dependencies]\n'
    'base = { path = "../core", package = "my-core" }\n',
}


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("core/src/lib.rs", "pub mod shapes;\nmod util;", ["core/src/shapes/mod.rs", "core/src/util.rs"]),
        ("core/src/shapes/round.rs", "use crate::util::square;", ["core/src/util.rs"]),
        ("core/src/shapes/round.rs", "use super::Circle;", ["core/src/shapes/mod.rs"]),
        ("core/src/shapes/round.rs", "use super::super::area;", ["core/src/lib.rs"]),
        ("core/src/shapes/round.rs", "use crate::{util::{square, Kind::A}, shapes};",
         ["core/src/shapes/mod.rs", "core/src/util.rs"]),
        ("core/src/shapes/round.rs", "use std::fmt; use serde::Serialize;", []),
        ("core/src/shapes/round.rs", "mod tests { use super::*; }", []),
        ("cli/src/main.rs", "use my_core::shapes::Circle;", ["core/src/shapes/mod.rs"]),
        ("cli/src/main.rs", "use base::area;", ["core/src/lib.rs"]),
    ],
)  # fmt: skip
def test_a_path_leads_to_a_module_file(path: str, source: str, expected: list[str]) -> None:
    """Declarations, `crate`, `self`, `super` and other crates are followed as far as there are files."""
    assert Project({**TREE, path: source + "\n"}).imports(path) == expected


def test_calls_follow_uses_and_impls() -> None:
    """A re-exported type, a path in place and `self` lead to functions."""
    project = Project(
        {
            **TREE,
            "cli/src/main.rs": "use my_core::Circle;\n"
            "fn main() { let c = Circle::new(); c.measure(); my_core::area(&c); }\n",
        }
    )
    assert project.calls("cli/src/main.rs", "main") == {
        "core/src/shapes/mod.rs:Circle.new": 0.95,
        "core/src/shapes/mod.rs:Circle.measure": 0.75,
        "core/src/lib.rs:area": 0.95,
    }
    assert project.calls("core/src/shapes/mod.rs", "Circle.measure") == {
        "core/src/shapes/mod.rs:Circle.twice": 0.95
    }


def test_a_trait_is_implemented() -> None:
    """`impl Trait for Type` is an `implements` edge, and inline tests see the file around them."""
    project = Project(
        {
            "src/lib.rs": "trait Shape { fn area(&self); }\nstruct Disc;\n"
            "impl Shape for Disc { fn area(&self) {} }\n"
            "mod tests { use super::*;\n #[test]\n fn works() { let d = Disc {}; d.area(); } }\n"
        }
    )
    assert project.targets("src/lib.rs", "implements", "Disc") == {"src/lib.rs:Shape": 0.95}
    assert project.calls("src/lib.rs", "tests.works")["src/lib.rs:Disc.area"] == 0.75
