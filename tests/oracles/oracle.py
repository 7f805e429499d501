"""Expected results from NetworkX, SciPy and NumPy: one list with a value per vertex."""

import math

import networkx as nx
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph


def to_networkx(case):
    graph = nx.DiGraph() if case.directed else nx.Graph()
    graph.add_nodes_from(range(case.vertices))
    graph.add_weighted_edges_from((u, v, w) for (u, v), w in case.merged().items())
    return graph


def edges(case):
    """Sorted arcs of the graph: both directions of an undirected edge, a loop once."""
    arcs = {(u, v, float(w)) for (u, v), w in case.merged().items()}
    if not case.directed:
        arcs |= {(v, u, w) for u, v, w in arcs}
    return sorted(arcs)


def _per_vertex(case, values, default):
    return [values.get(v, default) for v in range(case.vertices)]


def bfs(case, sources):
    """Depths by NetworkX: the minimum over the sources; -1 where unreached."""
    graph = to_networkx(case)
    depth = {}
    for source in sources:
        for v, d in nx.single_source_shortest_path_length(graph, source).items():
            depth[v] = min(d, depth.get(v, d))
    return _per_vertex(case, depth, -1)


def sssp(case, source):
    """Distances by NetworkX, and by SciPy too unless there are zero weights, which its sparse
    matrices do not tell from missing edges."""
    expected = _per_vertex(
        case, nx.single_source_dijkstra_path_length(to_networkx(case), source), math.inf
    )
    if not case.has_zero_weights():
        matrix = scipy.sparse.lil_matrix((case.vertices, case.vertices))
        for (u, v), w in case.merged().items():
            matrix[u, v] = w
        scipys = scipy.sparse.csgraph.dijkstra(matrix.tocsr(), case.directed, source)
        assert list(scipys) == expected, "SciPy and NetworkX disagree"
    return expected


def cc(case):
    """Smallest vertex of each weak component, by SciPy."""
    u, v = np.array(list(case.merged()), dtype=int).reshape(-1, 2).T
    matrix = scipy.sparse.coo_matrix((np.ones(len(u)), (u, v)), shape=[case.vertices] * 2)
    _, component = scipy.sparse.csgraph.connected_components(matrix, True, "weak")
    first = {}
    for vertex, c in enumerate(component):
        first.setdefault(c, vertex)
    return [first[c] for c in component]


def pagerank(case, weighted=False, personalization=None):
    """By NetworkX, far beyond the tolerance compared with."""
    ranks = nx.pagerank(
        to_networkx(case),
        weight="weight" if weighted else None,
        personalization=personalization,
        tol=1e-15,
        max_iter=2000,
    )
    return _per_vertex(case, ranks, None)


def pagerank_dropping(case):
    """Ranks when dangling mass is lost (GAP), by solving the linear system."""
    n = case.vertices
    matrix = np.zeros((n, n))
    for u, v in case.merged():
        matrix[v, u] = 1
        if not case.directed:
            matrix[u, v] = 1
    degree = matrix.sum(axis=0)
    transition = matrix / np.where(degree > 0, degree, 1)
    return list(np.linalg.solve(np.eye(n) - 0.85 * transition, np.full(n, 0.15 / n)))


def bc(case, weighted=False, normalized=True):
    graph = to_networkx(case)
    values = nx.betweenness_centrality(
        graph, normalized=normalized, weight="weight" if weighted else None
    )
    return _per_vertex(case, values, None)


def bc_from(case, sources):
    """Unnormalised contributions of some sources, scaled to all vertices."""
    graph = to_networkx(case)
    values = nx.betweenness_centrality_subset(graph, sources, list(graph), normalized=False)
    return [values[v] * case.vertices / len(sources) for v in range(case.vertices)]


def harmonic(case):
    return _per_vertex(case, nx.harmonic_centrality(to_networkx(case)), None)


def kcore(case):
    """By NetworkX, which wants no loops."""
    graph = to_networkx(case)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return _per_vertex(case, nx.core_number(graph), None)


def tc(case):
    graph = nx.Graph(to_networkx(case))
    return _per_vertex(case, nx.triangles(graph), None)
