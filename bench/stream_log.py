#!/usr/bin/env python3
"""What a log costs a stream of updates: `bench/stream_log.py FATHOM DIR -o bench/results/MACHINE/stream_log.json`.

Streams random insertions into an R-MAT graph of scale 18 in batches of 1 K, 100 K and 1 M: without a log, with one that is
never synced, after every 16 batches and after every one, in turn. Then how long it takes to recover what was logged, and to
write a base. DIR is on the disk that is measured. Writes every run; `bench/report.py` makes the page.
"""

import argparse
import json
import pathlib
import random
import shutil
import statistics
import subprocess

SCALE = 18
# Updates per batch, and in all.
BATCHES = {1000: 200_000, 100_000: 2_000_000, 1_000_000: 4_000_000}
WAYS = {"none": [], "written": ["--log", "log", "--sync", "none"], "grouped": ["--log", "log", "--sync", "16"],
        "synced": ["--log", "log"]}


class Streams:
    def __init__(self, options):
        self.fathom, self.directory = options.fathom.resolve(), options.directory
        self.all = []

    def run(self, batch, *words):
        done = subprocess.run([self.fathom, "stream", "graph.fg", "--updates", f"updates-{batch}.txt", "--batch", str(batch),
                               *words, "--json"], cwd=self.directory, check=True, capture_output=True)
        report = json.loads(done.stdout)
        self.all.append({"command": f"fathom stream graph.fg --updates updates-{batch}.txt --batch {batch} {' '.join(words)}",
                         **{key: report.get(key) for key in ("seconds", "apply_seconds", "updates", "log")}})
        return report

    def fresh(self, batch, way):
        shutil.rmtree(self.directory / "log", ignore_errors=True)
        return self.run(batch, *WAYS[way])

    def row(self, batch, rounds):
        """Medians over rounds, each of which runs every way."""
        seconds, bytes_, recovery = {way: [] for way in WAYS}, 0, []
        for _ in range(rounds):
            for way in WAYS:
                report = self.fresh(batch, way)
                seconds[way].append(report["seconds"])
            bytes_ = report["log"]["bytes"]  # of the last way
            again = self.run(batch, *WAYS["synced"])["log"]["recovered"]
            recovery.append(again["seconds"])
        updates = report["updates"]
        return {"batch": batch, "updates": updates,
                "per_second": {way: updates / statistics.median(seconds[way]) for way in WAYS},
                "ratio": {way: statistics.median(s / n for n, s in zip(seconds["none"], seconds[way]))
                          for way in list(WAYS)[1:]},
                "bytes_per_update": bytes_ / updates,
                "text_bytes_per_update": (self.directory / f"updates-{batch}.txt").stat().st_size / updates,
                "recovery_seconds": statistics.median(recovery), "recovery_per_second": updates / statistics.median(recovery)}

    def base(self):
        """A base of the graph, and how long the stream stands still for it."""
        shutil.rmtree(self.directory / "log", ignore_errors=True)
        report = self.run(1_000_000, "--log", "log", "--log-size", "1KiB")["log"]
        return {"bases": report["bases"], "seconds_each": report["base_seconds"] / report["bases"],
                "bytes": next((self.directory / "log").glob("base-*.fg")).stat().st_size}


def page(result):
    """For bench/report.py."""
    lines = ["## What a log costs a stream", "",
             f"`{result['command']}`, on {result['machine']}. Updates per second of `fathom stream`, which reads and parses text, "
             f"applies batches and, with `--log`, writes them; medians of {result['rounds']} rounds, in each of which all run in "
             "turn, and the medians of their ratios to the time without a log.", "",
             "| batch | no log, updates/s | `--sync none` | time | `--sync 16` | time | `--sync 1` | time | bytes of an update | as text | "
             "recovered, updates/s |", "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in result["rows"]:
        rates = " | ".join(f"{row['per_second'][way]:,.0f} | {row['ratio'][way]:.2f}" for way in list(WAYS)[1:])
        lines.append(f"| {row['batch']:,} | {row['per_second']['none']:,.0f} | {rates} | "
                     f"{row['bytes_per_update']:.1f} | {row['text_bytes_per_update']:.1f} | {row['recovery_per_second']:,.0f} |")
    base = result["base"]
    return [*lines, "", f"A base of the graph then, {base['bytes'] / 1e6:.0f} MB, takes {base['seconds_each']:.2f} s, in which no "
            "batch is applied. Recovery reads and checks the graph too."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--machine", default="this machine", help="in words, for the page")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.fathom, "generate", "rmat", "--scale", str(SCALE), "--seed", "1", "-q", "-o",
                    options.directory / "graph.fg"], check=True)
    dice = random.Random(1)
    for batch, updates in BATCHES.items():
        with open(options.directory / f"updates-{batch}.txt", "w", encoding="ascii") as file:
            file.writelines(f"+ {dice.randrange(1 << SCALE)} {dice.randrange(1 << SCALE)}\n" for _ in range(updates))
    streams = Streams(options)
    result = {"benchmark": "stream_log", "command": f"bench/stream_log.py FATHOM DIR --rounds {options.rounds}",
              "machine": options.machine, "rounds": options.rounds,
              "rows": [streams.row(batch, options.rounds) for batch in BATCHES], "base": streams.base(), "runs": streams.all}
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
