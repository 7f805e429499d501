#!/usr/bin/env python3
"""Holds the times that `fathom plan` predicts against those of the runs it predicts.

    bench/peers/compare_plan.py --fathom build/release/fathom --graphs /tmp/graphs \
        --scales kron20 uniform20 grid20 web20 --rounds 5 [--device cuda] -o bench/results/cpu/plan.json

A grid has as many vertices as the scale says, grid500x500 as that says; uniform16x8 has 8
generated edges per vertex; web20 is kron20 in the order of BFS-BP, and
directed16 goes one way. First `fathom doctor --measure` takes this machine's rates (into a folder of its own), then every
round runs each algorithm mapped and streamed from disk, within as much memory as the plan says
keeps all lists and within what keeps a quarter of them, in turn: the plan without a pilot and with
it, then the runs; with --mapped mapped alone, and no pilots. Traversals start at the vertex of the highest degree, as the plan's do. On a GPU
the places are its memory, host memory that it reads in place, host memory with half of what would
keep all lists on the device, and the disk, with too little host memory for all of them. A row's
error is how far the median lies outside of the range.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from machine import machine

ALGORITHMS = {
    "pagerank": ["--tol", "0", "--max-iter", "10"],
    "bfs": [],
    "sssp": [],
    "cc": [],
    "tc": [],
    "kcore": [],
}
# Others, which --algorithms names; their searches are few enough for any graph.
OTHERS = {
    name: [] for name in (
        "bellman-ford", "scc", "cdlp", "louvain", "leiden", "lcc", "similarity", "ktruss",
        "assortativity", "reciprocity", "rwr", "radius", "eccentricity", "eigenvector", "hits", "mis",
        "color", "levels", "bipartite", "msf", "biconnected", "matching")
} | {
    "bc": ["--k", "64"],
    "edge-bc": ["--k", "32"],
    "harmonic": ["--k", "64"],
    "closeness": ["--k", "128"],
    "katz": ["--alpha", "{}"],
}
SEARCHES = ("bfs", "sssp", "bellman-ford", "rwr")
DIRECTED_ONLY = ("levels", "reciprocity")
UNDIRECTED_ONLY = ("louvain", "leiden", "similarity", "msf", "biconnected", "matching")
KINDS = {"kron": "rmat", "uniform": "uniform", "grid": "grid", "directed": "rmat"}


class Runner:
    def __init__(self, args, cache):
        self.fathom = args.fathom
        self.threads = ["--device", args.device, "--threads", str(args.threads)]
        self.largest = {}
        self.env = dict(os.environ, XDG_CACHE_HOME=cache, OMP_NUM_THREADS=str(args.threads))

    def text(self, *words):
        done = subprocess.run([self.fathom, *words], env=self.env, text=True, capture_output=True,
                              check=False)
        if done.returncode not in (0, 7):  # 7: so many iterations were asked for
            sys.exit(f"fathom {' '.join(words)} exited with {done.returncode}\n{done.stderr}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.text(*words, "--json"))

    def plan(self, algorithm, graph, *words):
        return self.json("plan", algorithm, graph, *self.options(algorithm, graph), *self.threads,
                         *words)

    def options(self, algorithm, graph):
        """Of katz an alpha of two thirds of the largest there is."""
        words = (ALGORITHMS | OTHERS)[algorithm]
        if "{}" in words:
            if graph not in self.largest:
                found = self.json("eigenvector", graph)["result"]["eigenvalue"]
                self.largest[graph] = f"{2 / 3 / found:.4g}"
            words = [word.format(self.largest[graph]) for word in words]
        return words

    def seconds(self, algorithm, graph, source, *words):
        start = ["--source", source] if algorithm in SEARCHES else []
        report = self.json(algorithm, graph, *self.options(algorithm, graph), *start, *self.threads,
                           *words)
        return report["seconds"]["median"]


def make_graph(args, runner, name):
    path = os.path.join(args.graphs, f"plan-{name}.fg")
    if not os.path.exists(path):
        kind, scale, factor = re.fullmatch(r"([a-z]+)(\d+)(?:x(\d+))?", name).groups()
        if kind == "web":
            runner.text("reorder", make_graph(args, runner, f"kron{scale}"), "--method", "bfs-bp",
                        "-o", path, "-q")
            return path
        size = ["--scale", scale]
        if kind == "directed":
            size.append("--directed")
        if factor and kind != "grid":
            size += ["--edge-factor", factor]
        if kind == "grid":
            side = int(scale) // 2
            sides = (scale, factor) if factor else (str(1 << side), str(1 << (int(scale) - side)))
            size = ["--rows", sides[0], "--cols", sides[1]]
        runner.text("generate", KINDS[kind], *size, "--weights", "1:64", "-o", path, "-q")
    return path


def hub_of(runner, graph):
    """The label of the vertex with the longest list."""
    return str(runner.json("degrees", graph, "--top", "1")["result"]["top"][0]["vertex"])


def streamed(plan_of, share):
    """The words that stream a graph with this share of its lists in memory, beside the eighth that
    a run leaves free."""
    stream = ["--residency", "stream"]
    whole = plan_of(*stream)["host"]
    kept = whole["least_bytes"] + int(share * (whole["peak_bytes"] - whole["least_bytes"]) * 8 / 7)
    return [*stream, "--host-memory", str(kept)]


def places_of(args, plan_of, lists):
    """Names and options of where the lists are."""
    if args.mapped:
        return (("mapped", []),)
    if args.device == "cpu":
        return (("mapped", []), ("streamed, all kept", streamed(plan_of, 1)),
                ("streamed, a quarter kept", streamed(plan_of, .25)))
    stream = ["--residency", "stream"]
    whole = plan_of(*stream)
    device = whole["device"]["least_bytes"] + whole["device"]["peak_bytes"]
    half = [*stream, "--device-memory", str(device // 2)]
    return (("device memory", []), ("zero-copy", ["--residency", "zerocopy"]),
            ("streamed to half of the memory", half), ("from disk", [*half, "--host-memory", str(enough(plan_of, half, lists * 3 // 4))]))


def enough(plan_of, words, memory):
    """So much host memory, or what the plan says that it takes at least: oriented lists are built."""
    try:
        plan_of(*words, "--host-memory", str(memory))
    except SystemExit as refused:
        return int(re.search(r"--host-memory of (\d+) would do", str(refused)).group(1))
    return memory


def outside(seconds, low, high):
    """How far a time lies outside of a range, as a share of the range's nearer end."""
    return (seconds - high) / high if seconds > high else min(0, (seconds - low) / low)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--fathom", default="build/release/fathom")
    parser.add_argument("--graphs", default="/tmp/fathom-graphs")
    parser.add_argument("--scales", nargs="+", default=["kron20", "uniform20"])
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS), choices=ALGORITHMS | OTHERS)
    parser.add_argument("--mapped", action="store_true", help="lists of mapped files alone, and no pilots")
    parser.add_argument("--rates", help="a folder whose rates are taken, and kept there; default: measured now")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    os.makedirs(args.graphs, exist_ok=True)

    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        cache = args.rates or temporary
        runner = Runner(args, cache)
        if not os.path.exists(os.path.join(cache, "fathom")):
            runner.text("doctor", "--measure", "--directory", args.graphs)
        for name in args.scales:
            graph = make_graph(args, runner, name)
            hub = hub_of(runner, graph)
            lists = runner.json("info", graph)["graph"]["edges"] * 8  # targets and weights
            runs = []
            for algorithm in args.algorithms:
                if algorithm in (UNDIRECTED_ONLY if "directed" in name else DIRECTED_ONLY):
                    continue
                def plan_of(*words, algorithm=algorithm, graph=graph):
                    return runner.plan(algorithm, graph, *words)
                for where, words in places_of(args, plan_of, lists):
                    predicted = plan_of(*words)["prediction"]["seconds"]
                    run = {"graph": name, "algorithm": algorithm, "where": where,
                           "options": words, "predicted": predicted, "trials": []}
                    if not args.mapped:
                        run["piloted"] = plan_of(*words, "--pilot")["prediction"]["seconds"]
                    runs.append(run)
            for _ in range(args.rounds):
                for run in runs:
                    run["trials"].append(
                        runner.seconds(run["algorithm"], graph, hub, *run["options"]))
            for run in runs:
                run["seconds"] = statistics.median(run["trials"])
                told = []
                for error, of in (("error", "predicted"), ("piloted_error", "piloted")):
                    if of in run:
                        run[error] = outside(run["seconds"], run[of]["low"], run[of]["high"])
                        told.append(f"{of} {run[of]['low']:.4f} to {run[of]['high']:.4f} s ({run[error]:+.0%})")
                print(f"{name:10} {run['algorithm']:13} {run['where']:25} took {run['seconds']:8.4f} s: "
                      + ", ".join(told), flush=True)
            rows += runs
    if args.output:
        result = {"benchmark": "plan",
                  "command": f"bench/peers/compare_plan.py --scales {' '.join(args.scales)} "
                             f"--rounds {args.rounds} --threads {args.threads}"
                             + (f" --algorithms {' '.join(args.algorithms)}"
                                if args.algorithms != list(ALGORITHMS) else "")
                             + (f" --device {args.device}" if args.device != "cpu" else "")
                             + (" --mapped" if args.mapped else ""),
                  "machine": machine(),
                  "rows": rows}
        with open(args.output, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
