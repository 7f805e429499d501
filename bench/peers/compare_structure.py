#!/usr/bin/env python3
"""Times algorithms of structure against igraph's, NetworKit's and PASGAL's, interleaved, on the same graphs.

The first two come from PyPI (pip install igraph networkit numpy) into the Python that runs this; PASGAL, of which strong and
biconnected components are compared, is built outside this repository: give the folder of its scc and fast-bcc with --pasgal.

    bench/peers/compare_structure.py --fathom build/release/fathom --graphs /tmp/graphs \
        --pasgal DIR --scales rmat18 road20 grid1000 web18 --rounds 5 -o bench/results/epyc/structure.json

Every round runs one trial of each system, one after the other, on a graph that each holds already:
Fathom's is the time that it reports. igraph uses one thread, the others --threads; PASGAL's time is
the mean of the five runs of a process. A row
without a number is a system that has no such algorithm. Colourings are greedy in an order of each
system's own. igraph's search for sides ends at the first odd cycle: it is compared where there is
none, on grids, and strong components on R-MAT graphs, which are generated with directions. Of
communities the modularity is kept too. Matchings are heavy in Fathom and NetworKit's Suitor; igraph has
none of general graphs. Label propagation is LDBC's of ten iterations in Fathom, the peers' goes on until
they are content.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

import igraph
import networkit
import numpy

from machine import machine
from pasgal_files import write_binary

KINDS = {"rmat": ["rmat"], "uniform": ["uniform"], "road": ["road"], "grid": ["grid"], "web": ["coauthors"]}
KERNELS_OF_A_KIND = {"grid": ("bipartite",), "rmat": ("scc",)}
KERNELS = ("cc", "kcore", "lcc", "msf", "color", "bipartite", "scc", "biconnected", "matching", "cdlp", "louvain", "leiden",
           "eccentricity")
OPTIONS = {"eccentricity": ["--diameter"]}
COMMUNITIES = ("louvain", "leiden")


def fathom(args, *words):
    done = subprocess.run([args.fathom, *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{args.fathom} {' '.join(words)} exited with {done.returncode}")
    return done.stdout


def made(args, name, directed):
    """The graph's .fg and .npz, made once."""
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    if not match or match[1] not in KINDS:
        sys.exit(f"unknown graph '{name}': kinds are {', '.join(KINDS)}")
    kind, scale = match.groups()
    path = os.path.join(args.graphs, name + ("-directed" if directed else ""))
    if not os.path.exists(path + ".npz"):
        size = ["--rows", scale, "--cols", scale] if kind == "grid" else ["--scale", scale]
        fathom(args, "generate", *KINDS[kind], *size, "--simple", "-q", "-o", path + ".fg",
               *(["--directed"] if directed else ["--weights", "1:255"]))
        fathom(args, "convert", path + ".fg", "-o", path + ".npz", "-q")
    return path + ".fg", path + ".npz"


class Peers:
    """The graph as igraph and NetworKit hold it."""

    def __init__(self, path, directed):
        with numpy.load(path) as lists:
            offset, target, weight = (lists[k] for k in ("indptr", "indices", "data"))
        n = len(offset) - 1
        source = numpy.repeat(numpy.arange(n), numpy.diff(offset))
        kept = slice(None) if directed else source < target
        source, target, weight = source[kept], target[kept].astype(source.dtype), weight[kept]
        self.weight = weight.astype(float).tolist()
        self.igraph = igraph.Graph(n=n, edges=numpy.column_stack((source, target)),
                                   directed=directed)
        plain = numpy.ones(len(source))
        self.plain, self.weighted = (
            networkit.GraphFromCoo((values, (source, target)), n=n, weighted=weighted,
                                   directed=directed)
            for values, weighted in ((plain, False), (weight.astype(float), True)))
        self.plain.sortEdges()

    def runs(self, kernel):
        """What each peer does, where it can."""
        g = self.igraph
        found = {
            "cc": lambda: g.connected_components(mode="weak"),
            "scc": lambda: g.connected_components(mode="strong"),
            "kcore": g.coreness,
            "lcc": lambda: g.transitivity_local_undirected(mode="zero"),
            "msf": lambda: g.spanning_tree(weights=self.weight, return_tree=False),
            "color": g.vertex_coloring_greedy,
            "bipartite": g.is_bipartite,
            "biconnected": lambda: g.biconnected_components(return_articulation_points=True),
            "cdlp": g.community_label_propagation,
            "louvain": lambda: g.community_multilevel(weights=self.weight),
            "leiden": lambda: g.community_leiden(objective_function="modularity", weights=self.weight,
                                                 n_iterations=2),
        }.get(kernel)
        other = {
            "cc": lambda: networkit.components.ParallelConnectedComponents(self.plain).run(),
            "scc": lambda: networkit.components.StronglyConnectedComponents(self.plain).run(),
            "kcore": lambda: networkit.centrality.CoreDecomposition(self.plain).run(),
            "lcc": lambda: networkit.centrality.LocalClusteringCoefficient(self.plain, True).run(),
            "msf": lambda: networkit.graph.KruskalMSF(self.weighted).run(),
            "biconnected": lambda: networkit.components.BiconnectedComponents(self.plain).run(),
            "matching": lambda: networkit.matching.SuitorMatcher(self.weighted, False, False).run(),
            "cdlp": lambda: networkit.community.PLP(self.plain).run(),
            "louvain": lambda: networkit.community.PLM(self.weighted, refine=False).run(),
            "leiden": lambda: networkit.community.ParallelLeiden(self.weighted, iterations=2).run(),
            "eccentricity": lambda: networkit.distance.Diameter(
                self.plain, networkit.distance.DiameterAlgo.EXACT).run(),
        }.get(kernel)
        return {who: run for who, run in (("igraph", found), ("networkit", other)) if run}

    def modularity(self, found):
        """Of what a run answered."""
        if isinstance(found, igraph.VertexClustering):
            return found.modularity
        return networkit.community.Modularity().getQuality(found.getPartition(), self.weighted)


