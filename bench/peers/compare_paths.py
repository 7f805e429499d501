#!/usr/bin/env python3
"""Times breadth-first search and shortest paths against GAP's, Wasp's and PASGAL's, interleaved, on the same graphs.

The peers are built outside this repository: give the folders of their programs with --gap (bfs, sssp,
converter), --wasp (sssp-int32) and --pasgal (bfs, sssp). All read the very same edges and lengths: GAP
and Wasp GAP's own file, PASGAL the same lists in its formats.

    bench/peers/compare_paths.py --gap DIR --wasp DIR --pasgal DIR --fathom build/release/fathom \
        --graphs /tmp/graphs --scales kron20 uniform20 road20 grid1000 web20 --rounds 5 -o paths.json

Every round starts each program once, one after the other, from the same source, for --repeat searches;
the first of a process, which meets cold caches and memory that was never touched, is left out, and the
median of the others is its time. Delta of GAP and Wasp is the one of --deltas with which each was
fastest in a trial before the rounds, on each graph; PASGAL steps by its own rho, Fathom chooses for itself.
"""
import argparse
import json
import os
import random
import re
import statistics
import sys

import numpy

import compare_gap as gap
from machine import machine
from pasgal_files import write_binary, write_weighted

SEED = 27491095


def lists_of(args, fathom_file, env):
    """Offsets, targets and lengths, which are 1 where there are none."""
    arrays = fathom_file + ".npz"
    gap.run([args.fathom, "convert", fathom_file, "-o", arrays, "-q"], env)
    with numpy.load(arrays) as lists:
        found = lists["indptr"], lists["indices"], lists["data"].astype("<u4")
    os.remove(arrays)
    return found


def write_pasgal(args, paths, env):
    """PASGAL's binary format without lengths, and its text with them; written once."""
    plain, weighted = paths["sg"][0] + ".bin", paths["wsg"][0] + ".adj"
    if not os.path.exists(plain):
        write_binary(plain, *lists_of(args, paths["sg"][1], env)[:2])
    if not os.path.exists(weighted):
        write_weighted(weighted, *lists_of(args, paths["wsg"][1], env))
    return plain, weighted


def median_of(pattern, output):
    """Of all searches but the first."""
    found = [float(s) for s in re.findall(pattern, output)]
    if len(found) < 2:
        sys.exit(f"no times in:\n{output}")
    return statistics.median(found[1:])


class Programs:
    """The command of each for a graph, and how it says its times."""

    def __init__(self, args, paths, pasgal):
        self.args, self.paths, self.pasgal = args, paths, pasgal
        self.delta = {}

    def names(self, kernel):
        return ("fathom", "gap", "pasgal") if kernel == "bfs" else ("fathom", "gap", "wasp", "pasgal")

    def seconds(self, who, kernel, source, env, delta=None):
        args = self.args
        gap_file, fathom_file = self.paths["wsg" if kernel == "sssp" else "sg"]
        step = ["-d", str(delta or self.delta[who])] if kernel == "sssp" and who in ("gap", "wasp") else []
        if who == "fathom":
            report, _ = gap.run([args.fathom, kernel, fathom_file, "--json", "--device", "cpu", "--threads",
                                 str(args.threads), "--source", str(source), "--trials", str(args.repeat)], env)
            return statistics.median(json.loads(report)["seconds"]["trials"][1:])
        if who == "pasgal":
            command = [os.path.join(args.pasgal, kernel), "-i", self.pasgal[kernel == "sssp"], "-s", "-r", str(source)]
            return median_of(r"(?:Round \d+|Warmup Round): ([0-9.]+)", gap.run(command, env)[0])
        program = os.path.join(args.gap, kernel) if who == "gap" else os.path.join(args.wasp, "sssp-int32")
        command = [program, "-f", gap_file, "-n", str(args.repeat), "-r", str(source), *step]
        return median_of(r"Trial Time:\s+([0-9.]+)", gap.run(command, env)[0])

    def choose_deltas(self, source, env):
        for who in ("gap", "wasp"):
            times = {d: self.seconds(who, "sssp", source, env, d) for d in self.args.deltas}
            self.delta[who] = min(times, key=times.get)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for peer in ("gap", "wasp", "pasgal"):
        parser.add_argument("--" + peer, required=True, type=os.path.abspath)
    parser.add_argument("--fathom", default="build/release/fathom", type=os.path.abspath)
    parser.add_argument("--graphs", default="/tmp/fathom-graphs", type=os.path.abspath)
    parser.add_argument("--scales", nargs="+", default=["kron20", "uniform20", "road20", "grid1000", "web20"])
    parser.add_argument("--kernels", nargs="+", default=["bfs", "sssp"], choices=("bfs", "sssp"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=6, help="searches of a process, the first left out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--deltas", type=int, nargs="+", default=[1, 4, 16, 64, 256, 1024])
    parser.add_argument("-o", "--output", type=os.path.abspath)
    args = parser.parse_args()
    os.makedirs(args.graphs, exist_ok=True)
    os.chdir(args.graphs)  # PASGAL leaves its times in the folder where it runs
    env = dict(os.environ, OMP_NUM_THREADS=str(args.threads), PARLAY_NUM_THREADS=str(args.threads))

    rows = []
    for name in args.scales:
        paths = gap.make_graphs(args, name, env)
        programs = Programs(args, paths, write_pasgal(args, paths, env))
        n = gap.vertex_count(paths["sg"][0])
        picker = random.Random(SEED)
        sources = gap.has_edges(paths["sg"][0], [picker.randrange(n) for _ in range(16 * args.rounds)])
        if "sssp" in args.kernels:
            programs.choose_deltas(sources[0], env)
        for kernel in args.kernels:
            trials = {who: [] for who in programs.names(kernel)}
            for source in sources[:args.rounds]:
                for who in trials:
                    trials[who].append(programs.seconds(who, kernel, source, env))
            median = {who: statistics.median(times) for who, times in trials.items()}
            ratios = {who: statistics.median(f / p for f, p in zip(trials["fathom"], times))
                      for who, times in trials.items() if who != "fathom"}
            rows.append({"graph": name, "kernel": kernel, "seconds": median, "ratios": ratios, "trials": trials,
                         **({"delta": dict(programs.delta)} if kernel == "sssp" else {})})
            print(f"{name:10} {kernel:5}" + "".join(f"  {who} {s:.4f} s" for who, s in median.items())
                  + "".join(f"  /{who} {r:.2f}" for who, r in ratios.items()), flush=True)
    means = {who: statistics.geometric_mean(row["ratios"][who] for row in rows if who in row["ratios"])
             for who in ("gap", "wasp", "pasgal") if any(who in row["ratios"] for row in rows)}
    print("geometric means: " + ", ".join(f"{who} {mean:.2f}" for who, mean in means.items()))
    if args.output:
        with open(args.output, "w", encoding="utf-8") as f:
            command = "bench/peers/compare_paths.py " + " ".join(
                f"--{k} {' '.join(map(str, v)) if isinstance(v, list) else v}"
                for k, v in (("scales", args.scales), ("rounds", args.rounds), ("repeat", args.repeat),
                             ("threads", args.threads), ("deltas", args.deltas)))
            json.dump({"benchmark": "paths", "command": command, "machine": machine(),
                       "geometric_mean_ratios": means, "rows": rows}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
