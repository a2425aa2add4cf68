"""The first lines of a file's statements: the only places where a long body may be split."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.code import Definition
from remora.graph.chunks import PIECE

if TYPE_CHECKING:
    import tree_sitter


# Nodes whose children are statements, members or cases, as the grammars call them.
_BODY = re.compile(
    r"(?:block|body|statements|(?:body|compound)_statement"
    r"|(?:statement|declaration|member|variant|enumerator)_list|^then|^else)$"
)
_CLAUSE = re.compile(r"(?:clause|case|arm|group)$")  # may follow the first body of a statement


class Statements:
    """Finds the first lines of statements in the tree of one file; without a tree none are found."""

    def __init__(self, tree: tree_sitter.Tree | None) -> None:
        self._root = tree.root_node if tree else None

    def __call__(self, definition: Definition) -> Sequence[int]:
        """Return the first lines of the statements in a definition's body, in order, from 1.

        These are the statements directly in the body, and those in a statement that is itself too long for a
        piece. The first of a body is left out. A statement with a comment directly above it starts at the
        comment's line.
        """
        start, end = definition.line - 1, definition.end_line - 1
        node = self._root
        # A node around the definition may include the lines above it, or its neighbours.
        while node is not None and not (start <= node.start_point[0] and node.end_point[0] <= end):
            node = max(node.named_children, key=lambda c: _shared(c, start, end), default=None)
        found: set[int] = set()
        waiting = [node] if node is not None else []
        while waiting:
            one = waiting.pop()
            children = one.named_children
            further = [c for c in children if _lines(c) > PIECE or _BODY.search(c.type)]
            if len(children) == 1:
                further = children
            elif _BODY.search(one.type):
                found.update(_starts(children))
            elif further:
                clauses = {c.start_point[0] for c in children if _CLAUSE.search(c.type)}
                found.update(clauses.intersection(_starts(children)))
            elif children:
                widest = max(children, key=_lines)
                if _lines(widest) * 2 > _lines(one) > 1:
                    further = [widest]
                else:
                    found.update(_starts(children))
            waiting += further
        return sorted(line + 1 for line in found if start < line <= end)


def _lines(node: tree_sitter.Node) -> int:
    return node.end_point[0] - node.start_point[0] + 1


def _shared(node: tree_sitter.Node, start: int, end: int) -> int:
    """Return the number of some lines inside a node."""
    return min(node.end_point[0], end) - max(node.start_point[0], start)


def _starts(nodes: Sequence[tree_sitter.Node]) -> list[int]:
    """Return the lines from 0 where all nodes but the first start, a comment together with its statement."""
    starts: list[int] = []
    end, leads = -1, False  # where the node before ends; it is a comment on lines of its own
    for one in nodes:
        first = one.start_point[0]
        alone = first > end
        if alone and end >= 0 and not (leads and first == end + 1):
            starts.append(first)
        leads = alone and ("comment" in one.type or "attribute" in one.type)
        # A comment to the end of its line may reach to the start of the next.
        end = one.end_point[0] - (one.end_point[1] == 0 and one.end_point[0] > first)
    return starts
