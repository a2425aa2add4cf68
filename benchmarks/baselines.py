"""What others would rank: the usual ways to guess which files change together, plain BM25, plain vectors.

The co-change baselines are the ones of the literature: how often a file changes at all, how often two
files changed together, the same with a half-life, and association rules ranked by confidence, then
support (ROSE; Zimmermann et al., ICSE 2004). FileCoupling go to the file that changed last, which helps them:
a baseline should be as strong as its idea allows. With one file as antecedent, confidence is the joint
count divided by a constant, so ROSE ranks as frequency does; both are printed to show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import numpy as np

from remora.core.text import any_of, words
from remora.sources.git import Commit
from remora.sources.history import renames

if TYPE_CHECKING:
    from remora.embeddings.embedder import Embedder

HALF_LIFE = 100.0  # commits, for the recency-weighted baseline

Ranker = Callable[[str, int], list[str]]


class Tally:
    """Counts of a history, learned commit by commit; each method ranks the partners of a file.

    Args:
        follow: carry the counts of a renamed file over to its new path.
    """

    def __init__(self, *, follow: bool) -> None:
        self._follow = follow
        self._clock = 0
        self._changes: defaultdict[str, int] = defaultdict(int)
        self._last: dict[str, int] = {}
        self._together: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        self._decayed: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._present: set[str] = set()

    def learn(self, commit: Commit) -> None:
        """Take in one commit, oldest first."""
        moved = renames(commit.files) if self._follow else []
        for old, new in moved:
            self._rename(old, new)
        names = sorted({f.path for f in commit.files} - {old for old, _ in moved})
        # Forward decay: a later commit adds more, instead of all earlier ones losing a little.
        weight = 2.0 ** (self._clock / HALF_LIFE)
        for path in names:
            self._changes[path] += 1
            self._last[path] = self._clock
            for other in names:
                if other != path:
                    self._together[path][other] += 1
                    self._decayed[path][other] += weight
        self._present -= {f.old_path for f in commit.files if f.status == "R" and f.old_path}
        self._present -= {f.path for f in commit.files if f.status == "D"}
        self._present |= {f.path for f in commit.files if f.status != "D"}
        self._clock += 1

    def _rename(self, old: str, new: str) -> None:
        self._changes[new] += self._changes.pop(old, 0)
        if old in self._last:
            self._last[new] = max(self._last.pop(old), self._last.get(new, -1))
        _move(self._together, old, new)
        _move(self._decayed, old, new)

    def popular(self, path: str, k: int) -> list[str]:
        """Return the files that change most, whatever was asked."""
        return self._best(path, {p: (n,) for p, n in self._changes.items()}, k)

    def frequent(self, path: str, k: int) -> list[str]:
        """Return the files that changed most often with one."""
        return self._best(path, {p: (n,) for p, n in self._row(self._together, path).items()}, k)

    def recent(self, path: str, k: int) -> list[str]:
        """Return the same, each commit counting half after `HALF_LIFE` commits."""
        return self._best(path, {p: (n,) for p, n in self._row(self._decayed, path).items()}, k)

    def rose(self, path: str, k: int) -> list[str]:
        """Return the consequents of the rules {path} => {other} by confidence, then support."""
        own = max(1, self._changes.get(path, 0))
        row = self._row(self._together, path)
        return self._best(path, {p: (n / own, n) for p, n in row.items()}, k)

    def filled(self, path: str, k: int) -> list[str]:
        """Return the recency-weighted list, filled up with popular files: the strongest rival here."""
        found = self.recent(path, k)
        return (found + [p for p in self.popular(path, k + len(found)) if p not in found])[:k]

    def _row(self, table: Mapping[str, Mapping[str, float]], path: str) -> Mapping[str, float]:
        return table.get(path, {})

    def _best(self, path: str, scores: Mapping[str, tuple[float, ...]], k: int) -> list[str]:
        known = [p for p in scores if p != path and p in self._present and any(scores[p])]
        known.sort(key=lambda p: (tuple(-s for s in scores[p]), -self._last.get(p, -1), p))
        return known[:k]


def _move(
    table: defaultdict[str, defaultdict[str, int]] | defaultdict[str, defaultdict[str, float]],
    old: str,
    new: str,
) -> None:
    for other, value in table.pop(old, {}).items():
        del table[other][old]
        if other != new:
            table[new][other] += value  # type: ignore[assignment]
            table[other][new] += value  # type: ignore[assignment]


def tally_rankers(tallies: Mapping[str, Tally]) -> dict[str, Ranker]:
    """Return every baseline for each tally, named by method and by what is said of the tally."""
    found: dict[str, Ranker] = {}
    for suffix, tally in tallies.items():
        found[f"popularity{suffix}"] = tally.popular
        found[f"frequency{suffix}"] = tally.frequent
        found[f"recency-weighted{suffix}"] = tally.recent
        found[f"ROSE rules{suffix}"] = tally.rose
        found[f"recency + popularity{suffix}"] = tally.filled
    return found


class PlainBM25:
    """BM25 over bare texts in a table of its own: stemmed words, nothing else. The floor of a search."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._keys: list[str] = []
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize = 'porter unicode61')")
        rows: list[Sequence[object]] = []
        for key, text in texts:
            rows.append((len(self._keys), text))
            self._keys.append(key)
        with self._db:
            self._db.executemany("INSERT INTO plain(rowid, text) VALUES (?, ?)", rows)

    def search(self, query: str, k: int) -> list[str]:
        """Return the keys of the k best texts; a query without words finds nothing."""
        match = any_of(words(query))
        if not match:
            return []
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain), rowid LIMIT ?"
        return [self._keys[int(row[0])] for row in self._db.execute(sql, (match, k))]


class PlainVectors:
    """One vector for each bare text, cut where the model stops reading; the best cosine wins."""

    def __init__(self, embedder: Embedder, texts: Sequence[tuple[str, str]], cache: Path) -> None:
        self._keys = [key for key, _ in texts]
        self._embedder = embedder
        if cache.exists():
            self._matrix = np.load(cache)
        else:
            self._matrix = embedder.embed_documents([text for _, text in texts])
            np.save(cache, self._matrix)

    def search(self, query: str, k: int) -> list[str]:
        """Return the keys of the k nearest texts."""
        scores = self._matrix @ self._embedder.embed_query(query)
        return [self._keys[row] for row in np.argsort(-scores, kind="stable")[:k]]
