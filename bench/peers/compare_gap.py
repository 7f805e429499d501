#!/usr/bin/env python3
"""Times Fathom's kernels against the GAP benchmark suite's, interleaved, on the same graphs.

GAP is built outside this repository: give the folder of its binaries with --gap. Kronecker and
uniform graphs are made by GAP's converter, roads, grids and graphs in the order of a web crawl by
Fathom's generator; both programs read the very same edges.

    bench/peers/compare_gap.py --gap DIR --fathom build/release/fathom --graphs /tmp/graphs \
        --scales kron20 uniform20 road22 grid2000 web20 --rounds 9 -o bench/results/cpu/gap.json

Every round runs one trial of each program, one after the other, in turn. A trial's time is what the
program itself reports for the kernel (loading apart; Fathom's triangle count includes building the
oriented lists, GAP's its relabelling). Peak memory is each process's maximum resident set.
"""
import argparse
import json
import os
import random
import re
import statistics
import struct
import subprocess
import sys

from machine import machine

KERNELS = ("bfs", "sssp", "cc", "pr", "bc", "tc")
SEED = 27491095
GAP_KINDS = {"kron": "-g", "uniform": "-u"}
# Road networks and grids are of high diameter; coauthors has communities whose members are numbered
# near each other, as crawls number the pages of a site.
FATHOM_KINDS = {"road": ["road"], "grid": ["grid"], "web": ["coauthors"]}


