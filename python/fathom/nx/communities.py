"""Communities by modularity: the methods of Louvain and of Leiden."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import fathom

from .graph import Graph, Node, convert
from .power import _weighted

_MOST_LEVELS = (1 << 32) - 1
_one_pass = functools.partial(fathom.leiden, passes=1)  # whose levels are NetworkX's


def _joined(G: Any, weight: Any) -> Graph:
    """Parallel edges as one, of their weights together."""
    simple: nx.Graph[Any] = nx.Graph()
    simple.add_nodes_from(G)
    for u, v, its in G.edges(data=weight, default=1):
        before = simple.edges[u, v]["weight"] if simple.has_edge(u, v) else 0
        simple.add_edge(u, v, weight=before + its)
    return convert(simple, "weight")


def _stored(G: Graph, weight: Any) -> fathom.Graph:
    G = _joined(G.original, weight) if G.multigraph else G.by(weight)
    stored = _weighted(G)
    return G._made(None) if G.weights is None and stored.weighted else stored


def _sets(G: Graph, result: fathom.Result) -> list[set[Node]]:
    """By the first node of each."""
    community = result.values
    order = np.argsort(community, kind="stable")
    borders = np.flatnonzero(np.diff(community[order])) + 1
    return [set(G.names(rows)) for rows in np.split(order, borders)]


class _Method:
    """A method on a graph, with what is drawn for it from NetworkX's generator."""

    def __init__(
        self, method: Any, G: Graph, weight: Any, resolution: float, tolerance: float, seed: Any
    ) -> None:
        self.method = method
        self.graph = G
        self.stored = _stored(G, weight) if len(G.out[1]) > 0 else None
        self.options = {
            "resolution": resolution,
            "tolerance": tolerance,
            "seed": int(nx.utils.create_py_random_state(seed).random() * 2**53),
        }

    def after(self, levels: int) -> tuple[list[set[Node]], int]:
        """The communities after so many levels at most, and how many there were."""
        if self.stored is None:
            return [{node} for node in self.graph.nodes], 0
        try:
            result = self.method(self.stored, max_levels=levels, **self.options)
        except (fathom.UsageError, fathom.BadInputError) as error:
            raise NotImplementedError(str(error)) from None
        return _sets(self.graph, result), result.facts["levels"]

    def best(self, max_level: int | None) -> list[set[Node]]:
        if max_level is not None and max_level <= 0:
            raise ValueError("max_level argument must be a positive integer or None")
        return self.after(_MOST_LEVELS if max_level is None else max_level)[0]

    def each(self) -> Iterator[list[set[Node]]]:
        """A run per level: the same seed takes it the same way, so far as it goes. What is refused
        is so at once, where NetworkX still answers itself."""
        return self._each(*self.after(_MOST_LEVELS))

    def _each(self, last: list[set[Node]], levels: int) -> Iterator[list[set[Node]]]:
        for level in range(1, levels + 1):
            found = self.after(level)[0]
            yield found
        # Leiden's method may still move nodes in a level that joins none, which does not count.
        if levels == 0 or found != last:
            yield last


def louvain_communities(
    G: Graph,
    weight: Any = "weight",
    resolution: float = 1,
    threshold: float = 0.0000001,
    max_level: int | None = None,
    seed: Any = None,
) -> list[set[Node]]:
    return _Method(fathom.louvain, G, weight, resolution, threshold, seed).best(max_level)


def louvain_partitions(
    G: Graph,
    weight: Any = "weight",
    resolution: float = 1,
    threshold: float = 0.0000001,
    seed: Any = None,
) -> Iterator[list[set[Node]]]:
    return _Method(fathom.louvain, G, weight, resolution, threshold, seed).each()


def leiden_communities(
    G: Graph,
    weight: Any = "weight",
    resolution: float = 1,
    max_level: int | None = None,
    seed: Any = None,
) -> list[set[Node]]:
    return _Method(_one_pass, G, weight, resolution, 0, seed).best(max_level)


def leiden_partitions(
    G: Graph, weight: Any = "weight", resolution: float = 1, seed: Any = None
) -> Iterator[list[set[Node]]]:
    return _Method(_one_pass, G, weight, resolution, 0, seed).each()


def _undirected(G: Any, *args: Any, **kwargs: Any) -> bool | str:
    return "modularity of directed graphs" if G.is_directed() else True


FUNCTIONS = {
    function.__name__: function
    for function in (
        louvain_communities,
        louvain_partitions,
        leiden_communities,
        leiden_partitions,
    )
}
REFUSALS: dict[str, Any] = {name: _undirected for name in FUNCTIONS}
