"""The index gives every entry the score that BM25 says, whatever was changed before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.bm25 import scores
from remora.entries import bm25
from remora.entries.bm25 import Index, tokens
from remora.entries.postings import EMPTY, Postings, width_of
from tests.entries.reference import naive_scores

WORDS = ["rust", "memory", "lane", "text", "deploy", "größe", "数据库", "the", "x"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
# One change: an id from a small range, and its new text or None for a removal.
CHANGES = st.lists(st.tuples(st.integers(1, 12), st.none() | TEXTS), max_size=40)


def grown(changes: list[tuple[int, str | None]], index: Index) -> tuple[Index, dict[int, str]]:
    """Return the index after changes made one by one, and the texts that should be in it."""
    texts: dict[int, str] = {}
    for id_, text in changes:
        index = index.changed([(id_, texts.get(id_), text)])
        if text is None:
            texts.pop(id_, None)
        else:
            texts[id_] = text
    return index, texts


def agree(index: Index, texts: dict[int, str]) -> None:
    """Assert that the index scores every word of the small language as the reference does."""
    for query in [*WORDS, "rust memory lane", "数据"]:
        assert index.scores(query) == pytest.approx(naive_scores(texts, query), rel=1e-12), query


def test_texts_without_an_index_score_the_same() -> None:
    """Texts that are counted anew, as a conversation's messages are, get the scores of the index."""
    texts = {1: "rust memory lane", 2: "", 3: "rust rust deploy", 4: "text of the lane"}
    counts = [Counter(tokens(text)) for text in texts.values()]
    for query in ("rust lane", "deploy", "memory text rust", "unknown", ""):
        found = dict(zip(texts, scores(counts, tokens(query)), strict=True))
        agree = {id_: score for id_, score in found.items() if score}
        assert Index.of(texts.items()).scores(query) == pytest.approx(agree, rel=1e-12), query


def test_entries_without_words_do_not_count() -> None:
    """An empty entry, or one of function words, changes neither n nor the average length."""
    texts = {1: "rust memory", 2: "rust lane text"}
    more = texts | {3: "", 4: "the of a", 5: "---"}
    assert Index.of(more.items()).scores("rust") == Index.of(texts.items()).scores("rust")


def test_a_word_of_the_query_counts_once() -> None:
    """Words of a query are taken once each, in one order, so the same words give the same bits."""
    index = Index.of([(1, "rust memory"), (2, "lane rust rust")])
    assert index.scores("rust memory rust RUST") == index.scores("memory rust")
    assert index.scores("the of") == index.scores("") == index.scores("unknown") == {}
    assert Index().scores("rust") == {}


@given(CHANGES)
def test_changes_beside_the_lists_score_like_the_reference(changes: list[tuple[int, str | None]]) -> None:
    """Entries that were added, changed and removed after the lists were made count as they are now."""
    index, texts = grown(changes[: len(changes) // 2], Index())
    index = Index(index.lists.merged(index.dead, index.young))
    for id_, text in changes[len(changes) // 2 :]:
        index = index.changed([(id_, texts.get(id_), text)])
        texts.pop(id_, None)
        if text is not None:
            texts[id_] = text
    agree(index, texts)
    agree(Index.decode(b"".join(index.encode())), texts)


@given(CHANGES, CHANGES)
def test_merged_lists_score_like_the_reference(
    first: list[tuple[int, str | None]], second: list[tuple[int, str | None]]
) -> None:
    """A merge keeps every list that it does not touch, and holds nothing of what is gone."""
    index, texts = grown(first, Index())
    lists = EMPTY.merged(index.dead, index.young)
    index, later = Index(lists), dict(texts)
    for id_, text in second:
        index = index.changed([(id_, later.get(id_), text)])
        later.pop(id_, None)
        if text is not None:
            later[id_] = text
    merged = index.lists.merged(index.dead, index.young)
    agree(Index(merged), later)
    again = Index.of(later.items())
    assert set(merged.terms) == {word for _, doc in again._new for word in doc.counts}
    assert set(merged.lengths) == set(again.young)


def test_many_changes_are_merged_by_themselves() -> None:
    """Beside the lists never stand more than `CHANGED` entries, and scores do not care where an entry is."""
    changes: list[tuple[int, str | None]] = [(n % 300 + 1, f"rust word{n % 7} text{n}") for n in range(700)]
    index, texts = grown(changes, Index())
    assert len(index.lists.lengths) > 200
    assert 0 < len(index.young) + len(index.dead) <= bm25.CHANGED
    for query in ("rust", "word3 word5", "text650 rust", "text3"):
        assert index.scores(query) == pytest.approx(naive_scores(texts, query), rel=1e-12)


def test_large_ids_and_counts_fit() -> None:
    """Numbers take as many bytes as they need: ids beyond 32 bits, a word 70,000 times, an id below them."""
    texts = {3: "rust " * 300, 70_000: "rust " * 70_000, 2**33: "rust lane"}
    lists = EMPTY
    for id_, text in texts.items():
        index = Index(lists).changed([(id_, None, text)])
        lists = lists.merged(index.dead, index.young)
    assert [lists.of("rust")[0].itemsize, lists.of("rust")[1].itemsize] == [8, 4]
    assert list(lists.of("rust")[1]) == [300, 70_000, 1]
    assert Index(lists).scores("rust") == pytest.approx(naive_scores(texts, "rust"), rel=1e-12)
    assert [width_of(n) for n in (0, 255, 256, 65_536, 2**32)] == [1, 1, 2, 4, 8]


def test_lists_whose_sizes_do_not_fit_are_refused() -> None:
    """Bytes that are no lists are told from lists before anything is read out of them."""
    sound = (
        Index.of([(1, "rust memory")]).changed([]).lists.merged({}, Index.of([(1, "rust lane")]).young).data
    )
    assert Postings(sound).terms == ["rust", "lane"]
    for wrong in (
        b"",
        sound[:-1],
        sound + b"x",
        sound[:32] + b"\x03" + sound[33:],
        sound.replace(b"\n", b"_"),
    ):
        with pytest.raises(ValueError):
            Postings(wrong)
