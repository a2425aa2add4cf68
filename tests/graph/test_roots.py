"""Configuration files and the layout say where modules begin."""

from __future__ import annotations

import pytest

from remora.core.values import Skipped
from remora.graph.manifests import join, loose_json
from remora.graph.roots import Crate, GoModule, JsPackage, Roots, TsConfig, find_roots


def roots(texts: dict[str, str]) -> Roots:
    """Return the roots of a project of texts."""
    return find_roots(sorted(texts), texts.get, [])


FULL = {
    "source/app/__init__.py": "",
    "src/one.py": "",
    "examples/demo/pkg/__init__.py": "",
    "go.mod": "module example.com/m\n",
    "sub/go.mod": '// note\nmodule "example.com/m/sub"\n',
    "core/Cargo.toml": '[package]\nname = "my-core"\n[lib]\npath = "lib.rs"\n',
    "tsconfig.json": '{"compilerOptions": {"baseUrl": "./src", "paths": {"~/*": ["*"], "~/x/*": ["y/*"]}}}',
    "web/package.json": '{"name": "web", "main": "dist/i.js", "exports": {".": {"import": "./m.mjs", '
    '"types": "./t.d.ts"}, "./s": "./s.js"}}',
    "web/jsconfig.json": '{"extends": "../tsconfig.json"}',
}


def test_every_kind_of_configuration_is_read() -> None:
    """Each language's own files give its roots, in an order that is the same each time."""
    assert roots(FULL) == Roots(
        typescript=(
            TsConfig("web", "src", (("~/x/*", ("src/y/*",)), ("~/*", ("src/*",)))),
            TsConfig("", "src", (("~/x/*", ("src/y/*",)), ("~/*", ("src/*",)))),
        ),
        packages=(
            JsPackage("web", "web", ((".", ("./t.d.ts", "./m.mjs", "dist/i.js")), ("./s", ("./s.js",)))),
        ),
        go=(GoModule("sub", "example.com/m/sub"), GoModule("", "example.com/m")),
        crates=(Crate("core", "my_core", "core/lib.rs"),),
        python=("", "src"),
        python_layout=("examples/demo", "source"),
    )


def test_roots_survive_storing() -> None:
    """JSON gives back equal roots, and equal roots give equal JSON."""
    found = roots(FULL)
    assert Roots.from_json(found.to_json()) == found
    assert Roots.from_json(Roots().to_json()) == Roots()


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"typescript": 3}', "[" * 100_000])
def test_other_text_gives_no_roots(text: str) -> None:
    """What was stored by another version reads as no roots, never as an error."""
    assert Roots.from_json(text) == Roots()


@pytest.mark.parametrize("name", ["tsconfig.json", "package.json", "go.mod", "Cargo.toml"])
@pytest.mark.parametrize(
    "text",
    ["", "{", "\x00", '{"name": 3, "exports": 4}', "[package]\nname = 3\n", "[" * 50_000, '{"extends": [1]}'],
)
def test_a_broken_file_is_ignored(name: str, text: str) -> None:
    """Text of any kind in a configuration file does no harm."""
    found = roots({name: text, "go/go.mod": "module a.b/c"})
    assert GoModule("go", "a.b/c") in found.go


def test_a_file_that_cannot_be_read_is_ignored() -> None:
    """A listed configuration file may be gone."""
    assert find_roots(["go.mod", "tsconfig.json"], lambda _: None, []).go == ()


def test_configurations_that_extend_each_other_end() -> None:
    """A circle of `extends` is followed a few times only."""
    texts = {
        "tsconfig.json": '{"extends": "./tsconfig.b.json"}',
        "tsconfig.b.json": '{"extends": "./tsconfig.json"}',
    }
    assert roots(texts).typescript == (TsConfig("", None, ()),)


def test_a_configuration_of_references_takes_their_paths() -> None:
    """A solution file without paths of its own speaks for the one that has some."""
    texts = {
        "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.node.json"}, '
        '{"path": "./tsconfig.app.json"}]}',
        "tsconfig.node.json": "{}",
        "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    }
    assert roots(texts).typescript == (TsConfig("", None, (("@/*", ("src/*",)),)),)


def test_comments_inside_strings_stay() -> None:
    """Only real comments and trailing commas go."""
    assert loose_json('{"a": "http://x/*y*/,}", /* c */ "b": [1,], // d\n}') == {
        "a": "http://x/*y*/,}",
        "b": [1],
    }


@pytest.mark.parametrize(
    ("folder", "part", "expected"),
    [("a/b", "../c", "a/c"), ("a", "../..", None), ("a", "/x", "x"), ("", "..", None)],
)
def test_paths_are_joined_inside_the_project(folder: str, part: str, expected: str | None) -> None:
    """A path that leads out of the project is none."""
    assert join(folder, part) == expected


def test_a_manifest_that_cannot_be_read_takes_no_other_with_it():
    """It is named with its error; the other manifests count."""

    def read(path: str) -> str | None:
        if path == "bad/package.json":
            raise MemoryError
        return '{"name": "good"}'

    skipped: list[Skipped] = []
    found = find_roots(["bad/package.json", "good/package.json"], read, skipped)
    assert [package.name for package in found.packages] == ["good"]
    assert skipped == [Skipped("bad/package.json", "could not be read: MemoryError")]
