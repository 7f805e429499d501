"""Graphs from and to NumPy, Arrow tables, SciPy and NetworkX."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from .arrow import Table
from .errors import BadInputError, UsageError
from .graph import Graph, Path, made, path_of
from .sweeping import sweep

if TYPE_CHECKING:
    import networkx
    import pyarrow
    import scipy.sparse

Duplicates = Literal["min", "max", "sum", "first", "keep"]

# The sizes that commands take, too.
_UNITS = {"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40, "K": 10, "M": 20, "G": 30, "T": 40, "B": 0}


def from_edges(
    edges: Any = None,
    *,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    vertices: Any = None,
    directed: bool = True,
    duplicates: Duplicates = "min",
    loops: Literal["keep", "drop"] = "keep",
    in_edges: bool = True,
    path: Path | None = None,
    memory: int | str | None = None,
    threads: int = 0,
) -> Graph:
    """A graph of edges in arrays or in a table.

    edges:       a table with `__arrow_c_stream__` (Polars, pandas, pyarrow, DuckDB); an integer
                 array [edges, 2]; a pair of arrays (source, target), or three with weights; a list
                 of pairs, or of triples with weights; or nothing, with `source` and `target` as
                 arrays, or with `vertices` alone.
    source, target, weight:
                 of a table the names of its columns ("source", "target" unless given; no weights
                 unless named). Else arrays [edges]: labels of any integer type of at least 0, or
                 strings; weights are finite numbers that binary32 holds in range, and are rounded
                 to it.
    vertices:    labels of vertices that exist although no edge may name them; or a number n:
                 vertices are 0 to n - 1.
    directed:    False: every edge goes both ways.
    duplicates:  of several edges between the same vertices: which weight the merged one gets, or
                 "keep" them all.
    loops:       edges from a vertex to itself.
    in_edges:    also keep in-edges of a directed graph; without them algorithms push.
    path:        a .fg file to make; None: the graph is in memory, `copied_bytes` of it.
    memory:      bounds what making it takes beside the result (half of what is free unless
                 given); what does not fit is sorted in $TMPDIR.
    Raises BadInputError naming column, row and value (a negative label, null, NaN, out of
    range);
    UsageError for columns of other types or lengths.
    Cost: one read of the edges, a sort of 8 to 12 bytes per edge.
    """
    directed, in_edges = flag("directed", directed), flag("in_edges", in_edges)
    threads = count("threads", threads)
    columns = _edge_columns(edges, source, target, weight, vertices)
    declared, alone = _vertices(vertices)
    core, rounded = _core.from_columns(
        *columns,
        alone,
        declared,
        directed,
        duplicates,
        loops,
        in_edges,
        size_of(memory),
        threads,
        path_of(path),
        "fathom.from_edges",
    )
    graph = made(core)
    graph.rounded_weights = rounded
    return graph


def flag(name: str, value: Any) -> bool:
    """Raises UsageError for what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise UsageError(f"{name}: expected True or False, found {value!r}")
    return bool(value)


