"""Python: imports with levels and aliases, docstrings, bases, and test detection."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph import extract_pytest
from remora.graph.extract_parts import UNKNOWN, Captures, Draft, Rules, Source, Taken, chain, limited

if TYPE_CHECKING:
    from tree_sitter import Node

BUILTINS = frozenset(
    """int str float bool bytes bytearray complex object list dict set frozenset tuple type None Any
    Optional Union Callable Iterable Iterator Sequence Mapping List Dict Set Tuple Literal Self Never
    NoReturn Generator AsyncIterator AsyncGenerator AsyncIterable Final ClassVar Annotated Type
    TypeAlias Awaitable Coroutine Collection MutableMapping MutableSequence memoryview slice property
    range True False typing Ellipsis LiteralString ParamSpec TypeVar Concatenate Unpack Protocol Generic
    Hashable Sized FrozenSet DefaultDict Counter Deque Text AnyStr SupportsInt SupportsFloat Buffer
    Required NotRequired""".split()
)

_PREFIX = re.compile(r"^[A-Za-z]*(\"\"\"|'''|\"|')")


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    if node.type == "class_definition":
        _bases(source, draft)
    if node.type == "assignment":
        value = node.child_by_field_name("right")
        body = value.child_by_field_name("body") if value is not None else None
        draft.head_end = body.start_byte if body is not None else node.end_byte
        return
    if node.type == "type_alias_statement":
        draft.head_end = node.end_byte
        return
    body = node.child_by_field_name("body")
    if body is not None:
        draft.doc = doc_string(source, body)
    # The body begins after the comments that follow the colon, so the head is measured by its own parts.
    for field in ("return_type", "superclasses", "parameters", "name"):
        part = node.child_by_field_name(field)
        if part is not None:
            draft.head_end = part.end_byte
            break


def _bases(source: Source, draft: Draft) -> None:
    arguments = draft.node.child_by_field_name("superclasses")
    if arguments is None:
        return
    bases = []
    for argument in arguments.named_children[:40]:
        node: Node | None = argument
        if argument.type in ("keyword_argument", "comment", "dictionary_splat", "list_splat"):
            continue
        if argument.type == "subscript":
            node = argument.child_by_field_name("value")
        name = chain(source, node, RULES) if node is not None else UNKNOWN
        if name != UNKNOWN:
            bases.append(name)
    draft.bases = tuple(bases)


def doc_string(source: Source, body: Node) -> str:
    """Return the docstring of a module's or definition's body, "" if it has none."""
    for index in range(min(body.named_child_count, 50)):
        statement = body.named_child(index)
        if statement.type == "comment":
            continue
        string = statement.named_child(0) if statement.type == "expression_statement" else None
        if string is not None and string.type == "concatenated_string":
            string = string.named_child(0)
        if string is None or string.type != "string":
            return ""
        return string_text(source.text(string))
    return ""


def string_text(text: str) -> str:
    """Return the text of a docstring, without its quotes and its margin."""
    match = _PREFIX.match(text)
    if match is None or "b" in match[0].lower() or "f" in match[0].lower():
        return ""
    return limited(inspect.cleandoc(text[match.end() :].removesuffix(match[1])))


def _settle(draft: Draft, around: Draft | None) -> None:
    if draft.kind == "class":
        bases = (base.rpartition(".")[2] for base in draft.bases)
        draft.test = draft.name.startswith("Test") or any(base.endswith("TestCase") for base in bases)
    elif draft.kind in ("function", "method") and around is None:
        draft.test = draft.name.startswith("test_")
    elif draft.kind in ("function", "method") and around is not None:
        draft.test = draft.name.startswith("test") and around.test and around.classlike


def _imports(source: Source, node: Node, kind: str, _captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind == "import":
        for name in node.children_by_field_name("name"):
            module, alias = _aliased(source, name)
            yield Import(module, (), alias, 0, "import", line)
        return
    where = node.child_by_field_name("module_name")
    text = source.text(where) if where is not None else ""
    text = "".join(text.split())
    module = text.lstrip(".")
    names = tuple(
        (name, alias or name)
        for name, alias in (_aliased(source, n) for n in node.children_by_field_name("name"))
    )
    if any(child.type == "wildcard_import" for child in node.named_children):
        names = (*names, ("*", "*"))
    yield Import(module, names, "", len(text) - len(module), "from", line)


def _aliased(source: Source, node: Node) -> tuple[str, str]:
    if node.type != "aliased_import":
        return "".join(source.text(node).split()), ""
    return "".join(source.field(node, "name").split()), source.field(node, "alias")


_STRING = re.compile(r"""["']([^"'\s]+)["']""")
_COMMENT = re.compile(r"#.*")


def exports(text: str) -> Iterable[str]:
    """Return the names listed in the value of `__all__`."""
    return _STRING.findall(_COMMENT.sub("", text))


_HELD = re.compile(rb"(?:(?:self|cls)\.)?[^\W\d]\w*")
_HOLDS = re.compile(rb"((?:(?:self|cls)\.)?[^\W\d]\w*)\s*=\s*(?:((?:(?:self|cls)\.)?[^\W\d]\w*)$)?")
_MAX_OPTIONS = 8  # values that one of `a or b or …` is


def _held(source: Source, node: Node) -> tuple[str, str]:
    """Return the name that an assignment binds to the value of other names, or to one of several values.

    With it these values: of `self.repo = repo or Repo()` "=repo|Repo", "?" for one without a visible type.
    """
    text = source.data[node.start_byte : node.end_byte]
    match = _HOLDS.match(text)
    if match is None:
        return "", ""
    name = match[1].decode().replace("cls.", "self.")
    if match[2]:
        return name, "=" + match[2].decode()
    # Most are plain names; to ask a node what it is costs more time than to look at its text.
    value = node.child_by_field_name("right") if b" " in text[match.end() :] or b"(" in text else None
    return name, "|".join(dict.fromkeys(_options(source, value))) if value is not None else UNKNOWN


def _options(source: Source, value: Node) -> Iterator[str]:
    """Yield the visible types of an expression's possible values."""
    waiting = [value]
    for _ in range(_MAX_OPTIONS):
        if not waiting:
            return
        node = waiting.pop()
        kind = node.type
        if kind in ("identifier", "attribute"):
            text = source.data[node.start_byte : node.end_byte]
            yield "=" + text.decode() if _HELD.fullmatch(text) else UNKNOWN
        elif kind in ("call", "await"):
            yield _shown(source, node) or UNKNOWN
        elif kind == "parenthesized_expression" and node.named_child_count == 1:
            waiting.append(node.named_child(0))
        elif kind == "conditional_expression" and node.named_child_count == 3:
            waiting += (node.named_child(2), node.named_child(0))
        elif kind == "boolean_operator" and (operator := node.child_by_field_name("operator")) is not None:
            # What `a and b` is when it is not false is b.
            sides = ("right", "left") if operator.type == "or" else ("right",)
            waiting += (side for name in sides if (side := node.child_by_field_name(name)) is not None)
        elif kind != "none":
            yield UNKNOWN
    yield UNKNOWN


def _shown(source: Source, node: Node) -> str:
    """Return the type of a call, "" for any other expression and for an unknown type."""
    written = chain(source, node, RULES) if node.type in ("call", "await") else UNKNOWN
    made = written.removesuffix("()")
    if written in (UNKNOWN, made):
        return ""
    return made if _is_class(made) else written


def _taken(source: Source, draft: Draft, around: Node | None) -> Iterable[Taken]:
    if around is None and not draft.test:
        return ()
    return extract_pytest.taken(source, draft, around, _shown, BUILTINS)


def _is_class(name: str) -> bool:
    return name.rpartition(".")[2].lstrip("_")[:1].isupper()


RULES = Rules(
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    wrappers=frozenset(("parenthesized_expression", "await")),
    define=_define,
    imports=_imports,
    settle=_settle,
    returns="return_type",
    builtins=BUILTINS,
    class_call=_is_class,
    taken=_taken,
    held=_held,
)
