"""A graph as NetworkX means it: nodes of any kind, neighbours in their order, weights in double."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np

import fathom

Array = np.ndarray[Any, Any]
Node = Any


class Graph:
    """What functions of the backend work on.

    nodes:      in NetworkX's order; `index` has their rows.
    out, in_:   (offset int64 [n + 1], target int32 [m]): the neighbours of each row, in order.
    weights:    float64 [m] of `out`, or None; `integral` says that all were ints.
    original:   the NetworkX graph it was made of, for functions that return parts of it.
    """

    __networkx_backend__ = "fathom"

    def __init__(
        self,
        nodes: Any,
        out: tuple[Array, Array],
        *,
        directed: bool,
        weights: Array | None = None,
        integral: bool = True,
        multigraph: bool = False,
        original: Any = None,  # nx.Graph
        held: fathom.Graph | None = None,
        weight: tuple[str, Any] | None = None,
    ) -> None:
        self.nodes = nodes
        self.out = out
        self.directed = directed
        self.weights = weights
        self.integral = integral
        self.mixed = False  # some weights are ints and some are not
        self.multigraph = multigraph
        self.original = original
        self.graph: dict[str, Any] = {}
        self.name = ""
        self._held = held
        self._with_weights: fathom.Graph | None = (
            held if held is not None and held.weighted else None
        )
        self._in: tuple[Array, Array] | None = None
        self._in_weights: Array | None = None
        self.weight = weight
        self._others: dict[Any, Graph] = {}
        self._index: dict[Node, int] | None = None

    def __len__(self) -> int:
        return len(self.out[0]) - 1

    def __iter__(self) -> Any:
        return iter(self.nodes)

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return self.multigraph

    @property
    def index(self) -> dict[Node, int]:
        if self._index is None:
            self._index = {node: row for row, node in enumerate(self.nodes)}
        return self._index

    def row(self, node: Node) -> int | None:
        """None: no such node; what cannot be a node is none either."""
        try:
            return self.index.get(node)
        except TypeError:
            return None

    def __contains__(self, node: Node) -> bool:
        return self.row(node) is not None

    def rows(self, nodes: Iterable[Node]) -> list[int]:
        """Of those that are there, as nbunch_iter() has it."""
        try:
            iter(nodes)
        except TypeError:
            raise nx.NetworkXError(f"Node {nodes} is not in the graph.") from None
        return [row for row in map(self.row, nodes) if row is not None]

    def names(self, rows: Any) -> list[Node]:
        nodes = self.nodes
        return [nodes[row] for row in (rows.tolist() if isinstance(rows, np.ndarray) else rows)]

    @property
    def in_(self) -> tuple[Array, Array]:
        if not self.directed:
            return self.out
        if self._in is None:
            self._find_in()
        assert self._in is not None
        return self._in

    def _find_in(self) -> None:
        """Predecessors in NetworkX's order, where it has one; else by rows."""
        if self.original is not None:
            lists = _adjacent(self.original.pred, self.nodes)
            self._in = _lists(lists, self.nodes, self._index)
            if self.weights is not None and self.weight is not None:
                found = _weights(lists, *self.weight, len(self._in[1]), self.multigraph)
                self._in_weights = found[0]
            return
        order = np.argsort(self.out[1], kind="stable")
        self._in = self._back(order)
        if self.weights is not None:
            self._in_weights = self.weights[order]

    def _back(self, order: Array) -> tuple[Array, Array]:
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.out[1], minlength=len(self)), out=offsets[1:])
        return offsets, self.sources()[order]

    def reversed(self) -> tuple[Array, Array]:
        """Predecessors by rows: the lists of NetworkX's copy with edges turned around."""
        return self._back(np.argsort(self.out[1], kind="stable"))

    @property
    def in_weights(self) -> Array | None:
        """Of `in_`, float64."""
        if self.weights is None or not self.directed:
            return self.weights
        if self._in_weights is None:
            self._find_in()
        return self._in_weights

    def lengths(self) -> Array:
        """Weights of `out`; ones where there are none."""
        if self.weights is None:
            return np.ones(len(self.out[1]))
        return self.weights

    def in_lengths(self) -> Array:
        weights = self.in_weights
        return np.ones(len(self.out[1])) if weights is None else weights

    def sources(self) -> Array:
        """Of `out`, int32 [m]: the row of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.out[0]))

    @property
    def loops(self) -> Array:
        """[n]: 1 where a node is its own neighbour."""
        rows, target = self.sources(), self.out[1]
        loops = np.zeros(len(self), dtype=np.int64)
        loops[rows[rows == target]] = 1
        return loops

    def out_degrees(self) -> Array:
        """Neighbours of each row; a loop counts once."""
        return np.diff(self.out[0])

    def in_degrees(self) -> Array:
        return np.diff(self.in_[0])

    def number_of_edges(self) -> int:
        entries = len(self.out[1])
        return entries if self.directed else (entries + int(self.loops.sum())) // 2

    def by(self, weight: str | None, default: Any = 1) -> Graph:
        """The same graph with this attribute of edges as weights, `default` where an edge has
        none."""
        if self.weight == (None if weight is None else (weight, default)):
            return self
        key = (weight, default)
        if key not in self._others:
            self._others[key] = (
                convert(self.original, weight, default)
                if self.original is not None
                else self._unweighted()
            )
        return self._others[key]

    def _unweighted(self) -> Graph:
        """A Fathom graph's edges have no other attribute: each counts 1."""
        if self.weights is None:
            return self
        made = Graph(self.nodes, self.out, directed=self.directed, held=self._held)
        made._index = self._index
        made.graph = self.graph
        return made

    def plain(self) -> fathom.Graph:
        """The same graph for Fathom's algorithms; labels are rows."""
        if self._held is None:
            self._held = self._made(None)
        return self._held

    def weighted(self) -> fathom.Graph:
        """With weights, if there are any."""
        if self.weights is None:
            return self.plain()
        if self._with_weights is None:
            self._with_weights = self._made(self.weights)
        return self._with_weights

    def by_proportion(self) -> fathom.Graph:
        """Directed, with weights at least 0 divided by the largest of their list, which binary32
        holds whatever they are."""
        weights, rows = self.lengths(), self.sources()
        largest = np.zeros(len(self))
        np.maximum.at(largest, rows, weights)
        of_edges = largest[rows]
        shares = np.divide(weights, of_edges, out=np.zeros(len(rows)), where=of_edges > 0)
        return self._made(shares, directed=True)

    def _made(self, weights: Array | None, directed: bool | None = None) -> fathom.Graph:
        return fathom.from_edges(
            source=self.sources(),
            target=self.out[1],
            weight=weights,
            vertices=len(self),
            directed=self.directed if directed is None else directed,
        )

    def to_networkx(self) -> Any:
        """A NetworkX graph of the nodes and edges."""
        if self.original is not None:
            return self.original
        made: nx.Graph[Any] = nx.DiGraph() if self.directed else nx.Graph()
        nodes = list(self.nodes)
        made.add_nodes_from(nodes)
        rows, target = self.sources(), self.out[1]
        keep = slice(None) if self.directed else rows <= target
        from_ = [nodes[row] for row in rows[keep].tolist()]
        to = [nodes[row] for row in target[keep].tolist()]
        if self.weights is None:
            made.add_edges_from(zip(from_, to, strict=True))
        else:
            weights = self.weights[keep]
            values = (weights.astype(np.int64) if self.integral else weights).tolist()
            made.add_weighted_edges_from(zip(from_, to, values, strict=True))
        made.graph.update(self.graph)
        return made


