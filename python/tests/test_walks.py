"""Random walks: along NetworkX's edges, the same everywhere, biased as node2vec's."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import fathom as fg

nx = pytest.importorskip("networkx")


@pytest.fixture(scope="module")
def web() -> Any:
    graph = nx.gnp_random_graph(300, 0.02, seed=4, directed=True)
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = float(i % 5)
    return graph


@pytest.fixture(scope="module")
def g(web: Any) -> fg.Graph:
    return fg.from_networkx(web, weight="weight")


def expect_edges(web: Any, g: fg.Graph, walks: np.ndarray[Any, Any], weighted: bool) -> None:
    for row in walks:
        labels = [g.labels[v] for v in row if v >= 0]
        assert all(v == -1 for v in row[len(labels) :])
        for u, v in itertools.pairwise(labels):
            assert web.has_edge(u, v) and (not weighted or web[u][v]["weight"] > 0)
        if len(labels) < len(row):
            leads_on = [
                d["weight"] > 0 or not weighted for _, _, d in web.out_edges(labels[-1], data=True)
            ]
            assert not any(leads_on)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.25, 4), (10, 0.1)])
def test_steps_are_edges(web: Any, g: fg.Graph, weighted: bool, p: float, q: float) -> None:
    walks = fg.walks(g, length=7, per_source=2, weighted=weighted, p=p, q=q, seed=3)
    assert walks.shape == (600, 8) and walks.dtype == np.int64
    assert (walks[:, 0] == np.repeat(np.arange(300), 2)).all()
    expect_edges(web, g, walks, weighted)


def test_walks_are_the_same_everywhere_and_some_at_a_time(g: fg.Graph) -> None:
    how: dict[str, Any] = {"length": 6, "per_source": 3, "p": 0.5, "q": 2, "restart": 0.1}
    walks = fg.walks(g, **how)
    for where in ({"threads": 1}, {"residency": "stream"}, {"devices": 2}, {"memory": "64KiB"}):
        assert (fg.walks(g, **how, **where) == walks).all(), where
    batches = list(fg.walk_batches(g, batch=128, **how))
    assert [len(batch) for batch in batches] == [128] * 7 + [4]
    assert (np.concatenate(batches) == walks).all()
    assert (fg.walks(g, **how, seed=1) != walks).any()


def test_walks_begin_where_they_are_told(g: fg.Graph) -> None:
    walks = fg.walks(g, [7, 3], per_source=2, length=0)
    assert walks.tolist() == [[g.row(7)], [g.row(7)], [g.row(3)], [g.row(3)]]
    assert fg.walks(g, 5, length=1).shape == (1, 2)
    assert fg.walks(g, [], length=4).shape == (0, 5)
    names = fg.from_edges(source=["x", "y"], target=["y", "z"])
    walks = fg.walks(names, "x", length=2)
    assert [names.labels[v] for v in walks[0]] == ["x", "y", "z"]


def test_bias_is_that_of_node2vec() -> None:
    # From 0 to 1, then: back to 0 by 1 / p, to 2 by 1 (a neighbour of 0), to 3 by 1 / q.
    kite = fg.from_edges(source=[0, 0, 1, 1], target=[1, 2, 2, 3], directed=False)
    p, q = 2.0, 0.25
    walks = fg.walks(kite, 0, length=2, per_source=60_000, p=p, q=q, seed=11)
    behind = Counter(kite.labels[v] for v in walks[kite.labels[walks[:, 1]] == 1, 2])
    share = {0: 1 / p, 2: 1.0, 3: 1 / q}
    total = sum(behind.values())
    chi = sum(
        (behind[v] - total * s / sum(share.values())) ** 2 / (total * s / sum(share.values()))
        for v, s in share.items()
    )
    assert total > 29_000 and set(behind) == set(share) and chi < 18.4  # 2 degrees: 1 - 1e-4


def test_plans_know_walks(g: fg.Graph) -> None:
    small, large = (fg.plan("walks", g, length=5, memory=m)["host"] for m in ("1MiB", "64MiB"))
    assert small["least_bytes"] == large["least_bytes"] < small["peak_bytes"] < large["peak_bytes"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": 10_000}, "no vertex"),
        ({"length": -1}, "length: expected an integer"),
        ({"per_source": 1.5}, "per_source: expected an integer"),
        ({"p": 0}, "expected p from 0.001 to 1000"),
        ({"q": "much"}, "q: expected a number"),
        ({"restart": 1}, "probability of restart"),
    ],
)
def test_bad_arguments_are_refused(g: fg.Graph, given: dict[str, Any], said: str) -> None:
    for walk in (fg.walks, fg.walk_batches):
        with pytest.raises(fg.UsageError, match=said):
            walk(g, **given)
    with pytest.raises(fg.UsageError, match="batch: expected"):
        fg.walk_batches(g, batch=0)
    with pytest.raises(fg.UsageError, match="no weights"):
        fg.walks(fg.from_edges(source=[0], target=[1]), weighted=True)
    with pytest.raises(fg.DoesNotFitError):
        fg.walks(g, memory=100)


def test_walks_that_no_memory_holds_are_refused() -> None:
    path = fg.from_edges([(0, 1), (1, 2)], directed=False)
    with pytest.raises(fg.DoesNotFitError, match="walk_batches"):
        fg.walks(path, [0], length=2**19, per_source=2**40)
