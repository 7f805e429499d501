"""The backend for NetworkX: conversions, reasons, tables, and rare arguments."""

from __future__ import annotations

import pathlib
import random
import re
from typing import Any

import numpy as np
import pytest
from nx_checks import check, nx

import fathom as fg
from fathom.nx import interface


def test_the_guide_names_the_functions() -> None:
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "guides" / "python.md").read_text()
    listed = guide.split("| functions (", 1)[1].split("\n\n", 1)[0]
    assert sorted(re.findall(r"`(\w+)`", listed)) == interface.FUNCTIONS


def test_the_info_names_the_functions() -> None:
    import _fathom_nx

    assert sorted(_fathom_nx.FUNCTIONS) == interface.FUNCTIONS
    assert len(interface.FUNCTIONS) >= 132
    for name in interface.FUNCTIONS:
        assert "fathom" in nx.utils.backends._registered_algorithms[name].backends, name


def test_a_fathom_graph_is_never_converted(
    packages: fg.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def converted(*_: Any, **__: Any) -> None:
        raise AssertionError("converted")

    monkeypatch.setattr("fathom.nx.graph.convert", converted)
    monkeypatch.setattr("fathom.nx.interface.convert", converted)
    ranks = nx.pagerank(packages, tol=1e-10)
    assert ranks == pytest.approx(fg.pagerank(packages, tol=1e-9).to_dict(), abs=1e-6)
    lengths = nx.single_source_shortest_path_length(packages, "bash")
    assert lengths == {k: v for k, v in fg.bfs(packages, "bash").to_dict().items() if v is not None}
    path = nx.shortest_path(packages, "bash", "libc6")
    assert path[0] == "bash"
    assert len(path) - 1 == lengths["libc6"]
    assert nx.density(packages) == packages.edges / (packages.vertices * (packages.vertices - 1))
    assert nx.number_weakly_connected_components(packages) == fg.cc(packages).facts["components"]
    with pytest.raises(nx.NodeNotFound):
        nx.shortest_path(packages, "bash", "nowhere")


def test_a_conversion_is_kept_until_the_graph_changes() -> None:
    graph = nx.path_graph(4)
    with pytest.MonkeyPatch.context() as patch:
        calls = []
        convert = interface.convert
        patch.setattr(interface, "convert", lambda *a: calls.append(a) or convert(*a))
        with pytest.warns(UserWarning, match="cache"):
            for _ in range(3):
                assert nx.diameter(graph, backend="fathom") == 3
        assert len(calls) == 1
        graph.add_edge(3, 4)
        assert nx.diameter(graph, backend="fathom") == 4
        assert len(calls) == 2


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("pagerank", {"nstart": {0: 1}}, "nstart"),
        ("pagerank", {"weight": lambda *_: 1}, "function"),
        ("betweenness_centrality", {"endpoints": True}, "endpoints"),
        ("edge_betweenness_centrality", {"weight": len}, "function"),
        ("betweenness_centrality_subset", {"sources": [0], "targets": iter([2])}, "used up"),
        ("radius", {"usebounds": True, "weight": "weight"}, "by weight"),
        ("effective_size", {"weight": "weight"}, "not the same"),
        ("bridges", {"root": 0}, "one component"),
        ("constraint", {"nodes": [0]}, "only some"),
        ("closeness_centrality", {"distance": "weight"}, "by weight"),
        ("dijkstra_path", {"source": 0, "target": 1, "weight": len}, "function"),
        ("bfs_edges", {"source": 0, "sort_neighbors": sorted}, "order"),
        ("astar_path", {"source": 0, "target": 1, "heuristic": len}, "led by a function"),
        ("bellman_ford_path", {"source": 0, "target": 1, "weight": len}, "function"),
        ("dag_longest_path", {"topo_order": [0, 1, 2]}, "given"),
        ("eigenvector_centrality", {"nstart": {0: 1}}, "nstart"),
        ("katz_centrality", {"beta": {0: 1}}, "different values"),
        ("hits", {"normalized": False}, "sign"),
        ("greedy_color", {"strategy": "DSATUR"}, "strategy"),
        ("greedy_color", {"interchange": True}, "interchanged"),
        ("maximal_independent_set", {"seed": random.Random(1)}, "drawn"),
        ("minimum_spanning_edges", {"algorithm": "prim"}, "order"),
        ("minimum_spanning_tree", {"algorithm": "boruvka"}, "order"),
        ("average_neighbor_degree", {"nodes": 0}, "one node"),
        ("rich_club_coefficient", {}, "random"),
    ],
)
def test_what_cannot_be_equal_is_refused_with_a_reason(
    name: str, arguments: dict[str, Any], reason: str
) -> None:
    graph = nx.path_graph(3)
    said = interface.BackendInterface.can_run(name, (graph,), arguments)
    assert isinstance(said, str)
    assert reason in said
    for other in ("triangles", "square_clustering"):
        assert interface.BackendInterface.can_run(other, (nx.DiGraph(graph),), {}) is not True
    for other in ("triangles", "greedy_color", "reciprocity", "modularity", "dag_longest_path"):
        assert interface.BackendInterface.can_run(other, (nx.MultiDiGraph(graph),), {}) is not True


