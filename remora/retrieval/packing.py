"""Fit hits into a phase's token budget without repetitions.

Each phase splits its budget between memory types (section 7). Hits are taken in rank order within their
type's share; one that does not fit is skipped, and later ones may still fit. The rest of the shares goes to
the best remaining hits. What a person decided comes first; memories about the same files are adjacent.

The resulting text never exceeds the budget, heading, separators and citations included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.citation import short_name
from remora.core.statement import same_statement, word_set
from remora.core.text import collapse, jaccard, safe, shorten
from remora.core.tokens import ceil_chars_4
from remora.core.values import FILE_KINDS, Context, Hit


class Budget(NamedTuple):
    """The tokens of a phase and the share of each memory type; "other" is every unnamed type."""

    tokens: int
    shares: dict[str, float]


BUDGETS: dict[str, Budget] = {
    "define": Budget(
        2500,
        {
            "workflow_recipe": 0.30,
            "requirement": 0.20,
            "decision": 0.20,
            "dead_end": 0.15,
            "task_calibration": 0.10,
            "other": 0.05,
        },
    ),
    "implement": Budget(
        3000,
        {
            "gotcha": 0.30,
            "error_pattern": 0.25,
            "causal_dependency": 0.15,
            "pattern": 0.15,
            "dead_end": 0.10,
            "other": 0.05,
        },
    ),
    "validate": Budget(
        2500,
        {
            "error_pattern": 0.30,
            "requirement": 0.25,
            "e2e_observation": 0.25,
            "work_unit_outcome": 0.15,
            "other": 0.05,
        },
    ),
    "refine": Budget(
        2000, {"error_pattern": 0.35, "gotcha": 0.25, "dead_end": 0.20, "pattern": 0.15, "other": 0.05}
    ),
    "explore": Budget(
        2000, {"module_insight": 0.40, "decision": 0.25, "pattern": 0.20, "causal_dependency": 0.15}
    ),
    "reflect": Budget(
        1500, {"work_unit_outcome": 0.40, "task_calibration": 0.35, "dead_end": 0.15, "other": 0.10}
    ),
}

HEADING = "## Relevant Context from Memory"
NEAR_DUPLICATE = 0.85  # Jaccard of words; above it the second text is a repetition
LOW_CONFIDENCE = 0.7  # below it the reader is told how sure we are
MAX_FILES_SHOWN = 2
RETOLD = frozenset({"history", "daily", "archive"})  # sources that summarise turns
FEW_WORDS = 5  # of a turn that can be repeated by a summary, at least
_FOLDER = "memory"  # of the journal, in a project's home
_ROUND = str.maketrans("[]", "()")
ANSWERED = 120  # characters of the message that a quote answers
# A line like this block's own: a heading, the head of an entry, a citation; a tag; a speaker's name.
_POSES = re.compile(
    r"[ \t]*(?:\#{1,6}\s|\*\*[^*\n]+\*\*|\[\^|</?[a-z][\w-]*>|(?:system|user|assistant|human|developer)\s*:)",
    re.IGNORECASE,
)
DECIDED = frozenset({"decision", "preference", "requirement"})
LABELS = {
    "turn": "Conversation",
    "code": "Code",
    "longterm": "Long-term memory",
    "note": "Note",
    "archive": "Archive",
    "history": "History",
    "daily": "Daily note",
    "quote": "Said by the user",
}


def pack(hits: Sequence[Hit], phase: str, budget: int | None = None) -> Context:
    """Return the block for a prompt.

    Args:
        hits: best first.
        phase: one of the six universal phases; determines the shares, and the budget if none is given.
        budget: maximum tokens of the text (characters / 4, rounded up).

    Returns:
        The text with its hits in the order shown; empty text if nothing fits.
    """
    plan = BUDGETS[phase]
    total = plan.tokens if budget is None else budget
    unique = sorted(_without_repeats(hits), key=lambda hit: not _decided(hit))
    # Each entry is rounded up on its own, so their sum is never below what the whole text takes.
    shown = _by_locality(_choose(unique, plan, total))
    text = block(shown)
    return Context(text, tuple(shown), ceil_chars_4(text), total, phase, len(hits) - len(shown))


def block(hits: Sequence[Hit], *, ids: bool = False) -> str:
    """Return the text of chosen hits, with `ids` with short ids in place of citations; empty without hits."""
    return safe("\n\n".join([HEADING, *(entry(hit, ids=ids) for hit in hits)])) if hits else ""


def entry(hit: Hit, *, ids: bool = False) -> str:
    """Return the text of one hit: label, files, confidence, text, and its id or a citation.

    Text from untrusted sources is quoted, so that it reads as data and not as an order; so is text with a
    line that could be mistaken for a part of the block, for a tag or for another speaker.
    """
    label, files, notes = hit.source.capitalize(), "", []
    if hit.memory is not None:
        label = hit.kind.replace("_", " ").capitalize()
        if ids:
            notes.append(f"[{hit.memory.id[:8]}]")
        if hit.memory.related_files:
            files = f" ({', '.join(hit.memory.related_files[:MAX_FILES_SHOWN])})"
        if hit.memory.confidence < LOW_CONFIDENCE:
            notes.append(f"[confidence: {hit.memory.confidence:.0%}]")
        if hit.memory.taint is not None:
            notes.append(f"[unverified, from {hit.memory.taint.source}]")
        if hit.realm == "user":
            notes.append("[yours, in every project]")
    else:
        label = LABELS[hit.source]
        role = None if hit.source == "quote" else hit.role
        where = _from_journal(hit.path) if hit.source in FILE_KINDS and hit.path else hit.path
        place = ", ".join(p for p in (role, hit.time[:10] if hit.time else None, where) if p)
        files = f" ({place})" if place else ""
    if hit.disagrees_with:
        notes.append(f"[disagrees with {', '.join(i[:8] for i in hit.disagrees_with)}]")
    if hit.amended_by:
        notes.append("[said again later, see above]")
    if hit.answers:
        notes.append(f"[in answer to: “{shorten(hit.answers, ANSWERED)}”]")
    said = f"“{hit.text.strip()}”" if hit.source == "quote" else hit.text.strip()
    text = said if ids else f"{said}\n{citation(hit)}"
    if (hit.memory is not None and hit.memory.taint is not None) or _poses(hit.text):
        text = "\n".join(f"> {line}" for line in text.splitlines())
    head = collapse(" ".join([f"**{label}**{files}", *notes]))
    return f"{head}\n{text}"


def citation(hit: Hit) -> str:
    """Return the citation `[^ Memory: text]` by which an agent cites a hit."""
    text = short_name(hit.memory.citation_text if hit.memory else None, hit.text)
    return f"[^ Memory: {collapse(text).translate(_ROUND)}]"


def _from_journal(path: str) -> str:
    """Return the path of a written file from the folder of the journal; the folders above are private.

    >>> _from_journal("/home/ann/data/projects/shop/memory/HISTORY.md")
    'HISTORY.md'
    """
    parts = path.replace("\\", "/").split("/")
    return "/".join(parts[len(parts) - parts[::-1].index(_FOLDER) :]) if _FOLDER in parts else path


def _poses(text: str) -> bool:
    return any(_POSES.match(line) for line in text.strip().splitlines())


def _decided(hit: Hit) -> bool:
    """Return whether a hit is a decision or wish of a person, in their words or confirmed by them."""
    memory = hit.memory
    if memory is None or memory.type not in DECIDED:
        return False
    return memory.user_verified or memory.source == "user_taught"


def share_of(total: int, share: float) -> int:
    """Return a share of a budget in whole tokens, rounded down.

    >>> share_of(180, 0.35)
    63
    """
    return int(total * share + 1e-9)  # 180 x 0.35 is 62.999... to a float


def _without_repeats(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without repetitions; of a turn and its retellings the turn stays."""
    kept: list[tuple[Hit, frozenset[str]]] = []
    for hit in hits:
        words = word_set(hit.text)
        same = next(
            (
                at
                for at, (other, known) in enumerate(kept)
                if _repeats(hit.text, words, other.text, known) or _retells(hit, words, other, known)
            ),
            None,
        )
        if same is None:
            kept.append((hit, words))
        elif hit.source == "turn" and kept[same][0].source in RETOLD:
            kept[same] = (hit, words)
    return [hit for hit, _ in kept]


