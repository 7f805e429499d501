"""Cores, and parts of a graph: they come back as NetworkX graphs with all attributes."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

import fathom
from fathom import _core

from . import searches
from .graph import Graph, Node


def _refuse_loops(graph: Graph, verb: str) -> None:
    if graph.loops.any():
        raise nx.NetworkXNotImplemented(
            f"Input graph {verb} self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )


def core_number(G: Graph) -> dict[Node, int]:
    _refuse_loops(G, "has")
    if len(G) == 0:
        return {}
    return dict(zip(G.nodes, fathom.kcore(G.plain()).values.tolist(), strict=True))


def onion_layers(G: Graph) -> dict[Node, int]:
    _refuse_loops(G, "contains")
    order, layers = _core.onion(*G.out)
    return dict(zip(G.names(order), layers.tolist(), strict=True))


def _part(graph: Graph, nodes: Any) -> Any:
    return graph.to_networkx().subgraph(nodes).copy()


def _numbers(graph: Graph, k: int | None, core: Any, below: int) -> tuple[dict[Node, int], int]:
    numbers: dict[Node, int] = core_number(graph) if core is None else core
    return numbers, max(numbers.values()) - below if k is None else k


def k_core(G: Graph, k: int | None = None, core_number: Any = None) -> nx.Graph[Any]:
    numbers, k = _numbers(G, k, core_number, 0)
    return _part(G, [node for node in numbers if numbers[node] >= k])


def k_shell(G: Graph, k: int | None = None, core_number: Any = None) -> nx.Graph[Any]:
    numbers, k = _numbers(G, k, core_number, 0)
    return _part(G, [node for node in numbers if numbers[node] == k])


def k_crust(G: Graph, k: int | None = None, core_number: Any = None) -> nx.Graph[Any]:
    numbers, k = _numbers(G, k, core_number, 1)
    return _part(G, [node for node in numbers if numbers[node] <= k])


def k_corona(G: Graph, k: int, core_number: Any = None) -> nx.Graph[Any]:
    numbers, k = _numbers(G, k, core_number, 0)
    lists = G.out
    inner = [numbers[node] >= k for node in G.nodes]

    def touches(node: Node) -> int:
        row = G.row(node)
        assert row is not None
        return sum(inner[w] for w in lists[1][lists[0][row] : lists[0][row + 1]].tolist())

    return _part(G, [n for n in numbers if numbers[n] == k and touches(n) == k])


def k_truss(G: Graph, k: float) -> nx.Graph[Any]:
    _refuse_loops(G, "has")
    part = G.to_networkx().copy()
    if len(G) == 0:
        return part
    found = fathom.ktruss(G.plain(), k=min(max(math.ceil(k), 2), 2**31))
    ends = (G.names(found.column(end)) for end in ("u", "v"))
    kept = set(zip(*ends, strict=True))
    part.remove_edges_from(
        [(u, v) for u, v in part.edges if (u, v) not in kept and (v, u) not in kept]
    )
    part.remove_nodes_from(list(nx.isolates(part)))
    return part


def ego_graph(
    G: Graph,
    n: Node,
    radius: float = 1,
    center: bool = True,
    undirected: bool = False,
    distance: Any = None,
) -> nx.Graph[Any]:
    row = searches.known(G, n, f"Source {n} is not in G")
    part = _part(G, G.names(searches.reach(G.out, [row], radius)[0]))
    if not center:
        part.remove_node(n)
    return part


def _simple(G: Any, k: Any = None, core_number: Any = None) -> bool | str:
    return "directed cores" if G.is_directed() else True


def _ego(
    G: Any,
    n: Any,
    radius: Any = 1,
    center: Any = True,
    undirected: Any = False,
    distance: Any = None,
) -> bool | str:
    if distance is not None:
        return "distances are by weight"
    return "both directions count" if undirected and G.is_directed() else True


FUNCTIONS = {
    function.__name__: function
    for function in (
        core_number,
        onion_layers,
        k_core,
        k_shell,
        k_crust,
        k_corona,
        k_truss,
        ego_graph,
    )
}
REFUSALS: dict[str, Any] = {
    "core_number": _simple,
    "k_core": _simple,
    "k_shell": _simple,
    "k_crust": _simple,
    "k_corona": _simple,
    "ego_graph": _ego,
}
