#!/usr/bin/env python3
"""How fast a stream takes its updates: `bench/stream_input.py FATHOM DIR -o bench/results/MACHINE/stream_input.json`.

Streams random updates, a quarter of them deletions, into a uniform graph, as lines and as records, from a file and through
a pipe, in turn; with --before by an earlier program too, as lines, and with --every also with an algorithm after every
batch. Writes every run; `bench/report.py` makes the page.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess


def make_updates(options):
    """Lines, and records of them."""
    dice, n = random.Random(1), 1 << options.scale
    with open(options.directory / "updates.txt", "w", encoding="ascii") as file:
        for first in range(0, options.updates, 100_000):
            drawn = memoryview(dice.randbytes(12 * min(100_000, options.updates - first))).cast("I")
            file.writelines(f"{'+' if d & 3 else '-'} {u % n} {v % n}\n"
                            for u, v, d in zip(drawn[0::3], drawn[1::3], drawn[2::3]))
    subprocess.run([options.fathom, "convert", "updates.txt", "-o", "updates.fgu", "-q"], cwd=options.directory, check=True)


def run(options, program, way, batch, every):
    form, piped = way
    file = {"lines": "updates.txt", "records": "updates.fgu"}[form]
    words = ["stream", "graph.fg", "--updates", "-" if piped else file, "--batch", str(batch), "--device", options.device,
             *every, "--json"]
    if options.threads:
        words += ["--threads", str(options.threads)]
    cat = subprocess.Popen(["cat", file], cwd=options.directory, stdout=subprocess.PIPE) if piped else None
    done = subprocess.run([program, *words], cwd=options.directory, stdin=cat.stdout if cat else None, check=True,
                          capture_output=True)
    report = json.loads(done.stdout)
    return {key: report[key] for key in ("seconds", "apply_seconds", "updates", "device", "threads")}


def page(result):
    """For bench/report.py."""
    lines = ["## How fast a stream takes its updates", "",
             f"`{result['command']}`, on {result['machine']}. {result['updates'] / 1e6:.0f} M random updates, a quarter of them "
             f"deletions, of a uniform graph of scale {result['scale']}; on {result['device']}, {result['threads']} threads. Medians "
             f"of {result['rounds']} rounds, in each of which all run in turn.", "",
             "| batch | updates | after every batch | all, s | applying, s | M updates/s | M/s but for applying |",
             "| ---: | --- | --- | ---: | ---: | ---: | ---: |"]
    for row in result["rows"]:
        rest = row["seconds"] - row["apply_seconds"]
        beside = f"{result['updates'] / 1e6 / rest:.1f}" if not row["every"] else ""
        lines.append(f"| {row['batch']:,} | {row['updates']} | {row['every']} | {row['seconds']:.3f} | {row['apply_seconds']:.3f} | "
                     f"{result['updates'] / 1e6 / row['seconds']:.1f} | {beside} |")
    return [*lines, *([""] if result.get("notes") else []), *result.get("notes", [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--before", type=pathlib.Path, help="an earlier program, that reads lines alone")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--updates", type=int, default=4_000_000)
    parser.add_argument("--batches", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--every", nargs="+", default=[], help="algorithms to follow too")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--machine", default="this machine", help="in words, for the page")
    options = parser.parse_args()
    options.fathom = options.fathom.resolve()
    options.directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.fathom, "generate", "uniform", "--scale", str(options.scale), "--edge-factor", "8", "--seed", "1", "-q",
                    "-o", options.directory / "graph.fg"], check=True)
    make_updates(options)
    follow = ["--every", "1", *options.every, "--incremental"]
    ways = [(options.fathom, ("lines", False), []), (options.fathom, ("lines", True), []),
            (options.fathom, ("records", False), []), (options.fathom, ("records", True), [])]
    if options.before:
        ways.insert(0, (options.before.resolve(), ("lines", False), []))
    if options.every:
        ways.append((options.fathom, ("records", True), follow))
    rows, runs, report = [], [], {}
    for batch in options.batches:
        seen = {i: [] for i in range(len(ways))}
        for _ in range(options.rounds):
            for i, (program, way, every) in enumerate(ways):
                report = run(options, program, way, batch, every)
                seen[i].append(report)
        for i, (program, (form, piped), every) in enumerate(ways):
            name = form + (", piped" if piped else "") + (", before" if program != options.fathom else "")
            rows.append({"batch": batch, "updates": name, "every": " ".join(options.every) if every else "",
                         **{key: statistics.median(r[key] for r in seen[i]) for key in ("seconds", "apply_seconds")}})
            runs.append({"batch": batch, "updates": name, "every": every, "runs": seen[i]})
    result = {"benchmark": "stream_input", "machine": options.machine, "rounds": options.rounds, "scale": options.scale,
              "command": f"bench/stream_input.py FATHOM DIR --device {options.device} --rounds {options.rounds} --updates {options.updates}",
              "updates": options.updates, "device": report["device"], "threads": report["threads"], "rows": rows, "runs": runs}
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
