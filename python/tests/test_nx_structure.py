"""The backend for NetworkX: strong components, orders, choices and communities answer equally."""

from __future__ import annotations

import collections
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nx_checks import FUNCTIONS, SOME, acyclic_graphs, check, graphs, nx

import fathom as fg


@pytest.mark.parametrize(
    "name",
    ["strongly_connected_components", "condensation", "attracting_components", "topological_sort"],
)
@pytest.mark.parametrize("multi", [False, True])
@SOME
@given(st.data())
def test_strong_components(name: str, multi: bool, data: st.DataObject) -> None:
    check(name, data.draw(graphs(directed=True, multi=multi)))


@SOME
@given(graphs(directed=True), st.randoms(use_true_random=False))
def test_components_that_are_given(graph: Any, order: random.Random) -> None:
    parts = list(nx.strongly_connected_components(graph, backend="networkx"))
    order.shuffle(parts)
    check("condensation", graph, parts)
    if len(parts) > 1:
        check("condensation", graph, parts[1:])


@pytest.mark.parametrize(
    "name",
    [
        "biconnected_components",
        "articulation_points",
        "is_biconnected",
        "bridges",
        "has_bridges",
    ],
)
@pytest.mark.parametrize("multi", [False, True])
@SOME
@given(st.data())
def test_cuts(name: str, multi: bool, data: st.DataObject) -> None:
    if not (multi and "bridges" in name):
        check(name, data.draw(graphs(directed=False, multi=multi)))
        check(name, nx.Graph())


@pytest.mark.parametrize("name", ["topological_generations", "topological_sort"])
@SOME
@given(graphs() | acyclic_graphs())
def test_topological_orders(name: str, graph: Any) -> None:
    check(name, graph)


@pytest.mark.parametrize("name", ["dag_longest_path", "dag_longest_path_length"])
@SOME
@given(acyclic_graphs(negative=True) | graphs(directed=True))
def test_longest_paths(name: str, graph: Any) -> None:
    check(name, graph)
    check(name, graph, default_weight=3)
    check(name, graph, weight=None)


def test_changes_are_seen_while_generations_are_taken() -> None:
    for change, error in (
        (lambda graph: graph.add_edge(3, 5), RuntimeError),
        (lambda graph: graph.remove_node(2), RuntimeError),
        (lambda graph: graph.remove_node(4), nx.NetworkXUnfeasible),
    ):
        graph = nx.DiGraph([(1, 2), (2, 3), (3, 4)])
        order = nx.topological_sort(graph, backend="fathom")
        assert next(order) == 1
        change(graph)
        with pytest.raises(error, match="changed during iteration"):
            list(order)


@pytest.mark.parametrize("strategy", ["largest_first", "random_sequential"])
@SOME
@given(graphs())
def test_colors(strategy: str, graph: Any) -> None:
    check("greedy_color", graph, strategy)


@pytest.mark.parametrize("multi", [False, True])
@SOME
@given(st.data())
def test_two_sides(multi: bool, data: st.DataObject) -> None:
    graph = data.draw(graphs(multi=multi))
    check("color", graph)
    sides = data.draw(st.dictionaries(st.sampled_from(list(graph)), st.booleans()))
    odd = [(u, v) for u, v in set(graph.edges()) if sides.get(u, False) == sides.get(v, False)]
    while odd:
        graph.remove_edges_from(odd)
        odd = [(u, v) for u, v in odd if graph.has_edge(u, v)]
    check("color", graph)


@pytest.mark.parametrize("name", ["maximal_matching", "onion_layers"])
@pytest.mark.parametrize("loops", [False, True])
@SOME
@given(st.data())
def test_choices(name: str, loops: bool, data: st.DataObject) -> None:
    check(name, data.draw(graphs(directed=False, loops=loops)))


@SOME
@given(graphs(directed=False))
def test_label_propagation(graph: Any) -> None:
    check("label_propagation_communities", graph)


