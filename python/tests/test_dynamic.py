"""Graphs that change, against a model in plain Python."""

from __future__ import annotations

import gc
import multiprocessing
import random
import signal
import threading
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import fathom as fg
import fathom.cuda


class Model:
    """A graph as a dict: {u: {v: [weights]}}."""

    def __init__(self, directed: bool, duplicates: str = "overwrite") -> None:
        self.directed = directed
        self.duplicates = duplicates
        self.lists: dict[Any, dict[Any, list[float]]] = {}

    def apply(
        self,
        insert: Iterable[tuple[Any, ...]] = (),
        delete: Iterable[tuple[Any, Any]] = (),
        vertices: Iterable[Any] = (),
        delete_vertices: Iterable[Any] = (),
    ) -> None:
        for v in vertices:
            self.lists.setdefault(v, {})
        for u, v in delete:
            for a, b in self._both(u, v):
                self.lists.get(a, {}).pop(b, None)
        for u, v, *rest in insert:
            weight = rest[0] if rest else 1.0
            self.lists.setdefault(u, {})
            self.lists.setdefault(v, {})
            for a, b in self._both(u, v):
                there = self.lists[a].setdefault(b, [])
                if not there or self.duplicates == "keep":
                    there.append(weight)
                elif self.duplicates == "overwrite":
                    there[:] = [weight]
        for u in delete_vertices:
            self.lists.pop(u, None)
            for its in self.lists.values():
                its.pop(u, None)

    def _both(self, u: Any, v: Any) -> list[tuple[Any, Any]]:
        return [(u, v)] if self.directed or u == v else [(u, v), (v, u)]

    def edges(self) -> list[tuple[Any, Any, float]]:
        return sorted(
            (u, v, w) for u, its in self.lists.items() for v, ws in its.items() for w in ws
        )

    def graph(self, weighted: bool) -> fg.Graph:
        """The same, made at once."""
        labels = sorted(self.lists)
        edges = self.edges()
        strings = bool(labels) and isinstance(labels[0], str)
        kind: Any = object if strings else np.int64
        return fg.from_edges(
            source=np.array([e[0] for e in edges], dtype=kind),
            target=np.array([e[1] for e in edges], dtype=kind),
            weight=np.array([e[2] for e in edges], dtype=np.float64) if weighted else None,
            vertices=np.array(labels, dtype=kind),
            directed=True,
            duplicates="keep",
        )


def edges_of(graph: fg.Graph) -> list[tuple[Any, Any, float]]:
    labels = list(graph)
    found = []
    for source, target, weight in fg.sweep(graph):
        weights = np.ones(len(source)) if weight is None else weight
        for u, v, w in zip(source.tolist(), target.tolist(), weights.tolist(), strict=True):
            found.append((labels[u], labels[v], w))
    return sorted(found)


def check(dyn: fg.DynamicGraph, model: Model) -> None:
    """Every question, and the graph as algorithms see it."""
    assert len(dyn) == len(model.lists)
    assert dyn.edges == len(model.edges())
    labels = sorted(model.lists)
    assert list(dyn) == labels
    snapshot = dyn.snapshot()
    assert list(snapshot) == labels
    assert edges_of(snapshot) == model.edges()
    for label in labels[:20]:
        near = dyn.neighbors(label)
        expected = sorted((v, w) for v, ws in model.lists[label].items() for w in ws)
        weights = [1.0] * len(near.labels) if near.weights is None else near.weights.tolist()
        assert sorted(zip(list(near.labels), weights, strict=True)) == expected
        assert dyn.degree(label) == len(expected)
    pairs = [(u, v) for u in labels[:12] for v in labels[:12]]
    if pairs:
        assert dyn.has_edges(pairs).tolist() == [v in model.lists[u] for u, v in pairs]


def random_batch(rng: random.Random, names: list[Any], weighted: bool, size: int) -> dict[str, Any]:
    def edge() -> tuple[Any, Any]:
        return rng.choice(names), rng.choice(names)

    insert: list[tuple[Any, ...]] = [edge() for _ in range(rng.randrange(size))]
    if weighted:
        insert = [(*e, rng.randrange(1, 100) / 4) for e in insert]
    return {
        "insert": insert,
        "delete": [edge() for _ in range(rng.randrange(size))],
        "vertices": [rng.choice(names) for _ in range(rng.randrange(3))],
        "delete_vertices": [rng.choice(names) for _ in range(rng.randrange(3))],
    }


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


