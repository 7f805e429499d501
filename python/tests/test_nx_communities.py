"""Communities by modularity through NetworkX's backend: as good as NetworkX's, not the same."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from nx_checks import SOME, check, graphs, nx

import fathom as fg

community = nx.community
METHODS = [
    (community.louvain_communities, community.louvain_partitions),
    (community.leiden_communities, community.leiden_partitions),
]


def quality(graph: Any, parts: Any, **options: Any) -> float:
    return float(community.modularity(graph, parts, **options, backend="networkx"))


def is_partition(graph: Any, parts: list[set[Any]]) -> bool:
    return sum(map(len, parts)) == len(graph) and set().union(*parts) == set(graph)


@pytest.mark.parametrize(("best", "each"), METHODS)
@pytest.mark.parametrize("weight", ["weight", None])
def test_as_good_as_networkx(best: Any, each: Any, weight: Any) -> None:
    for graph in (
        nx.karate_club_graph(),
        nx.les_miserables_graph(),
        nx.LFR_benchmark_graph(
            250, 3, 1.5, 0.009, average_degree=5, min_community=20, seed=10, backend="networkx"
        ),
    ):
        theirs = max(
            quality(graph, its, weight=weight)
            for its in (
                community.louvain_communities(graph, weight, seed=seed, backend="networkx")
                for seed in range(3)
            )
        )
        ours = [best(graph, weight, seed=seed, backend="fathom") for seed in range(3)]
        assert all(is_partition(graph, parts) for parts in ours)
        assert max(quality(graph, parts, weight=weight) for parts in ours) > 0.98 * theirs
        assert best(graph, weight, seed=1, backend="fathom") == ours[1]


@pytest.mark.parametrize(("best", "each"), METHODS)
@SOME
@given(graphs(directed=False))
def test_partitions_lead_to_the_best(best: Any, each: Any, graph: Any) -> None:
    parts = list(each(graph, seed=3, backend="fathom"))
    assert all(is_partition(graph, its) for its in parts)
    found = [quality(graph, its) for its in parts] if graph.size(weight="weight") else []
    assert found == pytest.approx(sorted(found), abs=1e-6)
    for level, its in enumerate(parts, 1):
        assert best(graph, max_level=level, seed=3, backend="fathom") == its
    assert best(graph, seed=3, backend="fathom") == parts[-1]


@SOME
@given(graphs(directed=False))
def test_leiden_communities_are_connected(graph: Any) -> None:
    for parts in community.leiden_partitions(graph, seed=1, backend="fathom"):
        assert all(nx.is_connected(graph.subgraph(its)) for its in parts)


@pytest.mark.parametrize(("best", "each"), METHODS)
def test_parallel_edges_add_up(best: Any, each: Any) -> None:
    graph = nx.MultiGraph([(0, 1), (0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 0)])
    assert best(graph, seed=1, backend="fathom") == [{0, 1}, {2, 3}]


@pytest.mark.parametrize(("best", "each"), METHODS)
def test_graphs_without_edges(best: Any, each: Any) -> None:
    graph = nx.empty_graph(3)
    assert best(graph, backend="fathom") == [{0}, {1}, {2}]
    assert list(each(graph, backend="fathom")) == [[{0}, {1}, {2}]]
    assert best(nx.Graph(), backend="fathom") == []


@pytest.mark.parametrize(("best", "each"), METHODS)
def test_a_seed_of_any_kind_decides(best: Any, each: Any) -> None:
    graph = nx.gnm_random_graph(200, 600, seed=1, backend="networkx")
    for seeds in (
        lambda: random.Random(4),
        lambda: np.random.RandomState(4),
        lambda: np.random.default_rng(4),
    ):
        first, second = (best(graph, seed=seeds(), backend="fathom") for _ in range(2))
        assert first == second
    random.seed(5)
    drawn = best(graph, backend="fathom")
    random.seed(5)
    assert best(graph, backend="fathom") == drawn


@pytest.mark.parametrize(("best", "each"), METHODS)
def test_what_is_refused(best: Any, each: Any) -> None:
    graph = nx.path_graph(4)
    with pytest.raises(ValueError, match="max_level argument must be a positive integer"):
        best(graph, max_level=0, backend="fathom")
    with pytest.raises(NotImplementedError):
        best(nx.Graph([(0, 1, {"weight": -1}), (1, 2)]), backend="fathom")
    with pytest.raises((NotImplementedError, nx.NetworkXNotImplemented)):
        best(nx.DiGraph([(0, 1)]), backend="fathom")


def test_directed_graphs_go_to_networkx() -> None:
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)])
    with nx.config(backend_priority=["fathom"], fallback_to_nx=True):
        assert len(community.louvain_communities(graph, seed=1)) == 2


def test_a_fathom_graph(packages: fg.Graph) -> None:
    graph = fg.from_networkx(packages.to_networkx().to_undirected())
    parts = community.leiden_communities(graph, seed=1)
    assert sum(map(len, parts)) == graph.vertices
    assert len(parts) > 1
    check("modularity", graph.to_networkx(), parts, close=1e-9)


@pytest.mark.parametrize("options", [{"resolution": -1}, {"threshold": float("nan")}])
def test_partitions_are_refused_at_once(options: dict[str, float]) -> None:
    with pytest.raises(NotImplementedError):
        nx.community.louvain_partitions(nx.path_graph(4), backend="fathom", **options)
