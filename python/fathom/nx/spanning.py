"""Spanning trees of least and of most weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import fathom

from .graph import Graph, Node

_MOST = 1 << 24  # integers that binary32 holds


def _chosen(graph: Graph, maximum: bool) -> Iterator[tuple[Node, Node]]:
    """The edges that Kruskal's algorithm takes, in its order: of equal ones those that come first
    in the graph. Their ranks are weights of which no two are equal."""
    rows, target = graph.sources(), graph.out[1]
    once = rows < target
    rows, target, lengths = rows[once], target[once], graph.lengths()[once]
    if len(rows) >= _MOST:
        raise NotImplementedError("edges whose ranks binary32 does not hold")
    order = np.argsort(-lengths if maximum else lengths, kind="stable")
    rows, target = rows[order], target[order]
    ranked = fathom.from_edges(
        source=rows,
        target=target,
        weight=np.arange(1, len(rows) + 1, dtype=np.float32),
        vertices=len(graph),
        directed=False,
    )
    ranks = np.sort(fathom.msf(ranked).column("weight")).astype(np.int64)
    taken = ranks[ranks > 0] - 1
    return zip(graph.names(rows[taken]), graph.names(target[taken]), strict=True)


def _edges(graph: Graph, maximum: bool, weight: Any, data: bool) -> Iterator[Any]:
    if len(graph) == 0:
        return iter(())
    graph = graph.by(weight)
    pairs = _chosen(graph, maximum)
    if not data:
        return pairs
    if graph.original is not None:
        adjacency = graph.original.adj
        return ((u, v, adjacency[u][v]) for u, v in pairs)
    part = graph.to_networkx().adj
    return ((u, v, part[u][v]) for u, v in pairs)


def minimum_spanning_edges(
    G: Graph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    return _edges(G, False, weight, data)


def maximum_spanning_edges(
    G: Graph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    return _edges(G, True, weight, data)


def _tree(graph: Graph, maximum: bool, weight: Any) -> Any:
    whole = graph.to_networkx()
    tree = whole.__class__()
    tree.graph.update(whole.graph)
    tree.add_nodes_from(whole.nodes.items())
    adjacency = whole.adj
    tree.add_edges_from((u, v, adjacency[u][v]) for u, v in _edges(graph, maximum, weight, False))
    return tree


def minimum_spanning_tree(
    G: Graph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> nx.Graph[Any]:
    return _tree(G, False, weight)


def maximum_spanning_tree(
    G: Graph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> nx.Graph[Any]:
    return _tree(G, True, weight)


def _kruskal(algorithm: Any, weight: Any) -> bool | str:
    if algorithm != "kruskal":
        return "edges come in another algorithm's order"
    return "weights are computed by a function" if callable(weight) else True


def _of_edges(
    G: Any,
    algorithm: Any = "kruskal",
    weight: Any = "weight",
    keys: Any = True,
    data: Any = True,
    ignore_nan: Any = False,
) -> bool | str:
    return _kruskal(algorithm, weight)


def _of_trees(
    G: Any, weight: Any = "weight", algorithm: Any = "kruskal", ignore_nan: Any = False
) -> bool | str:
    if G.is_directed():
        return "a graph of directed edges"
    return _kruskal(algorithm, weight)


FUNCTIONS = {
    function.__name__: function
    for function in (
        minimum_spanning_edges,
        maximum_spanning_edges,
        minimum_spanning_tree,
        maximum_spanning_tree,
    )
}
REFUSALS: dict[str, Any] = {
    "minimum_spanning_edges": _of_edges,
    "maximum_spanning_edges": _of_edges,
    "minimum_spanning_tree": _of_trees,
    "maximum_spanning_tree": _of_trees,
}
