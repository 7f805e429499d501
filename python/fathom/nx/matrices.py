"""Matrices and tables of edges, there and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .graph import Graph, Node


def _order(graph: Graph, nodelist: Any, message: str) -> list[int] | None:
    """Rows in the order asked for; None: as they are."""
    if len(graph) == 0:
        raise nx.NetworkXError("Graph has no nodes or edges")
    if nodelist is None:
        return None
    if len(nodelist) == 0:
        raise nx.NetworkXError("nodelist has no nodes")
    rows = []
    for node in nodelist:
        row = graph.row(node)
        if row is None:
            raise nx.NetworkXError(f"Node {node} in nodelist is not in G" if message else message)
        rows.append(row)
    if len(set(rows)) < len(rows):
        raise nx.NetworkXError("nodelist contains duplicates.")
    return rows


def to_scipy_sparse_array(
    G: Graph, nodelist: Any = None, dtype: Any = None, weight: Any = "weight", format: str = "csr"
) -> Any:
    import scipy as sp

    rows = _order(G, nodelist, "nodelist")
    G = G.by(weight)
    offset, target = G.out
    values = G.lengths()
    own = dtype is None
    if own:
        dtype = np.int64 if G.integral else np.float64
    n = len(G)
    coordinates = np.repeat(np.arange(n, dtype=np.int32), np.diff(offset))
    matrix: Any = sp.sparse.coo_array((values.astype(dtype), (coordinates, target)), shape=(n, n))
    if rows is not None:
        matrix = matrix.tocsr()[rows, :][:, rows]
    if own and matrix.nnz == 0:
        matrix = matrix.astype(np.float64)  # NumPy's type of nothing
    try:
        return matrix.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error


def adjacency_matrix(
    G: Graph,
    nodelist: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    *,
    format: str = "csr",
) -> Any:
    return to_scipy_sparse_array(G, nodelist, dtype, weight, format)


def to_numpy_array(
    G: Graph,
    nodelist: Any = None,
    dtype: Any = None,
    order: Any = None,
    multigraph_weight: Any = sum,
    weight: Any = "weight",
    nonedge: Any = 0.0,
) -> Any:
    n = len(G)
    if n == 0 and nodelist is None:
        return np.zeros((0, 0), dtype=dtype, order=order)
    rows: Any = None
    if nodelist is not None:
        wanted = list(nodelist)
        there = [G.row(node) for node in wanted]
        missing = {node for node, row in zip(wanted, there, strict=True) if row is None}
        if missing:
            raise nx.NetworkXError(f"Nodes {missing} in nodelist is not in G")
        if len(set(there)) < len(there):
            raise nx.NetworkXError("nodelist contains duplicates.")
        rows = there
    G = G.by(weight)
    matrix = np.full((n, n), nonedge, dtype=dtype, order=order)
    offset, target = G.out
    sources = np.repeat(np.arange(n), np.diff(offset))
    matrix[sources, target] = G.lengths()
    return matrix if rows is None else np.ascontiguousarray(matrix[np.ix_(rows, rows)])


def from_scipy_sparse_array(
    A: Any,
    parallel_edges: bool = False,
    create_using: Any = None,
    edge_attribute: str = "weight",
) -> Graph:
    if A.shape[0] != A.shape[1]:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    directed = create_using is not None and create_using().is_directed()
    entries = A.tocoo()
    return _made(
        list(range(A.shape[0])),
        entries.row,
        entries.col,
        entries.data,
        directed,
        A.dtype.kind in "iub",
    )


def _made(
    nodes: list[Node], source: Any, target: Any, weight: Any, directed: bool, integral: bool
) -> Graph:
    """Edges in order; of those named several times the last counts, as for dictionaries."""
    source, target = source.astype(np.int64), target.astype(np.int64)
    if not directed:
        # (u, v) and (v, u) one after the other, as an edge enters both dictionaries.
        both = np.stack([source, target], 1)
        source, target = both.ravel(), both[:, ::-1].ravel()
        weight = None if weight is None else np.repeat(weight, 2)
    n = len(nodes)
    keys = source * n + target
    first = np.unique(keys, return_index=True)[1]
    last = len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1]
    order = np.lexsort((first, keys[first] // max(n, 1)))
    chosen, values = first[order], last[order]
    offset = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(source[chosen], minlength=n), out=offset[1:])
    weights = None if weight is None else weight[values].astype(np.float64)
    return Graph(
        nodes,
        (offset, target[chosen].astype(np.int32)),
        directed=directed,
        weights=weights,
        integral=integral,
    )


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> Graph:
    directed = create_using is not None and create_using().is_directed()
    index: dict[Node, int] = {}
    ends = []
    for u, v in zip(df[source].tolist(), df[target].tolist(), strict=True):
        ends.append((index.setdefault(u, len(index)), index.setdefault(v, len(index))))
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    weight = None if edge_attr is None else df[edge_attr].to_numpy()
    integral = weight is None or weight.dtype.kind in "iub"
    return _made(list(index), pairs[:, 0], pairs[:, 1], weight, directed, integral)


def to_pandas_edgelist(
    G: Graph,
    source: Any = "source",
    target: Any = "target",
    nodelist: Any = None,
    dtype: Any = None,
    edge_key: Any = None,
) -> Any:
    import pandas as pd

    graph = G.to_networkx()
    edges = list(graph.edges(data=True))
    attributes: dict[Any, None] = {}
    for _, _, data in edges:
        attributes.update(dict.fromkeys(data))
    for name in (source, target):
        if name in attributes:
            what = "Source" if name == source else "Target"
            raise nx.NetworkXError(f"{what} name {name!r} is an edge attr name")
    table: dict[Any, list[Any]] = {
        source: [edge[0] for edge in edges],
        target: [edge[1] for edge in edges],
    }
    for name in attributes:
        table[name] = [data.get(name, float("nan")) for _, _, data in edges]
    return pd.DataFrame(table, dtype=dtype)


MAKES_GRAPHS = frozenset({"from_scipy_sparse_array", "from_pandas_edgelist"})
_PLAIN = "a graph class of its own, parallel edges, or another attribute"


def _is_plain(create_using: Any) -> bool:
    return create_using in (None, nx.Graph, nx.DiGraph)


def _from_scipy(
    A: Any, parallel_edges: Any = False, create_using: Any = None, edge_attribute: Any = "weight"
) -> bool | str:
    if A.dtype.kind not in "iuf":
        return "weights that are no numbers"
    plain = _is_plain(create_using) and edge_attribute == "weight" and not parallel_edges
    return True if plain else _PLAIN


def _from_pandas(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> bool | str:
    if edge_attr not in (None, "weight") or edge_key is not None or not _is_plain(create_using):
        return _PLAIN
    if edge_attr is not None and edge_attr not in df.columns:
        return "there is no such column"
    if edge_attr is not None and df[edge_attr].dtype.kind not in "iuf":
        return "weights that are no numbers"
    return True


def _to_pandas(
    G: Any,
    source: Any = "source",
    target: Any = "target",
    nodelist: Any = None,
    dtype: Any = None,
    edge_key: Any = None,
) -> bool | str:
    return True if nodelist is None and edge_key is None else "only some nodes, or keys of edges"


def _to_numpy(
    G: Any,
    nodelist: Any = None,
    dtype: Any = None,
    order: Any = None,
    multigraph_weight: Any = sum,
    weight: Any = "weight",
    nonedge: Any = 0.0,
) -> bool | str:
    if (dtype is not None and getattr(dtype, "names", None)) or weight is None:
        return "a structured array, or no weight"
    return True


FUNCTIONS = {
    function.__name__: function
    for function in (
        to_scipy_sparse_array,
        adjacency_matrix,
        to_numpy_array,
        from_scipy_sparse_array,
        from_pandas_edgelist,
        to_pandas_edgelist,
    )
}
REFUSALS: dict[str, Any] = {
    "from_scipy_sparse_array": _from_scipy,
    "from_pandas_edgelist": _from_pandas,
    "to_pandas_edgelist": _to_pandas,
    "to_numpy_array": _to_numpy,
}
