"""Edits of files that are one thing as a whole reach those who take it, under whatever name."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.graph.test_indexer import world_in

if TYPE_CHECKING:
    from pathlib import Path

PLACES = {"a.js": "a", "b.js": "b", "lib/index.js": "lib", "lib/c.js": "lib/c", "use.js": "use"}
NAMES = ["foo", "bar", "Base", "Kid"]
METHODS = ["run", "go"]


def some_file(path: str, dice: random.Random) -> str:
    """Return a random file that takes others as they are, and is one of its own definitions or another's."""
    stem = path.replace("/", "_").removesuffix(".js")
    lines, known = list[str](), list[str]()
    for number in range(dice.randrange(3)):
        other, name, taken = dice.choice(list(PLACES.values())), f"{stem}{number}", dice.choice(NAMES)
        there = f"{'../' if '/' in path else './'}{other}"
        taking = [f"const {name} = require('{there}');"] * 3
        taking += [f"const {{ {taken}: {name} }} = require('{there}');", f"import {name} from '{there}';"]
        taking += [f"import * as {name} from '{there}';", f"const {name} = require('{there}').{taken};"]
        lines.append(dice.choice(taking))
        known.append(name)
    if dice.random() < 0.15:
        lines.append(f"module.exports = require('./{'c' if '/' in path else 'a'}');")
    own = dice.sample(NAMES, 2)
    known += own
    for name in own:
        one, other, method = dice.choice(known), dice.choice(NAMES), dice.choice(METHODS)
        use = dice.choice(
            [f"{one}();", f"{one}.{method}();", f"{one}.{other}();", f"const x = new {one}(); x.{method}();"]
        )
        if name[0].isupper():
            lines.append(f"class {name} extends {one} {{ {dice.choice(METHODS)}() {{ {use} }} }}")
            continue
        made = [f"function {name}() {{ {use} }}", f"exports.{name} = function () {{ {use} }};"]
        made.append(f"const {name} = {{ {dice.choice(METHODS)}: function () {{ {use} }} }};")
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


def edited(path: str, text: str, dice: random.Random) -> str:
    """Return a file with other offers, one name changed, or a new one."""
    chance = dice.random()
    if chance < 0.2 or not text:
        return some_file(path, dice)
    if chance < 0.6:
        kept = [line for line in text.splitlines() if not line.startswith(("module.exports", "exports"))]
        words = [word for word in (*NAMES, *(f"{path[:1]}{n}" for n in range(2))) if word in text]
        return "\n".join([*kept, *offers(words or NAMES, dice)]) + "\n"
    return text.replace(dice.choice(NAMES), dice.choice(NAMES), 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_following_edits_is_as_good_as_reading_everything(seed: int, tmp_path: Path) -> None:
    """After any edit the graph is that of a run from nothing."""
    dice = random.Random(seed)
    files = {path: some_file(path, dice) for path in PLACES}
    with world_in(tmp_path) as followed:
        followed.put(files)
        followed.index()
        for _ in range(4):
            path = dice.choice(list(PLACES))
            if dice.random() < 0.1:
                files.pop(path, None)
            else:
                files[path] = edited(path, files.get(path, ""), dice)
            followed.put(files)
            followed.index()
            assert followed.is_as_from_nothing()
