"""What algorithms answer: values per vertex or pair of vertices, numbers of the whole graph, the
report of the run."""

from __future__ import annotations

import contextlib
import html
import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .arrow import escaped, stream_of
from .errors import IoError, NotConvergedError, UsageError, made

if TYPE_CHECKING:
    from .graph import Graph, Label

Array = np.ndarray[Any, Any]


class Report(dict[str, Any]):
    """The report of a run: the JSON object that `fathom ... --json` prints, by its schema
    docs/schema/report.schema.json. Shows itself as a page in a notebook."""

    def __init__(self, text: str, result: Result) -> None:
        super().__init__(json.loads(text))
        self._result = result

    def json(self) -> str:
        """As text."""
        return json.dumps(self, indent=2)

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """As one page that needs nothing else: what the run did, superstep by superstep, where the
        edges lived, the plan beside what happened, how degrees and values are distributed.

        path:  also write it there. Raises IoError.
        Cost: two passes over the values.
        """
        page = self._result._core.page()
        if path is not None:
            from .graph import path_of

            write_whole(path_of(path), page)
        return page

    def _repr_html_(self) -> str:
        page = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0" '
            f'title="Report of {self["algorithm"]}"></iframe>'
        )


def write_whole(path: str, text: str) -> None:
    """A file, whole or not at all. Raises IoError."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        message = f"{path}: cannot write: {error.strerror}"
        raise made(IoError.status, message, error.errno or 0, path) from None


class Result:
    """Of one run. Values are in rows: row i is the vertex `graph.labels[i]`. Of some algorithms
    rows are pairs of vertices, as their docstrings say: these have two columns the more (u and v,
    or as these are called), a pair of labels stands where others have a label, and [vertices] is
    their number of pairs.

    values:    [vertices], the algorithm's first column (its docstring names it and its unit); a
               read-only NumPy array that shares the result's memory unless the graph was reordered.
    columns:   all columns by name. Integers that may be absent are signed, and -1 is "none".
               Of columns that name vertices (parents, components) values are rows; by label, and
               in tables, they are labels.
    facts:     numbers of the whole graph, by name.
    report:    what the run did.
    """

    def __init__(self, core: _core.Result, graph: Graph) -> None:
        self._core = core
        self.graph = graph
        self._kinds = {name: kind for name, kind, _ in core.columns}
        self._names = [name for name, _, _ in core.columns]
        self._may_lack = {name: lacks for name, _, lacks in core.columns}
        self._pairs: bool = core.pairs
        self._arrays: dict[str, Array] = {}
        self._by_pair: dict[Any, Any] | None = None
        self._facts: dict[str, Any] | None = None

    @property
    def algorithm(self) -> str:
        return self._core.algorithm

    @property
    def values(self) -> Array:
        return self.column(self._first())

    @property
    def columns(self) -> Mapping[str, Array]:
        return {name: self.column(name) for name in self._names}

    def column(self, name: str) -> Array:
        """[vertices], by name. Raises UsageError where there is no such column."""
        if name not in self._kinds:
            raise UsageError(
                f"{self.algorithm} has no column '{name}'; it has {', '.join(self._names)}"
            )
        if name not in self._arrays:
            self._arrays[name] = self._core.array(self._names.index(name))
        return self._arrays[name]

    @property
    def facts(self) -> dict[str, Any]:
        if self._facts is None:
            self._facts = json.loads(self._core.facts_json())
        return self._facts

    @property
    def tables(self) -> dict[str, tuple[list[str], Array]]:
        """Tables that the command writes to files (`--plot`), by name: columns and rows."""
        return {
            name: (columns, np.asarray(rows, dtype=np.uint64).reshape(-1, len(columns)))
            for name, (columns, rows) in self._core.tables().items()
        }

    @property
    def labels(self) -> Any:
        """Of the rows: an array of integers, or a list of strings (`Graph.labels`); of pairs a list
        of tuples."""
        if not self._pairs:
            return self.graph.labels
        u, v = (self._named(name) for name in self._names[:2])
        return list(
            zip(*(x.tolist() if isinstance(x, np.ndarray) else x for x in (u, v)), strict=True)
        )

    @property
    def converged(self) -> bool:
        return self._core.converged

    @property
    def iterations(self) -> int:
        return self._core.iterations

    @property
    def seconds(self) -> float:
        """That the algorithm took, without loading."""
        return self._core.seconds

    @property
    def report(self) -> Report:
        return Report(self._core.report_json(), self)

    def verify(self) -> Result:
        """Checks the result by its certificate, which does not run the algorithm again.

        Raises VerificationError that says what is wrong.
        """
        self._core.verify()
        return self

    def __getitem__(self, label: Label) -> Any:
        """The value of a vertex; of sets and parents the label. Raises KeyError."""
        if self._pairs:
            if self._by_pair is None:
                self._by_pair = self.to_dict()
            return self._by_pair[label]
        row = self.graph.row(label)
        return self._shown(self._first(), self.values[row])

    def __contains__(self, label: Label) -> bool:
        return label in self.to_dict() if self._pairs else label in self.graph

    def __len__(self) -> int:
        return len(self.values) if self._pairs else self.graph.vertices

    def __iter__(self) -> Iterator[Any]:
        """The labels, as of a mapping from labels to values."""
        labels = self.labels
        return iter(labels.tolist() if isinstance(labels, np.ndarray) else labels)

    def _first(self) -> str:
        if not self._names:
            raise UsageError(f"{self.algorithm} has no value per vertex; see facts")
        first: str = self._names[2 if self._pairs else 0]
        return first

    def _shown(self, name: str, value: Any) -> Any:
        plain = value.item() if isinstance(value, np.generic) else value
        if self._kinds[name] == "number":
            return None if self._may_lack[name] and plain == -1 else plain
        return None if plain < 0 else self.graph.label(plain)

    def top(self, k: int = 10) -> list[tuple[Any, Any]]:
        """The `k` vertices of the largest values, as (label, value), best first, as --top lists
        them: those without a value are left out; of components the largest and their sizes. Of
        walks from several sources `k` of each source.
        """
        if k < 0:
            raise UsageError(f"top: expected at least 0, found {k}")
        name = self._first()
        values = self.values
        if self._kinds[name] == "set":
            sizes = np.bincount(values, minlength=len(values))
            values, there = sizes, sizes > 0
        else:
            there = np.ones(len(values), dtype=bool)
            if self._may_lack[name]:
                there = values != -1
            if values.dtype.kind == "f":
                there &= np.isfinite(values)
            if not self._core.ranks_zero:
                there &= values > 0
        rows = np.flatnonzero(there)
        if not self._core.ranked_by_u:
            return self._best(rows, values, k)
        starts = np.flatnonzero(np.diff(self.column(self._names[0])[rows])) + 1
        return [best for part in np.split(rows, starts) for best in self._best(part, values, k)]

    def _best(self, rows: Array, values: Array, k: int) -> list[tuple[Any, Any]]:
        if 0 < k < len(rows):  # all that are not below the k-th, then in order
            least = np.partition(values[rows], len(rows) - k)[len(rows) - k]
            rows = rows[values[rows] >= least]
        order = rows[np.argsort(-values[rows].astype(_ordered(values)), kind="stable")][:k]
        return [(self._label(int(row)), values[row].item()) for row in order]

    def _label(self, row: int) -> Any:
        if not self._pairs:
            return self.graph.label(row)
        return tuple(self.graph.label(int(self.column(name)[row])) for name in self._names[:2])

    def items(self) -> Iterator[tuple[Any, Any]]:
        """(label, value) of every row."""
        name = self._first()
        labels = self.labels
        for row, label in enumerate(labels):
            plain = label.item() if isinstance(label, np.generic) else label
            yield plain, self._shown(name, self.values[row])

    def to_dict(self) -> dict[Any, Any]:
        """{label: value}."""
        labels = self.labels
        keys = labels.tolist() if isinstance(labels, np.ndarray) else labels
        name = self._first()
        if self._kinds[name] == "number" and not self._may_lack[name]:
            return dict(zip(keys, self.values.tolist(), strict=True))
        return dict(self.items())

    to_networkx_dict = to_dict

    def to_pandas(self) -> Any:
        """A pandas DataFrame: the columns, indexed by label; parents and components are labels, and
        what is absent is <NA>. Pairs have columns of both, and no index."""
        import pandas as pd

        columns = {escaped(name): _of_pandas(self._named(name)) for name in self._names}
        if self._pairs:
            return pd.DataFrame(columns)
        return pd.DataFrame(columns, index=pd.Index(_of_pandas(self.labels), name="vertex"))

    def to_arrow(self) -> Any:
        """A pyarrow Table: vertex (the label; not of pairs) and the columns; parents and
        components are labels, and what is absent is null."""
        import pyarrow as pa

        return pa.table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """That table for whoever reads Arrow (Polars, pyarrow, DuckDB); numbers are not copied."""
        first = {} if self._pairs else {"vertex": self.labels}
        return stream_of({**first, **{n: self._named(n) for n in self._names}})

    def _named(self, name: str) -> Any:
        """A column for tables: masked where absent; of vertices their labels, integers as an array
        and strings as a list with None."""
        values = self.column(name)
        if self._kinds[name] == "number":
            return np.ma.MaskedArray(values, values == -1) if self._may_lack[name] else values
        labels = self.graph.labels
        if not isinstance(labels, np.ndarray):
            return [None if row < 0 else labels[row] for row in values.tolist()]
        absent = values < 0
        if not absent.any():
            return labels[values]
        known = np.zeros(len(values), dtype=labels.dtype)
        known[~absent] = labels[values[~absent]]
        return np.ma.MaskedArray(known, absent)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy:
            return np.array(self.values, dtype=dtype)
        return np.asarray(self.values, dtype=dtype)

    def __repr__(self) -> str:
        summary: str = self._core.summary
        return summary.rstrip("\n") or f"<{self.algorithm}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def _of_pandas(column: Any) -> Any:
    if isinstance(column, list):
        return [None if text is None else escaped(text) for text in column]
    if not isinstance(column, np.ma.MaskedArray):
        return column
    import pandas as pd

    return pd.arrays.IntegerArray(column.data.copy(), np.ma.getmaskarray(column))


def _ordered(values: Array) -> Any:
    return np.float64 if values.dtype.kind == "f" else np.int64


def checked(core: _core.Result, graph: Graph) -> Result:
    """The result. Raises NotConvergedError, which has it, when a limit was reached first."""
    result = Result(core, graph)
    if not result.converged:
        raise NotConvergedError(
            f"{result.algorithm}: not converged after {result.iterations} iterations; the result "
            "so far is this exception's `result`",
            result,
        )
    return result