def test_a_reordered_graph_keeps_its_labels(packages: fg.Graph) -> None:
    dyn = fg.DynamicGraph(fg.reorder(packages, method="degree"))
    assert list(dyn) == list(packages)
    assert edges_of(dyn.snapshot()) == edges_of(packages)
    ranks = fg.pagerank(packages, tol=1e-10)
    assert fg.pagerank(dyn, tol=1e-10).values == pytest.approx(ranks.values, abs=1e-8)


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


def test_a_snapshot_stays_as_it_is() -> None:
    rng = random.Random(5)
    dyn = fg.DynamicGraph(weighted=True, directed=False)
    model = Model(directed=False)
    kept: list[tuple[fg.Snapshot, list[Any], list[Any]]] = []
    for _ in range(15):
        batch = random_batch(rng, list(range(40)), True, 60)
        dyn.apply(**batch)
        model.apply(**batch)
        kept.append((dyn.snapshot(), sorted(model.lists), model.edges()))
    for i, (snapshot, labels, edges) in enumerate(kept):
        assert snapshot.batches == i + 1
        assert list(snapshot) == labels
        assert edges_of(snapshot) == edges
    assert dyn.snapshot() is kept[-1][0]


@pytest.mark.parametrize("gaps", [False, True])
def test_algorithms_on_snapshots_are_those_on_graphs(gaps: bool) -> None:
    """Run on the lists, or on a copy where vertices are missing: values, facts, certificates."""
    rng = random.Random(11)
    names = [rng.randrange(1 << 30) for _ in range(60)]
    dyn = fg.DynamicGraph(weighted=True)
    model = Model(directed=True)
    for i in range(4):
        batch = random_batch(rng, names, True, 150)
        batch["delete_vertices"] = names[:3] if gaps and i == 3 else []
        batch["insert"] = [e for e in batch["insert"] if i < 3 or not {*e[:2]} & {*names[:3]}]
        dyn.apply(**batch)
        model.apply(**batch)
    same = model.graph(weighted=True)
    snapshot = dyn.snapshot()
    dyn.apply(delete_vertices=names[3:30])
    source = int(snapshot.labels[5])
    for run, options in (
        (fg.pagerank, {"tol": 1e-10}),
        (fg.bfs, {"source": source, "parents": True}),
        (fg.sssp, {"source": source}),
        (fg.cc, {}),
        (fg.kcore, {}),
        (fg.tc, {}),
        (fg.degrees, {}),
        (fg.harmonic, {}),
        (fg.rwr, {"source": source}),
    ):
        found, expected = run(snapshot, **options), run(same, **options)
        assert list(found.columns) == list(expected.columns)
        for name in found.columns:
            if name == "parent":
                continue  # several may be right
            assert found.column(name) == pytest.approx(expected.column(name), abs=1e-6), name
        assert found.facts.keys() == expected.facts.keys()
        if found.columns:
            assert list(found.labels) == list(expected.labels)
        found.verify()
        assert found.report["graph"]["vertices"] == same.vertices
        assert "<html" in found.report.html()
    assert (snapshot.copied_bytes > 0) == gaps


def test_results_by_label_where_ids_are_in_another_order() -> None:
    dyn = fg.DynamicGraph(strings=True)
    dyn.apply(insert=[("z", "m"), ("m", "a")])
    dyn.apply(insert=[("q", "z")], vertices=["b"])
    depth = fg.bfs(dyn, "q")
    assert depth.to_dict() == {"a": 3, "b": None, "m": 2, "q": 0, "z": 1}
    component = fg.cc(dyn)
    assert component["z"] == "a" and component["b"] == "b"
    jumps = fg.rwr(dyn, "q")
    assert jumps["q"] > jumps["z"] > jumps["m"] > jumps["a"]
    personal = fg.pagerank(dyn, personalization={"z": 1.0})
    assert personal["z"] > personal["m"] > personal["a"] and personal["b"] == 0
    with pytest.raises(fg.UsageError, match="no vertex 'nobody'"):
        fg.bfs(dyn, "nobody")


