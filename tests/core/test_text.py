"""Words, names in parts, pairs of CJK signs, queries, cleaning and what must not be merged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core import text as t
from tests.tables import table

ANY = st.text(st.characters(), max_size=60)  # lone surrogates too


# Splitting


@pytest.mark.parametrize("row", table(__file__, "texts"), ids=lambda row: f"{row[0]} of {row[1]}")
def test_what_a_text_is_split_into(row: tuple[str, ...]):
    """Names come apart at capitals, underscores, digits; CJK signs give pairs; questions give terms, once."""
    function, text, *parts = row
    assert getattr(t, function)(text) == parts


def test_index_terms_know_words_beside_cjk_signs():
    """What stands next to CJK signs without a space is a term of its own, whole and in parts."""
    assert t.index_terms("使用getUserById查询JWT") == "get user by id getuserbyid jwt 使用 查询"
    assert t.index_terms("plain words") == ""
    assert t.index_terms("getUser getUser") == "get user"


def test_query_terms_are_few():
    """However long a question is, only so many terms come from its beginning, at once."""
    assert len(t.query_terms(" ".join(f"w{n}x" for n in range(5_000)))) == 48
    assert t.query_terms("a1 " * 10, limit=2) == ["a1", "1"]
    assert t.query_terms("x " * t.MAX_QUERY_CHARS + "last") == ["x"]
    assert t.query_terms("\ud800 token") == ["token"]


@given(ANY)
def test_query_terms_are_lower_case_words(text: str):
    """Terms hold no spaces, quotes or control signs, stand once each, and give the same terms again."""
    terms = t.query_terms(text)
    assert len(terms) == len(set(terms))
    for term in terms:
        assert term
        assert not set(term) & set(" \"'*():^-\x00\n")
    assert all(term == term.strip("_") for term in terms)


# Queries for FTS5


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("jwt", '"jwt"'),
        ('5" disk', '"5"" disk"'),
        ('"', '""""'),
        ("a\x00b", '"a b"'),
        ("half \ud800", '"half \ufffd"'),
        ("", '""'),
    ],
)
def test_quoted(term: str, expected: str):
    """A term becomes one string: its quotes doubled, nothing in it that ends a string early."""
    assert t.quoted(term) == expected


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([], ""),
        (["jwt", "AND"], '"jwt" OR "AND"'),
        (["a", "...", "b"], '"a" OR "b"'),
    ],
)
def test_joined(terms: list[str], expected: str):
    """Terms are joined by OR; those without a word in them do not count."""
    assert t.any_of(terms) == expected


# Cleaning


@pytest.mark.parametrize(
    ("function", "text", "cleaned"),
    [
        (t.clean, "a\x00b\x07c\x1b[31md\x7f", "abcd"),
        (t.clean, "a\u200bb\u202ec\u2066d\ufeff", "abcd"),
        (t.clean, "a\x9b31mb \x9bc", "ab c"),
        (t.clean, "hidden\U000e0041\U000e0042 text", "hidden text"),
        (t.clean, "می\u200cخواهم", "می\u200cخواهم"),
        (t.clean, "👩\u200d💻", "👩\u200d💻"),
        (t.clean, "\x1b]0;a title\x07text", "text"),
        (t.clean, "\x1b]8;;https://example.org/a?b=c\x1b\\link\x1b]8;;\x1b\\", "link"),
        (t.clean, "\x1bP1$r0m\x1b\\a\x1b_hidden\x1b\\b\x1b^x\x1b\\\x1bXy\x1b\\", "ab"),
        (t.clean, "\x1b(B\x1b)0\x1b#8\x1b%G\x1b F\x1b7\x1b=\x1bctext\x1bM", "text"),
        (t.clean, "\x1b]0;title\nof another line\x07", "0;title\nof another line"),
        (t.clean, "cut \x1b[31", "cut "),
        (t.clean, "\x1b\x1b[31mred\x1b", "red"),
        (t.clean, "\x1b - a list", " - a list"),
        (t.clean, "“quoted” as read wrongly: â\x80\x9dtext\x9c", "“quoted” as read wrongly: âtext"),
        (t.safe, "a\x1b[31mb\x9bc\u202ed\n\té", "abcd\n\té"),
        (t.safe, "paid\rfree", "paid\nfree"),
        (t.safe, "pass\xadword\u206a\ufff9", "password"),
        (t.safe, "\u2764\ufe0f ok", "\u2764\ufe0f ok"),
        (t.safe, "x\U000e0131\U000e0142\ufe0fy", "x\U000e0131y"),
    ],
)
def test_signs_that_nobody_sees_are_taken_out(function: Callable[[str], str], text: str, cleaned: str):
    """Whole sequences and invisible signs go, joiners in words stay; what is safe overwrites nothing."""
    assert function(text) == cleaned


