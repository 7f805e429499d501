#!/usr/bin/env python3
"""Predicts times of many ranks from supersteps recorded on one process, by a link model.

    bench/predict_ranks.py record --fathom build/mpi/fathom --graphs /tmp/graphs \\
        -o bench/results/epyc/ranks.json
    bench/predict_ranks.py table bench/results/epyc/ranks.json

`record` generates what it lacks and runs BFS (from the vertex of the highest degree), PageRank and
CC alone and under `mpirun -n 2`, 3 and 4. `table` prints, in Markdown, what ranks would send and
take. Exchanges are those of fathom/exec/ranks/replica_group.cpp, and bytes are counted as there:

- all_reduce of b bytes: 2 (R - 1) / R b sent; all_gather: (R - 1) times the rank's own bytes.
- A frontier is told by ids where all of them take no more than twice its bits, else by bits
  (fathom/exec/frontier.cpp). Found by several ranks, a vertex is told by each: that is left out.
- PageRank, updated in place: what a rank's own vertices give, as floats, and at the end their ranks.
- Components: labels of a rank's own vertices, after first hooks and at the end, and pairs of ids
  for roots of others that it has linked. How many of these there are is an estimate: after the first
  hooks the roots are those vertices that are below all of their neighbours. Of ids that are random
  that is the sum of 1 / (degree + 1) over vertices with edges; a grid, with ids by rows, has none.
  Of R-MAT, R ranks together tell of 13 % of them (R - 1) times; nothing is linked later.

A link has a latency and a bandwidth for each rank, and no contention. Reductions of less than 8 KiB
take log2 R steps of the whole; longer ones 2 log2 R latencies and their bytes (recursive halving and
doubling); all_gathers log2 R latencies and theirs. Computing takes edges / R at a rate for each rank,
and vertices at another: of searches and components every rank goes over all of its replica. One thread
of a rank links what others have told. Nothing overlaps, and shares are even.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "peers"))
from machine import machine

SMALL = 8 << 10  # bytes of an all_reduce by a tree
GRAPHS = {
    "rmat16": ["rmat", "--scale", "16"],
    "rmat18": ["rmat", "--scale", "18"],
    "rmat20": ["rmat", "--scale", "20"],
    "grid400x300": ["grid", "--rows", "400", "--cols", "300"],
    "road18": ["road", "--scale", "18"],
}
ALGORITHMS = {"bfs": [], "pagerank": ["--max-iter", "10"], "cc": []}
FEW_EDGES = 3  # of each vertex: components sample more beyond (components/parts.hpp)
TOLD_ROOTS = .13  # by other ranks, of R-MAT
PIECES = 16  # in which PageRank tells values, at most (pagerank/rank_pieces.hpp)
# What is assumed of a rank, and says so beside every table.
RANKS_OF = {
    "CPU": {"what": "a node of 64 cores, 200 Gb/s", "latency": 3e-6, "bandwidth": 25e9,
            "edges": 2e9, "vertices": 4e9, "one": 1e9},
    "GPU": {"what": "an H200 with a 400 Gb/s link of its own, merges on the device",
            "latency": 10e-6, "bandwidth": 50e9, "edges": 20e9, "vertices": 150e9, "one": 150e9},
}
COUNTS = (16, 64, 256, 1024)


class Exchanges:
    """Bytes that one of R ranks sends, and seconds that exchanges take."""

    def __init__(self, ranks, vertices, link=None):
        self.ranks, self.vertices = ranks, vertices
        self.id_bytes = 8 if vertices >= 0xffffffff else 4
        self.words = -(-vertices // 64)
        self.link = link or RANKS_OF["CPU"]
        self.steps = math.ceil(math.log2(ranks)) if ranks > 1 else 0
        self.bytes = self.seconds = 0.0

    def _send(self, sent, latencies, wire):
        self.bytes += sent
        self.seconds += latencies * self.link["latency"] + wire / self.link["bandwidth"]

    def all_reduce(self, size):
        sent = 2 * size * (self.ranks - 1) / self.ranks
        if size < SMALL:
            self._send(sent, self.steps, self.steps * size)
        else:
            self._send(sent, 2 * self.steps, sent)

    def all_gather(self, mine):
        self._send(mine * (self.ranks - 1), self.steps, mine * (self.ranks - 1))

    def share(self, size):
        """Of an array of so many bytes each rank tells its part, and where it begins."""
        self.all_gather(8)
        self.all_gather(size / self.ranks)

    def tell_each(self, note, pairs):
        """A message of its own to each other rank, of so many pairs of ids in all of a rank's."""
        self.all_gather(note + 8 * self.ranks)
        sent = 2 * self.id_bytes * pairs
        self._send(sent, self.ranks - 1, sent)
        self.seconds += pairs / self.link["one"]

    def frontier(self, found):
        if found * self.id_bytes > 2 * self.words * 8:
            self.all_gather(8)
            self.all_reduce(self.words * 8)
        else:
            self.share(found * self.id_bytes)


