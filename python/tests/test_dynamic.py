"""Graphs that change, against a model in plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from dynamic_checks import Model, check, edges_of, random_batch

import fathom as fg


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_random_batches_are_those_of_a_dict(
    directed: bool, weighted: bool, strings: bool, seed: int
) -> None:
    rng = random.Random(seed)
    numbers = [rng.randrange(1 << 40) for _ in range(30)] + list(range(10))
    names: list[Any] = [f"v{i}" if i % 3 else f"ä{i}" for i in numbers] if strings else numbers
    duplicates = ("overwrite", "ignore", "keep")[seed]
    dyn = fg.DynamicGraph(
        directed=directed,
        weighted=weighted,
        strings=strings,
        duplicates=duplicates,  # type: ignore[arg-type]
        layout=("ouro", "faim", "aim")[seed],
    )
    model = Model(directed, duplicates)
    check(dyn, model)
    for _ in range(12):
        batch = random_batch(rng, names, weighted, 40)
        dyn.apply(**batch)
        model.apply(**batch)
        check(dyn, model)


def test_starts_from_a_graph_with_its_labels(packages: fg.Graph, kron: fg.Graph) -> None:
    dyn = fg.DynamicGraph(packages)
    assert (dyn.vertices, dyn.edges) == (packages.vertices, packages.edges)
    assert list(dyn) == list(packages)
    np.testing.assert_allclose(fg.pagerank(dyn).values, fg.pagerank(packages).values, atol=1e-6)
    other = fg.DynamicGraph(kron)
    assert (other.directed, other.weighted) == (kron.directed, kron.weighted)
    assert other.edges == kron.edges
    source = kron.labels[0]
    assert np.array_equal(fg.sssp(other, source).values, fg.sssp(kron, source).values)
    with pytest.raises(fg.UsageError, match="directed=True, but the graph says"):
        fg.DynamicGraph(kron, directed=True)


@pytest.mark.parametrize("labels", ["strings", "from 0", "from 1", "integers"])
def test_a_reordered_graph_keeps_its_labels(packages: fg.Graph, labels: str) -> None:
    graph = packages
    if labels != "strings":
        step, first = (7, 3) if labels == "integers" else (1, int(labels[-1]))
        all_there = np.arange(60), (np.arange(60) + 1) % 60
        ends = np.hstack((all_there, np.random.default_rng(4).integers(0, 60, (2, 200))))
        graph = fg.from_edges(tuple(ends * step + first))
    dyn = fg.DynamicGraph(fg.reorder(graph, method="random", seed=3))
    assert list(dyn) == list(graph)
    assert edges_of(dyn.snapshot()) == edges_of(graph)
    ranks = fg.pagerank(graph, tol=1e-10)
    assert fg.pagerank(dyn, tol=1e-10).values == pytest.approx(ranks.values, abs=1e-8)
    u, v = next(e[:2] for e in edges_of(graph) if e[0] != e[1])
    assert dyn.has_edge(u, v) and v in list(dyn.neighbors(u).labels)
    dyn.apply(delete=[(u, v)])
    assert edges_of(dyn.snapshot()) == [e for e in edges_of(graph) if e[:2] != (u, v)]


def test_says_what_became_of_a_batch() -> None:
    dyn = fg.DynamicGraph(weighted=True)
    said = dyn.apply(insert=[(1, 2, 0.5), (1, 2, 0.25), (2, 3, 1.0)], vertices=[9, 1, 9])
    assert (said.inserted, said.superseded, said.new_vertices) == (2, 1, 4)
    assert said.without_effect == 1  # 9 stands there twice
    said = dyn.apply(insert=[(1, 2, 4.0)], delete=[(2, 3), (3, 2), (3, 77)], delete_vertices=[5, 9])
    assert (said.number, said.overwritten, said.removed, said.missing) == (2, 1, 1, 1)
    assert (said.without_effect, said.deleted_vertices) == (2, 1)
    assert dyn.weights([(1, 2), (2, 3), (1, 77)]).tolist()[0] == 4.0
    assert np.isnan(dyn.weights([(1, 2), (2, 3), (1, 77)])[1:]).all()
    assert dyn.apply(insert=[(1, 2, 0.1)]).rounded_weights == 1


def test_an_edge_in_both_is_there_afterwards() -> None:
    dyn = fg.DynamicGraph(weighted=True)
    dyn.apply(insert=[(1, 2, 3.0)])
    dyn.apply(insert=[(1, 2, 5.0), (4, 4, 1.0)], delete=[(1, 2), (4, 4)])
    assert dyn.weights([(1, 2), (4, 4)]).tolist() == [5.0, 1.0]


def test_a_vertex_may_come_and_go_in_one_batch() -> None:
    dyn = fg.DynamicGraph(strings=True)
    said = dyn.apply(insert=[("a", "b")], vertices=["c"], delete_vertices=["b", "c", "b"])
    assert (said.new_vertices, said.deleted_vertices, said.without_effect) == (3, 2, 1)
    assert list(dyn) == ["a"]
    dyn.apply(insert=[("c", "b")])
    assert list(dyn) == ["a", "b", "c"]
    assert dyn.neighbors("c").labels == ["b"]


ARRAYS = (np.array([0, 1, 5]), np.array([1, 5, 5]))


def tables() -> list[Any]:
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    return [
        pa.table({"target": ARRAYS[1], "source": ARRAYS[0]}),
        pl.DataFrame({"source": ARRAYS[0].astype(np.int32), "target": ARRAYS[1]}),
    ]


@pytest.mark.parametrize(
    "edges",
    [
        ARRAYS,
        np.stack(ARRAYS, axis=1),
        np.stack(ARRAYS, axis=1).astype(np.uint8),
        np.stack(ARRAYS, axis=1)[::-1],
        [(0, 1), (1, 5), (5, 5)],
        [[0, 1], [1, 5], [5, 5]],
        ([0, 1, 5], [1, 5, 5]),
        iter([(0, 1), (1, 5), (5, 5)]),
        "pyarrow",
        "polars",
    ],
    ids=lambda edges: edges if isinstance(edges, str) else type(edges).__name__,
)
def test_takes_edges_of_many_kinds(edges: Any) -> None:
    if isinstance(edges, str):
        edges = tables()[edges == "polars"]
    dyn = fg.DynamicGraph()
    dyn.apply(insert=edges)
    assert edges_of(dyn.snapshot()) == [(0, 1, 1.0), (1, 5, 1.0), (5, 5, 1.0)]


def test_takes_weights_of_many_kinds() -> None:
    weights = np.array([0.5, 2, 3], dtype=np.float32)
    expected = [(0, 1, 0.5), (1, 5, 2.0), (5, 5, 3.0)]
    forms: list[Any] = [(*ARRAYS, weights), (*ARRAYS, weights.tolist()), expected]
    pa = pytest.importorskip("pyarrow")
    forms.append(pa.table({"source": ARRAYS[0], "target": ARRAYS[1], "weight": weights}))
    for form in forms:
        dyn = fg.DynamicGraph(weighted=True)
        dyn.apply(insert=form)
        assert edges_of(dyn.snapshot()) == expected


REFUSED = [
    (
        {"insert": (np.array([0, 1]), np.array([3, -1]))},
        fg.BadInputError,
        r"insert\.target\[1\].*-1",
    ),
    ({"delete": [(0, 1), (-7, 1)]}, fg.BadInputError, r"delete\.source\[1\].*-7"),
    ({"insert": [("a", "b")]}, fg.UsageError, r"insert\.source: expected integers, found strings"),
    ({"insert": (np.array([0.5]), np.array([1]))}, fg.UsageError, r"insert\.source.*float64"),
    ({"insert": [(8, 9, float("nan"))]}, fg.BadInputError, r"insert\.weight\[0\].*nan"),
    ({"insert": [(8, 9, 1.0), (8, 9, 1e39)]}, fg.BadInputError, r"insert\.weight\[1\].*1e\+39"),
    ({"insert": (np.array([8, 9]), np.array([9]))}, fg.UsageError, r"insert\.source has 2 .* 1"),
    (
        {"insert": np.zeros((2, 3), dtype=int)},
        fg.UsageError,
        r"insert: expected an array \[edges, 2\]",
    ),
    ({"insert": [(8, 9), (8, 9, 1.0)]}, fg.UsageError, r"insert\[1\]"),
    ({"delete": [(0, 1, 1.0)]}, fg.UsageError, "delete: expected no weights"),
    ({"insert": [(8, 9)], "vertices": [-3]}, fg.BadInputError, r"vertices\[0\].*-3"),
    ({"insert": [(8, 9)], "delete_vertices": [1, -3]}, fg.BadInputError, r"delete_vertices\[1\]"),
]


@pytest.mark.parametrize(("batch", "error", "words"), REFUSED)
def test_a_refused_batch_leaves_no_trace(
    batch: dict[str, Any], error: type[Exception], words: str
) -> None:
    dyn = fg.DynamicGraph(weighted=True)
    dyn.apply(insert=[(0, 1, 2.0), (5, 0, 3.0)], vertices=[4])
    follow = dyn.follow("cc")
    before = (dyn.batches, edges_of(dyn.snapshot()), list(dyn), follow.to_dict(), dyn.memory)
    with pytest.raises(error, match=words):
        dyn.apply(**batch)
    after = (dyn.batches, edges_of(dyn.snapshot()), list(dyn), follow.to_dict(), dyn.memory)
    assert after == before
    assert 8 not in dyn and 9 not in dyn
    assert dyn.apply(insert=[(8, 9, 1.0)]).new_vertices == 2


def test_weights_are_refused_where_there_are_none() -> None:
    dyn = fg.DynamicGraph()
    with pytest.raises(fg.UsageError, match="this graph has none"):
        dyn.apply(insert=[(0, 1, 2.0)])
    assert len(dyn) == 0


def test_a_batch_that_does_not_fit_leaves_no_trace() -> None:
    dyn = fg.DynamicGraph(memory="8MiB", strings=True)
    dyn.apply(insert=[("a", "b")])
    many = [f"x{i}" for i in range(1 << 20)]
    with pytest.raises(fg.DoesNotFitError):
        dyn.apply(insert=(many, many[::-1]))
    assert list(dyn) == ["a", "b"]
    assert edges_of(dyn.snapshot()) == [("a", "b", 1.0)]
    assert "x5" not in dyn
    dyn.apply(insert=[("x5", "a")])
    assert list(dyn) == ["a", "b", "x5"]


def test_labels_at_the_ends_of_their_range() -> None:
    dyn = fg.DynamicGraph()
    largest = np.iinfo(np.uint64).max
    dyn.apply(insert=(np.array([0, largest], dtype=np.uint64), np.array([largest, 7], np.uint64)))
    assert dyn.has_edge(0, int(largest)) and dyn.has_edge(int(largest), 7)
    assert not dyn.has_edge(7, 0)
    assert dyn.snapshot().row(int(largest)) == 2


def test_consecutive_integers_stay_cheap_and_right() -> None:
    """They need no table; it comes with the first label that is none of them."""
    dyn = fg.DynamicGraph()
    model = Model(directed=True)
    for batch in (
        {"insert": [(10, 11), (12, 10)]},
        {"insert": [(13, 11), (14, 13)]},
        {"insert": [(9, 10)]},
        {"delete_vertices": [11]},
        {"insert": [(15, 11)]},
    ):
        dyn.apply(**batch)
        model.apply(**batch)
        check(dyn, model)


def test_questions_about_what_is_not_there() -> None:
    dyn = fg.DynamicGraph(strings=True)
    dyn.apply(insert=[("a", "b")])
    assert dyn.has_edges([("a", "b"), ("b", "a"), ("a", "x"), ("x", "y")]).tolist() == [1, 0, 0, 0]
    assert "a" in dyn and "x" not in dyn and 3 not in dyn and None not in dyn
    assert dyn.degree(["a", "b"]).tolist() == [1, 0]
    with pytest.raises(fg.UsageError, match=r"labels\[1\]: the graph has no vertex 'x'"):
        dyn.degree(["a", "x"])
    with pytest.raises(fg.UsageError, match="no vertex 'x'"):
        dyn.neighbors("x")
    assert dyn.has_edges([]).tolist() == []


def test_options_of_layouts_and_allocators() -> None:
    edges = np.random.default_rng(1).integers(0, 200, (3000, 2))
    expected = None
    kinds: list[dict[str, Any]] = [
        {"layout": "ouro", "slack": 0.5, "shrink_below": 0.25},
        {"layout": "faim", "page_bytes": 64},
        {"layout": "faim", "sorted_links": True},
        {"layout": "aim", "allocator": "va-p"},
        {"allocator": "vl-c", "update": "sorted"},
    ]
    for options in kinds:
        dyn = fg.DynamicGraph(**options)
        dyn.apply(insert=edges)
        dyn.apply(delete=edges[:1000])
        expected = expected or edges_of(dyn.snapshot())
        assert edges_of(dyn.snapshot()) == expected
    wrong: list[dict[str, Any]] = [
        {"layout": "pages"},
        {"page_bytes": 64},
        {"layout": "aim", "sorted_links": True},
        {"allocator": "cuda"},
        {"slack": 9.0},
        {"device": "auto"},
        {"device_memory": "1GiB"},
    ]
    for options in wrong:
        with pytest.raises(fg.UsageError):
            fg.DynamicGraph(**options)
    with fg.device("cpu", threads=1, host_memory="64MiB"):
        assert fg.DynamicGraph().device == "cpu"


def test_labels_beyond_what_is_signed() -> None:
    dyn = fg.DynamicGraph()
    dyn.apply(insert=(np.array([0], dtype="u8"), np.array([2**64 - 1], dtype="u8")))
    assert list(dyn) == [0, 2**64 - 1]
    assert fg.bfs(dyn, 0).to_dict() == {0: 0, 2**64 - 1: 1}


def test_vertices_come_and_go_in_the_first_batch() -> None:
    dyn = fg.DynamicGraph(directed=True)
    dyn.apply(vertices=[3, 9, 100], delete_vertices=[9])
    assert list(dyn) == [3, 100]