COLOURS = "\x1b[31m \x1b[m \x1b[?1049h \x1b[1;2!p \x9b31m"
STRINGS = "\x1b]0;t\x07 \x1b]8;;u\x1b\\ \x1b]1;x\x9c \x1bP0q\x1b\\"
SEQUENCES = st.sampled_from([*COLOURS.split(), *STRINGS.split(), "\x1b(B", "\x1bc", "\x1b7"])
UNCONTROLLED = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=8)


@given(st.lists(st.tuples(UNCONTROLLED, SEQUENCES), max_size=6), UNCONTROLLED)
def test_only_the_text_between_sequences_stays(pairs: list[tuple[str, str]], end: str):
    """Nothing of a sequence is left, and nothing of the text around it is taken."""
    text = "".join(part for pair in pairs for part in pair) + end
    assert t.clean(text) == t.clean("".join(plain for plain, _ in pairs) + end)


@given(ANY | st.text("aé\u200c\u200d\u200b\x00") | st.text("\x1b\x9b\x9c\x07\\[]P(0;1 m\nx"))
def test_cleaning_twice_changes_nothing(text: str):
    """A cleaned text is clean, and only shorter than it was."""
    cleaned = t.clean(text)
    assert t.clean(cleaned) == cleaned
    assert len(cleaned) <= len(text)
    assert t.controls(cleaned) == 0


@pytest.mark.parametrize(
    ("text", "expected"), [("\ud83d\ude00", "😀"), ("a\ud83d", "a\ufffd"), ("\ude00b", "\ufffdb"), ("", "")]
)
def test_sound(text: str, expected: str):
    """Two halves of a sign are joined, a lone half is replaced, everything else stays."""
    assert t.sound(text) == expected


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three four", 12, "one two…"),
        ("abcdefghij", 5, "abcd…"),
        ("a bcdefghij", 8, "a bcdef…"),
        ("word, more words", 6, "word…"),
    ],
)
def test_shorten(text: str, limit: int, short: str):
    """A text is cut at a word where one ends in the second half, else in the middle, with an ellipsis."""
    assert t.shorten(text, limit) == short


@given(ANY, st.integers(1, 40))
def test_shortened_texts_fit(text: str, limit: int):
    """A shortened text is one line that fits."""
    short = t.shorten(text, limit)
    assert len(short) <= limit
    assert "\n" not in short


def test_content_hash_sees_words_only():
    """Case and white space make no other text; anything else does, and any text has a hash."""
    assert t.content_hash("Use  Redis\n") == t.content_hash(" use redis")
    assert t.content_hash("Straße") == t.content_hash("STRASSE")
    assert t.content_hash("use redis") != t.content_hash("use redis!")
    assert len(t.content_hash("half \ud800")) == 64


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("", "", 1.0), ("a", "", 0.0), ("ab", "ab", 1.0), ("abc", "bcd", 0.5), ("a", "b", 0.0)],
)
def test_jaccard(a: str, b: str, expected: float):
    """The share of common members; two empty sets are the same."""
    assert t.jaccard(frozenset(a), frozenset(b)) == expected
    assert t.jaccard(frozenset(b), frozenset(a)) == expected


@pytest.mark.parametrize(("expected", "first", "second"), table(__file__, "salient"))
def test_salient_tells_apart(expected: str, first: str, second: str):
    """A number, its sign, a name, a path, a negation or a comparison makes another statement; style no."""
    assert (t.salient(first) == t.salient(second)) is (expected == "same")
