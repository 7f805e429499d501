"""The algorithms of the command, as functions of the same options.

Made by python/make_algorithms.py from the algorithms' own descriptions: change those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .execution import Execution
from .graph import GraphLike, Label
from .results import Result
from .running import Masses, Pairs, run

if TYPE_CHECKING:
    from typing import Unpack

__all__ = [
    "assortativity",
    "bc",
    "bellman_ford",
    "bfs",
    "biconnected",
    "bipartite",
    "cc",
    "cdlp",
    "closeness",
    "color",
    "degrees",
    "eccentricity",
    "edge_bc",
    "eigenvector",
    "harmonic",
    "hits",
    "katz",
    "kcore",
    "ktruss",
    "lcc",
    "leiden",
    "levels",
    "louvain",
    "matching",
    "mis",
    "msf",
    "neighborhood",
    "pagerank",
    "radius",
    "reciprocity",
    "rwr",
    "scc",
    "similarity",
    "sssp",
    "tc",
]


def assortativity(
    graph: GraphLike,
    *,
    rich_club: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Whether edges join vertices of like degrees (-1 to 1), and neighbours' degrees.

    rich_club: Also how tightly vertices above each degree are joined.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    neighbor_degree: mean degree of its neighbours, directed: in-degree of those its edges lead
                     to.

    Facts: assortativity, loops, rich_club.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Newman, Phys. Rev. E 67(2), 2003; Zhou and Mondragon, IEEE Comm. Lett., 2004.
    """
    return run(
        "assortativity",
        graph,
        {
            "rich-club": rich_club,
        },
        execution,
    )


def bc(
    graph: GraphLike,
    *,
    source: Label | Sequence[Label] | None = None,
    target: Label | Sequence[Label] | None = None,
    k: int | None = None,
    seed: int = 0,
    normalized: bool = True,
    weighted: bool = False,
    batch: int = 8,
    **execution: Unpack[Execution],
) -> Result:
    """Betweenness centrality: how many shortest paths pass through each vertex (Brandes).

    source:        Count paths from these vertices only, by their labels.
    target:        Count paths to these vertices only, by their labels.
    k:             Estimate from N random sources (default: all vertices, exact).
    seed:          Which random sources.
    normalized:    False: do not divide by the number of pairs of vertices.
    weighted:      Shortest by weight instead of by hops.
    batch:         Search by hops from at most N sources at once: they share the lists they
                   fetch.
    execution:     device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    betweenness: of the shortest paths, the share that pass through the vertex.

    Facts: sources, batch, normalized, weighted.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Brandes, J. Math. Sociology 25(2), 2001.
    """
    return run(
        "bc",
        graph,
        {
            "source": source,
            "target": target,
            "k": k,
            "seed": seed,
            "no-normalized": not normalized,
            "weighted": weighted,
            "batch": batch,
        },
        execution,
    )


def bellman_ford(
    graph: GraphLike,
    source: Label,
    *,
    precision: Literal["float", "double"] | None = None,
    **execution: Unpack[Execution],
) -> Result:
    """Shortest distances from a source by weights that may be negative, or a cycle.

    source:    The vertex to start from, by its label.
    precision: What distances are summed in (default float).
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    distance: from the source; inf: not reached, -inf: behind a negative cycle.

    Facts: source, reached, min_distance, max_distance, precision, without_distance,
    cycle_length, cycle_weight, cycle.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Bellman, 1958; Cherkassky and Goldberg, Math. Program. 85(2), 1999.
    """
    return run(
        "bellman-ford",
        graph,
        {
            "source": source,
            "precision": precision,
        },
        execution,
    )


