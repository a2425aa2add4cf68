"""The things that a clause names: commands, paths, names in code, events, and phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.directive_words import JOINS, STOPS, USES
from remora.core.programs import PROGRAMS
from remora.core.query import named_paths
from remora.core.stems import stem
from remora.core.text import STOP_WORDS
from remora.core.triggers import DEPENDENCY

MOST_WORDS = 6  # of a thing named by ordinary words
NAMING = frozenset(
    """use uses used using import install require prefer call via with add verwende verwenden benutze
    benutzen nutze nutzen nimm utilise utilisez usa usar usare gebruik используй используйте
    использовать""".split()
)
_RUNS = frozenset("run runs running execute lance lancer ejecuta esegui immer always".split())
_ENDS = STOPS | frozenset("against into onto gegen contre contra without".split())  # of a command
AMBIGUOUS = frozenset(  # programs that are also ordinary words
    """make go just task test build time command file history top less more type find date which env nice
    prove less tree cut all standard printf echo man watch stack mix pest bats ava xo black invoke nox cog
    next hatch revive head cat look cd set bun node column strings install base""".split()
)
PRONOUNS = frozenset("it them".split())
HEAVY = frozenset("push commit merge rebase amend deploy release publish tag".split())
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FOLDER = re.compile(r"[\w.-]{2,}(?:/[\w.-]{2,})+")  # without a slash at its end
_TOKEN = re.compile(r"`[^`\n]+`|[^\s`]+")
EDGES = "\"'“”‘’«»„[]{}<>…"


class Thing(NamedTuple):
    """A thing named in a sentence: "path", "command", "name", "code", "text" or "words".

    "code" is one word in backticks, "text" are several. `words` are its words in order: one for a path or a
    name, the program and its arguments for a command.
    """

    kind: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.words)


def _tokens(clause: str) -> list[str]:
    if _CJK.search(clause):
        found = re.findall(r"`[^`]+`|[A-Za-z0-9_@./*:+-]+(?:\(\))?", clause)
        return [token for token in found if re.search(r"[A-Za-z]", token)]
    found = [t if t[0] == "`" else t.strip(EDGES).rstrip(",;:!?") for t in _TOKEN.findall(clause)]
    return [t.removeprefix("**").removesuffix("**") or t for t in found if t]


def things_in(clause: str, *, short: bool = False, used: bool = False) -> list[Thing]:
    """Return the things that a clause names by form: code, commands, paths; and the plain word after "use".

    `short`: ignore phrases and what follows a preposition. `used`: return only commands, and things to be
    used.
    """
    tokens = _tokens(clause)
    foreign = _CJK.search(clause) is not None
    found: list[Thing] = []
    at, role, ran, passed = 0, foreign, False, False
    while at < len(tokens):
        token = tokens[at]
        low = token.lower().rstrip(".")
        thing, length = _thing(tokens, at, ran=ran)
        if thing is not None:
            if role or ran or not used or thing.words[0].startswith("-"):  # a flag is meant to be passed
                found.append(thing)
            at, role, ran, passed = at + length, foreign, False, True
            continue
        if low in STOPS and (found or (short and passed)):
            break
        ran = low in _RUNS or (ran and low in STOP_WORDS)
        if low in NAMING or low in PRONOUNS:  # "don't use it": the name was said before
            role = low in NAMING
        elif low not in STOP_WORDS and low not in USES:
            if role and (foreign or not (found or (short and _is_phrase(tokens[at : at + 2])))):
                kind = "path" if foreign and _FOLDER.fullmatch(token) else "name"
                found.append(Thing(kind, (token.rstrip(".").removesuffix("'s"),)))
            role, passed = foreign, True
        at += 1
    return found


def _is_phrase(words: Sequence[str]) -> bool:
    """Return whether two words are ordinary ones of a phrase, not a name and its kind.

    >>> [_is_phrase(text.split()) for text in ("role key", "lodash or", "moment")]
    [True, False, False]
    """
    if len(words) < 2 or not words[0].isalpha() or words[0] != words[0].lower():
        return False
    if not words[1].isalpha():
        return words[1].startswith("`")  # "raw `fetch()`"
    low = words[1].lower()
    plain = low not in STOP_WORDS and low not in USES and low not in STOPS and not JOINS.fullmatch(low)
    return plain and not low.endswith("ly")


def _thing(tokens: Sequence[str], at: int, *, ran: bool) -> tuple[Thing | None, int]:
    """Return the thing that begins at a token, by its form alone, and its number of tokens."""
    token = tokens[at]
    if token.startswith("`"):
        inner = token.strip("`").strip()
        words = tuple(inner.split())
        if not words:
            return None, 1
        if len(words) == 1:
            return by_form(inner) or Thing("command" if inner in PROGRAMS else "code", (inner,)), 1
        runs = words[0] in PROGRAMS and re.match(r"[\w./@~$<{\[\"'*-]", words[1])
        return Thing("command" if runs else "text", words), 1
    bare = token.rstrip(".")
    if (bare in PROGRAMS and bare not in AMBIGUOUS) or (ran and bare in PROGRAMS):
        command = [bare]
        for word in tokens[at + 1 :]:
            low = word.lower()
            if low in _ENDS or low in STOP_WORDS or low in NAMING or (low.endswith("ly") and low != "apply"):
                break
            command.append(word.rstrip("."))
            if len(command) == MOST_WORDS:
                break
        return Thing("command", tuple(command)), len(command)
    if (
        len(bare) > 1
        and bare.isupper()
        and bare.isalpha()
        and at + 1 < len(tokens)
        and not tokens[at + 1][0].isalnum()
    ):
        return Thing("text", (bare, tokens[at + 1])), 2
    return by_form(bare), 1


def by_form(token: str) -> Thing | None:
    """Return a path or a name that cannot be an ordinary word; `Atom.new/1` is a name with its arity."""
    if re.fullmatch(r"\w+[.:][\w.:]*[!?]?/\d+", token):
        return Thing("name", (token,))
    token = token.removesuffix("'s")
    if re.fullmatch(r"@[\w-]+(?:/[\w-]+)+", token):
        return Thing("name", (token,))  # a package with its scope
    if (
        "/" in token
        and re.search(r"\w|\*", token)
        and (named_paths(token) or token.endswith("/") or "*" in token)
    ):
        path = token.removeprefix("./")
        return Thing("path", (path,)) if path else None
    if token.startswith("-") and re.fullmatch(r"--?[A-Za-z][\w-]*", token):
        return Thing("name", (token,))
    core = token.removesuffix("()")
    if core != token and re.fullmatch(r"[\w.:]+", core):
        return Thing("name", (token,))
    if "*" in token and "." in token:
        return Thing("path", (token,))
    if (
        re.fullmatch(r"@?[^\W\d][\w-]*(?:(?:\.|::|->)[^\W\d]\w*)+", core)
        and len(core) > 3
        and core.lower() not in ("e.g", "i.e")
    ):
        return Thing("path", (token,)) if named_paths(token) else Thing("name", (core,))
    if re.search(r"[a-z\d][A-Z]|\w_\w", core):
        return Thing("name", (core,))
    if re.fullmatch(r"\.\w[\w.-]*", token) and not token.isupper():  # `.env`, but not .NET
        return Thing("path", (token,))
    return None


# Stems and words of events that habits precede.
EVENTS = {stem(word): word for word in ("pr", "deployment", "apply", "build", "upload", DEPENDENCY, *HEAVY)}
