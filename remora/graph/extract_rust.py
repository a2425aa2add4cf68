"""Rust: nested `use` trees, `impl` blocks under their type's name, tests by their attribute."""

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
    joined,
    plain_type,
    split_chain,
    without_arguments,
)

if TYPE_CHECKING:
    from tree_sitter import Node

BUILTINS = frozenset(
    """i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option
    Result Self Box Arc Rc HashMap HashSet BTreeMap BTreeSet VecDeque Sized Send Sync Copy Clone Debug
    Default Drop Fn FnMut FnOnce derive test cfg allow deny warn inline must_use doc cfg_attr
    non_exhaustive repr serde error from Some() Ok() Err() None""".split()
)

_TEST = re.compile(r"#\[\s*(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck|proptest)\b")
_PATH = re.compile(r'#\[\s*path\s*=\s*"([^"\\]+)"\s*\]')
_MAX_PATHS = 2_000
_QUOTING = frozenset("quote quote_spanned parse_quote parse_quote_spanned stringify".split())
# Keywords that the grammar parses as names among a macro's tokens, and words before a name that is defined or
# is part of a pattern.
_NO_CALLS = frozenset("as async crate dyn else extern impl in move mut pub ref unsafe where yield".split())
_NAMES_NEXT = frozenset("fn struct enum union trait mod let for macro_rules $".split())
_WORD = re.compile(r"\w+")
_LINKS = frozenset((".", "::"))
_MAX_LINKS = 24
_MAX_TYPES = 60  # tokens of `::<…>`


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    if draft.container:
        draft.classlike = True
        path = plain_type(draft.name).rpartition("::")
        draft.name = path[2]
        trait = without_arguments(source.field(node, "trait"))
        draft.bases = (trait,) if trait else ()
        draft.drop = not draft.name
        for field in ("trait", "type"):
            part = node.child_by_field_name(field)
            if part is not None:
                draft.heritage = (draft.heritage[0] or part.start_byte, part.end_byte)
    elif node.type == "macro_definition":
        name = node.child_by_field_name("name")
        draft.head_end = name.end_byte if name is not None else -1
    elif draft.kind == "interface":
        bounds = node.child_by_field_name("bounds")
        if bounds is not None:
            draft.heritage = (bounds.start_byte, bounds.end_byte)
            draft.bases = tuple(
                without_arguments(source.text(part)) for part in bounds.named_children if "type" in part.type
            )


def _settle(draft: Draft, _around: Draft | None) -> None:
    if draft.kind == "function" and _TEST.search(draft.attributes):
        draft.test = True


