#!/usr/bin/env python3
"""Runs the algorithms on a GPU, in its memory and out of it, and records what their reports say.

    bench/run_gpu.py --fathom build/cuda/fathom --graphs DIR [--suite runs|stream|multi|several|bounds|large|host]
                     [--scale 24] [--trials 5] [--only APP...] -o RESULT.json

runs: resident and zero-copy, with the budgets of `fathom bench emogi`: vertex state, and a quarter
of what the edges take. stream: pages in frames, by copy, in place and by choice. multi: the same with the
pages dealt to 1, 2, 4 and 8 GPUs, as many as there are, and how much faster each is than one. several: one GPU and all of
them over their links, in 8 GiB each, and in their memories, and as many ranks as GPUs (`mpiexec`). bounds: every algorithm
in a GPU's memory, beside the time in which it could read the edges it visits. large: scale 27 with
edge factor 18, more than 2^32 edges, in 8 GiB (needs 40 GB in DIR and 80 GB of memory). host: host memory obtained in
each way, scale --scale over the link and scale 27 streamed (needs 20 GB in DIR and 60 GB of memory). Graphs are
generated into DIR when missing; large removes its own again. runs needs fathom-bench beside the command.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def generate(fathom, path, words):
    if not path.exists():
        subprocess.run([fathom, "generate", *words, "-o", str(path), "-q"], check=True)


def budgets(fathom, path):
    """Device memory by application, out of memory by design."""
    done = subprocess.run([fathom, "bench", "emogi", str(path), "--budgets"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)[str(path)]


def run(fathom, words, trials):
    ranks = words[:3] if words[0] == "mpiexec" else []
    words = words[len(ranks):]
    command = [*ranks, fathom, *words, "--trials", str(trials), "--json"]
    shown = " ".join([*ranks, "fathom"] + [pathlib.Path(w).name if w.endswith(".fg") else w for w in words])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        print(f"{shown}: not done in 300 s")
        return None
    if done.returncode not in (0, 7):  # 7: --tol 0 ends by --max-iter
        print(f"{shown}: exit {done.returncode}: {done.stderr.strip().splitlines()[-1]}")
        return None
    report = json.loads(done.stdout)
    row = {"command": shown, "median_seconds": report["seconds"]["median"],
           "trials": report["seconds"]["trials"], "iterations": report["iterations"],
           "edges_traversed": report["edges_traversed"], "link": report["link"],
           "peak_device_bytes": report["peak_device_bytes"], "verified": report["verified"],
           "residency_reason": report["residency_reason"], "load_seconds": report["load_seconds"],
           "host_memory": report["host_memory"], "supersteps": report["supersteps"][:40]}
    rate = (report["link"] or {}).get("gbps") or 0
    print(f"{shown:<92} {row['median_seconds'] * 1e3:>9.2f} ms {rate:>6.1f} GB/s "
          f"{(row['peak_device_bytes'] or 0) / 2**20:>6.0f} MiB it {row['iterations']} "
          f"verified {row['verified']}", flush=True)
    return row, report["device"]["name"]


# GB/s that a GPU's memory can be read at, by its data sheet.
BANDWIDTH = {"H200": 4800, "H100": 3350, "A100": 2039}


def add_bounds(rows, device):
    """To rows how often the edges that were visited could have been read in the time."""
    rate = next((rate for name, rate in BANDWIDTH.items() if name in device), None)
    for row in rows:
        entry = 8 if row["command"].split()[1] == "sssp" else 4
        if rate and row["edges_traversed"]:
            row["bound_seconds"] = row["edges_traversed"] * entry / rate / 1e9
            row["times_bound"] = row["median_seconds"] / row["bound_seconds"]
            print(f"{row['command']:<92} {row['times_bound']:>7.1f} times the bound")


def suite_runs(options, graph_of):
    for kind in ("rmat", "uniform"):
        graph = graph_of(kind, "--scale", str(options.scale))
        sizes = budgets(options.fathom, graph)
        plain, weighted = str(sizes["bfs"]), str(sizes["sssp"])
        resident = ["--device", "cuda", "--residency", "resident"]
        uncached = ["--device", "cuda", "--residency", "zerocopy", "--cache", "none"]
        over_link = ["--device", "cuda", "--residency", "zerocopy", "--device-memory", plain]
        source = ["--source", "5"]
        yield from [
            ["bfs", graph, *source, *resident, "--verify"],
            ["bfs", graph, *source, *over_link, "--verify"],
            ["bfs", graph, *source, *uncached, "--direction", "push"],
            ["sssp", graph, *source, *resident],
            ["sssp", graph, *source, *over_link[:-1], weighted, "--verify"],
            ["cc", graph, *resident],
            ["cc", graph, *over_link, "--verify"],
            ["pagerank", graph, *resident, "--verify"],
            ["pagerank", graph, *over_link],
            ["pagerank", graph, *over_link, "--no-in-place"],
        ]
    grid = options.graphs / "grid2048.fg"
    generate(options.fathom, grid, ["grid", "--rows", "2048", "--cols", "2048"])
    yield ["bfs", str(grid), "--source", "0", "--device", "cuda", "--verify"]
    yield ["bfs", str(grid), "--source", "0", "--device", "cpu"]


def suite_stream(options, graph_of):
    stream = ["--device", "cuda", "--residency", "stream", "--device-memory", "1600MiB"]
    for kind in ("rmat", "uniform"):
        graph = graph_of(kind, "--scale", str(options.scale))
        for move in ("auto", "copy", "zerocopy"):
            yield ["bfs", graph, "--source", "5", *stream, "--page-move", move, "--verify"]
            yield ["pagerank", graph, *stream, "--page-move", move]
        for more in (["--page-size", "16MiB"], ["--page-size", "256KiB"], ["--cache", "static"],
                     ["--cache", "none"]):
            yield ["pagerank", graph, *stream, *more]
        yield ["pagerank", graph, "--device", "cuda", "--residency", "zerocopy", "--device-memory",
               "1600MiB", "--no-in-place"]
        yield ["cc", graph, *stream, "--verify"]
    small = options.graphs / "simple20.fg"
    generate(options.fathom, small, ["rmat", "--scale", "20", "--seed", "1", "--simple"])
    for policy in ("low-degree", "high-degree", "reuse"):
        yield ["tc", str(small), "--device", "cuda", "--residency", "zerocopy", "--cache-policy",
               policy, "--cache-size", "16MiB"]
    yield ["tc", str(small), "--device", "cuda", "--residency", "stream", "--device-memory", "60MiB"]
    yield ["tc", str(small), "--device", "cuda", "--residency", "resident"]


def suite_multi(options, graph_of):
    lists = device_lists(options.fathom)
    for kind in ("rmat", "uniform"):
        graph = graph_of(kind, "--scale", str(options.scale))
        for app in (["bfs", graph, "--source", "5"], ["bfs", graph, "--source", "5", "--direction", "push"],
                    ["pagerank", graph], ["pagerank", graph, "--no-in-place"],
                    ["pagerank", graph, "--cache", "none"], ["cc", graph], ["sssp", graph, "--source", "5"]):
            for devices in lists:
                check = ["--verify"] if app[-1] == graph or app[0] == "bfs" else []
                yield [*app, "--device", devices, "--residency", "stream", "--device-memory", "1600MiB",
                       *check]


def suite_several(options, graph_of):
    devices = device_lists(options.fathom)
    one, every = devices[0], devices[-1]
    small = ["--device-memory", "8GiB"]
    places = [["--residency", "zerocopy", "--cache", "none"], ["--residency", "zerocopy", *small],
              ["--residency", "stream", *small], ["--residency", "stream", "--cache", "none", *small], []]
    for kind in options.kinds:
        graph = graph_of(kind, "--scale", str(options.scale), "--memory", "100GiB")
        for app in (["bfs", graph, "--source", "5"], ["cc", graph], ["sssp", graph, "--source", "5"],
                    ["pagerank", graph, "--tol", "0", "--max-iter", "8"]):
            for place in places:
                for on in (one, every):
                    yield [*app, "--device", on, *place]
            yield ["mpiexec", "-n", str(every.count(",") + 1), *app, "--device", "cuda", "--verify"]


def device_lists(fathom):
    """cuda:0, cuda:0,1, ...; on a machine with one GPU also two devices that share it."""
    done = subprocess.run([fathom, "doctor", "--json"], check=True, capture_output=True, text=True)
    there = len(json.loads(done.stdout)["cuda"]["devices"])
    counts = [n for n in (1, 2, 4, 8) if n <= there]
    lists = ["cuda:" + ",".join(str(d) for d in range(n)) for n in counts]
    return lists if there > 1 else lists + ["cuda:0,0"]


def add_ratios(rows):
    """To rows of several GPUs how much faster they are than one."""
    alone = {}
    for row in rows:
        words = row["command"].split()
        at = words.index("--device") + 1
        devices, words[at] = words[at], ""
        if devices == "cuda:0":
            alone[tuple(words)] = row["median_seconds"]
        elif one := alone.get(tuple(words)):
            row["times_one_gpu"] = one / row["median_seconds"]
            print(f"{row['command']:<92} {row['times_one_gpu']:>6.2f} times one GPU")


def suite_large(_, graph_of):
    for kind in ("rmat", "uniform"):
        graph = graph_of(kind, "--scale", "27", "--edge-factor", "18", "--memory", "60GiB")
        limit = ["--device", "cuda", "--device-memory", "8GiB", "--verify"]
        yield ["bfs", graph, "--source", "5", *limit]
        yield ["cc", graph, *limit]
        yield ["sssp", graph, "--source", "5", *limit]
        yield ["pagerank", graph, *limit]
        pathlib.Path(graph).unlink()  # there is rarely room for two


def suite_host(options, graph_of):
    graph = graph_of("rmat", "--scale", str(options.scale))
    limit = ["--device", "cuda", "--device-memory", "1600MiB"]
    for way in ("auto", "register", "malloc"):
        for app in (["bfs", graph, "--source", "5"], ["cc", graph], ["sssp", graph, "--source", "5"]):
            yield [*app, *limit, "--residency", "zerocopy", "--zerocopy", way]
    large = options.graphs / "rmat27_unweighted.fg"
    generate(options.fathom, large, ["rmat", "--scale", "27", "--edge-factor", "18", "--memory", "60GiB", "--seed", "1"])
    stream = ["pagerank", str(large), "--device", "cuda", "--residency", "stream", "--device-memory"]
    yield [*stream, "8GiB"]
    yield [*stream, "8GiB", "--io", "auto"]
    yield [*stream, "12GiB"]
    yield [*stream, "12GiB", "--zerocopy", "malloc"]
    large.unlink()


def suite_bounds(options, graph_of):
    """What every algorithm takes in a GPU's memory, beside the time to read its lists once."""
    for kind in ("rmat", "uniform"):
        graph = graph_of(kind, "--scale", str(options.scale))
        source = ["--source", "5"]
        for app in (["degrees"], ["assortativity"], ["bfs", *source], ["sssp", *source], ["bellman-ford", *source],
                    ["cc"], ["pagerank"], ["rwr", *source], ["eigenvector"], ["katz", "--alpha", "1e-5"], ["hits"],
                    ["mis"], ["color"], ["cdlp"], ["louvain"], ["leiden"], ["bipartite"], ["msf"], ["biconnected"], ["matching"],
                    ["similarity", *source], ["kcore"], ["ktruss"], ["scc"], ["tc"], ["lcc"], ["bc", *source], ["edge-bc", *source],
                    ["harmonic", "--k", "64"], ["closeness", "--k", "64"], ["radius"], ["eccentricity", "--diameter"]):
            yield [app[0], graph, *app[1:], "--device", "cuda", "--residency", "resident"]


