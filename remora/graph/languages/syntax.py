"""Shared by the readers of all languages: node text, name chains, types, comments, drafts.

A name is written as a chain: `self.pool.get(x).run` becomes "self.pool.get().run". Arguments are left out,
and an expression that is no chain of names (an index, a literal, a condition) is "?". Trees can be 100,000
levels deep, so nothing here recurses, and a chain is followed for a few steps only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Import

if TYPE_CHECKING:
    from tree_sitter import Node

Captures = dict[str, "list[Node]"]

UNKNOWN = "?"
MAX_NAME = 200  # a longer "name" is a test's sentence or generated
MAX_SIGNATURE = 300
MAX_DOC = 1_000
_MAX_STEPS = 24  # links of a chain that are followed; a longer one is a fluent builder
_MAX_CHAIN = 240

_PLAIN = re.compile(rb"[@$]{0,2}[^\W\d]\w*[?!]?", re.ASCII)
_SPACE = re.compile(r"\s+")


class Source:
    """The bytes of a file, as UTF-8, with the positions of its lines and comments."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.comments: list[tuple[int, int]] = []
        # By the end of a comment or attribute: its start, and whether it is a comment.
        self.before: dict[int, tuple[int, bool]] = {}

    def text(self, node: Node) -> str:
        """Return a node's text."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def cut(self, start: int, end: int) -> str:
        """Return the text between two places."""
        return self.data[start:end].decode("utf-8", "replace")

    def lines(self, start: int, end: int) -> int:
        """Return the number of lines from one place to another, negative if the other is before it."""
        if end >= start:
            return self.data.count(b"\n", start, end)
        return -self.data.count(b"\n", end, start)

    def after_blanks(self, at: int) -> int:
        """Return the first place from one on that is not blank."""
        while self.data[at : at + 1].isspace():
            at += 1
        return at

    def field(self, node: Node, name: str) -> str:
        """Return the text of a node's field, "" if it has none."""
        found = node.child_by_field_name(name)
        return "" if found is None else self.text(found)


@dataclass(slots=True)
class Draft:
    """A definition during the reading of its file.

    Attributes:
        node: the definition without decorators around it.
        kind, name: as in `Definition`; a language's reader may change them.
        start, end: bytes of its extent, decorators and attributes included.
        top: the first byte of the comment directly above.
        head_start, head_end: its signature; -1 for the end of the whole.
        owner: the qualifier of its name if it is not nested in it: the type of a Go method.
        container: it only lends its name to its content (a Rust `impl`, a reopened class).
        reopens: a second one of the same name is a container.
        classlike: its content are members.
        declares: a declaration without a body; a definition of the same name replaces it.
        attributes: text of the attributes that precede it as separate nodes.
        test: it is a test in any context.
        drop: it is no definition after all.
        sentence: it is made by a call, and its name is a text.
        qualname, parent: set when the file is assembled.
    """

    node: Node
    kind: str
    name: str
    name_at: int
    start: int = field(init=False)
    end: int = field(init=False)
    top: int = field(init=False)
    head_start: int = field(init=False)
    head_end: int = -1
    owner: str = ""
    bases: tuple[str, ...] = ()
    heritage: tuple[int, int] = (0, 0)
    returns: str = ""
    doc: str = ""
    attributes: str = ""
    container: bool = field(init=False)
    reopens: bool = field(init=False)
    classlike: bool = field(init=False)
    declares: bool = False
    test: bool = False
    sentence: bool = False
    drop: bool = False
    qualname: str = ""
    parent: str = ""

    def __post_init__(self) -> None:
        self.start = self.top = self.head_start = self.node.start_byte
        self.end = self.node.end_byte
        self.container = self.kind == "container"
        self.reopens = self.kind == "module"
        self.classlike = self.kind in ("class", "interface")


