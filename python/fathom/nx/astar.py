"""A* without a heuristic, which is Dijkstra's algorithm."""

from __future__ import annotations

from typing import Any

import networkx as nx

from . import searches
from .graph import Graph, Node
from .weighted import Found, Length


def astar_path(
    G: Graph,
    source: Node,
    target: Node,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: float | None = None,
) -> list[Node]:
    return _astar(G, source, target, weight, cutoff)[1]


def astar_path_length(
    G: Graph,
    source: Node,
    target: Node,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: float | None = None,
) -> Length:
    if source not in G or target not in G:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    return _astar(G, source, target, weight, cutoff)[0]


def _astar(
    graph: Graph, source: Node, target: Node, weight: Any, cutoff: float | None
) -> tuple[Length, list[Node]]:
    row = searches.known(graph, source, f"Source {source} is not in G")
    goal = searches.known(graph, target, f"Target {target} is not in G")
    graph = graph.by(weight)
    if (graph.lengths() < 0).any():
        raise NotImplementedError("negative weights, without a word")
    found = Found(graph, [row], cutoff or None, goal).to(goal)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found


def _unguided(
    G: Any,
    source: Any,
    target: Any,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> bool | str:
    if heuristic is not None:
        return "the way is led by a function"
    return "weights are computed by a function" if callable(weight) else True


FUNCTIONS = {function.__name__: function for function in (astar_path, astar_path_length)}
REFUSALS: dict[str, Any] = {"astar_path": _unguided, "astar_path_length": _unguided}
