"""Results that follow a graph that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from .results import Result
from .snapshots import Rows

if TYPE_CHECKING:
    from .graph import Array, Label


class Follow:
    """A result that follows a DynamicGraph; made by `DynamicGraph.follow`.

    Everything is of the graph as it is when it is asked for. `result` holds one state of it.
    """

    def __init__(self, core: _core.Following) -> None:
        self._core = core
        self._shown: tuple[int, Result] | None = None

    @property
    def result(self) -> Result:
        """As algorithms give it, without report and certificate; stays as it is."""
        core, rows, batches = self._core.result()
        if self._shown is None or self._shown[0] != batches:
            self._shown = (batches, Result(core, Rows(rows)))  # type: ignore[arg-type]
        return self._shown[1]

    @property
    def batches(self) -> int:
        """Of the graph, whose result `values` are."""
        self.result  # noqa: B018
        assert self._shown
        return self._shown[0]

    @property
    def values(self) -> Array:
        """[vertices] in rows: depth (-1: not reached), distance (inf: not reached), first vertex of
        the component, rank, triangles that contain the vertex, or core number."""
        return self.result.values

    @property
    def labels(self) -> Any:
        """Of the rows."""
        return self.result.labels

    @property
    def facts(self) -> dict[str, Any]:
        return self.result.facts

    def __getitem__(self, label: Label) -> Any:
        return self.result[label]

    def __contains__(self, label: Label) -> bool:
        return label in self.result

    def __len__(self) -> int:
        return len(self.result)

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        return self.result.top(k)

    def to_dict(self) -> dict[Any, Any]:
        return self.result.to_dict()

    def __repr__(self) -> str:
        return f"<following {self.result!r}>"
