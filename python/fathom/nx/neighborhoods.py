"""How the neighbours of a node are joined: squares, triangles of edges, efficiency."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from fathom import _core

from .graph import Array, Graph


def _rows(graph: Graph, nodes: Any) -> Array:
    """Of one node, of some, or of all."""
    if nodes is None:
        return np.arange(len(graph), dtype=np.int32)
    rows = [graph.row(nodes)] if nodes in graph else graph.rows(nodes)
    return np.asarray(rows, dtype=np.int32)


def square_clustering(G: Graph, nodes: Any = None) -> Any:
    rows = _rows(G, nodes)
    found, possible = _core.squares(*G.out, rows)
    values = [
        its / most if most > 0 else 0
        for its, most in zip(found.tolist(), possible.tolist(), strict=True)
    ]
    return values[0] if nodes in G else dict(zip(G.names(rows), values, strict=True))


def generalized_degree(G: Graph, nodes: Any = None) -> Any:
    rows = _rows(G, nodes)
    of_edges = _core.triangles_of_edges(*G.out, rows)
    loops = of_edges < 0
    ends = np.cumsum(G.out_degrees()[rows] - (G.loops[rows] if loops.any() else 0))
    triangles = of_edges[~loops].tolist()
    values, first = [], 0
    for end in ends.tolist():
        values.append(Counter(triangles[first:end]))
        first = end
    return values[0] if nodes in G else dict(zip(G.names(rows), values, strict=True))


def local_efficiency(G: Graph) -> float:
    values: list[float] = _core.local_efficiencies(*G.out).tolist()
    return sum(values) / len(values)


def _undirected(G: Any, nodes: Any = None) -> bool | str:
    return "directed squares" if G.is_directed() else True


FUNCTIONS = {
    function.__name__: function
    for function in (square_clustering, generalized_degree, local_efficiency)
}
REFUSALS: dict[str, Any] = {"square_clustering": _undirected}