@SOME
@given(graphs(directed=False))
def test_labels_that_most_neighbours_have(graph: Any) -> None:
    for name in ("asyn_lpa_communities", "fast_label_propagation_communities"):
        found = list(FUNCTIONS[name](graph, backend="fathom"))
        label = {node: i for i, its in enumerate(found) for node in its}
        assert len(label) == len(graph) == sum(map(len, found))
        for node in graph:
            met = collections.Counter(label[v] for v in nx.all_neighbors(graph, node))
            assert not met or met[label[node]] == max(met.values())


def test_labels_of_directed_and_weighted_graphs() -> None:
    pairs = nx.DiGraph([(1, 2), (2, 1), (3, 4), (4, 5), (5, 3)])
    found = nx.community.fast_label_propagation_communities(pairs, backend="fathom")
    assert sorted(map(sorted, found)) == [[1, 2], [3, 4, 5]]
    for name in ("asyn_lpa_communities", "fast_label_propagation_communities"):
        for options in ({"weight": "weight"}, {"seed": 5}):
            with pytest.raises(NotImplementedError):
                FUNCTIONS[name](nx.path_graph(3), backend="fathom", **options)


@SOME
@given(graphs(directed=False, loops=False), st.data())
def test_independent_sets(graph: Any, data: st.DataObject) -> None:
    given_nodes = data.draw(st.lists(st.sampled_from(list(graph)), unique=True, max_size=2))
    try:
        found = nx.maximal_independent_set(graph, given_nodes, backend="fathom")
    except nx.NetworkXUnfeasible:
        assert graph.has_edge(*given_nodes)
        return
    assert len(set(found)) == len(found)
    assert set(given_nodes) <= set(found)
    assert not any(u in found and v in found for u, v in graph.edges)
    assert all(set(graph[node]) & set(found) for node in set(graph) - set(found))
    check("maximal_independent_set", graph, ["nowhere"])


@SOME
@given(graphs(), st.data())
def test_modularity(graph: Any, data: st.DataObject) -> None:
    of_node = [data.draw(st.integers(0, 2)) for _ in graph]
    parts = [{n for n, its in zip(graph, of_node, strict=True) if its == i} for i in range(3)]
    check("modularity", graph, parts, close=1e-9)
    check("modularity", graph, parts, weight=None, resolution=0.5)
    check("modularity", graph, parts[1:], close=1e-9)


def test_graphs_without_nodes() -> None:
    for kind, names in (
        (
            nx.DiGraph,
            "strongly_connected_components condensation attracting_components topological_sort "
            "topological_generations dag_longest_path dag_longest_path_length",
        ),
        (nx.Graph, "greedy_color color maximal_matching onion_layers maximal_independent_set"),
    ):
        for name in names.split():
            check(name, kind())
    check("label_propagation_communities", nx.Graph())
    check("modularity", nx.Graph(), [])


def test_structure_of_a_fathom_graph(packages: fg.Graph) -> None:
    graph = packages.to_networkx()
    ours = {frozenset(its) for its in nx.strongly_connected_components(packages)}
    theirs = nx.strongly_connected_components(graph, backend="networkx")
    assert ours == {frozenset(its) for its in theirs}
    condensed = nx.condensation(packages)
    assert nx.is_directed_acyclic_graph(condensed)
    mapping = condensed.graph["mapping"]
    assert all(
        mapping[u] == mapping[v] or condensed.has_edge(mapping[u], mapping[v])
        for u, v in graph.edges
    )
    order = {node: i for i, node in enumerate(nx.topological_sort(condensed, backend="fathom"))}
    assert all(order[u] < order[v] for u, v in condensed.edges)
    dag = fg.from_edges([("a", "b", 2.5), ("b", "c", 1.0), ("a", "c", 3.0)])
    assert nx.dag_longest_path(dag) == ["a", "b", "c"]
    assert nx.dag_longest_path_length(dag) == 3.5
    assert nx.dag_longest_path_length(dag, weight=None) == 2