def exchange(algorithm, shape, steps, its):
    """What a run exchanges. `steps`: as recorded, (frontier, edges, direction)."""
    if algorithm == "pagerank":
        pieces = min(PIECES, max(1, shape["vertices"] // its.ranks // 4096))
        its.all_gather(its.id_bytes * (pieces + 1))
        for _ in steps:
            its.all_gather(24)  # change, mass and what dangles
            for _ in range(pieces):
                its.all_gather(4 * shape["vertices"] / pieces / its.ranks)
        its.share(8 * shape["vertices"])
    elif algorithm == "cc":
        its.all_gather(2 * its.id_bytes)
        for _ in range(2):
            its.share(its.id_bytes * shape["vertices"])
        if shape["edges"] >= FEW_EDGES * shape["vertices"]:
            its.all_gather(8)
        its.tell_each(its.id_bytes, TOLD_ROOTS * shape["lowest"] * (its.ranks - 1) / its.ranks)
        its.share(0)
        its.all_gather(16)
    else:
        for i, (_, _, direction) in enumerate(steps):
            found = steps[i + 1][0] if i + 1 < len(steps) else 0
            its.frontier(found)
            if direction == "pull":
                its.all_gather(1)


def predict(algorithm, shape, steps, ranks, link):
    """Seconds, and bytes that a rank sends, on average."""
    its = Exchanges(ranks, shape["vertices"], link)
    if ranks > 1:
        exchange(algorithm, shape, steps, its)
    # Of the replica: a rank's own vertices; the bits of a frontier, twice; labels at the beginning and
    # at the end, where they are counted too.
    passes = {"pagerank": len(steps) / ranks, "bfs": len(steps) / 32,
              "cc": 4 if ranks > 1 else 1}[algorithm]
    compute = sum(edges for _, edges, _ in steps) / ranks / link["edges"]
    return compute + passes * shape["vertices"] / link["vertices"] + its.seconds, its.bytes


def rmat_shares(scale, factor=16):
    """Shares of R-MAT's vertices: those with edges, and those that are below all of their neighbours
    (fathom/plan/graph_shape.cpp)."""
    share, lowest, choose, ends = 0.0, 0.0, 2.0 ** -scale, 2.0 ** scale * factor * 2
    for k in range(scale + 1):
        its = ends * .76 ** (scale - k) * .24 ** k
        some = -math.expm1(-its)
        share += choose * some
        lowest += choose * (some / its - (1 - some))
        choose *= (scale - k) / (k + 1)
    return share, lowest


def scaled(recorded, algorithm, scale):
    """R-MAT of another scale: its supersteps have the shares that those recorded have, of the
    vertices with edges (frontiers) and of all edges."""
    shares = rmat_shares(scale)
    shape = {"vertices": 2 ** scale, "edges": 32 * 2 ** scale, "lowest": shares[1] * 2 ** scale}
    last = int(recorded["graph"].removeprefix("rmat"))
    vertices = shape["vertices"] / recorded["vertices"]
    if algorithm == "bfs":
        vertices *= shares[0] / rmat_shares(last)[0]
    edges = shape["edges"] / recorded["edges"]
    return shape, [(f * vertices, e * edges, d) for f, e, d in recorded["supersteps"]]


def road(recorded, algorithm, scale):
    """A road network of 2^scale vertices: levels and their frontiers both grow by the root."""
    factor = 2 ** scale / recorded["vertices"]
    shape = {"vertices": 2 ** scale, "edges": recorded["edges"] * factor,
             "lowest": recorded["lowest"] * factor}
    steps = recorded["supersteps"]
    if algorithm != "bfs":
        return shape, [(f * factor, e * factor, d) for f, e, d in steps]
    root = math.sqrt(factor)
    count = round(len(steps) * root)
    at = [steps[int(i * len(steps) / count)] for i in range(count)]
    return shape, [(f * root, e * root, d) for f, e, d in at]


def state_bytes(algorithm, vertices):
    """Of each rank: a replica, with the bits of its frontiers."""
    wide = 8 if vertices >= 0xffffffff else 4
    return vertices * {"bfs": 4.5, "pagerank": 12, "cc": wide + .125}[algorithm]


def find(result, graph, algorithm):
    return next(r for r in result["recorded"] if (r["graph"], r["algorithm"]) == (graph, algorithm))


def cases(result):
    """(name, algorithm, shape, steps) of what is predicted."""
    for scale in (30, 32, 34, 36):
        for algorithm in ALGORITHMS:
            recorded = find(result, "rmat20", algorithm)
            yield f"RMAT{scale}", algorithm, *scaled(recorded, algorithm, scale)
    for algorithm in ALGORITHMS:
        yield "road, 2^26", algorithm, *road(find(result, "road18", algorithm), algorithm, 26)


def amount(count, units=("", "K", "M", "G", "T")):
    power = 0
    while count >= 999.5 and power + 1 < len(units):
        count, power = count / 1000, power + 1
    return f"{count:.3g} {units[power]}"


def seconds_text(seconds):
    if seconds >= 999.5:
        return f"{seconds:,.0f} s"
    return f"{seconds:.3g} s" if seconds >= .9995 else f"{seconds * 1e3:.3g} ms"


def predictions(result):
    """Lines of Markdown: a table per kind of rank."""
    lines = []
    for name, link in RANKS_OF.items():
        lines += [f"Prediction, {name} ranks: each {link['what']}; {amount(link['edges'])}edges/s, "
                  f"{amount(link['vertices'])}vertices/s, {link['latency'] * 1e6:.0f} us, "
                  f"{amount(link['bandwidth'])}B/s.", ""]
        heads = [f"{ranks:,} ranks" for ranks in COUNTS]
        lines += [f"| graph | | state of a rank | {' | '.join(heads)} |",
                  "| --- | --- | ---: |" + " ---: |" * len(heads)]
        for graph, algorithm, shape, steps in cases(result):
            alone = predict(algorithm, shape, steps, 1, link)[0]
            cells = []
            for ranks in COUNTS:
                took, sent = predict(algorithm, shape, steps, ranks, link)
                cells.append(f"{seconds_text(took)}, {100 * alone / ranks / took:.2g} %, "
                             f"{amount(sent)}B")
            lines.append(f"| {graph} | {algorithm} | "
                         f"{amount(state_bytes(algorithm, shape['vertices']))}B | "
                         f"{' | '.join(cells)} |")
        lines.append("")
    return lines


def sent_by_model(row, ranks):
    """Bytes of a rank, on average, of a run that was recorded."""
    its = Exchanges(ranks, row["vertices"])
    exchange(row["algorithm"], row, row["supersteps"], its)
    return its.bytes


def measured(result):
    """Lines of Markdown: bytes that ranks sent, beside those of the model."""
    lines = ["| graph | | ranks | KB sent, mean of the ranks | most | model / mean |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]
    for row in result["recorded"]:
        for ranks, sent in row["ranks"].items():
            mean = sum(sent) / len(sent)
            lines.append(f"| {row['graph']} | {row['algorithm']} | {ranks} | {mean / 1e3:,.0f} | "
                         f"{max(sent) / 1e3:,.0f} | {sent_by_model(row, int(ranks)) / mean:.3f} |")
    return lines


def page(result):
    """For bench/report.py."""
    runs = [f"    {command}" for command in result["commands"]]
    return [f"## {result['title']}", "", f"By `{result['command']}`:", "", *runs, "",
            "Bytes as reports count them; the model is that of `bench/predict_ranks.py`.", "",
            *measured(result), "", "Seconds, efficiency (of one rank that had room for all of it) and "
            "bytes that each rank sends. PageRank: 10 iterations. None of this was run.", "",
            *predictions(result)]


def write(result, path):
    """A run on a line."""
    lines = ",\n".join("  " + json.dumps(row) for row in result.pop("recorded"))
    head = json.dumps(result, indent=1).removesuffix("\n}")
    text = f'{head},\n "recorded": [\n{lines}\n ]\n}}\n'
    pathlib.Path(path).write_text(text, encoding="utf-8")


def record(args):
    graphs = pathlib.Path(args.graphs)
    environment = {**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def report(words):
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        if done.returncode not in (0, 7):  # 7: not converged
            sys.exit(f"{' '.join(words)}: {done.stderr}")
        return json.loads(done.stdout)

    rows, commands = [], []
    for graph, words in GRAPHS.items():
        path = str(graphs / f"{graph}.fg")
        commands.append(" ".join(["fathom", "generate", *words, "-o", f"{graph}.fg"]))
        if not os.path.exists(path):
            subprocess.run([args.fathom, "generate", *words, "-o", path, "-q"], check=True)
        degrees = report([args.fathom, "degrees", path, "--top", "1", "--json"])
        hub = str(degrees["result"]["top"][0]["vertex"])
        counts = degrees["result"]["degree"]["histogram"]
        lowest = 0 if words[0] == "grid" else round(
            sum(its["vertices"] / (its["degree"] + 1) for its in counts if its["degree"] > 0))
        for algorithm, options in ALGORITHMS.items():
            run = [algorithm, path, *options, "--threads", "1", "--json"]
            if algorithm == "bfs":
                run += ["--source", hub]
                if words[0] in ("grid", "road"):  # of these ranks would search several levels at a time
                    run += ["--direction", "push"]
            commands.append("[mpirun -n R] fathom " + " ".join(run).replace(path, f"{graph}.fg"))
            alone = report([args.fathom, *run])
            row = {"graph": graph, "algorithm": algorithm,
                   "vertices": alone["graph"]["vertices"], "edges": alone["graph"]["edges"],
                   "lowest": lowest,
                   "supersteps": [[s["frontier"], s["edges"], s["direction"]]
                                  for s in alone["supersteps"]],
                   "seconds": alone["seconds"]["median"], "ranks": {}}
            for ranks in (2, 3, 4):
                its = report(["mpirun", "-n", str(ranks), args.fathom, *run])
                row["ranks"][str(ranks)] = [r["bytes_sent"] for r in its["ranks"]]
            rows.append(row)
    result = {"benchmark": "ranks", "title": "Bytes that ranks send, and predictions of many ranks",
              "machine": machine(),
              "command": "bench/predict_ranks.py record --graphs G -o bench/results/epyc/ranks.json",
              "commands": commands, "recorded": rows}
    write(result, args.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    what = parser.add_subparsers(dest="what", required=True)
    recorder = what.add_parser("record", help="run graphs here, alone and on a few ranks")
    recorder.add_argument("--fathom", default="build/mpi/fathom")
    recorder.add_argument("--graphs", required=True)
    recorder.add_argument("-o", "--output", required=True)
    printer = what.add_parser("table", help="predict, in Markdown")
    printer.add_argument("recorded")
    args = parser.parse_args()
    if args.what == "record":
        record(args)
    else:
        recorded = json.loads(pathlib.Path(args.recorded).read_text(encoding="utf-8"))
        print("\n".join(predictions(recorded)))


if __name__ == "__main__":
    main()
