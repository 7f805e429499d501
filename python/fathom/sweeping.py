"""All edges in pages, for algorithms of the caller's own."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _core
from .errors import UsageError
from .graph import GraphLike, graph_of

Array = np.ndarray[Any, Any]


class Page(NamedTuple):
    """Edges that follow each other in the lists, one entry each."""

    source: Array  # uint32 rows, ascending unless the graph was reordered
    target: Array  # uint32 rows
    weight: Array | None  # float32; None where the graph is unweighted


def sweep(
    graph: GraphLike, *, mode: Literal["out", "in"] = "out", page_edges: int = 1 << 20
) -> Iterator[Page]:
    """Yields every edge once, in pages of at most `page_edges`, however large the graph: an
    algorithm in NumPy, Numba or CuPy streams it in this way.

        degree = np.zeros(g.vertices, dtype=np.int64)
        for source, target, weight in fg.sweep(g):
            degree += np.bincount(target, minlength=g.vertices)

    mode:   "in" yields (v, u) for each edge from u to v, in the order of the in-lists. Edges of an
            undirected graph come in both directions.
    Memory: three pages of 12 bytes per edge; the next is read while the caller works.
    Raises UsageError at once, for "in" of a graph without in-edges too; BadInputError for a damaged
    file.
    """
    core = graph_of(graph, "sweep")._core
    if mode not in ("out", "in"):
        raise UsageError(f"mode: expected 'out' or 'in', found {mode!r}")
    if isinstance(page_edges, bool) or not hasattr(page_edges, "__index__") or page_edges < 1:
        raise UsageError(f"page_edges: expected an integer of at least 1, found {page_edges!r}")
    at_once = min(operator.index(page_edges), 2**62)
    if mode == "in" and core.directed and not core.has_in_edges:
        raise UsageError("mode: the graph has no in-edges (it was made with in_edges=False)")
    return _pages(core, mode == "in" and core.directed, at_once)


def _pages(core: _core.Graph, in_edges: bool, page_edges: int) -> Iterator[Page]:
    pages = _core.Sweep(core, in_edges, page_edges)
    while (page := pages.next()) is not None:
        yield Page(*page)