def count(name: str, value: Any, most: int = 2**31 - 1) -> int:
    """Raises UsageError for what is no integer from 0 to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if isinstance(value, bool) or not 0 <= number <= most:
        raise UsageError(f"{name}: expected an integer from 0 to {most}, found {value!r}")
    return number


def size_of(size: int | str | None) -> int:
    """Bytes; 0 for None. Raises UsageError."""
    if size is None:
        return 0
    number, shift = str(size), 0
    for unit, its_shift in _UNITS.items():
        if number.endswith(unit):
            number, shift = number.removesuffix(unit), its_shift
            break
    if isinstance(size, bool) or not number.isdecimal() or int(number) << shift >= 2**63:
        raise UsageError(f"memory: expected a size such as '4GiB', found {size!r}")
    return int(number) << shift


def _edge_columns(
    edges: Any, source: Any, target: Any, weight: Any, vertices: Any
) -> tuple[Any, Any, Any]:
    if hasattr(edges, "__arrow_c_stream__"):
        names = [source or "source", target or "target"]
        if weight is not None:
            names.append(weight)
        if not all(isinstance(name, str) for name in names):
            raise UsageError("source, target and weight name columns where edges are a table")
        columns = _core.arrow_columns(edges.__arrow_c_stream__(), names)
        return columns[0], columns[1], columns[2] if weight is not None else None
    if edges is not None:
        if source is not None or target is not None:
            raise UsageError("give edges, or source and target")
        source, target, *rest = edge_arrays("edges", edges)
        weights = rest[0] if rest else None
        if weights is not None and weight is not None:
            raise UsageError("weights are in the edges, and in weight: give one of them")
        weight = weights if weight is None else weight
    elif vertices is not None and source is None and target is None:
        source, target = [], []
    if source is None or target is None:
        raise UsageError("give edges, or source and target")
    from_, to = column(source, "source"), column(target, "target")
    return from_, to, None if weight is None else column(weight, "weight", numbers=True)


def edge_arrays(name: str, edges: Any, sizes: Sequence[int] = (2, 3)) -> list[Any]:
    """Source, target and what follows them, of an array [edges, 2], a tuple of `sizes` arrays, or
    rows of `sizes` values. Raises UsageError."""
    if isinstance(edges, tuple) and len(edges) in sizes:
        return list(edges)
    if isinstance(edges, np.ndarray):
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise UsageError(f"{name}: expected an array [edges, 2], found {list(edges.shape)}")
        return [edges[:, 0], edges[:, 1]]
    try:
        rows = [tuple(edge) for edge in edges]
    except TypeError:
        raise UsageError(
            f"{name}: expected a table, arrays or rows of two or three values, "
            f"found {type(edges).__name__}"
        ) from None
    expected = "a pair or, of all edges, triples"
    if 6 in sizes:
        expected += " or six values (source, target, weight, type, t1, t2)"
    return unzipped(name, rows, sizes, expected) if rows else [[], []]


def unzipped(name: str, rows: list[Any], sizes: Sequence[int], expected: str) -> list[Any]:
    """The columns of rows, all of one of these sizes. Raises UsageError."""
    size = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != size or size not in sizes:
            raise UsageError(f"{name}[{i}]: expected {expected}; found {row!r}")
    return [list(values) for values in zip(*rows, strict=True)]


def column(values: Any, name: str, *, numbers: bool = False, strings: bool = True) -> Any:
    """Values as the core reads them: integers or strings; `numbers`: or floats instead of strings;
    not `strings`: integers alone. Raises UsageError for others."""
    if hasattr(values, "__arrow_c_stream__"):  # a Series
        return _core.arrow_columns(values.__arrow_c_stream__(), [name])[0]
    if hasattr(values, "__cuda_array_interface__"):
        raise UsageError(f"{name}: the array is in the memory of a GPU: copy it to the host")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        at = int(np.argmax(np.ma.getmaskarray(values)))
        raise BadInputError(f"{name}[{at}]: expected a value, found one that is masked")
    if isinstance(values, list | tuple) and any(isinstance(v, str | bytes) for v in values):
        array = np.empty(len(values), dtype=object)  # NumPy would make strings of numbers
        array[:] = values
    else:
        try:
            array = np.asarray(values)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name}: no array can be made of it: {error}") from None
        floats = array.dtype.kind == "f" and isinstance(values, list | tuple) and not numbers
        if floats and all(map(_is_int, values)):  # which doubles do not hold
            array = np.array(values, dtype=object)
    if array.ndim != 1:
        raise UsageError(f"{name}: expected one dimension, found {array.ndim}")
    kind = array.dtype.kind
    if array.size == 0 and kind in "fO":
        array, kind = array.astype(np.float64 if numbers else np.int64), "f" if numbers else "i"
    if kind == "O" and not numbers:
        return _objects(array, name, strings)
    if kind in "USTO" and not numbers and strings:
        return _core.text_column(name, array.tolist())
    if (kind == "b" and numbers) or (kind in "iu" and array.dtype.itemsize < 4):
        array = array.astype(np.int32 if kind != "b" else np.float32)
    elif kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    if (kind not in "iuf" and not (kind == "b" and numbers)) or (kind == "f" and not numbers):
        expected = "numbers" if numbers else "integers or strings" if strings else "integers"
        raise UsageError(f"{name}: expected {expected}, found an array of {array.dtype}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return _core.number_column(name, array)


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _objects(array: np.ndarray[Any, Any], name: str, strings: bool) -> Any:
    """Of Python's objects: all integers or, if they may be, all strings."""
    if all(_is_int(value) for value in array):
        try:
            return _core.number_column(name, array.astype(np.int64))
        except OverflowError:
            try:
                return _core.number_column(name, array.astype(np.uint64))
            except OverflowError:
                row, wrong = next((i, int(x)) for i, x in enumerate(array) if not 0 <= x < 2**64)
                expected = "an integer from 0 to 2^64 - 1"
                found = wrong if wrong.bit_length() <= 128 else f"one of {wrong.bit_length()} bits"
                raise BadInputError(f"{name}[{row}]: expected {expected}, found {found}") from None
    if not strings:
        wrong = next(value for value in array if not _is_int(value))
        raise UsageError(f"{name}: expected integers, found {wrong!r}")
    return _core.text_column(name, array.tolist())


