"""Read a decision record (docs/adr, docs/decisions) as one memory: its title and its decision.

The common forms agree on a title, a status, and a heading "Decision" or "Decision Outcome". A proposed or
superseded decision does not hold and gives no memory.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.text import shorten
from remora.sources.markdown import label, parse
from remora.sources.rule_sense import SENTENCE
from remora.sources.rule_split import Block, LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.sources.markdown import Node
    from remora.sources.rule_text import Text

CHARACTERS = 600  # maximum length of the decision
_DECIDED = re.compile(
    r"^(?:the )?(?:decision|decision outcome|outcome|resolution|we decided)\W*$", re.IGNORECASE
)
_STATUS = re.compile(r"^\W*status\W*", re.IGNORECASE)
_NOT_IN_FORCE = re.compile(
    r"\b(?:superseded|deprecated|rejected|proposed|draft|withdrawn|obsolete|replaced|abandoned)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^(?:ADR|RFC|Decision(?: record)?)?[-\s#]*\d*\s*[-–—:.]*\s*", re.IGNORECASE)


def decision_of(text: Text) -> tuple[list[Block], list[LeftOut]]:
    """Return the decision of a record as the only rule of its file, or the reason why there is none."""
    nodes = parse(text.body, text.first_line)
    heads = [at for at, node in enumerate(nodes) if node.kind == "heading"]
    if not heads:
        return [], []
    title = _NUMBER.sub("", label(nodes[heads[0]].text, 200)) or label(nodes[heads[0]].text, 200)
    status = " ".join((*text.front.get("status", ()), *_status(nodes)))
    if found := _NOT_IN_FORCE.search(status):
        return [], [LeftOut(nodes[heads[0]].line, shorten(title, 60), f"is {found[0].lower()}")]
    for at in heads:
        if _DECIDED.match(label(nodes[at].text)) and at + 1 < len(nodes):
            said = _said(nodes[at + 1 :])
            if said:
                return [Block(f"{title}: {said}", nodes[at + 1].line, (), "text")], []
    return [], [LeftOut(nodes[heads[0]].line, shorten(title, 60), "no heading introduces the decision")]


def _status(nodes: Sequence[Node]) -> list[str]:
    """Return the status given in the nodes before the first long text."""
    found: list[str] = []
    for at, node in enumerate(nodes[:12]):
        lines = [node.text, *(one.text for item in node.items for one in item)]
        found += [line for line in lines if _STATUS.match(line) and len(line) < 120]
        if node.kind == "heading" and _STATUS.match(node.text) and at + 1 < len(nodes):
            found.append(nodes[at + 1].text[:120])
    return found


def _said(nodes: Sequence[Node]) -> str:
    """Return the first text, and the list it introduces, in whole sentences."""
    first, *more = nodes
    text = first.text if first.kind == "text" else ""
    listed = first if first.items else more[0] if more and text.endswith(":") else None
    for item in listed.items if listed is not None else ():
        if item and len(text) + len(item[0].text) < CHARACTERS:
            text = f"{text} {item[0].text.rstrip('.;')};".strip()
    kept = ""
    for sentence in SENTENCE.split(text.rstrip(";")):
        if kept and len(kept) + len(sentence) > CHARACTERS:
            break
        kept = f"{kept} {sentence}".strip()
    return kept
