"""PageRank, harmonic, closeness and degree centrality, betweenness; triangles and clustering."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

import fathom

from . import distances
from .graph import Array, Graph, Node


def _by_node(graph: Graph, values: Array) -> dict[Node, Any]:
    return dict(zip(graph.nodes, values.tolist(), strict=True))


# Weights between this and its inverse are rounded to binary32 as they are.
_LEAST = 1e-30
_SCALES_SOURCES = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 6)


def pagerank(
    G: Graph,
    alpha: float = 0.85,
    personalization: dict[Node, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> dict[Node, float]:
    n = len(G)
    if n == 0:
        return {}
    G = G.by(weight)
    weighted = weight is not None and G.weights is not None
    if weighted:
        assert G.weights is not None
        if not (G.weights >= 0).all() or not np.isfinite(G.weights).all():
            raise NotImplementedError("weights that are negative or infinite")
    masses = None
    if personalization is not None:
        masses = _masses(G, personalization)
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    graph = G.plain()
    if weighted:
        assert G.weights is not None
        narrow = (
            G.weights[G.weights > 0].min(initial=1) > _LEAST
            and G.weights.max(initial=0) < 1 / _LEAST
        )
        graph = G.weighted() if narrow else G.by_proportion()
    try:
        result = fathom.pagerank(
            graph,
            alpha=alpha,
            tol=tol,
            max_iter=max_iter,
            personalization=masses,
            weighted=weighted and graph.weighted,
            compat="networkx",
        )
    except fathom.NotConvergedError:
        raise nx.PowerIterationFailedConvergence(max_iter) from None
    except fathom.UsageError as error:
        raise NotImplementedError(str(error)) from None
    return _by_node(G, result.values)


def _masses(graph: Graph, personalization: dict[Node, float]) -> Array:
    masses = np.zeros(len(graph))
    for row, node in enumerate(graph.nodes):
        masses[row] = personalization.get(node, 0)
    if masses.sum() == 0:
        raise ZeroDivisionError
    if not (masses >= 0).all() or not np.isfinite(masses).all():
        raise NotImplementedError("personalization that is negative or infinite")
    return masses


def betweenness_centrality(
    G: Graph,
    k: int | None = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Node, float]:
    n = len(G)
    if n == 0:
        return {}
    graph = _of_paths(G.by(weight))
    if k is None or k == n:
        result = fathom.bc(graph, normalized=normalized and n > 2, weighted=graph.weighted)
        return _by_node(G, result.values)
    drawn = seed.sample(range(n), k)
    if k == 0:
        raise ZeroDivisionError
    result = fathom.bc(
        graph, source=_labels(graph, drawn), normalized=False, weighted=graph.weighted
    )
    return _by_node(G, _scaled(result.values * (k / n), n, drawn, G.directed, normalized))


def betweenness_centrality_subset(
    G: Graph, sources: Any, targets: Any, normalized: bool = False, weight: Any = None
) -> dict[Node, float]:
    n = len(G)
    from_ = []
    for node in sources:
        row = G.index.get(node)
        if row is None:
            raise KeyError(node)
        from_.append(row)
    if not from_:
        return dict.fromkeys(G.nodes, 0.0)
    to = [row for row in map(G.index.get, set(targets)) if row is not None]
    if not to:
        return dict.fromkeys(G.nodes, 0.0)
    graph = _of_paths(G.by(weight))
    result = fathom.bc(
        graph,
        source=_labels(graph, from_),
        target=_labels(graph, to),
        normalized=normalized and n > 2,
        weighted=graph.weighted,
    )
    return _by_node(G, result.values)


def edge_betweenness_centrality(
    G: Graph, k: int | None = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> dict[tuple[Node, Node], float]:
    n = len(G)
    drawn = None if k is None else seed.sample(range(n), k)
    if n == 0:
        return {}
    from_, to = G.sources(), G.out[1]
    if not G.directed:  # NetworkX names the end that it comes to first
        first = from_ <= to
        from_, to = from_[first], to[first]
    edges = list(zip(G.names(from_), G.names(to), strict=True))
    if n == 1:
        return dict.fromkeys(edges, 0.0)
    if k == 0:
        raise ZeroDivisionError
    graph = _of_paths(G.by(weight))
    result = fathom.edge_bc(
        graph,
        source=None if drawn is None else _labels(graph, drawn),
        normalized=normalized,
        weighted=graph.weighted,
    )
    values = np.empty(len(edges))
    values[np.lexsort((to, from_))] = result.values  # rows are in the order of both ends
    return dict(zip(edges, values.tolist(), strict=True))


def _labels(graph: fathom.Graph, rows: list[int]) -> list[Any]:
    return [graph.label(row) for row in rows]


def _of_paths(graph: Graph) -> fathom.Graph:
    """Raises NotImplementedError where other paths would be shortest."""
    if graph.weights is None:
        return graph.plain()
    if (graph.weights <= 0).any() or (graph.weights.astype(np.float32) != graph.weights).any():
        raise NotImplementedError("weights that are not above 0, or that binary32 does not hold")
    return graph.weighted()


def _scaled(values: Array, n: int, drawn: list[int], directed: bool, normalized: bool) -> Array:
    """What was counted from some nodes, for all; one of these is no source of its own paths."""
    if n < 3:
        return values
    of_pairs = (2 - directed) / (n - 2) if normalized else n - 1
    scale = np.full(n, of_pairs / len(drawn))
    scale[drawn] = of_pairs / (len(drawn) - 1) if len(drawn) > 1 else np.nan
    scaled: Array = values * scale
    return scaled


def harmonic_centrality(
    G: Graph, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Node, float]:
    if nbunch is not None:
        rows = [G.row(nbunch)] if nbunch in G else G.rows(nbunch)
        found = distances.reciprocals_to(G, [row for row in rows if row is not None])
        values = dict(zip(G.names(rows), found.tolist(), strict=True))
    elif len(G) == 0:
        return {}
    else:
        values = _by_node(G, distances.reciprocals_to(G))
    # In the order of a set; sums of nothing are ints.
    return {node: values[node] or 0 for node in set(iter(values))}


def closeness_centrality(
    G: Graph, u: Node = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    row = None if u is None else G.row(u)
    if u is not None and row is None:
        raise nx.NodeNotFound(f"Node {u} is not in G")
    reached, total = distances.ways_to(G, None if row is None else [row])
    n = len(G)
    values = []
    for count, length in zip(reached.tolist(), total.tolist(), strict=True):
        closeness = 0.0
        if length > 0 and n > 1:
            closeness = (count - 1.0) / length
            if wf_improved:
                closeness *= (count - 1.0) / (n - 1)
        values.append(closeness)
    return values[0] if u is not None else dict(zip(G.nodes, values, strict=True))


def _degree_centrality(graph: Graph, degrees: Array) -> dict[Node, float]:
    n = len(graph)
    if n <= 1:
        return dict.fromkeys(graph.nodes, 1)
    scale = 1.0 / (n - 1.0)
    return {node: d * scale for node, d in zip(graph.nodes, degrees.tolist(), strict=True)}


def degree_centrality(G: Graph) -> dict[Node, float]:
    other = G.in_degrees() if G.directed else G.loops
    return _degree_centrality(G, G.out_degrees() + other)


def in_degree_centrality(G: Graph) -> dict[Node, float]:
    return _degree_centrality(G, G.in_degrees())


def out_degree_centrality(G: Graph) -> dict[Node, float]:
    return _degree_centrality(G, G.out_degrees())


def _triangles(graph: Graph) -> Array:
    if len(graph) == 0:
        return np.zeros(0, dtype=np.int64)
    return fathom.tc(graph.plain()).values.astype(np.int64)


def _some(graph: Graph, nodes: Any, values: list[Any]) -> Any:
    """Of all nodes, one or some, as NetworkX's `nodes` means."""
    if nodes is None:
        return dict(zip(graph.nodes, values, strict=True))
    if nodes in graph:
        return values[graph.row(nodes)]  # type: ignore[index]
    return {graph.nodes[row]: values[row] for row in graph.rows(nodes)}


