"""Cue words say what a sentence is about, in several languages."""

from __future__ import annotations

import re

import pytest

from remora.conversation import cue_words


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        (cue_words.DECISION, "We decided to keep SQLite."),
        (cue_words.DECISION, "Wir haben uns für Rust entschieden."),
        (cue_words.DECISION, "On a choisi PostgreSQL."),
        (cue_words.DECISION, "Будем использовать Redis."),
        (cue_words.DECISION, "我们决定用PostgreSQL。"),
        (cue_words.DECISION, "SQLiteを採用します。"),
        (cue_words.RULE, "Don't touch the lock file."),
        (cue_words.RULE, "Bitte nicht committen."),
        (cue_words.RULE, "Il faut toujours des tests."),
        (cue_words.RULE, "Никогда не пиши в main."),
        (cue_words.RULE, "必须写注释。"),
        (cue_words.TROUBLE, "It raised a ValueError."),
        (cue_words.TROUBLE, "Der Test ist fehlgeschlagen."),
        (cue_words.TROUBLE, "编译失败了"),
        (cue_words.FIX, "It works now."),
        (cue_words.FIX, "バグを修正しました"),
        (cue_words.OPEN, "Still missing: the docs."),
        (cue_words.OPEN, "下一步是部署。"),
    ],
)
def test_a_cue_is_found(pattern: re.Pattern[str], sentence: str) -> None:
    """Each kind of sentence is known by a word of its language."""
    assert pattern.search(sentence)


@pytest.mark.parametrize("sentence", ["The mustard is fine.", "It is a nevertheless.", "Undecided weather."])
def test_a_part_of_a_word_is_no_cue(sentence: str) -> None:
    """Cues are words, or beginnings of words, not any letters."""
    assert not cue_words.RULE.search(sentence)
    assert not cue_words.DECISION.search(sentence)


def test_questions_and_assent() -> None:
    """A question ends in a question mark of some script; a word of assent asks for nothing."""
    assert all(map(cue_words.is_question, ("Which one?", "好吗？", 'Did he say "no"?"')))
    assert not cue_words.is_question("What? No.")
    assert all(map(cue_words.is_assent, ("ok", "Yes, go on.", "👍", "好的。", "Danke!")))
    assert not any(map(cue_words.is_assent, ("fix it", "no tabs", "ok, now delete it")))
