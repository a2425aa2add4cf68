"""JavaScript and TypeScript imports lead to the files that the compiler would take."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project

TREE = {
    "tsconfig.base.json": """{ // shared
        "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], "@lib": ["src/lib/main.ts"], } },
    }""",
    "tsconfig.json": '{"extends": "./tsconfig.base"}',
    "packages/ui/package.json": '{"name": "@acme/ui", "exports": {".": {"types": "./dist/index.d.ts"}, '
    '"./x/*": "./dist/x/*.js"}}',
    "packages/ui/src/index.ts": "",
    "packages/ui/src/x/deep.ts": "",
    "packages/old/package.json": '{"name": "old", "main": "lib/main"}',
    "packages/old/lib/main.js": "",
    "packages/app/package.json": """{"imports": {
        "#internal/*": "./src/internal/*.js", "#internal/odd": "./odd.js", "#ui": "@acme/ui/x/deep",
        "#internal/deep/*.js": {"node": "./dist/deep/*.js", "default": "./none/*.js"},
        "#db": {"browser": "./src/none.js", "types": "./src/db.d.ts", "default": "./src/db.js"},
        "bad": "./odd.js"}}""",
    "packages/app/src/internal/log.ts": "",
    "packages/app/src/deep/a.ts": "",
    "packages/app/src/db.js": "",
    "packages/app/odd.js": "",
    "packages/old/tool.js": "",
    "src/app.ts": "",
    "src/util/index.ts": "",
    "src/util.css": "",
    "src/view.tsx": "",
    "src/plain.js": "",
    "src/both.ts": "",
    "src/both.js": "",
    "src/types.d.ts": "",
    "src/lib/main.ts": "",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('import { a } from "./app"', ["src/app.ts"]),
        ('import x from "./util"', ["src/util/index.ts"]),
        ('import "./util.css"', []),
        ('import V from "./view.js"', ["src/view.tsx"]),
        ('import V from "./plain.js"', ["src/plain.js"]),
        ('import V from "./both"', ["src/both.ts"]),
        ('import V from "./both.js"', ["src/both.js"]),
        ('import type { T } from "./types"', ["src/types.d.ts"]),
        ('export * from "../src/app"', ["src/app.ts"]),
        ('const a = require("./plain")', ["src/plain.js"]),
        ('import * as u from "@/util"', ["src/util/index.ts"]),
        ('import m from "@lib"', ["src/lib/main.ts"]),
        ('import m from "src/app"', ["src/app.ts"]),
        ('import { B } from "@acme/ui"', ["packages/ui/src/index.ts"]),
        ('import { B } from "@acme/ui/x/deep"', ["packages/ui/src/x/deep.ts"]),
        ('import o from "old"', ["packages/old/lib/main.js"]),
        ('import o from "old/tool"', ["packages/old/tool.js"]),
        ('import React from "react"', []),
        ('import a from "./missing"', []),
        ('import a from "../../../outside"', []),
    ],
)
def test_an_import_names_a_file(source: str, expected: list[str]) -> None:
    """Relative paths, mapped ones and packages of the workspace give files, everything else nothing."""
    found = Project({**TREE, "src/use.ts": source}).imports("src/use.ts")
    assert [path for path in found if not path.endswith(".css")] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("#internal/log", ["packages/app/src/internal/log.ts"]),
        ("#internal/odd", ["packages/app/odd.js"]),
        ("#internal/deep/a.js", ["packages/app/src/deep/a.ts"]),
        ("#db", ["packages/app/src/db.js"]),
        ("#ui", ["packages/ui/src/x/deep.ts"]),
        ("#other", []),
        ("bad", []),
    ],
)
def test_a_package_names_its_own_files(name: str, expected: list[str]) -> None:
    """`imports` of the nearest package.json say what names with "#" stand for; the most exact one counts."""
    source = f'import {{ a }} from "{name}";\n'
    places = ("packages/app/src/use.ts", "packages/ui/src/use.ts")
    project = Project({**TREE, **dict.fromkeys(places, source)})
    assert [project.imports(path) for path in places] == [expected, []]


def test_default_exports_are_found_under_any_name() -> None:
    """A default import, and one passed on under another name, lead to the class behind it."""
    project = Project(
        {
            "card.ts": "export default class Card { flip() {} }\n",
            "index.ts": 'export { default as Tile } from "./card";\n',
            "use.ts": 'import C from "./card";\nimport { Tile } from "./index";\n'
            "function f() { new C().flip(); new Tile(); }\n",
        }
    )
    assert set(project.calls("use.ts", "f")) == {"card.ts:Card", "card.ts:Card.flip"}


def test_a_test_hides_no_name() -> None:
    """What a test is called by its runner is no name: calls lead to the function that it speaks of."""
    project = Project(
        {
            "sum.ts": "export function sum(x: number) { return x }\nexport default function main() {}\n",
            "sum.spec.ts": 'import { sum } from "./sum";\ndescribe("sum", () => {\n'
            '  function one() { return 1 }\n  it("one", () => { sum(one()); });\n});\n',
            "pick.ts": 'import only from "./sole";\nonly();\n',
            "sole.js": "function sole() {}\nmodule.exports = wrap(sole);\nit('only', () => sole());\n",
        }
    )
    assert project.calls("sum.spec.ts", "sum.one#2") == {"sum.ts:sum": 0.95, "sum.spec.ts:sum.one": 0.95}
    assert project.targets("sum.spec.ts", "tests", "sum.one#2")["sum.ts:sum"] == 0.95
    assert project.calls("pick.ts") == {"sole.js:sole": 0.95}
    assert [s.key for s in project.symbols.named("sum")] == ["sum.ts:sum"]


def test_methods_are_found_through_this_fields_and_bases() -> None:
    """`this`, a typed field, a field made by `new`, and `super` lead to methods."""
    project = Project(
        {
            "base.ts": "export class Base { stop() {} }\nexport interface Runner { run(): void }\n",
            "store.ts": "export class Store { save() {} }\n",
            "app.ts": 'import { Base, Runner } from "./base";\nimport { Store } from "./store";\n'
            "export class App extends Base implements Runner {\n  a = new Store();\n"
            "  constructor(private b: Store) { super(); }\n"
            "  run() { this.a.save(); this.go(); super.stop(); this.stop(); }\n"
            "  go() { const save = (x) => x; save(1); this.b.save(); }\n}\n",
        }
    )
    assert project.calls("app.ts", "App.run") == {
        "store.ts:Store.save": 0.75,
        "app.ts:App.go": 0.95,
        "base.ts:Base.stop": 0.75,
    }
    assert "app.ts:App.go.save" in project.calls("app.ts", "App.go")
    assert project.targets("app.ts", "inherits", "App") == {"base.ts:Base": 0.95}
    assert project.targets("app.ts", "implements", "App") == {"base.ts:Runner": 0.95}
