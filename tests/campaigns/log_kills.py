#!/usr/bin/env python3
"""Ends `fathom stream --log` by SIGKILL over and over, while it writes, waits for the disk, writes a new base, begins its log
anew and recovers, and goes on each time; in the end the graph has to be the one of a run that nobody ended.

    tests/campaigns/log_kills.py build/release/fathom fault_io.so --kills 1000

Moments are drawn by the clock, at calls of the system, and in the middle of a write (fault_io.so is built with the tests,
tests/campaigns/fault_io.cpp). Sizes of batches and of the log, and how often it is synced, are drawn anew for every run.
With --each, every call of one run, and the middle of every write, ends a run once instead, and nothing is drawn.
Prints counts: what was hit, and what the next runs found.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

# How a graph begins, and what its updates are like.
KINDS = {
    "weighted": "graph.fg --updates weighted.txt --duplicates keep",
    "semantic": "--empty --semantic --updates semantic.txt",
}
LINES = 700
RECOVERED = re.compile(r"log: recovered ([\d,]+) batches, .* from \S+?(?:, and the graph after batch ([\d,]+) .*)?, in ")


def number(text):
    return int(text.replace(",", "")) if text else 0


def lines_of(kind, dice):
    """Updates of every sort; what is applied twice, or not at all, shows."""
    name = "word{}" if kind == "semantic" else "{}"

    def vertex():
        return name.format(dice.randrange(120))

    for _ in range(LINES):
        sort = dice.randrange(12)
        if sort == 0:
            yield f"-v {vertex()}"
        elif sort == 1:
            yield f"+v {vertex()} {dice.randrange(9)}.5 {dice.randrange(9)}"
        elif sort < 4:
            yield f"- {vertex()} {vertex()}"
        elif kind == "semantic":
            yield f"+ {vertex()} {vertex()} {dice.randrange(9)} {dice.randrange(9)} {dice.randrange(99)} {1 << 63}"
        else:
            yield f"+ {vertex()} {vertex()} {dice.randrange(9)}.25"


class Killed:
    """A directory with a graph, updates and a log, and the program that is killed in it."""

    def __init__(self, program, injector):
        self.program, self.injector = os.path.abspath(program), injector
        self._scratch = tempfile.TemporaryDirectory(prefix="fathom-log-kills-")
        self.root = pathlib.Path(os.path.realpath(self._scratch.name))
        self.note = pathlib.Path(f"{self.root}.note")
        dice = random.Random(1)
        (self.root / "edges.txt").write_text("".join(
            f"{dice.randrange(150)} {dice.randrange(150)} {dice.randrange(9)}\n" for _ in range(800)))
        self.run("convert edges.txt -o graph.fg -q --third-column weight".split(), check=True)
        self.known = {}
        for kind in KINDS:
            (self.root / f"{kind}.txt").write_text("".join(f"{line}\n" for line in lines_of(kind, dice)))
            self.run(self.last(kind), check=True)
            self.known[kind] = (self.root / "out.fg").read_bytes()
            self.forget()

    def close(self):
        self.note.unlink(missing_ok=True)
        self._scratch.cleanup()

    def run(self, words, check=False, **environment):
        return subprocess.run([self.program, *words], cwd=self.root, check=check, capture_output=True, text=True,
                              timeout=120, env={**os.environ, **{k: str(v) for k, v in environment.items()}})

    def forget(self):
        for path in (self.root / "log").glob("*"):
            path.unlink()
        (self.root / "log").rmdir()

    def last(self, kind):
        """The command whose output is compared."""
        return ["stream", *KINDS[kind].split(), "--log", "log", "--batch", "10", "-q", "-o", "out.fg"]

    def run_to(self, kind, way, at):
        """Runs the stream to a call of the system, 0: to its end. @return how it ended; the call's number and its name"""
        self.note.unlink(missing_ok=True)
        done = self.run(["stream", *KINDS[kind].split(), "--log", "log", "--batch", "10", "--log-size", "3KiB", "--every", "1",
                         "cc"], LD_PRELOAD=self.injector, FAULT_DIR=self.root, FAULT_KIND=way, FAULT_AT=at,
                        FAULT_LOG=self.note)
        return done, self.note.read_text().split(" ", 1)

    def calls(self, kind, way):
        """How many calls of the system a run makes that it can be killed at."""
        noted = self.run_to(kind, way, 0)[1]
        self.forget()
        return int(noted[0])

    def interrupted_run(self, kind, way, most, dice):
        """Starts the stream with other numbers, and ends it somewhere. @return exit status, what it said, what was hit"""
        words = ["stream", *KINDS[kind].split(), "--log", "log", "--batch", str(dice.randrange(3, 20)),
                 "--log-size", dice.choice(["1KiB", "3KiB", "9KiB"]), "--sync", dice.choice(["1", "1", "3", "none"]),
                 "--every", "1", "cc"]
        if way == "clock":
            with subprocess.Popen([self.program, *words], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                time.sleep(dice.uniform(0, most))
                process.kill()
                out, error = process.communicate()
            return process.returncode, out, error, "the clock"
        self.note.unlink(missing_ok=True)
        done = self.run(words, LD_PRELOAD=self.injector, FAULT_DIR=self.root, FAULT_KIND=way,
                        FAULT_AT=dice.randrange(1, int(most) + 1), FAULT_LOG=self.note)
        hit = self.note.read_text().split(" ", 1)[1].strip() if self.note.exists() else "nothing"
        return done.returncode, done.stdout, done.stderr, f"half of a {hit}" if way == "tear" else hit


def life(place, kind, most, dice, count):
    """Kills and goes on until a run comes to its end. @return why it was wrong, or None"""
    counted = 0  # batches that a run has spoken of
    while True:
        way = dice.choice(list(most))
        # Often early: while it recovers, or soon after.
        limit = most[way] if dice.randrange(3) else most[way] / 8 + 1e-3
        status, out, error, hit = place.interrupted_run(kind, way, max(limit, 0.01 if way == "clock" else 1), dice)
        said = RECOVERED.search(out)
        if out.startswith("log: recovered") and not said:
            return f"said {out.splitlines()[0]}"
        if said:
            recovered = number(said[1]) + number(said[2])
            if recovered < counted:
                return f"recovered {recovered} batches, of {counted} that counted"
            count["recovered, behind a base" if said[2] else "recovered"] += 1
        elif out and counted:
            return f"recovered nothing, of {counted} batches that counted"
        count["torn ends cut off"] += "log: cut off" in out
        batches = re.findall(r"^batch ([\d,]+): ", out, re.MULTILINE)
        counted = max([counted, *map(number, batches)])
        if status == 0:
            break
        if status != -9:
            return f"exit {status}: {error}"
        count["kills"] += 1
        count[f"  at {hit}"] += 1
    count["lives"] += 1
    return ends_wrong(place, kind)


def ends_wrong(place, kind):
    """Goes on to the end. @return why it was wrong, or None"""
    done = place.run(place.last(kind))
    if done.returncode != 0:
        return f"the last run: exit {done.returncode}: {done.stderr}"
    if (place.root / "out.fg").read_bytes() != place.known[kind]:
        return "the graph is another one"
    left = sorted(path.name for path in (place.root / "log").iterdir())
    return f"left {left}" if len(left) > 3 else None


def each_call(program, injector):
    """Ends a run at every call it makes. @return counts, and what was wrong"""
    place, count, wrong = Killed(program, injector), collections.Counter(), []
    for kind in KINDS:
        for way in ("kill", "tear"):
            for at in range(1, place.calls(kind, way) + 1):
                done, (_, call) = place.run_to(kind, way, at)
                if done.returncode != -9:
                    wrong.append(f"{kind}, {way} {at}: exit {done.returncode}: {done.stderr}")
                said = len(re.findall(r"^batch ", done.stdout, re.MULTILINE))
                again = place.run([*place.last(kind), "--json"])
                recovered = json.loads(again.stdout)["log"]["recovered"] if again.returncode == 0 else None
                why = ends_wrong(place, kind)
                if why or recovered["base_batches"] + recovered["batches"] < said:
                    wrong.append(f"{kind}, {way} {at}, {call.strip()}: {why or 'lost what counted'}")
                count["kills"] += 1
                count["torn ends cut off"] += bool(recovered and recovered["cut_bytes"])
                count[f"  at {'half of a ' if way == 'tear' else ''}{call.strip()}"] += 1
                if (place.root / "log").exists():
                    place.forget()
    place.close()
    return count, wrong


def campaign(program, injector, kills, seed):
    """@return counts, and what was wrong"""
    place, count, wrong = Killed(program, injector), collections.Counter(), []
    most = {}
    for kind in KINDS:
        began = time.monotonic()
        most[kind] = {"kill": place.calls(kind, "kill"), "tear": place.calls(kind, "tear")}
        most[kind]["clock"] = (time.monotonic() - began) / 2
    round_ = 0
    while count["kills"] < kills and len(wrong) < 5:
        kind = list(KINDS)[round_ % len(KINDS)]
        why = life(place, kind, most[kind], random.Random(f"{seed} {round_}"), count)
        if why:
            wrong.append(f"{kind}, life {round_}: {why}")
        place.forget()
        round_ += 1
    place.close()
    return count, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("injector")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="at every call once")
    options = parser.parse_args()
    injector = os.path.abspath(options.injector)
    if options.each:
        count, wrong = each_call(options.program, injector)
    else:
        count, wrong = campaign(options.program, injector, options.kills, options.seed)
    for what, times in count.items():
        if not what.startswith("  at "):
            print(f"{what:32}{times:6}")
    for what, times in sorted(count.items()):
        if what.startswith("  at "):
            print(f"{what:32}{times:6}")
    print(f"{'wrong':32}{len(wrong):6}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
