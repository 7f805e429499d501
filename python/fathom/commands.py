"""The commands that are no algorithms, as functions: convert, generate, reorder, plan, ...."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from . import _core, execution
from .arrow import Table
from .errors import FathomError, UsageError, made, of_command
from .graph import Graph, GraphLike, Path, graph_of, labels_bytes, path_of, read
from .running import planned_options_of, planned_words


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Words of a command line: True is a flag, None and False are left out, lists repeat."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, list | tuple):
            words += [option, *map(str, value)]
        else:
            words.append(f"{option}={value}")
    return words


def _output_of(words: Sequence[str]) -> str:
    return _core.output_of(list(words)).decode("utf-8", "replace")


@contextlib.contextmanager
def _named(graph: Graph | None) -> Iterator[None]:
    """Errors call a graph without a file "the graph"."""
    try:
        yield
    except FathomError as error:
        if graph is None or graph.path is not None:
            raise
        text = str(error).replace(graph._core.path, "the graph")
        number, path = getattr(error, "errno", None), getattr(error, "filename", None)
        raise made(error.status, text, number or 0, path or "") from None


def _made_by(words: Sequence[str], path: Path | None, of: Graph | None = None) -> Graph:
    """The graph that a command writes: to `path`, or to a file in $TMPDIR that has no name."""
    if path is not None:
        with _named(of):
            _core.output_of([*words, "-q", "-o", path_of(path)])
        return read(path)
    with tempfile.TemporaryDirectory(prefix="fathom-") as directory:
        file = os.path.join(directory, "graph.fg")
        with _named(of):
            _core.output_of([*words, "-q", "-o", file])
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return Graph(_core.Graph.adopt(descriptor, ""))
    finally:
        os.close(descriptor)


def convert(
    inputs: Path | Sequence[Path],
    path: Path | None = None,
    *,
    directed: bool | None = None,
    memory: int | str | None = None,
    **options: Any,
) -> Graph:
    """Converts files of any format the command reads (edge lists, CSV, Matrix Market, DIMACS,
    METIS, GAP, Galois, Graphalytics, npz; plain, gzip or zstd) to a graph.

    path:      the .fg file; None: a file in $TMPDIR that goes with the graph.
    directed:  None: what the file says, else directed.
    memory:    a bound such as "4GiB", half of what is free unless given; what does not fit is
               sorted in $TMPDIR.
    options:   those of `fathom convert`: format, labels, third_column, duplicates, loops, threads,
               in_edges=False, interleave_weights, triangle_lists, layout, page_size, narrow,
               pack, ....
    Raises BadInputError naming file and line, DoesNotFitError, IoError.
    """
    files = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    words = ["convert", *(path_of(file) for file in files), *_flags({"memory": memory})]
    if directed is not None:
        words.append("--directed" if directed else "--undirected")
    if options.pop("in_edges", True) is False:
        words.append("--no-in-edges")
    return _made_by(words + _flags(options), path)


def generate(kind: str, path: Path | None = None, **options: Any) -> Graph:
    """Makes a random or regular graph: the same for the same seed, on every machine.

    kind:      "rmat", "uniform", "grid", "torus", "preferential-attachment", "watts-strogatz",
               "road", "random-geometric", "triangulation", "stencil", "coauthors".
    options:   those of `fathom generate`: scale, edge_factor, rows, cols, seed, weights="1:255",
               directed, simple, rewire, per_point, memory, threads, ....
    """
    return _made_by(["generate", kind, *_flags(options)], path)


def reorder(
    graph: GraphLike, path: Path | None = None, *, method: str = "halo2", **options: Any
) -> Graph:
    """The same graph with its vertices in an order that suits traversals. Results of both have the
    same rows.

    method:    "halo1", "halo2", "halo2-rk", "degree", "indegree-neighbors", "degree-neighbors",
               "rcm", "bp", "bfs-bp", "random", "natural" (docs/guides/orders.md).
    options:   samples, seed, by_component, and those of execution (`fathom.device`).
    Source: HALO (Gera et al., PVLDB 14(2), 2020) and those that the guide names.
    """
    graph = graph_of(graph, "reorder")
    how = {k: options.pop(k) for k in list(options) if k not in execution.NAMES}
    words = ["reorder", graph._core.path, "--method", method, *_flags(how)]
    return _made_by(words + execution.words_of(options), path, graph)


class Plan(dict[str, Any]):
    """What would go where (docs/schema/plan.schema.json); printed, what `fathom plan` prints."""

    def __init__(self, content: Mapping[str, Any], text: str) -> None:
        super().__init__(content)
        self.text = text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def plan(algorithm: str | Callable[..., Any], graph: GraphLike, **options: Any) -> Plan:
    """What a run would need, where its edges would live and, where the machine's rates are known,
    how long it would take; nothing is run.

    algorithm:  its name, or the function.
    options:    those of the run, the algorithm's and those of execution (`device`); pilot=True
                searches once from a vertex, for better times.
    Raises DoesNotFitError with the smallest budget that would do, UsageError.
    """
    graph = graph_of(graph, "plan")
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", "")
    known = planned_options_of(name)
    pilot = options.pop("pilot", False)
    given = {}
    for option in [one for one in options if one not in execution.NAMES]:
        if option not in known:
            raise execution.unknown_option(option, name, known)
        value = options.pop(option)
        given[known[option].name] = (not value) if known[option].turns_off else value
    words = ["plan", name, graph._core.path, *planned_words(name, given)]
    words += [*_flags({"pilot": pilot}), *execution.words_of(options)]
    with _named(graph):
        content = json.loads(_output_of([*words, "--json"]))
    shown = graph.path or "the graph"
    return Plan(content, _output_of(words).replace(graph._core.path, shown).rstrip("\n"))


def doctor(*, measure: bool = False) -> dict[str, Any]:
    """What this machine has, as far as Fathom uses it: processors, memory, GPUs, disks.

    measure:  also measures the rates that plans tell times by (about a minute), once per machine.
    """
    content: dict[str, Any] = json.loads(
        _output_of(["doctor", "--json", *_flags({"measure": measure})])
    )
    return content


def _part(
    command: str, graph: Graph, words: list[str], path: Path | None, options: dict[str, Any]
) -> Graph:
    return _made_by([command, graph._core.path, *words, *execution.words_of(options)], path, graph)


def _of_graph(graph: Graph, given: Any) -> list[bytes]:
    """Labels of vertices that commands can be told of. Raises UsageError for others."""
    labels = labels_bytes(given, graph._string_labels)
    for label in labels:
        shown = label.decode("utf-8", "backslashreplace")
        if not label or b"\n" in label or b"\0" in label:
            raise UsageError(f"parts of a graph cannot be named by the label {shown!r}")
        if graph._core.find(label) < 0:
            raise UsageError(f"the graph has no vertex {shown!r}")
    return labels


def subgraph(graph: GraphLike, vertices: Any, path: Path | None = None, **options: Any) -> Graph:
    """The edges between some vertices, as a graph of those vertices under their labels.

    vertices:  labels. Raises UsageError for one that no vertex has.
    """
    graph = graph_of(graph, "subgraph")
    with tempfile.NamedTemporaryFile(prefix="fathom-", suffix=".tsv") as file:
        for label in _of_graph(graph, vertices):
            file.write(b'"' + label.replace(b'"', b'""') + b'"\n')
        file.flush()
        return _part("subgraph", graph, ["--vertices", file.name], path, options)


def egonet(
    graph: GraphLike,
    source: Any,
    path: Path | None = None,
    *,
    hops: int = 1,
    mode: str = "out",
    **options: Any,
) -> Graph:
    """The graph of all that is within some hops of a source: its vertices, and all edges between
    them.

    source:  a label, or several. Raises UsageError for one that no vertex has.
    mode:    "out", "in" or "all": along which edges.
    """
    graph = graph_of(graph, "egonet")
    labels = [os.fsdecode(label) for label in _of_graph(graph, source)]
    words = [f"--source={label}" for label in labels] + [f"--hops={hops}", f"--mode={mode}"]
    return _part("egonet", graph, words, path, options)


def cross_edges(graph: GraphLike, partition: Mapping[Any, Any], **options: Any) -> Table:
    """The edges between vertices of different sets, of an undirected graph each once.

    partition:  {label: set}; vertices that it does not name are in none. Raises UsageError for a
                label that no vertex has.
    Returns a table for Arrow's readers (Polars, pyarrow, pandas), or `.columns`, lists: source and
    target (labels), weight where there are weights, source_set and target_set (str).
    """
    graph = graph_of(graph, "cross_edges")
    if not isinstance(partition, Mapping):
        raise UsageError(f"partition: expected a mapping, found {type(partition).__name__}")
    labels = _of_graph(graph, partition)
    with tempfile.TemporaryDirectory(prefix="fathom-") as directory:
        sets, edges = (os.path.join(directory, name) for name in ("sets.tsv", "edges.tsv"))
        with open(sets, "wb") as file:
            for label, its in zip(labels, partition.values(), strict=True):
                if any(c in str(its) for c in '\t\n\r"\0') or not str(its):
                    raise UsageError(f"a set cannot be called {str(its)!r}")
                quoted = label.replace(b'"', b'""')
                file.write(b'"' + quoted + b'"\t' + str(its).encode() + b"\n")
        words = ["cross-edges", graph._core.path, "--partition", sets, "-q", "-o", edges]
        with _named(graph):
            _core.output_of([*words, *execution.words_of(options)])
        with open(edges, newline="", encoding="utf-8", errors="surrogateescape") as text:
            rows = list(csv.reader(text, delimiter="\t"))
    columns: dict[str, list[Any]] = {
        name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])
    }
    if not graph._core.string_labels:
        for name in ("source", "target"):
            columns[name] = list(map(int, columns[name]))
    if "weight" in columns:
        columns["weight"] = list(map(float, columns["weight"]))
    return Table(columns)


def command(arguments: Sequence[str]) -> str:
    """What `fathom ARGUMENTS...` prints. Raises the exception of its exit status."""
    if not arguments:
        raise UsageError("which command? fathom.command(['info', 'graph.fg'])")
    token = of_command.set(True)
    try:
        return _output_of(arguments)
    finally:
        of_command.reset(token)