def test_networkx_goes_on_where_a_function_is_refused() -> None:
    graph = nx.path_graph(3)
    with nx.config(backend_priority=["fathom"], fallback_to_nx=True):
        assert nx.betweenness_centrality(graph, endpoints=True)
        assert nx.pagerank(graph, dangling={0: 1})


def test_strange_weights() -> None:
    graph = nx.Graph([(0, 1, {"weight": 10**30}), (1, 2, {"weight": 1})])
    with pytest.raises(NotImplementedError) as raised:
        nx.dijkstra_path(graph, 0, 2, backend="fathom")
    assert "binary64" in str(raised.value.__cause__)
    exact = nx.Graph(
        [
            (0, 1, {"weight": 0.1}),
            (1, 2, {"weight": 0.2}),
            (0, 2, {"weight": 2**52}),
        ]
    )
    check("single_source_dijkstra", exact, 0)
    negative = nx.Graph([(0, 1, {"weight": -1}), (1, 2, {"weight": 1})])
    check("dijkstra_path", negative, 0, 2)
    words = nx.Graph([(0, 1, {"weight": "x"})])
    with pytest.raises(NotImplementedError) as raised:
        nx.dijkstra_path(words, 0, 1, backend="fathom")
    assert "no numbers" in str(raised.value.__cause__)


def test_multigraphs() -> None:
    graph = nx.MultiDiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    for name in ("bfs_edges", "descendants", "single_source_shortest_path"):
        check(name, graph, 0)
    check("weakly_connected_components", graph)


def test_parallel_edges_of_ints_and_floats() -> None:
    for kind in (nx.MultiGraph, nx.MultiDiGraph):
        graph = kind([(0, 1, {"weight": 2.5}), (1, 2, {"weight": 1}), (0, 1, {}), (2, 3, {})])
        graph.add_edge(3, 4, weight=0.5)
        check("single_source_dijkstra", graph, 0)
        check("all_pairs_dijkstra_path_length", graph)


def test_a_cutoff_between_two_hops() -> None:
    graph = nx.path_graph(5)
    for cutoff in (0, 0.5, 1.5, 2):
        check("single_source_shortest_path_length", graph, 0, cutoff=cutoff)
        check("single_source_shortest_path", graph, 0, cutoff=cutoff)


def test_views() -> None:
    graph = nx.gnp_random_graph(30, 0.1, seed=3)
    view = nx.subgraph_view(graph, filter_node=lambda n: n % 3 > 0)
    check("connected_components", view)
    check("single_source_shortest_path", view, 1)
    check("single_source_shortest_path", graph.subgraph(range(15)), 1)