def held(graph: fathom.Graph) -> Graph:
    """A Fathom graph, of which nothing is copied: lists are those of its file or memory; copies by
    rows where those of a reordered or slotted file are not."""
    its = getattr(graph, "_networkx", None)
    if its is None:
        if graph._core.natural and not graph._core.slotted:
            offset, target, weight = graph._core.lists(False)
        else:
            offset, target, weight = fathom.interop.lists(graph)
            target = target.astype(np.int32)
        its = Graph(
            _Labels(graph),
            (offset, target),
            directed=graph.directed,
            weights=None if weight is None else weight.astype(np.float64),
            integral=weight is not None and bool(np.all(weight == np.floor(weight))),
            held=graph,
            weight=("weight", 1) if weight is not None else None,
        )
        its._index = _Index(graph)  # type: ignore[assignment]
        graph._networkx = its  # type: ignore[attr-defined]
    return its


class _Labels:
    """The labels of a Fathom graph as a sequence of nodes."""

    def __init__(self, graph: fathom.Graph) -> None:
        self.graph = graph

    def __getitem__(self, row: int) -> Node:
        return self.graph.label(row)

    def __len__(self) -> int:
        return self.graph.vertices

    def __iter__(self) -> Any:
        return iter(self.graph)


class _Index:
    def __init__(self, graph: fathom.Graph) -> None:
        self.graph = graph

    def get(self, node: Node) -> int | None:
        try:
            return self.graph.row(node)
        except KeyError:
            return None