def bfs(
    graph: GraphLike,
    source: Label | Sequence[Label],
    *,
    each: bool = False,
    parents: bool = False,
    direction: Literal["auto", "push", "pull"] | None = None,
    depth_limit: int | None = None,
    hints: bool = True,
    **execution: Unpack[Execution],
) -> Result:
    """Hops from a source to every vertex (breadth-first search along out-edges).

    source:      Vertices to start from, by their labels; several: distance to the nearest.
    each:        Search from each source alone: one column per source.
    parents:     Also give each vertex's parent in the tree.
    direction:   Follow out-edges of the frontier (push), look back from unreached vertices
                 (pull), or whichever is cheaper (auto, the default).
    depth_limit: Vertices farther away stay unreached.
    hints:       False: when pulling on a GPU, read lists without trying each vertex's hint
                 first.
    execution:   device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    depth:  hops from the nearest source; -1: not reached.
    parent: in the tree, a source its own; -1: none.

    Facts: sources, reached, max_depth, depth_counts, batch, each.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Beamer et al., SC 2012 (direction); EMOGI, Min et al., PVLDB 14(2), 2020 (zero-
    copy).
    """
    return run(
        "bfs",
        graph,
        {
            "source": source,
            "each": each,
            "parents": parents,
            "direction": direction,
            "depth-limit": depth_limit,
            "no-hints": not hints,
        },
        execution,
    )


