"""Properties against SciPy, NetworkX and igraph, which share nothing with the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fathom as fg

nx = pytest.importorskip("networkx")
sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")

Case = tuple[int, list[tuple[int, int, int]], bool]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n = draw(st.integers(1, 24))
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex, st.integers(1, 9)), max_size=80))
    return n, edges, draw(st.booleans())


def fathom_of(case: Case, weighted: bool = True) -> fg.Graph:
    n, edges, directed = case
    source, target, weight = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return fg.from_edges(
        source=source,
        target=target,
        weight=weight if weighted else None,
        vertices=n,
        directed=directed,
    )


def networkx_of(case: Case) -> Any:
    n, edges, directed = case
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(n))
    for u, v, w in edges:
        if not graph.has_edge(u, v) or graph[u][v]["weight"] > w:
            graph.add_edge(u, v, weight=w)
    return graph


SOME = settings(max_examples=60, deadline=None)


@SOME
@given(cases())
def test_distances_are_scipys(case: Case) -> None:
    graph = fathom_of(case)
    matrix = graph.to_scipy()
    expected = csgraph.dijkstra(matrix, indices=0)
    np.testing.assert_allclose(fg.sssp(graph, 0).verify().values, expected)
    hops = csgraph.dijkstra(matrix, indices=0, unweighted=True)
    hops[np.isinf(hops)] = -1
    assert fg.bfs(graph, 0).verify().values.tolist() == hops.tolist()


@SOME
@given(cases())
def test_components_are_scipys(case: Case) -> None:
    graph = fathom_of(case)
    count, component = csgraph.connected_components(graph.to_scipy(), directed=False)
    found = fg.cc(graph).verify()
    assert found.facts["components"] == count
    assert len(set(zip(found.values.tolist(), component.tolist(), strict=True))) == count


@SOME
@given(cases())
def test_centralities_are_networkxs(case: Case) -> None:
    graph, theirs = fathom_of(case, weighted=False), networkx_of(case)
    n = case[0]
    ranks = nx.pagerank(theirs, weight=None, tol=1e-12, max_iter=10_000)
    np.testing.assert_allclose(
        fg.pagerank(graph, tol=1e-10, max_iter=10_000).verify().values,
        [ranks[v] for v in range(n)],
        atol=1e-7,
    )
    between = nx.betweenness_centrality(theirs)
    np.testing.assert_allclose(
        fg.bc(graph).verify().values, [between[v] for v in range(n)], atol=1e-6
    )


@SOME
@given(cases())
def test_counts_are_networkxs(case: Case) -> None:
    n, edges, _ = case
    simple = (n, [(u, v, w) for u, v, w in edges if u != v], False)
    graph, theirs = fathom_of(simple, weighted=False), networkx_of(simple)
    triangles = nx.triangles(theirs)
    assert fg.tc(graph).verify().values.tolist() == [triangles[v] for v in range(n)]
    clustered = fg.lcc(graph).verify()
    local = nx.clustering(theirs)
    np.testing.assert_allclose(clustered.values, [local[v] for v in range(n)], atol=1e-12)
    assert clustered.facts["average_clustering"] == pytest.approx(nx.average_clustering(theirs))
    assert clustered.facts["transitivity"] == pytest.approx(nx.transitivity(theirs))
    cores = nx.core_number(theirs)
    assert fg.kcore(graph).verify().values.tolist() == [cores[v] for v in range(n)]


@SOME
@given(cases())
def test_harmonic_centrality_is_igraphs(case: Case) -> None:
    igraph = pytest.importorskip("igraph")
    n, edges, directed = case
    pairs = sorted({(u, v) for u, v, _ in edges if u != v})
    if not directed:
        pairs = sorted({(min(p), max(p)) for p in pairs})
    theirs = igraph.Graph(n, pairs, directed=directed)
    expected = theirs.harmonic_centrality(mode="in" if directed else "all", normalized=False)
    graph = fathom_of((n, [(u, v, 1) for u, v in pairs], directed), weighted=False)
    np.testing.assert_allclose(fg.harmonic(graph).verify().values, expected, rtol=1e-5, atol=1e-6)


@SOME
@given(cases(), st.integers(1, 7))
def test_a_sweep_is_the_matrix(case: Case, page: int) -> None:
    graph = fathom_of(case)
    n = case[0]
    dense = np.zeros((n, n))
    for source, target, weight in fg.sweep(graph, page_edges=page):
        assert weight is not None
        dense[source, target] += weight
    assert np.array_equal(dense, graph.to_scipy().toarray())
