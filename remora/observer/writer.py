"""Let a language model write memories from the evidence pack of a session, at most MEMORIES of them.

The answer is checked, not trusted: each memory cites pieces of the pack; the names, numbers, paths and
commands in it occur in these pieces, or in others of the pack, which then count as cited; and so does a share
of its other words. A rule needs a person's words among its pieces. If the person's words alone support a
rule, or the untainted pieces a memory, it rests on them alone; otherwise the taint of a cited piece taints
the memory, and a tainted memory is stored as a fact, never as a rule. Memories that fail a check are rejected
with a reason; the filters of `promotion` follow, as for every candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from remora.core.events import Observation, SeenCount
from remora.core.text import STOP_WORDS, collapse, words
from remora.llm.client import LanguageModel, Message, extract
from remora.llm.prompts import load
from remora.observer.candidate import Candidate, Evidence, Rejected, candidate
from remora.observer.evidence import USER, Piece, told

MEMORIES = 5  # of a session
LEAST, MOST = 20, 600  # characters of a memory
TOKENS = 1_200  # of an answer
SHARED = 0.3  # share of a memory's words that the cited pieces contain
STEM = 5  # letters that two forms of a word share
SIGNAL = "written"
KNOWN = "K"  # letter of the ids of stored memories
TYPES = ("preference", "requirement", "decision", "gotcha", "error_pattern")
RULES = TYPES[:3]  # need a person's words; without them they become a gotcha
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "type": {"type": "string", "enum": list(TYPES)},
                    "evidence": {"type": "array", "items": {"type": "string"}},
                    "replaces": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["content", "type", "evidence"],
            },
        }
    },
    "required": ["memories"],
}
_QUOTED = re.compile(r"`([^`\n]+)`")
_TOKEN = re.compile(r"(?<![\w@$./\\:+-])[\w@$./\\:+-]*[\w$]")
_PARTS = re.compile(r"[\s/]+")
_SIGNS = ".…'\"()"
_NAME = re.compile(r"[\d_/\\@$]|[a-z][A-Z]|\w\w\.\w\w")  # never in a plain word


class Known(NamedTuple):
    """A stored memory: its id and its text."""

    id: str
    text: str


class Claim(NamedTuple):
    """A memory as the model wrote it, with the cited pieces and the ids of memories that it replaces."""

    content: str
    type: str
    cited: tuple[Piece, ...]
    replaces: tuple[str, ...] = ()


def write(
    model: LanguageModel,
    session: Observation,
    pieces: Sequence[Piece],
    known: Sequence[Known] = (),
    *,
    timeout: float,
) -> Iterator[Candidate | Rejected]:
    """Yield the memories that a model writes from the evidence of a session, and the rejected ones.

    Args:
        model: called once, twice if its answer does not fit the schema.
        session: the observation of the session.
        pieces: its evidence pack.
        known: related stored memories: not to be written again; the person's words may replace them.
        timeout: seconds for each answer.

    Raises:
        ProviderError: the model gave no usable answer.
        ModelMissing: the model does not exist.
    """
    remembered = [Piece(name, one.text) for name, one in _numbered(known).items()]
    evidence = told([*pieces, *remembered])
    messages = [Message("system", load("remora.observer", "writer")), Message("user", evidence)]
    answer = extract(model, messages, SCHEMA, max_tokens=TOKENS, timeout=timeout)
    yield from checked(session, pieces, answer["memories"], known)


def _numbered(known: Sequence[Known]) -> dict[str, Known]:
    return {f"{KNOWN}{number}": one for number, one in enumerate(known, 1)}


def checked(
    session: Observation,
    pieces: Sequence[Piece],
    memories: Sequence[dict[str, Any]],
    known: Sequence[Known] = (),
) -> Iterator[Candidate | Rejected]:
    """Yield the memories of an answer that pass the checks, as candidates, and the others with the reason."""
    of_id, of_known = {piece.id: piece for piece in pieces}, _numbered(known)
    cited_before: dict[str, int] = {}
    for place, item in enumerate(memories):
        content = collapse(item["content"])
        cited = tuple(of_id[i] for i in dict.fromkeys(item["evidence"]) if i in of_id)
        replaced = tuple(of_known[i].id for i in item.get("replaces", ()) if i in of_known)
        claim = on_sound_pieces(with_names(Claim(content, item["type"], cited, replaced), pieces))
        why = f"a session yields at most {MEMORIES}" if place >= MEMORIES else unfounded(claim)
        if why:
            yield Rejected(content, why)
            continue
        key = "\n".join(sorted({event for piece in claim.cited for event in piece.events}))
        cited_before[key] = cited_before.get(key, 0) + 1
        yield _candidate(session, claim, f"{key}\n{cited_before[key]}")


def with_names(claim: Claim, pieces: Sequence[Piece]) -> Claim:
    """Return a claim that also cites the first piece of the pack with each name that its own pieces lack.

    >>> said = Piece("U1", "never push to release/1.x"), Piece("A1", "I open the PR against main_line")
    >>> claim = Claim("Never push to release/1.x; use main_line.", "preference", said[:1])
    >>> [piece.id for piece in with_names(claim, said).cited]
    ['U1', 'A1']
    """
    cited = list(claim.cited)
    for name in _names(claim.content) if cited else ():
        if not any(_holds(piece.text, name) for piece in cited):
            cited += [piece for piece in pieces if _holds(piece.text, name)][:1]
    return claim._replace(cited=tuple(cited))


def on_sound_pieces(claim: Claim) -> Claim:
    """Return a claim that rests on its soundest pieces alone, if these support it.

    These are the person's words for a rule, else the untainted pieces.
    """
    sound = [piece for piece in claim.cited if piece.kind == USER] if claim.type in RULES else []
    for pieces in (sound, [piece for piece in claim.cited if piece.taint is None]):
        alone = claim._replace(cited=tuple(pieces))
        if pieces and not unfounded(alone):
            return alone
    return claim


def unfounded(claim: Claim) -> str:
    """Return why a claim does not follow from the cited pieces; empty if all checks pass.

    >>> piece = Piece("U1", "never push to release/1.x, open a PR against main")
    >>> unfounded(Claim("Open PRs against main, never push to release/1.x.", "preference", (piece,)))
    ''
    >>> unfounded(Claim("Open PRs against main, never push to release/2.x.", "preference", (piece,)))
    'release/2.x is not in the cited evidence'
    """
    if not LEAST <= len(claim.content) <= MOST:
        return f"it has {len(claim.content)} characters, not {LEAST} to {MOST}"
    if not claim.cited:
        return "it cites no evidence"
    for name in _names(claim.content):
        if not any(_holds(piece.text, name) for piece in claim.cited):
            return f"{name} is not in the cited evidence"
    said = {word[:STEM] for piece in claim.cited for word in words(piece.text)}
    own = {word[:STEM] for word in words(claim.content) if word not in STOP_WORDS}
    if len(own & said) < SHARED * len(own):
        return "the cited evidence says something else"
    return ""


def _holds(text: str, name: str) -> bool:
    """Return whether a text contains a name, or all parts of a command or path that it may shorten."""
    folded = collapse(text.replace("`", "")).casefold()
    if name.casefold() in folded:
        return True
    parts = [part.strip(_SIGNS) for part in _PARTS.split(name.casefold())]
    return len(parts) > 1 and all(part in folded for part in parts)


def _names(text: str) -> Iterator[str]:
    """Yield the parts that must be copied exactly: text in backticks; names, numbers and paths outside."""
    for quoted in _QUOTED.findall(text):
        yield collapse(quoted)
    for token in _TOKEN.findall(_QUOTED.sub(" ", text)):
        if _NAME.search(token):
            yield token.strip("./:-+")


def _candidate(session: Observation, claim: Claim, key: str) -> Candidate:
    said = any(piece.kind == USER for piece in claim.cited)
    tainted = [piece.taint for piece in claim.cited if piece.taint is not None]
    at = session.ended or session.started
    count = SeenCount(1, at, at)
    ids = ", ".join(piece.id for piece in claim.cited)
    made = candidate(
        session,
        claim.type if (said and not tainted) or claim.type not in RULES else "gotcha",
        claim.content,
        signal=SIGNAL,
        key=key,
        confidence=0.85 if said else 0.75,
        seen=count,
        evidence=Evidence(
            tuple(sorted({piece.step for piece in claim.cited})),
            tuple(dict.fromkeys(event for piece in claim.cited for event in piece.events)),
        ),
        why=f"written by a language model from the evidence of the session ({ids})",
        priority=0.9 if said else 0.85,
        score=0.85,
        needs=1,
        files=[use.path for use in session.files if use.path in claim.content],
        tags=(SIGNAL,),
        taint=tainted[0] if tainted else None,
    )
    # Only a person's words replace memories.
    return made._replace(replaces=claim.replaces if said and not tainted else ())
