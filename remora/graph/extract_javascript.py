"""JavaScript and TypeScript: all forms of imports, functions assigned to names, tests named by sentences."""

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
    quoted,
    return_type,
)
from remora.graph.imports.base import WHOLE

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
_MAX_ASSIGNED = 4  # signs of assignment in a row: `exports = module.exports = f`
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function"))
_BOTH = ((WHOLE, WHOLE), ("default", "default"))  # `import x` takes what `require` gives


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
    holder = captures.get("function") or captures.get("class")
    inner = holder[0] if holder else draft.node
    if "target" in captures:
        _held(source, draft, captures["target"][0], inner)
    elif kind.startswith("whole_"):
        draft.kind, draft.name = kind.removeprefix("whole_"), _name_of_whole(source, draft.node, inner)
        draft.classlike = draft.kind == "class"
    body = inner.child_by_field_name("body")
    if body is not None:
        draft.head_end = body.start_byte
    if draft.kind == "function":
        draft.returns = return_type(source.field(inner, "return_type")[:400])
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


def _held(source: Source, draft: Draft, target: Node, inner: Node) -> None:
    """Name a function by its assignment target: `exports.f`, `Foo.prototype.f`, `this.f`, `foo.f`."""
    owner = chain(source, target, RULES)
    if owner == UNKNOWN:
        draft.drop = True
    if owner == "module" and draft.name == WHOLE:
        draft.name = _name_of_whole(source, draft.node, inner)
    if owner not in ("exports", "module.exports", "this", "module", "window", "globalThis"):
        draft.owner = owner.removesuffix(".prototype")


def _name_of_whole(source: Source, node: Node, inner: Node) -> str:
    """Return the file's name for the function or class assigned to `module.exports`."""
    own, variable = source.field(inner, "name"), _variable(source, node)
    return (own or variable if inner.type == "class" else variable or own) or WHOLE


def _variable(source: Source, node: Node) -> str:
    """Return the variable that also receives an assigned value: `const x = module.exports = …`."""
    around = node.parent
    for _ in range(_MAX_ASSIGNED):
        if around is None or around.type != "assignment_expression":
            break
        around = around.parent
    if around is None or around.type != "variable_declarator":
        return ""
    name = around.child_by_field_name("name")
    return source.text(name) if name is not None and name.type == "identifier" else ""


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
    if kind in ("default", "whole"):
        yield from _said(source, node, kind, captures)
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


def _said(source: Source, node: Node, kind: str, captures: Captures) -> Iterator[Import]:
    """Yield a file's exports: `export default x`, `export = x`, `module.exports = x`, `exports.y = x`."""
    target = source.text(captures["target"][0]) if "target" in captures else ""
    local = target.removeprefix("module.").removeprefix("exports").removeprefix(".")
    local = local or (WHOLE if target or kind == "whole" else "default")
    value = captures["value"][0]
    for _ in range(_MAX_ASSIGNED):
        right = value.child_by_field_name("right") if value.type == "assignment_expression" else None
        value = right or value
    module, name = _origin(source, value)
    if local == WHOLE and not name:
        made = value.type == "class" or value.type in _FUNCTIONS
        name = _name_of_whole(source, node, value) if made else _variable(source, node)
    found = [(module, name, local)] if name else []
    if local == WHOLE and value.type == "object":
        found.extend(_pairs(source, value))
    line, own = node.start_point[0] + 1, list[tuple[str, str]]()
    for module, name, known_as in found:
        if module and (name, known_as) == (WHOLE, WHOLE):
            yield Import(module, (*_BOTH, ("*", "*")), WHOLE, 0, "export", line)
        elif module:
            yield Import(module, ((name, known_as),), known_as if name == WHOLE else "", 0, "export", line)
        elif known_as == WHOLE:
            own.extend((name, both) for _, both in _BOTH if both != name)
        else:
            own.append((name, known_as))
    if own:
        yield Import("", tuple(own), "", 0, "export", line)


def _origin(source: Source, value: Node) -> tuple[str, str]:
    """Return the module and the name of an expression: ("", "A"), ("", "A()"), ("./a", "b")."""
    if value.type == "identifier":
        name = source.text(value)
        return "", "" if name in ("exports", "undefined") else name
    if value.type == "class":
        return "", source.field(value, "name")
    if value.type == "new_expression":
        made = value.child_by_field_name("constructor")
        return "", f"{source.text(made)}()" if made is not None and made.type == "identifier" else ""
    name = WHOLE
    if value.type == "member_expression":
        name, value = source.field(value, "property"), value.child_by_field_name("object") or value
    arguments = value.child_by_field_name("arguments") if value.type == "call_expression" else None
    if arguments is None or source.field(value, "function") != "require" or not arguments.named_child_count:
        return "", ""
    module = quoted(source.text(arguments.named_children[0]))
    return (module, name) if module and "${" not in module else ("", "")


def _pairs(source: Source, node: Node) -> Iterator[tuple[str, str, str]]:
    """Yield (module, name, key) of the values under the keys of an object; "*" is all of a module."""
    for item in node.named_children:
        if item.type == "shorthand_property_identifier":
            yield "", source.text(item), source.text(item)
        elif item.type == "pair":
            value = item.child_by_field_name("value")
            module, name = _origin(source, value) if value is not None else ("", "")
            key = source.field(item, "key")
            if name:
                yield module, name, quoted(key) or key
        elif item.type == "spread_element" and item.named_child_count:
            module, name = _origin(source, item.named_children[0])
            if module and name == WHOLE:
                yield module, "*", "*"


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
            names = ((WHOLE, alias),) if kind == "require" else ()
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
