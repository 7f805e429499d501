"""Batches of graphs that change: how the core reads them, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core, cuda
from .errors import UsageError
from .interop import column, edge_arrays, unzipped

if TYPE_CHECKING:
    from .graph import Array


class Applied(NamedTuple):
    """What became of a batch. Of an undirected graph each edge counts once.

    Of several updates of an edge in a batch those count that decide what it is afterwards; the
    others are superseded.
    """

    number: int  # of the batch among those of the graph, from 1 on
    inserted: int  # edges
    overwritten: int  # insertions of an edge that was there and got their weight and fields
    ignored: int  # insertions of an edge that was there
    removed: int  # edges
    missing: int  # deletions of an edge that was not there
    superseded: int  # updates without effect for another one of their edge
    new_vertices: int
    deleted_vertices: int
    without_effect: int  # at a vertex that is not there; insertions of one that is, and stays so
    rounded_weights: int  # weights that binary32 does not hold exactly
    seconds: float  # of applying it to the lists


class EdgeFields(NamedTuple):
    """What edges of a semantic graph have beside weights, numbers that are kept as they are given.

    To filters (`since`, `until`, `at`) an edge begins at t1 and ends at t2; 0: it does not end.
    """

    type: Array  # [edges] of uint32
    t1: Array  # [edges] of uint64, in whatever unit they were given
    t2: Array  # [edges] of uint64


class VertexFields(NamedTuple):
    """What vertices have, of any graph that changes."""

    weight: Any  # [vertices] of float32; 1 where nothing else was said
    type: Any  # [vertices] of uint32; 0 where nothing else was said


class Neighbors(NamedTuple):
    """The out-neighbors of a vertex, ascending by label."""

    labels: Any  # int64 array (uint64 where one is beyond 2^63), or list of str
    weights: Array | None  # float32, in the same order; None where the graph has none
    fields: EdgeFields | None = None  # in the same order; None where the graph has none


def edge_columns(
    name: str, edges: Any, *, weighted: bool = False, semantic: bool = False
) -> tuple[Any, ...]:
    """Source, target and, where they are given, weight, type, t1 and t2 as the core reads them.
    Raises UsageError."""
    if hasattr(edges, "__arrow_c_stream__"):
        optional = ["weight"] * weighted + [*EdgeFields._fields] * semantic
        stream = edges.__arrow_c_stream__()
        return tuple(_core.arrow_columns(stream, ["source", "target"], optional, f"{name}."))
    if (view := cuda._view_of(edges)) is not None:
        if len(view.shape) != 2 or view.shape[1] != 2:
            raise UsageError(f"{name}: expected an array [edges, 2], found {list(view.shape)}")
        return view.column(f"{name}.source", 0), view.column(f"{name}.target", 1)
    if not semantic and isinstance(edges, tuple) and len(edges) == 6 and all(map(_is_row, edges)):
        edges = list(edges)  # six edges, not six columns
    source, target, *rest = edge_arrays(name, edges, (2, 3, 6))
    weight, *fields = rest or [None]
    why = "this graph has none" if name == "insert" else "none is looked at"
    if any(values is not None for values in fields) and not semantic:
        raise UsageError(f"{name}: expected no types and timestamps, as {why}")
    if weight is not None and not weighted:
        raise UsageError(f"{name}: expected no weights, as {why}")
    columns = [column_anywhere(source, f"{name}.source"), column_anywhere(target, f"{name}.target")]
    if rest:
        columns.append(_column_if(weight, f"{name}.weight", numbers=True))
    for field, values in zip(EdgeFields._fields, fields, strict=False):
        columns.append(_column_if(values, f"{name}.{field}", strings=False))
    return tuple(columns)


def vertex_columns(name: str, vertices: Any) -> tuple[Any, Any, Any] | None:
    """Label and, where they are given, weight and type as the core reads them. Raises
    UsageError."""
    if hasattr(vertices, "__arrow_c_stream__"):
        stream = vertices.__arrow_c_stream__()
        its = _core.arrow_columns(stream, ["vertex"], [*VertexFields._fields], f"{name}.")
        label, weight, kind = [*its, None, None][:3]  # a Series is labels alone
        return label, weight, kind
    labels, weight, kind = vertices, None, None
    if isinstance(vertices, tuple) and len(vertices) == 3 and not _is_label(vertices[0]):
        labels, weight, kind = vertices
    elif _is_row(vertices) and vertices and _is_row(vertices[0]):
        expected = "a triple of label, weight and type"
        labels, weight, kind = unzipped(name, vertices, (3,), expected)
    its = label_column(name, labels)
    if its is None:
        return None
    return (
        its,
        _column_if(weight, f"{name}.weight", numbers=True),
        _column_if(kind, f"{name}.type", strings=False),
    )


def column_anywhere(values: Any, name: str, **kinds: bool) -> Any:
    """Of the host, or of a GPU."""
    if (view := cuda._view_of(values)) is not None:
        return view.column(name)
    return column(values, name, **kinds)


def _column_if(values: Any, name: str, **kinds: bool) -> Any:
    return None if values is None else column_anywhere(values, name, **kinds)


def answered(values: Any) -> Any:
    """Where the questions were."""
    return cuda.Array(values) if isinstance(values, _core.DeviceArray) else values


def label_column(name: str, labels: Any) -> Any:
    if labels is None:
        return None
    if _is_label(labels):
        labels = [labels]
    elif (view := cuda._view_of(labels)) is not None:
        return view.column(name)
    elif not isinstance(labels, np.ndarray) and not hasattr(labels, "__arrow_c_stream__"):
        labels = list(labels)
    return column(labels, name)


def _is_label(value: Any) -> bool:
    return isinstance(value, int | str | bytes | np.integer)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple)
