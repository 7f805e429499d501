"""The backend for NetworkX: searches, distances, components, cores, centrality: equal answers."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nx_checks import SOME, acyclic_graphs, check, graphs, nx

OF_A_GRAPH = [
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "average_shortest_path_length",
    "center",
    "diameter",
    "radius",
    "periphery",
    "eccentricity",
    "wiener_index",
    "isolates",
    "number_of_isolates",
    "degree_centrality",
    "adjacency_matrix",
    "shortest_path",
    "shortest_path_length",
    "is_directed_acyclic_graph",
    "is_bipartite",
]
OF_FLOATS = [
    "pagerank",
    "closeness_centrality",
    "betweenness_centrality",
    "edge_betweenness_centrality",
    "harmonic_centrality",
]
OF_A_NODE = [
    "bfs_edges",
    "bfs_tree",
    "bfs_predecessors",
    "bfs_successors",
    "bfs_layers",
    "descendants",
    "ancestors",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path",
    "single_target_shortest_path_length",
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
    "dijkstra_predecessor_and_distance",
    "ego_graph",
    "is_isolate",
]
OF_TWO_NODES = [
    "shortest_path",
    "shortest_path_length",
    "has_path",
    "bidirectional_shortest_path",
    "dijkstra_path",
    "dijkstra_path_length",
    "bidirectional_dijkstra",
]
UNDIRECTED = [
    "connected_components",
    "number_connected_components",
    "is_connected",
    "triangles",
    "clustering",
    "average_clustering",
    "transitivity",
    "global_efficiency",
]
DIRECTED = [
    "weakly_connected_components",
    "number_weakly_connected_components",
    "is_weakly_connected",
    "in_degree_centrality",
    "out_degree_centrality",
    "number_strongly_connected_components",
    "is_strongly_connected",
]
OF_CORES = ["core_number", "k_core", "k_shell", "k_crust"]


@pytest.mark.parametrize("name", OF_A_GRAPH)
@SOME
@given(graphs())
def test_functions_of_a_graph(name: str, graph: Any) -> None:
    if name == "adjacency_matrix":
        theirs = nx.adjacency_matrix(graph)
        assert (nx.adjacency_matrix(graph, backend="fathom") != theirs).nnz == 0
        return
    check(name, graph)


@pytest.mark.parametrize("name", OF_FLOATS)
@SOME
@given(graphs())
def test_centralities(name: str, graph: Any) -> None:
    options = {"tol": 1e-9, "max_iter": 5000} if name == "pagerank" else {}
    check(name, graph, close=1e-6, **options)


@pytest.mark.parametrize("name", OF_A_NODE)
@SOME
@given(graphs(), st.data())
def test_functions_of_a_node(name: str, graph: Any, data: st.DataObject) -> None:
    check(name, graph, data.draw(st.sampled_from([*graph, "nowhere"])))


@pytest.mark.parametrize("name", OF_TWO_NODES)
@pytest.mark.parametrize("weight", [None, "weight"])
@SOME
@given(graphs(), st.data())
def test_functions_of_two_nodes(
    name: str, weight: str | None, graph: Any, data: st.DataObject
) -> None:
    node = st.sampled_from([*graph, "nowhere"])
    takes = "weight" in inspect.signature(getattr(nx, name)).parameters
    options = {"weight": weight} if takes else {}
    check(name, graph, data.draw(node), data.draw(node), **options)


@pytest.mark.parametrize("name", UNDIRECTED)
@SOME
@given(graphs(directed=False))
def test_functions_of_undirected_graphs(name: str, graph: Any) -> None:
    rounded = name in ("average_clustering", "transitivity", "global_efficiency")
    check(name, graph, close=1e-6 if rounded else 0)


@pytest.mark.parametrize("name", DIRECTED)
@SOME
@given(graphs(directed=True))
def test_functions_of_directed_graphs(name: str, graph: Any) -> None:
    check(name, graph)


@SOME
@given(acyclic_graphs())
def test_acyclic_graphs(graph: Any) -> None:
    assert nx.is_directed_acyclic_graph(graph, backend="fathom")
    check("number_strongly_connected_components", graph)


@pytest.mark.parametrize("name", OF_CORES)
@SOME
@given(graphs(directed=False, loops=False))
def test_cores(name: str, graph: Any) -> None:
    check(name, graph)


@SOME
@given(graphs(directed=False, loops=False), st.integers(-1, 6))
def test_trusses(graph: Any, k: int) -> None:
    check("k_truss", graph, k)


@SOME
@given(graphs(), st.data())
def test_several_sources(graph: Any, data: st.DataObject) -> None:
    nodes = data.draw(st.lists(st.sampled_from(list(graph)), min_size=1, unique=True))
    cutoff = data.draw(st.none() | st.floats(0, 12))
    check("multi_source_dijkstra", graph, nodes, cutoff=cutoff)
    check("multi_source_dijkstra_path", graph, nodes)
    check("multi_source_dijkstra_path_length", graph, nodes)
    check("voronoi_cells", graph, nodes)
    check("bfs_layers", graph, nodes)
