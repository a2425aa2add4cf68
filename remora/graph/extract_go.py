"""Go: methods by receiver type, embedded types as bases, tests by their signature."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.extract_parts import (
    Captures,
    Draft,
    Rules,
    Source,
    plain_type,
    quoted,
    return_type,
    split_top,
)
from remora.graph.go_interfaces import LISTS_TYPES

if TYPE_CHECKING:
    from tree_sitter import Node

BUILTINS = frozenset(
    """bool string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32
    float64 complex64 complex128 error any comparable new() make() len() cap() append() copy()
    string()""".split()
)

_TEST = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    node = draft.node
    if "target" in captures:
        owner = plain_type(source.text(captures["target"][0]))
        draft.owner = owner.rpartition(".")[2]
        draft.classlike = False
    if draft.kind == "function":
        draft.returns = _result(source.field(node, "result"))
        if node.type == "function_declaration" and _TEST.match(draft.name):
            draft.test = draft.name.startswith("Example") or "testing." in source.field(node, "parameters")
        return
    shape = node.child_by_field_name("type")
    if shape is not None and draft.classlike:
        draft.bases = tuple(_embedded(source, shape))
        brace = source.data.find(b"{", shape.start_byte, shape.end_byte)
        draft.head_end = brace if brace >= 0 else shape.end_byte


def _result(text: str) -> str:
    """Return the type of the first result: `(x *Foo, err error)` gives "Foo"."""
    if text.startswith("("):
        text = split_top(text[1:-1], ",")[0].strip().rpartition(" ")[2]
    return return_type(text)


def _embedded(source: Source, shape: Node) -> Iterator[str]:
    parts = shape.named_children
    for part in parts[0].named_children if parts and shape.type == "struct_type" else parts:
        if part.type == "field_declaration" and part.child_by_field_name("name") is None:
            name = plain_type(source.field(part, "type"))
        elif part.type == "type_elem":
            text = source.text(part)
            name = plain_type(text)
            if text == "error":
                yield text
            elif "~" in text or "|" in text or (name in BUILTINS and name not in ("any", "comparable")):
                yield LISTS_TYPES
        else:
            continue
        if name and name not in BUILTINS:
            yield name


def _imports(source: Source, node: Node, _kind: str, _captures: Captures) -> Iterator[Import]:
    path = quoted(source.field(node, "path"))
    name = source.field(node, "name")
    if path:
        names = (("*", "*"),) if name == "." else ()
        yield Import(path, names, "" if name == "." else name, 0, "import", node.start_point[0] + 1)


RULES = Rules(
    members={"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")},
    calls={"call_expression": "function"},
    wrappers=frozenset(("parenthesized_expression", "generic_type", "type_instantiation_expression")),
    define=_define,
    imports=_imports,
    heads=frozenset(("type_declaration",)),
    builtins=BUILTINS,
)
