"""What all distances by hops come to: eccentricities, averages, efficiency."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np

import fathom
from fathom import _core

from . import searches, weighted
from .graph import Array, Graph, Node

# Of so many entries of lists one thread walks while a search of several sources begins a level.
_OF_A_LEVEL = 256
# Searches that are done before eccentricities of all nodes are.
_FEW = 8


def _is_deep(graph: Graph) -> bool:
    """Whether searches have so many levels that one source at a time is faster than many."""
    if len(graph) == 0:
        return False
    start = int(np.argmax(graph.out_degrees()))
    return len(searches.reach(graph.out, [start])[2]) * _OF_A_LEVEL > len(graph.out[1])


def ways_to(graph: Graph, rows: list[int] | None = None) -> tuple[Array, Array]:
    """(nodes that reach each of the rows, itself among them, and their distances added up)."""
    if rows is None and len(graph) > 0 and not _is_deep(graph):
        result = fathom.closeness(graph.plain())
        reached, total = (
            result.column(name).astype(np.int64) for name in ("reached", "distance_sum")
        )
        return reached + 1, total
    reached, total, _, _ = _hop_sums(graph, graph.in_, rows)
    return reached, total


def reciprocals_to(graph: Graph, rows: list[int] | None = None) -> Array:
    """The reciprocals of the distances to each of the rows, added up."""
    if rows is None and len(graph) > 0 and not _is_deep(graph):
        return fathom.harmonic(graph.plain()).values
    found: Array = _hop_sums(graph, graph.in_, rows)[3]
    return found


def _hop_sums(graph: Graph, lists: searches.Lists, rows: list[int] | None) -> Any:
    """(reached, total, farthest, reciprocals) of a search from each row."""
    return _core.hop_sums(*lists, list(range(len(graph))) if rows is None else rows)


def _unbounded(graph: Graph) -> nx.NetworkXError:
    if graph.directed:
        return nx.NetworkXError(
            "Found infinite path length because the digraph is not strongly connected"
        )
    return nx.NetworkXError("Found infinite path length because the graph is not connected")


def _all_eccentricities(graph: Graph) -> Array:
    if len(graph) == 0:
        return np.zeros(0, dtype=np.int64)
    parts = fathom.scc if graph.directed else fathom.cc
    if parts(graph.plain()).facts["components"] > 1:
        raise _unbounded(graph)
    return fathom.eccentricity(graph.plain()).values


def _eccentricities(graph: Graph, rows: list[int] | None, weight: str | None) -> list[Any]:
    n = len(graph)
    if weight is None:
        if rows is None or len(rows) > _FEW:
            every = _all_eccentricities(graph)
            return (every if rows is None else every[rows]).tolist()  # type: ignore[no-any-return]
        reached, _, farthest, _ = _hop_sums(graph, graph.out, rows)
        if (reached != n).any():
            raise _unbounded(graph)
        return farthest.tolist()  # type: ignore[no-any-return]
    graph, found = graph.by(weight), []
    for row in range(n) if rows is None else rows:
        lengths = weighted.Found(graph, [row]).lengths()
        if len(lengths) != n:
            raise _unbounded(graph)
        found.append(max(lengths))
    return found


_REFUSES_NULL = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7)


def _refuse_null(graph: Graph) -> None:
    if len(graph) == 0 and _REFUSES_NULL:
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")


def eccentricity(G: Graph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    _refuse_null(G)
    if v is not None and v in G:
        row = G.row(v)
        assert row is not None
        return _given(G, [v], sp)[0] if sp is not None else _eccentricities(G, [row], weight)[0]
    if v is not None and not isinstance(v, Iterable):
        raise nx.NetworkXError(f"Node {v} is not in the graph.")
    nodes = list(G.nodes) if v is None else [node for node in v if node in G]
    if sp is not None:
        return dict(zip(nodes, _given(G, nodes, sp), strict=True))
    return dict(zip(nodes, _eccentricities(G, G.rows(nodes), weight), strict=True))


def _given(graph: Graph, nodes: list[Node], sp: Any) -> list[Any]:
    """By distances that the caller has."""
    found = []
    for node in nodes:
        try:
            lengths = sp[node]
            count = len(lengths)
        except TypeError as error:
            raise nx.NetworkXError('Format of "sp" is invalid.') from error
        if count != len(graph):
            raise _unbounded(graph)
        found.append(max(lengths.values()))
    return found


def _values(graph: Graph, e: Any, usebounds: bool, weight: Any) -> dict[Node, Any]:
    if e is not None:
        return e  # type: ignore[no-any-return]
    bounded = usebounds is True and not graph.directed
    if len(graph) == 0 and bounded:
        raise ValueError("max() iterable argument is empty")
    _refuse_null(graph)
    try:
        values = _eccentricities(graph, None, weight)
    except nx.NetworkXError:
        if not bounded:
            raise
        message = "Cannot compute metric because graph is not connected."
        raise nx.NetworkXError(message) from None
    return dict(zip(graph.nodes, values, strict=True))


def diameter(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return max(_values(G, e, usebounds, weight).values())


def radius(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return min(_values(G, e, usebounds, weight).values())


def center(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Node]:
    if len(G) == 0 and not G.directed and usebounds is not True:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    values = _values(G, e, usebounds, weight)
    least = min(values.values())
    return [node for node in values if values[node] == least]


def periphery(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Node]:
    values = _values(G, e, usebounds, weight)
    most = max(values.values())
    return [node for node in values if values[node] == most]


def wiener_index(G: Graph, weight: Any = None) -> float:
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    reached, total = ways_to(G)
    if (reached != n).any():
        return float("inf")
    whole = int(total.sum())
    return whole if G.directed else whole / 2


def average_shortest_path_length(G: Graph, weight: Any = None, method: Any = None) -> float:
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if n == 1:
        return 0
    reached, total = ways_to(G)
    if (reached != n).any():
        raise nx.NetworkXError(
            "Graph is not strongly connected." if G.directed else "Graph is not connected."
        )
    return int(total.sum()) / (n * (n - 1))


def global_efficiency(G: Graph) -> float:
    n = len(G)
    denominator = n * (n - 1)
    if denominator == 0:
        return 0
    return float(np.sum(reciprocals_to(G))) / denominator


def approximate_diameter(G: Graph, seed: Any = None) -> Any:
    """By the farthest node from one that is drawn (two sweeps)."""
    n = len(G)
    if n == 0:
        raise nx.NetworkXError("Expected non-empty NetworkX graph!")
    if n == 1:
        return 0
    start, most = int(seed.choice(range(n))), 0
    turned = G.reversed() if G.directed else G.out
    for there, back in ((G.out, turned), (turned, G.out))[: 1 + G.directed]:
        order = searches.reach(there, [start])[0]
        if len(order) != n:
            kind = "DiGraph not strongly" if G.directed else "Graph not"
            raise nx.NetworkXError(f"{kind} connected.")
        most = max(most, len(searches.reach(back, [int(order[-1])])[2]) - 1)
    return most


def _exact(G: Any, e: Any = None, usebounds: Any = False, weight: Any = None) -> bool | str:
    if callable(weight):
        return "weights are computed by a function"
    return "bounds are by weight" if usebounds and weight is not None else True


def _eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Any = None) -> bool | str:
    return "weights are computed by a function" if callable(weight) else True


def _unweighted(G: Any, weight: Any = None, method: Any = None) -> bool | str:
    if weight is not None:
        return "distances are by weight"
    return True if method in (None, "unweighted") else f"the method is {method}"


FUNCTIONS = {
    function.__name__: function
    for function in (
        eccentricity,
        diameter,
        radius,
        center,
        periphery,
        wiener_index,
        average_shortest_path_length,
        global_efficiency,
        approximate_diameter,
    )
}
REFUSALS: dict[str, Any] = {
    "eccentricity": _eccentricity,
    "diameter": _exact,
    "radius": _exact,
    "center": _exact,
    "periphery": _exact,
    "wiener_index": _unweighted,
    "average_shortest_path_length": _unweighted,
}