def convert(graph: nx.Graph[Any], weight: str | None = None, default: Any = 1) -> Graph:
    """The lists of a NetworkX graph; cost: a pass over its dictionaries.

    weight:  the edges' attribute to keep; of parallel edges the least counts.
    Raises NotImplementedError for what binary64 does not hold.
    """
    if type(graph).__name__ == "_AntiGraph":
        raise NotImplementedError("a complement that is not stored")
    nodes = list(graph)
    lists = _adjacent(graph.adj, nodes)
    index = None if _are_rows(nodes) else {node: row for row, node in enumerate(nodes)}
    out = _lists(lists, nodes, index)
    weights, integral, mixed = None, True, False
    if weight is not None:
        weights, integral, mixed = _weights(
            lists, weight, default, len(out[1]), graph.is_multigraph()
        )
    made = Graph(
        nodes,
        out,
        directed=graph.is_directed(),
        weights=weights,
        integral=integral,
        multigraph=graph.is_multigraph(),
        original=graph,
        weight=None if weight is None else (weight, default),
    )
    made._index = index
    made.mixed = mixed
    return made


def _adjacent(adjacency: Any, nodes: list[Node]) -> list[Any]:
    """The dictionary of each node, without the views around it where there are any."""
    plain = getattr(adjacency, "_atlas", adjacency)
    if not isinstance(plain, dict):  # a filtered view
        return [dict(adjacency[node]) for node in nodes]
    return [plain[node] for node in nodes]


def _lists(
    lists: list[Any], nodes: list[Node], index: dict[Node, int] | None
) -> tuple[Array, Array]:
    offset = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, lists), np.int64, len(nodes)), out=offset[1:])
    neighbours: Iterable[Any] = itertools.chain.from_iterable(lists)
    rows = neighbours if index is None else map(index.__getitem__, neighbours)
    try:
        return offset, np.fromiter(rows, dtype=np.int32, count=int(offset[-1]))
    except (KeyError, TypeError, ValueError) as error:
        raise NotImplementedError(f"neighbours that are no nodes: {error}") from None


def _are_rows(nodes: list[Node]) -> bool:
    """Whether nodes are 0, 1, 2, ... in this order."""
    return all(type(node) is int for node in nodes) and nodes == list(range(len(nodes)))


def _weights(
    lists: list[Any], name: str, default: Any, entries: int, multigraph: bool
) -> tuple[Array | None, bool, bool]:
    """(weights, all are ints, some are and some are not); None: all are 1."""
    data: Iterable[Any] = itertools.chain.from_iterable(its.values() for its in lists)
    if multigraph:
        values = [min(d.get(name, default) for d in keys.values()) for keys in data]
    else:
        values = [d.get(name, default) for d in data]
    kinds = set(map(type, values))
    numbers = (int, float, np.number)
    if not kinds <= {int, float, bool} and not all(isinstance(v, numbers) for v in values):
        raise NotImplementedError(f"weights that are no numbers ({name!r})")
    try:
        weights = np.fromiter(map(float, values), dtype=np.float64, count=entries)
    except (TypeError, ValueError, OverflowError):
        raise NotImplementedError(f"weights that binary64 does not hold ({name!r})") from None
    integral = all(issubclass(kind, int | np.integer) for kind in kinds)
    if integral and entries and (np.abs(weights).max() * (len(lists) + 1) >= 2**53):
        raise NotImplementedError("integers whose sums binary64 does not hold")
    if not np.isfinite(weights).all():
        raise NotImplementedError("weights that are infinite or NaN")
    if any(issubclass(kind, np.floating) and not issubclass(kind, float) for kind in kinds):
        raise NotImplementedError("weights in NumPy's other floats")
    if integral and entries and (weights == 1).all():
        return None, True, False
    mixed = not integral and any(issubclass(kind, int | np.integer) for kind in kinds)
    return weights, integral, mixed
