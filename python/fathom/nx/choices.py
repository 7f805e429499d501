"""Nodes and edges chosen one after the other: colours, matchings, independent sets, and communities
by the labels of neighbours."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, ValuesView
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.community.quality import NotAPartition

import fathom
from fathom import _core

from .degrees import added, degrees, numbers
from .graph import Array, Graph, Node

_RANDOM = random.random.__self__  # type: ignore[attr-defined]


def _largest_first(graph: Graph) -> Array:
    """Rows, those of most edges first."""
    return np.argsort(-degrees(graph), kind="stable").astype(np.int32)


def greedy_color(
    G: Graph, strategy: Any = "largest_first", interchange: bool = False
) -> dict[Node, int]:
    if strategy == "largest_first":
        order = _largest_first(G)
    else:
        rows = list(range(len(G)))
        random.shuffle(rows)
        order = np.asarray(rows, dtype=np.int32)
    color = _core.greedy_colors(*G.out, order)
    return dict(zip(G.names(order), color[order].tolist(), strict=True))


def maximal_matching(G: Graph) -> set[tuple[Node, Node]]:
    from_, to = _core.matching(*G.out)
    return set(zip(G.names(from_), G.names(to), strict=True))


def maximal_independent_set(G: Graph, nodes: Any = None, seed: Any = None) -> list[Node]:
    if G.loops.any():
        raise NotImplementedError("nodes beside themselves")
    nodes = set(nodes) if nodes else {random.choice(list(G.nodes))}
    if not all(node in G for node in nodes):
        raise nx.NetworkXUnfeasible(f"{nodes} is not a subset of the nodes of G")
    chosen = np.zeros(len(G), dtype=bool)
    chosen[G.rows(nodes)] = True
    rows, target = G.sources(), G.out[1]
    covered = np.zeros(len(G), dtype=bool)
    covered[target[chosen[rows]]] = True
    if (covered & chosen).any():
        raise nx.NetworkXUnfeasible(f"{nodes} is not an independent set of G")
    free = ~(covered | chosen)
    inside = free[rows] & free[target]
    rest = fathom.from_edges(
        source=rows[inside], target=target[inside], vertices=len(G), directed=False
    )
    others = fathom.mis(rest, order="random", seed=random.getrandbits(32)).values == 1
    return [*nodes, *G.names(np.flatnonzero(others & free))]


def label_propagation_communities(G: Graph) -> ValuesView[set[Node]]:
    order = _largest_first(G)
    color = _core.greedy_colors(*G.out, order)
    by_color = np.argsort(color, kind="stable").astype(np.int32)
    communities: dict[int, set[Node]] = defaultdict(set)
    for node, label in zip(G.nodes, _core.propagation(*G.out, by_color).tolist(), strict=True):
        communities[label].add(node)
    return communities.values()


def _labelled(G: Graph) -> Iterator[set[Node]]:
    """By labels that most neighbours have, of every node at last."""
    if len(G) == 0:
        return
    most = 2**32 - 1  # of iterations, after which nearly no graph has others
    found = fathom.cdlp(G.plain(), iterations=most, async_=True, seed=random.getrandbits(32))
    communities: dict[int, set[Node]] = defaultdict(set)
    for node, label in zip(G.nodes, found.values.tolist(), strict=True):
        communities[label].add(node)
    yield from communities.values()


def asyn_lpa_communities(G: Graph, weight: Any = None, seed: Any = None) -> Iterator[set[Node]]:
    return _labelled(G)


def fast_label_propagation_communities(
    G: Graph, *, weight: Any = None, seed: Any = None
) -> Iterator[set[Node]]:
    return _labelled(G)


def modularity(G: Graph, communities: Any, weight: Any = "weight", resolution: float = 1) -> Any:
    communities = [*communities] if not isinstance(communities, list) else communities
    part = np.full(len(G), -1, dtype=np.int64)
    for number, its in enumerate(communities):
        part[G.rows(its)] = number
    if (part < 0).any() or sum(map(len, communities)) != len(G):
        raise NotAPartition(G.original if G.original is not None else G, communities)
    G = G.by(weight)
    rows, target = G.sources(), G.out[1]
    inside = part[rows] == part[target]
    if not G.directed:
        inside &= rows <= target
    edges = _by_part(G, added(G, rows[inside], G.lengths()[inside]), part, len(communities))
    out = _by_part(G, degrees(G, True, "out"), part, len(communities))
    into = _by_part(G, degrees(G, True, "in"), part, len(communities))
    total = sum(out)
    m = total if G.directed else total / 2
    norm = 1 / total**2
    return sum(
        its / m - resolution * from_ * to * norm
        for its, from_, to in zip(edges, out, into, strict=True)
    )


def _by_part(graph: Graph, values: Array, part: Array, parts: int) -> list[Any]:
    return numbers(graph, np.bincount(part, values, parts))


def _greedy(G: Any, strategy: Any = "largest_first", interchange: Any = False) -> bool | str:
    if interchange:
        return "colours are interchanged"
    known = isinstance(strategy, str) and strategy in ("largest_first", "random_sequential")
    return True if known else "the strategy is another"


def _independent(G: Any, nodes: Any = None, seed: Any = None) -> bool | str:
    drawn = seed is not None and seed is not _RANDOM
    return "which nodes are drawn is NetworkX's" if drawn else True


def _asynchronous(G: Any, weight: Any = None, seed: Any = None) -> bool | str:
    if G is not None and G.is_directed():
        return "labels are those of successors alone"
    return _propagated(G, weight=weight, seed=seed)


def _propagated(G: Any, *, weight: Any = None, seed: Any = None) -> bool | str:
    if weight is not None:
        return "labels are counted by weights"
    drawn = seed is not None and seed is not _RANDOM
    return "which labels are drawn is NetworkX's" if drawn else True


def _modularity(
    G: Any, communities: Any, weight: Any = "weight", resolution: Any = 1
) -> bool | str:
    return "weights are computed by a function" if callable(weight) else True


FUNCTIONS = {
    function.__name__: function
    for function in (
        greedy_color,
        maximal_matching,
        maximal_independent_set,
        label_propagation_communities,
        asyn_lpa_communities,
        fast_label_propagation_communities,
        modularity,
    )
}
REFUSALS: dict[str, Any] = {
    "greedy_color": _greedy,
    "maximal_independent_set": _independent,
    "asyn_lpa_communities": _asynchronous,
    "fast_label_propagation_communities": _propagated,
    "modularity": _modularity,
}
