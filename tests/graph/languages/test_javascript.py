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
        ('import "./util.css"', []),
        ('import V from "./view.js"', ["src/view.tsx"]),
        ('import V from "./plain.js"', ["src/plain.js"]),
        ('import V from "./both"', ["src/both.ts"]),
        ('import V from "./both.js"', ["src/both.js"]),
        ('import type { T } from "./types"', ["src/types.d.ts"]),
        ('const a = require("./plain")', ["src/plain.js"]),
        ('import * as u from "@/util"', ["src/util/index.ts"]),
        ('import m from "src/app"', ["src/app.ts"]),
        ('import { B } from "@acme/ui"', ["packages/ui/src/index.ts"]),
        ('import { B } from "@acme/ui/x/deep"', ["packages/ui/src/x/deep.ts"]),
        ('import o from "old"', ["packages/old/lib/main.js"]),
        ('import o from "old/tool"', ["packages/old/tool.js"]),
        ('import React from "react"', []),
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
    texts = {
        "card.ts": "export default class Card { flip() {} }\n",
        "index.ts": 'export { default as Tile } from "./card";\n',
        "use.ts": 'import C from "./card";\nimport { Tile } from "./index";\nnew C().flip(); new Tile();\n',
    }
    calls = Project(texts).links("use.ts")
    assert {(link.to_key, link.count) for link in calls if ":" in link.to_key} == {
        ("card.ts:Card", 2),
        ("card.ts:Card.flip", 1),
    }


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


WHOLES = {
    "a.js": "class A { run() {} static mk() {} }\nmodule.exports = A;\n",
    "c.js": "module.exports = function cfn(x) {};\n",
    "d.js": "function dfn(x) {}\nmodule.exports = dfn;\n",
    "e.js": "function efn(x) {}\nexports = module.exports = efn;\n",
    "f.js": "class F { go() {} }\nmodule.exports = new F();\n",
    "g.js": "module.exports = exports = () => {};\n",
    "h.js": "const held = module.exports = class { go() {} };\nheld.of = function () {};\n",
}
TAKEN = "".join(f"const {path[0]} = require('./{path[0]}');\n" for path in WHOLES)
CALLED = "{ a.mk(); new a().run(); c(1); d(1); e(1); f.go(); g(); new h().go(); h.of(); }"
FOUND = {
    "a.js:A": 0.95,
    "a.js:A.mk": 0.95,
    "a.js:A.run": 0.95,
    "c.js:cfn": 0.95,
    "d.js:dfn": 0.95,
    "e.js:efn": 0.95,
    "f.js:F.go": 0.95,
    "g.js:exports": 0.95,
    "h.js:held": 0.95,
    "h.js:held.go": 0.95,
    "h.js:held.of": 0.95,
}


@pytest.mark.parametrize(
    "taken",
    [
        TAKEN,
        TAKEN.replace("const ", "import ").replace("= require(", "from ").replace(")", ""),
        TAKEN.replace("const ", "import "),
    ],
    ids=["require", "import", "import require"],
)
def test_a_file_is_what_module_exports_says(taken: str) -> None:
    """A class, a function, a named or nameless expression and an object of a class are taken as a whole."""
    project = Project(
        {
            **WHOLES,
            "use.ts": f"{taken}function u() {CALLED}\n",
            "use.test.ts": f"{taken}test('u', () => {CALLED});\n",
        }
    )
    assert project.calls("use.ts", "u") == FOUND
    assert project.targets("use.test.ts", "tests", "u") == FOUND


def test_typescript_exports_a_whole_file() -> None:
    """`export = x` is taken by `import x = require()`, by `require` and as the default."""
    project = Project(
        {
            "a.ts": "class A { run() {} }\nexport = A;\n",
            "b.ts": "export = function bfn() {};\n",
            "c.ts": "class C { go() {} }\nexport = new C();\n",
            "use.ts": 'import A = require("./a");\nimport B from "./b";\nimport c = require("./c");\n'
            "class K extends A {}\nfunction u(a: A) { new A(); a.run(); B(); c.go(); }\n",
        }
    )
    assert project.calls("use.ts", "u") == {
        "a.ts:A": 0.95,
        "a.ts:A.run": 0.75,
        "b.ts:bfn": 0.95,
        "c.ts:C.go": 0.95,
    }
    assert project.targets("use.ts", "inherits", "K") == {"a.ts:A": 0.95}


