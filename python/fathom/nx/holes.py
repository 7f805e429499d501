"""Structural holes: what a node's neighbours owe to each other (Burt, 1992)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom import _core

from .graph import Array, Graph, Node


class _Mutual:
    """The weights of edges there and back, added up, as lists."""

    def __init__(self, graph: Graph) -> None:
        n, lengths = len(graph), graph.lengths()
        if (lengths <= 0).any():
            raise NotImplementedError("weights that are not above 0")
        rows, target = graph.sources().astype(np.int64), graph.out[1].astype(np.int64)
        keys = np.concatenate((rows * n + target, target * n + rows))
        keys, place = np.unique(keys, return_inverse=True)
        self.weight: Array = np.bincount(place, np.concatenate((lengths, lengths)), len(keys))
        self.rows, self.target = keys // n, (keys % n).astype(np.int32)
        self.offset = np.searchsorted(self.rows, np.arange(n + 1))
        self.n = n

    def added(self, values: Array) -> Array:
        """[n]: values of edges, by where these begin."""
        return np.bincount(self.rows, values, self.n).astype(np.float64)

    def loops(self, values: Array) -> Array:
        """[n]: values of loops, else 0."""
        return self.added(np.where(self.rows == self.target, values, 0))

    def shares(self) -> Array:
        """Of each edge in all that begin where it does."""
        shares: Array = self.weight / self.added(self.weight)[self.rows]
        return shares

    def product(self, left: Array, right: Array) -> Array:
        product: Array = _core.product_at_edges(self.offset, self.target, left, right)
        return product


def effective_size(G: Graph, nodes: Any = None, weight: Any = None) -> dict[Node, float]:
    mutual = _Mutual(G.by(None))
    shares = mutual.shares()
    redundant = mutual.product(shares, np.ones(len(shares)))
    sizes = mutual.added(1 - redundant)
    sizes[mutual.added(shares) - mutual.loops(shares) == 0] = np.nan
    return dict(zip(G.nodes, sizes.tolist(), strict=True))


def constraint(G: Graph, nodes: Any = None, weight: Any = None) -> dict[Node, float]:
    mutual = _Mutual(G.by(weight))
    shares = mutual.shares()
    constraints = mutual.added((shares + mutual.product(shares, shares)) ** 2)
    constraints[mutual.added(mutual.weight) - 2 * mutual.loops(shares) == 0] = np.nan
    return dict(zip(G.nodes, constraints.tolist(), strict=True))


def _of_all(G: Any, nodes: Any = None, weight: Any = None) -> bool | str:
    if nodes is not None:
        return "only some nodes are asked for"
    return "weights are computed by a function" if callable(weight) else True


def _size(G: Any, nodes: Any = None, weight: Any = None) -> bool | str:
    if weight is not None or G.is_directed():
        return "its answers for all nodes and for some are not the same there"
    return _of_all(G, nodes, weight)


FUNCTIONS = {function.__name__: function for function in (effective_size, constraint)}
REFUSALS: dict[str, Any] = {"effective_size": _size, "constraint": _of_all}
