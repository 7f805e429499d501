"""Nodes and edges without which a graph falls apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fathom import _core

from .graph import Array, Graph, Node


def _parts(graph: Graph) -> tuple[Array, Array, Array]:
    """(ends of edges by components, where each component ends, articulation points), in the order
    in which NetworkX finds them; points come once for each part."""
    parts: tuple[Array, Array, Array] = _core.biconnected(*graph.out)
    return parts


def biconnected_components(G: Graph) -> Iterator[set[Node]]:
    members, ends, _ = _parts(G)
    first = 0
    for end in ends.tolist():
        yield set(G.names(members[first:end]))
        first = end


def articulation_points(G: Graph) -> Iterator[Node]:
    yield from G.names(dict.fromkeys(_parts(G)[2].tolist()))


def is_biconnected(G: Graph) -> bool:
    members, ends, _ = _parts(G)
    return len(ends) == 1 and len(np.unique(members)) == len(G)


def _bridges(graph: Graph) -> Array:
    """Where in the lists bridges are for the first time, which are components of their own."""
    members, ends, _ = _parts(graph)
    from_, to = members[::2].astype(np.int64), members[1::2].astype(np.int64)
    part = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0) // 2)
    real = from_ != to
    alone = real & (np.bincount(part[real], minlength=len(ends))[part] == 1)
    n, rows, target = len(graph), graph.sources(), graph.out[1]
    keys = np.minimum(from_, to)[alone] * n + np.maximum(from_, to)[alone]
    its: Array = np.flatnonzero((rows < target) & np.isin(rows.astype(np.int64) * n + target, keys))
    return its


def bridges(G: Graph, root: Node = None) -> Iterator[tuple[Node, Node]]:
    its = _bridges(G)
    yield from zip(G.names(G.sources()[its]), G.names(G.out[1][its]), strict=True)


def has_bridges(G: Graph, root: Node = None) -> bool:
    return len(_bridges(G)) > 0


def _of_all(G: Any, root: Any = None) -> bool | str:
    if G.is_multigraph():
        return "parallel edges are no bridges"
    return True if root is None else "only one component is asked for"


FUNCTIONS = {
    function.__name__: function
    for function in (
        biconnected_components,
        articulation_points,
        is_biconnected,
        bridges,
        has_bridges,
    )
}
REFUSALS: dict[str, Any] = {"bridges": _of_all, "has_bridges": _of_all}
