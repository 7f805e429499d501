"""What the tests of the backend for NetworkX share: graphs, and the comparison of both answers."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

nx = pytest.importorskip("networkx", minversion="3.5")

if "fathom" not in nx.config.backends:
    pytest.skip("the package is not installed, but on the path", allow_module_level=True)

SOME = settings(max_examples=25, deadline=None)
NAMES = ["a", ("b", 1), 3, 2.5, frozenset({4}), None.__class__, "ü", -7, True, "g", "h", "i"]


@st.composite
def graphs(
    draw: st.DrawFn,
    loops: bool = True,
    directed: bool | None = None,
    multi: bool = False,
    negative: bool = False,
) -> Any:
    """Nodes of any kind in any order, weights of ints or floats, some edges without one."""
    nodes = draw(st.permutations(NAMES))[: draw(st.integers(1, len(NAMES)))]
    both = draw(st.booleans()) if directed is None else directed
    kinds = (nx.MultiGraph, nx.MultiDiGraph) if multi else (nx.Graph, nx.DiGraph)
    graph = kinds[both]()
    graph.add_nodes_from(nodes)
    numbers = st.integers(1, 9) if draw(st.booleans()) else st.floats(0.125, 9)
    if negative:
        numbers |= st.integers(-1, 0)
    node = st.sampled_from(nodes)
    for u, v, w in draw(st.lists(st.tuples(node, node, st.none() | numbers), max_size=40)):
        if loops or u != v:
            graph.add_edge(u, v, **({} if w is None else {"weight": w}))
    return graph


@st.composite
def acyclic_graphs(draw: st.DrawFn, negative: bool = False) -> Any:
    """Edges from earlier to later nodes of an order that is not the graph's."""
    graph = draw(graphs(directed=True, loops=False, negative=negative))
    order = draw(st.permutations(list(graph)))
    graph.remove_edges_from([(u, v) for u, v in graph.edges if order.index(u) > order.index(v)])
    return graph


def unrolled(value: Any) -> Any:
    if isinstance(value, type({}.values())):
        return list(value)
    return list(value) if inspect.isgenerator(value) or hasattr(value, "__next__") else value


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return unrolled(call())
    except Exception as error:
        return type(error)


def types(value: Any) -> Any:
    """Of what is in it, and the order of a dictionary's keys; a Counter has none."""
    if isinstance(value, Counter):
        return type(value), set(map(type, [*value, *value.values()]))
    if isinstance(value, dict):
        return type(value), list(value), list(map(types, value.values()))
    if isinstance(value, list | tuple):
        return type(value), list(map(types, value))
    return type(value)


def near(value: Any, tolerance: float) -> Any:
    """Equal to what differs by rounding."""
    if isinstance(value, dict):
        return {key: near(its, tolerance) for key, its in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(near(its, tolerance) for its in value)
    if isinstance(value, float):
        return pytest.approx(value, rel=tolerance, abs=tolerance, nan_ok=True)
    return value


def check(name: str, graph: Any, *arguments: Any, close: float = 0, **options: Any) -> None:
    """The same by both, types and order included; floats within `close`."""
    function = FUNCTIONS.get(name) or getattr(nx, name)
    drawn = random.getstate()
    theirs = outcome(lambda: function(graph, *arguments, **options, backend="networkx"))
    random.setstate(drawn)
    ours = outcome(lambda: function(graph, *arguments, **options, backend="fathom"))
    if isinstance(theirs, nx.Graph):
        assert nx.utils.graphs_equal(ours, theirs)
        assert list(ours) == list(theirs)
        assert list(ours.edges) == list(theirs.edges)
    else:
        assert ours == near(theirs, close) if close else ours == theirs
        assert types(ours) == types(theirs)


# That NetworkX keeps elsewhere, or by another name.
FUNCTIONS = {
    "approximate_diameter": nx.approximation.diameter,
    "color": nx.bipartite.color,
    "asyn_lpa_communities": nx.community.asyn_lpa_communities,
    "fast_label_propagation_communities": nx.community.fast_label_propagation_communities,
    "label_propagation_communities": nx.community.label_propagation_communities,
    "modularity": nx.community.modularity,
}
