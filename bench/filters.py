#!/usr/bin/env python3
"""Windows of time beside files of their edges: `bench/filters.py FATHOM DIR -o bench/results/MACHINE/filters.json`.

Directed R-MAT graphs of scales 18 to 20, whose edges get a random timestamp below 10^6, are asked by PageRank, a search and
components in windows of 100, 50, 10 and 1 % of the edges; so are files that have these edges alone, in turn. Writes every run;
`bench/report.py` makes the page.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess

MOMENTS = 1_000_000
SHARES = (100, 50, 10, 1)
ALGORITHMS = {"pagerank": ["--max-iter", "1000"], "bfs": ["--source", "HUB"], "cc": []}


class Filters:
    def __init__(self, options):
        self.fathom, self.threads = options.fathom.resolve(), str(options.threads)
        self.root = self.directory = options.directory
        self.all = []

    def ok(self, *words, **settings):
        return subprocess.run([self.fathom, *words], cwd=self.directory, check=True, capture_output=True, **settings).stdout

    def make(self, scale):
        """all.fg, and SHARE.fg for each window, unless they are there."""
        self.directory = self.root / str(scale)
        if (self.directory / f"{SHARES[-1]}.fg").exists():
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        self.ok("generate", "rmat", "--scale", str(scale), "--directed", "--seed", "1", "-q", "-o", "plain.fg")
        self.ok("convert", "plain.fg", "-q", "-o", "plain.tsv")
        dice = random.Random(1)
        (self.directory / "all.txt").write_text("".join(f"{v}\n" for v in range(1 << scale)), encoding="ascii")
        with open(self.directory / "plain.tsv", encoding="ascii") as plain, \
                open(self.directory / "updates.txt", "w", encoding="ascii") as updates:
            updates.writelines(f"+v {v}\n" for v in range(1 << scale))
            for line in plain:
                u, v = line.split()[:2]
                if u.isdigit():
                    updates.write(f"+ {u} {v} 1 0 {dice.randrange(MOMENTS)} 0\n")
        self.ok("stream", "--empty", "--semantic", "--updates", "updates.txt", "--batch", "1000000", "-q", "-o", "all.fg")
        for share in SHARES:
            self.ok("subgraph", "all.fg", "--vertices", "all.txt", *self.window(share), "-q", "-o", f"{share}.fg")
        for name in ("plain.fg", "plain.tsv", "updates.txt"):
            (self.directory / name).unlink()

    def find_hub(self):
        """A source that reaches something in the smallest window: the vertex of most edges there."""
        self.ok("degrees", f"{SHARES[-1]}.fg", "-q", "-o", "degrees.tsv")
        with open(self.directory / "degrees.tsv", encoding="ascii") as rows:
            next(rows)
            self.hub = max((line.split() for line in rows), key=lambda row: int(row[2]))[0]  # out-degrees

    @staticmethod
    def window(share):
        return ["--since", "0", "--until", str(MOMENTS * share // 100)]

    def run(self, algorithm, graph, *words):
        words = [algorithm, graph, *(self.hub if word == "HUB" else word for word in ALGORITHMS[algorithm]), *words, "--threads", self.threads, "--trials", "3", "--json"]
        report = json.loads(self.ok(*words))
        its = {"command": "fathom " + " ".join(words), "seconds": report["seconds"]["median"],
               "load_seconds": report["load_seconds"], "edges": report["graph"]["edges"],
               "filter": report["graph"]["filter"]}
        self.all.append(its)
        return its

    def row(self, scale, algorithm, share, rounds):
        """Medians over rounds, each of which runs both in turn."""
        ways = {"filtered": lambda: self.run(algorithm, "all.fg", *self.window(share)),
                "file": lambda: self.run(algorithm, f"{share}.fg")}
        runs = {way: [] for way in ways}
        for _ in range(rounds):
            for way, run in ways.items():
                runs[way].append(run())
        median = {way: {key: statistics.median(r[key] for r in its) for key in ("seconds", "load_seconds")}
                  for way, its in runs.items()}
        ratio = statistics.median(a["seconds"] / b["seconds"] for a, b in zip(runs["filtered"], runs["file"]))
        return {"scale": scale, "algorithm": algorithm, "share": share, "edges": runs["filtered"][0]["edges"],
                "kept": runs["file"][0]["edges"], **median, "ratio": ratio}


def page(result):
    """For bench/report.py."""
    lines = ["## Windows of time beside files of their edges", "",
             f"`{result['command']}`, on {result['machine']}. Directed R-MAT graphs, mapped; seconds of computing, medians of "
             f"{result['rounds']} rounds, in each of which both run in turn, of 3 runs each; the ratio is the median of theirs. To "
             "open the graph is to filter it: a read of 16 bytes per edge.", "",
             "| scale | edges | window | algorithm | filtered, s | a file of its edges, s | ratio | opened, filtered, s | "
             "opened, file, s |", "| ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in result["rows"]:
        lines.append(f"| {row['scale']} | {row['edges']:,} | {row['share']} % | {row['algorithm']} | "
                     f"{row['filtered']['seconds']:.4f} | {row['file']['seconds']:.4f} | {row['ratio']:.2f} | "
                     f"{row['filtered']['load_seconds']:.3f} | {row['file']['load_seconds']:.3f} |")
    return [*lines, "", "All edges kept is the graph itself, whose timestamps are read once to find that out.",
            *(["", result["note"]] if "note" in result else [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--scales", type=int, nargs="+", default=[18, 19, 20])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only-make", action="store_true", help="make the graphs, for a later run in the same DIR")
    parser.add_argument("--machine", default="this machine", help="in words, for the page")
    options = parser.parse_args()
    filters = Filters(options)
    rows = []
    for scale in options.scales:
        filters.make(scale)
        if options.only_make:
            continue
        filters.find_hub()
        rows += [filters.row(scale, algorithm, share, options.rounds) for share in SHARES for algorithm in ALGORITHMS]
    if options.only_make:
        return
    scales = " ".join(map(str, options.scales))
    result = {"benchmark": "filters",
              "command": f"bench/filters.py FATHOM DIR --scales {scales} --rounds {options.rounds} --threads {options.threads}",
              "machine": options.machine, "rounds": options.rounds, "rows": rows, "runs": filters.all}
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
