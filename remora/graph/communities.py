"""Communities of a weighted graph by greedy modularity.

Modularity compares the weight inside groups with its expected value (Newman and Girvan 2004). It is raised
greedily, as in Blondel et al. (2008): each node in turn joins the neighbouring group that gains most, until
none moves; then each group becomes one node, and the process repeats. Nodes are processed in order and ties
go to the lowest group, so the same graph always gives the same groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

PASSES = 20  # over all nodes in one round; a round settles in a few
ROUNDS = 12
_LEAST_GAIN = 1e-12

Neighbours = dict[int, dict[int, float]]


def communities(nodes: Iterable[int], edges: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Return the nodes in groups, the largest first, then by lowest node; each group is sorted.

    Args:
        nodes: every node; one without an edge is a group by itself.
        edges: weight above 0 of each pair; direction does not count, both directions add up, and a
            node's edge to itself is left out.

    >>> communities(range(5), {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0, (3, 4): 1.0})
    [[0, 1, 2], [3, 4]]
    """
    members = {node: [node] for node in sorted(set(nodes))}
    near: Neighbours = {node: {} for node in members}
    for (a, b), weight in sorted(edges.items()):
        if a != b and a in near and b in near and weight > 0.0:
            near[a][b] = near[a].get(b, 0.0) + weight
            near[b][a] = near[b].get(a, 0.0) + weight
    inside = dict.fromkeys(near, 0.0)
    for _ in range(ROUNDS):
        group = _settle(near, inside)
        if len(set(group.values())) == len(near):
            break
        members, near, inside = _merged(group, members, near, inside)
    return sorted((sorted(found) for found in members.values()), key=lambda g: (-len(g), g[0]))


def _settle(near: Neighbours, inside: Mapping[int, float]) -> dict[int, int]:
    """Move nodes between groups until no move raises modularity; returns the group of each node."""
    degree = {node: sum(row.values()) + 2.0 * inside[node] for node, row in near.items()}
    double = sum(degree.values())
    group = {node: node for node in near}
    total = dict(degree)
    if not double:
        return group
    for _ in range(PASSES):
        moved = False
        for node, row in near.items():
            own = group[node]
            share = degree[node] / double
            to: defaultdict[int, float] = defaultdict(float)
            for other, weight in row.items():
                to[group[other]] += weight
            total[own] -= degree[node]
            best, most = own, to.get(own, 0.0) - total[own] * share
            for candidate in sorted(to):
                gain = to[candidate] - total[candidate] * share
                if gain > most + _LEAST_GAIN:
                    best, most = candidate, gain
            total[best] += degree[node]
            if best != own:
                group[node] = best
                moved = True
        if not moved:
            break
    return group


def _merged(
    group: Mapping[int, int],
    members: Mapping[int, list[int]],
    near: Neighbours,
    inside: Mapping[int, float],
) -> tuple[dict[int, list[int]], Neighbours, dict[int, float]]:
    """Merge each group into its lowest node; returns members, edges and inner weights."""
    name: dict[int, int] = {}
    for node in sorted(group):
        name.setdefault(group[node], node)
    of = {node: name[group[node]] for node in group}
    grown: dict[int, list[int]] = {of[node]: [] for node in sorted(group)}
    weights: dict[int, float] = dict.fromkeys(grown, 0.0)
    edges: Neighbours = {node: {} for node in grown}
    for node in sorted(group):
        mine = of[node]
        grown[mine] += members[node]
        weights[mine] += inside[node]
        for other, weight in near[node].items():
            theirs = of[other]
            if theirs == mine:
                weights[mine] += weight / 2.0  # met from both ends
            else:
                edges[mine][theirs] = edges[mine].get(theirs, 0.0) + weight
    return grown, edges, weights
