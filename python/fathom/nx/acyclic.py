"""Directed acyclic graphs: topological orders and longest paths."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import networkx as nx

from fathom import _core

from .graph import Array, Graph, Node

_CYCLE = "Graph contains a cycle or graph changed during iteration"


def topological_generations(G: Graph) -> Iterator[list[Node]]:
    if not G.directed:
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    order, ends = _core.generations(*G.out)
    nodes = G.names(order)
    first = 0
    for end in ends.tolist():
        generation = nodes[first:end]
        if G.original is not None:
            _refuse_changes(G, generation, order[first:end])
        yield generation
        first = end
    if len(nodes) < len(G):
        raise nx.NetworkXUnfeasible(_CYCLE)


def _refuse_changes(graph: Graph, generation: list[Node], rows: Array) -> None:
    """What came to the graph since, or went, while generations were taken."""
    adjacency, offset = graph.original._adj, graph.out[0]
    known = (offset[rows + 1] - offset[rows]).tolist()
    for node, count in zip(generation, known, strict=True):
        if node not in adjacency or len(adjacency[node]) > count:
            raise RuntimeError("Graph changed during iteration")
        if len(adjacency[node]) < count:
            raise nx.NetworkXUnfeasible(_CYCLE)


def topological_sort(G: Graph) -> Iterator[Node]:
    for generation in topological_generations(G):
        yield from generation


def _longest(graph: Graph) -> list[Node]:
    if len(graph) == 0:
        return []
    order = _core.generations(*graph.out)[0]
    if len(order) < len(graph):
        raise nx.NetworkXUnfeasible(_CYCLE)
    return graph.names(_core.longest_path(*graph.in_, graph.in_lengths(), order))


def dag_longest_path(
    G: Graph, weight: Any = "weight", default_weight: Any = 1, topo_order: Any = None
) -> list[Node]:
    return _longest(G.by(weight, default_weight))


def dag_longest_path_length(G: Graph, weight: Any = "weight", default_weight: Any = 1) -> Any:
    G = G.by(weight, default_weight)
    path = _longest(G)
    if G.original is not None:
        adjacency = G.original.adj
        return sum(adjacency[u][v].get(weight, default_weight) for u, v in itertools.pairwise(path))
    total: Any = 0
    for u, v in itertools.pairwise(map(G.row, path)):
        assert u is not None
        its = slice(G.out[0][u], G.out[0][u + 1])
        length = G.lengths()[its][G.out[1][its] == v].item()
        total += int(length) if G.integral else length
    return total


def _longest_refusal(
    G: Any, weight: Any = "weight", default_weight: Any = 1, topo_order: Any = None
) -> bool | str:
    if topo_order is not None:
        return "the order is given"
    if G.is_multigraph():
        return "of parallel edges the longest counts"
    if default_weight != 1 and (weight is None or not isinstance(G, nx.Graph)):
        return "all edges have the default weight"
    return "weights are computed by a function" if callable(weight) else True


FUNCTIONS = {
    function.__name__: function
    for function in (
        topological_generations,
        topological_sort,
        dag_longest_path,
        dag_longest_path_length,
    )
}
REFUSALS: dict[str, Any] = {
    "dag_longest_path": _longest_refusal,
    "dag_longest_path_length": _longest_refusal,
}