def triangles(G: Graph, nodes: Any = None) -> Any:
    return _some(G, nodes, _triangles(G).tolist())


def _clustering(graph: Graph) -> list[float]:
    degrees = (graph.out_degrees() - graph.loops).tolist()
    found = []
    for count, d in zip(_triangles(graph).tolist(), degrees, strict=True):
        found.append(0 if count == 0 else 2 * count / (d * (d - 1)))
    return found


def clustering(G: Graph, nodes: Any = None, weight: Any = None) -> Any:
    return _some(G, nodes, _clustering(G))


def average_clustering(
    G: Graph, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> float:
    values = list(_some(G, nodes, _clustering(G)).values())
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    return float(sum(values) / len(values))


def transitivity(G: Graph) -> float:
    count = 2 * int(_triangles(G).sum())
    degrees = G.out_degrees() - G.loops
    pairs = int((degrees * (degrees - 1)).sum())
    return 0 if count == 0 else count / pairs


def _pagerank(
    G: Any,
    alpha: Any = 0.85,
    personalization: Any = None,
    max_iter: Any = 100,
    tol: Any = 1e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> bool | str:
    if nstart is not None:
        return "it starts where nstart says"
    if dangling is not None:
        return "dangling nodes go where `dangling` says"
    if callable(weight):
        return "weights are computed by a function"
    return True


def _betweenness(
    G: Any,
    k: Any = None,
    normalized: Any = True,
    weight: Any = None,
    endpoints: Any = False,
    seed: Any = None,
) -> bool | str:
    if k is not None and not _SCALES_SOURCES:
        return "samples are scaled otherwise"
    if callable(weight):
        return "weights are computed by a function"
    return "endpoints count" if endpoints else True


def _subset(
    G: Any, sources: Any, targets: Any, normalized: Any = False, weight: Any = None
) -> bool | str:
    if callable(weight):
        return "weights are computed by a function"
    # NetworkX takes the targets once for each source.
    return "targets are used up" if hasattr(targets, "__next__") else True


def _edges(
    G: Any, k: Any = None, normalized: Any = True, weight: Any = None, seed: Any = None
) -> bool | str:
    if k is not None and not _SCALES_SOURCES:
        return "samples are scaled otherwise"
    return "weights are computed by a function" if callable(weight) else True


def _harmonic(G: Any, nbunch: Any = None, distance: Any = None, sources: Any = None) -> bool | str:
    if distance is not None:
        return "distances are by weight"
    return True if sources is None else "only some sources count"


def _closeness(
    G: Any, u: Any = None, distance: Any = None, wf_improved: Any = True, *, sp: Any = None
) -> bool | str:
    if sp is not None:
        return "distances are known"
    return True if distance is None else "distances are by weight"


def _undirected(
    G: Any, nodes: Any = None, weight: Any = None, count_zeros: Any = True
) -> bool | str:
    if weight is not None:
        return "triangles are weighted"
    return "directed triangles" if G.is_directed() else True


FUNCTIONS = {
    function.__name__: function
    for function in (
        pagerank,
        betweenness_centrality,
        betweenness_centrality_subset,
        edge_betweenness_centrality,
        harmonic_centrality,
        closeness_centrality,
        degree_centrality,
        in_degree_centrality,
        out_degree_centrality,
        triangles,
        clustering,
        average_clustering,
        transitivity,
    )
}
REFUSALS: dict[str, Any] = {
    "pagerank": _pagerank,
    "betweenness_centrality": _betweenness,
    "betweenness_centrality_subset": _subset,
    "edge_betweenness_centrality": _edges,
    "harmonic_centrality": _harmonic,
    "closeness_centrality": _closeness,
    "clustering": _undirected,
    "average_clustering": _undirected,
    "transitivity": _undirected,
    "triangles": _undirected,
}
