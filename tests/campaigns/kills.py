#!/usr/bin/env python3
"""Ends every writing command by SIGKILL, at moments drawn by the clock and at drawn calls on files,
with and without an older output; looks at what is left, and whether the next run takes it away.

    tests/campaigns/kills.py build/release/fathom fault_io.so --runs 1000

fault_io.so is built with the tests (tests/campaigns/fault_io.cpp). Prints a line per command.
"""

import argparse
import collections
import concurrent.futures
import random
import sys
import threading
import time

from commands import WRITING, Place, temporary_of


def calls_of(place, name, injector, kind="kill"):
    """How many calls on files the command makes that a fault of the kind applies to."""
    place.clear()
    place.log.unlink(missing_ok=True)
    place.run(name, LD_PRELOAD=injector, FAULT_DIR=place.root, FAULT_KIND=kind, FAULT_LOG=place.log)
    return int(place.log.read_text().split()[0])


def judge(place, name, replaces, nameless):
    """Why what a killed command left is not allowed; None when it is. Then whether it left a name."""
    outputs = place.words(name)[1]
    left = place.left()
    names = [entry for entry in left if temporary_of(entry, outputs)]
    strange = [entry for entry in left if entry not in outputs and entry not in names]
    if strange:
        return f"left {strange}", True
    for file in outputs:
        path = place.out / file
        if path.exists() and not (replaces and path.read_bytes() == b"old") and not place.is_whole(name, file):
            return f"{file} is there and not whole", bool(names)
        if replaces and not path.exists():
            return f"{file} is gone", bool(names)
    # A checkpoint is replaced by the run that wrote it.
    of_new = [entry for entry in names if not temporary_of(entry, ["c.fg"])]
    if of_new and nameless and not replaces:
        return f"a new output left {of_new}", True
    if len(names) > 1 and nameless:
        return f"left {names}", True
    return None, bool(names)


def check_next(place, name):
    """Why the run after a killed one is wrong; None when it is right."""
    status, _, error = place.run(name)
    outputs = place.words(name)[1]
    if status != 0:
        return f"the next run: exit {status}: {error.decode(errors='replace')}"
    if place.left() != sorted(outputs):
        return f"the next run left {place.left()}"
    if not all(place.is_whole(name, file) for file in outputs):
        return "the next run wrote something else"
    return None


def campaign(place, name, runs, injector, dice, check_every=25, nameless=True):
    """Counts of outcomes, and a list of failures."""
    count, failures = collections.Counter(), []
    place.learn(name)
    calls = calls_of(place, name, injector)
    began = time.monotonic()
    place.clear()
    place.run(name)
    seconds = time.monotonic() - began
    outputs = place.words(name)[1]
    for i in range(runs):
        replaces, by_clock = i % 2 == 1, i % 4 < 2
        place.clear(outputs if replaces else ())
        at = 0
        if by_clock:
            with place.start(name, **({} if nameless else refusing(place, injector))) as process:
                time.sleep(dice.uniform(0, seconds))
                process.kill()
                process.communicate()
            status = process.returncode
        else:
            at = dice.randrange(1, calls + 1)
            status, _, _ = place.run(name, LD_PRELOAD=injector, FAULT_DIR=place.root, FAULT_KIND="kill", FAULT_AT=at)
        count["killed" if status == -9 else "ended first"] += 1
        if status not in (-9, 0):
            failures.append(f"{name}: exit {status}")
        wrong, named = judge(place, name, replaces, nameless)
        count["outputs there"] += any((place.out / f).exists() and (place.out / f).read_bytes() != b"old"
                                      for f in outputs)
        count["names left"] += named
        if wrong is None and (named or i % check_every == 0):
            wrong = check_next(place, name)
            count["next runs"] += 1
        if wrong:
            failures.append(f"{name}, run {i}, {'replacing' if replaces else 'new'}, call {at}: {wrong}")
    return count, failures


def refusing(place, injector):
    """As on a file system without files without names."""
    return {"LD_PRELOAD": injector, "FAULT_DIR": place.root, "FAULT_KIND": "refuse", "FAULT_AT": 1,
            "FAULT_STAYS": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("injector")
    parser.add_argument("--runs", type=int, default=1000, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=WRITING, metavar="COMMAND")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    first = Place(options.program)
    local = threading.local()
    places = [first]

    def work(name):
        if not hasattr(local, "place"):
            local.place = Place(options.program, first)
            places.append(local.place)
        return campaign(local.place, name, options.runs, options.injector, random.Random(f"{options.seed}{name}"))

    total, wrong = collections.Counter(), []
    columns = ["killed", "ended first", "outputs there", "names left", "next runs"]
    print(f"{'command':18}", *(f"{c:>14}" for c in columns), "failures", sep="  ")
    with concurrent.futures.ThreadPoolExecutor(options.workers) as team:
        for name, (count, failures) in zip(options.only, team.map(work, options.only)):
            print(f"{name:18}", *(f"{count[c]:14}" for c in columns), len(failures), sep="  ", flush=True)
            total.update(count)
            wrong += failures
    print(f"{'all':18}", *(f"{total[c]:14}" for c in columns), len(wrong), sep="  ")
    for line in wrong[:20]:
        print(line)
    for place in places:
        place.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
