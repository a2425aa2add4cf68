"""Every compiled pattern of the package, how it is called, and texts that are hard for it.

A pattern is found as an object of an imported module, however deep it lies in tuples, mappings and classes,
and as a constant in a call of `re` inside a function. What the source calls of it says how it is tried: one
that is only ever matched at the start of a text is not searched here either, and one that is matched from
a place on is tried again where the last match ended.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

import remora
from remora.core import secret_rules

SOURCE = Path(remora.__file__).parent
AT_START = frozenset({"match", "fullmatch"})
EVERYWHERE = "everywhere"
NEXT = "next"  # `match` from a place on
ASKED = frozenset({"pattern", "flags", "groups", "groupindex"})  # of a pattern, without running it
FUNCTIONS = frozenset(
    {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
)
_IMPORT = re.compile(r"^ *from [\w.]+ import (?:\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(
    r"(?P<owner>\w\.)?\b(?P<name>[A-Z_][A-Z0-9_]+)\b(?:(?P<defined>(?:: [^=\n]+)? = )|\.(?P<method>\w+))?"
)
_CALL = re.compile(rf"\bre\.(?!compile)(?:{'|'.join(sorted(FUNCTIONS))})\(")
DEEPEST = 6  # levels of tuples, mappings and objects that are looked through
MOST_PARTS = 24  # loops, and beginnings, of one pattern
MOST_TEXTS = 160  # of one pattern
FILLERS = ("a", "A", "0", " ", "\n", "_", "-", ".", "/", '"', "é", "x y ")
TAILS = ("", "\0", "\n", "!a")


class Found(NamedTuple):
    """A pattern with its place (`module:NAME`) and the ways in which the source tries it."""

    place: str
    pattern: re.Pattern[Any]
    ways: frozenset[str]

    def run(self, text: str) -> None:
        """Try the pattern on a text as the source does: at its start, place by place, or everywhere."""
        given: Any = text if isinstance(self.pattern.pattern, str) else text.encode("utf-8", "replace")
        if EVERYWHERE in self.ways:
            for _ in self.pattern.finditer(given):
                pass
            return
        if "fullmatch" in self.ways:
            self.pattern.fullmatch(given)
        at = 0
        while (met := self.pattern.match(given, at)) and met.end() > at and NEXT in self.ways:
            at = met.end()


def all_patterns() -> list[Found]:
    """Return every pattern of the package once, by its text and flags, sorted by place."""
    sources = {name: path.read_text("utf-8") for name, path in _files()}
    loaded = {name: module for name in sources if (module := _loaded(name)) is not None}
    found: dict[tuple[Any, int], Found] = {}
    gathered = itertools.chain(
        _objects(loaded, sources), _of_secrets(loaded, sources), _constants(loaded, sources)
    )
    for place, pattern, ways in gathered:
        known = found.get((pattern.pattern, pattern.flags))
        if known is not None:
            place, ways = known.place, known.ways | ways
        found[pattern.pattern, pattern.flags] = Found(place, pattern, ways)
    return sorted(found.values(), key=lambda f: (f.place, str(f.pattern.pattern)))


def all_modules() -> list[ModuleType]:
    """Return every module of the package that can be imported here."""
    return [module for name, _ in _files() if (module := _loaded(name)) is not None]


def _files() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _loaded(name: str) -> ModuleType | None:
    if name.endswith("__main__"):
        return None
    try:
        __import__(name)
    except ImportError:  # an adapter whose framework is not here: its source is still read
        return None
    return sys.modules[name]


def _objects(
    loaded: Mapping[str, ModuleType], sources: Mapping[str, str]
) -> Iterator[tuple[str, re.Pattern[Any], frozenset[str]]]:
    """Yield the patterns that modules hold; one that imports a pattern is asked how it uses it, too."""
    through_modules: dict[str, set[str]] = {}
    for source in sources.values():
        for use in _NAME.finditer(source):
            if use["owner"]:
                through_modules.setdefault(use["name"], set()).update(_way(use, source))
    for module_name, module in loaded.items():
        source = _IMPORT.sub("", sources[module_name])
        here: dict[str, set[str]] = {}
        for use in _NAME.finditer(source):
            here.setdefault(use["name"], set()).update(_way(use, source))
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                ways = here.get(name, set()) | through_modules.get(name, set())
                yield f"{module_name}:{name}", value, frozenset(ways)
            elif not name.startswith("__"):
                for pattern in _inside(value, module_name, DEEPEST, set()):
                    yield f"{module_name}:{name}", pattern, frozenset({EVERYWHERE})


def _way(use: re.Match[str], source: str) -> set[str]:
    """Return how a use of a name tries the pattern; what is not a call that is known may do anything."""
    if use["defined"] or use["method"] in ASKED:
        return set()
    if use["method"] not in AT_START:
        return {EVERYWHERE}
    if source[use.end() : use.end() + 1] != "(":  # handed on, as in `map(NAME.match, lines)`
        return {use["method"]}
    depth = 0
    for sign in source[use.end() : use.end() + 1_000]:
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            return {use["method"]}
        if depth == 1 and sign == ",":
            return {NEXT}
    return {EVERYWHERE}


def _inside(value: object, module: str, deep: int, seen: set[int]) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns inside of a value; of classes and functions only those of the module itself."""
    if isinstance(value, re.Pattern):
        yield value
        return
    if deep == 0 or id(value) in seen or isinstance(value, str | bytes | int | float | ModuleType):
        return
    seen.add(id(value))
    parts: Iterable[object] = ()
    if isinstance(value, Mapping):
        parts = itertools.chain(value.keys(), value.values())
    elif isinstance(value, tuple | list | set | frozenset):
        parts = value
    elif getattr(value, "__module__", None) == module or type(value).__module__.startswith(remora.__name__):
        parts = [*getattr(value, "__dict__", {}).values(), *(getattr(value, "__defaults__", None) or ())]
        parts += [getattr(value, s, None) for s in getattr(type(value), "__slots__", ())]
    for part in parts:
        yield from _inside(part, module, deep - 1, seen)


