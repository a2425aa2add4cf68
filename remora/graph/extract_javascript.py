"""JavaScript and TypeScript: imports in all their forms, functions held by names, tests as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.extract_parts import (
    UNKNOWN,
    Captures,
    Draft,
    Rules,
    Source,
    chain,
    one_line,
    plain_type,
    quoted,
)

if TYPE_CHECKING:
    from tree_sitter import Node

BUILTINS = frozenset(
    """string number boolean any unknown never void object symbol bigint undefined null this Array
    ReadonlyArray Map Set WeakMap WeakSet Record Promise Partial Required Readonly Pick Omit Exclude
    Extract ReturnType Parameters NonNullable Awaited InstanceType Date RegExp Error Function Object
    String Number Boolean Symbol Iterable Iterator AsyncIterable AsyncIterator Uint8Array ArrayBuffer
    Buffer HTMLElement Element Event Node unique PropertyKey ArrayLike Uppercase Lowercase Capitalize
    require() super()""".split()
)

_RUNNER = re.compile(
    r"(?:it|test|describe|suite|context|specify|bench|fit|xit|xtest|fdescribe|xdescribe)"
    r"(?:\.(?:only|skip|each|concurrent|sequential|todo|failing|fails|serial|parallel|step|describe|skipIf|runIf|for)"
    r"(?:\(\))?)*"
)
_MAX_SENTENCE = 120


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    draft.name = quoted(draft.name) or draft.name
    if draft.container:
        return
    kind = draft.kind
    if kind == "test":
        _test(source, draft, captures)
    elif kind.startswith("default_"):
        draft.kind, draft.name = kind.removeprefix("default_"), "default"
        draft.classlike = draft.kind == "class"
    if "target" in captures:
        _held(source, draft, captures["target"][0])
    holder = captures.get("function") or captures.get("class")
    inner = holder[0] if holder else draft.node
    body = inner.child_by_field_name("body")
    if body is not None:
        draft.head_end = body.start_byte
    if draft.kind == "function":
        draft.returns = plain_type(source.field(inner, "return_type")[:400], BUILTINS)
    elif draft.classlike:
        _bases(source, draft, inner)
    elif kind == "type":
        value = inner.child_by_field_name("value")
        draft.classlike = value is not None and value.type == "object_type"


def _test(source: Source, draft: Draft, captures: Captures) -> None:
    runner = chain(source, captures["runner"][0], RULES)
    draft.name = one_line(draft.name, _MAX_SENTENCE)
    draft.test = draft.sentence = True
    draft.drop = not _RUNNER.fullmatch(runner)


def _held(source: Source, draft: Draft, target: Node) -> None:
    """Name a function by what it is assigned to: `exports.f`, `Foo.prototype.f`, `this.f`, `foo.f`."""
    owner = chain(source, target, RULES)
    if owner == UNKNOWN:
        draft.drop = True
    if owner not in ("exports", "module.exports", "this", "module", "window", "globalThis"):
        draft.owner = owner.removesuffix(".prototype")


def _bases(source: Source, draft: Draft, node: Node) -> None:
    bases = []
    for part in node.named_children:
        if part.type not in ("class_heritage", "extends_type_clause"):
            continue
        draft.heritage = (part.start_byte, part.end_byte)
        clauses = [
            part,
            *(c for c in part.named_children if c.type in ("extends_clause", "implements_clause")),
        ]
        for clause in clauses:
            for child in clause.named_children:
                if child.type in ("extends_clause", "implements_clause", "type_arguments", "comment"):
                    continue
                base = child.child_by_field_name("name") if child.type == "generic_type" else child
                bases.append(chain(source, base or child, RULES))
    draft.bases = tuple(base for base in bases if not base.startswith(UNKNOWN))


def _imports(source: Source, node: Node, kind: str, captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind == "default":
        names = _default(source, captures)
        if names:
            yield Import("", names, "", 0, "export", line)
        return
    if kind in ("require", "dynamic"):
        yield from _required(source, kind, captures)
        return
    module = quoted(source.field(node, "source"))
    clauses = [child for child in node.named_children if child.type != "comment"]
    if kind == "export":
        names = tuple(pair for clause in clauses for pair in _offered(source, clause))
        if module and not any(c.type in ("export_clause", "namespace_export") for c in clauses):
            names = (("*", "*"),)
        if module or names:
            yield Import(module, names, "", 0, "export", line)
        return
    if not module:
        return
    found, alias = list[tuple[str, str]](), ""
    for clause in (child for c in clauses if c.type == "import_clause" for child in c.named_children):
        if clause.type == "identifier":
            found.append(("default", source.text(clause)))
        elif clause.type == "namespace_import" and clause.named_child_count:
            alias = source.text(clause.named_child(0))
        elif clause.type == "named_imports":
            found.extend(_specified(source, clause, "import_specifier"))
    yield Import(module, tuple(found), alias, 0, "import", line)


def _specified(source: Source, clause: Node, kind: str) -> Iterator[tuple[str, str]]:
    for item in clause.named_children:
        if item.type == kind:
            name = source.field(item, "name")
            name = quoted(name) or name
            yield name, source.field(item, "alias") or name


def _offered(source: Source, clause: Node) -> Iterator[tuple[str, str]]:
    if clause.type == "export_clause":
        yield from _specified(source, clause, "export_specifier")
    elif clause.type == "namespace_export" and clause.named_child_count:
        yield "*", source.text(clause.named_child(0))


def _default(source: Source, captures: Captures) -> tuple[tuple[str, str], ...]:
    """Return what a file offers by `export default x`, `module.exports = x` and `exports.y = x`."""
    value = captures["value"][0]
    target = source.text(captures["target"][0]) if "target" in captures else ""
    if value.type != "object":
        name = target.removeprefix("module.").removeprefix("exports").removeprefix(".")
        return ((source.text(value), name or "default"),)
    if target.endswith("exports"):
        return tuple(_pairs(source, value))
    return ()


def _pairs(source: Source, node: Node) -> Iterator[tuple[str, str]]:
    """Return (value, key) of the names in an object."""
    for item in node.named_children:
        if item.type == "shorthand_property_identifier":
            yield source.text(item), source.text(item)
        elif item.type == "pair":
            value = item.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield source.text(value), source.field(item, "key")


def _required(source: Source, kind: str, captures: Captures) -> Iterator[Import]:
    place = captures["source"][0]
    module = quoted(source.text(place))
    if not module or "${" in module:
        return
    names, alias = tuple[tuple[str, str], ...](), ""
    target = captures["target"][0] if "target" in captures else None
    if target is not None and target.type == "identifier":
        if "member" in captures:
            names = ((source.text(captures["member"][0]), source.text(target)),)
        else:
            alias = source.text(target)
    elif target is not None and target.type == "object_pattern" and "member" not in captures:
        names = tuple(_taken(source, target))
    yield Import(
        module, names, alias, 0, "require" if kind == "require" else "import", place.start_point[0] + 1
    )


def _taken(source: Source, pattern: Node) -> Iterator[tuple[str, str]]:
    """Return (name, local name) of `{a, b: c, d = 1}`."""
    for item in pattern.named_children:
        if item.type == "object_assignment_pattern":
            left = item.child_by_field_name("left")
            item = left if left is not None else item
        if item.type == "shorthand_property_identifier_pattern":
            yield source.text(item), source.text(item)
        elif item.type == "pair_pattern":
            value = item.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield source.field(item, "key"), source.text(value)


RULES = Rules(
    members={
        "member_expression": ("object", "property"),
        "nested_identifier": ("object", "property"),
        "nested_type_identifier": ("module", "name"),
    },
    calls={"call_expression": "function", "new_expression": "constructor"},
    wrappers=frozenset(
        ("parenthesized_expression", "await_expression", "non_null_expression", "instantiation_expression")
    ),
    define=_define,
    imports=_imports,
    heads=frozenset(("lexical_declaration", "variable_declaration")),
    builtins=BUILTINS,
)
