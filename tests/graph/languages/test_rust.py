"""Rust paths lead to module files, within a crate and between crates of a workspace."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project, facts_of

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
    "cli/Cargo.toml": '[package]\nname = "cli"\n',
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
    source = (
        "trait Shape { fn area(&self); }\nstruct Disc;\nimpl Shape for Disc { fn area(&self) {} }\n"
        "mod tests { use super::*;\n #[test]\n fn works() { let d = Disc {}; d.area(); } }\n"
    )
    project = Project({"src/lib.rs": source})
    assert project.targets("src/lib.rs", "implements", "Disc") == {"src/lib.rs:Shape": 0.95}
    assert project.calls("src/lib.rs", "tests.works")["src/lib.rs:Disc.area"] == 0.75


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("a::b(1), crate::c::d()", ["a b", "crate::c d"]),
        ("self.pool.get(1).run()", ["self.pool get", "self.pool.get() run"]),
        ("new()?.run(), list[0].go(), (a).b(), 'x'.c()", [" new", "new() run", "? go", "? b", "? c"]),
        ("x.await.go(), d .e ( ), 0..len(f)", ["x go", "d e", " len"]),
        ("f < g(h), i > (j)", [" g"]),
        (
            "self.0.a(), u8::b(1), 1.c(), Some(d())?.await?.e()",
            ["self.0 a", "u8 b", "? c", " Some", " d", "Some() e"],
        ),
        ("if (a) { b() } else { match (c) { D(e) => f() } }", [" b", " f"]),
        ("fn a(b: C) { d() }, struct E(F);, if let G(h) = i {}", [" d"]),
        ('inner!(a(), deep![b()]), #[c(d)] e(), "f()" /* g() */', [" a", " b", " e"]),
        ("macro_rules! a { (b) => { c() } }", []),
    ],
)
def test_what_a_macro_is_given_is_read_by_its_signs(arguments: str, expected: list[str]) -> None:
    """A name before round brackets is a call, but for keywords, macros, patterns and definitions."""
    uses = facts_of(f"fn top() {{ show!({arguments}); }}\n".encode(), "rust").uses
    found = [f"{r.receiver} {r.name}" for r in uses.references if r.kind == "call"]
    assert sorted(found) == sorted([" show", *expected])


def test_what_a_macro_only_writes_is_not_called() -> None:
    """The body of a macro's definition, tokens that are quoted and attributes hold no calls."""
    source = "macro_rules! m { ($x:expr) => { foo($x); bar!(foo(2)) } }\n"
    source += (
        "#[cfg(any(unix))]\nfn f() { quote! { foo(1) }; stringify!(foo(2)); syn::parse_quote!(foo()) }\n"
    )
    uses = facts_of(source.encode(), "rust").uses
    called = [reference.name for reference in uses.references if reference.kind == "call"]
    assert called == ["quote", "stringify", "parse_quote"]


def test_a_path_begins_at_the_module_around_it() -> None:
    """`super` and `self` in a module written inside a file are its modules first, then those of files."""
    project = Project(
        {
            "src/lib.rs": "mod a;\nfn f() {}\n",
            "src/a.rs": "fn f() {}\nstruct T;\nimpl T { fn new() -> Self { T } }\n"
            "mod b {\n fn g() { super::f(); super::super::f(); crate::f() }\n fn f() {}\n struct S;\n"
            " impl S { fn new() -> Self { S } }\n"
            " mod c {\n  use super::S;\n  use super::super::T;\n"
            "  fn h() { super::f(); super::super::f(); super::super::super::f(); S::new(); T::new() }\n"
            "  fn i() { self::h(); crate::a::b::f() }\n }\n}\n",
        }
    )
    assert project.imports("src/a.rs") == []
    assert set(project.calls("src/a.rs", "b.g")) == {"src/a.rs:f", "src/lib.rs:f"}
    assert set(project.calls("src/a.rs", "b.c.h")) == {
        "src/a.rs:b.f",
        "src/a.rs:f",
        "src/lib.rs:f",
        "src/a.rs:b.S.new",
        "src/a.rs:T.new",
    }
    assert set(project.calls("src/a.rs", "b.c.i")) == {"src/a.rs:b.c.h", "src/a.rs:b.f"}


