"""The grammar of a line of shell, held against that of tree-sitter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import tree_sitter_bash
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Node, Parser

from remora.shell.syntax import Line, inside, parse, plain
from tests.tables import table

Called = tuple[tuple[str, ...], tuple[str, ...]]  # variables and words

COMMANDS = [
    line.partition("\t")[2].encode().decode("unicode_escape")
    for line in Path(__file__).with_name("commands.tsv").read_text("ascii").splitlines()
    if line[:1] != "#"
]
PARSER = Parser(Language(tree_sitter_bash.language()))
CALLS = ("command", "declaration_command", "unset_command")
REDIRECTS = ("file_redirect", "herestring_redirect", "heredoc_redirect")
CONDITION: Called = ((), ("[",))  # its words are not compared
CONDITIONS = ("[", "[[", "((")


def theirs(node: Node) -> Iterator[Called]:
    """Yield what tree-sitter says is called, wherever in the line."""
    texts = [(child.type, (child.text or b"").decode()) for child in node.children]
    if node.type in CALLS:
        kinds = ("variable_assignment",) if node.type == "command" else ()
        first = next((n for n, (kind, _) in enumerate(texts) if kind not in (*kinds, *REDIRECTS)), 0)
        variables = tuple(text for kind, text in texts[:first] if kind in kinds)
        yield variables, tuple(text for kind, text in texts[first:] if kind not in REDIRECTS)
    elif node.type == "variable_assignment" and (node.parent is None or node.parent.type not in CALLS):
        yield ((node.text or b"").decode(),), ()
    elif node.type == "test_command":
        yield CONDITION
    for child in node.children:
        yield from theirs(child)


def ours(line: Line) -> Iterator[Called]:
    """Yield what we say is called."""
    for one in line.programs:
        if one.words[:1] and one.words[0] in CONDITIONS:
            yield CONDITION
        elif one.words:
            yield one.variables, one.words
        else:
            yield from (((variable,), ()) for variable in one.variables)
    for inner in inside(line):
        yield from ours(inner)


@pytest.mark.parametrize("command", COMMANDS)
def test_real_commands_are_read_as_tree_sitter_reads_them(command: str):
    """The same programs with the same variables and words, also in substitutions."""
    tree = PARSER.parse(command.encode()).root_node
    assert not tree.has_error
    assert Counter(ours(parse(command))) == Counter(theirs(tree))


@pytest.mark.parametrize("row", table(__file__, "calls"), ids=lambda row: row[0])
def test_what_a_line_calls(row: tuple[str, ...]):
    """Programs with their variables in order, then those of substitutions."""

    def said(read: Line) -> Iterator[str]:
        yield from (" ".join((*one.variables, *one.words)) for one in read.programs)
        for inner in inside(read):
            yield from said(inner)

    line, *called = row
    assert list(said(parse(line))) == called


@given(st.text(st.sampled_from("ab =;|&<>()[]{}$`'\"\\\n#!\t") | st.characters(), max_size=80))
def test_any_text_is_read(text: str):
    """Each word stands in the text, in order, and what the program sees of it is no longer than it."""
    at = 0
    for one in parse(text).programs:
        for word in (*one.variables, *one.words):
            if word != "((":
                at = text.index(word, at)
                assert len(plain(word)) <= len(word)
