"""Shortest paths by weights that may be negative (Bellman and Ford)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from fathom import _core

from .graph import Graph, Node
from .weighted import Length, named_weight, weight_is_int

_CYCLE = "Negative cycle detected."


class _Found:
    """Of all that is reached from a source, in NetworkX's order."""

    def __init__(self, graph: Graph, source: int, early: bool = True) -> None:
        self.graph = graph
        order, self._distance, self._ends, self._before, negative = _core.relaxed(
            *graph.out, graph.lengths(), source, early
        )
        if negative:
            raise nx.NetworkXUnbounded(_CYCLE)
        self.source = source
        self.rows: list[int] = order.tolist()
        self.names = graph.names(order)

    def before(self) -> list[list[int]]:
        """All rows that are as short a way, by order."""
        ends, before = self._ends.tolist(), self._before.tolist()
        return [before[first:end] for first, end in zip([0, *ends], ends, strict=False)]

    def _parents(self) -> dict[int, int]:
        return {v: its[0] for v, its in zip(self.rows, self.before(), strict=True) if its}

    def way_to(self, row: int, parents: dict[int, int] | None = None) -> list[int]:
        """The rows of the path that NetworkX finds."""
        parents = self._parents() if parents is None else parents
        way = [row]
        while way[-1] != self.source:
            way.append(parents[way[-1]])
            if len(way) > len(self.rows):
                raise NotImplementedError("a cycle of weights that add up to 0")
        return way[::-1]

    def paths(self) -> dict[Node, list[Node]]:
        parents = self._parents()
        known: dict[int, list[Node]] = {self.source: [self.graph.nodes[self.source]]}
        for v in self.rows:
            way = [v]
            while way[-1] not in known:
                way.append(parents[way[-1]])
                if len(way) > len(self.rows):
                    raise NotImplementedError("a cycle of weights that add up to 0")
            for u, w in zip(way[-2::-1], way[::-1], strict=False):
                known[u] = [*known[w], self.graph.nodes[u]]
        return dict(zip(self.names, (known[v] for v in self.rows), strict=True))

    def lengths(self) -> list[Length]:
        """By order; ints where all on the way are ints."""
        if self.graph.integral:
            return self._distance.astype(np.int64).tolist()  # type: ignore[no-any-return]
        values: list[Length] = self._distance.tolist()
        if self.graph.mixed:
            parents = self._parents()
            for i, row in enumerate(self.rows):
                way = self.way_to(row, parents)
                if all(map(lambda u, v: weight_is_int(self.graph, u, v), way[:-1], way[1:])):
                    values[i] = int(values[i])
        values[0] = 0
        return values

    def distances(self) -> dict[Node, Length]:
        return dict(zip(self.names, self.lengths(), strict=True))


def _search(graph: Graph, source: Node, weight: Any, message: str = "Source {} not in G") -> _Found:
    row = graph.row(source)
    if row is None:
        raise nx.NodeNotFound(message.format(source))
    return _Found(graph.by(weight), row)


def single_source_bellman_ford(
    G: Graph, source: Node, target: Node = None, weight: Any = "weight"
) -> Any:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return (0, [source])
    found = _search(G, source, weight)
    if target is None:
        return found.distances(), found.paths()
    row = G.row(target)
    if row is None or row not in set(found.rows):
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found.distances()[target], G.names(found.way_to(row))


def single_source_bellman_ford_path(
    G: Graph, source: Node, weight: Any = "weight"
) -> dict[Node, list[Node]]:
    return _search(G, source, weight).paths()


def single_source_bellman_ford_path_length(
    G: Graph, source: Node, weight: Any = "weight"
) -> dict[Node, Length]:
    return _search(G, source, weight).distances()


def bellman_ford_path(G: Graph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    path: list[Node] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


def bellman_ford_path_length(
    G: Graph, source: Node, target: Node, weight: Any = "weight"
) -> Length:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
        return 0
    found = _search(G, source, weight).distances()
    try:
        return found[target]
    except (KeyError, TypeError):
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}") from None


def all_pairs_bellman_ford_path(
    G: Graph, weight: Any = "weight"
) -> Iterator[tuple[Node, dict[Node, list[Node]]]]:
    for node in G.nodes:
        yield node, single_source_bellman_ford_path(G, node, weight)


def all_pairs_bellman_ford_path_length(
    G: Graph, weight: Any = "weight"
) -> Iterator[tuple[Node, dict[Node, Length]]]:
    for node in G.nodes:
        yield node, single_source_bellman_ford_path_length(G, node, weight)


def _loses(graph: Graph) -> bool:
    """Whether a loop has less than nothing."""
    return bool((graph.lengths()[graph.sources() == graph.out[1]] < 0).any())


def bellman_ford_predecessor_and_distance(
    G: Graph,
    source: Node,
    target: Node = None,
    weight: Any = "weight",
    heuristic: bool = False,
) -> tuple[dict[Node, list[Node]], dict[Node, Length]]:
    row = G.row(source)
    if row is None:
        raise nx.NodeNotFound(f"Node {source} is not found in the graph")
    G = G.by(weight)
    if _loses(G):
        raise nx.NetworkXUnbounded(_CYCLE)
    if len(G) == 1:
        return {source: []}, {source: 0}
    found = _Found(G, row, bool(heuristic))
    before = dict(zip(found.names, map(G.names, found.before()), strict=True))
    return before, found.distances()


def negative_edge_cycle(G: Graph, weight: Any = "weight", heuristic: bool = True) -> bool:
    G = G.by(weight)
    lengths = G.lengths()
    if not (lengths < 0).any():
        return False
    if not G.directed or _loses(G):
        return True  # there and back
    return bool(_core.negative_cycle(*G.out, lengths))


_WEIGHT_AT = {
    "single_source_bellman_ford": 3,
    "single_source_bellman_ford_path": 2,
    "single_source_bellman_ford_path_length": 2,
    "bellman_ford_path": 3,
    "bellman_ford_path_length": 3,
    "all_pairs_bellman_ford_path": 1,
    "all_pairs_bellman_ford_path_length": 1,
    "bellman_ford_predecessor_and_distance": 3,
    "negative_edge_cycle": 1,
}
FUNCTIONS = {
    function.__name__: function
    for function in (
        single_source_bellman_ford,
        single_source_bellman_ford_path,
        single_source_bellman_ford_path_length,
        bellman_ford_path,
        bellman_ford_path_length,
        all_pairs_bellman_ford_path,
        all_pairs_bellman_ford_path_length,
        bellman_ford_predecessor_and_distance,
        negative_edge_cycle,
    )
}
REFUSALS: dict[str, Any] = {
    name: functools.partial(named_weight, position) for name, position in _WEIGHT_AT.items()
}
