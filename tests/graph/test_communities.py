"""Groups of what is connected."""

from __future__ import annotations

import random
import time
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from remora.graph.communities import communities


def clique(nodes: list[int], weight: float = 1.0) -> dict[tuple[int, int], float]:
    """Return an edge between every two nodes."""
    return dict.fromkeys(combinations(nodes, 2), weight)


def modularity(groups: list[list[int]], edges: dict[tuple[int, int], float]) -> float:
    """Return Newman's modularity of a division, straight from its definition."""
    of = {node: number for number, group in enumerate(groups) for node in group}
    total = sum(edges.values())
    inside = sum(w for (a, b), w in edges.items() if of[a] == of[b]) / total
    degree = [0.0] * len(groups)
    for (a, b), weight in edges.items():
        degree[of[a]] += weight
        degree[of[b]] += weight
    return inside - sum((d / (2.0 * total)) ** 2 for d in degree)


def test_two_cliques_with_a_bridge() -> None:
    """A single edge does not join two dense groups."""
    edges = {**clique([0, 1, 2, 3]), **clique([4, 5, 6, 7, 8]), (3, 4): 1.0}
    assert communities(range(9), edges) == [[4, 5, 6, 7, 8], [0, 1, 2, 3]]


def test_a_hub_does_not_swallow_all() -> None:
    """A file that everything uses leaves the groups apart that use each other."""
    groups = [list(range(n, n + 5)) for n in (1, 6, 11, 16)]
    edges = {pair: w for group in groups for pair, w in clique(group, 3.0).items()}
    edges |= {(0, node): 1.0 for node in range(1, 21)}
    found = communities(range(21), edges)
    assert len(found) == 4
    assert all(any(set(group) <= set(one) for one in found) for group in groups)


def test_weights_decide() -> None:
    """In a ring, heavy edges hold their ends together."""
    edges = {(0, 1): 9.0, (1, 2): 1.0, (2, 3): 9.0, (3, 4): 1.0, (4, 5): 9.0, (5, 0): 1.0}
    assert communities(range(6), edges) == [[0, 1], [2, 3], [4, 5]]


def test_direction_and_order_do_not_count() -> None:
    """Both directions add up, and the order in which edges are given changes nothing."""
    one = {(0, 1): 2.0, (2, 3): 2.0, (1, 2): 1.0}
    other = {(2, 1): 0.5, (3, 2): 2.0, (1, 2): 0.5, (1, 0): 1.0, (0, 1): 1.0}
    assert communities(range(4), one) == communities([3, 1, 2, 0], other) == [[0, 1], [2, 3]]


def test_nothing_and_alone() -> None:
    """Without edges everything stands alone; without nodes there is nothing; loops say nothing."""
    assert communities([], {}) == []
    assert communities([7, 3], {(3, 3): 5.0}) == [[3], [7]]
    assert communities([1, 2], {(1, 9): 1.0}) == [[1], [2]]


@given(st.dictionaries(st.tuples(st.integers(0, 12), st.integers(0, 12)), st.floats(0.1, 9.0), max_size=40))
def test_every_node_is_in_one_group(edges: dict[tuple[int, int], float]) -> None:
    """The groups are a partition, and no worse than leaving every node alone."""
    found = communities(range(13), edges)
    assert sorted(node for group in found for node in group) == list(range(13))
    assert found == communities(range(13), dict(reversed(edges.items())))
    real = {pair: w for pair, w in edges.items() if pair[0] != pair[1]}
    if real:
        alone = [[n] for n in range(13)]
        assert modularity(found, real) >= modularity(alone, real) - 1e-9


def test_a_large_graph_is_quick() -> None:
    """1,500 nodes with 15,000 edges in planted groups take a fraction of a second and are found."""
    chance = random.Random(7)
    edges: dict[tuple[int, int], float] = {}
    while len(edges) < 15_000:
        group = chance.randrange(30) * 50
        a = group + chance.randrange(50)
        b = group + chance.randrange(50) if chance.random() < 0.8 else chance.randrange(1_500)
        if a != b:
            edges[a, b] = 1.0
    started = time.perf_counter()
    found = communities(range(1_500), edges)
    assert time.perf_counter() - started < 2.0
    assert len(found) == 30
    assert {len(group) for group in found} == {50}
