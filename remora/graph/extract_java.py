"""Java: imports of types, packages and static members, bases from three clauses, tests by annotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.extract_parts import Captures, Draft, Rules, Source, without_arguments

if TYPE_CHECKING:
    from tree_sitter import Node

BUILTINS = frozenset(
    """int long short byte char float double boolean void var String Object Integer Long Short Byte
    Character Float Double Boolean Number List Map Set Collection Iterable Iterator Optional Class Void
    Exception RuntimeException Throwable ArrayList HashMap HashSet Override Deprecated SuppressWarnings
    FunctionalInterface SafeVarargs Test this() super()""".split()
)

_TEST = re.compile(r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b")
_CLAUSES = ("superclass", "super_interfaces", "extends_interfaces")


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    modifiers = node.named_child(0) if node.named_child_count else None
    if modifiers is not None and modifiers.type == "modifiers":
        draft.test = draft.kind == "function" and bool(_TEST.search(source.text(modifiers)))
        draft.head_start = _after_annotations(source, draft.head_start, modifiers)
    if draft.classlike:
        bases = []
        for clause in node.named_children:
            if clause.type in _CLAUSES:
                draft.heritage = (draft.heritage[0] or clause.start_byte, clause.end_byte)
                for part in clause.named_children:
                    bases.extend(part.named_children if part.type == "type_list" else [part])
        draft.bases = tuple(
            without_arguments(source.text(base)) for base in bases if "comment" not in base.type
        )


def _after_annotations(source: Source, start: int, modifiers: Node) -> int:
    """Return where a signature starts after its leading annotations."""
    for part in modifiers.children:
        if part.type not in ("annotation", "marker_annotation", "line_comment", "block_comment"):
            break
        start = part.end_byte
    return source.after_blanks(start)


def _imports(source: Source, node: Node, _kind: str, _captures: Captures) -> Iterator[Import]:
    path = next((c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None)
    if path is None:
        return
    module, line = "".join(source.text(path).split()), node.start_point[0] + 1
    kinds = {child.type for child in node.children}
    if "asterisk" in kinds:
        yield Import(module, (("*", "*"),), "", 0, "import", line)
    elif "static" in kinds:
        owner, _, name = module.rpartition(".")
        yield Import(owner, ((name, name),), "", 0, "import", line)
    else:
        yield Import(module, (), "", 0, "import", line)


RULES = Rules(
    members={"field_access": ("object", "field"), "method_invocation": ("object", "name")},
    calls={"method_invocation": "arguments", "object_creation_expression": "type"},
    wrappers=frozenset(("parenthesized_expression", "generic_type")),
    written=frozenset(("scoped_identifier", "scoped_type_identifier")),
    define=_define,
    imports=_imports,
    returns="type",
    builtins=BUILTINS,
)