def test_matrices_and_tables(kron: fg.Graph) -> None:
    pandas = pytest.importorskip("pandas")
    matrix = kron.to_scipy()[:50, :50]
    made = nx.from_scipy_sparse_array(matrix, backend="fathom")
    assert nx.utils.graphs_equal(
        made.to_networkx(), nx.from_scipy_sparse_array(matrix, backend="networkx")
    )
    assert nx.number_connected_components(made) > 0  # runs where it was made
    table = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.5, 2]})
    made = nx.from_pandas_edgelist(table, edge_attr="weight", backend="fathom")
    theirs = nx.from_pandas_edgelist(table, edge_attr="weight", backend="networkx")
    assert nx.utils.graphs_equal(made.to_networkx(), theirs)
    again = nx.to_pandas_edgelist(theirs, backend="fathom")
    assert again.equals(nx.to_pandas_edgelist(theirs, backend="networkx"))
    assert np.array_equal(
        nx.to_numpy_array(theirs, backend="fathom"), nx.to_numpy_array(theirs, backend="networkx")
    )


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_graphs_without_edges_have_networkx_types(kind: Any) -> None:
    empty, alone = kind(), kind()
    alone.add_nodes_from([2, 1])
    for name in ("to_scipy_sparse_array", "adjacency_matrix", "to_numpy_array"):
        theirs, ours = (getattr(nx, name)(alone, backend=b) for b in ("networkx", "fathom"))
        assert theirs.dtype == ours.dtype and theirs.shape == ours.shape, name
    for value in nx.harmonic_centrality(alone, backend="fathom").values():
        assert value == 0 and type(value) is int
    for name in ("center", "diameter", "eccentricity"):
        check(name, empty)


def test_weights_of_a_fathom_graph_are_those_asked_for() -> None:
    g = fg.from_edges([(0, 1, 5.0), (1, 2, 1.0), (0, 2, 2.0)])
    G = g.to_networkx()
    for weight in ("weight", None, "foo"):
        assert nx.dijkstra_path_length(g, 0, 1, weight=weight) == nx.dijkstra_path_length(
            G, 0, 1, weight=weight, backend="networkx"
        )
        ours = nx.adjacency_matrix(g, weight=weight).toarray()
        assert (ours == nx.adjacency_matrix(G, weight=weight, backend="networkx").toarray()).all()
        ranks = nx.pagerank(G, weight=weight, backend="networkx")
        assert nx.pagerank(g, weight=weight) == pytest.approx(ranks, abs=1e-5)


@pytest.mark.parametrize("scale", [1e-50, 1e39, 1e200])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_ranks_by_weights_that_binary32_does_not_hold(kind: Any, scale: float) -> None:
    G = kind()
    edges = [(0, 1, scale), (0, 2, 3 * scale), (1, 0, 1.0), (2, 0, 1.0), (3, 1, 0.0), (2, 4, 2.5)]
    G.add_weighted_edges_from(edges)
    ours = nx.pagerank(G, tol=1e-10, backend="fathom")
    assert ours == pytest.approx(nx.pagerank(G, tol=1e-10, backend="networkx"), abs=1e-6)


def test_wrong_and_rare_arguments() -> None:
    G = nx.Graph()
    G.add_edge("a", "b", weight=1)
    G.add_edge("b", "c", weight=2.5)
    length, _ = nx.bidirectional_dijkstra(G, "a", "b", backend="fathom")
    assert (length, type(length)) == (1, int)
    for name in ("triangles", "clustering"):
        with pytest.raises(nx.NetworkXError, match="Node 99 is not in the graph"):
            getattr(nx, name)(nx.karate_club_graph(), 99, backend="fathom")
    G.add_edge("c", "d", weight=float("inf"))
    with pytest.raises(NotImplementedError):
        nx.dijkstra_predecessor_and_distance(G, "a", cutoff=5, backend="fathom")
