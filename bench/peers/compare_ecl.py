#!/usr/bin/env python3
"""Times strong components and spanning forests on a GPU against ECL-SCC's and ECL-MST's, interleaved, on the same graphs.

Both are built outside this repository, with nvcc, for the GPU at hand: give the folder of ecl-scc and ecl-mst with --ecl.

    bench/peers/compare_ecl.py --ecl DIR --fathom build/cuda/fathom --graphs /tmp/graphs \
        --scales rmat22 uniform22 grid2000 --rounds 3 -o bench/results/h200/ecl.json

Every round runs one trial of each program, one after the other, in turn. A trial's time is what the program itself reports:
with the graph in the GPU's memory, and without the copy of the result. Fathom also runs on the processor, with all of its
threads. Graphs are simple; those of forests have integer weights, and each program has the same sum of them (ECL-MST checks
its own against Kruskal's). Strong components are those of directed graphs; a grid, which has none, is left out there.
"""
import argparse
import array
import json
import os
import re
import statistics
import struct
import subprocess
import sys

from machine import machine

KINDS = ("rmat", "uniform", "grid")
KERNELS = {"scc": r"compute time: ([0-9.]+) s", "msf": r"Dev[+-]: +([0-9.]+) s"}
PEERS = {"scc": "ecl-scc", "msf": "ecl-mst"}


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}")
    return done.stdout


def to_egr(serialized, path, weighted):
    """GAP's serialized graph as ECL's: two counts, offsets, targets and weights, 32 bits each."""
    with open(serialized, "rb") as f:
        _, edges, vertices = struct.unpack("<?qq", f.read(17))
        offset, lists = array.array("q"), array.array("i")
        offset.fromfile(f, vertices + 1)
        lists.fromfile(f, edges * (2 if weighted else 1))
    with open(path, "wb") as f:
        f.write(struct.pack("<ii", vertices, edges))
        array.array("i", offset).tofile(f)
        for part in (lists[::2], lists[1::2]) if weighted else (lists,):
            part.tofile(f)


def made(args, name, kernel):
    """The graph's .fg and .egr, made once."""
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    if not match or match[1] not in KINDS:
        sys.exit(f"unknown graph '{name}': kinds are {', '.join(KINDS)}")
    kind, scale = match.groups()
    path = os.path.join(args.graphs, f"{name}-{kernel}")
    if not os.path.exists(path + ".egr"):
        size = ["--rows", scale, "--cols", scale] if kind == "grid" else ["--scale", scale]
        weighted = kernel == "msf"
        output_of(args.fathom, "generate", kind, *size, "--simple", "-q", "-o", path + ".fg",
                  *(["--weights", "1:255"] if weighted else ["--directed"]))
        serialized = path + (".wsg" if weighted else ".sg")
        output_of(args.fathom, "convert", path + ".fg", "-o", serialized, "-q")
        to_egr(serialized, path + ".egr", weighted)
        os.remove(serialized)
    return path + ".fg", path + ".egr"


def compare(args, name, kernel):
    path, lists = made(args, name, kernel)
    runs = {"fathom": ["--device", "cuda", "--residency", "resident"], "fathom on the processor": ["--device", "cpu"]}
    trials = {**{who: [] for who in runs}, "ecl": []}
    for _ in range(args.rounds):
        for who, options in runs.items():
            report = json.loads(output_of(args.fathom, kernel, path, *options, "--json"))
            trials[who].append(report["seconds"]["median"])
        output = output_of(os.path.join(args.ecl, PEERS[kernel]), lists)
        if "ERROR" in output:
            sys.exit(f"{PEERS[kernel]} on {lists}: {output}")
        if kernel == "scc" and f"number of SCCs: {report['result']['components']}\n" not in output:
            sys.exit(f"ecl-scc finds other components on {lists}: {output}")
        trials["ecl"].append(float(re.search(KERNELS[kernel], output)[1]))
    median = {who: statistics.median(times) for who, times in trials.items()}
    print(f"{name:10} {kernel:4} " + "  ".join(f"{who} {1000 * s:.2f} ms" for who, s in median.items())
          + f"  ratio {median['fathom'] / median['ecl']:.2f}", flush=True)
    return {"graph": name, "kernel": kernel, "seconds": median, "ratio": median["fathom"] / median["ecl"],
            "trials": trials}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ecl", required=True)
    parser.add_argument("--fathom", default="build/cuda/fathom")
    parser.add_argument("--graphs", default="/tmp/fathom-graphs")
    parser.add_argument("--scales", nargs="+", default=["rmat22", "uniform22", "grid2000"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    os.makedirs(args.graphs, exist_ok=True)
    rows = [compare(args, name, kernel) for name in args.scales for kernel in KERNELS
            if (kernel, name[:4]) != ("scc", "grid")]
    geomean = statistics.geometric_mean(row["ratio"] for row in rows)
    print(f"geometric mean of the ratios: {geomean:.2f}")
    if args.output:
        gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE,
                             text=True, check=False).stdout.strip()
        with open(args.output, "w", encoding="utf-8") as f:
            json.dump({"benchmark": "ecl",
                       "command": f"bench/peers/compare_ecl.py --scales {' '.join(args.scales)} --rounds {args.rounds}",
                       "machine": machine(), "gpu": gpu, "geometric_mean_ratio": geomean, "rows": rows}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