def _of_secrets(
    loaded: Mapping[str, ModuleType], sources: Mapping[str, str]
) -> Iterator[tuple[str, re.Pattern[Any], frozenset[str]]]:
    """Yield the patterns of secrets, which are texts until one is needed: what `compiled` is called with."""
    compiled = secret_rules.compiled
    for shape in secret_rules.SHAPES:
        yield f"{secret_rules.__name__}:SHAPES", compiled(shape.pattern), frozenset({EVERYWHERE})
    for prefix in secret_rules.PREFIXES:
        yield f"{secret_rules.__name__}:PREFIXES", compiled(prefix.rest), frozenset({NEXT})
    for module, source in sources.items():
        names = vars(loaded.get(module, secret_rules))
        if names.get(compiled.__name__) is not compiled:
            continue
        for node in ast.walk(ast.parse(source)):
            if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)):
                continue
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == compiled.__name__ and call.args:
                try:
                    text = eval(compile(ast.Expression(call.args[0]), module, "eval"), dict(names))
                except NameError:  # a rule, which stands in the tables above
                    continue
                way = NEXT if node.attr in AT_START else EVERYWHERE
                yield f"{module}:{node.lineno}", compiled(text), frozenset({way})


def _constants(
    loaded: Mapping[str, ModuleType], sources: Mapping[str, str]
) -> Iterator[tuple[str, re.Pattern[Any], frozenset[str]]]:
    """Yield what is written as a constant in a call of `re`, in a function or a module that cannot load."""
    for module, source in sources.items():
        tree = ast.parse(source if _CALL.search(source) or module not in loaded else "")
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            owner, first, function = node.func.value, node.args[0], node.func.attr
            if not (isinstance(owner, ast.Name) and owner.id == "re" and function in FUNCTIONS):
                continue
            if not (isinstance(first, ast.Constant) and isinstance(first.value, str | bytes)):
                continue
            if function == "compile" and module in loaded:
                continue  # found as an object, with the names that use it
            flags = 0
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and isinstance(getattr(re, part.attr, 0), re.RegexFlag):
                    flags |= getattr(re, part.attr)
            way = function if function in AT_START else EVERYWHERE
            yield f"{module}:{node.lineno}", re.compile(first.value, flags), frozenset({way})


# Texts that are hard for one pattern: what its loops take, repeated, behind what leads to them.


