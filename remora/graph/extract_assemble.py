"""Combine the matches of one file: scopes by place, qualnames, lines, signatures and doc comments.

Definitions are nodes of one tree, so two of them are either nested or disjoint. Sorted by their start, they
are opened and closed on a stack. The innermost definition from each byte on is recorded as a list of marks,
in which every other match looks up its scope.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Binding, Definition, Import, Reference, Uses
from remora.graph.languages.syntax import (
    MAX_SIGNATURE,
    Draft,
    Rules,
    Source,
    Use,
    comment_text,
    one_line,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NESTING = 40  # definitions inside definitions; deeper ones belong to the last that counts
_BLANKS = b" \t\r\n\f"


class Found:
    """All matches of the query in one file."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.uses: list[Use] = []
        self.imports: list[tuple[int, Import]] = []
        self.exports: list[str] = []
        self.package = ""
        self.extents: dict[int, Node] = {}  # node id: what belongs to the definition and is around it


class _Scope(NamedTuple):
    """An open definition: its end, its qualname, and its innermost class (or itself)."""

    end: int
    qualname: str
    owner: str
    draft: Draft


class _Scopes:
    """The innermost definition at each place."""

    def __init__(self) -> None:
        self.stack: list[_Scope] = []
        self._starts: list[int] = []
        self._marks: list[_Scope | None] = []

    def close(self, upto: int) -> None:
        """Close the definitions that end before a place."""
        while self.stack and self.stack[-1].end <= upto:
            end = self.stack.pop().end
            self._mark(end, self.stack[-1] if self.stack else None)

    def open(self, start: int, scope: _Scope) -> None:
        """Open a definition."""
        self.stack.append(scope)
        self._mark(start, scope)

    def _mark(self, at: int, scope: _Scope | None) -> None:
        self._starts.append(at)
        self._marks.append(scope)

    def at(self, place: int) -> _Scope | None:
        """Return the innermost definition at a place; only after everything is closed."""
        index = bisect_right(self._starts, place) - 1
        return self._marks[index] if index >= 0 else None

    def until(self, place: int) -> int:
        """Return the place up to which the innermost definition stays the same."""
        index = bisect_right(self._starts, place)
        return self._starts[index] if index < len(self._starts) else sys.maxsize


def assemble(
    found: Found, rules: Rules, text: Source
) -> tuple[tuple[Definition, ...], tuple[Import, ...], Uses]:
    """Return a file's definitions, imports and uses, each in source order."""
    scopes, kept, late = _Scopes(), dict[str, Draft](), dict[str, list[str]]()
    text.comments.sort()
    for draft in found.drafts:
        _extend(draft, found, rules, text)
    repeated: dict[str, int] = {}
    for draft in sorted(found.drafts, key=lambda d: (d.start, -d.end, d.name_at)):
        scopes.close(draft.start)
        if len(scopes.stack) >= MAX_NESTING:
            continue
        outer = scopes.stack[-1] if scopes.stack else None
        _settle(draft, outer, rules, kept)
        if draft.drop:
            continue
        found.uses += rules.taken(text, draft)
        plain = f"{draft.parent}.{draft.name}" if draft.parent else draft.name
        before = kept.get(plain)
        if before and before.declares and not draft.declares and not draft.container:
            del kept[plain]
        if draft.container or (plain in kept and (draft.reopens or draft.declares)):
            draft.qualname = plain
            late.setdefault(plain, []).extend(draft.bases)
        else:
            draft.qualname = _unique(plain, kept, repeated)
            kept[draft.qualname] = draft
        if draft.classlike:
            owner = draft.qualname
        else:
            owner = draft.parent if draft.owner else outer.owner if outer else ""
        scopes.open(draft.start, _Scope(draft.end, draft.qualname, owner, draft))
    scopes.close(len(text.data) + 1)
    for qualname, bases in late.items():
        if qualname in kept:
            kept[qualname].bases = tuple(dict.fromkeys((*kept[qualname].bases, *bases)))
    definitions = tuple(_finished(draft, text) for draft in kept.values())
    return definitions, _imports(found, scopes, kept), _uses(found, scopes, kept)


def _settle(draft: Draft, outer: _Scope | None, rules: Rules, kept: dict[str, Draft]) -> None:
    """Set a draft's parent and its final kind."""
    rules.settle(draft, outer.draft if outer else None)
    inside = outer.qualname if outer else ""
    draft.parent = f"{inside}.{draft.owner}" if inside and draft.owner else inside or draft.owner
    owner = kept.get(draft.parent) if draft.owner else None
    if owner is not None and owner.kind == "module":
        return
    if draft.kind == "function" and (draft.owner or (outer and outer.draft.classlike)):
        draft.kind = "method"


def _unique(plain: str, kept: dict[str, Draft], repeated: dict[str, int]) -> str:
    if plain not in kept:
        return plain
    number = repeated.get(plain, 1) + 1
    while f"{plain}#{number}" in kept:
        number += 1
    repeated[plain] = number
    return f"{plain}#{number}"


def _extend(draft: Draft, found: Found, rules: Rules, text: Source) -> None:
    """Extend a draft over its decorators and attributes, and read the comment directly above."""
    around = found.extents.get(draft.node.id)
    while around is not None:
        if around.type in rules.heads and b"(" in text.data[around.start_byte : draft.start]:
            break  # `type (` opens a group
        draft.start = around.start_byte
        if around.type in rules.heads:
            draft.head_start = around.start_byte
        around = found.extents.get(around.id)
    top, comments = draft.start, list[str]()
    while True:
        end, newlines = _back(text.data, top)
        above = text.before.get(end)
        if above is None:
            break
        start, is_comment = above
        if is_comment and (newlines > 1 or not _begins_line(text.data, start)):
            break
        top = start
        if is_comment:
            comments.append(text.cut(start, end))
        else:
            draft.start = start
            draft.attributes = f"{text.cut(start, end)} {draft.attributes}"[:2_000]
    draft.top = top
    if comments and not draft.doc:
        draft.doc = comment_text("\n".join(reversed(comments)))


