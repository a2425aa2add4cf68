"""Fixtures of pytest: their definitions, their values, and the fixtures that tests and fixtures request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from remora.graph.extract_parts import MAX_NAME, Draft, Source, Taken, plain_type, quoted, split_top

if TYPE_CHECKING:
    from tree_sitter import Node

_DECORATORS = 40  # of one definition that are read
_STATEMENTS = 300  # of a fixture that are read
_NAMES = 40  # that one test takes
_WORDS = re.compile(r"\w+")
# Return annotations of fixtures that yield.
_YIELDED = frozenset(
    ("Iterator", "Generator", "Iterable", "AsyncIterator", "AsyncGenerator", "AsyncIterable")
)
_ANNOTATED = re.compile(r"(?:\w+\.)*(\w+)\s*\[(.*)\]", re.DOTALL)
_NO_FIXTURES = frozenset(("self", "cls"))

Shown = Callable[[Source, "Node"], str]


def taken(
    source: Source, draft: Draft, around: Node | None, shown: Shown, builtins: frozenset[str]
) -> list[Taken]:
    """Return the requested fixtures of a definition, and set its value if it is a fixture itself.

    Args:
        source: the file.
        draft: a function or a class, settled.
        around: the node of the definition with its decorators.
        shown: returns the type of an expression, as in `Binding`; "" for none.
        builtins: names of types that are not resolved.
    """
    found, given = list[Taken](), set[str]()
    head = source.data[draft.start : draft.node.start_byte] if around is not None else b""
    if around is not None and (b"fixture" in head or b"parametrize" in head):
        for decorator in around.named_children[:_DECORATORS]:
            called = decorator.named_child(0) if decorator.type == "decorator" else None
            if called is None:
                continue
            arguments = called.child_by_field_name("arguments")
            function = called.child_by_field_name("function") or called
            name = source.text(function).rpartition(".")[2]
            if name in ("fixture", "yield_fixture") and draft.node.type == "function_definition":
                draft.fixture = _named(source, arguments) or draft.name
            elif name == "usefixtures" and arguments is not None:
                found += _used(source, arguments)
            elif name == "parametrize" and arguments is not None and "indirect" not in source.text(arguments):
                # A parametrized argument is no fixture, unless `indirect` passes it to one.
                given.update(_WORDS.findall("".join(map(source.text, arguments.named_children[:1]))))
    if draft.fixture:
        draft.gives = _gives(source, draft.node, shown, builtins)
    if draft.node.type == "function_definition" and (draft.test or draft.fixture):
        found += (one for one in _parameters(source, draft.node) if one.name not in given)
    return found


def _named(source: Source, arguments: Node | None) -> str:
    for argument in arguments.named_children if arguments is not None else ():
        if argument.type == "keyword_argument" and source.field(argument, "name") == "name":
            name = quoted(source.field(argument, "value"))
            return name if len(name) <= MAX_NAME else ""
    return ""


def _used(source: Source, arguments: Node) -> Iterator[Taken]:
    for argument in arguments.named_children[:_NAMES]:
        name = quoted(source.text(argument)) if argument.type == "string" else ""
        if name.isidentifier():
            yield Taken(argument.start_byte, name, argument.start_point[0] + 1, "usefixtures")


def _parameters(source: Source, function: Node) -> Iterator[Taken]:
    """Yield the parameters without a default; they are fixtures if one has their name."""
    parameters = function.child_by_field_name("parameters")
    for parameter in parameters.named_children[:_NAMES] if parameters is not None else ():
        typed = parameter.type == "typed_parameter"
        name = parameter.named_child(0) if typed else parameter
        if name is not None and name.type == "identifier" and (text := source.text(name)) not in _NO_FIXTURES:
            yield Taken(name.start_byte, text, name.start_point[0] + 1)


def _gives(source: Source, function: Node, shown: Shown, builtins: frozenset[str]) -> str:
    """Return the type of a fixture's value: as annotated, or of all its returns or yields."""
    written = function.child_by_field_name("return_type")
    body = function.child_by_field_name("body")
    if body is None:
        return ""
    if written is not None:
        text = source.text(written).strip("\"' ")
        wrapped = _ANNOTATED.fullmatch(text)
        if wrapped and wrapped[1] in _YIELDED and b"yield" in source.data[body.start_byte : body.end_byte]:
            text = split_top(wrapped[2], ",")[0]
        return plain_type(text, builtins)
    given, held, waiting = list["Node"](), dict[str, set[str]](), [body]
    for _ in range(_STATEMENTS):
        if not waiting:
            break
        node = waiting.pop()
        kind = node.type
        if kind in ("return_statement", "yield"):
            given += [child for child in node.named_children if child.type not in ("none", "comment")]
        elif kind in ("assignment", "as_pattern"):
            target, value = _bound(node)
            if target is not None and value is not None:
                held.setdefault(source.text(target), set()).add(shown(source, value))
        elif kind.endswith(("statement", "clause", "block", "with_item")):
            waiting += node.named_children
    types = set[str]()
    for value in given:
        types |= held.get(source.text(value), {""}) if value.type == "identifier" else {shown(source, value)}
    return types.pop() if len(types) == 1 and not waiting else ""


def _bound(node: Node) -> tuple[Node | None, Node | None]:
    """Return the name bound by an assignment or a `with`, and its value."""
    if node.type == "assignment":
        return node.child_by_field_name("left"), node.child_by_field_name("right")
    alias = node.child_by_field_name("alias")
    return (alias.named_child(0) if alias is not None else None), node.named_child(0)
