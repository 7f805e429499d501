"""Graphs: files that are mapped, or made of arrays, tables and other libraries' graphs."""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from . import _core
from .errors import UsageError

Array = np.ndarray[Any, Any]
Label: TypeAlias = int | str | bytes
Path: TypeAlias = str | os.PathLike[str]

# A copy of more than this is warned of.
LARGE_COPY = 1 << 30


@runtime_checkable
class SupportsGraph(Protocol):
    """What has a Graph: algorithms take it in place of one."""

    def __fathom_graph__(self) -> Graph: ...


class Graph:
    """A graph, its edges in a .fg file or in memory; made by `read`, `convert`, `from_edges`, ....

    vertices, edges:  how many; edges of an undirected graph count in both directions.
    directed, weighted
    semantic:         whether edges have types and timestamps, as those of graphs that change may.
    labels:           of the rows, in ascending order: an int64 array (uint64 where one is beyond
                      2^63), or a list of strings.
    copied_bytes:     of arrays that were copied to make it; 0 for a file, which is mapped.

    Cheap to pass on. Calls from several threads go on beside each other. What a run has loaded
    (into a GPU's memory, say) stays for the next of the same options, until `close()`.
    """

    __networkx_backend__ = "fathom"

    def __init__(self, core: _core.Graph) -> None:
        self._core = core
        self._labels: Any = None
        self.graph: dict[str, Any] = {}  # attributes, for NetworkX
        # How many weights binary32 did not hold exactly when the graph was made of arrays.
        self.rounded_weights = 0

    @property
    def vertices(self) -> int:
        return self._core.vertices

    @property
    def edges(self) -> int:
        return self._core.edges

    @property
    def directed(self) -> bool:
        return self._core.directed

    @property
    def weighted(self) -> bool:
        return self._core.weighted

    @property
    def semantic(self) -> bool:
        return self._core.semantic

    @property
    def copied_bytes(self) -> int:
        return self._core.copied_bytes

    @property
    def _string_labels(self) -> bool:
        return self._core.string_labels

    @property
    def fingerprint(self) -> str:
        """Of vertices, edges, offsets, targets and weights: the same for the same graph."""
        return self._core.fingerprint

    @property
    def path(self) -> str | None:
        """Of its file; None where it has none of its own."""
        return self._core.name or None

    @property
    def labels(self) -> Any:
        if self._labels is None:
            base = self._core.label_range()
            if base is not None and base + self.vertices < 2**63:
                labels = np.arange(base, base + self.vertices, dtype=np.int64)
            else:
                labels = self._core.labels()
            if isinstance(labels, np.ndarray):
                labels.flags.writeable = False
            self._labels = labels
        return self._labels

    def row(self, label: Label) -> int:
        """The row of a label. Raises KeyError."""
        try:
            row = self._core.find(label_bytes(label))
        except UsageError:
            raise KeyError(label) from None
        if row < 0 or not is_kind(label, self._core.string_labels):
            raise KeyError(label)
        return row

    def label(self, row: int) -> Any:
        """The label of a row, an int or a str. Raises IndexError."""
        at = operator.index(row)
        if not 0 <= at < self.vertices:
            raise IndexError(f"the graph has rows 0 to {self.vertices - 1}, not {at}")
        return self._core.label(at)

    def __contains__(self, label: object) -> bool:
        try:
            self.row(label)  # type: ignore[arg-type]
        except KeyError:
            return False
        return True

    def __len__(self) -> int:
        return self.vertices

    def __iter__(self) -> Iterator[Any]:
        labels = self.labels
        return iter(labels.tolist() if isinstance(labels, np.ndarray) else labels)

    def __reduce__(self) -> Any:
        """A file is opened again where it arrives."""
        if self.path is None:
            raise TypeError(
                "a graph in memory cannot be sent to another process: make it with path='graph.fg'"
            )
        return read, (os.path.abspath(self.path),)

    def verify(self) -> Graph:
        """Reads all that the file has and checks it. Raises BadInputError naming what is wrong."""
        self._core.verify()
        return self

    def close(self) -> None:
        """Gives back what runs have left loaded; the graph can still be used."""
        self._core.close_idle()

    def info(self) -> dict[str, Any]:
        """What `fathom info --json` says: counts, degrees, sections, provenance."""
        content: dict[str, Any] = json.loads(_core.output_of(["info", self._core.path, "--json"]))
        return content

    def to_scipy(self) -> Any:
        """A scipy.sparse.csr_array of the rows; float32 weights, or ones where there are none."""
        from .interop import to_scipy

        return to_scipy(self)

    def to_networkx(self) -> Any:
        """A networkx.Graph or DiGraph with the labels as nodes and weights as "weight"."""
        from .interop import to_networkx

        return to_networkx(self)

    def to_arrow(self) -> Any:
        """A pyarrow.Table of the edges: source, target (labels), weight, and of a semantic graph
        type, t1 and t2; of an undirected graph each edge once."""
        from .interop import to_arrow

        return to_arrow(self)

    def _run(self, algorithm: str, options: dict[str, Any], words: Sequence[str]) -> Any:
        """A core.Result; options and words as the core takes them."""
        return _core.run(self._core, algorithm, options, list(words))

    # What NetworkX's dispatch asks of a graph.
    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return False

    def number_of_nodes(self) -> int:
        return self.vertices

    def number_of_edges(self) -> int:
        """An undirected edge counts once."""
        if self.directed:
            return self.edges
        from .nx.graph import held

        return held(self).number_of_edges()

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "weighted" if self.weighted else "unweighted"
        name = f" {self.path}" if self.path else ""
        counts = f"{self.vertices:,} vertices, {self.edges:,} edges"
        return f"<fathom.Graph{name}: {counts}, {kind}, {weights}>"

    def _repr_html_(self) -> str:
        """That line, and the drawing of a small graph (`fathom.draw`)."""
        from .drawing import shown

        return shown(self)


