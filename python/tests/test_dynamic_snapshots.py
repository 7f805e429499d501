"""Snapshots of graphs that change, and several threads and processes at one."""

from __future__ import annotations

import gc
import multiprocessing
import random
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from dynamic_checks import Model, edges_of, random_batch

import fathom as fg


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
