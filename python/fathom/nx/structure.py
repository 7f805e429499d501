"""What directions and cycles make of a graph. Strong components themselves and generations are
NetworkX's: they come in the order of its search, and watch the graph while they are taken.
"""

from __future__ import annotations

import networkx as nx

import fathom

from .graph import Graph


def number_strongly_connected_components(G: Graph) -> int:
    if len(G) == 0:
        return 0
    count: int = fathom.scc(G.plain()).facts["components"]
    return count


def is_strongly_connected(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_strongly_connected_components(G) == 1


def is_directed_acyclic_graph(G: Graph) -> bool:
    if not G.directed:
        return False
    return len(G) == 0 or bool(fathom.levels(G.plain()).facts["acyclic"])


def is_bipartite(G: Graph) -> bool:
    return len(G) == 0 or bool(fathom.bipartite(G.plain()).facts["bipartite"])


FUNCTIONS = {
    function.__name__: function
    for function in (
        number_strongly_connected_components,
        is_strongly_connected,
        is_directed_acyclic_graph,
        is_bipartite,
    )
}
REFUSALS: dict[str, object] = {}
