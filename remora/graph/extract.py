"""Extract the definitions, imports and uses of one file from its bytes.

The queries of a language (`queries/*.scm`) find the places; `Rules` of the language add facts that a query
cannot express. The matches are then sorted by place, and one pass over them with a stack of open definitions
assigns the scopes. The tree itself is never walked: a file costs its parse, its query, and a few microseconds
per match.

The same bytes always give the same facts. Work is limited by counts, not by a clock: a file that is too
expensive to parse gives no facts and one error. Any bytes are accepted: bytes that are not UTF-8 are read as
UTF-16 with its mark or as Windows-1252.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from remora.core.budget import look
from remora.core.code import FileFacts, Outline, Uses
from remora.core.decoding import text_of
from remora.graph.extract_assemble import Found, assemble, first_comment
from remora.graph.grammars import Grammar, grammar_of
from remora.graph.languages import RULES, python
from remora.graph.languages.syntax import (
    MAX_NAME,
    UNKNOWN,
    Captures,
    Draft,
    Rules,
    Source,
    Use,
    annotation_names,
    chain,
    plain_type,
    return_type,
    split_chain,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Query, QueryCursor, Tree

MAX_BYTES = 2_000_000  # a larger file is generated; only its lines are counted
# The parser reports after about every hundred steps. An ordinary file has one report for 50 to 800 bytes,
# the densest text one for 20.
_REPORTS = 2_000
_REPORTS_PER_BYTE = 0.1
# Searching is quadratic in three things that no real source has: matches begun and not ended (a chain of
# 20,000 calls), levels of a tree, and signs beside one another that fit nothing.
_MATCH_LIMIT = 1_024
_MAX_LEVELS = 1_000
_MAX_REMAINS = 8_000
_MAX_LOOKED_AT = 500
_PIECE = 262_144
LOOKS = 64  # matches between two looks at the time, which would take longer than a match
_MAX_TYPE = 400  # bytes of a written type that are read


def extract(source: bytes, language: str, enough: Callable[[], bool] | None = None) -> FileFacts:
    """Return the facts of one file.

    Args:
        source: any bytes of the file.
        language: a name of `graph.grammars.LANGUAGES`. Without a grammar only lines are counted.
        enough: called now and then during the parse; True stops it. Text that is no source of its language
            can take seconds for some hundred kilobytes: a caller with a clock can stop it.

    Raises:
        InvalidInput: no language has this name.
    """
    grammar = grammar_of(language)
    data = text_of(source).replace("\0", " ").encode("utf-8", "replace")
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    if grammar is None:
        return FileFacts(Outline(language), Uses(), lines)
    tree = _parse(grammar, data, enough) if len(data) <= MAX_BYTES else None
    if tree is None:
        return FileFacts(Outline(language), Uses(), lines, 1)
    root, errors = tree.root_node, 0
    if root.has_error:
        if _hopeless(root):
            return FileFacts(Outline(language), Uses(), lines, 1)
        errors = max(1, sum(map(len, _cursor(grammar.mistakes).captures(root).values())))
    text, rules = Source(data), RULES[language]
    found, whole = _search(grammar, rules, text, root)
    definitions, imports, uses = assemble(found, rules, text)
    doc = python.doc_string(text, root) if language == "python" else ""
    doc = doc or first_comment(text, found)
    exports = tuple(dict.fromkeys(found.exports))
    outline = Outline(language, found.package, doc, definitions, imports, exports)
    return FileFacts(outline, uses, lines, errors + (not whole))


def _parse(grammar: Grammar, data: bytes, enough: Callable[[], bool] | None) -> Tree | None:
    """Return the tree, None if the text matches the grammar so badly that parsing would take too long."""
    from tree_sitter import Parser

    reports, most = count(1), _REPORTS + int(_REPORTS_PER_BYTE * len(data))
    parser = Parser(grammar.language)
    try:
        return parser.parse(
            lambda at, _point: data[at : at + _PIECE],
            progress_callback=lambda _at, _wrong: next(reports) > most or (enough is not None and enough()),
        )
    except ValueError:  # raised when the callback stops the parser
        return None


def _hopeless(root: Node) -> bool:
    """Return whether an unparsed place has thousands of fragments."""
    waiting = [root]
    for _ in range(_MAX_LOOKED_AT):
        if not waiting:
            return False
        node = waiting.pop()
        if node.is_error and node.child_count > _MAX_REMAINS:
            return True
        waiting.extend(child for child in node.children if child.has_error)
    return False


def _cursor(query: Query) -> QueryCursor:
    from tree_sitter import QueryCursor

    cursor = QueryCursor(query, match_limit=_MATCH_LIMIT)
    cursor.set_max_start_depth(_MAX_LEVELS)
    return cursor


def _search(grammar: Grammar, rules: Rules, text: Source, root: Node) -> tuple[Found, bool]:
    """Return the matches of the query, and whether the search was completed."""
    found, cursor = Found(), _cursor(grammar.query)
    roles = grammar.roles
    for number, (index, captures) in enumerate(cursor.matches(root)):
        if number % LOOKS == 0:
            look()
        role, kind = roles[index]
        if role == "reference":
            _reference(found, rules, text, captures, kind)
        elif role == "binding":
            _binding(found, rules, text, captures, kind)
        else:
            _other(found, rules, text, captures, role, kind)
    return found, not cursor.did_exceed_match_limit


def _other(found: Found, rules: Rules, text: Source, captures: Captures, role: str, kind: str) -> None:
    """Add a match that is neither a reference nor a binding."""
    name = f"{role}.{kind}" if kind else role
    nodes = captures.get(name)
    if not nodes:
        return
    node = nodes[0]
    if role == "comment":
        end = node.end_byte
        if text.data[end - 1 : end] == b"\n":
            end -= 1
        text.comments.append((node.start_byte, end))
        text.before[end] = (node.start_byte, True)
    elif role == "prefix":
        text.before[node.end_byte] = (node.start_byte, False)
    elif role in ("definition", "container"):
        _definition(found, rules, text, captures, node, kind if role == "definition" else "container")
    elif role == "import":
        at = captures["source"][0].start_byte if "source" in captures else node.start_byte
        for item in rules.imports(text, node, kind, captures):
            found.imports.append((at, item))
    elif role == "extent":
        found.extents[captures["inner"][0].id] = node
    elif role == "export":
        found.exports.extend(python.exports(text.text(node)))
    elif role == "package" and not found.package:
        found.package = chain(text, node, rules)


def _definition(found: Found, rules: Rules, text: Source, captures: Captures, node: Node, kind: str) -> None:
    names = captures.get("name")
    name = text.text(names[0]) if names else ""
    draft = Draft(node, kind, name, names[0].end_byte - 1 if names else -1)
    for field in rules.body:
        body = node.child_by_field_name(field)
        if body is not None:
            draft.head_end = body.start_byte
            break
    rules.define(text, draft, captures)
    if rules.returns and not draft.returns and draft.kind in ("function", "method"):
        draft.returns = return_type(text.field(node, rules.returns)[:_MAX_TYPE])
    if not draft.drop and 0 < len(draft.name) <= MAX_NAME:
        found.drafts.append(draft)


def _reference(found: Found, rules: Rules, text: Source, captures: Captures, kind: str) -> None:
    nodes = captures.get("reference." + kind)
    if not nodes:
        return
    node = nodes[0]
    start, end = node.start_byte, node.end_byte
    if kind == "annotation":
        line = node.start_point[0] + 1
        for place, name in annotation_names(text.cut(start, min(end, start + _MAX_TYPE)), rules.builtins):
            before, last = split_chain(name)
            found.uses.append(Use(start + place, last, before, "type", line))
        return
    if kind == "tokens":
        for called, before in rules.token_calls(text, captures):
            use = Use(called.end_byte - 1, text.text(called), before, "call", called.end_point[0] + 1)
            if len(use.name) <= MAX_NAME:
                found.uses.append(use)
        return
    name, receiver = text.data[start:end].decode("utf-8", "replace"), ""
    if "receiver" in captures:
        receiver = chain(text, captures["receiver"][0], rules)
    elif not name.isidentifier():
        receiver, name = split_chain(chain(text, node, rules))
    if not name or name == UNKNOWN or len(name) > MAX_NAME or name.endswith("()"):
        return
    if kind in ("type", "decorator") and name in rules.builtins:
        return
    # The name is the last thing in the node: nodes of `a.f().g()` share their start, not their end.
    found.uses.append(Use(end - 1, name, receiver, kind, node.end_point[0] + 1))


def _binding(found: Found, rules: Rules, text: Source, captures: Captures, kind: str) -> None:
    nodes = captures.get("binding." + kind if kind else "binding")
    if not nodes or not 0 < nodes[0].end_byte - nodes[0].start_byte <= MAX_NAME:
        return
    written = _shown_type(rules, text, captures)
    if not written or UNKNOWN in written or written in rules.builtins:
        return
    for node in nodes:
        at = node.start_byte
        line = node.start_point[0] + 1
        found.uses.append(Use(at, text.text(node), written, kind or "binding", line, "type" in captures))


def _shown_type(rules: Rules, text: Source, captures: Captures) -> str:
    """Return the type of a binding: written, the created class, "f()" for a call's result, "=x" for x's."""
    if "type" in captures:
        node = captures["type"][0]
        return plain_type(
            text.cut(node.start_byte, min(node.end_byte, node.start_byte + _MAX_TYPE)), rules.builtins
        )
    if "held" in captures:
        return f"={text.text(captures['held'][0])}"
    if "class" in captures:
        return chain(text, captures["class"][0], rules)
    if "result" in captures:
        written = chain(text, captures["result"][0], rules)
        return written if written.endswith("()") else ""
    written = chain(text, captures["call"][0], rules)
    return written if written == UNKNOWN or rules.class_call(written) else written + "()"