def test_a_module_of_a_file_is_declared_in_a_module_inside_another() -> None:
    """`mod a { mod b; }` is a/b.rs, and paths lead there from everywhere."""
    project = Project(
        {
            "src/lib.rs": "pub mod a {\n pub mod b;\n pub mod c { pub mod d; pub fn here() {} }\n"
            " use self::b::f;\n fn g() { b::f(); c::d::f() }\n}\n"
            "mod other;\nuse a::c::here;\nfn h() { here() }\n",
            "src/a/b.rs": "use super::c::d;\npub fn f() { d::f() }\n",
            "src/a/c/d.rs": "pub fn f() {}\n",
            "src/other.rs": "use crate::a::b::f;\nuse crate::a::c::here;\n"
            "fn g() { f(); here(); crate::a::c::d::f() }\n"
            "mod inner { mod deep; }\n",
            "src/other/inner/deep.rs": "",
        }
    )
    assert project.imports("src/lib.rs") == ["src/a/b.rs", "src/a/c/d.rs", "src/other.rs"]
    assert set(project.calls("src/lib.rs", "a.g")) == {"src/a/b.rs:f", "src/a/c/d.rs:f"}
    assert set(project.calls("src/lib.rs", "h")) == {"src/lib.rs:a.c.here"}
    assert project.imports("src/other.rs") == ["src/a/b.rs", "src/lib.rs", "src/other/inner/deep.rs"]
    assert set(project.calls("src/other.rs", "g")) == {
        "src/a/b.rs:f",
        "src/lib.rs:a.c.here",
        "src/a/c/d.rs:f",
    }
    assert project.imports("src/a/b.rs") == ["src/a/c/d.rs"]
    assert set(project.calls("src/a/b.rs", "f")) == {"src/a/c/d.rs:f"}


def test_a_module_inside_a_file_passes_names_on() -> None:
    """What `pub use` takes into a module is found through it, all of it too; a circle leads nowhere."""
    project = Project(
        {
            "src/lib.rs": "mod shapes;\npub mod prelude { pub use crate::shapes::*; }\n"
            "mod a { pub use super::b::lost; pub use super::b::*; }\n"
            "mod b { pub use super::a::lost; pub use super::a::*; }\n"
            "mod c { pub use self::d as d; }\n",
            "src/shapes.rs": "pub fn area() {}\n",
            "src/x.rs": "use crate::prelude::*;\nfn f() { area(); crate::a::lost(); crate::c::d::e() }\n",
        }
    )
    assert project.calls("src/x.rs", "f") == {"src/shapes.rs:area": 0.95}


def test_a_module_may_name_its_file() -> None:
    """`#[path = "…"]` says where a module lies: beside the file, inside a module from that one's folder."""
    project = Project(
        {
            "src/lib.rs": '#[cfg(unix)]\n#[path = "sys/unix.rs"]\nmod imp;\n'
            '#[cfg(windows)]\n#[path = "sys/windows.rs"]\nmod imp;\nmod plain;\n'
            'mod a { #[path = "odd.rs"] pub mod b; }\n'
            "use crate::imp::open;\nfn f() { open(); imp::close(); a::b::g() }\n",
            "src/sys/unix.rs": "pub fn open() {}\npub fn close() {}\n",
            "src/sys/windows.rs": "",
            "src/plain.rs": '#[path = "beside.rs"]\nmod one;\nfn f() { one::f() }\n',
            "src/beside.rs": "pub fn f() {}\n",
            "src/a/odd.rs": "pub fn g() {}\n",
        }
    )
    assert project.imports("src/lib.rs") == [
        "src/a/odd.rs",
        "src/plain.rs",
        "src/sys/unix.rs",
        "src/sys/windows.rs",
    ]
    assert set(project.calls("src/lib.rs", "f")) == {
        "src/sys/unix.rs:open",
        "src/sys/unix.rs:close",
        "src/a/odd.rs:g",
    }
    assert project.imports("src/plain.rs") == ["src/beside.rs"]
    assert set(project.calls("src/plain.rs", "f")) == {"src/beside.rs:f"}
