"""Graphs that change: batches from arrays and tables, snapshots, results that follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core, execution
from .batches import (
    Applied,
    EdgeFields,
    Neighbors,
    VertexFields,
    answered,
    column_anywhere,
    edge_columns,
    label_column,
    vertex_columns,
)
from .errors import UsageError
from .following import Follow
from .graph import Graph, Label, Path, SupportsGraph, graph_of, label_bytes
from .interop import column
from .snapshots import Snapshot

if TYPE_CHECKING:
    from typing import Unpack

    from .execution import Execution


class DynamicGraph:
    """A graph that changes by batches of edges and vertices, each whole or not at all.

        dyn = fg.DynamicGraph(g)                     # or DynamicGraph(directed=False): empty
        dyn.apply(insert=(source, target), delete=[(1, 2)])
        ranks = fg.pagerank(dyn)                     # of the graph as it is
        before = dyn.snapshot()                      # stays as it is

    graph:       where it starts: a fathom.Graph, whose labels, direction and kind of edges it has,
                 and the weights and types of its vertices.
                 None: without any vertex; then `directed`, `weighted` and `strings` (labels are
                 strings, else integers from 0 to 2^64 - 1) say what it will be.
    semantic:    edges have weights, types (integers below 2^32) and two timestamps (below 2^64),
                 as those of `graph` may have already; where they have none they get weight 1, type
                 0 and timestamps 0.
    duplicates:  what the insertion of an edge does that is there: "ignore": nothing; "overwrite":
                 it gives it its weight, type and timestamps; "keep": it adds one more. Vertices
                 that are there get weight and type anew if "overwrite", else they keep theirs.
    layout:      lists are each on one page ("ouro"), or on linked pages of `page_bytes` (128) that
                 come back ("faim") or stay with their list ("aim").
    sorted_links:
                 of "faim": lists ascend over all of their pages.
    allocator:   where pages come from: "pool", a manager of Ouroboros ("s-p", "s-c", "va-p",
                 "va-c", "vl-p", "vl-c"), or, on a GPU, "cuda".
    slack, shrink_below:
                 of "ouro": a list that grows gets a page for that share more; it keeps a page while
                 it fills more than that share of it.
    update:      who looks for a batch's edges (`fathom stream --update`).
    edges_as:    weights, types and timestamps beside their targets ("aos") or behind all of a list
                 ("soa").
    execution:   device ("cpu", "cuda", "cuda:N"), memory, host_memory, device_memory, threads, as
                 arguments or by `fathom.device`: where the graph lives. The CPU unless another is
                 named.

    Calls from several threads take turns. Algorithms on snapshots go on beside batches where the
    graph is in host memory; on a GPU they take turns too. A process that was forked has a graph in
    host memory of its own, and cannot use one on a GPU (DeviceError).

    Raises UsageError, BadInputError for a damaged file, DoesNotFitError, DeviceError.
    Memory: 4 bytes per edge and direction (8 with weights, 28 if semantic) and the rest of pages,
    8 per vertex and direction (16 in linked lists), 8 per vertex once one has a weight or a type;
    labels 21 to 48 bytes per vertex, none while they are consecutive integers.
    Source: Winter, "Dynamic Graph Processing on GPUs" (thesis); aimGraph (Winter et al., HPEC
    2017), faimGraph (Winter et al., SC 2018), Ouroboros (Winter et al., ICS 2020).
    """

    __networkx_backend__ = "fathom"

    def __init__(
        self,
        graph: Graph | SupportsGraph | None = None,
        *,
        directed: bool | None = None,
        weighted: bool | None = None,
        semantic: bool | None = None,
        strings: bool | None = None,
        duplicates: Literal["ignore", "overwrite", "keep"] = "overwrite",
        layout: Literal["ouro", "faim", "aim"] = "ouro",
        page_bytes: int | None = None,
        sorted_links: bool = False,
        allocator: str = "pool",
        slack: float | None = None,
        shrink_below: float | None = None,
        update: Literal["auto", "update", "warp", "vertex", "sorted"] = "auto",
        edges_as: Literal["aos", "soa"] = "aos",
        **execution_options: Unpack[Execution],
    ) -> None:
        words = [f"--duplicates={duplicates}", f"--layout={layout}", f"--allocator={allocator}"]
        words += [f"--update={update}", f"--edges={edges_as}"]
        words += ["--sorted-links"] * bool(sorted_links)
        for name, value in (
            ("page-bytes", page_bytes),
            ("slack", slack),
            ("shrink-below", shrink_below),
        ):
            if value is not None:
                words.append(f"--{name}={value}")
        words += ["--semantic"] * bool(semantic)
        if semantic and weighted is not None and not weighted:
            raise UsageError("weighted=False, but edges with types and timestamps have weights")
        core = None
        if graph is None:
            words += ["--undirected"] * (directed is False) + ["--weighted"] * bool(weighted)
        else:
            core = graph_of(graph, "DynamicGraph")._core
            for name, asked, its in (
                ("directed", directed, core.directed),
                ("weighted", weighted, core.weighted or bool(semantic)),
                ("semantic", semantic, core.semantic or bool(semantic)),
                ("strings", strings, core.string_labels),
            ):
                if asked is not None and asked != its:
                    raise UsageError(f"{name}={asked}, but the graph says {name}={its}")
        words += execution.words_of(execution_options)
        self._core = _core.dynamic_graph(core, bool(strings), words)
        self._snapshot: Snapshot | None = None
        self.graph: dict[str, Any] = {}  # attributes, for NetworkX

    directed = property(lambda self: self._core.directed)
    weighted = property(lambda self: self._core.weighted)
    semantic = property(lambda self: self._core.semantic)
    device = property(lambda self: self._core.device)

    @property
    def vertices(self) -> int:
        """How many exist."""
        return int(self._core.counts()["vertices"])

    @property
    def edges(self) -> int:
        """How many; edges of an undirected graph count in both directions."""
        return int(self._core.counts()["edges"])

    @property
    def batches(self) -> int:
        """How many have been applied. After a KeyboardInterrupt it tells whether one was."""
        return int(self._core.counts()["batches"])

    @property
    def memory(self) -> dict[str, int]:
        """Bytes: of pages in use ("page_bytes"), of all pages and tables ("reserved_bytes"), of
        those in host memory, beside a GPU's ("host_bytes"), of vertices ("record_bytes"), of
        pages that only snapshots use ("snapshot_bytes")."""
        return self._core.memory()

    def apply(
        self,
        insert: Any = None,
        delete: Any = None,
        vertices: Any = None,
        delete_vertices: Any = None,
    ) -> Applied:
        """Applies a batch, whole or not at all; says what became of it.

        insert, delete:  edges: an integer array [edges, 2]; a pair of arrays (source, target),
                         three with weights, six with types and timestamps (source, target, weight,
                         type, t1, t2); a list of pairs, triples or six values; a table with
                         `__arrow_c_stream__` and columns "source", "target" and, where the graph
                         has them, "weight", "type", "t1" and "t2". What a table lacks, or is None
                         in place of an array, is 1 of weights, else 0; deletions have none of it.
                         Labels are integers of at least 0, or strings, as those of the graph.
        vertices:        labels; or with weights and types, of any graph, three arrays (label,
                         weight, type), a list of such triples, or a table with columns "vertex"
                         and, maybe, "weight" and "type". What lacks, or is None, is 1 and 0.
        delete_vertices: labels.

        Arrays in the memory of a GPU (`fathom.cuda`, CuPy, PyTorch, ...: DLPack or
        `__cuda_array_interface__`) are for graphs in that memory. Edges that all are there, between
        vertices that exist, do not pass through the host; batches that bring vertices do.

        The result is that of these parts in this order: `vertices` come; edges of `delete` go, all
        between their vertices; edges of `insert` come, and their ends where they are not there;
        `delete_vertices` go with all their edges. An edge that is in both is there afterwards. In
        an undirected graph (v, u) comes and goes with (u, v).

        Raises BadInputError naming argument, row and value (a negative or missing label, a weight
        that binary32 does not hold, a type or a timestamp out of range); UsageError for columns of
        other types or lengths, and for weights, or types and timestamps, in a graph that has none;
        DoesNotFitError. The graph is as before then, and snapshots, results and labels too.
        Ctrl-C is heeded until the batch begins; `batches` tells whether it did.
        Cost: two look-ups of labels per edge, a sort of the updates, for each a binary search in
        its list and a copy of the rest of the list. Nothing is done per edge in Python for arrays
        and tables.
        """
        kind = {"weighted": self.weighted, "semantic": self.semantic}
        said = self._core.apply(
            None if insert is None else edge_columns("insert", insert, **kind),
            None if delete is None else edge_columns("delete", delete),
            vertex_columns("vertices", vertices),
            label_column("delete_vertices", delete_vertices),
        )
        return Applied(**said)

    # What NetworkX's dispatch asks of a graph.
    def is_directed(self) -> bool:
        return bool(self.directed)

    def is_multigraph(self) -> bool:
        return False

    def __len__(self) -> int:
        return self.vertices

    def __contains__(self, label: object) -> bool:
        if not isinstance(label, int | str | bytes | np.integer) or isinstance(label, bool):
            return False
        if isinstance(label, str | bytes) != self._core.strings:
            return False
        if not isinstance(label, str | bytes) and not 0 <= label < 2**64:
            return False
        return self._core.has_vertex(column([label], "vertex"))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.snapshot())

    @property
    def labels(self) -> Any:
        """Of the vertices as they are, ascending: an int64 array, or a list of str."""
        return self._core.rows().labels()

    def has_edge(self, source: Label, target: Label) -> bool:
        """Whether there is an edge; False where a vertex is not there."""
        return bool(self.has_edges([(source, target)])[0])

    def has_edges(self, edges: Any) -> Any:
        """[edges] of bool: whether each is there. `edges` as in apply().

        A NumPy array; to questions in the memory of a GPU a fathom.cuda.Array there.
        Cost: a binary search in a list for each, in parallel.
        """
        there = answered(self._core.has_edges(self._questions(edges)))
        return there.view(np.bool_) if isinstance(there, np.ndarray) else there

    def weights(self, edges: Any) -> Any:
        """[edges] of float32: of each edge (of the first, where there are several); NaN where there
        is none, 1 in a graph without weights. Where has_edges() answers."""
        return answered(self._core.weights(self._questions(edges)))

    def fields(self, edges: Any) -> EdgeFields:
        """Type and timestamps of each edge (of the first, where there are several), arrays [edges];
        0 where there is no such edge, and in a graph that is not semantic.

        `edges` as in apply(), also in the memory of a GPU; answers are NumPy arrays anyway. All
        edges: `snapshot().to_arrow()`.
        Cost: a binary search in a list for each, in parallel.
        """
        return EdgeFields(*self._core.fields(self._questions(edges)))

    def vertex_fields(self, labels: Any) -> VertexFields:
        """Weight and type: a float and an int for a label, arrays for an array or a list; 1 and 0
        where nothing else was said.

        Raises UsageError naming the first label that is nobody's.
        """
        weight, kind = self._core.vertex_fields(label_column("labels", labels))
        if isinstance(labels, int | str | bytes | np.integer):
            return VertexFields(float(weight[0]), int(kind[0]))
        return VertexFields(weight, kind)

    def degree(self, labels: Any) -> Any:
        """How many edges leave a vertex: an int for a label, an int64 array for an array or a list,
        where has_edges() answers.

        Raises UsageError naming the first label that is nobody's.
        """
        if isinstance(labels, int | str | bytes | np.integer):
            return int(self._core.degrees(column([labels], "labels"))[0])
        return answered(self._core.degrees(column_anywhere(labels, "labels")))

    def neighbors(self, label: Label) -> Neighbors:
        """The vertices that edges from one lead to, with their weights and fields.

        Raises UsageError where there is no such vertex.
        """
        labels, weights, fields = self._core.neighbors(column([label], "labels"))
        return Neighbors(labels, weights, None if fields is None else EdgeFields(*fields))

    def snapshot(self) -> Snapshot:
        """The graph as it is now, for good: a Graph that every algorithm takes.

        Cost: 8 bytes per vertex and direction, 16 where lists are linked, and 4 more once a batch
        comes; batches copy the lists that they touch first, as long as it, or a result of it,
        lives. The same one until the next batch.
        """
        batches = self.batches
        if self._snapshot is None or self._snapshot.batches != batches:
            self._snapshot = Snapshot(_core.snapshot(self._core))
        return self._snapshot

    def __fathom_graph__(self) -> Graph:
        return self.snapshot()

    def follow(
        self,
        algorithm: Literal["bfs", "sssp", "cc", "pagerank", "tc", "kcore"],
        *,
        source: Label | None = None,
        alpha: float = 0.85,
        tol: float = 1e-6,
    ) -> Follow:
        """A result that is brought up to date with each batch, at a cost that depends on what the
        batch changed; as long as it lives.

            depth = dyn.follow("bfs", source="ann")
            dyn.apply(insert=[("ann", "bob")])
            depth["bob"]

        All edges count: what types and timestamps select is for algorithms on the graph.

        source:      of "bfs" and "sssp": the label where they begin. Nothing is reached while there
                     is no such vertex.
        alpha, tol:  of "pagerank", as those of fathom.pagerank().
        Values are those of the algorithm computed anew: within `tol` for "pagerank", equal for the
        others.
        Cost: batches are recorded, which is two more searches per update (four of weighted graphs)
        and a sort; 4 to 37 bytes per vertex for each. The algorithm computes anew when a batch
        changes so much that it is faster.
        Raises UsageError for other algorithms and arguments, and for "sssp", "tc" and "kcore" of a
        graph in a GPU's memory; BadInputError for weights that "sssp" refuses; DoesNotFitError.
        Source: Ramalingam and Reps, J. Algorithms 21, 1996; Even and Shiloach, JACM 28, 1981;
        Zhang, Lofgren and Goel, KDD 2016; Tangwongsan, Pavan and Tirthapura, CIKM 2013;
        Zhang, Yu, Zhang and Qin, ICDE 2017.
        """
        if (source is not None) != (algorithm in ("bfs", "sssp")):
            raise UsageError(
                f"follow: '{algorithm}' needs a source"
                if source is None
                else f"follow: '{algorithm}' takes no source"
            )
        label = b"" if source is None else label_bytes(source)
        if source is not None and isinstance(source, str) != self._core.strings:
            expected = "a string" if self._core.strings else "an integer"
            raise UsageError(f"source: expected {expected}, as the labels are, found {source!r}")
        try:
            alpha, tol = float(alpha), float(tol)
        except (TypeError, ValueError):
            raise UsageError(f"alpha, tol: expected numbers, found {alpha!r}, {tol!r}") from None
        return Follow(_core.follow(self._core, str(algorithm), label, alpha, tol))

    def save(self, path: Path) -> Graph:
        """Writes the graph as it is to a .fg file, whole or not at all, with everything that edges
        and vertices have, and opens it. Batches go on meanwhile. Raises IoError."""
        return self.snapshot().save(path)

    def __repr__(self) -> str:
        counts = self._core.counts()
        kind = "directed" if self.directed else "undirected"
        weights = "semantic" if self.semantic else "weighted" if self.weighted else "unweighted"
        return (
            f"<fathom.DynamicGraph: {counts['vertices']:,} vertices, {counts['edges']:,} edges, "
            f"{kind}, {weights}, {counts['batches']:,} batches, on {self.device}>"
        )

    def _questions(self, edges: Any) -> Any:
        return edge_columns("edges", edges)
