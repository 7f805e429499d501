#!/usr/bin/env python3
"""Runs the GPU's tests in one command: whole, a tier of 90 s, or every case there is.

    tests/cuda/run.py build/cuda/tests/test_cuda [--tier whole|smoke|every] [--turn N]
                      [--seconds 480] [-o FILE]

The zoo (every algorithm on every graph in every configuration) is one process whose threads run
configurations at the same time; the other tests are dealt to a few more, after those that must
have the card to themselves. Of the zoo's cases the whole tier takes one of 4, and smoke one of 20,
by a pairwise choice (tests/cuda/zoo_on_gpus.hpp): --turn 0 to 3 (19) are different ones, and
together all of them. Of the other tests smoke takes one in six, whole all. Prints the
counts, what failed and what took longest; -o writes them as JSON. Exits with 1 when a test failed,
a process died, or the time was over.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

# What the driver says is free is compared with a budget.
ALONE = "WithGpu.WhatTheDriverSaysIsTakenAgreesWithTheBudget"
ENDED = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:, where .*)? \((\d+) ms\)$")
STARTED = re.compile(r"^\[ RUN +\] (\S+)$")


class Part:
    """One process: what it ran, and what it was at when it ended."""

    def __init__(self, name, command, env, log):
        self.name, self.log = name, log
        self.running, self.results = None, []  # (outcome, test, milliseconds)
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.STDOUT, errors="replace")
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        with open(self.log, "w") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                if found := STARTED.match(line):
                    self.running = found[1]
                elif found := ENDED.match(line):
                    self.running = None
                    self.results.append((found[1], found[2], int(found[3])))

    def wait(self, until):
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
            ended = f"exit {self.process.returncode}" if self.process.returncode not in (0, 1) else ""
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            ended = "out of time"
        self.reader.join()
        return f"{self.name}: {ended}, at {self.running}" if ended else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("binary")
    parser.add_argument("--tier", choices=("whole", "smoke", "every"), default="whole")
    parser.add_argument("--turn", type=int, default=0, help="another choice of the tier's cases")
    parser.add_argument("--shards", type=int, default=3, help="processes beside the zoo's")
    parser.add_argument("--seconds", type=int, default=480)
    parser.add_argument("--logs", help="where to keep the logs")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    began = time.monotonic()
    until = began + options.seconds
    smoke = options.tier == "smoke"
    logs = pathlib.Path(options.logs or tempfile.mkdtemp(prefix="fathom-gpu-tests-"))
    logs.mkdir(parents=True, exist_ok=True)
    times = logs / "cases.csv"
    times.unlink(missing_ok=True)
    env = dict(os.environ, FATHOM_GPU_TIER=options.tier, FATHOM_GPU_TIMES=str(times),
               FATHOM_GPU_TURN=str(options.turn))
    alone = Part("alone", [options.binary, "--gtest_filter=" + ALONE], env, logs / "alone.log")
    troubles = [alone.wait(until)]
    parts = [Part("zoo", [options.binary, "--gtest_filter=Zoo/*"], env, logs / "zoo.log")]
    of = options.shards * (6 if smoke else 1)
    for i in range(options.shards):
        shard = dict(env, GTEST_TOTAL_SHARDS=str(of), GTEST_SHARD_INDEX=str(i))
        parts.append(Part(f"others {i}", [options.binary, "--gtest_filter=-Zoo/*:" + ALONE], shard,
                          logs / f"others{i}.log"))
    troubles = [t for t in troubles + [part.wait(until) for part in parts] if t]
    parts.append(alone)
    results = [r for part in parts for r in part.results]
    cases = [line.rsplit(",", 1) for line in times.read_text().splitlines()] if times.exists() else []
    of_zoo = {test for _, test, _ in parts[0].results}
    count = {outcome: sum(1 for r in results if r[0] == outcome)
             for outcome in ("OK", "FAILED", "SKIPPED")}
    summary = {
        "command": "tests/cuda/run.py " + " ".join(sys.argv[1:]), "tier": options.tier,
        "seconds": round(time.monotonic() - began, 1), "tests": len(results),
        "cases": len(cases) + len(results) - len(of_zoo), "passed": count["OK"],
        "failed": sorted({r[1] for r in results if r[0] == "FAILED"}),
        "skipped": sorted({r[1] for r in results if r[0] == "SKIPPED"}), "troubles": troubles,
        "seconds_of_parts": {p.name: round(sum(r[2] for r in p.results) / 1e3, 1) for p in parts}}
    by_check, by_where = {}, {}
    for case, seconds in cases:
        _, check, where = case.split(",")
        by_check[check] = by_check.get(check, 0) + float(seconds)
        by_where[where] = by_where.get(where, 0) + float(seconds)
    for title, rows in (("cases", [(case, float(s)) for case, s in cases]),
                        ("checks", by_check.items()), ("configurations", by_where.items()),
                        ("other tests", [(t, ms / 1e3) for _, t, ms in results if t not in of_zoo])):
        longest = sorted(rows, key=lambda row: -row[1])[:12]
        print(f"longest {title}:")
        for name, seconds in longest:
            print(f"  {seconds:9.2f} s  {name}")
    for name in summary["failed"]:
        print("FAILED", name)
    for trouble in troubles:
        print("TROUBLE", trouble)
    print(f"{summary['tier']}: {summary['tests']} tests, {summary['cases']} cases in "
          f"{summary['seconds']} s: {count['OK']} passed, {len(summary['failed'])} failed, "
          f"{count['SKIPPED']} skipped; logs in {logs}")
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(summary, indent=1) + "\n")
    return 1 if summary["failed"] or troubles else 0


if __name__ == "__main__":
    sys.exit(main())
