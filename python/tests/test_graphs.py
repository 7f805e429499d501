"""Graphs from arrays, tables and other libraries, and back."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

import fathom as fg

sparse = pytest.importorskip("scipy.sparse")

NAMES = ["a", "b", "longer than the twelve bytes of a view", "ü"]


def edges_of(graph: fg.Graph) -> list[tuple[Any, ...]]:
    """(source, target[, weight]) by labels, in order."""
    labels = list(graph)
    edges: list[tuple[Any, ...]] = []
    for source, target, weight in fg.sweep(graph, page_edges=3):
        rows = [source.tolist(), target.tolist()] + ([] if weight is None else [weight.tolist()])
        edges += [(labels[s], labels[t], *w) for s, t, *w in zip(*rows, strict=True)]
    return sorted(edges)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u4", "i8", "u8", ">i8", "O"])
def test_labels_of_any_integers(dtype: str) -> None:
    graph = fg.from_edges(np.array([[5, 7], [7, 100]]).astype(dtype))
    assert graph.labels.tolist() == [5, 7, 100]
    assert edges_of(graph) == [(5, 7), (7, 100)]


def test_labels_of_64_bits_are_given_back() -> None:
    large = 2**62 + 1
    graph = fg.from_edges(source=[1], target=[large])
    assert fg.bfs(graph, 1).to_dict() == {1: 0, large: 1}


def test_labels_beyond_what_is_signed_are_given_back() -> None:
    large = 2**64 - 1
    graph = fg.from_edges(source=np.array([large], dtype="u8"), target=np.array([1], dtype="u8"))
    assert graph.labels.tolist() == [1, large]
    assert fg.bfs(graph, large).to_dict() == {1: 1, large: 0}


def test_strange_labels() -> None:
    names = ["-x", "=y", "a\nb", 'q"q', " ", "ü\U0001f600", "--hops=9"]
    graph = fg.from_edges(source=[*names, ""], target=["a"] * (len(names) + 1))
    for name in names:
        assert fg.bfs(graph, name)["a"] == 1
        if "\n" not in name:
            assert sorted(fg.egonet(graph, name)) == sorted([name, "a"])
            assert list(fg.subgraph(graph, [name])) == [name]
    for name in ("", "a\nb"):
        with pytest.raises(fg.UsageError, match="cannot be named"):
            fg.egonet(graph, name)
        with pytest.raises(fg.UsageError, match="cannot be named"):
            fg.subgraph(graph, ["a", name])
    with pytest.raises(fg.UsageError, match="the graph has no vertex 'nowhere'"):
        fg.egonet(graph, "nowhere")


@pytest.mark.parametrize("make", [list, np.array, lambda v: np.array(v, dtype=object)])
def test_labels_of_strings(make: Any) -> None:
    graph = fg.from_edges(source=make(NAMES[:3]), target=make(NAMES[1:]))
    assert list(graph) == sorted(NAMES, key=str.encode)
    assert fg.bfs(graph, "a")["ü"] == 3


def tables() -> list[Any]:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    data = {"from": NAMES[:3], "to": NAMES[1:], "w": [1.5, 2.0, 4.0]}
    frame = polars.DataFrame(data)
    categories = frame.with_columns(polars.col("from", "to").cast(polars.Categorical))
    chunks = polars.concat([frame[:1], frame[1:]], rechunk=False)
    return [frame, categories, chunks, frame.to_pandas(), frame.to_arrow(), chunks.to_arrow()[1:]]


@pytest.mark.parametrize("number", range(6))
def test_tables(number: int) -> None:
    graph = fg.from_edges(tables()[number], source="from", target="to", weight="w")
    there = list(zip(NAMES[:3], NAMES[1:], [1.5, 2.0, 4.0], strict=True))
    assert edges_of(graph) == sorted(there[1:] if number == 5 else there)


def test_a_column_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(fg.UsageError, match="no column 'source'; it has 'from', 'to', 'w'"):
        fg.from_edges(tables()[0])


def test_a_missing_value_is_refused_by_its_place() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(fg.BadInputError, match=r"target\[1\]: expected a value, found null"):
        fg.from_edges(polars.DataFrame({"source": [1, 2], "target": [3, None]}))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": [0], "target": [-1]}, fg.BadInputError, r"target\[0\].*at least 0, found -1"),
        ({"source": [0], "target": [0.5]}, fg.UsageError, "integers or strings"),
        ({"source": ["a"], "target": [1]}, fg.UsageError, "not both"),
        ({"source": ["a", None], "target": ["b", "c"]}, fg.BadInputError, r"source\[1\]"),
        ({"source": [0, 1], "target": [1]}, fg.UsageError, "2 values, target has 1"),
        ({"source": [0], "target": [1], "weight": [np.nan]}, fg.BadInputError, r"\[0\].*nan"),
        ({"source": [0], "target": [1], "weight": [1e300]}, fg.BadInputError, "binary32"),
        ({"source": [0], "target": [1], "weight": ["x"]}, fg.UsageError, "numbers"),
        ({"source": [0], "target": [9], "vertices": 3}, fg.BadInputError, "found '9'"),
        ({"source": [[0]], "target": [[1]]}, fg.UsageError, "one dimension"),
        ({"edges": np.zeros((2, 3), int)}, fg.UsageError, r"\[edges, 2\]"),
        ({"source": [0], "target": [1], "duplicates": "mean"}, fg.UsageError, "duplicates"),
        ({"source": [0], "target": [1], "duplicates": "sum"}, fg.UsageError, "no weights"),
        ({"source": [0], "target": [1], "memory": "1KiB"}, fg.DoesNotFitError, "32 MiB"),
        ({"source": [0], "target": [1], "memory": "much"}, fg.UsageError, "much"),
        ({}, fg.UsageError, "give edges"),
    ],
)
def test_bad_edges_are_refused(arguments: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        fg.from_edges(**arguments)


def test_empty_graphs() -> None:
    empty = fg.from_edges(np.zeros((0, 2), dtype=int))
    assert (empty.vertices, empty.edges) == (0, 0)
    assert fg.cc(empty).values.shape == (0,)
    assert list(fg.sweep(empty)) == []
    alone = fg.from_edges(np.zeros((0, 2), dtype=int), vertices=3)
    assert fg.pagerank(alone).values.tolist() == pytest.approx([1 / 3] * 3)
    assert empty.to_scipy().shape == (0, 0)


def test_policies() -> None:
    arrays = {"source": [0, 0, 1], "target": [1, 1, 1], "weight": [3.0, 2.0, 7.0]}
    for duplicates, weight in [("min", 2), ("max", 3), ("sum", 5), ("first", 3)]:
        graph = fg.from_edges(**arrays, duplicates=duplicates, loops="drop")
        assert edges_of(graph) == [(0, 1, weight)]
    assert fg.from_edges(**arrays, duplicates="keep").edges == 3


def test_views_of_any_stride() -> None:
    pairs = np.arange(40).reshape(10, 4)
    graph = fg.from_edges(source=pairs[::2, 0], target=pairs[::2, 3])
    assert edges_of(graph) == [(int(r[0]), int(r[3])) for r in pairs[::2]]


def test_memory_and_file_are_the_same_graph(tmp_path: pathlib.Path) -> None:
    pairs = np.random.default_rng(1).integers(0, 500, (3000, 2))
    path = tmp_path / "graph.fg"
    file = fg.from_edges(pairs, path=path)
    memory = fg.from_edges(pairs)
    assert file.fingerprint == memory.fingerprint == fg.read(path).fingerprint
    assert file.copied_bytes == 0 < memory.copied_bytes
    assert file.path == str(path)
    assert memory.path is None


@pytest.mark.parametrize("weights", ["few", "many", "none"])
def test_packed_lists_are_the_same_graph(tmp_path: pathlib.Path, weights: str) -> None:
    random = np.random.default_rng(2)
    arrays: dict[str, Any] = {"source": random.integers(0, 900, 70_000)}
    arrays["target"] = random.integers(0, 900, 70_000)
    if weights != "none":
        scale = 20 if weights == "few" else 1_000_000
        arrays["weight"] = random.integers(1, scale, 70_000).astype(np.float32)
    plain = fg.from_edges(**arrays, duplicates="keep", path=tmp_path / "plain.fg")
    packed = fg.convert(tmp_path / "plain.fg", tmp_path / "packed.fg", pack=True)
    assert (plain._core.packed, packed._core.packed, packed._core.slotted) == (False, True, False)
    assert packed.fingerprint == plain.fingerprint
    assert edges_of(packed) == edges_of(plain)
    for in_edges in (False, True):
        for one, other in zip(
            packed._core.lists(in_edges), plain._core.lists(in_edges), strict=True
        ):
            assert (one is None) == (other is None)
            assert one is None or (one == other).all()
    distances = fg.sssp(plain, source=0).values
    assert np.array_equal(fg.sssp(packed, source=0).values, distances)
    streamed = fg.sssp(packed, source=0, residency="stream", page_size="64KiB")
    assert np.array_equal(streamed.values, distances)
    again = fg.convert(tmp_path / "packed.fg")
    assert not again._core.packed
    assert again.fingerprint == plain.fingerprint


def test_packed_lists_are_generated() -> None:
    plain, packed = (fg.generate("rmat", scale=8, seed=5, pack=pack) for pack in (False, True))
    assert packed._core.packed
    assert packed.fingerprint == plain.fingerprint


def test_a_file_that_cannot_be_written_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(fg.IoError, match="nowhere"):
        fg.from_edges(np.array([[0, 1]]), path=tmp_path / "nowhere" / "graph.fg")


def test_a_large_copy_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.graph.LARGE_COPY", 40_000)
    with pytest.warns(ResourceWarning, match="copied"):
        fg.from_edges(np.arange(20_000).reshape(-1, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fg.from_edges(np.array([[0, 1]]))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_scipy_there_and_back(index: Any, form: str) -> None:
    matrix = sparse.random_array((60, 60), density=0.1, rng=3, dtype=np.float32).tocsr()
    given = matrix.asformat(form)
    for name in ("indptr", "indices", "row", "col"):
        if hasattr(given, name) and not isinstance(getattr(given, name), tuple):
            setattr(given, name, getattr(given, name).astype(index))
    back = fg.from_scipy(given).to_scipy()
    assert (back != matrix).nnz == 0


def test_scipy_unsorted_and_duplicate_entries_are_sums() -> None:
    matrix = sparse.csr_array(
        (np.array([1.0, 2, 4, 8]), np.array([2, 0, 2, 1]), np.array([0, 3, 4, 4])), shape=(3, 3)
    )
    assert edges_of(fg.from_scipy(matrix)) == [(0, 0, 2), (0, 2, 5), (1, 1, 8)]


def test_scipy_matrices_that_are_no_graphs() -> None:
    with pytest.raises(fg.UsageError, match="2 by 3"):
        fg.from_scipy(sparse.csr_array((2, 3)))
    with pytest.raises(fg.BadInputError, match="not symmetric"):
        fg.from_scipy(sparse.csr_array(np.array([[0, 1], [0, 0]])), directed=False)
    with pytest.raises(fg.UsageError, match="complex"):
        fg.from_scipy(sparse.csr_array(np.array([[0, 1j], [0, 0]])))
    bad = sparse.csr_array(np.eye(3))
    bad.indices[1] = 77
    with pytest.raises(fg.BadInputError, match="77"):
        fg.from_scipy(bad)
    bad = sparse.csr_array(np.eye(3))
    bad.indptr[1] = 9
    with pytest.raises(fg.BadInputError, match="indptr"):
        fg.from_scipy(bad)


def test_booleans_are_no_weights() -> None:
    assert not fg.from_scipy(sparse.csr_array(np.eye(3, dtype=bool))).weighted


def test_networkx_there_and_back() -> None:
    nx = pytest.importorskip("networkx")
    given = nx.gnp_random_graph(40, 0.1, seed=4, directed=True)
    given.add_node(99)
    for u, v in given.edges:
        given[u][v]["weight"] = float(u + v)
    back = fg.from_networkx(given).to_networkx()
    assert nx.utils.graphs_equal(back, given)
    with pytest.raises(fg.UsageError, match=r"\(1, 2\)"):
        fg.from_networkx(nx.Graph([((1, 2), 3)]))


def test_arrow_there_and_back(packages: fg.Graph) -> None:
    pytest.importorskip("pyarrow")
    again = fg.from_edges(packages.to_arrow())
    assert again.fingerprint == packages.fingerprint
    assert list(again) == list(packages)


def test_labels(packages: fg.Graph, diamond: fg.Graph) -> None:
    assert packages.label(packages.row("bash")) == "bash"
    assert "bash" in packages
    assert 5 not in packages
    assert diamond.labels.tolist() == [0, 1, 2, 3, 7]
    assert [diamond.row(v) for v in diamond] == list(range(5))
    for wrong in (5, "7", 1.5, None, True):
        assert wrong not in diamond
    with pytest.raises(KeyError):
        diamond.row(5)
    with pytest.raises(IndexError):
        diamond.label(5)


def test_a_damaged_file_is_refused(tmp_path: pathlib.Path, packages: fg.Graph) -> None:
    assert packages.path is not None
    content = bytearray(pathlib.Path(packages.path).read_bytes())
    content[-5000] ^= 1
    path = tmp_path / "damaged.fg"
    path.write_bytes(content)
    with pytest.raises(fg.BadInputError, match=r"damaged\.fg"):
        fg.read(path).verify()
    (tmp_path / "text.fg").write_text("1 2\n")
    with pytest.raises(fg.BadInputError, match=r"not a \.fg file"):
        fg.read(tmp_path / "text.fg")


def test_sweep_shows_every_edge_once(packages: fg.Graph) -> None:
    for mode in ("out", "in"):
        degree = np.zeros(packages.vertices, dtype=np.int64)
        for source, _, _ in fg.sweep(packages, mode=mode, page_edges=1000):
            assert len(source) <= 1000
            degree += np.bincount(source, minlength=packages.vertices)
        assert degree.tolist() == fg.degrees(packages).column(f"{mode}_degree").tolist()


def test_a_reordered_graph_has_the_same_rows(packages: fg.Graph) -> None:
    other = fg.reorder(packages, method="degree")
    assert list(other) == list(packages)
    assert edges_of(other) == edges_of(packages)
    assert fg.bfs(other, "bash").to_dict() == fg.bfs(packages, "bash").to_dict()
    assert fg.cc(other).to_dict() == fg.cc(packages).to_dict()
    np.testing.assert_allclose(
        fg.rwr(other, "bash").values, fg.rwr(packages, "bash").values, atol=1e-6
    )


@pytest.mark.parametrize("directed", [True, False])
def test_a_narrow_graph_is_the_same(tmp_path: pathlib.Path, directed: bool) -> None:
    path = tmp_path / "plain.fg"
    plain = fg.generate("rmat", path, scale=8, weights="1:9", directed=directed)
    narrow = fg.convert(path, tmp_path / "narrow.fg", narrow=True)
    assert narrow.fingerprint == plain.fingerprint
    assert edges_of(narrow) == edges_of(plain)
    assert fg.sssp(narrow, 0).to_dict() == fg.sssp(plain, 0).to_dict()
    for in_edges in (False, True):
        views = [graph._core.lists(in_edges) for graph in (plain, narrow)]
        for one, other in zip(*views, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    (tmp_path / "narrow.fg").unlink()
    assert views[1][1].max() < narrow.vertices  # arrays of their own


def test_parts(packages: fg.Graph) -> None:
    ego = fg.egonet(packages, "bash", hops=1)
    assert "bash" in ego
    assert ego.vertices == fg.neighborhood(packages, "bash", hops=1).facts["reached"]
    names = ["bash", "libc6", "perl"]
    part = fg.subgraph(packages, names)
    assert list(part) == names
    assert edges_of(part) == [e for e in edges_of(packages) if e[0] in names and e[1] in names]
    with pytest.raises(fg.FathomError, match="no such package"):
        fg.subgraph(packages, ["no such package"])
    between = fg.cross_edges(packages, {"bash": 1, "libc6": 2})
    assert between.columns == {
        "source": ["bash"],
        "target": ["libc6"],
        "source_set": ["1"],
        "target_set": ["2"],
    }
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(between)["target"].to_list() == ["libc6"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dok", "lil", "dia", "bsr"])
def test_undirected_matrices_of_any_form_keep_their_weights(form: str) -> None:
    matrix = sparse.csr_matrix(np.array([[0, 2.0, 0], [2, 0, 3], [0, 3, 0]]))
    graph = fg.from_scipy(matrix.asformat(form), directed=False)
    assert (graph.to_scipy() != matrix).nnz == 0
    unsorted = sparse.csr_array(([2.0, 3, 2, 3], [1, 2, 0, 1], [0, 1, 3, 4]), shape=(3, 3))
    kept = fg.from_scipy(unsorted, directed=False, duplicates="keep")
    assert (kept.to_scipy() != matrix).nnz == 0


def test_columns_that_hide_what_they_are_are_refused() -> None:
    with pytest.raises(fg.BadInputError, match=r"source\[1\]: expected a string, found 1"):
        fg.from_edges(source=["a", 1], target=["b", "c"])
    names = fg.from_edges(source=["a", "a\0"], target=["b", "c"])
    assert list(names) == ["a", "a\0", "b", "c"]
    masked = np.ma.array([1, 2], mask=[False, True])
    with pytest.raises(fg.BadInputError, match=r"source\[1\].*masked"):
        fg.from_edges(source=masked, target=[5, 6])


def test_hostile_arrow_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    codes = pa.array([0, 2**64 - 2**33], pa.uint64())
    wrong = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    with pytest.raises(fg.BadInputError, match="code of the dictionary"):
        fg.from_edges(pa.table({"source": wrong, "target": wrong}))
    rows = pa.chunked_array([pa.array([{"source": 1, "target": 2}, None])])
    with pytest.raises(fg.BadInputError, match="null"):
        fg.from_edges(rows)

    class Once:
        def __init__(self) -> None:
            table = pa.table({"source": [1], "target": [2]})
            self.stream = table.__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.stream

    once = Once()
    assert fg.from_edges(once).edges == 1
    with pytest.raises(fg.UsageError, match="read before"):
        fg.from_edges(once)


def test_no_file_is_called_by_a_part_of_its_name(tmp_path: pathlib.Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for call in (
        lambda: fg.from_edges(np.array([[0, 1]]), path=f"{victim}\0x.fg"),
        lambda: fg.read(f"{victim}\0"),
        lambda: fg.convert(f"{victim}\0"),
        lambda: fg.read(""),
    ):
        with pytest.raises(fg.UsageError, match="no file can be called"):
            call()
    assert victim.read_text() == "precious"


def test_vertices_alone_may_be_strings() -> None:
    graph = fg.from_edges(source=[], target=[], vertices=["b", "a"])
    assert list(graph) == ["a", "b"]


def test_labels_that_are_no_utf_8() -> None:
    pa = pytest.importorskip("pyarrow")
    column = pa.array([b"\xff"], pa.binary())
    graph = fg.from_edges(pa.table({"source": column, "target": column}))
    [label] = graph
    assert fg.bfs(graph, label)[label] == 0
    assert "xff" in repr(fg.bfs(graph, label))
