"""Go imports lead to the files of a package that define what is used."""

from __future__ import annotations

import pytest

from remora.graph.languages.go import local_name
from tests.graph.projects import Project

TREE = {
    "go.mod": "module example.com/app\n\ngo 1.22\n",
    "store/a.go": "package store\ntype Store struct { base; c *Client }\n"
    "func New(p string) *Store { return &Store{} }\n"
    "func (s *Store) Put() { s.c.Dial(); s.flush(); s.log2() }\n",
    "store/b.go": "package store\ntype Client struct{}\nfunc (c *Client) Dial() {}\n"
    "func (s *Store) flush() {}\n"
    "type base struct{}\nfunc (b base) log2() {}\n",
    "tools/go.mod": "module example.com/tools\n",
    "tools/x/x.go": "package x\nfunc X() {}\n",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('import "example.com/app/store"\nfunc f() { store.New("x") }', ["store/a.go"]),
        ('import "example.com/app/store"\nfunc f(c *store.Client) { }', ["store/b.go"]),
        (
            'import s "example.com/app/store"\nfunc f() { s.New("x"); var c s.Client }',
            ["store/a.go", "store/b.go"],
        ),
        ('import "example.com/app/store"\nvar v = store.Unknown', ["store/a.go"]),
        ('import _ "example.com/app/store"', ["store/a.go"]),
        ('import "example.com/tools/x"\nfunc f() { x.X() }', ["tools/x/x.go"]),
        ('import "example.com/other"\nfunc f() { other.X() }', []),
    ],
)
def test_an_import_leads_to_what_is_used(source: str, expected: list[str]) -> None:
    """The defining files are linked, the first file when nothing is seen, nothing outside of the modules."""
    assert Project({**TREE, "main.go": f"package main\n{source}\n"}).imports("main.go") == expected


def test_methods_are_found_across_the_files_of_a_package() -> None:
    """A method of a type, a field's method and an embedded type's method may stand in another file."""
    assert Project(TREE).calls("store/a.go", "Store.Put") == {
        "store/b.go:Client.Dial": 0.75,
        "store/b.go:Store.flush": 0.75,
        "store/b.go:base.log2": 0.75,
    }


@pytest.mark.parametrize(
    ("module", "expected"),
    [("a.com/m/v2", "m"), ("gopkg.in/yaml.v3", "yaml"), ("fmt", "fmt"), ("v2", "v2"), ("", "")],
)
def test_a_package_goes_by_its_last_name(module: str, expected: str) -> None:
    """Versions are no part of a package's name."""
    assert local_name(module) == expected
