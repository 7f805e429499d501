#!/usr/bin/env python3
"""Times algorithms with one thread and with more, on a quiet machine and beside other work.

    bench/peers/compare_threads.py --fathom build/release/fathom [--other OLD=PATH] --graphs DIR [--threads 1 2]
        [--rounds 7] -o bench/results/<cpu>/threads.json

A grid has thousands of supersteps of some microseconds, R-MAT a few long ones. Every round runs one
trial of each setting in turn, then again beside twice as many busy loops as there are processors.
Seconds are those of the algorithm itself, medians over the rounds. --other compares another build.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from machine import machine

GRAPHS = {"grid1000": ["grid", "--rows", "1000", "--cols", "1000"],
          "rmat18": ["rmat", "--scale", "18", "--weights", "1:64"]}
RUNS = [("bfs", "grid1000"), ("sssp", "grid1000"), ("cc", "grid1000"), ("bfs", "rmat18"),
        ("sssp", "rmat18"), ("cc", "rmat18"), ("pagerank", "rmat18")]


def trial(fathom, app, graph, threads):
    source = ["--source", "0"] if app in ("bfs", "sssp") else []
    done = subprocess.run([fathom, app, str(graph), *source, "--device", "cpu", "--threads", str(threads), "--json"],
                          capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{app} {graph}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)["seconds"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--fathom", required=True)
    parser.add_argument("--other", help="NAME=PATH of another build")
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    builds = {"fathom": options.fathom}
    if options.other:
        name, path = options.other.split("=", 1)
        builds[name] = path
    options.graphs.mkdir(parents=True, exist_ok=True)
    for name, words in GRAPHS.items():
        path = options.graphs / f"{name}.fg"
        if not path.exists():
            subprocess.run([options.fathom, "generate", *words, "-o", str(path), "-q"], check=True)
    seconds = {}
    for _ in range(options.rounds):
        for loaded in (False, True):
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                    for _ in range(2 * os.cpu_count() if loaded else 0)]
            try:
                for app, graph in RUNS:
                    for build, path in builds.items():
                        for threads in options.threads:
                            seconds.setdefault((build, app, graph, loaded, threads), []).append(
                                trial(path, app, options.graphs / f"{graph}.fg", threads))
            finally:
                for process in busy:
                    process.kill()
                    process.wait()
    rows = []
    for (build, app, graph, loaded, threads), values in seconds.items():
        alone = statistics.median(seconds[build, app, graph, loaded, options.threads[0]])
        rows.append({"build": build, "app": app, "graph": graph, "loaded": loaded, "threads": threads,
                     "median_seconds": statistics.median(values), "trials": values,
                     "of_first": statistics.median(values) / alone})
        row = rows[-1]
        print(f"{build:<8} {app:<9} {graph:<9} {'loaded' if loaded else 'quiet':<7} {threads} threads "
              f"{row['median_seconds'] * 1e3:9.2f} ms  {row['of_first']:.2f}")
    record = {"benchmark": "threads", "command": "bench/peers/compare_threads.py " + " ".join(sys.argv[1:]), "machine": machine(),
              "rounds": options.rounds, "rows": rows}
    pathlib.Path(options.output).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