# What algorithms take.
GraphLike: TypeAlias = Graph | SupportsGraph


def graph_of(graph: GraphLike, who: str) -> Graph:
    """Itself, or what it has. Raises UsageError for anything else."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, SupportsGraph):
        return graph.__fathom_graph__()
    raise UsageError(
        f"{who} takes a fathom.Graph, not {type(graph).__name__}: see fathom.read, from_edges, "
        "from_scipy, from_networkx"
    )


def label_bytes(label: Label) -> bytes:
    """A label as the label index has it. Raises UsageError for what no label can be."""
    if isinstance(label, bytes):
        return label
    try:
        if isinstance(label, str):
            return label.encode("utf-8", "surrogateescape")
        if isinstance(label, int | np.integer) and not isinstance(label, bool):
            return str(int(label)).encode()
    except ValueError:  # a surrogate that is no byte, or thousands of digits
        raise UsageError("a label is a string that UTF-8 can spell, or has 64 bits") from None
    raise UsageError(f"a label is an int or a str, not {type(label).__name__}")


def is_kind(label: Label, strings: bool) -> bool:
    """Whether it is of the labels' type; bytes are what a string is written as."""
    return isinstance(label, bytes) or isinstance(label, str) == strings


def labels_bytes(labels: Any, strings: bool) -> list[bytes]:
    """One label, or several, of a graph whose labels are strings, or integers."""
    if isinstance(labels, str | bytes | int | np.integer):
        labels = [labels]
    if not isinstance(labels, Iterable):
        raise UsageError(f"expected a label or several, found {type(labels).__name__}")
    known = []
    for label in labels:
        known.append(label_bytes(label))
        if not is_kind(label, strings):
            expected = "strings" if strings else "integers"
            raise UsageError(f"the graph has no vertex {label!r}: its labels are {expected}")
    return known


def made(core: _core.Graph) -> Graph:
    """A graph of arrays that were copied."""
    graph = Graph(core)
    if graph.copied_bytes > LARGE_COPY:
        warnings.warn(
            f"{graph.copied_bytes / 2**30:.1f} GiB were copied to memory to make the graph; "
            "path='graph.fg' makes a file instead, which is mapped",
            ResourceWarning,
            stacklevel=3,
        )
    return graph


def path_of(path: Path | None) -> str:
    """As text; "" for none. Raises UsageError for what no file can be called."""
    text = "" if path is None else os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{text!r}: file names that are no UTF-8 are not taken") from None
    if "\0" in text or (path is not None and not text):
        raise UsageError(f"no file can be called {text!r}")
    return text


def read(path: Path) -> Graph:
    """Opens a .fg file. It is mapped: nothing is copied, and what is read is checked.

    Raises BadInputError for another file (`convert` reads those), IoError.
    """
    return Graph(_core.Graph.open(path_of(path)))
