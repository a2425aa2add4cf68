"""Function words of several languages, and the patterns that are made of them."""

from __future__ import annotations

import re


def one_of(words: str) -> str:
    """Return a pattern for any of some words; a middle dot in a word matches white space."""
    found = sorted(words.split(), key=len, reverse=True)
    return "|".join(re.escape(word).replace("·", r"\s+").replace("'", "['’]") for word in found)


# Function words: English, German, French, Spanish, Portuguese, Italian, Dutch, Russian; then scripts
# without spaces.
NOT = one_of(
    """never do·not don't dont does·not doesn't must·not mustn't may·not cannot can·not can't
    should·not shouldn't not no avoid stop instead·of rather·than over nie niemals nicht
    nichts kein keine keinen keiner keines keinem statt anstatt jamais ne pas au·lieu·de
    plutôt·que aucun aucune nunca jamás en·vez·de en·lugar·de não em·vez·de mai non
    invece·di nooit niet geen никогда не нельзя вместо"""
)
_FORBIDDEN = one_of(
    """forbidden banned prohibited not·allowed not·permitted verboten
    interdit interdite prohibido prohibida proibido proibida vietato vietata запрещено запрещён запрещен"""
)
_GONE = one_of(
    """gone deprecated off·limits no·longer·used no·longer·available no·longer·needed no·longer·supported
    not·used not·to·be·used not·used·any·more veraltet"""
)
_EVER = one_of(
    """always never from·now·on every·time whenever immer nie niemals grundsätzlich ab·jetzt ab·sofort stets
    toujours jamais désormais dorénavant siempre nunca a·partir·de·ahora sempre a·partir·de·agora mai
    d'ora·in·poi d'ora·in·avanti altijd nooit voortaan всегда никогда отныне"""
)
ORDER = one_of("before prior·to ahead·of vor bevor avant·de avant antes·de antes·que prima·di voor перед")
EACH = one_of(
    """each every any all new jede jeder jedes jedem jeden alle neue neuen chaque tout tous toute toutes cada
    todo toda todos todas ogni tutti elk elke каждый каждая каждое каждым каждой каждого все"""
)
CHANGES = one_of(
    "when whenever if once after wenn sobald nach quand après cuando después·de quando dopo когда после"
)
_NOT_CJK = (
    "不要|不能|不得|不可|不许|别用|别|別|禁止|请勿|勿|严禁|而不是|不用|ではなく|じゃなく|しない|ない"
    "|말고|하지|금지"
)
_EVER_CJK = "总是|始终|永远|每次|从现在起|以后|今后|必ず|常に|今後|これから|항상|반드시|앞으로"
USES = frozenset(
    """use uses used using via run runs running execute call calls import install require depend rely prefer
    add adding include with through to the a an any ever please simply just directly anymore more again by
    as be write writing verwende verwenden benutze benutzen nutze nutzen nimm laufen lass lassen führe aus die
    der das den dem ein eine einen von utilise utiliser utilisez lance lancer le la les un une des usa
    usar use ejecuta ejecutar el los las una de usare usa esegui il gli gebruik gebruiken de het een
    используй использовать используйте запускай""".split()
)
STOPS = frozenset(
    """for in on at when while because since as if unless except
    outside inside until so before after where which that during only without ohne sans sin
    für weil wenn damit um bei außer außerhalb innerhalb sonst mit pour dans quand parce para porque
    cuando en per perché quando voor omdat для потому когда если and und et y e и laufen lassen
    ausführen""".split()
)
# Be, have, must: auxiliaries, which say nothing about the subject.
AUXILIARY = """is are was were isn't aren't has have had must should need needs will won't can't cannot may
    ist sind war hat haben muss müssen soll sollte darf werden est sont ont doit doivent faut es son está
    están tiene debe deben é são tem deve è sono ha devono moet heeft zijn есть это нужно надо нельзя должен
    должна должны будет можно"""
BUT = one_of("but sondern aber mais pero mas ma maar но а")
JOINS = re.compile(r"or|nor|and|oder|und|ou|et|o|y|e|of|en|или|и", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]*`")
# The end of a clause in a text whose code is backticks alone: a comma of a list of code is none.
_CLAUSE = re.compile(
    rf"(?:[.!?](?=\s|$)|[;:](?=\s|$)|,(?=\s|$)(?!\s(?:(?:{JOINS.pattern})\s`|`+(?:[,.;:)]|\s*$|\s(?:{JOINS.pattern})\s)))"
    rf"|[\n。！？；，、：（）]|\s[-–—]\s|\s(?:{BUT})\s)+"
)
NEGATES = re.compile(rf"(?<![\w-])(?:{NOT})(?![\w-])|{_NOT_CJK}", re.IGNORECASE)
IS_GONE = re.compile(rf"(?<!\w)(?:{_GONE}|{_FORBIDDEN})(?!\w)", re.IGNORECASE)
LASTS = re.compile(rf"(?<![\w-])(?:{_EVER})(?![\w-])|{_EVER_CJK}", re.IGNORECASE)
POSITIVE = re.compile(
    r"\b(?:do not|don['’]?t|never) (?:forget|hesitate|fail)(?: to)?\b|\bnot (?:only|just|merely)\b"
    r"|\bwhy not\b|\bno need to\b",
    re.IGNORECASE,
)


def divided(text: str, ends: re.Pattern[str]) -> list[str]:
    """Return the parts of a text between the matches of a pattern; code in backticks is not divided."""
    found = [end.span() for end in ends.finditer(_CODE.sub(lambda span: "`" * len(span[0]), text))]
    starts = [0, *(behind for _, behind in found)]
    return [text[at:end] for at, end in zip(starts, (*(end for end, _ in found), None), strict=True)]


def clauses(text: str) -> list[str]:
    """Return the clauses of a text.

    >>> clauses("Use `f(a, b)`, but neither `g`, `h` nor `i`")
    ['Use `f(a, b)`', 'neither `g`, `h` nor `i`']
    """
    return divided(text, _CLAUSE)
