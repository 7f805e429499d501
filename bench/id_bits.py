#!/usr/bin/env python3
"""Lists narrowed as a GPU's are placed, beside plain ones: `bench/id_bits.py FATHOM DIR -o bench/results/MACHINE/id_bits.json`.

Runs algorithms on R-MAT and uniform graphs in a GPU's memory, over its link with and without a cache, and in managed memory, with
`--id-bits auto` and without, in turn. Writes every run; `bench/report.py` makes the page.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

GRAPHS = {"R-MAT": ["rmat"], "uniform": ["uniform"]}
RUNS = {"bfs": ["--source", "1"], "cc": [], "pagerank": ["--tol", "1e-30", "--max-iter", "8"], "sssp": ["--source", "1"]}
NOT_CONVERGED = 7
WAYS = {"plain": [], "narrowed": ["--id-bits", "auto"]}
EDGES_FACTOR = 32  # directed edges a vertex


def places(scale, weighted):
    """A quarter of the plain bytes is cached."""
    quarter = (EDGES_FACTOR << scale) * (8 if weighted else 4) // 4
    return {"in its memory": ["--residency", "resident"],
            "over the link": ["--residency", "zerocopy", "--cache", "none"],
            "over the link, a quarter cached": ["--residency", "zerocopy", "--cache-size", str(quarter)],
            "managed": ["--residency", "managed"]}


def run(fathom, directory, words):
    done = subprocess.run([fathom, *words, "--json"], cwd=directory, capture_output=True, check=False)
    if done.returncode not in (0, NOT_CONVERGED):
        return {"command": f"fathom {' '.join(words)}", "error": done.stderr.decode()[-300:]}
    report = json.loads(done.stdout)
    return {"command": f"fathom {' '.join(words)}", "seconds": report["seconds"]["median"], "trials": report["seconds"]["trials"],
            "load_seconds": report["load_seconds"], "link_bytes": (report["link"] or {"bytes": 0})["bytes"],
            "peak_device_bytes": report["peak_device_bytes"], "peak_host_bytes": report["peak_host_bytes"]}


def rows(fathom, directory, scale, rounds):
    found = []
    for graph, kind in GRAPHS.items():
        for weighted in (False, True):
            name = directory / "g.fg"
            weights = ["--weights", "1:255"] if weighted else []
            subprocess.run([fathom, "generate", *kind, "--scale", str(scale), *weights, "-q", "-o", name], check=True)
            for algorithm in ["sssp"] if weighted else ["bfs", "cc", "pagerank"]:
                for place, options in places(scale, weighted).items():
                    runs = {way: [] for way in WAYS}
                    for _ in range(rounds):
                        for way, its in runs.items():
                            its.append(run(fathom, directory, [algorithm, "g.fg", *RUNS[algorithm], "--device", "cuda", *options,
                                                               *WAYS[way], "--trials", "3"]))
                    row = {"graph": graph, "weighted": weighted, "algorithm": algorithm, "place": place, "runs": runs}
                    found.append(row)
                    print(cells(row), flush=True)
            name.unlink()
    return found


def cells(row):
    """A row of the table."""
    good = {way: [r for r in its if "seconds" in r] for way, its in row["runs"].items()}
    if not all(good.values()):
        why = next(r["error"] for its in row["runs"].values() for r in its if "error" in r)
        return f"| {row['algorithm']} | {row['graph']} | {row['place']} | {why} |"
    of = lambda way, what: statistics.median(r[what] for r in good[way])  # noqa: E731
    ms = {way: of(way, "seconds") * 1e3 for way in WAYS}
    pairs = [n["seconds"] / p["seconds"] for n, p in zip(good["narrowed"], good["plain"])]
    return (f"| {row['algorithm']} | {row['graph']} | {row['place']} | {ms['plain']:.1f} | {ms['narrowed']:.1f} | "
            f"{statistics.median(pairs):.2f} | {of('plain', 'load_seconds') * 1e3:,.0f} | {of('narrowed', 'load_seconds') * 1e3:,.0f} | "
            f"{of('plain', 'link_bytes') / 1e9:.2f} | {of('narrowed', 'link_bytes') / 1e9:.2f} |")


def page(result):
    """For bench/report.py."""
    return ["## Lists narrowed as they are placed", "",
            f"`{result['command']}`, on {result['machine']}. Scale {result['scale']}, both directions, weights from 1 to 255 for shortest "
            f"paths. Medians of {result['rounds']} rounds of three trials, in which plain lists and `--id-bits auto` run in turn; GB over the "
            "link are of all three trials. The graph's file is plain: what is narrowed is narrowed while it is opened.", "",
            "| | graph | where | plain, ms | narrowed, ms | ratio | opening, ms | narrowed | GB over the link | narrowed |",
            "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *(cells(row) for row in result["rows"]), "", *(note + "\n" for note in result.get("notes", []))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--scale", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--machine", default="this machine", help="in words, for the page")
    parser.add_argument("--note", action="append", default=[], help="a sentence below the table")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    result = {"benchmark": "id_bits", "command": f"bench/id_bits.py FATHOM DIR --scale {options.scale} --rounds {options.rounds}",
              "machine": options.machine, "scale": options.scale, "rounds": options.rounds,
              "rows": rows(options.fathom.resolve(), options.directory, options.scale, options.rounds), "notes": options.note}
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
