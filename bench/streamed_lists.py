#!/usr/bin/env python3
"""Streams of plain, narrow and packed lists: `bench/streamed_lists.py FATHOM DIR -o bench/results/MACHINE/streamed_lists.json`.

Runs algorithms on R-MAT graphs of scale 20 in each layout, from a disk within budgets that hold some or all of the lists, and to
two emulated devices, in turn. DIR is on the disk that is measured. Writes every run; `bench/report.py` makes the page.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

SCALE = 20
LAYOUTS = {"plain": [], "narrow": ["--narrow"], "packed": ["--pack"]}
RUNS = {"pagerank": ("u", ["--max-iter", "8", "--tol", "1e-30"], 7), "bfs": ("u", ["--source", "2"], 0),
        "sssp": ("w", ["--source", "2"], 0)}
PLACES = {"disk, 64 MiB": ["--host-memory", "64MiB"], "disk, 144 MiB": ["--host-memory", "144MiB"],
          "two devices of 40 MiB": ["--devices", "2", "--device-memory", "40MiB", "--host-memory", "64MiB"]}
WEIGHTED_PLACES = {"disk, 96 MiB": ["--host-memory", "96MiB"], "disk, 192 MiB": ["--host-memory", "192MiB"],
                   "two devices of 64 MiB": ["--devices", "2", "--device-memory", "64MiB", "--host-memory", "64MiB"]}


def run(fathom, directory, algorithm, layout, place, options):
    graph, words, expected = RUNS[algorithm]
    command = [algorithm, f"{graph}-{layout}.fg", *words, "--residency", "stream", "--threads", "1", *options, "--trials", "3", "--json"]
    done = subprocess.run([fathom, *command], cwd=directory, capture_output=True, check=False)
    if done.returncode != expected:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()}")
    report = json.loads(done.stdout)
    return {"command": f"fathom {' '.join(command)}", "seconds": min(report["seconds"]["trials"]),
            "trials": report["seconds"]["trials"], "disk_bytes": report["disk"]["bytes"], "link_bytes": (report["link"] or {"bytes": 0})["bytes"],
            "peak_host_bytes": report["peak_host_bytes"]}


def rows(fathom, directory, rounds):
    found = []
    for algorithm, (graph, _, _) in RUNS.items():
        for name, options in (WEIGHTED_PLACES if graph == "w" else PLACES).items():
            runs = {layout: [] for layout in LAYOUTS}
            for _ in range(rounds):
                for layout, its in runs.items():
                    its.append(run(fathom, directory, algorithm, layout, name, options))
            found.append({"algorithm": algorithm, "place": name, "runs": runs,
                          "seconds": {layout: statistics.median(r["seconds"] for r in its) for layout, its in runs.items()},
                          "bytes": {layout: [its[-1]["disk_bytes"], its[-1]["link_bytes"]] for layout, its in runs.items()},
                          "ratio": {layout: statistics.median(r["seconds"] / p["seconds"] for r, p in zip(its, runs["plain"]))
                                    for layout, its in runs.items() if layout != "plain"}})
    return found


def page(result):
    """For bench/report.py."""
    bits = ", ".join(f"{layout} {bits:.1f} ({weighted:.1f} with weights)"
                     for layout, (bits, weighted) in result["bits"].items())
    lines = ["## Streams of plain, narrow and packed lists", "",
             f"`{result['command']}`, on {result['machine']}. R-MAT, scale {SCALE}, both directions, weights from 1 to 255; bits per edge: {bits}. "
             f"One thread. Milliseconds are medians of {result['rounds']} rounds, in each of which all layouts run in turn, each three times, "
             "of which the fastest counts; ratios are medians of those to plain lists. MB from the disk and to devices are of all three runs, which keep what stays.", "",
             "| | where | plain, ms | narrow, ms | ratio | packed, ms | ratio | from disk, MB: plain | narrow | packed | to devices, MB: plain | "
             "narrow | packed |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in result["rows"]:
        ms = {layout: f"{seconds * 1e3:,.0f}" for layout, seconds in row["seconds"].items()}
        moved = [[f"{row['bytes'][layout][way] / 1e6:,.0f}" for layout in LAYOUTS] for way in (0, 1)]
        lines.append(f"| {row['algorithm']} | {row['place']} | {ms['plain']} | {ms['narrow']} | {row['ratio']['narrow']:.2f} | {ms['packed']} | "
                     f"{row['ratio']['packed']:.2f} | {' | '.join(moved[0] + moved[1])} |")
    return [*lines, "", *(note + "\n" for note in result.get("notes", []))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--machine", default="this machine", help="in words, for the page")
    parser.add_argument("--note", action="append", default=[], help="a sentence below the table")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    fathom = options.fathom.resolve()
    bits = {layout: [] for layout in LAYOUTS}
    for graph, weights in (("u", []), ("w", ["--weights", "1:255"])):
        plain = options.directory / f"{graph}-plain.fg"
        subprocess.run([fathom, "generate", "rmat", "--scale", str(SCALE), "--seed", "1", *weights, "-q", "-o", plain], check=True)
        for layout, words in LAYOUTS.items():
            if words:
                subprocess.run([fathom, "convert", plain, *words, "-q", "-o", options.directory / f"{graph}-{layout}.fg"], check=True)
            info = json.loads(subprocess.run([fathom, "info", "--json", options.directory / f"{graph}-{layout}.fg"], check=True,
                                             capture_output=True).stdout)
            lists = sum(s["bytes"] for s in info["sections"] if s["name"].startswith("out.") and s["name"] != "out.offsets")
            bits[layout].append(lists * 8 / info["graph"]["edges"])
    result = {"benchmark": "streamed_lists", "command": f"bench/streamed_lists.py FATHOM DIR --rounds {options.rounds}",
              "machine": options.machine, "rounds": options.rounds, "bits": bits,
              "rows": rows(fathom, options.directory, options.rounds), "notes": options.note}
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
