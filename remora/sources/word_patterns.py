"""Build the word patterns for rules and commit messages."""

from __future__ import annotations

import re


def any_of(alternatives: str) -> str:
    """Return one regular-expression group of alternatives separated by white space.

    A dot in an alternative is any character, so "make.sure" is how a space is written.

    >>> any_of("must never make.sure")
    '(?:must|never|make.sure)'
    """
    return f"(?:{'|'.join(alternatives.split())})"


def whole(alternatives: str) -> str:
    """Return the same group, matching whole words only."""
    return rf"\b{any_of(alternatives)}\b"


def cue(*patterns: str) -> re.Pattern[str]:
    """Return one case-insensitive pattern that matches any of several patterns."""
    return re.compile("|".join(patterns), re.IGNORECASE)


# Verbs that instructions about software begin with, in the form of the imperative.
VERBS = any_of("""
    add adhere adjust aim align allow analy[sz]e annotate answer append apply ask assert assign assume
    attach audit avoid batch be begin bind bring build bump cache call cap capture catch change check choose
    cite clean clear clone close collect combine comment commit compare compute configure confirm consider
    consult contact contain continue convert copy cover create cut decide declare default defer define
    delegate delete deploy derive describe design detect determine disable discuss dispatch do document
    download drop edit embed emit enable encapsulate encode enforce ensure enter escape establish evaluate
    examine execute expect explain explore export expose extend extract fail favou?r fetch fill find
    finish fix flag focus follow format gate generate get give go group guard handle hide hold identify
    ignore implement import include increase index inform inject inline insert inspect install instrument
    invoke isolate join keep label launch lean leave let limit link lint list load locate lock log look loop
    maintain make manage map mark match measure mention merge migrate minimi[sz]e mock modify move name
    navigate normali[sz]e note notify obey offer omit open optimi[sz]e organi[sz]e output override parse
    pass paste perform pick pin place plan point prefer prefix prepare present preserve prevent print
    prioriti[sz]e produce propagate propose protect prove provide publish pull push put quote raise
    re-?run re-?use read rebase rebuild recommend record reduce refactor refer reference refresh refuse
    regenerate register reject release rely remember remove rename render replace report request require
    reserve reset resolve respect respond restart restore restrict retain retry return revert review rewrite
    rotate round run sanitize save scan search select send separate serve set share ship show sign simplify
    skip sort specify split stage start stay stick stop store strip structure submit suggest switch sync
    synchroni[sz]e tag talk target tell test think throw track transform treat trigger trust try turn type
    understand unwrap update upgrade use validate verify version wait walk warn watch wire work wrap write
""")