def _retells(hit: Hit, words: frozenset[str], other: Hit, known: frozenset[str]) -> bool:
    """Return whether one is a turn and the other the journal's entry or extract that holds it."""
    if (hit.source == "turn") == (other.source == "turn") or not {hit.source, other.source} & RETOLD:
        return False
    turn = words if hit.source == "turn" else known
    return len(turn) >= FEW_WORDS and len(words & known) >= NEAR_DUPLICATE * len(turn)


def _repeats(text: str, words: frozenset[str], other: str, known: frozenset[str]) -> bool:
    """Return whether two texts say the same; a different number, name or "not" makes them different."""
    if not words or not known:
        return collapse(text).casefold() == collapse(other).casefold()
    return jaccard(words, known) > NEAR_DUPLICATE and same_statement(text, other)


def _choose(hits: Sequence[Hit], plan: Budget, total: int) -> list[Hit]:
    """Return the hits that fit, in order: those within their type's share, then the best of the rest."""
    left = total - ceil_chars_4(HEADING)
    shares = {name: share_of(total, share) for name, share in plan.shares.items()}
    shares.setdefault("other", max(0, total - sum(shares.values())))
    costs = [ceil_chars_4("\n\n" + entry(h)) for h in hits]
    chosen: set[int] = set()
    for place, hit in enumerate(hits):
        kind = hit.memory.type if hit.memory else hit.source
        share = kind if kind in shares else "other"
        if costs[place] <= min(shares[share], left):
            chosen.add(place)
            shares[share] -= costs[place]
            left -= costs[place]
    for place, cost in enumerate(costs):
        if place not in chosen and cost <= left:
            chosen.add(place)
            left -= cost
    return [hit for place, hit in enumerate(hits) if place in chosen]


def _by_locality(hits: Sequence[Hit]) -> list[Hit]:
    """Keep rank order, but move hits about a file up to the first hit about that file."""
    place: dict[str, int] = {}
    keyed = []
    for rank, hit in enumerate(hits):
        files = hit.memory.related_files if hit.memory else ((hit.path,) if hit.path else ())
        cluster = min((place[f] for f in files if f in place), default=rank)
        for file in files:
            place.setdefault(file, cluster)
        keyed.append((cluster, rank, hit))
    return [hit for _, _, hit in sorted(keyed, key=lambda k: k[:2])]