def hard_texts(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return (start, what is repeated) of texts that a pattern may take long for.

    What is repeated: each sign that the pattern names, pairs of them, what each of its loops takes, and the
    beginnings of the pattern; behind nothing, and behind what leads to the loop.
    """
    source = pattern.pattern
    text = source if isinstance(source, str) else source.decode("latin-1")
    tree = sre_parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(source, bytes) else pattern.flags)
    signs = list(dict.fromkeys(itertools.chain(_signs(tree), "a \n")))[:40]
    begun: dict[tuple[str, str], None] = {}
    for start, body in itertools.islice(_loops(list(tree), ""), MOST_PARTS):
        for filler in dict.fromkeys((body, *signs[:2])):
            begun.setdefault((start, filler))
            begun.setdefault(("", start + filler))
    for start in itertools.islice(_beginnings(list(tree)), MOST_PARTS):
        begun.setdefault(("", start))
        begun.setdefault(("", start + " "))  # a word of its own, each time
    for sign in signs:
        begun.setdefault(("", sign))
        if not sign.isalnum():
            begun.setdefault(("", sign + "a"))
    return [part for part in begun if part[1]][:MOST_TEXTS]


def _signs(tree: Iterable[Any]) -> Iterator[str]:
    for op, value in tree:
        if op in (sre.LITERAL, sre.NOT_LITERAL):
            yield chr(value)
        elif op is sre.IN:
            yield from _members(value)
        for part in _parts(op, value):
            yield from _signs(part)


def _parts(op: Any, value: Any) -> list[Any]:
    """Return the patterns inside of a part of a pattern."""
    if op is sre.BRANCH:
        return list(value[1])
    if op is sre.SUBPATTERN:
        return [value[-1]]
    if op in _REPEATS:
        return [value[2]]
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [value[1]]
    if op is sre.ATOMIC_GROUP:
        return [value]
    if op is sre.GROUPREF_EXISTS:
        return [p for p in value[1:] if p is not None]
    return []


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    sre.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    sre.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def _members(members: Any) -> list[str]:
    """Return signs of a class: of each of its parts one or two, and the usual ones that it takes."""
    found: dict[str, None] = {}
    negated = bool(members) and members[0][0] is sre.NEGATE
    for op, value in members:
        if op is sre.LITERAL:
            found.setdefault(chr(value))
        elif op is sre.RANGE:
            found.setdefault(chr(value[0]))
    usual = [f for f in FILLERS if len(f) == 1 and _takes(members, f) != negated]
    return [*usual[:3], *(() if negated else found)] or ["~"]


def _takes(members: Any, sign: str) -> bool:
    for op, value in members:
        if op is sre.LITERAL and chr(value) == sign:
            return True
        if op is sre.RANGE and value[0] <= ord(sign) <= value[1]:
            return True
        if op is sre.CATEGORY and _CATEGORIES[value](sign):
            return True
    return False


def _word(tree: Iterable[Any], fuller: bool = False) -> str:
    """Return a short text that a pattern takes, as far as that is seen without trying."""
    said = ""
    for op, value in tree:
        if op is sre.LITERAL:
            said += chr(value)
        elif op is sre.NOT_LITERAL:
            said += "a" if chr(value) != "a" else "b"
        elif op is sre.ANY:
            said += "a"
        elif op is sre.IN:
            said += _members(value)[0]
        elif op is sre.BRANCH:
            said += _word(value[1][-1 if fuller else 0], fuller)
        elif op in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            said += _word(_parts(op, value)[0], fuller)
        elif op in _REPEATS:
            said += _word(value[2], fuller) * max(value[0], int(fuller))
        elif op is sre.ASSERT and value[0] < 0 and not said:
            said += _word(value[1], fuller)
    return said


def _loops(tree: list[Any], start: str) -> Iterator[tuple[str, str]]:
    """Yield for each loop what leads to it and what it takes."""
    full = start
    for op, value in tree:
        if op in _REPEATS and value[1] > 8:
            yield start, _word(value[2])
            yield full, _word(value[2], fuller=True)
        for part in _parts(op, value):
            yield from _loops(list(part), start)
        start += _word([(op, value)])
        full += _word([(op, value)], fuller=True)


def _beginnings(tree: list[Any]) -> Iterator[str]:
    short = full = ""
    for op, value in tree:
        short += _word([(op, value)])
        full += _word([(op, value)], fuller=True)
        yield short
        yield full
        for part in _parts(op, value):
            yield from _beginnings(list(part))