class Pasgal:
    """Its programs, which read the graph in a format of their own."""

    PROGRAMS = {"scc": ("scc", r"average scc cost: ([0-9.]+)"), "biconnected": ("fast-bcc", r"Average time: ([0-9.]+)")}

    def __init__(self, args, arrays):
        self.folder, self.threads, self.path = os.path.abspath(args.pasgal), args.threads, arrays[:-3] + "bin"
        if os.path.exists(self.path):
            return
        with numpy.load(arrays) as lists:
            write_binary(self.path, lists["indptr"], lists["indices"])

    def seconds(self, kernel):
        program, line = self.PROGRAMS[kernel]
        command = [os.path.join(self.folder, program), "-i", os.path.abspath(self.path), "-s"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=os.path.dirname(self.path) or ".",
                              env={**os.environ, "PARLAY_NUM_THREADS": str(self.threads)})
        return float(re.search(line, done.stdout)[1])


def seconds_of(run):
    began = time.perf_counter()
    found = run()
    return time.perf_counter() - began, found


def kernels_of(name, directed, asked):
    kind = KERNELS_OF_A_KIND.get(re.match("[a-z]*", name)[0], ())
    special = {kernel for kernels in KERNELS_OF_A_KIND.values() for kernel in kernels}
    return [k for k in asked if (k == "scc") == directed and (k not in special or k in kind)]


def compare(args, name, directed):
    kernels = kernels_of(name, directed, args.kernels)
    if not kernels:
        return []
    path, arrays = made(args, name, directed)
    peers = Peers(arrays, directed)
    pasgal = Pasgal(args, arrays) if args.pasgal else None
    rows = []
    for kernel in kernels:
        runs = peers.runs(kernel)
        trials = {"fathom": [], **{who: [] for who in runs}}
        if pasgal and kernel in Pasgal.PROGRAMS:
            trials["pasgal"] = []
        quality = {}
        for _ in range(args.rounds):
            report = json.loads(fathom(args, kernel, path, *OPTIONS.get(kernel, []), "--json", "--device", "cpu",
                                       "--threads", str(args.threads)))
            trials["fathom"].append(report["seconds"]["median"])
            if kernel in COMMUNITIES:
                quality["fathom"] = report["result"]["modularity"]
            if "pasgal" in trials:
                trials["pasgal"].append(pasgal.seconds(kernel))
            for who, run in runs.items():
                seconds, found = seconds_of(run)
                trials[who].append(seconds)
                if kernel in COMMUNITIES:
                    quality[who] = peers.modularity(found)
        median = {who: statistics.median(times) for who, times in trials.items()}
        best = min(seconds for who, seconds in median.items() if who != "fathom")
        rows.append({"graph": name, "kernel": kernel, "seconds": median,
                     "ratio": median["fathom"] / best, "trials": trials,
                     **({"modularity": quality} if quality else {})})
        print(f"{name:10} {kernel:10} " + "  ".join(f"{who} {s:.4f} s" for who, s in median.items())
              + f"  ratio {rows[-1]['ratio']:.2f}"
              + "".join(f"  {who} {q:.4f}" for who, q in quality.items()), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--fathom", default="build/release/fathom")
    parser.add_argument("--pasgal", help="the folder of its programs")
    parser.add_argument("--graphs", default="/tmp/fathom-graphs")
    parser.add_argument("--scales", nargs="+", default=["rmat18", "road20", "grid1000", "web18"])
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=KERNELS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    os.makedirs(args.graphs, exist_ok=True)
    networkit.setNumberOfThreads(args.threads)

    rows = []
    for name in args.scales:
        rows += compare(args, name, False) + compare(args, name, True)
    geomean = statistics.geometric_mean(row["ratio"] for row in rows)
    print(f"geometric mean of the ratios: {geomean:.2f}")
    if args.output:
        with open(args.output, "w", encoding="utf-8") as f:
            command = "bench/peers/compare_structure.py " + " ".join(
                f"--{k} {' '.join(map(str, v)) if isinstance(v, list) else v}"
                for k, v in (("scales", args.scales), ("rounds", args.rounds),
                             ("threads", args.threads)))
            json.dump({"benchmark": "structure", "command": command, "machine": machine(),
                       "igraph": igraph.__version__, "networkit": networkit.__version__,
                       "geometric_mean_ratio": geomean, "rows": rows}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
