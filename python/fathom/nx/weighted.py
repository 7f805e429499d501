"""Shortest paths by weights in double (Dijkstra), and the functions that choose a way by weight."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from fathom import _core

from . import searches
from .graph import Graph, Node

Length = int | float
_BY_DISTANCE = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 6)


def weight_is_int(graph: Graph, *ends: int) -> bool:
    """Whether the weight of an edge between rows is an int, among others that are not."""
    if not graph.mixed or graph.original is None:
        return False
    u, v = graph.names(ends)
    assert graph.weight is not None
    name, default = graph.weight
    data = graph.original.adj[u][v]
    several = data.values() if graph.multigraph else [data]
    return isinstance(min(its.get(name, default) for its in several), int | np.integer)


class Found:
    """What a search by weights found, from `sources`."""

    def __init__(
        self,
        graph: Graph,
        sources: list[int],
        cutoff: float | None = None,
        goal: int = -1,
        reverse: bool = False,
    ) -> None:
        lists = graph.in_ if reverse else graph.out
        lengths = graph.in_lengths() if reverse else graph.lengths()
        limit = math.inf if cutoff is None else float(cutoff)
        if len(sources) > 1 and (lengths < 0).any():
            raise NotImplementedError("negative weights and several sources")
        self.graph = graph
        self.sources = sources
        self.reverse = reverse
        self.order, self.distance, self.parent, self.seen, wrong = _core.nearest(
            *lists, lengths, sources, limit, goal
        )
        if wrong:
            raise ValueError("Contradictory paths found:", "negative weights?")

    def lengths(self) -> list[Length]:
        """By the order, as NetworkX adds them: ints where all on the way are ints."""
        values: list[Length]
        if self.graph.integral:
            return self.distance.astype(np.int64).tolist()  # type: ignore[no-any-return]
        values = self.distance.tolist()
        whole: dict[int, bool] = {}
        for i, (v, parent) in enumerate(
            zip(self.order.tolist(), self.parent.tolist(), strict=True)
        ):
            whole[v] = parent < 0 or (whole[parent] and self._is_int(parent, v))
            if whole[v]:
                values[i] = int(values[i])
        return values

    def _is_int(self, parent: int, v: int) -> bool:
        """Whether the weight between them is an int, among others that are not."""
        return weight_is_int(self.graph, *((v, parent) if self.reverse else (parent, v)))

    def distances(self) -> dict[Node, Length]:
        return dict(zip(self.graph.names(self.order), self.lengths(), strict=True))

    def paths(self) -> dict[Node, list[Node]]:
        """Sources first. Then in the order of distances, as NetworkX has them from 3.6 on; before
        in the order in which nodes were first seen."""
        names = self.graph.nodes
        by_row: dict[int, list[Node]] = {}
        for v, parent in zip(self.order.tolist(), self.parent.tolist(), strict=True):
            by_row[v] = [*by_row[parent], names[v]] if parent >= 0 else [names[v]]
        found = {names[v]: by_row[v] for v in self.sources if v in by_row}
        rest = self.order if _BY_DISTANCE else self.seen
        found.update({names[v]: by_row[v] for v in rest.tolist() if v in by_row})
        return found

    def to(self, goal: int) -> tuple[Length, list[Node]] | None:
        at = np.flatnonzero(self.order == goal)
        if len(at) == 0:
            return None
        parent = dict(zip(self.order.tolist(), self.parent.tolist(), strict=True))
        path = [goal]
        while parent[path[-1]] >= 0:
            path.append(parent[path[-1]])
        return self.lengths()[int(at[0])], self.graph.names(path[::-1])


def _rows(graph: Graph, nodes: Iterable[Node]) -> list[int]:
    return [searches.known(graph, node, f"Node {node} not found in graph") for node in nodes]


def multi_source_dijkstra(
    G: Graph, sources: Any, target: Node = None, cutoff: float | None = None, weight: Any = "weight"
) -> Any:
    if not sources:
        raise ValueError("sources must not be empty")
    G = G.by(weight)
    rows = _rows(G, sources)
    if target in sources:
        return (0, [target])
    if target is None:
        found = Found(G, rows, cutoff)
        return found.distances(), found.paths()
    goal = G.row(target)
    answer = None if goal is None else Found(G, rows, cutoff, goal).to(goal)
    if answer is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return answer


def single_source_dijkstra(
    G: Graph,
    source: Node,
    target: Node = None,
    cutoff: float | None = None,
    weight: Any = "weight",
) -> Any:
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def multi_source_dijkstra_path(
    G: Graph, sources: Any, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Node, list[Node]]:
    paths: dict[Node, list[Node]] = multi_source_dijkstra(G, sources, None, cutoff, weight)[1]
    return paths


def multi_source_dijkstra_path_length(
    G: Graph, sources: Any, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Node, Length]:
    if not sources:
        raise ValueError("sources must not be empty")
    return Found(G.by(weight), _rows(G, sources), cutoff).distances()


def single_source_dijkstra_path(
    G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Node, list[Node]]:
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(
    G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Node, Length]:
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def dijkstra_path(G: Graph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    path: list[Node] = single_source_dijkstra(G, source, target, None, weight)[1]
    return path


def dijkstra_path_length(G: Graph, source: Node, target: Node, weight: Any = "weight") -> Length:
    [row] = _rows(G, [source])
    if source == target:
        return 0
    goal = G.row(target)
    found = None if goal is None else Found(G.by(weight), [row], None, goal).to(goal)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]


def dijkstra_predecessor_and_distance(
    G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight"
) -> tuple[dict[Node, list[Node]], dict[Node, Length]]:
    G = G.by(weight)
    found = Found(G, _rows(G, [source]), cutoff)
    names, (offset, target), lengths = G.nodes, G.out, G.lengths()
    best = np.full(len(G), np.inf)
    best[found.order] = found.distance
    before: dict[int, list[Node]] = {row: [] for row in found.seen.tolist()}
    for v, distance in zip(found.order.tolist(), found.distance.tolist(), strict=True):
        its = slice(offset[v], offset[v + 1])
        tight = distance + lengths[its] == best[target[its]]
        for w in target[its][tight].tolist():
            before[w].append(names[v])
    return {names[row]: its for row, its in before.items()}, found.distances()


def all_pairs_dijkstra(
    G: Graph, cutoff: float | None = None, weight: Any = "weight"
) -> Iterator[tuple[Node, Any]]:
    G = G.by(weight)
    for row, node in enumerate(G.nodes):
        found = Found(G, [row], cutoff)
        yield node, (found.distances(), found.paths())


def all_pairs_dijkstra_path(
    G: Graph, cutoff: float | None = None, weight: Any = "weight"
) -> Iterator[tuple[Node, dict[Node, list[Node]]]]:
    G = G.by(weight)
    for row, node in enumerate(G.nodes):
        yield node, Found(G, [row], cutoff).paths()


def all_pairs_dijkstra_path_length(
    G: Graph, cutoff: float | None = None, weight: Any = "weight"
) -> Iterator[tuple[Node, dict[Node, Length]]]:
    G = G.by(weight)
    for row, node in enumerate(G.nodes):
        yield node, Found(G, [row], cutoff).distances()


def bidirectional_dijkstra(
    G: Graph, source: Node, target: Node, weight: Any = "weight"
) -> tuple[Length, list[Node]]:
    s = searches.known(G, source, f"Source {source} is not in G")
    t = searches.known(G, target, f"Target {target} is not in G")
    if s == t:
        return (0, [source])
    G = G.by(weight)
    path, length, wrong = _core.nearest_path(*G.out, G.lengths(), *G.in_, G.in_lengths(), s, t)
    if wrong:
        raise ValueError("Contradictory paths found: negative weights?")
    if len(path) == 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    rows = path.tolist() if isinstance(path, np.ndarray) else path
    whole = G.integral or all(weight_is_int(G, u, v) for u, v in itertools.pairwise(rows))
    return (int(length) if whole else length), G.names(path)


def shortest_path(
    G: Graph,
    source: Node = None,
    target: Node = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    if source is None and target is None:
        return all_pairs_shortest_path_of(G, weight)
    if target is None:
        if weight is None:
            return searches.single_source_shortest_path(G, source)
        return single_source_dijkstra_path(G, source, None, weight)
    if source is None:
        if weight is None:
            return searches.single_target_shortest_path(G, target)
        found = Found(G.by(weight), _rows(G, [target]), reverse=G.directed)
        return {node: path[::-1] for node, path in found.paths().items()}
    if weight is None:
        return searches.bidirectional_shortest_path(G, source, target)
    return bidirectional_dijkstra(G, source, target, weight)[1]


def all_pairs_shortest_path_of(G: Graph, weight: Any) -> Iterator[Any]:
    if weight is None:
        return searches.all_pairs_shortest_path(G)
    return all_pairs_dijkstra_path(G, None, weight)


def shortest_path_length(
    G: Graph,
    source: Node = None,
    target: Node = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    if source is None and target is None:
        if weight is None:
            return searches.all_pairs_shortest_path_length(G)
        return all_pairs_dijkstra_path_length(G, None, weight)
    if target is None:
        if weight is None:
            return searches.single_source_shortest_path_length(G, source)
        return single_source_dijkstra_path_length(G, source, None, weight)
    if source is None:
        if weight is None:
            return searches.single_target_shortest_path_length(G, target)
        return Found(G.by(weight), _rows(G, [target]), reverse=G.directed).distances()
    if weight is None:
        return len(searches.bidirectional_shortest_path(G, source, target)) - 1
    return dijkstra_path_length(G, source, target, weight)


def voronoi_cells(G: Graph, center_nodes: Any, weight: Any = "weight") -> dict[Node, set[Node]]:
    paths = multi_source_dijkstra_path(G, center_nodes, None, weight)
    cells: dict[Node, set[Node]] = {}
    for node, path in paths.items():
        cells.setdefault(path[0], set()).add(node)
    unreachable = set(G.nodes) - set(paths)
    if unreachable:
        cells["unreachable"] = unreachable
    return cells


FUNCTIONS = {
    function.__name__: function
    for function in (
        multi_source_dijkstra,
        single_source_dijkstra,
        multi_source_dijkstra_path,
        multi_source_dijkstra_path_length,
        single_source_dijkstra_path,
        single_source_dijkstra_path_length,
        dijkstra_path,
        dijkstra_path_length,
        dijkstra_predecessor_and_distance,
        all_pairs_dijkstra,
        all_pairs_dijkstra_path,
        all_pairs_dijkstra_path_length,
        bidirectional_dijkstra,
        shortest_path,
        shortest_path_length,
        voronoi_cells,
    )
}

_WEIGHT_AT = {
    "multi_source_dijkstra": 4,
    "single_source_dijkstra": 4,
    "dijkstra_path": 3,
    "dijkstra_path_length": 3,
    "bidirectional_dijkstra": 3,
    "dijkstra_predecessor_and_distance": 3,
    "multi_source_dijkstra_path": 3,
    "multi_source_dijkstra_path_length": 3,
    "single_source_dijkstra_path": 3,
    "single_source_dijkstra_path_length": 3,
    "all_pairs_dijkstra": 2,
    "all_pairs_dijkstra_path": 2,
    "all_pairs_dijkstra_path_length": 2,
    "shortest_path": 3,
    "shortest_path_length": 3,
    "voronoi_cells": 2,
}


def named_weight(position: int, *args: Any, **kwargs: Any) -> bool | str:
    """A weight that is an attribute's name, or none."""
    weight = args[position] if len(args) > position else kwargs.get("weight")
    if callable(weight):
        return "weights are computed by a function"
    return True


def _dijkstra(name: str) -> Any:
    position = _WEIGHT_AT[name]

    def refusal(*args: Any, **kwargs: Any) -> bool | str:
        method = args[4] if len(args) > 4 and position == 3 else kwargs.get("method", "dijkstra")
        if name.startswith("shortest_path") and method not in ("dijkstra", "unweighted"):
            return f"the method is {method}"
        return named_weight(position, *args, **kwargs)

    return refusal


REFUSALS: dict[str, Any] = {name: _dijkstra(name) for name in FUNCTIONS}