def biconnected(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """Biconnected components, bridges and articulation points (FAST-BCC).

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    component:    of the edge to the parent: the label of the first vertex that has an edge to
                  its parent there; a root its own.
    parent:       in the tree, a root its own.
    articulation: 1 where more parts are left without the vertex, else 0.
    bridge:       1 where the edge to the parent is in no cycle, else 0.

    Facts: components, bridges, articulation_points, largest.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Dong, Wang, Gu and Sun (FAST-BCC), PPoPP 2023.
    """
    return run("biconnected", graph, {}, execution)


def bipartite(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """The two sides of a bipartite graph, or an odd cycle.

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    side: 0 or 1; -1 in a component with an odd cycle.

    Facts: bipartite, side_0, side_1, without_side, cycle_length, cycle.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Tarjan and van Leeuwen, J. ACM 31(2), 1984.
    """
    return run("bipartite", graph, {}, execution)


def cc(
    graph: GraphLike,
    *,
    sampling: bool = True,
    **execution: Unpack[Execution],
) -> Result:
    """Connected components, whatever the direction of the edges (Afforest).

    sampling:    False: link every edge, without looking for the largest component first.
    execution:   device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    component: the label of the component's first vertex.

    Facts: components, largest, largest_sizes.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Sutton et al. (Afforest), IPDPS 2018.
    """
    return run(
        "cc",
        graph,
        {
            "no-sampling": not sampling,
        },
        execution,
    )


def cdlp(
    graph: GraphLike,
    *,
    iterations: int = 10,
    async_: bool = False,
    seed: int = 0,
    **execution: Unpack[Execution],
) -> Result:
    """Communities by label propagation: the label that most neighbours have.

    iterations: At most so many; fewer when an iteration changes no label.
    async_:     Labels count as soon as a block of vertices has them.
    seed:       With async: which vertices sit out, in every second iteration.
    execution:  device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    label: that of a vertex, which need not be in the community.

    Facts: communities, largest_sizes, iterations, stable.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Raghavan, Albert and Kumara, Phys. Rev. E 76, 2007; Iosup et al., PVLDB 9(13), 2016.
    """
    return run(
        "cdlp",
        graph,
        {
            "iterations": iterations,
            "async": async_,
            "seed": seed,
        },
        execution,
    )


def closeness(
    graph: GraphLike,
    *,
    k: int | None = None,
    seed: int = 0,
    **execution: Unpack[Execution],
) -> Result:
    """Closeness centrality: how short the ways to each vertex are, on average.

    k:         Estimate from N random sources (default: all vertices, exact).
    seed:      Which random sources.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    closeness:    0 to 1; 1: an edge from every other vertex.
    reached:      other sources that reach it.
    distance_sum: the edges of shortest paths from these, added up.

    Facts: sources.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Wasserman and Faust, 1994; sampled: Eppstein and Wang, JGAA 8(1), 2004.
    """
    return run(
        "closeness",
        graph,
        {
            "k": k,
            "seed": seed,
        },
        execution,
    )


def color(
    graph: GraphLike,
    *,
    seed: int = 0,
    **execution: Unpack[Execution],
) -> Result:
    """Greedy vertex colouring, vertices of many edges first (Jones-Plassmann).

    seed:      Another colouring: the order of vertices of about the same degree.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    color: from 0; the ends of an edge have different ones.

    Facts: colors, rounds.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Jones and Plassmann, SIAM J. Sci. Comput. 14(3), 1993; Hasenplaugh et al., SPAA
    2014.
    """
    return run(
        "color",
        graph,
        {
            "seed": seed,
        },
        execution,
    )


def degrees(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """Degrees and their distribution, with the power law that fits it best.

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    degree:     edges of the vertex, in both directions.
    out_degree: edges from the vertex, where they are directed.
    in_degree:  edges to the vertex, where they are directed.

    Facts: degree, out_degree, in_degree.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: the fit of a power law: Clauset et al., SIAM Review 51(4), 2009.
    """
    return run("degrees", graph, {}, execution)


def eccentricity(
    graph: GraphLike,
    *,
    diameter: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Distance to the farthest vertex from each, exact; diameter and radius.

    diameter:  Stop when diameter and radius are known (-o and top ask for all).
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    eccentricity: edges to the farthest vertex that it reaches.

    Facts: diameter, radius, center, periphery, searches.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Takes and Kosters, Algorithms 6(1), 2013; Crescenzi et al., TCS 514, 2013.
    """
    return run(
        "eccentricity",
        graph,
        {
            "diameter": diameter,
        },
        execution,
    )


def edge_bc(
    graph: GraphLike,
    *,
    source: Label | Sequence[Label] | None = None,
    target: Label | Sequence[Label] | None = None,
    k: int | None = None,
    seed: int = 0,
    normalized: bool = True,
    weighted: bool = False,
    batch: int = 8,
    **execution: Unpack[Execution],
) -> Result:
    """Betweenness centrality of edges: how many shortest paths go along each (Brandes).

    source:        Count paths from these vertices only, by their labels.
    target:        Count paths to these vertices only, by their labels.
    k:             Estimate from N random sources (default: all vertices, exact).
    seed:          Which random sources.
    normalized:    False: do not divide by the number of pairs of vertices.
    weighted:      Shortest by weight instead of by hops.
    batch:         Search by hops from at most N sources at once: they share the lists they
                   fetch.
    execution:     device, memory, residency, threads, ... (`fathom.device`).

    Columns, [pairs] u and v in rows:
    betweenness: of the shortest paths, the share that go along the edge.

    Facts: sources, edges, greatest, batch, normalized, weighted.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Brandes, Social Networks 30(2), 2008.
    """
    return run(
        "edge-bc",
        graph,
        {
            "source": source,
            "target": target,
            "k": k,
            "seed": seed,
            "no-normalized": not normalized,
            "weighted": weighted,
            "batch": batch,
        },
        execution,
    )


def eigenvector(
    graph: GraphLike,
    *,
    tol: float = 1e-06,
    max_iter: int = 100,
    weighted: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Eigenvector centrality: important is who important ones point to.

    tol:       Stop when a step changes all values together by less than this times the number
               of vertices.
    max_iter:  Give up after so many (exit status 7).
    weighted:  Count edges by their weights.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    centrality: the values of those that point here, over the eigenvalue.

    Facts: eigenvalue, residual, tolerance, weighted.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file,
    NotConvergedError.
    Source: Bonacich, Journal of Mathematical Sociology 2(1), 1972.
    """
    return run(
        "eigenvector",
        graph,
        {
            "tol": tol,
            "max-iter": max_iter,
            "weighted": weighted,
        },
        execution,
    )


def harmonic(
    graph: GraphLike,
    *,
    k: int | None = None,
    seed: int = 0,
    **execution: Unpack[Execution],
) -> Result:
    """Harmonic centrality: how near each vertex is to those that reach it.

    k:         Estimate from N random sources (default: all vertices, exact).
    seed:      Which random sources.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    harmonic: the sum of 1 / distance from every vertex that reaches it.

    Facts: sources.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Boldi and Vigna, Internet Mathematics 10, 2014.
    """
    return run(
        "harmonic",
        graph,
        {
            "k": k,
            "seed": seed,
        },
        execution,
    )


def hits(
    graph: GraphLike,
    *,
    tol: float = 1e-08,
    max_iter: int = 100,
    weighted: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Hubs and authorities: good hubs point to good authorities (HITS).

    tol:       Stop when all hubs together change by less in a step.
    max_iter:  Give up after so many (exit status 7).
    weighted:  Count edges by their weights.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    authority: the hubs that point here, added up.
    hub:       the authorities pointed to, added up.

    Facts: residual, tolerance, weighted.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file,
    NotConvergedError.
    Source: Kleinberg, J. ACM 46(5), 1999.
    """
    return run(
        "hits",
        graph,
        {
            "tol": tol,
            "max-iter": max_iter,
            "weighted": weighted,
        },
        execution,
    )


def katz(
    graph: GraphLike,
    *,
    alpha: float = 0.1,
    beta: float = 1.0,
    tol: float = 1e-06,
    max_iter: int = 1000,
    weighted: bool = False,
    normalize: bool = True,
    **execution: Unpack[Execution],
) -> Result:
    """Katz centrality: all walks that end at a vertex, long ones less than short ones.

    alpha:        What an edge leaves of a walk.
    beta:         What each vertex begins with.
    tol:          Stop when a step changes all values together by less than this times the
                  number of vertices.
    max_iter:     Give up after so many (exit status 7).
    weighted:     Count edges by their weights.
    normalize:    False: leave values as they are solved for.
    execution:    device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    centrality: alpha times the values of those that point here, and beta.

    Facts: norm, alpha, beta, residual, tolerance, weighted.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file,
    NotConvergedError.
    Source: Katz, Psychometrika 18(1), 1953.
    """
    return run(
        "katz",
        graph,
        {
            "alpha": alpha,
            "beta": beta,
            "tol": tol,
            "max-iter": max_iter,
            "weighted": weighted,
            "no-normalize": not normalize,
        },
        execution,
    )


def kcore(
    graph: GraphLike,
    *,
    k: int | None = None,
    layers: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Core numbers: the largest k such that a vertex belongs to the k-core.

    k:         Only find the k-core: larger core numbers are given as N.
    layers:    Also give the round in which each vertex was peeled off (onion layers).
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    core:  the largest k of a k-core that the vertex is in.
    layer: the round, from 1 on, in which it was peeled off.

    Facts: degeneracy, innermost, layers, k, core_counts.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Matula and Beck, J. ACM 30(3), 1983.
    """
    return run(
        "kcore",
        graph,
        {
            "k": k,
            "layers": layers,
        },
        execution,
    )


def ktruss(
    graph: GraphLike,
    *,
    k: int | None = None,
    layers: bool = False,
    per_vertex: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Truss numbers: the largest k such that an edge belongs to the k-truss.

    k:          Only the edges of the N-truss.
    layers:     Also give the round in which each edge was peeled off.
    per_vertex: Of vertices: the greatest number of their edges.
    execution:  device, memory, residency, threads, ... (`fathom.device`).

    Columns, [pairs] u and v in rows, with per_vertex [vertices]:
    truss: the largest k of a k-truss that the edge is in; of a vertex one of its edges.
    layer: the round, from 1 on, in which the edge was peeled off.

    Facts: edges, greatest, innermost, layers, k, truss_counts.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Cohen, NSA, 2008; Kabir and Madduri (PKT), HiPC 2017.
    """
    return run(
        "ktruss",
        graph,
        {
            "k": k,
            "layers": layers,
            "per-vertex": per_vertex,
        },
        execution,
    )


def lcc(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """Local clustering coefficients: the share of pairs of neighbours with an edge.

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    lcc: edges among its neighbours, as a share of all that there could be.

    Facts: average_clustering, transitivity.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Watts and Strogatz, Nature 393, 1998; Iosup et al. (LDBC Graphalytics), PVLDB, 2016.
    """
    return run("lcc", graph, {}, execution)


def leiden(
    graph: GraphLike,
    *,
    resolution: float = 1.0,
    tolerance: float = 1e-07,
    max_levels: int = 20,
    iterations: int = 50,
    seed: int = 0,
    passes: int = 2,
    **execution: Unpack[Execution],
) -> Result:
    """Connected communities by modularity: the Leiden method.

    resolution: Above 1: more and smaller communities; below: fewer.
    tolerance:  Ends after a level that raises modularity by less.
    max_levels: At most so many times in a pass parts of communities become vertices.
    iterations: At most so many rounds of moves in a level.
    seed:       Other communities about as good: who moves at the same time.
    passes:     At most so many times from vertices on; each begins with what was found.
    execution:  device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    community: the first vertex of the community.

    Facts: communities, largest_sizes, modularity, levels, rounds, converged.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Traag, Waltman and van Eck, Sci. Rep. 9, 2019; Sahu, arXiv:2312.13936, 2023.
    """
    return run(
        "leiden",
        graph,
        {
            "resolution": resolution,
            "tolerance": tolerance,
            "max-levels": max_levels,
            "iterations": iterations,
            "seed": seed,
            "passes": passes,
        },
        execution,
    )


def levels(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """Topological levels of a directed acyclic graph, or a cycle.

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    level: edges of the longest path that ends there; -1 on or behind a cycle.

    Facts: acyclic, levels, without_level, cycle_length, cycle.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Kahn, CACM 5(11), 1962.
    """
    return run("levels", graph, {}, execution)


def louvain(
    graph: GraphLike,
    *,
    resolution: float = 1.0,
    tolerance: float = 1e-07,
    max_levels: int = 20,
    iterations: int = 50,
    seed: int = 0,
    **execution: Unpack[Execution],
) -> Result:
    """Communities by modularity: the Louvain method.

    resolution: Above 1: more and smaller communities; below: fewer.
    tolerance:  Ends after a level that raises modularity by less.
    max_levels: At most so many times communities become vertices.
    iterations: At most so many rounds of moves in a level.
    seed:       Other communities about as good: who moves at the same time.
    execution:  device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    community: the first vertex of the community.

    Facts: communities, largest_sizes, modularity, levels, rounds, converged.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Blondel et al., J. Stat. Mech. P10008, 2008; Sahu, arXiv:2312.04876, 2023.
    """
    return run(
        "louvain",
        graph,
        {
            "resolution": resolution,
            "tolerance": tolerance,
            "max-levels": max_levels,
            "iterations": iterations,
            "seed": seed,
        },
        execution,
    )


def matching(
    graph: GraphLike,
    *,
    seed: int = 0,
    **execution: Unpack[Execution],
) -> Result:
    """A maximal matching of an undirected graph, heavy edges first (Suitor).

    seed:      Another matching: the order of edges of one weight.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    weight:  of the edge to the partner; 0 without one.
    partner: the other end of the vertex's edge; -1: none.

    Facts: total_weight, edges, rounds.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Manne and Halappanavar, IPDPS 2014; Blelloch, Fineman and Shun, SPAA 2012.
    """
    return run(
        "matching",
        graph,
        {
            "seed": seed,
        },
        execution,
    )


def mis(
    graph: GraphLike,
    *,
    seed: int = 0,
    order: Literal["degree", "random"] | None = None,
    **execution: Unpack[Execution],
) -> Result:
    """A maximal independent set: no edges inside, and nobody can be added.

    seed:      Another set: the order of vertices of about the same degree.
    order:     Who is asked first: vertices of few edges (larger sets), or anyone.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    in_set: 1: in the set, 0: not.

    Facts: size, rounds.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Blelloch, Fineman and Shun, SPAA 2012; Burtscher et al. (ECL-MIS), ACM TOPC 5(2),
    2018.
    """
    return run(
        "mis",
        graph,
        {
            "seed": seed,
            "order": order,
        },
        execution,
    )


def msf(
    graph: GraphLike,
    *,
    maximum: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """A minimum spanning forest of an undirected graph (Boruvka).

    maximum:   Of the heaviest edges instead of the lightest.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    weight: of the edge to the parent; 0 of a root.
    parent: in the tree, a root its own.

    Facts: total_weight, trees, edges, rounds.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Boruvka, 1926; Fallin et al. (ECL-MST), SC 2023.
    """
    return run(
        "msf",
        graph,
        {
            "maximum": maximum,
        },
        execution,
    )


def neighborhood(
    graph: GraphLike,
    source: Label | Sequence[Label],
    *,
    hops: int = 1,
    mode: Literal["out", "in", "all"] | None = None,
    **execution: Unpack[Execution],
) -> Result:
    """The vertices within some hops of a source.

    source:    Vertices to start from, by labels; several: the nearest.
    hops:      How far to go.
    mode:      Follow edges of a directed graph along their direction (out, the default),
               against it (in), or both ways (all).
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    hops: from the nearest source; -1: farther away.

    Facts: sources, hops, mode, reached, farthest, hop_counts.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: GTS, Kim et al., SIGMOD 2016, section 3.
    """
    return run(
        "neighborhood",
        graph,
        {
            "source": source,
            "hops": hops,
            "mode": mode,
        },
        execution,
    )


def pagerank(
    graph: GraphLike,
    *,
    alpha: float = 0.85,
    tol: float = 1e-06,
    max_iter: int = 100,
    personalization: Masses | None = None,
    weighted: bool = False,
    compat: Literal["networkx", "gap"] | None = None,
    in_place: bool = True,
    **execution: Unpack[Execution],
) -> Result:
    """Importance by incoming links (PageRank).

    alpha:           Probability of following an edge, 0 to 1.
    tol:             Stop when all ranks together change by less in an iteration.
    max_iter:        Give up after so many (exit status 7).
    personalization: Where jumps go: {label: weight}, or [vertices] in rows; others get 0.
    weighted:        Follow edges in proportion to their weights.
    compat:          networkx: stop below tol times the number of vertices; gap: the rank of
                     vertices without out-edges is dropped instead of spread.
    in_place:        False: power iteration everywhere (Jacobi): new ranks are not used at once,
                     and undirected graphs not solved by conjugate gradients.
    execution:       device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    rank: the share of its time that the walk spends at the vertex.

    Facts: residual, alpha, tolerance, weighted, compat.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file,
    NotConvergedError.
    Source: Page et al., 1999; GTS, Kim et al., SIGMOD 2016 (streamed).
    """
    return run(
        "pagerank",
        graph,
        {
            "alpha": alpha,
            "tol": tol,
            "max-iter": max_iter,
            "personalization": personalization,
            "weighted": weighted,
            "compat": compat,
            "no-in-place": not in_place,
        },
        execution,
    )


def radius(
    graph: GraphLike,
    *,
    sketches: int = 32,
    seed: int = 1,
    quantile: float = 0.9,
    max_iter: int | None = None,
    **execution: Unpack[Execution],
) -> Result:
    """Effective radius of every vertex and effective diameter, estimated (HADI).

    sketches:  Sketches per vertex, an even number: 32 estimate within 14 %, 128 within 7 %.
    seed:      The same seed gives the same result everywhere.
    quantile:  What share of the reachable vertices "effective" means, 0 to 1.
    max_iter:  Give up after so many hops (exit status 7).
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    effective_radius: hops within which 90 % of what the vertex reaches is.
    farthest:         hops to the farthest; at most its eccentricity.

    Facts: effective_diameter, diameter, sketches, seed, quantile, pairs, radius_counts.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file,
    NotConvergedError.
    Source: GTS, Kim et al., SIGMOD 2016; Kang et al. (HADI), 2011.
    """
    return run(
        "radius",
        graph,
        {
            "sketches": sketches,
            "seed": seed,
            "quantile": quantile,
            "max-iter": max_iter,
        },
        execution,
    )


def reciprocity(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """How many edges of a directed graph have one back, in all and of each vertex.

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    answered: out-edges with an edge back.

    Facts: reciprocity, answered_edges.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Newman, Forrest and Balthrop, Phys. Rev. E 66, 2002.
    """
    return run("reciprocity", graph, {}, execution)


def rwr(
    graph: GraphLike,
    source: Label | Sequence[Label],
    *,
    each: bool = False,
    k: int | None = None,
    restart: float = 0.15,
    tol: float = 1e-06,
    max_iter: int = 100,
    weighted: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Random walk with restart: nearness to a source (personalised PageRank).

    source:    Where the walk restarts, by labels; several: each as likely.
    each:      Walk from each source alone: a row per source and vertex.
    k:         With each, at most so many vertices of each source (default all).
    restart:   Probability of a restart, 0 to 1.
    tol:       Stop when all probabilities together change by less in an iteration.
    max_iter:  Give up after so many (exit status 7).
    weighted:  Follow edges in proportion to their weights.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows, with each [pairs]:
    probability: of finding the walk at the vertex.

    Facts: sources, residual, batch, rows, each, restart, tolerance, weighted.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file,
    NotConvergedError.
    Source: Tong et al., ICDM 2006; GTS, Kim et al., SIGMOD 2016.
    """
    return run(
        "rwr",
        graph,
        {
            "source": source,
            "each": each,
            "k": k,
            "restart": restart,
            "tol": tol,
            "max-iter": max_iter,
            "weighted": weighted,
        },
        execution,
    )


def scc(
    graph: GraphLike,
    **execution: Unpack[Execution],
) -> Result:
    """Strongly connected components: vertices that reach each other (Multistep).

    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    component: the label of the component's first vertex.

    Facts: components, largest, trivial, largest_sizes.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Slota et al. (Multistep), IPDPS 2014.
    """
    return run("scc", graph, {}, execution)


def similarity(
    graph: GraphLike,
    *,
    measure: Literal["jaccard", "overlap", "adamic-adar", "resource-allocation", "common"]
    | None = None,
    pairs: Pairs | None = None,
    k: int | None = None,
    source: Label | Sequence[Label] | None = None,
    **execution: Unpack[Execution],
) -> Result:
    """How alike vertices are: the neighbours that pairs of them have in common.

    measure:   What common neighbours are measured by.
    pairs:     Of these pairs of two vertices, by their labels.
    k:         At most so many of each vertex (default 10).
    source:    The best of this vertex alone, by its label; or of several.
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [pairs] u and v in rows:
    similarity: of u and v, by the measure.

    Facts: pairs, greatest.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Adamic and Adar, Social Networks 25(3), 2003; Zhou et al., EPJ B 71(4), 2009.
    """
    return run(
        "similarity",
        graph,
        {
            "measure": measure,
            "pairs": pairs,
            "k": k,
            "source": source,
        },
        execution,
    )


def sssp(
    graph: GraphLike,
    source: Label,
    *,
    delta: float | None = None,
    precision: Literal["float", "double"] | None = None,
    **execution: Unpack[Execution],
) -> Result:
    """Shortest distances by weight from a source (delta-stepping along out-edges).

    source:    The vertex to start from, by its label.
    delta:     Width of a bucket of distances, on one GPU the least (default: chosen from
               weights and degrees).
    precision: What distances are summed in (default float).
    execution: device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    distance: from the source; inf: not reached.

    Facts: source, reached, max_distance, delta, precision.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Meyer and Sanders, J. Algorithms 49(1), 2003; Zhang et al., CGO 2020.
    """
    return run(
        "sssp",
        graph,
        {
            "source": source,
            "delta": delta,
            "precision": precision,
        },
        execution,
    )


def tc(
    graph: GraphLike,
    *,
    per_vertex: bool = False,
    **execution: Unpack[Execution],
) -> Result:
    """Triangles, whatever the direction of the edges; loops and duplicates do not matter.

    per_vertex: Also count the triangles each vertex is in (implied by -o and top).
    execution:  device, memory, residency, threads, ... (`fathom.device`).

    Columns, [vertices] in rows:
    triangles: triangles that contain the vertex.

    Facts: triangles.

    Raises UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file.
    Source: Latapy, Theoretical Computer Science 407, 2008.
    """
    return run(
        "tc",
        graph,
        {
            "per-vertex": per_vertex,
        },
        execution,
    )
