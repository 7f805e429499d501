#!/usr/bin/env python3
"""Runs commands while the operating system fails: a right answer, or exit 74 with a message that
names a file; nothing else left, no hang, no crash.

    tests/campaigns/faults.py build/release/fathom fault_io.so --runs 10000

Faults (tests/campaigns/fault_io.cpp): one call of a kind, or every call from one on; and short and
interrupted calls everywhere, which no answer may notice. Prints counts by fault and by command.
With a program built with the address sanitizer, --preload names its runtime.
"""

import argparse
import collections
import concurrent.futures
import random
import re
import sys
import threading

from commands import COMMANDS, Place

SINGLE = ["eio", "enospc", "eintr", "short", "refuse"]
# What may not change an answer, wherever it happens.
HARMLESS = {"eintr", "short", "refuse"}


class Faults:
    """One place where commands meet faults."""

    def __init__(self, place, injector, preload=""):
        self.place = place
        self.preload = f"{preload} {injector}".strip()
        self.calls = {}

    def environment(self, kind, **more):
        return {"LD_PRELOAD": self.preload, "FAULT_DIR": self.place.root, "FAULT_KIND": kind,
                "FAULT_LOG": self.place.log, **more}

    def count(self, name, kind):
        """Calls of the command that the kind applies to."""
        if (name, kind) not in self.calls:
            if name not in self.place.known:
                self.place.learn(name)
            self.place.clear()
            self.place.log.unlink(missing_ok=True)
            status, _, error = self.place.run(name, **self.environment(kind))
            if status != 0:
                raise AssertionError(f"{name}: exit {status}: {error.decode(errors='replace')}")
            self.calls[name, kind] = int(self.place.log.read_text().split()[0])
        return self.calls[name, kind]

    def once(self, name, kind, way, number):
        """Runs the command with a fault. The outcome, and what is wrong with it or None."""
        self.count(name, kind)
        plan = {"one": {"FAULT_AT": number}, "from": {"FAULT_AT": number, "FAULT_STAYS": 1},
                "often": {"FAULT_EVERY": 3, "FAULT_SEED": number}}[way]
        self.place.clear()
        self.place.log.unlink(missing_ok=True)
        status, out, error = self.place.run(name, **self.environment(kind, **plan))
        shown = error.decode(errors="replace").strip()
        hit = self.place.log.read_text().split(" ", 1)[1].strip() if self.place.log.exists() else "nothing"
        return self.outcome(name, kind, status, out, shown, hit)

    def outcome(self, name, kind, status, out, shown, hit):
        known_out, files = self.place.known[name]
        left = self.place.left()
        if status is None:
            return "hung", f"hung after {hit}"
        if "Sanitizer" in shown or "runtime error" in shown:
            return "report", shown
        if status == 0:
            if shown:
                return "wrong", f"exit 0 and says {shown}"
            if left != sorted(files) or not all(self.place.is_whole(name, f) for f in files):
                return "wrong", f"{hit}: exit 0 with {left}"
            same = files or without_times(out) == without_times(known_out)
            return ("right", None) if same else ("wrong", f"{hit}: printed something else")
        if status != 74:
            return "wrong", f"{hit}: exit {status}: {shown}"
        asked_for = kind == "refuse" and "--io uring" in COMMANDS[name]
        if kind in HARMLESS and not asked_for:
            return "wrong", f"{hit}: {kind}, but {shown}"
        if not shown.startswith("fathom: ") or not names_something(shown):
            return "wrong", f"{hit}: a message without a file: {shown}"
        # Of several outputs the first may be there, whole.
        if not all(f in files and self.place.is_whole(name, f) for f in left):
            return "wrong", f"{hit}: exit 74 and {left}: {shown}"
        return "exit 74", None


def without_times(text):
    return re.sub(rb"checked in .*", b"", text)


def names_something(message):
    """Whether a message names a file, or the ring."""
    return any(word in message for word in ("/", ".fg", ".tsv", ".csv", ".npy", ".json", ".txt", "io_uring"))


def draws(dice, faults, name, runs):
    """Faults of one command."""
    for _ in range(runs):
        way = dice.choice(["one", "one", "one", "from", "often"])
        kind = dice.choice(["eintr", "short"] if way == "often" else
                           ["eio", "enospc", "refuse"] if way == "from" else SINGLE)
        calls = faults.count(name, kind)
        if calls == 0:
            kind = "eio"
            calls = faults.count(name, kind)
            way = "one"
        yield kind, way, dice.randrange(1, 1 << 30) if way == "often" else dice.randrange(1, calls + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("injector")
    parser.add_argument("--runs", type=int, default=10000, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=list(COMMANDS), metavar="COMMAND")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--preload", default="", help="a library that comes before")
    options = parser.parse_args()
    first = Place(options.program)
    local = threading.local()
    places = [first]
    each = -(-options.runs // len(options.only))

    def work(name):
        if not hasattr(local, "faults"):
            places.append(Place(options.program, first))
            local.faults = Faults(places[-1], options.injector, options.preload)
        count, wrong = collections.Counter(), []
        for kind, way, number in draws(random.Random(f"{options.seed}{name}"), local.faults, name, each):
            result, why = local.faults.once(name, kind, way, number)
            count[f"{way} {kind}", result] += 1
            if why:
                wrong.append(f"{name}, {kind} {way} {number}: {why}")
        return count, wrong

    total, all_wrong = collections.Counter(), []
    results = ["right", "exit 74", "wrong", "hung", "report"]
    head = "".join(f"{r:>9}" for r in results)
    print(f"{'command':18}{'runs':>9}{head}")
    with concurrent.futures.ThreadPoolExecutor(options.workers) as team:
        for name, (count, wrong) in zip(options.only, team.map(work, options.only)):
            by_result = collections.Counter()
            for (_, result), n in count.items():
                by_result[result] += n
            print(f"{name:18}{sum(count.values()):9}" + "".join(f"{by_result[r]:9}" for r in results), flush=True)
            total.update(count)
            all_wrong += wrong
    print(f"\n{'fault':18}{'runs':>9}{head}")
    for fault in sorted({f for f, _ in total}):
        of_fault = [total[fault, r] for r in results]
        print(f"{fault:18}{sum(of_fault):9}" + "".join(f"{n:9}" for n in of_fault))
    print(f"{'all':18}{sum(total.values()):9}" +
          "".join(f"{sum(n for (_, x), n in total.items() if x == r):9}" for r in results))
    for line in all_wrong[:40]:
        print(line)
    for place in places:
        place.close()
    return 1 if all_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