def test_a_snapshot_is_a_graph(tmp_path: Any) -> None:
    dyn = fg.DynamicGraph(weighted=True)
    dyn.apply(insert=[(3, 1, 0.5), (1, 7, 2.0)])
    snapshot = dyn.snapshot()
    assert isinstance(snapshot, fg.Graph)
    assert snapshot.copied_bytes == 0
    assert snapshot.to_scipy().toarray().tolist() == [[0, 0, 2], [0.5, 0, 0], [0, 0, 0]]
    assert snapshot.info()["graph"]["vertices"] == 3
    assert fg.plan("pagerank", snapshot)
    assert snapshot.verify() is snapshot
    with fg.device("cpu", residency="stream"):
        streamed = fg.pagerank(snapshot)
    assert streamed.report["residency"] == "stream"
    assert streamed.values == pytest.approx(fg.pagerank(snapshot).values, abs=1e-6)
    saved = dyn.save(tmp_path / "now.fg")
    assert saved.path == str(tmp_path / "now.fg")
    assert edges_of(saved) == [(1, 7, 2.0), (3, 1, 0.5)]
    assert edges_of(fg.DynamicGraph(saved).snapshot()) == edges_of(saved)
    with pytest.raises(fg.IoError):
        dyn.save(tmp_path / "nowhere" / "now.fg")
    assert repr(snapshot).startswith("<fathom.Snapshot after 1 batches: 3 vertices, 2 edges")


def test_strings_that_spell_integers_stay_strings(tmp_path: Any) -> None:
    dyn = fg.DynamicGraph(strings=True)
    dyn.apply(insert=[("10", "9")])
    assert list(dyn.save(tmp_path / "g.fg")) == ["10", "9"]
    assert list(dyn.snapshot()) == ["10", "9"]


@pytest.mark.parametrize("directed", [False, True])
def test_results_that_follow_equal_those_anew(directed: bool) -> None:
    rng = random.Random(3)
    names = [rng.randrange(1000) for _ in range(80)]
    dyn = fg.DynamicGraph(directed=directed)
    depth = dyn.follow("bfs", source=names[0])
    component = dyn.follow("cc")
    triangles = dyn.follow("tc")
    core = dyn.follow("kcore")
    rank = dyn.follow("pagerank", tol=1e-10)
    assert len(depth) == 0
    for i in range(25):
        dyn.apply(**random_batch(rng, names, False, 60 if i % 3 else 6))
        snapshot = dyn.snapshot()
        expected = fg.cc(snapshot)
        assert component.result.to_dict() == expected.to_dict()
        for fact in ("components", "largest"):
            assert component.facts[fact] == expected.facts[fact]
        counted = fg.tc(snapshot, per_vertex=True)
        assert triangles.to_dict() == counted.to_dict()
        assert triangles.facts["triangles"] == counted.facts["triangles"]
        peeled = fg.kcore(snapshot)
        assert core.to_dict() == peeled.to_dict()
        for fact in ("degeneracy", "innermost", "core_counts"):
            assert core.facts[fact] == peeled.facts[fact]
        assert rank.values == pytest.approx(
            fg.pagerank(snapshot, tol=1e-10, max_iter=10_000).values, abs=1e-8
        )
        if names[0] in dyn:
            assert np.array_equal(depth.values, fg.bfs(snapshot, names[0]).values)
        else:
            assert (depth.values == -1).all()
        assert depth.batches == dyn.batches
    assert len(rank) == len(dyn) and list(rank.labels) == list(dyn)


def test_a_followed_result_holds_one_state() -> None:
    dyn = fg.DynamicGraph(strings=True)
    dyn.apply(insert=[("a", "b")])
    follow = dyn.follow("bfs", source="a")
    before = follow.result
    dyn.apply(insert=[("b", "c")], delete_vertices=["nobody"])
    assert (follow["c"], before.to_dict()) == (2, {"a": 0, "b": 1})
    assert "c" in follow and "c" not in before
    assert follow.facts["max_depth"] == 2
    assert follow.top(1) == [("c", 2)]
    with pytest.raises(fg.UsageError, match="certificate"):
        before.verify()


