"""Cue words say what a sentence is about, in several languages."""

from __future__ import annotations

import re

import pytest

from remora.conversation import cues


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        (cues.DECISION, "We decided to keep SQLite."),
        (cues.DECISION, "Wir haben uns für Rust entschieden."),
        (cues.DECISION, "On a choisi PostgreSQL."),
        (cues.DECISION, "Будем использовать Redis."),
        (cues.DECISION, "我们决定用PostgreSQL。"),
        (cues.DECISION, "SQLiteを採用します。"),
        (cues.RULE, "Don't touch the lock file."),
        (cues.RULE, "Bitte nicht committen."),
        (cues.RULE, "Il faut toujours des tests."),
        (cues.RULE, "Никогда не пиши в main."),
        (cues.RULE, "必须写注释。"),
        (cues.TROUBLE, "It raised a ValueError."),
        (cues.TROUBLE, "Der Test ist fehlgeschlagen."),
        (cues.TROUBLE, "编译失败了"),
        (cues.FIX, "It works now."),
        (cues.FIX, "バグを修正しました"),
        (cues.OPEN, "Still missing: the docs."),
        (cues.OPEN, "下一步是部署。"),
    ],
)
def test_a_cue_is_found(pattern: re.Pattern[str], sentence: str) -> None:
    """Each kind of sentence is known by a word of its language."""
    assert pattern.search(sentence)


@pytest.mark.parametrize("sentence", ["The mustard is fine.", "It is a nevertheless.", "Undecided weather."])
def test_a_part_of_a_word_is_no_cue(sentence: str) -> None:
    """Cues are words, or beginnings of words, not any letters."""
    assert not cues.RULE.search(sentence)
    assert not cues.DECISION.search(sentence)


def test_questions_and_assent() -> None:
    """A question ends in a question mark of some script; a word of assent asks for nothing."""
    assert all(map(cues.is_question, ("Which one?", "好吗？", 'Did he say "no"?"')))
    assert not cues.is_question("What? No.")
    assert all(map(cues.is_assent, ("ok", "Yes, go on.", "👍", "好的。", "Danke!")))
    assert not any(map(cues.is_assent, ("fix it", "no tabs", "ok, now delete it")))
