"""Degrees of both ends of edges: who is joined to whom, and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .graph import Array, Graph, Node

_EXACT = 2**52  # and twice as much


def added(graph: Graph, rows: Array, values: Array) -> Array:
    """[n] float64: values by rows. Raises NotImplementedError for integers it does not hold."""
    if graph.integral and len(values) and np.abs(values).sum() >= _EXACT:
        raise NotImplementedError("integers whose sums binary64 does not hold")
    return np.bincount(rows, values, len(graph))


def degrees(graph: Graph, weighted: bool = False, kind: str = "in+out") -> Array:
    """[n]: edges of each row, or float64 their weights added up: from it ("out"), to it ("in"), or
    both; an undirected loop counts twice."""
    rows, target, lengths = graph.sources(), graph.out[1], graph.lengths()
    out: Array = added(graph, rows, lengths) if weighted else graph.out_degrees()
    if not graph.directed:
        loop = rows == target
        again = added(graph, rows[loop], lengths[loop]) if weighted else graph.loops
        return out + again
    if kind == "out":
        return out
    into: Array = added(graph, target, lengths) if weighted else graph.in_degrees()
    return into if kind == "in" else out + into


def numbers(graph: Graph, values: Array) -> list[Any]:
    """Ints where all weights are ints."""
    its: list[Any] = (values.astype(np.int64) if graph.integral else values).tolist()
    return its


def _rows(graph: Graph, nodes: Any) -> Array:
    return np.asarray(range(len(graph)) if nodes is None else graph.rows(nodes), dtype=np.int64)


def average_neighbor_degree(
    G: Graph, source: str = "out", target: str = "out", nodes: Any = None, weight: Any = None
) -> dict[Node, float]:
    if G.directed:
        for name, value in (("source", source), ("target", target)):
            if value not in ("in", "out", "in+out"):
                raise nx.NetworkXError(f"{name} argument {value} must be 'in', 'out' or 'in+out'")
    elif source != "out" or target != "out":
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    G, weighted = G.by(weight), weight is not None
    of_target = degrees(G, kind=target)
    total = np.zeros(len(G))
    if "out" in source:
        total += added(G, G.sources(), G.lengths() * of_target[G.out[1]])
    if "in" in source:
        total += added(G, G.out[1], G.lengths() * of_target[G.sources()])
    rows = _rows(G, nodes)
    values = [
        0.0 if degree == 0 else its / degree
        for its, degree in zip(
            numbers(G, total[rows]),
            numbers(G, degrees(G, weighted, source)[rows]),
            strict=True,
        )
    ]
    return dict(zip(G.names(rows), values, strict=True))


def average_degree_connectivity(
    G: Graph,
    source: str = "in+out",
    target: str = "in+out",
    nodes: Any = None,
    weight: Any = None,
) -> dict[int, float]:
    if G.directed:
        for name, value in (("source", source), ("target", target)):
            if value not in ("in", "out", "in+out"):
                raise nx.NetworkXError(f'{name} must be one of "in", "out", or "in+out"')
    elif source != "in+out" or target != "in+out":
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    G, weighted = G.by(weight), weight is not None
    of_target = degrees(G, kind=target)
    from_, to = (G.out[1], G.sources()) if source == "in" else (G.sources(), G.out[1])
    total = added(G, from_, G.lengths() * of_target[to])
    weights = degrees(G, weighted, source)
    rows = _rows(G, [nodes] if nodes in G else nodes)
    degree, first, group = np.unique(
        degrees(G, kind=source)[rows], return_index=True, return_inverse=True
    )
    sums = numbers(G, np.bincount(group, total[rows], len(degree)))
    norms = numbers(G, np.bincount(group, weights[rows], len(degree)))
    return {
        int(degree[i]): sums[i] / norms[i] if norms[i] != 0 else sums[i] or 0
        for i in np.argsort(first).tolist()
    }


def degree_assortativity_coefficient(
    G: Graph, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
) -> float:
    if G.directed:
        for kind in (x, y):
            if kind not in ("in", "out"):
                raise KeyError(kind)
    G, weighted = G.by(weight), weight is not None
    from_, to = G.sources(), G.out[1]
    if nodes is not None:
        chosen = np.zeros(len(G), dtype=bool)
        chosen[_rows(G, nodes)] = True
        both = chosen[from_] & chosen[to]
        from_, to = from_[both], to[both]
    return _correlation(degrees(G, weighted, x)[from_], degrees(G, weighted, y)[to])


def _correlation(x: Array, y: Array) -> float:
    """NaN where either does not vary."""
    if len(x) == 0 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    return float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))


def rich_club_coefficient(
    G: Graph, normalized: bool = True, Q: float = 100, seed: Any = None
) -> dict[int, float]:
    if G.loops.any():
        raise Exception("rich_club_coefficient is not implemented for graphs with self loops.")
    degree = G.out_degrees()
    if len(G.out[1]) == 0:
        return {}
    more = len(G) - np.cumsum(np.bincount(degree))  # nodes of more edges than this
    more = more[more > 1]
    least = np.minimum(degree[G.sources()], degree[G.out[1]])
    rich = (len(least) - np.cumsum(np.bincount(least, minlength=len(more)))) // 2
    return {
        k: 2 * edges / (nodes * (nodes - 1))
        for k, (edges, nodes) in enumerate(
            zip(rich[: len(more)].tolist(), more.tolist(), strict=True)
        )
    }


def _answered(graph: Graph) -> Array:
    """[m]: whether there is an edge back; a loop is its own."""
    rows, target = graph.sources().astype(np.int64), graph.out[1].astype(np.int64)
    n = len(graph)
    return np.isin(rows * n + target, target * n + rows)


def overall_reciprocity(G: Graph) -> float:
    edges = len(G.out[1])
    if edges == 0:
        raise nx.NetworkXError("Not defined for empty graphs")
    return (int(_answered(G).sum()) - int(G.loops.sum())) / edges


def reciprocity(G: Graph, nodes: Any = None) -> Any:
    if nodes is None:
        return overall_reciprocity(G)
    rows = np.asarray([G.row(nodes)] if nodes in G else _rows(G, nodes), dtype=np.int64)
    both = np.bincount(G.sources()[_answered(G)], minlength=len(G))[rows].tolist()
    all_ = degrees(G)[rows].tolist()
    values = [None if n == 0 else 2 * its / n for its, n in zip(both, all_, strict=True)]
    if nodes not in G:
        return dict(zip(G.names(rows), values, strict=True))
    if values[0] is None:
        raise nx.NetworkXError("Not defined for isolated nodes.")
    return values[0]


def number_of_selfloops(G: Graph) -> int:
    return int(G.loops.sum())


def _named(weight: Any, nodes: Any, G: Any) -> bool | str:
    if callable(weight):
        return "weights are computed by a function"
    try:
        return "the degree of one node is no collection" if nodes in G else True
    except TypeError:  # a list
        return True


def _neighbor(
    G: Any, source: Any = "out", target: Any = "out", nodes: Any = None, weight: Any = None
) -> bool | str:
    return _named(weight, nodes, G)


def _connectivity(
    G: Any, source: Any = "", target: Any = "", nodes: Any = None, weight: Any = None
) -> bool | str:
    return _named(weight, None, G)


def _assortativity(
    G: Any, x: Any = "out", y: Any = "in", weight: Any = None, nodes: Any = None
) -> bool | str:
    return _named(weight, nodes, G)


def _rich(G: Any, normalized: Any = True, Q: Any = 100, seed: Any = None) -> bool | str:
    return "it is compared to random graphs" if normalized else True


FUNCTIONS = {
    function.__name__: function
    for function in (
        average_neighbor_degree,
        average_degree_connectivity,
        degree_assortativity_coefficient,
        rich_club_coefficient,
        overall_reciprocity,
        reciprocity,
        number_of_selfloops,
    )
}
REFUSALS: dict[str, Any] = {
    "average_neighbor_degree": _neighbor,
    "average_degree_connectivity": _connectivity,
    "degree_assortativity_coefficient": _assortativity,
    "rich_club_coefficient": _rich,
}