def _vertices(vertices: Any) -> tuple[int | None, Any]:
    """How many, or which."""
    if vertices is None:
        return None, None
    if isinstance(vertices, int | np.integer) and not isinstance(vertices, bool):
        return count("vertices", vertices, 2**32 - 2), None
    return None, column(vertices, "vertices")


def from_scipy(
    matrix: Any,
    *,
    directed: bool = True,
    weighted: bool | None = None,
    duplicates: Duplicates = "sum",
    in_edges: bool = True,
    path: Path | None = None,
    memory: int | str | None = None,
    threads: int = 0,
) -> Graph:
    """A graph of a sparse matrix: an edge from i to j for each stored entry (i, j), zeros too.

    matrix:      any scipy.sparse array or matrix [n, n]; labels are 0 to n - 1. Indices may be
                 int32 or int64, unsorted, and duplicate (then as `duplicates` says; SciPy means
                 their sum).
    directed:    False: the matrix must be symmetric.
    weighted:    False: entries are edges, whatever their values. None: weighted unless the matrix
                 is boolean.
    The rest as in from_edges.
    Cost: without a sort where the matrix is a CSR in canonical form; `copied_bytes` in any case.
    """
    directed, in_edges = flag("directed", directed), flag("in_edges", in_edges)
    threads = count("threads", threads)
    rows, columns = matrix.shape
    if rows != columns:
        raise UsageError(f"the matrix is {rows} by {columns}; a graph's is square")
    if weighted is None:
        weighted = matrix.dtype.kind != "b"
    if weighted and matrix.dtype.kind not in "iuf":
        raise UsageError(f"weights: expected real numbers, found an array of {matrix.dtype}")
    place = path_of(path)
    if matrix.format != "csr" and (duplicates == "sum" or not weighted):
        matrix = matrix.tocsr()
        matrix.sum_duplicates()
    if matrix.format == "csr":
        data = column(matrix.data, "data", numbers=True) if weighted else None
        indptr, indices = _indices(matrix.indptr, matrix.indices)
        core = _core.from_csr(
            rows,
            indptr,
            indices,
            data,
            directed,
            in_edges,
            threads,
            place,
            "fathom.from_scipy",
        )
        if core is not None:
            graph = made(core[0])
            graph.rounded_weights = core[1]
            return graph
        _check_csr(matrix)
    entries = matrix.tocoo()
    _check_range(entries, rows)
    once = slice(None)
    if not directed:
        _check_symmetric(matrix)
        once = entries.row <= entries.col  # the others are their reverses
    return from_edges(
        source=entries.row[once],
        target=entries.col[once],
        weight=entries.data[once] if weighted else None,
        vertices=rows,
        duplicates=duplicates if weighted else "min",
        directed=directed,
        in_edges=in_edges,
        path=path,
        memory=memory,
        threads=threads,
    )


def _indices(*arrays: Any) -> Any:
    """Of one type, int32 where all are."""
    narrow = all(array.dtype == np.int32 for array in arrays)
    return [np.ascontiguousarray(array, np.int32 if narrow else np.int64) for array in arrays]


def _check_csr(matrix: Any) -> None:
    pointers = matrix.indptr
    if len(pointers) != matrix.shape[0] + 1 or pointers[0] != 0 or np.any(np.diff(pointers) < 0):
        raise BadInputError("the matrix's indptr is not ascending from 0")
    if pointers[-1] > len(matrix.indices) or len(matrix.data) != len(matrix.indices):
        raise BadInputError("the matrix's indptr, indices and data do not go together")
    _refuse_range("indices", matrix.indices, matrix.shape[0])


def _check_range(entries: Any, n: int) -> None:
    _refuse_range("row", entries.row, n)
    _refuse_range("column", entries.col, n)


def _refuse_range(name: str, indices: Any, n: int) -> None:
    wrong = (indices < 0) | (indices >= n)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise BadInputError(f"{name}[{at}]: expected 0 to {n - 1}, found {indices[at]}")


def _check_symmetric(matrix: Any) -> None:
    if np.any((matrix.tocsr() - matrix.T.tocsr()).data != 0):
        raise BadInputError("the matrix is not symmetric, as that of an undirected graph is")


