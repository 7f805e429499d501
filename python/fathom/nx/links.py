"""Which pairs may come to be joined: measures of what their neighbours have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from fathom import _core

from . import searches
from .degrees import degrees
from .graph import Array, Graph, Node

Pair = tuple[Node, Node]
_AT_ONCE = 1 << 16  # pairs


class _Common:
    """What the ends of pairs have in common."""

    def __init__(self, graph: Graph, from_: Array, to: Array, value: Array | None = None) -> None:
        each = np.ones(len(graph)) if value is None else value
        self.shared, self.others, self.sum = _core.common(*graph.out, from_, to, each)


def _pairs(graph: Graph, ebunch: Any) -> Iterator[tuple[list[Pair], Array, Array]]:
    """Some pairs at once, with their rows; without `ebunch` all that no edge joins."""
    if ebunch is None:
        some: list[Pair] = []
        nodes = set(graph.nodes)
        offset, target = graph.out
        while nodes:
            u = nodes.pop()
            row = graph.row(u)
            assert row is not None
            its = graph.names(target[offset[row] : offset[row + 1]])
            some += [(u, v) for v in nodes - set(its)]
            if len(some) >= _AT_ONCE or not nodes:
                yield some, *_ends(graph, some)
                some = []
        return
    known = list(ebunch)
    rows = _ends(graph, known)
    # Where it is an iterator NetworkX looks for the nodes, and has nothing left then.
    yield ([], rows[0][:0], rows[1][:0]) if iter(ebunch) is ebunch else (known, *rows)


def _ends(graph: Graph, pairs: list[Pair]) -> tuple[Array, Array]:
    from_ = [graph.index.get(u) for u, _ in pairs]
    to = [graph.index.get(v) for _, v in pairs]
    if None in from_ or None in to:
        missing = next(node for pair in pairs for node in pair if node not in graph)
        raise nx.NodeNotFound(f"Node {missing} not in G.")
    return np.asarray(from_, dtype=np.int32), np.asarray(to, dtype=np.int32)


def _predicted(
    graph: Graph, ebunch: Any, measure: Callable[[Array, Array], list[Any]]
) -> Iterator[tuple[Node, Node, Any]]:
    """Nodes are looked for at once, values are found when they are asked for."""
    chunks = _pairs(graph, ebunch)
    first = [next(chunks)] if ebunch is not None else []

    def triples() -> Iterator[tuple[Node, Node, Any]]:
        for some in (first, chunks):
            for pairs, from_, to in some:
                for (u, v), value in zip(pairs, measure(from_, to), strict=True):
                    yield u, v, value

    return triples()


def jaccard_coefficient(G: Graph, ebunch: Any = None) -> Iterator[tuple[Node, Node, Any]]:
    degree = G.out_degrees()

    def measure(from_: Array, to: Array) -> list[Any]:
        common = _Common(G, from_, to)
        union = degree[from_] + degree[to] - common.shared
        return [
            0 if size == 0 else its / size
            for its, size in zip(common.others.tolist(), union.tolist(), strict=True)
        ]

    return _predicted(G, ebunch, measure)


def _index(graph: Graph, ebunch: Any, value: Array) -> Iterator[tuple[Node, Node, Any]]:
    """The values of common neighbours added up."""

    def measure(from_: Array, to: Array) -> list[Any]:
        common = _Common(graph, from_, to, value)
        if np.isinf(common.sum).any():
            raise ZeroDivisionError("float division by zero")
        return [
            its if count > 0 else 0
            for its, count in zip(common.sum.tolist(), common.others.tolist(), strict=True)
        ]

    return _predicted(graph, ebunch, measure)


def adamic_adar_index(G: Graph, ebunch: Any = None) -> Iterator[tuple[Node, Node, Any]]:
    with np.errstate(divide="ignore"):
        return _index(G, ebunch, 1 / np.log(np.maximum(degrees(G), 1)))


def resource_allocation_index(G: Graph, ebunch: Any = None) -> Iterator[tuple[Node, Node, Any]]:
    return _index(G, ebunch, 1 / np.maximum(degrees(G), 1))


def preferential_attachment(G: Graph, ebunch: Any = None) -> Iterator[tuple[Node, Node, Any]]:
    degree = degrees(G)

    def measure(from_: Array, to: Array) -> list[Any]:
        return (degree[from_] * degree[to]).tolist()  # type: ignore[no-any-return]

    return _predicted(G, ebunch, measure)


def common_neighbor_centrality(
    G: Graph, ebunch: Any = None, alpha: float = 0.8
) -> Iterator[tuple[Node, Node, Any]]:
    known: dict[int, Array] = {}

    def hops(u: int, v: int) -> float:
        if u not in known:
            known.clear()  # pairs mostly come by their first nodes
            order, _, ends = searches.reach(G.out, [u])
            known[u] = np.full(len(G), np.inf)
            known[u][order] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        return float(known[u][v])

    def measure(from_: Array, to: Array) -> list[Any]:
        if (from_ == to).any():
            raise nx.NetworkXAlgorithmError("Self loops are not supported")
        counts = _Common(G, from_, to).others.tolist()
        if alpha == 1:
            return counts  # type: ignore[no-any-return]
        return [
            alpha * count + (1 - alpha) * len(G) / hops(u, v)
            for u, v, count in zip(from_.tolist(), to.tolist(), counts, strict=True)
        ]

    return _predicted(G, ebunch, measure)


FUNCTIONS = {
    function.__name__: function
    for function in (
        jaccard_coefficient,
        adamic_adar_index,
        resource_allocation_index,
        preferential_attachment,
        common_neighbor_centrality,
    )
}
REFUSALS: dict[str, Any] = {}
