"""Where the statements of a long body start: the only places where it may be cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.code import Definition
from remora.graph.languages import grammar_of

if TYPE_CHECKING:
    import tree_sitter


class Statements:
    """Finds where statements start in one file, which is parsed at the first question."""

    def __init__(self, data: bytes, language: str) -> None:
        self._data = data
        self._language = language
        self._tree: tree_sitter.Tree | None = None

    def __call__(self, definition: Definition) -> Sequence[int]:
        """Return the first lines of the statements directly in a definition's body, in order, from 1.

        The body is the last child that spans more than half of the definition; where that holds one
        statement only (a `with` around everything), its own body counts.
        """
        root = self._root()
        if root is None:
            return ()
        start, end = definition.line - 1, definition.end_line - 1
        node = root.descendant_for_point_range((start, 0), (end, 0))
        while node is not None:
            children = node.named_children
            inside = all(start <= c.start_point[0] and c.end_point[0] <= end for c in children)
            if len(children) > 1 and inside:
                wide = [c for c in children if _lines(c) * 2 > end - start]
                if not wide:
                    return [c.start_point[0] + 1 for c in children if c.start_point[0] > start]
                node = wide[-1]
            else:
                # The smallest node around the lines may hold more than the definition itself.
                inner = [c for c in children if c.start_point[0] <= end and c.end_point[0] >= start]
                node = max(inner, key=_lines, default=None)
        return ()

    def _root(self) -> tree_sitter.Node | None:
        if self._tree is None:
            import tree_sitter

            grammar = grammar_of(self._language)
            if grammar is None:
                return None
            self._tree = tree_sitter.Parser(grammar.language).parse(self._data)
        return self._tree.root_node


def _lines(node: tree_sitter.Node) -> int:
    return node.end_point[0] - node.start_point[0] + 1