def test_names_are_taken_out_of_a_file_of_commonjs() -> None:
    """Objects of names, names added to a whole, and those that an object or a class holds are found."""
    project = Project(
        {
            "a.js": "class A { static mk() {} }\nfunction helper() {}\nfunction other() {}\n"
            "function get() {}\nmodule.exports = A;\nmodule.exports.helper = helper;\n"
            "exports.late = function () {};\n",
            "b.js": "class B {}\nfunction bfn() {}\n"
            "module.exports = { B, bfn, short: bfn, a: require('./a') };\n",
            "c.js": "const api = {};\napi.get = function () {};\nmodule.exports = api;\n",
            "use.js": "const A = require('./a');\nconst { helper, mk } = require('./a');\n"
            "const { B, short } = require('./b');\nconst b = require('./b');\nconst c = require('./c');\n"
            "const { get } = require('./c');\n"
            "function u() { A.helper(); A.late(); helper(); mk(); }\n"
            "function v() { new B(); short(); b.bfn(); b.a.mk(); c.get(); get(); }\n"
            "function w() { A.other(); A.get(); A.gone(); b.gone(); c.gone(); c(); b(); }\n",
        }
    )
    assert project.calls("use.js", "u") == {"a.js:helper": 0.95, "a.js:late": 0.95, "a.js:A.mk": 0.95}
    assert project.calls("use.js", "v") == {
        "b.js:B": 0.95,
        "b.js:bfn": 0.95,
        "a.js:A.mk": 0.95,
        "c.js:api.get": 0.95,
    }
    assert project.calls("use.js", "w") == {}


def test_a_whole_file_is_handed_on() -> None:
    """What `require` gives may be exported again: as the whole, under a name, and in an object."""
    project = Project(
        {
            "lib/a.js": "class A { run() {} }\nmodule.exports = A;\n",
            "lib/b.js": "exports.bfn = function () {};\n",
            "one.js": "module.exports = require('./lib/a');\n",
            "two.js": "module.exports = require('./lib/b');\n",
            "all.js": "exports.A = require('./lib/a');\nexports.b = require('./lib/b').bfn;\n",
            "obj.js": "module.exports = { K: require('./lib/a'), ...require('./lib/b') };\n",
            "far.js": "const A = require('./one');\nmodule.exports = A;\n",
            "use.js": "const A = require('./far');\nconst two = require('./two');\n"
            "const { bfn } = require('./two');\n"
            "const all = require('./all');\nconst { K, bfn: third } = require('./obj');\n"
            "function u() { new A().run(); }\nfunction v() { two.bfn(); bfn(); all.b(); third(); }\n"
            "function w() { new all.A().run(); new K(); }\n",
        }
    )
    a = {"lib/a.js:A": 0.95, "lib/a.js:A.run": 0.95}
    assert project.calls("use.js", "u") == project.calls("use.js", "w") == a
    assert project.calls("use.js", "v") == {"lib/b.js:bfn": 0.95}


def test_a_module_of_names_is_no_whole() -> None:
    """What a file of ES exports by default is not the file; a value that is not seen leads nowhere."""
    project = Project(
        {
            "es.js": "export default class A { run() {} }\nexport function f() {}\n",
            "wrapped.js": "function inner() {}\nmodule.exports = wrap(inner);\n",
            "star.js": "export * from './cjs';\n",
            "cjs.js": "function cfn() {}\nmodule.exports = cfn;\n",
            "base.js": "class B extends Foreign {}\nfunction helper() {}\nmodule.exports = B;\n",
            "use.js": "const es = require('./es');\nconst w = require('./wrapped');\n"
            "const s = require('./star');\nconst B = require('./base');\n"
            "function u() { es.f(); }\nfunction not() { es(); new es(); w(); s(); B.helper(); }\n",
        }
    )
    assert project.calls("use.js", "u") == {"es.js:f": 0.95}
    assert project.calls("use.js", "not") == {}