def test_what_follow_refuses() -> None:
    dyn = fg.DynamicGraph()
    with pytest.raises(fg.UsageError, match="needs a source"):
        dyn.follow("bfs")
    with pytest.raises(fg.UsageError, match="takes no source"):
        dyn.follow("cc", source=1)
    with pytest.raises(fg.UsageError, match="an integer"):
        dyn.follow("bfs", source="a")
    with pytest.raises(fg.UsageError, match="'sssp' needs a source"):
        dyn.follow("sssp")
    with pytest.raises(fg.UsageError, match="not 'scc'"):
        dyn.follow("scc")  # type: ignore[arg-type]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_distances_that_follow_equal_those_anew(directed: bool, weighted: bool) -> None:
    rng = random.Random(4)
    names = [rng.randrange(1000) for _ in range(60)]
    dyn = fg.DynamicGraph(directed=directed, weighted=weighted, duplicates="overwrite")
    distance = dyn.follow("sssp", source=names[0])
    assert len(distance) == 0
    for i in range(25):
        dyn.apply(**random_batch(rng, names, weighted, 80 if i % 3 else 8))
        if names[0] in dyn:
            expected = fg.sssp(dyn.snapshot(), names[0])
            assert np.array_equal(distance.values, expected.values)
            for fact in ("source", "reached", "max_distance"):
                assert distance.facts[fact] == expected.facts[fact]
        else:
            assert (distance.values == np.inf).all() and distance.facts["reached"] == 0
    assert list(distance.labels) == list(dyn)


def test_distances_refuse_weights_below_0_until_they_are_gone() -> None:
    dyn = fg.DynamicGraph(weighted=True)
    dyn.apply(insert=[(0, 1, 1.0)])
    distance = dyn.follow("sssp", source=0)
    dyn.apply(insert=[(1, 2, -3.0)])
    with pytest.raises(fg.BadInputError, match="weights of at least 0"):
        distance.values  # noqa: B018
    dyn.apply(delete=[(1, 2)])
    assert distance.to_dict() == {0: 0.0, 1: 1.0, 2: float("inf")}


def test_nothing_follows_that_nobody_holds() -> None:
    dyn = fg.DynamicGraph()
    follow = dyn.follow("cc")
    dyn.apply(insert=[(0, 1)])
    del follow
    gc.collect()
    assert dyn.apply(insert=[(1, 2)]).inserted == 1


def test_everything_outlives_what_it_came_from() -> None:
    dyn = fg.DynamicGraph(strings=True)
    dyn.apply(insert=[("a", "b"), ("b", "c")])
    near, labels = dyn.neighbors("a"), dyn.labels
    snapshot, follow = dyn.snapshot(), dyn.follow("cc")
    values = fg.pagerank(snapshot).values
    kept = values.copy()
    result = fg.bfs(dyn, "a")
    del dyn
    gc.collect()
    assert list(snapshot) == ["a", "b", "c"] == list(labels)
    assert follow["c"] == "a"
    del snapshot, follow
    gc.collect()
    assert np.array_equal(values, kept)
    assert near.labels == ["b"]
    assert result.verify()["c"] == 2


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


def test_batches_from_several_threads_take_turns() -> None:
    dyn = fg.DynamicGraph()
    rounds, threads = 40, 4
    numbers: list[list[int]] = [[] for _ in range(threads)]

    def work(k: int) -> None:
        for i in range(rounds):
            said = dyn.apply(insert=(np.full(50, k), 1000 * k + 50 * i + np.arange(50)))
            assert said.inserted == 50
            numbers[k].append(said.number)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(n for its in numbers for n in its) == list(range(1, rounds * threads + 1))
    assert dyn.edges == rounds * threads * 50
    assert [dyn.degree(k) for k in range(threads)] == [rounds * 50] * threads


def test_analyses_go_on_beside_batches() -> None:
    rng = np.random.default_rng(2)
    dyn = fg.DynamicGraph(fg.from_edges(rng.integers(0, 2000, (20000, 2)), vertices=2000))
    done = threading.Event()
    failures: list[BaseException] = []

    def analyse() -> None:
        try:
            while not done.is_set():
                snapshot = dyn.snapshot()
                ranks = fg.pagerank(snapshot, tol=1e-9)
                ranks.verify()
                assert ranks.values.sum() == pytest.approx(1)
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=analyse) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(60):
        dyn.apply(insert=rng.integers(0, 2000, (500, 2)), delete=rng.integers(0, 2000, (500, 2)))
    done.set()
    for worker in workers:
        worker.join()
    assert not failures


