"""Ruby: reopened classes, mixins as bases, all forms of `require`, examples named by sentences."""

from __future__ import annotations

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
    quoted,
    split_chain,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_RUNNERS = frozenset(
    "describe context it specify test feature scenario example should fit xit fdescribe".split()
)
_MIXINS = ("include", "extend", "prepend")
_MAX_SENTENCE = 120


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    node = draft.node
    if draft.kind == "test":
        draft.drop = source.text(captures["runner"][0]) not in _RUNNERS
        draft.name = one_line(quoted(draft.name) or draft.name, _MAX_SENTENCE)
        draft.test = draft.sentence = True
        block = node.child_by_field_name("block")
        draft.head_end = block.start_byte if block is not None else -1
    elif draft.kind == "function":
        draft.test = draft.name.startswith("test_")
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("name")
        draft.head_end = parameters.end_byte if parameters is not None else -1
    else:
        owner, draft.name = split_chain(draft.name)
        draft.owner = owner.strip(":").replace("::", ".")
        draft.reopens = True
        draft.classlike = True
        name = node.child_by_field_name("superclass") or node.child_by_field_name("name")
        draft.head_end = name.end_byte if name is not None else -1
        draft.bases = tuple(_bases(source, node))


def _bases(source: Source, node: Node) -> Iterator[str]:
    parent = node.child_by_field_name("superclass")
    if parent is not None and parent.named_child_count:
        name = chain(source, parent.named_child(0), RULES)
        if name != UNKNOWN and "(" not in name:
            yield name
    body = node.child_by_field_name("body")
    for statement in body.named_children[:200] if body is not None else ():
        if statement.type == "call" and source.field(statement, "method") in _MIXINS:
            arguments = statement.child_by_field_name("arguments")
            for argument in arguments.named_children if arguments is not None else ():
                if argument.type in ("constant", "scope_resolution"):
                    yield source.text(argument)


def _imports(source: Source, node: Node, _kind: str, captures: Captures) -> Iterator[Import]:
    how = source.text(captures["require"][0])
    strings = [part for part in captures["arguments"][0].named_children if part.type == "string"]
    path = quoted(source.text(strings[0])) if strings else ""
    if not path or "#{" in path:
        return
    if how == "require_relative" and not path.startswith("."):
        path = f"./{path}"
    yield Import(path, (), "", 0, "require", node.start_point[0] + 1)


RULES = Rules(
    members={"call": ("receiver", "method")},
    calls={"call": "arguments"},
    wrappers=frozenset(("parenthesized_statements",)),
    written=frozenset(("scope_resolution",)),
    define=_define,
    imports=_imports,
    builtins=frozenset(("puts()", "raise()", "require()", "lambda()", "proc()")),
)