SUITES = {
    "runs": (suite_runs, "On a GPU, in its memory and out of it"),
    "stream": (suite_stream, "Pages streamed into a GPU"),
    "multi": (suite_multi, "Pages dealt to several GPUs"),
    "several": (suite_several, "One GPU, and several"),
    "bounds": (suite_bounds, "Times beside the least that memory allows"),
    "large": (suite_large, "More than 2^32 edges in 8 GiB of device memory"),
    "host": (suite_host, "Host memory for a GPU, obtained in each way"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fathom", required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--suite", default="runs", choices=SUITES)
    parser.add_argument("--scale", type=int, default=24)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--kinds", nargs="+", default=["rmat", "uniform"], help="graphs of the suite several")
    parser.add_argument("--only", nargs="+", help="of the suite, the runs of these algorithms")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()

    def graph_of(kind, *words):
        path = options.graphs / f"{kind}{words[1]}.fg"
        generate(options.fathom, path, [kind, *words, "--seed", "1", "--weights", "8:72"])
        return str(path)

    suite, title = SUITES[options.suite]
    rows, device = [], ""
    for words in suite(options, graph_of):
        if options.only and not set(words[:4]) & set(options.only):
            continue
        done = run(options.fathom, words, options.trials)
        if done:
            rows.append(done[0])
            device = device if device or done[1].startswith("cpu") else done[1]
            save(options, title, rows, device)  # so that what was run is kept should the time end
    if options.suite in ("multi", "several"):
        add_ratios(rows)
    if options.suite == "bounds":
        add_bounds(rows, device)
    save(options, title, rows, device)


def save(options, title, rows, device):
    result = {"benchmark": "runs", "title": title, "device": device,
              "about": f"`bench/run_gpu.py --suite {options.suite} --scale {options.scale} --trials "
                       f"{options.trials}`. Times leave out loading and copying the result to the "
                       "host. Weights 8 to 72.",
              "command": " ".join(sys.argv), "runs": rows}
    pathlib.Path(options.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
