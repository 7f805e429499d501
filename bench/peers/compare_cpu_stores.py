#!/usr/bin/env python3
"""Times batches of updates of Fathom's lists in host memory beside Aspen's compressed trees, on all cores, in turn.

Aspen's driver, aspen_batches, is bench/peers/aspen_batches.cpp, built outside this repository.

    bench/peers/compare_cpu_stores.py --aspen DIR/aspen_batches --fathom build/release/fathom --graphs /tmp/graphs --rounds 3 \\
        -o bench/results/h200/changing_cpu.json

Graphs, batches and medians are those of compare_changing.py. Both programs time themselves, insert and delete 7 batches of each
size, unsorted edges of one way, and hold the lists against their own; Aspen's are trees of which every batch makes a version.
"""
import argparse
import json
import os
import re
import sys

from compare_changing import BATCHES, GRAPHS, fathom_updates, make, medians, output_of
from machine import machine

PATIENCE = 600  # seconds, for a run of either program


def scaled(scale):
    """The graphs of 2^scale vertices; of their usual sizes if there is no scale."""
    if scale is None:
        return GRAPHS
    return {f"{kind}{scale}": [kind, size, str(scale), *more] for kind, size, _, *more in GRAPHS.values()}


def aspen(args, name, updates, inits):
    """-> threads"""
    output = output_of(args.aspen, os.path.join(args.graphs, name + ".sg"), *map(str, args.batches), timeout=PATIENCE)
    lines = re.findall(r"batch (\d+) insert ([0-9.]+) delete ([0-9.]+) init ([0-9.]+) threads (\d+)", output)
    if [int(line[0]) for line in lines] != args.batches:
        sys.exit(f"aspen_batches did not tell the times of all batches on {name}")
    for batch, insert, delete, _, _ in lines:
        updates.setdefault((name, int(batch), "aspen"), []).append([float(insert), float(delete)])
    inits.setdefault((name, "aspen"), []).append([float(lines[0][3])])
    return int(lines[0][4])


def fathom(args, name, updates, inits):
    """-> threads"""
    report = fathom_updates(args, updates, [name], args.batches, "cpu", ("init", "updates"), PATIENCE)
    for row in report["init"]:
        inits.setdefault((name, f"fathom {row['layout']} host"), []).append([1e3 * row["seconds"]["median"]])
    return report["threads"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--aspen", required=True)
    parser.add_argument("--fathom", default="build/release/fathom")
    parser.add_argument("--graphs", default="/tmp/fathom-graphs")
    parser.add_argument("--scale", type=int, help="all graphs of 2^SCALE vertices, to try the script")
    parser.add_argument("--batches", type=int, nargs="+", default=list(BATCHES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    os.makedirs(args.graphs, exist_ok=True)
    graphs = scaled(args.scale)
    for name, options in graphs.items():
        make(args, name, options)
    updates, inits = {}, {}
    for number in range(args.rounds):
        for name in graphs:
            theirs, threads = aspen(args, name, updates, inits), fathom(args, name, updates, inits)
            if theirs != threads:
                sys.exit(f"Aspen has {theirs} threads, Fathom {threads}: set NUM_THREADS, which Aspen reads")
        print(f"round {number + 1} of {args.rounds}", flush=True)
    options = f"--rounds {args.rounds}" + (f" --scale {args.scale}" if args.scale else "")
    with open(args.output, "w", encoding="utf-8") as f:
        json.dump({"benchmark": "changing_cpu", "command": f"bench/peers/compare_cpu_stores.py {options}",
                   "machine": machine(), "threads": threads,
                   "updates": [{"graph": graph, "batch": batch, "who": who, "ms": medians(trials), "trials": trials}
                               for (graph, batch, who), trials in updates.items()],
                   "init": [{"graph": graph, "who": who, "ms": medians(trials), "trials": trials}
                            for (graph, who), trials in inits.items()]}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