class Use(NamedTuple):
    """A reference or binding without its scope yet. `kind` of a binding is "binding" or "field"."""

    at: int
    name: str
    other: str  # a reference's receiver, a binding's type
    kind: str
    line: int
    written: bool = False  # a binding whose type is written, not taken from its value


class Rules(NamedTuple):
    """The rules for reading the trees of one language beyond its query.

    Attributes:
        members: node type of `a.b`: the fields of `a` and of `b`.
        calls: node type of `f(x)`: the field of `f`.
            Of a type that is in both, the field of the arguments.
        wrappers: node types whose first child is the name: parentheses, `await`, `x!`, `f<T>`.
        written: node types of names with their paths, kept as written.
        define: completes a draft: bases, owner, doc, name.
        imports: the imports of a match.
        token_calls: the called names, with their receivers, among tokens that the grammar does not parse.
        settle: changes a draft's kind once its context is known.
        body: fields of a definition that end its signature.
        heads: node types around a definition that its signature begins with.
        returns: field of a function's return type.
        builtins: names of types that are not resolved.
        class_call: whether a called name is a class, for languages without `new`.
        taken: the fixtures that a definition may request, once its context is known.
    """

    members: Mapping[str, tuple[str, str]]
    calls: Mapping[str, str]
    wrappers: frozenset[str]
    define: Callable[[Source, Draft, Captures], None]
    imports: Callable[[Source, Node, str, Captures], Iterable[Import]]
    written: frozenset[str] = frozenset()
    token_calls: Callable[[Source, Captures], Iterable[tuple[Node, str]]] = lambda *_: ()
    settle: Callable[[Draft, Draft | None], None] = lambda *_: None
    body: tuple[str, ...] = ("body",)
    heads: frozenset[str] = frozenset()
    returns: str = ""
    builtins: frozenset[str] = frozenset()
    class_call: Callable[[str], bool] = lambda _name: False
    taken: Callable[[Source, Draft], Iterable[Use]] = lambda *_: ()


def chain(source: Source, node: Node, rules: Rules) -> str:
    """Return an expression as a chain of names, "?" if it is not one."""
    data = source.data[node.start_byte : node.end_byte]
    if _PLAIN.fullmatch(data):
        return data.decode()
    parts: list[str] = []
    current: Node | None = node
    for _ in range(_MAX_STEPS):
        if current is None:
            return UNKNOWN
        kind = current.type
        if kind in rules.members:
            before, link = _link(source, current, rules)
            parts.append(link)
            if before is None:
                return joined(parts)
            current = before
        elif kind in rules.calls:
            current = current.child_by_field_name(rules.calls[kind])
            parts.append("()")
        elif kind in rules.wrappers:
            current = current.named_child(0) if current.named_child_count else None
        elif kind in rules.written or (not current.named_child_count and "literal" not in kind):
            parts.append(without_arguments(source.text(current)))
            return joined(parts)
        else:
            return UNKNOWN
    return UNKNOWN


def _link(source: Source, node: Node, rules: Rules) -> tuple[Node | None, str]:
    """Return the part before the last name of a member, and that name with its separator and "()"."""
    fields = rules.members[node.type]
    before, last = node.child_by_field_name(fields[0]), node.child_by_field_name(fields[1])
    if last is None:
        return None, UNKNOWN
    # Where a call with its object is one node, its arguments make it a call: `a.b` of Ruby has none.
    arguments = rules.calls.get(node.type)
    called = "()" if arguments and node.child_by_field_name(arguments) is not None else ""
    name = without_arguments(source.text(last)) + called
    return before, name if before is None else _sign(source.cut(before.end_byte, last.start_byte)) + name


_SIGNS = ("->", "::", "\\", ".")
_INNERMOST = re.compile(r"<[^<>]*>")


def _sign(between: str) -> str:
    """Return the separator between two names; `?.` counts as `.`, and type arguments are ignored."""
    if between == ".":
        return between
    bare = _INNERMOST.sub("", between)
    return next((sign for sign in _SIGNS if sign in bare), ".")


