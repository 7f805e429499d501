"""Breadth-first searches: nodes in NetworkX's order, and paths of fewest hops."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx

from fathom import _core

from .graph import Array, Graph, Node

Lists = tuple[Array, Array]
FAR = 2**62


def hops_of(cutoff: float | None) -> int:
    """A limit of NetworkX's as a number of hops."""
    if cutoff is None or cutoff == math.inf:
        return FAR
    return max(0, math.ceil(cutoff))


def reach(lists: Lists, rows: list[int], cutoff: float | None = None) -> Any:
    """(rows in the order of discovery, parents, ends of levels)."""
    return _core.search(*lists, rows, hops_of(cutoff))


def known(graph: Graph, node: Node, message: str) -> int:
    row = graph.row(node)
    if row is None:
        raise nx.NodeNotFound(message)
    return row


def _error_row(graph: Graph, node: Node) -> int:
    row = graph.row(node)
    if row is None:
        raise nx.NetworkXError(f"The node {node} is not in the graph.")
    return row


def depths(graph: Graph, lists: Lists, row: int, cutoff: float | None) -> dict[Node, int]:
    order, _, ends = reach(lists, [row], cutoff)
    names = graph.names(order)
    found: dict[Node, int] = {}
    first = 0
    for depth, end in enumerate(ends.tolist()):
        found.update(dict.fromkeys(names[first:end], depth))
        first = end
    return found


def paths(graph: Graph, lists: Lists, row: int, cutoff: float | None) -> dict[Node, list[Node]]:
    order, parents, _ = reach(lists, [row], cutoff)
    names = graph.nodes
    by_row: dict[int, list[Node]] = {}
    found = {}
    for v, parent in zip(order.tolist(), parents.tolist(), strict=True):
        path = [*by_row[parent], names[v]] if parent >= 0 else [names[v]]
        by_row[v] = found[names[v]] = path
    return found


def _edges(graph: Graph, lists: Lists, source: Node, limit: float | None) -> Iterator[Any]:
    row = _error_row(graph, source)
    order, parents, _ = reach(lists, [row], limit)
    names = graph.nodes
    for v, parent in zip(order[1:].tolist(), parents[1:].tolist(), strict=True):
        yield names[parent], names[v]


def _along(graph: Graph, reverse: bool) -> Lists:
    return graph.in_ if reverse and graph.directed else graph.out


def bfs_edges(
    G: Graph,
    source: Node,
    reverse: bool = False,
    depth_limit: int | None = None,
    sort_neighbors: Any = None,
) -> Iterator[tuple[Node, Node]]:
    yield from _edges(G, _along(G, reverse), source, depth_limit)


def bfs_tree(
    G: Graph,
    source: Node,
    reverse: bool = False,
    depth_limit: int | None = None,
    sort_neighbors: Any = None,
) -> nx.DiGraph[Any]:
    tree: nx.DiGraph[Any] = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, _along(G, reverse), source, depth_limit))
    return tree


def bfs_predecessors(
    G: Graph, source: Node, depth_limit: int | None = None, sort_neighbors: Any = None
) -> Iterator[tuple[Node, Node]]:
    for parent, child in _edges(G, G.out, source, depth_limit):
        yield child, parent


def bfs_successors(
    G: Graph, source: Node, depth_limit: int | None = None, sort_neighbors: Any = None
) -> Iterator[tuple[Node, list[Node]]]:
    parent, children = source, []
    for p, c in _edges(G, G.out, source, depth_limit):
        if p == parent:
            children.append(c)
            continue
        yield parent, children
        parent, children = p, [c]
    yield parent, children


def bfs_layers(G: Graph, sources: Any) -> Iterator[list[Node]]:
    several = [sources] if sources in G else set(sources)
    rows = [_error_row(G, source) for source in several]
    order, _, ends = reach(G.out, rows)
    first = 0
    for end in ends.tolist():
        if end > first:
            yield G.names(order[first:end])
        first = end


def descendants_at_distance(G: Graph, source: Node, distance: int) -> set[Node]:
    row = _error_row(G, source)
    order, _, ends = reach(G.out, [row], distance)
    if distance >= len(ends) or distance < 0:
        return set()
    first = int(ends[distance - 1]) if distance > 0 else 0
    return set(G.names(order[first : int(ends[distance])]))


def descendants(G: Graph, source: Node) -> set[Node]:
    row = _error_row(G, source)
    return set(G.names(reach(G.out, [row])[0][1:]))


def ancestors(G: Graph, source: Node) -> set[Node]:
    row = _error_row(G, source)
    return set(G.names(reach(G.in_, [row])[0][1:]))


def single_source_shortest_path_length(
    G: Graph, source: Node, cutoff: float | None = None
) -> dict[Node, int]:
    return depths(G, G.out, known(G, source, f"Source {source} is not in G"), cutoff)


def single_target_shortest_path_length(
    G: Graph, target: Node, cutoff: float | None = None
) -> dict[Node, int]:
    return depths(G, G.in_, known(G, target, f"Target {target} is not in G"), cutoff)


def all_pairs_shortest_path_length(
    G: Graph, cutoff: float | None = None
) -> Iterator[tuple[Node, dict[Node, int]]]:
    for row, node in enumerate(G.nodes):
        yield node, depths(G, G.out, row, cutoff)


def single_source_shortest_path(
    G: Graph, source: Node, cutoff: float | None = None
) -> dict[Node, list[Node]]:
    return paths(G, G.out, known(G, source, f"Source {source} not in G"), cutoff)


def single_target_shortest_path(
    G: Graph, target: Node, cutoff: float | None = None
) -> dict[Node, list[Node]]:
    row = known(G, target, f"Target {target} not in G")
    return {node: path[::-1] for node, path in paths(G, G.in_, row, cutoff).items()}


def all_pairs_shortest_path(
    G: Graph, cutoff: float | None = None
) -> Iterator[tuple[Node, dict[Node, list[Node]]]]:
    for row, node in enumerate(G.nodes):
        yield node, paths(G, G.out, row, cutoff)


def bidirectional_shortest_path(G: Graph, source: Node, target: Node) -> list[Node]:
    s = known(G, source, f"Source {source} is not in G")
    t = known(G, target, f"Target {target} is not in G")
    found = _core.path(*G.out, *G.in_, s, t)
    if len(found) == 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return G.names(found)


def has_path(G: Graph, source: Node, target: Node) -> bool:
    try:
        bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def _without_order(
    G: Any,
    source: Any,
    reverse: Any = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> bool | str:
    return True if sort_neighbors is None else "neighbours are taken in the graph's order"


def _without_order_2(
    G: Any, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> bool | str:
    return True if sort_neighbors is None else "neighbours are taken in the graph's order"


FUNCTIONS = {
    function.__name__: function
    for function in (
        bfs_edges,
        bfs_tree,
        bfs_predecessors,
        bfs_successors,
        bfs_layers,
        descendants_at_distance,
        descendants,
        ancestors,
        single_source_shortest_path_length,
        single_target_shortest_path_length,
        all_pairs_shortest_path_length,
        single_source_shortest_path,
        single_target_shortest_path,
        all_pairs_shortest_path,
        bidirectional_shortest_path,
        has_path,
    )
}
REFUSALS: dict[str, Any] = {
    "bfs_edges": _without_order,
    "bfs_tree": _without_order,
    "bfs_predecessors": _without_order_2,
    "bfs_successors": _without_order_2,
}
