#!/usr/bin/env python3
"""Compares a program with NetworkX and SciPy on random graphs, every algorithm that these have.

    compare.py --reference build/release/tests/reference_main
    compare.py --binary build/release/fathom

Exit codes: 0 equal, 1 different, 77 nothing to compare (the program has none of the algorithms).
"""

import argparse
import collections
import math
import sys
import tempfile

import oracle
import programs


def checks(program, case):
    """(what, arguments) of every comparison that makes sense for the graph."""
    n = case.vertices
    if hasattr(program, "edges"):
        yield "edges", {}
    yield "bfs", {"sources": [0]}
    yield "bfs", {"sources": [0, n // 2, n - 1]}
    yield "sssp", {"source": n // 2}
    yield "cc", {}
    yield "tc", {}
    yield "kcore", {}
    yield "harmonic", {}
    yield "pagerank", {}
    yield "pagerank", {"weighted": True}
    yield "pagerank", {"personalization": {0: 1.0, n - 1: 2.5}}
    yield "pagerank_dropping", {}
    yield "bc", {}
    yield "bc", {"normalized": False}
    yield "bc_from", {"sources": sorted({0, n // 3, n - 1})}
    if case.weighted and not case.has_zero_weights():  # NetworkX does not define zero weights
        yield "bc", {"weighted": True}


def difference(actual, expected, relative):
    """None, or the first position where the lists differ. Finite floats may be off by `relative`
    times the largest; everything else must be equal."""
    if len(actual) != len(expected):
        return f"{len(actual)} values instead of {len(expected)}"
    rounded = [isinstance(e, float) and math.isfinite(e) for e in expected]
    allowed = relative * max((abs(e) for e, r in zip(expected, rounded) if r), default=0)
    for position, (a, e) in enumerate(zip(actual, expected)):
        if a != e and not (rounded[position] and abs(a - e) <= allowed):
            return f"{position}: {a!r} instead of {e!r}"
    return None


def compare(program, seed, rounds):
    """Counts by outcome; prints every difference."""
    counts = collections.Counter()
    for case in program.cases(seed, rounds):
        for what, arguments in checks(program, case):
            try:
                actual = getattr(program, what)(**arguments)
                if actual is programs.SKIPPED:
                    counts["skipped"] += 1
                    continue
                expected = getattr(oracle, what)(case, **arguments)
                problem = difference(actual, expected, program.tolerance)
            except RuntimeError as error:
                problem = str(error)
            counts["equal" if problem is None else "different"] += 1
            if problem is not None:
                print(f"{case.name} (seed {seed}): {what} {arguments}: {problem}")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--reference", metavar="REFERENCE_MAIN")
    which.add_argument("--binary", metavar="FATHOM")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4, help="8 graphs each")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        if arguments.reference:
            program = programs.Reference(arguments.reference, directory)
        else:
            program = programs.Fathom(arguments.binary, directory)
            commands = ("bfs", "sssp", "cc", "tc", "pagerank", "bc", "kcore", "harmonic")
            if not (program.knows("convert") and any(program.knows(c) for c in commands)):
                print("nothing to compare: the program has none of the algorithms")
                return 77
        counts = compare(program, arguments.seed, arguments.rounds)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