def from_networkx(
    graph: networkx.Graph[Any], *, weight: str | None = "weight", path: Path | None = None
) -> Graph:
    """A graph of a NetworkX graph whose nodes are all integers of at least 0, or all strings.

    weight:  the edges' attribute; edges without it get 1. None, or no edge has it: unweighted.
    Multigraphs: the smallest weight of parallel edges stays. Attributes of nodes are left out.
    Other nodes: `nx.pagerank(G, backend="fathom")` and its kin take any.
    """
    nodes = list(graph)
    edges = list(graph.edges(data=weight, default=None)) if weight else list(graph.edges())
    weights = None
    if weight and any(edge[2] is not None for edge in edges):
        given = [1.0 if e[2] is None else e[2] for e in edges]
        try:
            weights = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"{weight}: expected numbers: {error}") from None
    return from_edges(
        source=_labels([edge[0] for edge in edges], nodes),
        target=_labels([edge[1] for edge in edges], nodes),
        weight=weights,
        vertices=_labels(nodes, nodes),
        directed=graph.is_directed(),
        path=path,
    )


def _labels(values: list[Any], nodes: list[Any]) -> Any:
    strings = bool(nodes) and isinstance(nodes[0], str)
    for node in values:
        if isinstance(node, str) != strings or not isinstance(node, str | int | np.integer):
            raise UsageError(
                f"nodes are neither all integers nor all strings: {node!r}; "
                "networkx's backend='fathom' takes any"
            )
    return np.array(values, dtype=object) if strings else values


def to_scipy(graph: Graph) -> scipy.sparse.csr_array[Any, Any]:
    import scipy.sparse

    n = graph.vertices
    offset, target, weight = lists(graph)
    if weight is None:
        weight = np.ones(len(target), dtype=np.float32)
    index = np.int32 if max(n, len(target)) < 2**31 else np.int64
    return scipy.sparse.csr_array(
        (weight, target.astype(index), offset.astype(index)), shape=(n, n)
    )


def lists(graph: Graph) -> tuple[Any, Any, Any]:
    """(offset int64 [vertices + 1], target uint32 [edges], weight float32 [edges] or None): copies
    of the lists of rows, ascending."""
    pages = list(sweep(graph))
    offset = np.zeros(graph.vertices + 1, dtype=np.int64)
    if not pages:
        nothing = np.zeros(0, dtype=np.float32) if graph.weighted else None
        return offset, np.zeros(0, dtype=np.uint32), nothing
    source = np.concatenate([page.source for page in pages])
    target = np.concatenate([page.target for page in pages])
    weight = None
    if graph.weighted:
        weight = np.concatenate([page.weight for page in pages if page.weight is not None])
    if not graph._core.natural:
        order = np.lexsort((target, source))
        source, target = source[order], target[order]
        weight = None if weight is None else weight[order]
    np.cumsum(np.bincount(source, minlength=graph.vertices), out=offset[1:])
    return offset, target, weight


def _edges_once(graph: Graph, fields: Sequence[Any] = ()) -> list[Any]:
    """Rows of sources and targets, weights (None where there are none), and of the fields, which
    are in the order of the lists; of an undirected graph each edge once."""
    parts: list[list[Any]] = []
    first = 0
    for source, target, weight in sweep(graph):
        keep = slice(None) if graph.directed else source <= target
        its = [values[first : first + len(source)] for values in fields]
        parts.append([None if v is None else v[keep] for v in (source, target, weight, *its)])
        first += len(source)
    if not parts:
        nothing = np.zeros(0, dtype=np.uint32)
        weights = np.zeros(0, dtype=np.float32) if graph.weighted else None
        return [nothing, nothing, weights, *fields]
    columns = zip(*parts, strict=True)
    return [None if its[0] is None else np.concatenate(its) for its in columns]


def to_networkx(graph: Graph) -> networkx.Graph[Any]:
    import networkx as nx

    source, target, weight, *_ = _edges_once(graph)
    labels = list(graph)
    made: networkx.Graph[Any] = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(labels)
    from_ = [labels[row] for row in source.tolist()]
    to = [labels[row] for row in target.tolist()]
    if weight is None:
        made.add_edges_from(zip(from_, to, strict=True))
    else:
        made.add_weighted_edges_from(zip(from_, to, weight.tolist(), strict=True))
    return made


def edge_table(graph: Graph) -> Table:
    """The edges by labels: "source", "target" and, where the graph has them, "weight", "type", "t1"
    and "t2"."""
    fields: Any = _core.edge_fields(graph._core) if graph.semantic else ()
    source, target, weight, *fields = _edges_once(graph, fields)
    labels = graph.labels
    if isinstance(labels, np.ndarray):
        columns = {"source": labels[source], "target": labels[target]}
    else:
        columns = {
            "source": [labels[row] for row in source.tolist()],
            "target": [labels[row] for row in target.tolist()],
        }
    if weight is not None:
        columns["weight"] = weight
    columns.update(zip(("type", "t1", "t2"), fields, strict=False))
    return Table(columns)


def to_arrow(graph: Graph) -> pyarrow.Table:
    import pyarrow as pa

    return pa.table(edge_table(graph))
