#!/usr/bin/env python3
"""Runs the algorithms on a GPU, in its memory and out of it, and records what their reports say.

    bench/run_gpu.py --fathom build/cuda/fathom --graphs DIR [--scale 24] [--trials 5] -o RESULT.json

Graphs (R-MAT, uniform, and a grid like a road network) are generated into DIR when missing. The budgets of
the zero-copy runs are offsets, vertex state and hints, and a quarter of the target and weight bytes.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def generate(fathom, path, words):
    if not path.exists():
        subprocess.run([fathom, "generate", *words, "-o", str(path), "-q"], check=True)


def budget(vertices, edges, entry_bytes):
    """Offsets, cache index and hints; state; operators' temporary data; a quarter of the lists."""
    return vertices * (8 + 4 + 4 + 40) + (64 << 20) + edges * entry_bytes // 4


def run(fathom, words, trials):
    command = [fathom, *words, "--trials", str(trials), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    shown = "fathom " + " ".join(pathlib.Path(w).name if w.endswith(".fg") else w for w in words)
    if done.returncode != 0:
        print(f"{shown}: exit {done.returncode}: {done.stderr.strip().splitlines()[-1]}")
        return None
    report = json.loads(done.stdout)
    row = {"command": shown, "median_seconds": report["seconds"]["median"],
           "trials": report["seconds"]["trials"], "iterations": report["iterations"],
           "edges_traversed": report["edges_traversed"], "link": report["link"],
           "peak_device_bytes": report["peak_device_bytes"], "verified": report["verified"],
           "residency_reason": report["residency_reason"], "supersteps": report["supersteps"][:40]}
    rate = (report["link"] or {}).get("gbps") or 0
    print(f"{shown:<92} {row['median_seconds'] * 1e3:>9.2f} ms {rate:>6.1f} GB/s "
          f"{(row['peak_device_bytes'] or 0) / 2**20:>6.0f} MiB it {row['iterations']} "
          f"verified {row['verified']}", flush=True)
    return row, report["device"]["name"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fathom", required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scale", type=int, default=24)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    vertices, edges = 1 << options.scale, 32 << options.scale
    plain, weighted = (str(budget(vertices, edges, size)) for size in (4, 8))
    commands = []
    for kind in ("rmat", "uniform"):
        graph = options.graphs / f"{kind}{options.scale}.fg"
        generate(options.fathom, graph, [kind, "--scale", str(options.scale), "--seed", "1",
                                         "--weights", "8:72"])
        resident = ["--device", "cuda", "--residency", "resident"]
        uncached = ["--device", "cuda", "--residency", "zerocopy", "--cache", "none"]
        over_link = ["--device", "cuda", "--residency", "zerocopy", "--device-memory", plain]
        source = ["--source", "5"]
        commands += [
            ["bfs", str(graph), *source, *resident, "--verify"],
            ["bfs", str(graph), *source, *over_link, "--verify"],
            ["bfs", str(graph), *source, *uncached, "--direction", "push"],
            ["sssp", str(graph), *source, *resident],
            ["sssp", str(graph), *source, *over_link[:-1], weighted, "--verify"],
            ["cc", str(graph), *resident],
            ["cc", str(graph), *over_link, "--verify"],
            ["pagerank", str(graph), *resident, "--verify"],
            ["pagerank", str(graph), *over_link],
            ["pagerank", str(graph), *over_link, "--no-in-place"],
        ]
    grid = options.graphs / "grid2048.fg"
    generate(options.fathom, grid, ["grid", "--rows", "2048", "--cols", "2048"])
    commands += [["bfs", str(grid), "--source", "0", "--device", "cuda", "--verify"],
                 ["bfs", str(grid), "--source", "0", "--device", "cpu"]]
    rows, device = [], ""
    for words in commands:
        done = run(options.fathom, words, options.trials)
        if done:
            rows.append(done[0])
            device = device if done[1].startswith("cpu") else done[1]
    result = {"benchmark": "runs", "title": "On a GPU, in its memory and out of it", "device": device,
              "about": f"`bench/run_gpu.py --scale {options.scale} --trials {options.trials}`. Times "
                       "leave out loading and copying the result to the host. Weights 8 to 72.",
              "command": " ".join(sys.argv), "runs": rows}
    pathlib.Path(options.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