def test_the_lock_of_the_interpreter_is_released() -> None:
    dyn = fg.DynamicGraph()
    edges = np.random.default_rng(1).integers(0, 1 << 20, (2_000_000, 2))
    ticks, done = 0, threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    worker = threading.Thread(target=count)
    worker.start()
    start = time.perf_counter()
    dyn.apply(insert=edges)
    took = time.perf_counter() - start
    done.set()
    worker.join()
    assert ticks > took / 0.05


def test_ctrl_c_ends_what_is_computed_and_leaves_the_graph() -> None:
    rng = np.random.default_rng(1)
    dyn = fg.DynamicGraph(fg.from_edges(rng.integers(0, 50_000, (500_000, 2)), vertices=50_000))
    edges = dyn.edges
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            fg.pagerank(dyn, tol=1e-15, max_iter=1_000_000)
    timer.join()
    assert dyn.edges == edges
    assert fg.cc(dyn).facts["components"] >= 1
    follow = dyn.follow("pagerank")
    dyn.apply(insert=[(0, 1)])
    assert follow.values.sum() == pytest.approx(1)


def child_of_fork(dyn: fg.DynamicGraph, snapshot: fg.Snapshot, answer: Any) -> None:
    dyn.apply(insert=[(0, 99)])
    answer.put((dyn.has_edge(0, 99), float(fg.pagerank(dyn).values.sum()), len(snapshot), len(dyn)))


def test_a_forked_process_has_a_graph_of_its_own() -> None:
    dyn = fg.DynamicGraph()
    dyn.apply(insert=np.random.default_rng(1).integers(0, 50, (400, 2)), vertices=range(50))
    snapshot = dyn.snapshot()
    fg.pagerank(snapshot)
    context = multiprocessing.get_context("fork")
    answer: Any = context.Queue()
    child = context.Process(target=child_of_fork, args=(dyn, snapshot, answer))
    child.start()
    has, total, before, after = answer.get(timeout=60)
    child.join()
    assert child.exitcode == 0
    assert has and total == pytest.approx(1) and (before, after) == (50, 51)
    assert not dyn.has_edge(0, 99) and len(dyn) == 50


def test_labels_beyond_what_is_signed() -> None:
    dyn = fg.DynamicGraph()
    dyn.apply(insert=(np.array([0], dtype="u8"), np.array([2**64 - 1], dtype="u8")))
    assert list(dyn) == [0, 2**64 - 1]
    assert fg.bfs(dyn, 0).to_dict() == {0: 0, 2**64 - 1: 1}


def test_vertices_come_and_go_in_the_first_batch() -> None:
    dyn = fg.DynamicGraph(directed=True)
    dyn.apply(vertices=[3, 9, 100], delete_vertices=[9])
    assert list(dyn) == [3, 100]