def run(command, env):
    """The command's stdout, and its peak resident set in bytes."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {process.returncode}")
    return output, usage.ru_maxrss * 1024


def graph_kind(name):
    """kron20: the kind and the scale (of a grid: its rows and columns)."""
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    if not match or match[1] not in (*GAP_KINDS, *FATHOM_KINDS):
        sys.exit(f"unknown graph '{name}': kinds are {', '.join((*GAP_KINDS, *FATHOM_KINDS))}")
    return match[1], match[2]


def generate(args, name, gap_file, weights, env):
    """Writes GAP's file: by its own converter, or by Fathom's generator where GAP has none."""
    kind, scale = graph_kind(name)
    if kind in GAP_KINDS:
        run([os.path.join(args.gap, "converter"), GAP_KINDS[kind] + scale, "-k16", *weights,
             "-b", gap_file], env)
        return
    made = gap_file + ".made.fg"
    size = ["--rows", scale, "--cols", scale] if kind == "grid" else ["--scale", scale]
    run([args.fathom, "generate", *FATHOM_KINDS[kind], *size, "--weights", "1:255", "-q",
         "-o", made], env)
    run([args.fathom, "convert", made, "-o", gap_file, "-q"], env)
    os.remove(made)


def make_graphs(args, name, env):
    """GAP's .sg and .wsg and Fathom's .fg of both; made once."""
    paths = {}
    for suffix, weights in (("sg", []), ("wsg", ["-w"])):
        gap_file = os.path.join(args.graphs, f"{name}.{suffix}")
        fathom_file = os.path.join(args.graphs, f"{name}.{suffix}.fg")
        if not os.path.exists(gap_file):
            generate(args, name, gap_file, weights, env)
        if not os.path.exists(fathom_file):
            interleave = ["--interleave-weights"] if weights else []
            run([args.fathom, "convert", gap_file, "-o", fathom_file, "-q", *interleave], env)
        paths[suffix] = (gap_file, fathom_file)
    return paths


def commands(args, kernel, paths, sources):
    """One trial of the kernel: GAP's command line and Fathom's."""
    gap_file, fathom_file = paths["wsg" if kernel == "sssp" else "sg"]
    gap = [os.path.join(args.gap, kernel), "-f", gap_file, "-n", "1"]
    fathom = [args.fathom, {"pr": "pagerank"}.get(kernel, kernel), fathom_file, "--json",
              "--device", "cpu",
              "--threads", str(args.threads)]
    if kernel in ("bfs", "sssp"):
        gap += ["-r", str(sources[0])]
        fathom += ["--source", str(sources[0])]
    if kernel == "sssp":
        gap += ["-d", str(args.delta)]
    if kernel == "pr":
        gap += ["-i", "100", "-t", "1e-4"]
        fathom += ["--compat", "gap", "--tol", "1e-4"]
    if kernel == "bc":
        gap += ["-i", "4"]
        fathom += ["--source", *map(str, sources)]
    return gap, fathom


def gap_seconds(output):
    return float(re.search(r"Trial Time:\s+([0-9.]+)", output).group(1))


def fathom_seconds(output):
    report = json.loads(output)
    return report["seconds"]["median"] if isinstance(report["seconds"], dict) else report["seconds"]


def vertex_count(path):
    """Of a .sg file, whose header is a flag, the number of edges and that of vertices."""
    with open(path, "rb") as f:
        return struct.unpack("<?qq", f.read(17))[2]


def has_edges(path, vertices):
    """Which of the given vertices of a .sg file have edges (its offsets follow a 17-byte header)."""
    kept = []
    with open(path, "rb") as f:
        for v in vertices:
            f.seek(17 + 8 * v)
            first, last = struct.unpack("<qq", f.read(16))
            if last > first:
                kept.append(v)
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gap", required=True)
    parser.add_argument("--fathom", default="build/release/fathom")
    parser.add_argument("--graphs", default="/tmp/fathom-graphs")
    parser.add_argument("--scales", nargs="+", default=["kron20", "uniform20"])
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=KERNELS)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--delta", type=int, default=16, help="of GAP; Fathom chooses its own")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    os.makedirs(args.graphs, exist_ok=True)
    env = dict(os.environ, OMP_NUM_THREADS=str(args.threads))

    rows = []
    for name in args.scales:
        paths = make_graphs(args, name, env)
        n = vertex_count(paths["sg"][0])
        picker = random.Random(SEED)
        sources = has_edges(paths["sg"][0], [picker.randrange(n) for _ in range(16 * args.rounds)])
        for kernel in args.kernels:
            trials = {"gap": [], "fathom": []}
            peak = {"gap": 0, "fathom": 0}
            for i in range(args.rounds):
                gap, fathom = commands(args, kernel, paths, sources[4 * i:4 * i + 4])
                for who, command, seconds in (("gap", gap, gap_seconds),
                                              ("fathom", fathom, fathom_seconds)):
                    output, memory = run(command, env)
                    trials[who].append(seconds(output))
                    peak[who] = max(peak[who], memory)
            median = {who: statistics.median(times) for who, times in trials.items()}
            ratio = statistics.median(f / g for f, g in zip(trials["fathom"], trials["gap"]))
            rows.append({"graph": name, "kernel": kernel, "gap_seconds": median["gap"],
                         "fathom_seconds": median["fathom"], "ratio": ratio,
                         "gap_peak_bytes": peak["gap"], "fathom_peak_bytes": peak["fathom"],
                         "trials": trials})
            print(f"{name:10} {kernel:5} GAP {median['gap']:8.4f} s  Fathom {median['fathom']:8.4f} s"
                  f"  ratio {ratio:5.2f}  memory {peak['fathom'] / peak['gap']:5.2f}", flush=True)
    geomean = statistics.geometric_mean(row["ratio"] for row in rows)
    print(f"geometric mean of the ratios: {geomean:.2f}")
    if args.output:
        with open(args.output, "w", encoding="utf-8") as f:
            json.dump({"benchmark": "gap", "command": "bench/peers/compare_gap.py " + " ".join(
                           f"--{k} {' '.join(map(str, v)) if isinstance(v, list) else v}"
                           for k, v in (("scales", args.scales), ("rounds", args.rounds),
                                        ("threads", args.threads), ("delta", args.delta))),
                       "machine": machine(),
                       "geometric_mean_ratio": geomean, "rows": rows}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
