"""The backend for NetworkX: equal answers, conversions, reasons."""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fathom as fg

nx = pytest.importorskip("networkx", minversion="3.5")

if "fathom" not in nx.config.backends:
    pytest.skip("the package is not installed, but on the path", allow_module_level=True)

from fathom.nx import interface  # noqa: E402

SOME = settings(max_examples=25, deadline=None)
NAMES = ["a", ("b", 1), 3, 2.5, frozenset({4}), None.__class__, "ü", -7, True, "g", "h", "i"]


@st.composite
def graphs(draw: st.DrawFn, loops: bool = True, directed: bool | None = None) -> Any:
    """Nodes of any kind in any order, weights of ints or floats, some edges without one."""
    nodes = draw(st.permutations(NAMES))[: draw(st.integers(1, len(NAMES)))]
    both = draw(st.booleans()) if directed is None else directed
    graph = nx.DiGraph() if both else nx.Graph()
    graph.add_nodes_from(nodes)
    numbers = st.integers(1, 9) if draw(st.booleans()) else st.floats(0.125, 9)
    node = st.sampled_from(nodes)
    for u, v, w in draw(st.lists(st.tuples(node, node, st.none() | numbers), max_size=40)):
        if loops or u != v:
            graph.add_edge(u, v, **({} if w is None else {"weight": w}))
    return graph


def unrolled(value: Any) -> Any:
    return list(value) if inspect.isgenerator(value) or hasattr(value, "__next__") else value


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return unrolled(call())
    except Exception as error:
        return type(error)


def check(name: str, graph: Any, *arguments: Any, close: bool = False, **options: Any) -> None:
    """The same by both, types and order included."""
    function = getattr(nx, name)
    theirs = outcome(lambda: function(graph, *arguments, **options, backend="networkx"))
    ours = outcome(lambda: function(graph, *arguments, **options, backend="fathom"))
    if close and isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        assert list(ours.values()) == pytest.approx(list(theirs.values()), abs=1e-6)
    elif close and isinstance(theirs, float):
        assert ours == pytest.approx(theirs)
    elif isinstance(theirs, nx.Graph):
        assert nx.utils.graphs_equal(ours, theirs)
        assert list(ours) == list(theirs)
    else:
        assert ours == theirs
        if isinstance(theirs, dict):
            assert list(ours) == list(theirs)
            assert list(map(type, ours.values())) == list(map(type, theirs.values()))


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
    check(name, graph, close=True, **options)


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
    check(name, graph, close=name in ("average_clustering", "transitivity", "global_efficiency"))


@pytest.mark.parametrize("name", DIRECTED)
@SOME
@given(graphs(directed=True))
def test_functions_of_directed_graphs(name: str, graph: Any) -> None:
    check(name, graph)


@st.composite
def acyclic_graphs(draw: st.DrawFn) -> Any:
    """Edges from earlier to later nodes of an order that is not the graph's."""
    graph = draw(graphs(directed=True, loops=False))
    order = draw(st.permutations(list(graph)))
    graph.remove_edges_from([(u, v) for u, v in graph.edges if order.index(u) > order.index(v)])
    return graph


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
@given(graphs(), st.data())
def test_several_sources(graph: Any, data: st.DataObject) -> None:
    nodes = data.draw(st.lists(st.sampled_from(list(graph)), min_size=1, unique=True))
    cutoff = data.draw(st.none() | st.floats(0, 12))
    check("multi_source_dijkstra", graph, nodes, cutoff=cutoff)
    check("multi_source_dijkstra_path", graph, nodes)
    check("multi_source_dijkstra_path_length", graph, nodes)
    check("voronoi_cells", graph, nodes)
    check("bfs_layers", graph, nodes)


def test_the_guide_names_the_functions() -> None:
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "guides" / "python.md").read_text()
    listed = guide.split("| functions (", 1)[1].split("\n\n", 1)[0]
    assert sorted(re.findall(r"`(\w+)`", listed)) == interface.FUNCTIONS


def test_the_info_names_the_functions() -> None:
    import _fathom_nx

    assert sorted(_fathom_nx.FUNCTIONS) == interface.FUNCTIONS
    assert len(interface.FUNCTIONS) >= 73
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
        ("betweenness_centrality", {"k": 2}, "sampled"),
        ("closeness_centrality", {"distance": "weight"}, "by weight"),
        ("dijkstra_path", {"source": 0, "target": 1, "weight": len}, "function"),
        ("bfs_edges", {"source": 0, "sort_neighbors": sorted}, "order"),
    ],
)
def test_what_cannot_be_equal_is_refused_with_a_reason(
    name: str, arguments: dict[str, Any], reason: str
) -> None:
    graph = nx.path_graph(3)
    said = interface.BackendInterface.can_run(name, (graph,), arguments)
    assert isinstance(said, str)
    assert reason in said
    assert interface.BackendInterface.can_run("triangles", (nx.MultiGraph(graph),), {}) is not True
    assert interface.BackendInterface.can_run("triangles", (nx.DiGraph(graph),), {}) is not True


def test_networkx_goes_on_where_a_function_is_refused() -> None:
    graph = nx.path_graph(3)
    with nx.config(backend_priority=["fathom"], fallback_to_nx=True):
        assert nx.betweenness_centrality(graph, k=3, seed=1)
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