def without_arguments(text: str) -> str:
    """Return a written name without type arguments and blanks: `A<B<C>>::f` is "A::f"."""
    if text.isidentifier():
        return text[: 4 * _MAX_CHAIN]
    text = _SPACE.sub("", text[: 4 * _MAX_CHAIN])
    for _ in range(6):
        shorter = text if text.startswith("operator") else _INNERMOST.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text.replace("::::", "::")


def joined(parts: list[str]) -> str:
    """Return the links of a chain, given last to first, as its text; "?" if they are not names."""
    text = "".join(reversed(parts))
    if not text or len(text) > _MAX_CHAIN or text[0] in "?0123456789":
        return UNKNOWN
    return UNKNOWN if _NO_NAME.search(text.replace("()", "")) else text


_NO_NAME = re.compile(r"[\s(){}\[\],;'\"<>&|+*/=%^~`](?<!->)")


def split_chain(text: str) -> tuple[str, str]:
    r"""Return the part before a chain's last name, and that name.

    >>> split_chain("a.b::c"), split_chain("x"), split_chain("\\A\\B")
    (('a.b', 'c'), ('', 'x'), ('\\A', 'B'))
    """
    match = _LAST.fullmatch(text)
    return (match[1], match[2]) if match else ("", text)


_LAST = re.compile(r"(.*?)(?:\.|->|::|\\)([^.:>\\]+)", re.DOTALL)

# Wrappers of one type: a variable of `Optional[Foo]` is used as a `Foo`.
_SEEN_THROUGH = frozenset(
    """Optional Final ClassVar Annotated Required NotRequired ReadOnly Awaitable Coroutine InitVar Box
    Arc Rc RefCell Mutex Ref RefMut MutexGuard Cow Pin Option Result unique_ptr shared_ptr weak_ptr
    optional Promise Readonly Partial NonNullable Task ValueTask Nullable Lazy Provider Supplier
    reference_wrapper CompletableFuture Future Iterator Generator AsyncIterator AsyncGenerator""".split()
)
_OWN_CLASS = frozenset(("Self", "self", "static", "this"))
_NO_VALUE = frozenset(("None", "null", "undefined", "nil", "void", "NULL", "nullptr", "false"))
_LEADING = re.compile(
    r"^(?:[&*:?\s]+|'\w+\s+|(?:const|mut|dyn|impl|struct|enum|union|class|readonly|typename|final|volatile|static|"
    r"register|inline|virtual|explicit|constexpr|async|ref|out|in|params|scoped|required|asserts|unsigned|signed)"
    r"\s+)+"
)
_TRAILING = re.compile(r"(?<![&*?!\s])(?<!\.\.\.)(?>(?:[&*?!\s]|\bconst\b|\.\.\.)+)$")
_TYPE = re.compile(
    r"([^\W\d$][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*|\\[^\W\d]\w*(?:\\\w+)*)\s*(?:[<\[](.*)[>\]])?", re.DOTALL
)


@lru_cache(4_096)  # a file names the same few types again and again
def plain_type(text: str, builtins: frozenset[str] = frozenset()) -> str:
    """Return the single named type in a written type, "" if there is none or it is built in.

    Pointers, references, `None` and wrappers around one value are removed; type arguments are left
    out; arrays, tuples, functions and unions of two types have no name.

    >>> plain_type("Optional[Foo]"), plain_type("a.Foo | None"), plain_type("const std::vector<Foo>&")
    ('Foo', 'a.Foo', 'std::vector')
    >>> plain_type("&'a mut Foo<T>"), plain_type("A | B"), plain_type("Foo[]"), plain_type("'Foo'")
    ('Foo', '', '', 'Foo')
    """
    for _ in range(6):
        text = _TRAILING.sub("", _LEADING.sub("", text[:400].strip().strip("\"'`")))
        options = [part for part in split_top(text, "|") if part.strip() not in _NO_VALUE]
        if len(options) != 1:
            return ""
        text = options[0].strip()
        match = _TYPE.fullmatch(text)
        if match is None:
            if options[0] == text and not _LEADING.match(text) and not _TRAILING.search(text):
                return ""
            continue
        name, inside = match[1], match[2]
        if inside is not None and not inside.strip():
            return ""
        last = split_chain(name)[1]
        if inside and last in _SEEN_THROUGH:
            text = split_top(inside, ",")[-1 if last == "Coroutine" else 0]
            continue
        return "" if name in builtins or name in _NO_VALUE else name
    return ""


