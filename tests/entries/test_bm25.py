"""The index gives every entry the score that BM25 says, whatever was changed before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.bm25 import scores
from remora.entries.bm25 import Index, tokens
from tests.entries.reference import naive_scores

WORDS = ["rust", "memory", "lane", "text", "deploy", "größe", "数据库", "the", "x", "---"]
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
    for query in [*WORDS, "rust memory rust RUST", "数据", "the of", "unknown"]:
        assert index.scores(query) == pytest.approx(naive_scores(texts, query), rel=1e-12), query


def test_texts_without_an_index_score_the_same() -> None:
    """Texts that are counted anew, as a conversation's messages are, get the scores of the index."""
    texts = {1: "rust memory lane", 2: "", 3: "rust rust deploy", 4: "text of the lane"}
    counts = [Counter(tokens(text)) for text in texts.values()]
    for query in ("rust lane", "deploy", "memory text rust", "unknown", ""):
        found = dict(zip(texts, scores(counts, tokens(query)), strict=True))
        agree = {id_: score for id_, score in found.items() if score}
        assert Index.of(texts.items()).scores(query) == pytest.approx(agree, rel=1e-12), query


@given(CHANGES, st.dictionaries(st.integers(1, 12), st.none() | TEXTS))
def test_changes_score_like_the_reference(
    changes: list[tuple[int, str | None]], then: dict[int, str | None]
) -> None:
    """Entries added, changed and removed count as they are now, one by one or at once, also when read."""
    index, texts = grown(changes, Index())
    one_by_one = index
    for id_, text in then.items():
        one_by_one = one_by_one.changed([(id_, texts.get(id_), text)])
    at_once = index.changed((id_, texts.get(id_), text) for id_, text in then.items())
    assert (at_once.lengths, at_once.lists) == (one_by_one.lengths, one_by_one.lists)
    agree(index, texts)
    agree(Index.decode(index.encode()), texts)
    assert index.lengths == Index.of(texts.items()).lengths
    assert index.lists == Index.of(sorted(texts.items())).lists


def test_large_ids_and_counts_fit() -> None:
    """Ids and counts have 32 bits."""
    texts = {3: "rust " * 300, 70_000: "rust " * 70_000, 2**32 - 1: "rust lane"}
    index = Index.decode(Index.of(texts.items()).encode())
    assert index.scores("rust") == pytest.approx(naive_scores(texts, "rust"), rel=1e-12)


@pytest.mark.parametrize("size", [0, 10, 16, 19, 20, 27, 28, -1])
def test_an_index_that_is_cut_off_is_refused(size: int) -> None:
    """Bytes that are no index are told from one before anything is read out of them."""
    sound = Index.of([(1, "rust memory")]).encode()
    assert set(Index.decode(sound).lists) == {"rust", "memory"}
    assert Index.decode(Index().encode()).lists == {}
    with pytest.raises(ValueError, match="the search index is"):
        Index.decode(sound[:size])
