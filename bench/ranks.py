#!/usr/bin/env python3
"""Ranks beside one process, on one machine: `bench/ranks.py FATHOM DIR -o bench/results/MACHINE/ranks_beside_one.json`.

Generates R-MAT and uniform graphs of scale 20, grids and a road in DIR, and runs BFS, PageRank and components, and shortest
paths on a weighted grid and the road, on one process with two threads and on two ranks of one thread, in turn; counts what 2 and 4 ranks of a BFS send. Writes
every run; `bench/report.py` makes the page. FATHOM was built with MPI; --plain FATHOM is one without, to compare.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess

GRAPHS = {
    "kron20": ["rmat", "--scale", "20", "--seed", "1"],
    "uniform20": ["uniform", "--scale", "20", "--seed", "1"],
    "grid2m": ["grid", "--rows", "1000", "--cols", "2000"],
}
LONG = {"grid1m, weighted": ["grid", "--rows", "1000", "--cols", "1000", "--weights", "1:255"],
        "road20": ["road", "--scale", "20"]}
ALGORITHMS = {"bfs": ["--source", "5"], "pagerank": [], "cc": [], "sssp": ["--source", "5"]}
BESIDE = [(name, graph) for name in ("bfs", "pagerank", "cc") for graph in GRAPHS] + [("sssp", graph) for graph in LONG]
# What SCALE-OUT measured of a prototype that sends bits or ids of what is found: KB of a rank, 4 ranks, BFS.
PROTOTYPE_KB = {"kron20": 406, "uniform20": 419, "grid2m": 14}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def report(*words):
    done = subprocess.run([str(word) for word in words], env=ENVIRONMENT, check=True, capture_output=True)
    return json.loads(done.stdout)


def path_of(directory, graph):
    return directory / f"{graph.replace(', ', '-')}.fg"


class Runs:
    def __init__(self, options):
        self.options = options
        self.all = []

    def run(self, name, graph, ranks, threads, program=None):
        """The median of three trials, in milliseconds, and the report."""
        words = [program or self.options.fathom, name, path_of(self.options.directory, graph), *ALGORITHMS[name],
                 "--threads", threads, "--trials", 3, "--json"]
        launcher = ["mpirun", "-n", ranks] if ranks > 1 else []
        its = report(*launcher, *words)
        self.all.append({"command": " ".join(map(str, [*launcher, "fathom", *words[1:]])).replace(
            f"{self.options.directory}/", ""), "plain": program is not None, "seconds": its["seconds"],
            "iterations": its["iterations"], "ranks": its["ranks"]})
        return its["seconds"]["median"] * 1e3, its

    def pairs(self, name, graph):
        """Medians of one process and of two ranks, and of the ratios of pairs."""
        rows = [(self.run(name, graph, 1, 2)[0], self.run(name, graph, 2, 1)[0]) for _ in range(self.options.pairs)]
        one, two = zip(*rows)
        return {"algorithm": name, "graph": graph, "one_ms": statistics.median(one), "two_ms": statistics.median(two),
                "ratio": statistics.median(t / o for o, t in rows)}

    def sent(self, graph):
        return {"graph": graph, "kb": [max(row["bytes_sent"] for row in self.run("bfs", graph, ranks, 1)[1]["ranks"]) / 1000
                                       for ranks in (2, 4)]}

    def beside_plain(self, name, graph):
        """One rank of the program with MPI beside the one without."""
        rows = [(self.run(name, graph, 1, 2, self.options.plain)[0], self.run(name, graph, 1, 2)[0])
                for _ in range(15)]
        return {"algorithm": name, "graph": graph, "ratio": statistics.median(m / p for p, m in rows)}


def page(result):
    """For bench/report.py."""
    lines = ["## Ranks beside one process", "", "Two ranks of one thread beside one process of two threads, in turn; medians of "
             f"{result['pairs']} pairs (`bench/ranks.py`).", "",
             "| algorithm | graph | one process, ms | two ranks, ms | ratio of pairs |", "| --- | --- | ---: | ---: | ---: |"]
    for row in result["beside"]:
        pairs = f" (of {row['pairs']})" if "pairs" in row else ""  # measured by itself
        lines.append(f"| {row['algorithm']} | {row['graph']} | {row['one_ms']:.1f} | {row['two_ms']:.1f} | "
                     f"{row['ratio']:.2f}{pairs} |")
    lines += ["", "KB that a rank sends at most in a BFS; a prototype that sends what crosses to another rank's vertices, "
              "4 ranks.", "", "| graph | 2 ranks | 4 ranks | prototype |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {row['graph']} | {row['kb'][0]:,.0f} | {row['kb'][1]:,.0f} | {PROTOTYPE_KB[row['graph']]} |"
              for row in result["sent"]]
    if result["plain"]:
        lines += ["", "One process of the program with MPI beside the one without: the ratio's median of 15 pairs.", "",
                  "| algorithm | graph | ratio |", "| --- | --- | ---: |"]
        lines += [f"| {row['algorithm']} | {row['graph']} | {row['ratio']:.3f} |" for row in result["plain"]]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--plain", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=7)
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for name, words in (GRAPHS | LONG).items():
        path = path_of(options.directory, name)
        if not path.exists():
            subprocess.run([options.fathom, "generate", *words, "-o", path, "-q"], check=True)
    runs = Runs(options)
    result = {"benchmark": "ranks_beside_one", "pairs": options.pairs,
              "beside": [runs.pairs(name, graph) for name, graph in BESIDE],
              "sent": [runs.sent(graph) for graph in GRAPHS],
              "plain": [runs.beside_plain(name, "kron20") for name in ("bfs", "pagerank", "cc")] if options.plain else [],
              "runs": runs.all}
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
