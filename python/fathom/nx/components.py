"""Connected components and isolated nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

import fathom

from . import searches
from .graph import Graph, Node

# Up to how many entries of lists one thread's search is done before others have begun.
FEW = 1 << 16


def _groups(graph: Graph) -> Iterator[set[Node]]:
    """By the first node of each, as NetworkX finds them."""
    if len(graph) == 0:
        return
    component = fathom.cc(graph.plain()).values
    order = np.argsort(component, kind="stable")
    borders = np.flatnonzero(np.diff(component[order])) + 1
    for rows in np.split(order, borders):
        yield set(graph.names(rows))


def _count(graph: Graph) -> int:
    if len(graph) == 0:
        return 0
    count: int = fathom.cc(graph.plain()).facts["components"]
    return count


def _is_one(graph: Graph) -> bool:
    if len(graph) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _count(graph) == 1


def connected_components(G: Graph) -> Iterator[set[Node]]:
    return _groups(G)


def number_connected_components(G: Graph) -> int:
    return _count(G)


def is_connected(G: Graph) -> bool:
    if len(G) > 0 and len(G.out[1]) <= FEW:
        return len(searches.reach(G.out, [0])[0]) == len(G)
    return _is_one(G)


def weakly_connected_components(G: Graph) -> Iterator[set[Node]]:
    return _groups(G)


def number_weakly_connected_components(G: Graph) -> int:
    return _count(G)


def is_weakly_connected(G: Graph) -> bool:
    return _is_one(G)


def node_connected_component(G: Graph, n: Node) -> set[Node]:
    row = G.row(n)
    if row is None:
        raise KeyError(n)
    component = fathom.cc(G.plain()).values
    return set(G.names(np.flatnonzero(component == component[row])))


def _degrees(graph: Graph) -> Any:
    return graph.out_degrees() + (graph.in_degrees() if graph.directed else 0)


def isolates(G: Graph) -> Iterator[Node]:
    return iter(G.names(np.flatnonzero(_degrees(G) == 0)))


def number_of_isolates(G: Graph) -> int:
    return int((_degrees(G) == 0).sum())


def is_isolate(G: Graph, n: Node) -> bool:
    row = G.row(n)
    if row is None:
        if isinstance(n, Iterable):  # the degrees of several nodes are not 0
            return False
        raise nx.NetworkXError(f"Node {n} is not in the graph.")
    return bool(_degrees(G)[row] == 0)


FUNCTIONS = {
    function.__name__: function
    for function in (
        connected_components,
        number_connected_components,
        is_connected,
        weakly_connected_components,
        number_weakly_connected_components,
        is_weakly_connected,
        node_connected_component,
        isolates,
        number_of_isolates,
        is_isolate,
    )
}
REFUSALS: dict[str, Any] = {}