def _imports(source: Source, node: Node, kind: str, captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind == "mod":
        name, path = source.field(node, "name"), _written_path(source, node)
        yield Import(path or name, (), name if path else "", 0, "mod", line)
    elif kind == "crate":
        yield Import(source.field(node, "name"), (), source.field(node, "alias"), 0, "use", line)
    else:
        grouped: dict[str, list[tuple[str, str]]] = {}
        for path, local in _paths(source, captures["use"][0]):
            module, name = split_chain(path)
            grouped.setdefault(module, []).append((name, local or name))
        for module, names in grouped.items():
            yield Import(module, tuple(names), "", 0, "use", line)


def _written_path(source: Source, node: Node) -> str:
    """Return the file in a `#[path = "…"]` above a declaration, "" if there is none."""
    if b"path" not in source.data[max(node.start_byte - 500, 0) : node.start_byte]:
        return ""  # siblings are slow to walk in a long file
    above = node.prev_named_sibling
    while above is not None and (above.type == "attribute_item" or above.type.endswith("comment")):
        if found := _PATH.match(source.text(above)):
            return found[1]
        above = above.prev_named_sibling
    return ""


def _paths(source: Source, tree: Node) -> Iterator[tuple[str, str]]:
    """Return (path, local name) of every leaf of a `use` tree; `a::{self as b}` is (`a`, "b")."""
    waiting: list[tuple[str, Node]] = [("", tree)]
    for _ in range(_MAX_PATHS):
        if not waiting:
            return
        prefix, node = waiting.pop()
        if node.type == "scoped_use_list":
            inner = node.child_by_field_name("list")
            if inner is not None:
                waiting.append((_path(prefix, source.field(node, "path")), inner))
        elif node.type == "use_list":
            waiting.extend((prefix, child) for child in reversed(node.named_children))
        elif node.type == "use_as_clause":
            path, alias = source.field(node, "path"), source.field(node, "alias")
            yield (prefix if path == "self" else _path(prefix, path)), alias
        elif node.type == "use_wildcard":
            path = source.text(node).removesuffix("*").rstrip().removesuffix("::")
            yield _path(_path(prefix, path), "*"), ""
        elif node.type == "self":
            yield prefix or "self", ""
        elif not node.type.endswith("comment"):
            yield _path(prefix, source.text(node)), ""


def _path(prefix: str, rest: str) -> str:
    rest = "".join(rest.split())
    return f"{prefix}::{rest}" if prefix and rest else prefix or rest


def _token_calls(source: Source, captures: Captures) -> Iterator[tuple[Node, str]]:
    """Yield the called names among the arguments of a macro, each with its receiver.

    A macro receives tokens, of which only the brackets are paired: a name directly before round ones is a
    call.
    """
    if split_chain(source.text(captures["macro"][0]))[1] in _QUOTING:
        return
    waiting = list(captures["reference.tokens"])
    while waiting:
        tokens = [token for token in waiting.pop().children if not token.type.endswith("comment")]
        # Of a token in brackets only the first character.
        words = [
            source.cut(token.start_byte, token.start_byte + 1 if token.child_count else token.end_byte)
            for token in tokens
        ]
        for at, token in enumerate(tokens):
            if token.type != "token_tree" or _is_quoted(words, at):
                continue
            waiting.append(token)
            name = _before_types(words, at - 1)
            if words[at] == "(" and name >= 0 and tokens[name].type == "identifier":
                pattern = words[at + 1 : at + 2] in (["=>"], ["="])
                if not (pattern or words[name] in _NO_CALLS or (name and words[name - 1] in _NAMES_NEXT)):
                    yield tokens[name], _receiver(words, name)


def _is_quoted(words: list[str], at: int) -> bool:
    """Return whether brackets hold an attribute, or tokens that a macro only outputs."""
    first, second, last = ["", "", "", *words[max(at - 3, 0) : at]][-3:]
    if last == "!":
        return second == "#" or second in _QUOTING
    return last == "#" or (first, second) == ("macro_rules", "!")


def _before_types(words: list[str], at: int) -> int:
    """Return the place of the name before `::<…>`, or the same place if there is none."""
    depth = 0
    for place in range(at, max(at - _MAX_TYPES, 1), -1):
        depth += (words[place] in (">", ">>")) * len(words[place]) - (words[place] == "<")
        if depth <= 0:
            return place - 2 if place < at and words[place - 1] == "::" else at
    return at


def _receiver(words: list[str], at: int) -> str:
    """Return the chain of names before a name, "?" if it is not one.

    `?`, `.await` and `::<…>` are ignored.
    """
    parts: list[str] = []
    for _ in range(_MAX_LINKS):
        if at < 1 or words[at - 1] not in _LINKS:
            return joined(parts[1:]) if parts else ""
        parts.append(words[at - 1])
        at -= 2
        while at > 1 and (words[at] == "?" or (words[at] == "await" and words[at - 1] == ".")):
            at -= 1 if words[at] == "?" else 2
        called = at > 0 and words[at] == "("
        at = _before_types(words, at - called)
        if at < 0 or not _WORD.fullmatch(words[at]):
            return UNKNOWN
        parts.append(words[at] + "()" * called)
    return UNKNOWN


RULES = Rules(
    members={"field_expression": ("value", "field")},
    calls={"call_expression": "function"},
    wrappers=frozenset(
        ("parenthesized_expression", "await_expression", "try_expression", "generic_function", "generic_type")
    ),
    written=frozenset(("scoped_identifier", "scoped_type_identifier", "generic_type_with_turbofish")),
    define=_define,
    imports=_imports,
    token_calls=_token_calls,
    settle=_settle,
    returns="return_type",
    builtins=BUILTINS,
)
