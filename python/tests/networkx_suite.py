#!/usr/bin/env python3
"""Runs NetworkX's own tests through the backend, and prints which calls ran here and which were
refused: networkx_suite.py [ARGUMENTS OF PYTEST...]. Fails when a test does, when a function of the
backend never ran, or when less than 95 % of the calls that were brought to it did.
"""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LEAST_SHARE = 0.95
# What none of NetworkX's tests calls through the dispatch.
UNTESTED: frozenset[str] = frozenset()


def run_tests(arguments: list[str], counts: str) -> int:
    package = importlib.util.find_spec("networkx")
    assert package and package.submodule_search_locations
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "nx_counts"]
    # A place of its own: the settings of this project's tests are not NetworkX's.
    command += ["--rootdir", package.submodule_search_locations[0], "-c", os.devnull]
    return subprocess.run(
        [*command, "-n", "2", "--dist", "worksteal", *arguments, "--pyargs", "networkx"],
        env={
            **os.environ,
            "NETWORKX_TEST_BACKEND": "fathom",
            "NETWORKX_FALLBACK_TO_NX": "True",
            "FATHOM_NX_COUNTS": counts,
            "PYTHONPATH": os.pathsep.join(
                [str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
            ),
        },
    ).returncode


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        status = run_tests(sys.argv[1:], place)
        ran: collections.Counter[str] = collections.Counter()
        refused: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        for file in pathlib.Path(place).glob("*.json"):
            counts = json.loads(file.read_text())
            ran.update(counts["ran"])
            for name, reasons in counts["refused"].items():
                refused[name].update(reasons)
    from fathom.nx import interface

    print(f"{'function':40} {'ran':>7} {'refused':>8}  why")
    for name in interface.FUNCTIONS:
        reasons = refused[name]
        why = "; ".join(f"{reason} ({n})" for reason, n in reasons.most_common(3))
        print(f"{name:40} {ran[name]:7} {reasons.total():8}  {why[:120]}")
    missing = [n for n in interface.FUNCTIONS if ran[n] == 0 and n not in UNTESTED]
    here = sum(ran[name] for name in interface.FUNCTIONS)
    brought = here + sum(refused[name].total() for name in interface.FUNCTIONS)
    share = here / max(1, brought)
    print(f"{len(interface.FUNCTIONS)} functions, {here} of {brought} calls ran here ({share:.1%})")
    if missing:
        print("never ran:", ", ".join(missing))
    return status or int(bool(missing) or share < LEAST_SHARE)


if __name__ == "__main__":
    sys.exit(main())
