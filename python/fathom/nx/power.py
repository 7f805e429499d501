"""Eigenvector and Katz centrality, hubs and authorities: by power iteration."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

import fathom

from .graph import Graph, Node

# Weights between this and its inverse are rounded to binary32 as they are.
_LEAST = 1e-30
# Products that a restart of ARPACK takes, which NetworkX counts for hubs and authorities.
_OF_A_RESTART = 20


def _weighted(graph: Graph) -> fathom.Graph:
    """Raises NotImplementedError for weights that do not come near what they were."""
    if graph.weights is None:
        return graph.plain()
    sizes = np.abs(graph.weights[graph.weights != 0])
    if (
        (graph.weights < 0).any()
        or sizes.min(initial=1) < _LEAST
        or sizes.max(initial=1) * _LEAST > 1
    ):
        raise NotImplementedError("weights that are negative, or that binary32 does not hold")
    return graph.weighted()


def _iterated(
    algorithm: Any, graph: Graph, max_iter: int, steps: int, **options: Any
) -> fathom.Result:
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    stored = _weighted(graph)
    try:
        result: fathom.Result = algorithm(
            stored, max_iter=steps, weighted=stored.weighted, **options
        )
    except fathom.NotConvergedError:
        raise nx.PowerIterationFailedConvergence(max_iter) from None
    except (fathom.UsageError, fathom.BadInputError) as error:
        raise NotImplementedError(str(error)) from None
    return result


def eigenvector_centrality(
    G: Graph, max_iter: int = 100, tol: float = 1e-6, nstart: Any = None, weight: Any = None
) -> dict[Node, float]:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    result = _iterated(fathom.eigenvector, G.by(weight), max_iter, max_iter, tol=tol)
    return dict(zip(G.nodes, result.values.tolist(), strict=True))


def katz_centrality(
    G: Graph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Node, float]:
    if len(G) == 0:
        return {}
    # NetworkX begins with zeros, which makes its first step one to beta, where Fathom begins.
    if max_iter == 1:
        if abs(beta) < tol:
            raise NotImplementedError("a step below the tolerance")
        raise nx.PowerIterationFailedConvergence(max_iter)
    result = _iterated(
        fathom.katz,
        G.by(weight),
        max_iter,
        max_iter - 1,
        alpha=alpha,
        beta=float(beta),
        tol=tol,
        normalize=bool(normalized),
    )
    return dict(zip(G.nodes, result.values.tolist(), strict=True))


def hits(
    G: Graph,
    max_iter: int = 100,
    tol: float = 1e-8,
    nstart: Any = None,
    normalized: bool = True,
) -> tuple[dict[Node, float], dict[Node, float]]:
    if len(G) == 0:
        return {}, {}
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if len(G) == 1 or len(G.out[1]) == 0:
        raise NotImplementedError("there are no hubs")
    try:
        result = _iterated(
            fathom.hits, G.by("weight"), max_iter, max_iter * _OF_A_RESTART, tol=tol or 1e-12
        )
    except nx.PowerIterationFailedConvergence:
        raise NotImplementedError("hubs that power iteration finds slowly") from None
    hubs = dict(zip(G.nodes, result.column("hub").tolist(), strict=True))
    return hubs, dict(zip(G.nodes, result.column("authority").tolist(), strict=True))


def _eigenvector(
    G: Any, max_iter: Any = 100, tol: Any = 1e-6, nstart: Any = None, weight: Any = None
) -> bool | str:
    if nstart is not None:
        return "it starts where nstart says"
    return "weights are computed by a function" if callable(weight) else True


def _katz(
    G: Any,
    alpha: Any = 0.1,
    beta: Any = 1.0,
    max_iter: Any = 1000,
    tol: Any = 1e-6,
    nstart: Any = None,
    normalized: Any = True,
    weight: Any = None,
) -> bool | str:
    if not isinstance(beta, int | float):
        return "nodes begin with different values"
    return _eigenvector(G, max_iter, tol, nstart, weight)


def _hits(
    G: Any, max_iter: Any = 100, tol: Any = 1e-8, nstart: Any = None, normalized: Any = True
) -> bool | str:
    if not normalized:
        return "vectors have either sign"
    return True if nstart is None else "it starts where nstart says"


FUNCTIONS = {
    function.__name__: function for function in (eigenvector_centrality, katz_centrality, hits)
}
REFUSALS: dict[str, Any] = {
    "eigenvector_centrality": _eigenvector,
    "katz_centrality": _katz,
    "hits": _hits,
}