def return_type(text: str) -> str:
    """Return the `plain_type` of a written return type, "Self" for the class of the object.

    >>> return_type("Promise<this>"), return_type("Option<Self>"), return_type(": Foo")
    ('Self', 'Self', 'Foo')
    """
    name = plain_type(text)
    return "Self" if name in _OWN_CLASS else name


def split_top(text: str, sign: str) -> list[str]:
    """Split a text at a separator outside all brackets.

    >>> split_top("a, b[c, d], e", ",")
    ['a', ' b[c, d]', ' e']
    """
    if sign not in text:
        return [text]
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == sign and depth <= 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return parts


_WORDS = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_LITERAL = re.compile(r"\bLiteral\s*\[[^\[\]]*\]")
_TYPING = ("typing.", "t.", "collections.abc.", "abc.", "builtins.", "types.")


def annotation_names(text: str, builtins: frozenset[str]) -> list[tuple[int, str]]:
    """Return the dotted names in a written type and their ends, without built-in ones.

    >>> annotation_names("dict[str, a.Foo] | None", frozenset(["dict", "str", "None"]))
    [(15, 'a.Foo')]
    """
    if "Literal" in text:
        text = _LITERAL.sub("", text)
    found = ((match.end(), match[0]) for match in _WORDS.finditer(text))
    return [(at, name) for at, name in found if name not in builtins and not name.startswith(_TYPING)]


def one_line(text: str, limit: int) -> str:
    """Return a text on one line, at most `limit` characters, with "…" if it is cut."""
    text = _SPACE.sub(" ", text).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def quoted(text: str) -> str:
    """Return the content of a string literal of any language, "" if it is none.

    >>> quoted('"a/b"'), quoted("<stdio.h>"), quoted("x")
    ('a/b', 'stdio.h', '')
    """
    match = _QUOTED.fullmatch(text)
    return match[2] if match else ""


_QUOTED = re.compile(r"""\s*[A-Za-z@$]*(["'`<]|\"\"\"|''')(.*?)(?:["'`>]|\"\"\"|''')\s*""", re.DOTALL)
_BLOCK_EDGE = re.compile(r"^/\*+!?|(?<!\*)\*+/$")
_LINE_SIGN = re.compile(r"^\s*(?://+!?|#+(?!\[)!?|\*(?!/)|--)[ \t]?")
_TAG = re.compile(r"</?[a-z]+(?: [^<>]*)?/?>")
_MARKS = re.compile(r"^[\s=#*~_/-]*$")


def comment_text(text: str) -> str:
    r"""Return the text of comments without their markers, at most `MAX_DOC` characters.

    >>> comment_text("/// Adds.\n/// Twice.")
    'Adds.\nTwice.'
    """
    text = _BLOCK_EDGE.sub("", text[: 4 * MAX_DOC].strip())
    lines = [_LINE_SIGN.sub("", line).rstrip().removesuffix("*/").rstrip() for line in text.splitlines()]
    if any("<summary>" in line for line in lines):  # C#
        lines = [_TAG.sub("", line) for line in lines]
    kept = [line for line in lines if not (line and _MARKS.match(line))]
    return limited("\n".join(line.strip() if line.startswith("\t") else line for line in kept))


def limited(text: str) -> str:
    """Return a doc text, trimmed and cut at its limit."""
    return text.strip()[:MAX_DOC].rstrip()
