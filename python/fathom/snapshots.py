"""A graph that changes as it was between two batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from .errors import UsageError
from .graph import Graph, Label, Path, is_kind, label_bytes, path_of


class Rows:
    """How the vertices of a result are called: what results ask of a Graph."""

    def __init__(self, core: _core.Rows) -> None:
        self._rows = core
        self._known_labels: Any = None

    @property
    def vertices(self) -> int:
        return self._rows.size

    @property
    def labels(self) -> Any:
        if self._known_labels is None:
            labels = self._rows.labels()
            if isinstance(labels, np.ndarray):
                labels.flags.writeable = False
            self._known_labels = labels
        return self._known_labels

    def row(self, label: Label) -> int:
        """The row of a label. Raises KeyError."""
        try:
            row = self._rows.find(label_bytes(label))
        except UsageError:
            raise KeyError(label) from None
        if row < 0 or not is_kind(label, self._rows.strings):
            raise KeyError(label)
        return row

    def label(self, row: int) -> Any:
        """The label of a row, an int or a str. Raises IndexError."""
        if row < 0:
            raise IndexError(row)
        return self._rows.label(row)

    def __contains__(self, label: object) -> bool:
        try:
            self.row(label)  # type: ignore[arg-type]
        except KeyError:
            return False
        return True

    def __len__(self) -> int:
        return self.vertices


class Snapshot(Rows, Graph):
    """A DynamicGraph as it was after its first `batches` batches; made by `DynamicGraph.snapshot`.

    Algorithms run on the lists where they are, in the memory of the host or of the GPU; so they do
    in host memory of the edges that `since`, `until`, `at` and `types` keep, of which a copy is
    made. Where vertices were deleted and nobody has taken their places, and for other devices,
    memories and residencies than the graph's own, they run on a copy in memory, which is made once;
    whatever else a Graph does is done with that copy too.
    """

    def __init__(self, core: _core.Snapshot) -> None:
        Rows.__init__(self, core.rows)
        self._shot = core
        self.graph: dict[str, Any] = {}
        self.rounded_weights = 0

    def __getattr__(self, name: str) -> Any:
        if name != "_core":
            raise AttributeError(f"'Snapshot' object has no attribute '{name}'")
        self._core = self._shot.stored("", "fathom.DynamicGraph")
        return self._core

    @property
    def batches(self) -> int:
        return self._shot.batches

    @property
    def _string_labels(self) -> bool:
        return self._rows.strings

    edges = property(lambda self: self._shot.edges)
    directed = property(lambda self: self._shot.directed)
    weighted = property(lambda self: self._shot.weighted)
    semantic = property(lambda self: self._shot.semantic)

    @property
    def copied_bytes(self) -> int:
        """Of the copy; 0 while there is none."""
        return self._core.copied_bytes if "_core" in self.__dict__ else 0

    @property
    def path(self) -> str | None:
        return None

    def close(self) -> None:
        if "_core" in self.__dict__:
            self._core.close_idle()

    def save(self, path: Path) -> Graph:
        """Writes it to a .fg file, whole or not at all, with everything that edges and vertices
        have, and opens that. Raises IoError."""
        place = path_of(path)
        return Graph(self._shot.stored(place, "fathom.DynamicGraph"))

    def _run(self, algorithm: str, options: dict[str, Any], words: Sequence[str]) -> Any:
        if self._shot.runs_here(list(words)):
            return _core.run_on_snapshot(self._shot, algorithm, options, list(words))
        return super()._run(algorithm, options, words)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "semantic" if self.semantic else "weighted" if self.weighted else "unweighted"
        return (
            f"<fathom.Snapshot after {self.batches:,} batches: {self.vertices:,} vertices, "
            f"{self.edges:,} edges, {kind}, {weights}>"
        )