def _back(data: bytes, at: int) -> tuple[int, int]:
    """Return the end of the text before a place, and the number of line ends between."""
    end = at
    while end and data[end - 1] in _BLANKS:
        end -= 1
    return end, data.count(b"\n", end, at)


def _begins_line(data: bytes, at: int) -> bool:
    return not data[data.rfind(b"\n", 0, at) + 1 : at].strip()


def _finished(draft: Draft, text: Source) -> Definition:
    node = draft.node
    row, (last, column) = node.start_point[0], node.end_point
    end_line = last if not column and last > row else last + 1
    return Definition(
        draft.qualname,
        draft.name,
        "test" if draft.test else draft.kind,
        row + 1 + text.lines(node.start_byte, draft.top),
        end_line,
        row + 1 + text.lines(node.start_byte, draft.head_start),
        draft.parent,
        _signature(draft, text),
        draft.doc,
        draft.bases,
        draft.sentence,
        draft.returns,
    )


def _signature(draft: Draft, text: Source) -> str:
    start = draft.head_start
    end = min(draft.head_end if draft.head_end >= 0 else draft.node.end_byte, start + 4 * MAX_SIGNATURE)
    first = bisect_right(text.comments, (start, 0))
    pieces = []
    for comment_start, comment_end in text.comments[first:]:
        if comment_start >= end:
            break
        pieces.append(text.cut(start, comment_start))
        start = max(start, comment_end)
    pieces.append(text.cut(start, max(start, end)))
    return one_line(" ".join(pieces).rstrip(" \t\r\n{;=:").removesuffix("=>"), MAX_SIGNATURE)


def _scope_name(scope: _Scope | None, kept: dict[str, Draft]) -> str:
    """Return the innermost definition: a block that only lends its name may have none in this file."""
    name = scope.qualname if scope else ""
    while name and name not in kept:
        name = name.rpartition(".")[0]
    return name


def _imports(found: Found, scopes: _Scopes, kept: dict[str, Draft]) -> tuple[Import, ...]:
    # Two patterns may see one import, `require("m")` and `const x = require("m")`: the one with names stays.
    ordered = sorted(found.imports, key=lambda pair: pair[0])
    named = {(at, item.module) for at, item in ordered if item.names or item.alias}
    result = list[Import]()
    for at, item in ordered:
        if item.names or item.alias or (at, item.module) not in named:
            # Exports belong to the file, not to a scope.
            scope = "" if item.kind == "export" else _scope_name(scopes.at(at), kept)
            result.append(item._replace(scope=scope))
    return tuple(result)


# Of two kinds of use at one place the first counts: a decorator is a call of its name as well.
_RANK = {"decorator": 0, "new": 1, "call": 2, "type": 3}


def _uses(found: Found, scopes: _Scopes, kept: dict[str, Draft]) -> Uses:
    names = {draft.name_at for draft in found.drafts}
    classes = {f"{draft.name}()": draft.name for draft in kept.values() if draft.classlike}
    references, bindings = list[Reference](), dict[Binding, None]()
    types: dict[tuple[str, str], set[str]] = {}  # of the variables in each scope
    written = {use.at for use in found.uses if use.written}
    last, upto = -1, 0
    scope: _Scope | None = None
    inside = ""
    alone = len({use.at for use in found.uses}) == len(found.uses)
    for at, name, other, kind, line, sure in sorted(found.uses, key=_PLACE if alone else _use_order):
        if at >= upto:
            scope, upto = scopes.at(at), scopes.until(at)
            inside = _scope_name(scope, kept)
        if kind in ("binding", "field"):
            if at in written and not sure:
                continue
            if other.startswith("="):
                known = types.get((inside, other[1:]), ())
                if len(known) != 1:
                    continue
                (other,) = known
            other, owner = classes.get(other, other), inside
            if kind == "field" or (scope and scope.draft.classlike):
                name, owner = f"self.{name.lstrip('@')}", (scope.owner if scope else "") or inside
            types.setdefault((owner, name), set()).add(other)
            bindings[Binding(name, other, line, owner)] = None
        elif at != last:
            last = at
            start, end = scope.draft.heritage if scope else (0, 0)
            if kind != "type" or not (at in names or start <= at < end):
                references.append(Reference(name, other, kind, line, inside))
    return Uses(tuple(references), tuple(sorted(bindings, key=lambda b: b.line)))


_PLACE = itemgetter(0)


def _use_order(use: Use) -> tuple[int, int, int]:
    return use.at, _RANK.get(use.kind, 9), -len(use.other)


def first_comment(text: Source, found: Found) -> str:
    """Return the comment at the beginning of a file, "" if it belongs to the first definition."""
    tops = {draft.top for draft in found.drafts}
    first = text.data.find(b"\n") if text.data.startswith(b"#!") else 0
    parts, last = list[str](), max(first, 0)
    for start, end in text.comments:
        between = text.data[last:start]
        far = bool(parts) and between.count(b"\n") > 1
        if start < last:
            continue
        if far or start in tops or len(parts) > 100 or between.strip() not in (b"", b"<?php"):
            break
        last = end
        parts.append(text.cut(start, end))
    return comment_text("\n".join(parts))
