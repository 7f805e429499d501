"""Results that follow a graph that changes."""

from __future__ import annotations

import gc
import random

import numpy as np
import pytest
from dynamic_checks import random_batch

import fathom as fg


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
    dyn.apply(insert=[(50, 61, 1.0)])
    distance = dyn.follow("sssp", source=50)
    dyn.apply(insert=[(61, 7, -3.0)])
    for refused in (lambda: distance.values, lambda: fg.sssp(dyn.snapshot(), 50)):
        with pytest.raises(
            fg.BadInputError, match="that of the edge from vertex 61 to vertex 7 is -3"
        ):
            refused()
    dyn.apply(delete=[(61, 7)])
    assert distance.to_dict() == {7: float("inf"), 50: 0.0, 61: 1.0}


def test_nothing_follows_that_nobody_holds() -> None:
    dyn = fg.DynamicGraph()
    follow = dyn.follow("cc")
    dyn.apply(insert=[(0, 1)])
    del follow
    gc.collect()
    assert dyn.apply(insert=[(1, 2)]).inserted == 1
