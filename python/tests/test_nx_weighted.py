"""The backend for NetworkX: paths by weights that may be negative, A*, spanning trees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nx_checks import SOME, check, graphs, nx

import fathom as fg

OF_A_SOURCE = [
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
    "bellman_ford_predecessor_and_distance",
]
OF_TWO_NODES = ["single_source_bellman_ford", "bellman_ford_path", "bellman_ford_path_length"]
ANY = graphs() | graphs(directed=True, negative=True) | graphs(multi=True, negative=True)


@pytest.mark.parametrize("name", OF_A_SOURCE)
@SOME
@given(ANY, st.data())
def test_from_a_source(name: str, graph: Any, data: st.DataObject) -> None:
    check(name, graph, data.draw(st.sampled_from([*graph, "nowhere"])))


@pytest.mark.parametrize("name", OF_TWO_NODES)
@SOME
@given(ANY, st.data())
def test_between_two_nodes(name: str, graph: Any, data: st.DataObject) -> None:
    node = st.sampled_from([*graph, "nowhere"])
    check(name, graph, data.draw(node), data.draw(node))
    check(name, graph, data.draw(node), data.draw(node), weight=None)


@pytest.mark.parametrize(
    "name",
    ["all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length", "negative_edge_cycle"],
)
@SOME
@given(ANY)
def test_of_all_pairs(name: str, graph: Any) -> None:
    check(name, graph)


@pytest.mark.parametrize("heuristic", [False, True])
def test_a_cycle_of_less_than_nothing(heuristic: bool) -> None:
    graph = nx.cycle_graph(300, nx.DiGraph)
    nx.set_edge_attributes(graph, 1, "weight")
    graph[7][8]["weight"] = -298
    check("negative_edge_cycle", graph)
    check("bellman_ford_predecessor_and_distance", graph, 0, heuristic=heuristic)
    graph.add_edge(7, 8, weight=-300)
    check("negative_edge_cycle", graph)
    check("bellman_ford_predecessor_and_distance", graph, 0, heuristic=heuristic)
    with pytest.raises(nx.NetworkXUnbounded, match=r"Negative cycle detected\."):
        nx.bellman_ford_path(graph, 0, 5, backend="fathom")


@pytest.mark.parametrize("name", ["astar_path", "astar_path_length"])
@SOME
@given(graphs() | graphs(multi=True), st.data())
def test_unguided_ways(name: str, graph: Any, data: st.DataObject) -> None:
    node = st.sampled_from([*graph, "nowhere"])
    check(name, graph, data.draw(node), data.draw(node))
    check(name, graph, data.draw(node), data.draw(node), cutoff=data.draw(st.integers(0, 9)))
    check(name, graph, data.draw(node), data.draw(node), weight=None)


@pytest.mark.parametrize("kind", ["minimum", "maximum"])
@SOME
@given(graphs(directed=False, negative=True))
def test_spanning_trees(kind: str, graph: Any) -> None:
    graph.graph["of"] = "test"
    for node in graph:
        graph.nodes[node]["seen"] = True
    for weight in ("weight", None):
        check(f"{kind}_spanning_tree", graph, weight=weight)
        check(f"{kind}_spanning_edges", graph, weight=weight)
        check(f"{kind}_spanning_edges", graph, weight=weight, data=False)
    tree = getattr(nx, f"{kind}_spanning_tree")(graph, backend="fathom")
    assert tree.graph == graph.graph
    assert dict(tree.nodes.items()) == dict(graph.nodes.items())


def test_graphs_without_nodes() -> None:
    check("negative_edge_cycle", nx.DiGraph())
    check("minimum_spanning_tree", nx.Graph())
    check("minimum_spanning_edges", nx.Graph())
    check("all_pairs_bellman_ford_path", nx.Graph())


def test_weights_of_a_fathom_graph(kron: fg.Graph) -> None:
    source = next(iter(kron))
    assert nx.single_source_bellman_ford_path_length(kron, source) == pytest.approx(
        nx.single_source_dijkstra_path_length(kron, source)
    )
    assert not nx.negative_edge_cycle(kron)
    tree = nx.minimum_spanning_tree(kron)
    weights = nx.get_edge_attributes(tree, "weight")
    facts = fg.msf(kron).facts
    assert len(weights) == facts["edges"]
    assert sum(weights.values()) == facts["total_weight"]
    assert nx.astar_path_length(kron, source, source) == 0
