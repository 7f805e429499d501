"""Random walks as arrays: the input of node2vec, DeepWalk and their like."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, execution
from .errors import DoesNotFitError, UsageError
from .graph import Graph, GraphLike, graph_of, labels_bytes

if TYPE_CHECKING:
    from typing import Unpack

    from .execution import Execution

Array = np.ndarray[Any, Any]


def walks(
    graph: GraphLike,
    source: Any = None,
    *,
    length: int = 10,
    per_source: int = 1,
    weighted: bool = False,
    p: float = 1.0,
    q: float = 1.0,
    restart: float = 0.0,
    seed: int = 0,
    **execution_options: Unpack[Execution],
) -> Array:
    """Random walks along out-edges, the same for a seed on every device, residency and thread.

        w = fg.walks(g, length=80, per_source=10, p=0.25, q=4)
        sentences = np.asarray(g.labels)[w]    # where no walk has ended early

    source:      labels where walks begin, or one; None: every vertex.
    length:      steps of a walk at most.
    per_source:  walks from each.
    weighted:    edges are gone along in proportion to weights.
    p, q:        from 0.001 to 1000; node2vec's: a step goes back to where the last came from 1 / p
                 times as likely, and where no edge leads from there 1 / q times.
    restart:     the probability that a step leads back to where the walk began.
    Returns int64 [walks, length + 1]: rows, those of the first source first; row i is the vertex
    `g.labels[i]`. One ends early where no edge leads on, and is -1 behind that.
    Raises UsageError for a label that no vertex has, DoesNotFitError, BadInputError for weights
    that are negative or not finite.
    Memory: 8 (length + 1) bytes per walk; `walk_batches` gives some at a time.
    Source: Grover and Leskovec, KDD 2016; Yang et al., SOSP 2019 (KnightKing).
    """
    drawing = _drawing(
        graph, source, length, per_source, weighted, p, q, restart, seed, execution_options
    )
    return _drawn(drawing, 0, drawing.walks, length)


def walk_batches(
    graph: GraphLike,
    source: Any = None,
    *,
    batch: int = 1 << 16,
    length: int = 10,
    per_source: int = 1,
    weighted: bool = False,
    p: float = 1.0,
    q: float = 1.0,
    restart: float = 0.0,
    seed: int = 0,
    **execution_options: Unpack[Execution],
) -> Iterator[Array]:
    """Yields the walks that `walks` returns, `batch` of them at a time.

    batch:   walks of an array; the last has what is left. Large ones are read faster where edges
             are streamed: each step of a batch is a sweep.
    Others are those of `walks`. Raises what that does, before the first array.
    """
    try:
        each = operator.index(batch)
    except TypeError:
        each = 0
    if each < 1:
        raise UsageError(f"batch: expected an integer of at least 1, found {batch!r}")
    drawing = _drawing(
        graph, source, length, per_source, weighted, p, q, restart, seed, execution_options
    )
    return (
        _drawn(drawing, first, min(each, drawing.walks - first), length)
        for first in range(0, drawing.walks, each)
    )


def _drawn(drawing: _core.Walks, first: int, walks: int, length: int) -> Array:
    try:
        rows: Array = drawing.draw(first, walks)
    except MemoryError:
        raise DoesNotFitError(
            f"{walks} walks of {length + 1} vertices do not fit memory; "
            "walk_batches gives some at a time"
        ) from None
    return rows.reshape(walks, length + 1)


def _drawing(
    graph: GraphLike,
    source: Any,
    length: int,
    per_source: int,
    weighted: bool,
    p: float,
    q: float,
    restart: float,
    seed: int,
    execution_options: Any,
) -> _core.Walks:
    graph = graph_of(graph, "walks")
    return _core.make_walks(
        graph._core,
        execution.words_of(execution_options),
        None if source is None else _rows_of(graph, source),
        _count("length", length, 2**20 - 1),
        _count("per_source", per_source, 2**63),
        bool(weighted),
        _real("p", p),
        _real("q", q),
        _real("restart", restart),
        _count("seed", seed, 2**64 - 1),
    )


def _rows_of(graph: Graph, source: Any) -> Array:
    rows = []
    for label in labels_bytes(source, graph._string_labels):
        rows.append(graph._core.find(label))
        if rows[-1] < 0:
            shown = label.decode("utf-8", "backslashreplace")
            raise UsageError(f"source: the graph has no vertex {shown!r}")
    return np.array(rows, dtype=np.int64)


def _count(name: str, value: Any, most: int) -> int:
    try:
        its = operator.index(value)
    except TypeError:
        its = -1
    if not 0 <= its <= most:
        raise UsageError(f"{name}: expected an integer from 0 to {most}, found {value!r}")
    return its


def _real(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: expected a number, found {value!r}") from None
