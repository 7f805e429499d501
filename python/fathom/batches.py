"""Batches of graphs that change: how the core reads them, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core, cuda
from .errors import UsageError
from .interop import column, edge_arrays

if TYPE_CHECKING:
    from .graph import Array


class Applied(NamedTuple):
    """What became of a batch. Of an undirected graph each edge counts once.

    Of several updates of an edge in a batch those count that decide what it is afterwards; the
    others are superseded.
    """

    number: int  # of the batch among those of the graph, from 1 on
    inserted: int  # edges
    overwritten: int  # insertions of an edge that was there and got their weight
    ignored: int  # insertions of an edge that was there
    removed: int  # edges
    missing: int  # deletions of an edge that was not there
    superseded: int  # updates without effect for another one of their edge
    new_vertices: int
    deleted_vertices: int
    without_effect: int  # at a vertex that is not there; insertions of one that is
    rounded_weights: int  # weights that binary32 does not hold exactly
    seconds: float  # of applying it to the lists


class Neighbors(NamedTuple):
    """The out-neighbors of a vertex, ascending by label."""

    labels: Any  # int64 array (uint64 where one is beyond 2^63), or list of str
    weights: Array | None  # float32, in the same order; None where the graph has none


def edge_columns(name: str, edges: Any, weighted: bool) -> tuple[Any, Any, Any]:
    """Source, target and weight (or None) as the core reads them. Raises UsageError."""
    if hasattr(edges, "__arrow_c_stream__"):
        optional = ["weight"] if weighted else []
        columns = _core.arrow_columns(
            edges.__arrow_c_stream__(), ["source", "target"], optional, f"{name}."
        )
        return columns[0], columns[1], columns[2] if weighted else None
    if (view := cuda._view_of(edges)) is not None:
        if len(view.shape) != 2 or view.shape[1] != 2:
            raise UsageError(f"{name}: expected an array [edges, 2], found {list(view.shape)}")
        return view.column(f"{name}.source", 0), view.column(f"{name}.target", 1), None
    source, target, weight = edge_arrays(name, edges)
    if weight is not None and not weighted:
        why = "this graph has none" if name == "insert" else "none is looked at"
        raise UsageError(f"{name}: expected no weights, as {why}")
    weights = None if weight is None else column_anywhere(weight, f"{name}.weight", numbers=True)
    ends = column_anywhere(source, f"{name}.source"), column_anywhere(target, f"{name}.target")
    return *ends, weights


def column_anywhere(values: Any, name: str, *, numbers: bool = False) -> Any:
    """Of the host, or of a GPU."""
    if (view := cuda._view_of(values)) is not None:
        return view.column(name)
    return column(values, name, numbers=numbers)


def answered(values: Any) -> Any:
    """Where the questions were."""
    return cuda.Array(values) if isinstance(values, _core.DeviceArray) else values


def label_column(name: str, labels: Any) -> Any:
    if labels is None:
        return None
    if isinstance(labels, int | str | bytes | np.integer):
        labels = [labels]
    elif (view := cuda._view_of(labels)) is not None:
        return view.column(name)
    elif not isinstance(labels, np.ndarray) and not hasattr(labels, "__arrow_c_stream__"):
        labels = list(labels)
    return column(labels, name)