class DlpackOnly:
    """Another library's array on a GPU, without the other protocol."""

    def __init__(self, array: fathom.cuda.Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def foreign(values: Any, protocol: str) -> Any:
    array = fathom.cuda.array(values)
    return DlpackOnly(array) if protocol == "dlpack" else array


class OnPaper:
    """An array that says it is in the memory of a GPU."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (values.ctypes.data, False),
            "version": 3,
        }


def test_arrays_on_a_gpu_are_refused_where_the_graph_is_not() -> None:
    dyn = fg.DynamicGraph()
    dyn.apply(insert=[(0, 1)])
    ids = OnPaper(np.array([0, 1]))
    for call in (
        lambda: dyn.apply(insert=(ids, ids)),
        lambda: dyn.apply(delete=OnPaper(np.zeros((3, 2), dtype=np.int32))),
        lambda: dyn.apply(vertices=ids),
        lambda: dyn.has_edges((ids, ids)),
        lambda: dyn.degree(ids),
    ):
        with pytest.raises(
            fg.UsageError, match="memory of a GPU, and the graph in that of the host"
        ):
            call()
    with pytest.raises(fg.UsageError, match=r"expected an array \[edges, 2\], found \[3, 3\]"):
        dyn.apply(insert=OnPaper(np.zeros((3, 3))))
    with pytest.raises(fg.UsageError, match="'<i2'"):
        dyn.apply(insert=(OnPaper(np.zeros(3, np.int16)), OnPaper(np.zeros(3, np.int16))))
    assert dyn.batches == 1


@pytest.mark.gpu
def test_an_array_goes_to_a_gpu_and_back() -> None:
    for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, np.bool_):
        values = np.arange(12).reshape(3, 4).astype(dtype)
        array = fathom.cuda.array(values)
        assert (array.shape, array.dtype, array.device) == ((3, 4), np.dtype(dtype), 0)
        assert array.__dlpack_device__() == (2, 0)
        assert np.array_equal(array.to_numpy(), values)
    assert fathom.cuda.array([]).to_numpy().shape == (0,)
    with pytest.raises(fg.UsageError, match="int16"):
        fathom.cuda.array(np.zeros(3, np.int16))


@pytest.mark.gpu
@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
@pytest.mark.parametrize("spread", [1, 1_000_003])
def test_batches_in_a_gpu_are_those_of_a_dict(spread: int, protocol: str) -> None:
    """By a range of labels and by a table; edges between known vertices, and others."""
    rng = np.random.default_rng(4)
    dyn = fg.DynamicGraph(device="cuda", weighted=True, memory="1GiB")
    model = Model(directed=True)
    follow = dyn.follow("cc")
    for i in range(12):
        most = 60 + 5 * (i % 4)  # some batches bring vertices
        insert = rng.integers(0, most, (200, 2)) * spread + 10
        delete = rng.integers(0, most, (200, 2)) * spread + 10
        weights = rng.integers(1, 100, 200) / 4
        types = (np.int64, np.int32, np.uint64, np.uint32)
        of = [foreign(insert[:, k].astype(types[(i + k) % 4]), protocol) for k in (0, 1)]
        gone = foreign(np.array([int(insert[0, 0])]), protocol) if i % 5 == 4 else None
        said = dyn.apply(
            insert=(*of, foreign(weights.astype((np.float32, np.float64)[i % 2]), protocol)),
            delete=foreign(delete, protocol),
            delete_vertices=gone,
        )
        batch = {
            "insert": [(int(u), int(v), w) for (u, v), w in zip(insert, weights, strict=True)],
            "delete": [(int(u), int(v)) for u, v in delete],
            "delete_vertices": [] if gone is None else [int(insert[0, 0])],
        }
        model.apply(**batch)  # type: ignore[arg-type]
        assert said.number == i + 1
        check(dyn, model)
        assert follow.result.to_dict() == fg.cc(dyn).to_dict()


@pytest.mark.gpu
@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
def test_questions_in_a_gpu_are_answered_there(protocol: str) -> None:
    dyn = fg.DynamicGraph(device="cuda", weighted=True)
    dyn.apply(insert=[(3, 900, 0.5), (900, 3, 2.0), (3, 3, 1.5)])
    pairs = np.array([[3, 900], [900, 3], [900, 900], [3, 77], [77, 78]])
    there = dyn.has_edges(foreign(pairs, protocol))
    assert isinstance(there, fathom.cuda.Array) and there.dtype == np.bool_
    assert there.to_numpy().tolist() == dyn.has_edges(pairs).tolist() == [1, 1, 0, 0, 0]
    weights = dyn.weights((foreign(pairs[:, 0], protocol), foreign(pairs[:, 1], protocol)))
    assert np.array_equal(weights.to_numpy(), dyn.weights(pairs), equal_nan=True)
    degrees = dyn.degree(foreign(np.array([900, 3, 3]), protocol))
    assert degrees.to_numpy().tolist() == [1, 2, 2]
    with pytest.raises(fg.UsageError, match=r"labels\[1\]: the graph has no vertex 5"):
        dyn.degree(foreign(np.array([3, 5]), protocol))
    with pytest.raises(fg.BadInputError, match=r"edges\.target\[1\].*-5"):
        dyn.has_edges(foreign(np.array([[3, 3], [3, -5]]), protocol))
    assert dyn.has_edges(foreign(np.zeros((0, 2), np.int64), protocol)).to_numpy().tolist() == []
    empty = fg.DynamicGraph(device="cuda")
    assert empty.has_edges(foreign(pairs, protocol)).to_numpy().tolist() == [False] * 5
    kept = dyn.has_edges(foreign(pairs, protocol))
    del dyn, there
    gc.collect()
    assert kept.to_numpy().tolist() == [1, 1, 0, 0, 0]
    # Answers are arrays on a GPU themselves.
    assert empty.apply(vertices=degrees).new_vertices == 2


@pytest.mark.gpu
def test_refused_batches_in_a_gpu_leave_no_trace() -> None:
    dyn = fg.DynamicGraph(device="cuda", weighted=True)
    dyn.apply(insert=[(0, 1, 2.0), (5, 0, 3.0)])
    before = (dyn.batches, edges_of(dyn.snapshot()), list(dyn))
    ids, others = fathom.cuda.array([0, 1]), fathom.cuda.array([5, -1])
    with pytest.raises(fg.BadInputError, match=r"insert\.target\[1\].*-1"):
        dyn.apply(insert=(ids, others))
    with pytest.raises(fg.BadInputError, match=r"insert\.weight\[1\].*nan"):
        dyn.apply(insert=(ids, ids, fathom.cuda.array([1.0, np.nan])))
    with pytest.raises(fg.UsageError, match=r"insert\.source.*floating"):
        dyn.apply(insert=(fathom.cuda.array([1.0, 2.0]), ids))
    with pytest.raises(fg.UsageError, match=r"insert\.source has 2"):
        dyn.apply(insert=(ids, fathom.cuda.array([1])))
    assert (dyn.batches, edges_of(dyn.snapshot()), list(dyn)) == before
    strings = fg.DynamicGraph(device="cuda", strings=True)
    with pytest.raises(fg.UsageError, match="expected strings"):
        strings.apply(insert=(ids, ids))
    assert dyn.apply(insert=(ids, ids, fathom.cuda.array([0.1, 0.5]))).rounded_weights == 1


@pytest.mark.gpu
def test_a_graph_in_a_gpu_is_like_one_on_the_host() -> None:
    rng = random.Random(8)
    names = [rng.randrange(1 << 40) for _ in range(30)]
    kinds: list[dict[str, Any]] = [{}, {"layout": "faim"}, {"layout": "aim"}, {"allocator": "vl-p"}]
    for options in kinds:
        with fg.device("cuda", memory="2GiB"):
            dyn = fg.DynamicGraph(weighted=True, **options)
        model = Model(directed=True)
        depth = dyn.follow("bfs", source=names[0])
        snapshots = []
        for _ in range(6):
            batch = random_batch(rng, names, True, 40)
            dyn.apply(**batch)
            model.apply(**batch)
            check(dyn, model)
            snapshots.append((dyn.snapshot(), model.edges()))
            if names[0] in dyn:
                assert np.array_equal(depth.values, fg.bfs(dyn, names[0]).values)
        for snapshot, edges in snapshots:
            assert edges_of(snapshot) == edges
        same = model.graph(weighted=True)
        found = fg.pagerank(dyn, tol=1e-9, max_iter=1000)
        assert found.values == pytest.approx(
            fg.pagerank(same, tol=1e-9, max_iter=1000).values, 1e-6
        )
        found.verify()


@pytest.mark.gpu
def test_algorithms_run_where_a_snapshot_in_a_gpu_is() -> None:
    dyn = fg.DynamicGraph(device="cuda")
    dyn.apply(insert=np.random.default_rng(3).integers(0, 300, (4000, 2)), vertices=range(300))
    snapshot = dyn.snapshot()
    dyn.apply(delete_vertices=range(100))
    ranks = fg.pagerank(snapshot)
    assert snapshot.copied_bytes == 0
    assert ranks.report["device"]["kind"] == "cuda"
    ranks.verify()
    there = fg.cc(snapshot).to_dict()
    with fg.device("cpu"):
        assert fg.cc(snapshot).to_dict() == there
    assert snapshot.copied_bytes > 0


@pytest.mark.gpu
def test_arrays_of_pytorch_and_for_it() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch was built without CUDA")
    dyn = fg.DynamicGraph(device="cuda")
    pairs = torch.tensor([[3, 9], [9, 4], [4, 3]], device="cuda")
    assert dyn.apply(insert=pairs).inserted == 3
    there = torch.from_dlpack(dyn.has_edges(pairs[:, [1, 0]].contiguous()))
    assert there.is_cuda and there.cpu().tolist() == [False, False, False]
    assert torch.from_dlpack(dyn.has_edges(pairs)).all()
    degrees = torch.from_dlpack(dyn.degree(pairs[:, 0]))
    del dyn
    assert degrees.cpu().tolist() == [1, 1, 1]
