#!/usr/bin/env python3
"""Times conversions of every format by two programs, interleaved: `fathom` as it is and as it was, or two settings.

    bench/peers/compare_convert.py --fathom build/release/fathom --other OLD --graphs /tmp/graphs \
        --scale 21 --rounds 5 -o bench/results/epyc/convert.json

The inputs are R-MAT graphs that the first program exports once: with both directions of every edge (undirected) in
sg, tsv and tsv.zst, and directed with weights in wsg, npz, mtx and csv. Each round runs every conversion once
with each program, in turn; inputs are in the page cache. A row has medians of seconds and of processor seconds, the
ratio round by round, and the peak resident set as the system counts it.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from machine import machine

UNDIRECTED = ("sg", "tsv", "tsv.zst")
WEIGHTED = ("wsg", "npz", "mtx", "csv")


def run(command):
    """Seconds, processor seconds and peak bytes of one run."""
    before = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {process.returncode}")
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def make_inputs(args):
    """Name, path and options of every input."""
    directory = pathlib.Path(args.graphs)
    directory.mkdir(parents=True, exist_ok=True)
    stores = {"undirected": (UNDIRECTED, []), "weighted": (WEIGHTED, ["--directed", "--weights", "1:255"])}
    for kind, (formats, options) in stores.items():
        store = directory / f"{kind}{args.scale}.fg"
        if not store.exists():
            run([args.fathom, "generate", "rmat", "--scale", str(args.scale), *options, "-o", str(store), "-q"])
        for form in formats:
            path = directory / f"{kind}{args.scale}.{form}"
            if not path.exists():
                run([args.fathom, "convert", str(store), "-o", str(path), "-q"])
            third = ["--third-column", "weight"] if form == "csv" else []
            yield kind, form, path, third


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fathom", required=True)
    parser.add_argument("--other", help="the program to compare with")
    parser.add_argument("--graphs", default="/tmp/graphs")
    parser.add_argument("--scale", type=int, default=21)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", nargs="*", default=[], help="bounds to try beside the default, such as 256MiB")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    programs = {"fathom": args.fathom} | ({"other": args.other} if args.other else {})
    output = pathlib.Path(args.graphs) / "converted.fg"
    rows = []
    for kind, form, path, options in make_inputs(args):
        for memory in [None, *args.memory]:
            words = ["convert", str(path), "-o", str(output), "-q", "--threads", str(args.threads), *options]
            words += ["--memory", memory] if memory else []
            times = {name: [] for name in programs}
            for _ in range(args.rounds):
                for name, program in programs.items():
                    output.unlink(missing_ok=True)
                    times[name].append(run([*program.split(), *words]))
            row = {"graph": kind, "format": form, "bytes": path.stat().st_size, "memory": memory}
            for name, of in times.items():
                seconds, processor, peak = (statistics.median(column) for column in zip(*of))
                row[name] = {"seconds": seconds, "processor_seconds": processor, "peak_bytes": peak}
            if args.other:
                row["ratio"] = statistics.median(a[0] / b[0] for a, b in zip(times["fathom"], times["other"]))
            rows.append(row)
            print(json.dumps(row), file=sys.stderr)
    output.unlink(missing_ok=True)
    command = "bench/peers/compare_convert.py " + " ".join(
        [f"--scale {args.scale}", f"--rounds {args.rounds}", f"--threads {args.threads}",
         *([f"--memory {' '.join(args.memory)}"] if args.memory else [])])
    result = {"benchmark": "convert", "title": "Conversions, by format", "command": command, "machine": machine(),
              "rounds": args.rounds, "rows": rows}
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
