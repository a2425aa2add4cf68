"""After any edits, following the changes gives the graph of a run from nothing; test_indexer has Python."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.graph.test_indexer import world_in


class Kind(NamedTuple):
    """A kind of project: where its files are, how one is made and edited, and what else it has."""

    places: Sequence[str]
    made: Callable[[str, random.Random], str]
    edited: Callable[[str, str, random.Random], str]
    others: dict[str, str] = {}  # noqa: RUF012  never changed


# Go: types with methods in any file of their package.

MODULE = "module example.com/shop\n\ngo 1.22\n"
GO = ["a/a.go", "a/b.go", "b/a.go", "b/b.go", "c/c.go"]
GO_METHODS = ["Save(id string)", "Save(id int)", "Load()", "Write(p []byte) (int, error)", "keep()"]
TYPES, INTERFACES = ["Disk", "Box"], ["Saver", "Both"]


def go_file(path: str, dice: random.Random) -> str:
    """Return a random file of types, some of their methods, and interfaces."""
    lines = [f"package {path[0]}", f'import (\n\t"io"\n\ta "example.com/shop/{dice.choice("abc")}"\n)']
    for name in dice.sample(TYPES, dice.randrange(3)):
        base = dice.choice(["", "Box", "*a.Disk", "Saver", "other.Thing"])
        lines.append(f"type {name} struct {{\n\t{base}\n}}")
    for name in dice.sample(INTERFACES, dice.randrange(3)):
        own = dice.sample(GO_METHODS, dice.randrange(3))
        bases = dice.sample(["Saver", "a.Both", "io.Writer", "x.Odd"], dice.randrange(2))
        lines.append(f"type {name} interface {{\n\t" + "\n\t".join([*own, *bases]) + "\n}")
    for _ in range(dice.randrange(4)):
        lines.append(f"func (x {dice.choice(TYPES)}) {dice.choice(GO_METHODS)} {{}}")
    return "\n".join(lines) + "\n"


def edited_go(path: str, text: str, dice: random.Random) -> str:
    """Return a file with a line less, one name changed, or a new one."""
    if dice.random() < 0.3 or not text:
        return go_file(path, dice)
    if dice.random() < 0.2:
        return re.sub("shop/.", f"shop/{dice.choice('abc')}", text)
    if dice.random() < 0.5:
        lines = text.splitlines(keepends=True)
        del lines[dice.randrange(len(lines))]
        return "".join(lines)
    one, other = dice.sample(["Disk", "Box", "Saver", "Both", "Save", "Load", "string", "int"], 2)
    return text.replace(one, other, 1)


# CommonJS: files that are one thing as a whole, for those who take it under whatever name.

COMMONJS = {"a.js": "a", "b.js": "b", "lib/index.js": "lib", "lib/c.js": "lib/c", "use.js": "use"}
COMMONJS_NAMES = ["foo", "bar", "Base", "Kid"]
COMMONJS_METHODS = ["run", "go"]


def commonjs_file(path: str, dice: random.Random) -> str:
    """Return a random file that takes others as they are, and is one of its own definitions or another's."""
    stem = path.replace("/", "_").removesuffix(".js")
    lines, known = list[str](), list[str]()
    for number in range(dice.randrange(3)):
        other, name, taken = (
            dice.choice(list(COMMONJS.values())),
            f"{stem}{number}",
            dice.choice(COMMONJS_NAMES),
        )
        there = f"{'../' if '/' in path else './'}{other}"
        taking = [f"const {name} = require('{there}');"] * 3
        taking += [f"const {{ {taken}: {name} }} = require('{there}');", f"import {name} from '{there}';"]
        taking += [f"import * as {name} from '{there}';", f"const {name} = require('{there}').{taken};"]
        lines.append(dice.choice(taking))
        known.append(name)
    if dice.random() < 0.15:
        lines.append(f"module.exports = require('./{'c' if '/' in path else 'a'}');")
    own = dice.sample(COMMONJS_NAMES, 2)
    known += own
    for name in own:
        one, other, method = dice.choice(known), dice.choice(COMMONJS_NAMES), dice.choice(COMMONJS_METHODS)
        use = dice.choice(
            [f"{one}();", f"{one}.{method}();", f"{one}.{other}();", f"const x = new {one}(); x.{method}();"]
        )
        if name[0].isupper():
            lines.append(f"class {name} extends {one} {{ {dice.choice(COMMONJS_METHODS)}() {{ {use} }} }}")
            continue
        made = [f"function {name}() {{ {use} }}", f"exports.{name} = function () {{ {use} }};"]
        made.append(f"const {name} = {{ {dice.choice(COMMONJS_METHODS)}: function () {{ {use} }} }};")
        lines.append(dice.choice(made))
    return "\n".join([*lines, *offers(known, dice)]) + "\n"


def offers(known: list[str], dice: random.Random) -> list[str]:
    """Return what a file says that it is, and what it adds to that."""
    name, other = dice.choice(known), dice.choice(known)
    whole = [f"module.exports = {name};"] * 3
    whole += [f"module.exports = new {name}();", f"module.exports = {{ {name}, {other} }};", ""]
    return [
        dice.choice(whole),
        dice.choice([f"module.exports.{other} = {other};", f"exports.{name} = 1;", ""]),
    ]


def edited_commonjs(path: str, text: str, dice: random.Random) -> str:
    """Return a file with other offers, one name changed, or a new one."""
    chance = dice.random()
    if chance < 0.2 or not text:
        return commonjs_file(path, dice)
    if chance < 0.6:
        kept = [line for line in text.splitlines() if not line.startswith(("module.exports", "exports"))]
        words = [word for word in (*COMMONJS_NAMES, *(f"{path[:1]}{n}" for n in range(2))) if word in text]
        return "\n".join([*kept, *offers(words or COMMONJS_NAMES, dice)]) + "\n"
    return text.replace(dice.choice(COMMONJS_NAMES), dice.choice(COMMONJS_NAMES), 1)


KINDS = {
    "go": Kind(GO, go_file, edited_go, {"go.mod": MODULE}),
    "commonjs": Kind(list(COMMONJS), commonjs_file, edited_commonjs),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_following_edits_is_as_good_as_reading_everything(kind: str, seed: int, tmp_path: Path) -> None:
    """After any edit the graph is that of a run from nothing."""
    project, dice = KINDS[kind], random.Random(seed)
    files = project.others | {path: project.made(path, dice) for path in project.places}
    with world_in(tmp_path) as followed:
        followed.put(files)
        followed.index()
        for _ in range(5):
            path = dice.choice(project.places)
            if dice.random() < 0.1:
                files.pop(path, None)
            else:
                files[path] = project.edited(path, files.get(path, ""), dice)
            followed.put(files)
            followed.index()
            assert followed.is_as_from_nothing()
