#!/usr/bin/env python3
"""Five functions of NetworkX beside Fathom's backend, nx-parallel, igraph, NetworKit and SciPy, on
an R-MAT graph that each holds already, and what making it of arrays takes each.

    bench/python/networkx_peers.py --scale 16 --rounds 3 -o bench/results/epyc/python_peers.json

Every round runs each system once, in turn; the median counts. A call that takes longer than --limit
seconds in the first round is not repeated, and what cannot be had of a system is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fathom as fg

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "peers"))
from machine import machine

FUNCTIONS = ["pagerank", "bfs lengths", "components", "triangles", "sssp lengths"]
Calls = dict[str, Callable[[], Any]]


def networkx_calls(graph: Any, backend: str) -> Calls:
    """PageRank to the same tolerance everywhere: an L1 change of 1e-6."""
    import networkx as nx

    n = len(graph)
    options: dict[str, Any] = {"backend": backend}
    return {
        "pagerank": lambda: nx.pagerank(graph, tol=1e-6 / n, weight=None, **options),
        "bfs lengths": lambda: nx.single_source_shortest_path_length(graph, SOURCE, **options),
        "components": lambda: list(nx.connected_components(graph, **options)),
        "triangles": lambda: nx.triangles(graph, **options),
        "sssp lengths": lambda: nx.single_source_dijkstra_path_length(graph, SOURCE, **options),
    }


SOURCE = 0


class Systems:
    """Each makes its graph of the same arrays: every undirected edge once, no loops."""

    def __init__(self, n: int, source: np.ndarray[Any, Any], target: np.ndarray[Any, Any]) -> None:
        self.n, self.source, self.target = n, source, target

    def fathom(self) -> Calls:
        g = fg.from_edges(source=self.source, target=self.target, vertices=self.n, directed=False)
        return {
            "pagerank": lambda: fg.pagerank(g, tol=1e-6),
            "bfs lengths": lambda: fg.bfs(g, SOURCE),
            "components": lambda: fg.cc(g),
            "triangles": lambda: fg.tc(g),
            "sssp lengths": lambda: fg.sssp(g, SOURCE),
        }

    def networkx(self) -> Calls:
        return networkx_calls(self._networkx(), "networkx")

    def networkx_fathom(self) -> Calls:
        """The backend, the conversion kept as NetworkX keeps it."""
        return networkx_calls(self._networkx(), "fathom")

    def networkx_fathom_graph(self) -> Calls:
        """The backend on a graph of Fathom's."""
        g = fg.from_edges(source=self.source, target=self.target, vertices=self.n, directed=False)
        return networkx_calls(g, "fathom")

    def nx_parallel(self) -> Calls:
        import nx_parallel  # noqa: F401  does it go with this NetworkX?

        calls = networkx_calls(self._networkx(), "parallel")
        return {name: calls[name] for name in ("triangles",)}  # of the five it has this one

    def igraph(self) -> Calls:
        import igraph

        g = igraph.Graph(self.n, np.stack([self.source, self.target], 1))
        return {
            "pagerank": lambda: g.pagerank(),
            "bfs lengths": lambda: g.distances(SOURCE),
            "components": lambda: g.connected_components().membership,
            "triangles": lambda: (
                g.list_triangles() if self.n < 1000 else g.transitivity_undirected()
            ),
            "sssp lengths": lambda: g.distances(SOURCE, weights=[1.0] * g.ecount()),
        }

    def networkit(self) -> Calls:
        import networkit as nk

        g = nk.GraphFromCoo((self.source, self.target), n=self.n, directed=False)
        return {
            "pagerank": lambda: nk.centrality.PageRank(g, tol=1e-6).run().scores(),
            "bfs lengths": lambda: (
                nk.distance.BFS(g, SOURCE, storePaths=False).run().getDistances()
            ),
            "components": lambda: nk.components.ConnectedComponents(g).run().getPartition(),
            "triangles": lambda: nk.centrality.LocalClusteringCoefficient(g).run().scores(),
            "sssp lengths": lambda: (
                nk.distance.Dijkstra(g, SOURCE, storePaths=False).run().getDistances()
            ),
        }

    def scipy(self) -> Calls:
        import scipy.sparse as sp
        from scipy.sparse import csgraph

        both = (
            np.concatenate([self.source, self.target]),
            np.concatenate([self.target, self.source]),
        )
        matrix = sp.csr_array((np.ones(len(both[0])), both), shape=(self.n, self.n))
        return {
            "bfs lengths": lambda: csgraph.dijkstra(matrix, indices=SOURCE, unweighted=True),
            "components": lambda: csgraph.connected_components(matrix, directed=False),
            "sssp lengths": lambda: csgraph.dijkstra(matrix, indices=SOURCE),
        }

    def _networkx(self) -> Any:
        import networkx as nx

        graph = nx.empty_graph(self.n)
        graph.add_edges_from(zip(self.source.tolist(), self.target.tolist(), strict=True))
        return graph


NEEDS = {"nx_parallel": "nx_parallel", "networkx_fathom": "networkx"}


def seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("-o", "--output")
    chosen = parser.parse_args()
    base = fg.generate("rmat", scale=chosen.scale, simple=True)
    pages = [(p.source, p.target) for p in fg.sweep(base)]
    source, target = (np.concatenate([page[i] for page in pages]).astype(np.int64) for i in (0, 1))
    once = source < target
    systems = Systems(base.vertices, source[once], target[once])
    global SOURCE
    SOURCE = int(np.argmax(fg.degrees(base).values))
    calls: dict[str, Calls] = {}
    made: dict[str, float] = {}
    names = ["fathom", "networkx_fathom_graph", "networkx_fathom", "networkx", "nx_parallel"]
    names += ["igraph", "networkit", "scipy"]
    for name in names:
        module = NEEDS.get(name, name.partition("_")[0])
        if importlib.util.find_spec(module) is None:
            continue
        began = time.perf_counter()
        try:
            calls[name] = getattr(systems, name)()
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        made[name] = time.perf_counter() - began
    trials: dict[tuple[str, str], list[float]] = {}
    for round_ in range(chosen.rounds):
        for function in FUNCTIONS:
            for name, its in calls.items():
                found = trials.setdefault((name, function), [])
                slow = bool(found) and found[0] > chosen.limit
                if function in its and not slow and (round_ == 0 or found):
                    found.append(seconds(its[function]))
    rows = [
        {
            "system": name,
            "function": function,
            "first": round(found[0], 6),  # with NetworkX's conversion, where there is one
            "median": round(statistics.median(found[1:] or found), 6),
            "trials": [round(one, 6) for one in found],
        }
        for (name, function), found in trials.items()
        if found
    ]
    words = [f"--scale {chosen.scale}", f"--rounds {chosen.rounds}", f"--limit {chosen.limit:g}"]
    result = {
        "benchmark": "python_peers",
        "command": " ".join(
            ["bench/python/networkx_peers.py", *words]
            + ([f"-o {chosen.output}"] if chosen.output else [])
        ),
        "machine": machine(),
        "graph": {
            "name": f"rmat{chosen.scale}, simple, undirected",
            "vertices": base.vertices,
            "edges": int(once.sum()),
        },
        "making_seconds": {name: round(its, 4) for name, its in made.items()},
        "rows": rows,
    }
    text = json.dumps(result, indent=1) + "\n"
    if chosen.output:
        pathlib.Path(chosen.output).write_text(text)
    for row in rows:
        print(f"{row['function']:14} {row['system']:24} {row['first']:10.4f} {row['median']:10.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
