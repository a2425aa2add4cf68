"""C#: all forms of `using`, merged partial classes, tests by attribute, XML doc comments as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.extract_parts import Captures, Draft, Rules, Source, return_type, without_arguments

if TYPE_CHECKING:
    from tree_sitter import Node

BUILTINS = frozenset(
    """int long short byte sbyte uint ulong ushort nint nuint char float double decimal bool void string
    object var dynamic String Object Int32 Int64 Boolean Double Task ValueTask List Dictionary HashSet
    IEnumerable IList ICollection IDictionary IReadOnlyList IReadOnlyCollection IReadOnlyDictionary Func
    Action Nullable Exception Guid DateTime TimeSpan CancellationToken Type Lazy Fact Theory Test
    TestMethod Obsolete Serializable readonly ref out in params nameof()""".split()
)

_TEST = re.compile(
    r"[\[,]\s*(?:\w+\.)*(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod|TestCaseSource)\b"
)


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    if draft.classlike:
        for part in node.named_children:
            if part.type == "base_list":
                draft.heritage = (part.start_byte, part.end_byte)
                draft.bases = tuple(
                    without_arguments(source.text(base).partition("(")[0])
                    for base in part.named_children
                    if base.type not in ("comment", "argument_list")
                )
            elif part.type == "modifier" and source.text(part) == "partial":
                draft.reopens = True
    elif draft.kind == "function":
        field = "returns" if node.type == "method_declaration" else "type"
        draft.returns = return_type(source.field(node, field)[:400])
        lists = [source.text(part) for part in node.named_children[:8] if part.type == "attribute_list"]
        draft.test = bool(_TEST.search(" ".join(lists)))
    # A signature without the attributes in front of it.
    for part in node.children:
        if part.type != "attribute_list":
            draft.head_start = part.start_byte
            break


def _imports(source: Source, node: Node, _kind: str, _captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    parts = node.named_children
    alias = node.child_by_field_name("name")
    path = next((part for part in reversed(parts) if alias is None or part.id != alias.id), None)
    if path is None or path.type == "comment":
        return
    static = any(child.type == "static" for child in node.children)
    yield Import(
        without_arguments(source.text(path)),
        (("*", "*"),) if static else (),
        source.text(alias) if alias is not None else "",
        0,
        "using",
        line,
    )


RULES = Rules(
    members={"member_access_expression": ("expression", "name"), "qualified_name": ("qualifier", "name")},
    calls={"invocation_expression": "function", "object_creation_expression": "type"},
    wrappers=frozenset(
        ("parenthesized_expression", "await_expression", "generic_name", "postfix_unary_expression")
    ),
    written=frozenset(("alias_qualified_name",)),
    define=_define,
    imports=_imports,
    body=("body", "accessors"),
    builtins=BUILTINS,
)
