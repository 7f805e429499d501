"""The backend for NetworkX: measures of degrees, neighbours and pairs, power iterations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nx_checks import SOME, check, graphs, nx

import fathom as fg

LINKS = [
    "jaccard_coefficient",
    "adamic_adar_index",
    "resource_allocation_index",
    "preferential_attachment",
    "common_neighbor_centrality",
]
VERSION = tuple(map(int, nx.__version__.split(".")[:2]))
KINDS = st.sampled_from(["in", "out", "in+out", "bad"])


@pytest.mark.parametrize("name", ["average_neighbor_degree", "average_degree_connectivity"])
@pytest.mark.parametrize("weight", [None, "weight"])
@SOME
@given(graphs(), st.data())
def test_degrees_of_neighbours(
    name: str, weight: str | None, graph: Any, data: st.DataObject
) -> None:
    nodes = data.draw(st.none() | st.lists(st.sampled_from(list(graph)), min_size=1, unique=True))
    check(name, graph, nodes=nodes, weight=weight, close=1e-9)
    if name == "average_degree_connectivity":
        check(name, graph, nodes=next(iter(graph)), weight=weight, close=1e-9)
    check(name, graph, source=data.draw(KINDS), target=data.draw(KINDS), weight=weight, close=1e-9)


@pytest.mark.parametrize("weight", [None, "weight"])
@SOME
@given(graphs(), st.data())
def test_assortativity(weight: str | None, graph: Any, data: st.DataObject) -> None:
    name, x = "degree_assortativity_coefficient", data.draw(st.sampled_from(["in", "out"]))
    some = data.draw(st.none() | st.lists(st.sampled_from(list(graph)), min_size=1))
    ours = getattr(nx, name)(graph, x=x, weight=weight, nodes=some, backend="fathom")
    if ours == ours:  # where degrees do not vary NetworkX has what rounding leaves
        check(name, graph, x=x, weight=weight, nodes=some, close=1e-6)
    if graph.is_directed():
        check(name, graph, y="in+out")


@SOME
@given(graphs(directed=True), st.data())
def test_reciprocity(graph: Any, data: st.DataObject) -> None:
    check("overall_reciprocity", graph)
    check("reciprocity", graph)
    check("reciprocity", graph, data.draw(st.sampled_from(list(graph))))
    check("reciprocity", graph, data.draw(st.lists(st.sampled_from(list(graph)))))
    check("number_of_selfloops", graph)


@pytest.mark.parametrize("loops", [False, True])
@SOME
@given(st.data())
def test_rich_clubs(loops: bool, data: st.DataObject) -> None:
    check("rich_club_coefficient", data.draw(graphs(directed=False, loops=loops)), normalized=False)


@pytest.mark.parametrize("name", LINKS)
@SOME
@given(graphs(directed=False), st.data())
def test_links(name: str, graph: Any, data: st.DataObject) -> None:
    check(name, graph, close=1e-9)
    node = st.sampled_from(list(graph))
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=6))
    check(name, graph, pairs, close=1e-9)
    check(name, graph, [*pairs, ("nowhere", pairs[0][0] if pairs else 1)])
    if name == "common_neighbor_centrality":
        check(name, graph, pairs, alpha=1)
        check(name, graph, pairs, alpha=0.5, close=1e-9)


def test_pairs_of_an_iterator_are_used_up_by_the_look_for_nodes() -> None:
    graph = nx.path_graph(4)
    for backend in ("networkx", "fathom"):
        assert list(nx.jaccard_coefficient(graph, iter([(0, 2)]), backend=backend)) == []
        with pytest.raises(nx.NodeNotFound, match="Node 9 not in G"):
            nx.jaccard_coefficient(graph, [(0, 2), (0, 9)], backend=backend)


@pytest.mark.parametrize("name", ["square_clustering", "generalized_degree"])
@SOME
@given(graphs(directed=False), st.data())
def test_neighbours_of_neighbours(name: str, graph: Any, data: st.DataObject) -> None:
    check(name, graph)
    check(name, graph, data.draw(st.sampled_from(list(graph))))
    check(name, graph, data.draw(st.lists(st.sampled_from([*graph, "nowhere"]), unique=True)))
    check(name, graph, 99)


@SOME
@given(graphs())
def test_structural_holes(graph: Any) -> None:
    check("constraint", graph, close=1e-9)
    check("constraint", graph, weight="weight", close=1e-9)
    if not graph.is_directed():
        check("effective_size", graph, close=1e-9)


@pytest.mark.skipif(VERSION < (3, 6), reason="samples were scaled otherwise")
@SOME
@given(graphs(), st.data())
def test_sampled_betweenness(graph: Any, data: st.DataObject) -> None:
    count, seed = data.draw(st.integers(1, len(graph) + 1)), data.draw(st.integers(0, 9))
    for normalized in (False, True):
        check("betweenness_centrality", graph, count, normalized, seed=seed, close=1e-9)
        check("edge_betweenness_centrality", graph, count, normalized, seed=seed, close=1e-9)


@SOME
@given(graphs(), st.data())
def test_betweenness_by_weight(graph: Any, data: st.DataObject) -> None:
    for u, v in graph.edges:
        graph[u][v]["weight"] = data.draw(st.sampled_from([1, 2, 0.5]))
    for name in ("betweenness_centrality", "edge_betweenness_centrality"):
        for normalized in (False, True):
            check(name, graph, normalized=normalized, weight="weight", close=1e-9)


@pytest.mark.parametrize("weight", [None, "weight"])
@SOME
@given(graphs(), st.data())
def test_betweenness_of_some_sources_and_targets(
    weight: str | None, graph: Any, data: st.DataObject
) -> None:
    if weight is not None:
        for u, v in graph.edges:
            graph[u][v][weight] = data.draw(st.sampled_from([1, 2, 0.5]))
    nodes = st.lists(st.sampled_from(list(graph)))
    sources, targets = data.draw(nodes), data.draw(nodes)
    for normalized in (False, True):
        check(
            "betweenness_centrality_subset",
            graph,
            sources,
            [*targets, "nowhere"],
            normalized,
            weight,
            close=1e-9,
        )
    check("betweenness_centrality_subset", graph, [*sources, "nowhere"], targets)


def test_betweenness_of_a_graph_with_labels() -> None:
    theirs = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("d", "a")])
    ours = fg.from_edges(list(theirs.edges), directed=True)
    for name, options in (
        ("betweenness_centrality", {"k": 2, "seed": 1}),
        ("edge_betweenness_centrality", {"k": 2, "seed": 1}),
        ("edge_betweenness_centrality", {}),
        ("betweenness_centrality_subset", {"sources": ["a", "d"], "targets": ["b", "c"]}),
    ):
        if "k" in options and VERSION < (3, 6):
            continue
        function = getattr(nx, name)
        found = function(ours, backend="fathom", **options)
        assert found == pytest.approx(function(theirs, **options))


@pytest.mark.parametrize("multi", [False, True])
@SOME
@given(st.data())
def test_local_efficiency(multi: bool, data: st.DataObject) -> None:
    graph = data.draw(graphs(directed=False, multi=multi))
    check("local_efficiency", graph, close=1e-9)
    check("square_clustering", graph)


@pytest.mark.parametrize("weight", [None, "weight"])
@SOME
@given(graphs())
def test_power_iterations(weight: str | None, graph: Any) -> None:
    check("katz_centrality", graph, alpha=0.01, beta=2, tol=1e-9, weight=weight, close=1e-6)
    check("katz_centrality", graph, alpha=0.01, normalized=False, weight=weight, close=1e-5)
    options = {"weight": weight, "tol": 1e-9, "max_iter": 3000}
    check("eigenvector_centrality", graph, close=1e-5, **options)
    for steps in (0, 1, 2, 5):
        check("katz_centrality", graph, max_iter=steps, close=1e-5)
    check("eigenvector_centrality", graph, max_iter=0)


def test_hubs_and_authorities() -> None:
    for weights in (False, True):
        graph = nx.gnp_random_graph(60, 0.1, seed=4, directed=True)
        for u, v in graph.edges if weights else ():
            graph[u][v]["weight"] = 1 + (u * v) % 3
        check("hits", graph, close=1e-6)
    check("hits", nx.DiGraph())
    check("hits", graph, max_iter=0)


@SOME
@given(graphs(), st.integers(0, 9))
def test_approximate_diameters(graph: Any, seed: int) -> None:
    check("approximate_diameter", graph, seed=seed)
    parts = nx.strongly_connected_components if graph.is_directed() else nx.connected_components
    largest = max(parts(graph, backend="networkx"), key=len)
    check("approximate_diameter", graph.subgraph(largest).copy(), seed=seed)


@pytest.mark.parametrize("name", ["diameter", "radius", "center", "periphery"])
@SOME
@given(graphs())
def test_bounded_eccentricities(name: str, graph: Any) -> None:
    check(name, graph, usebounds=True)
    check(name, graph, e=dict.fromkeys(graph, 3), usebounds=True)
    check(name, type(graph)(), usebounds=True)


@pytest.mark.parametrize("size", [20, 150])
def test_distances_of_shallow_and_of_deep_graphs(size: int) -> None:
    """Searches of many sources at once, or of one after the other."""
    for graph in (nx.path_graph(size), nx.barabasi_albert_graph(size, 4, seed=1)):
        both = graph.to_directed()
        both.remove_edge(0, 1)
        for its in (graph, both):
            for name in ("wiener_index", "average_shortest_path_length", "eccentricity", "center"):
                check(name, its)
            for name in ("diameter", "radius", "center", "periphery"):
                check(name, its, usebounds=True)
            for name in ("closeness_centrality", "harmonic_centrality"):
                check(name, its, close=1e-9)
        check("global_efficiency", graph, close=1e-9)


def test_graphs_without_edges() -> None:
    for count in (0, 3):
        graph, directed = nx.empty_graph(count), nx.empty_graph(count, nx.DiGraph)
        for name in (*LINKS, "square_clustering", "generalized_degree", "average_neighbor_degree"):
            check(name, graph)
        for name in ("local_efficiency", "eigenvector_centrality", "katz_centrality"):
            check(name, graph, close=1e-6)
        check("rich_club_coefficient", graph, normalized=False)
        check("overall_reciprocity", directed)
        check("approximate_diameter", directed)


def test_measures_of_a_fathom_graph() -> None:
    graph = nx.barabasi_albert_graph(300, 3, seed=1)
    for u, v in graph.edges:
        graph[u][v]["weight"] = 1 + u % 7
    ours = fg.from_networkx(graph)
    for weight in (None, "weight"):
        for name in ("average_neighbor_degree", "average_degree_connectivity"):
            theirs = getattr(nx, name)(graph, weight=weight, backend="networkx")
            assert getattr(nx, name)(ours, weight=weight) == pytest.approx(theirs)
    coefficient = fg.assortativity(ours).facts["assortativity"]
    assert nx.degree_assortativity_coefficient(ours) == pytest.approx(coefficient, abs=1e-6)
    pairs = [(0, 1), (2, 7)]
    for name in LINKS:
        theirs = list(getattr(nx, name)(graph, pairs, backend="networkx"))
        assert list(getattr(nx, name)(ours, pairs)) == [
            (u, v, pytest.approx(value)) for u, v, value in theirs
        ]
