"""What directions and cycles make of a graph: strong components, two sides, loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import fathom
from fathom import _core

from .graph import Array, Graph, Node


def _strong(graph: Graph) -> tuple[Array, Array]:
    """(rows by components, in the order in which NetworkX finds these; where each ends)."""
    members, ends = _core.strong_components(*graph.out)
    return members, ends


def _sets(graph: Graph, members: Array, ends: Array) -> Iterator[set[Node]]:
    nodes, first = graph.names(members), 0
    for end in ends.tolist():
        yield set(nodes[first:end])
        first = end


def _between(graph: Graph, component: Array) -> tuple[Array, Array]:
    """(from, to): the components that edges join, once each, by the first edge."""
    from_, to = component[graph.sources()], component[graph.out[1]]
    apart = from_ != to
    from_, to = from_[apart], to[apart]
    first = np.unique(from_ * (len(graph) + 1) + to, return_index=True)[1]
    first.sort()
    return from_[first], to[first]


def _component(graph: Graph, members: Array, ends: Array) -> Array:
    """[n]: the number of the component of each row."""
    component = np.zeros(len(graph), dtype=np.int64)
    component[members] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    return component


def strongly_connected_components(G: Graph) -> Iterator[set[Node]]:
    yield from _sets(G, *_strong(G))


def number_strongly_connected_components(G: Graph) -> int:
    if len(G) == 0:
        return 0
    count: int = fathom.scc(G.plain()).facts["components"]
    return count


def is_strongly_connected(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_strongly_connected_components(G) == 1


def condensation(G: Graph, scc: Any = None) -> nx.DiGraph[Any]:
    made: nx.DiGraph[Any] = nx.DiGraph()
    mapping: dict[Node, int] = {}
    made.graph["mapping"] = mapping
    if len(G) == 0:
        return made
    if scc is None:
        members, ends = _strong(G)
        component = _component(G, members, ends)
        sets = list(_sets(G, members, ends))
    else:
        sets = list(scc)
    for number, its in enumerate(sets):
        mapping.update(dict.fromkeys(its, number))
    if scc is not None:
        component = np.fromiter((mapping.get(node, -1) for node in G.nodes), np.int64, len(G))
        for rows in (G.sources(), G.out[1]):
            if (component[rows] < 0).any():
                raise KeyError(G.nodes[rows[component[rows] < 0][0]])
    made.add_nodes_from((number, {"members": its}) for number, its in enumerate(sets))
    from_, to = _between(G, component)
    made.add_edges_from(zip(from_.tolist(), to.tolist(), strict=True))
    return made


def attracting_components(G: Graph) -> Iterator[set[Node]]:
    members, ends = _strong(G)
    left = np.zeros(len(ends), dtype=bool)
    left[_between(G, _component(G, members, ends))[0]] = True
    for keeps, its in zip((~left).tolist(), _sets(G, members, ends), strict=True):
        if keeps:
            yield its


def is_directed_acyclic_graph(G: Graph) -> bool:
    if not G.directed:
        return False
    return len(G) == 0 or bool(fathom.levels(G.plain()).facts["acyclic"])


def is_bipartite(G: Graph) -> bool:
    return len(G) == 0 or bool(fathom.bipartite(G.plain()).facts["bipartite"])


def color(G: Graph) -> dict[Node, int]:
    """Of the two sides of a bipartite graph."""
    order, colors, odd = _core.two_colors(*G.out, *G.in_, G.directed)
    if odd:
        raise nx.NetworkXError("Graph is not bipartite.")
    found = dict(zip(G.names(order), colors.tolist(), strict=True))
    alone = G.out_degrees() + G.in_degrees() == 0
    found.update(dict.fromkeys(G.names(np.flatnonzero(alone)), 0))
    return found


FUNCTIONS = {
    function.__name__: function
    for function in (
        strongly_connected_components,
        number_strongly_connected_components,
        is_strongly_connected,
        condensation,
        attracting_components,
        is_directed_acyclic_graph,
        is_bipartite,
        color,
    )
}
REFUSALS: dict[str, object] = {}
