"""The module in C++. Made by python/make_stubs.py."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray

version: str = "0.1.0"

vertex_bits: int = 32

def set_progress_hook(hook: object | None) -> None:
    """
    Has hook(phase, done, total, unit) called every 50 ms while work of more than a second
    goes on, and hook(None, 0, 0, '') at its end; None: nothing is called.
    """

class Graph:
    @staticmethod
    def open(path: str) -> Graph: ...
    @staticmethod
    def adopt(descriptor: int, name: str) -> Graph: ...
    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def copied_bytes(self) -> int: ...
    @property
    def vertices(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def semantic(self) -> bool: ...
    @property
    def has_in_edges(self) -> bool: ...
    @property
    def slotted(self) -> bool: ...
    @property
    def packed(self) -> bool: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def loops_seen(self) -> int: ...
    @property
    def string_labels(self) -> bool: ...
    @property
    def natural(self) -> bool: ...
    def label_range(self) -> int | None: ...
    def labels(self) -> Any: ...
    def label(self, arg: int, /) -> Any: ...
    def find(self, label: bytes) -> int:
        """The row of a label, given as its bytes; -1: no vertex has it."""

    def lists(self, in_edges: bool) -> tuple[Any, ...]: ...
    def verify(self, threads: int = 0) -> None: ...
    def close_idle(self) -> None: ...

class Column:
    @property
    def size(self) -> int: ...
    @property
    def strings(self) -> bool: ...
    @property
    def integers(self) -> bool: ...

@overload
def number_column(
    name: str,
    values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device="cpu", writable=False)],
) -> Column: ...
@overload
def number_column(
    name: str,
    values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device="cpu", writable=False)],
) -> Column: ...
@overload
def number_column(
    name: str,
    values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device="cpu", writable=False)],
) -> Column: ...
@overload
def number_column(
    name: str,
    values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device="cpu", writable=False)],
) -> Column: ...
@overload
def number_column(
    name: str,
    values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device="cpu", writable=False)],
) -> Column: ...
@overload
def number_column(
    name: str,
    values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device="cpu", writable=False)],
) -> Column: ...
def text_column(name: str, values: list[Any]) -> Column: ...
def arrow_columns(
    stream: object, names: Sequence[str], optional: Sequence[str] = [], prefix: str = ""
) -> list[Column]:
    """
    Columns by name, then those that may be missing, None where they are. Messages call
    them so, behind the prefix.
    """

def arrow_stream(names: Sequence[str], columns: list[Any]) -> Any: ...
def from_columns(
    source: Column,
    target: Column,
    weight: Column | None,
    vertices: Column | None,
    declared: int | None,
    directed: bool,
    duplicates: str,
    loops: str,
    in_edges: bool,
    memory: int,
    threads: int,
    path: str,
    provenance: str,
) -> tuple[Any, ...]: ...
@overload
def from_csr(
    vertices: int,
    offset: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Column | None,
    directed: bool,
    in_edges: bool,
    threads: int,
    path: str,
    provenance: str,
) -> Any: ...
@overload
def from_csr(
    vertices: int,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Column | None,
    directed: bool,
    in_edges: bool,
    threads: int,
    path: str,
    provenance: str,
) -> Any: ...
def describe() -> list[Any]:
    """What each algorithm takes and gives."""

def describe_planned() -> list[Any]:
    """The same of all that plans are made of."""

def run(graph: Graph, algorithm: str, options: dict[Any, Any], words: Sequence[str]) -> Result: ...

class Result:
    @property
    def algorithm(self) -> str: ...
    @property
    def ranks_zero(self) -> bool: ...
    @property
    def pairs(self) -> bool: ...
    @property
    def ranked_by_u(self) -> bool: ...
    @property
    def summary(self) -> Any: ...
    @property
    def seconds(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    @property
    def iterations(self) -> int: ...
    @property
    def columns(self) -> list[Any]: ...
    def array(self, column: int) -> Any: ...
    def facts_json(self) -> str: ...
    def report_json(self) -> str: ...
    def page(self) -> str: ...
    def tables(self) -> dict[Any, Any]: ...
    def verify(self) -> None: ...

def output_of(words: list[Any]) -> bytes: ...
def run_program(words: Sequence[str]) -> int: ...
def search(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    sources: Sequence[int],
    limit: int,
) -> tuple[Any, ...]: ...
def hop_sums(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    sources: Sequence[int],
) -> tuple[Any, ...]: ...
def path(
    out_offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    out_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: int,
    goal: int,
) -> Any: ...
def nearest(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    sources: Sequence[int],
    cutoff: float,
    goal: int,
) -> tuple[Any, ...]: ...
def nearest_path(
    out_offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    out_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    out_weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: int,
    goal: int,
) -> tuple[Any, ...]: ...
def strong_components(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def generations(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def longest_path(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    order: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Any: ...
def two_colors(
    out_offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    out_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    in_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    directed: bool,
) -> tuple[Any, ...]: ...
def greedy_colors(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    order: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Any: ...
def matching(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def onion(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def propagation(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    order: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Any: ...
def relaxed(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: int,
    early: bool,
) -> tuple[Any, ...]: ...
def negative_cycle(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> bool: ...
def biconnected(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def common(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    from_: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    to: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def triangles_of_edges(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rows: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Any: ...
def squares(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rows: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]: ...
def product_at_edges(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    left: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Any: ...
def local_efficiencies(
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Any: ...

class Sweep:
    def __init__(self, graph: Graph, in_edges: bool, page_edges: int) -> None: ...
    def next(self) -> Any: ...

class DeviceArray:
    @property
    def pointer(self) -> int: ...
    @property
    def shape(self) -> tuple[Any, ...]: ...
    @property
    def type(self) -> str: ...
    @property
    def device(self) -> int: ...
    def to_host(self, into: NDArray[Any]) -> None: ...
    def exported(self) -> Any: ...

def to_device(values: NDArray[Any], device: int) -> DeviceArray: ...
def imported(values: Any) -> tuple[Any, ...]:
    """
    (pointer, shape, strides in values, type, device, what keeps it) of an array that
    comes by DLPack from a GPU.
    """

def device_column(
    name: str, pointer: int, size: int, stride: int, type: str, owner: object
) -> Column:
    """A column in the memory of a GPU, which `owner` keeps."""

class Rows:
    @property
    def size(self) -> int: ...
    @property
    def strings(self) -> bool: ...
    def labels(self) -> Any: ...
    def label(self, arg: int, /) -> Any: ...
    def find(self, label: bytes) -> int:
        """The row of a label, given as its bytes; -1: no vertex has it."""

class Snapshot:
    @property
    def rows(self) -> Rows: ...
    @property
    def edges(self) -> int: ...
    @property
    def batches(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def semantic(self) -> bool: ...
    def runs_here(self, words: Sequence[str]) -> bool: ...
    def stored(self, path: str, provenance: str) -> Graph: ...

def snapshot(arg: DynamicGraph, /) -> Snapshot: ...
def run_on_snapshot(
    snapshot: Snapshot, algorithm: str, options: dict[Any, Any], words: Sequence[str]
) -> Result: ...

class Following:
    def result(self) -> tuple[Any, ...]: ...

def follow(
    graph: DynamicGraph, algorithm: str, source: bytes, alpha: float, tolerance: float
) -> Following: ...

class DynamicGraph:
    @property
    def directed(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def strings(self) -> bool: ...
    @property
    def on_gpu(self) -> bool: ...
    @property
    def device(self) -> str: ...
    def apply(
        self,
        insert: object | None,
        remove: object | None,
        vertices: object | None,
        gone: Column | None,
    ) -> dict[Any, Any]: ...
    def has_edges(self, edges: object) -> Any: ...
    def weights(self, edges: object) -> Any: ...
    def degrees(self, vertices: Column) -> Any: ...
    def has_vertex(self, vertex: Column) -> bool: ...
    def neighbors(self, vertex: Column) -> tuple[Any, ...]: ...
    def counts(self) -> dict[Any, Any]: ...
    def memory(self) -> dict[Any, Any]: ...
    def rows(self) -> Rows: ...
    @property
    def semantic(self) -> bool: ...
    def fields(self, edges: object) -> tuple[Any, ...]: ...
    def vertex_fields(self, vertices: Column) -> tuple[Any, ...]: ...

def edge_fields(graph: Graph) -> tuple[Any, ...]:
    """
    (type, t1, t2) of the edges of a semantic graph, in the order of its lists.
    """

def dynamic_graph(graph: Graph | None, strings: bool, words: Sequence[str]) -> DynamicGraph: ...

class Sampler:
    def sample(
        self,
        seeds: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        batch: int,
        times: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> tuple[Any, ...]: ...
    @property
    def on_host(self) -> bool: ...

def make_sampler(
    graph: Graph,
    words: Sequence[str],
    fan_out: Sequence[int],
    in_edges: bool,
    replace: bool,
    weighted: bool,
    disjoint: bool,
    seed: int,
    edge_times: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    last: bool,
) -> Sampler: ...

class Walks:
    @property
    def walks(self) -> int: ...
    def draw(self, first: int, walks: int) -> Any: ...

def make_walks(
    graph: Graph,
    words: Sequence[str],
    sources: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    length: int,
    per_source: int,
    weighted: bool,
    p: float,
    q: float,
    restart: float,
    seed: int,
) -> Walks: ...
