"""Rust paths lead to module files, within a crate and between crates of a workspace."""

from __future__ import annotations

import pytest

from remora.graph.extract import extract
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


def test_calls_in_the_arguments_of_a_macro_are_read() -> None:
    """Functions, paths and methods inside `assert_eq!`, `println!` or `vec!` are called like elsewhere."""
    project = Project(
        {
            "src/lib.rs": "mod util;\nstruct Disc;\n"
            "impl Disc { fn new() -> Self { Disc } fn size(&self) -> u8 { assert!(self.known()); 1 } "
            "fn known(&self) -> bool { true } }\n"
            "fn helper(n: u8) -> u8 { n }\n"
            "#[test]\nfn works() {\n let d = Disc::new();\n assert_eq!(helper(1), d.size());\n"
            ' println!("{}", util::total(vec![make(), 2]));\n}\nfn make() -> u8 { 1 }\n',
            "src/util.rs": "pub fn total(x: Vec<u8>) {}\n",
        }
    )
    assert project.calls("src/lib.rs", "works") == {
        "src/lib.rs:Disc.new": 0.95,
        "src/lib.rs:helper": 0.95,
        "src/lib.rs:Disc.size": 0.75,
        "src/util.rs:total": 0.95,
        "src/lib.rs:make": 0.95,
    }
    assert project.calls("src/lib.rs", "Disc.size") == {"src/lib.rs:Disc.known": 0.95}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("a::b(1), crate::c::d()", ["a b", "crate::c d"]),
        ("self.pool.get(1).run()", ["self.pool get", "self.pool.get() run"]),
        ("new()?.run(), list[0].go(), (a).b(), 'x'.c()", [" new", "new() run", "? go", "? b", "? c"]),
        ("x.await.go(), a::<B>::c(), d .e ( ), 0..len(f)", ["x go", "a c", "d e", " len"]),
        ("a::<B<C>>(), b.c::<D>().e(), f < g(h), i > (j)", [" a", "b c", "b.c() e", " g"]),
        (
            "self.0.a(), u8::b(1), 1.c(), Some(d())?.await?.e()",
            ["self.0 a", "u8 b", "? c", " Some", " d", "Some() e"],
        ),
        ("if (a) { b() } else { match (c) { D(e) => f() } }", [" b", " f"]),
        ("while (a) {} return (b), for x in (c) {}, x as (d)", []),
        ("fn a(b: C) { d() }, struct E(F);, if let G(h) = i {}", [" d"]),
        ('inner!(a(), deep![b()]), #[c(d)] e(), "f()" /* g() */', [" a", " b", " e"]),
        ("macro_rules! a { (b) => { c() } }", []),
    ],
)
def test_what_a_macro_is_given_is_read_by_its_signs(arguments: str, expected: list[str]) -> None:
    """A name before round brackets is a call, but for keywords, macros, patterns and definitions."""
    uses = extract(f"fn top() {{ show!({arguments}); }}\n".encode(), "rust").uses
    found = [f"{r.receiver} {r.name}" for r in uses.references if r.kind == "call"]
    assert sorted(found) == sorted([" show", *expected])


def test_what_a_macro_only_writes_is_not_called() -> None:
    """The body of a macro's definition, tokens that are quoted and attributes hold no calls."""
    source = "macro_rules! m { ($x:expr) => { foo($x); bar!(foo(2)) } }\n"
    source += (
        "#[cfg(any(unix))]\nfn f() { quote! { foo(1) }; stringify!(foo(2)); syn::parse_quote!(foo()) }\n"
    )
    uses = extract(source.encode(), "rust").uses
    called = [reference.name for reference in uses.references if reference.kind == "call"]
    assert called == ["quote", "stringify", "parse_quote"]
