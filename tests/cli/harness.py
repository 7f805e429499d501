"""What the tests of the command share: running it in a scratch directory."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FATHOM = os.environ["FATHOM"]
ADDRESS_SANITIZED = b"__asan_init" in pathlib.Path(FATHOM).read_bytes()
ALGORITHMS = {
    "bfs": ["--source", "0"],
    "sssp": ["--source", "0"],
    "bellman-ford": ["--source", "0"],
    "cc": [],
    "scc": [],
    "pagerank": [],
    "bc": ["--k", "8"],
    "edge-bc": ["--k", "8"],
    "tc": [],
    "lcc": [],
    "kcore": [],
    "degrees": [],
    "assortativity": [],
    "reciprocity": [],
    "rwr": ["--source", "0"],
    "radius": [],
    "neighborhood": ["--source", "0", "--hops", "2"],
    "harmonic": ["--k", "8"],
    "closeness": ["--k", "8"],
    "eccentricity": [],
    "eigenvector": [],
    "katz": ["--alpha", "0.001"],
    "hits": [],
    "mis": ["--seed", "3"],
    "color": ["--seed", "3"],
    "levels": [],
    "msf": [],
    "biconnected": [],
    "matching": ["--seed", "3"],
    "bipartite": [],
    "cdlp": [],
    "similarity": ["--source", "0"],
    "louvain": ["--seed", "3"],
    "leiden": ["--seed", "3"],
    "ktruss": [],
}
# For tests of what lies below all algorithms: under the address sanitizer the tests of the library run them all.
SAMPLED = {a: ALGORITHMS[a] for a in list(ALGORITHMS)[::6 if ADDRESS_SANITIZED else 1]}
# Those that refuse graphs without directions, and with.
DIRECTED = ("levels", "reciprocity")
UNDIRECTED = ("msf", "biconnected", "matching", "similarity", "louvain", "leiden")
# Sums in floating point, which places and threads round otherwise.
ROUNDED = ("pagerank", "bc", "edge-bc", "rwr", "eigenvector", "katz", "hits")


class CliTest(unittest.TestCase):
    """Each test class gets a directory of its own; commands run in it."""

    @classmethod
    def setUpClass(cls):
        cls._scratch = tempfile.TemporaryDirectory(prefix="fathom-cli-")
        cls.directory = pathlib.Path(cls._scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls._scratch.cleanup()

    @classmethod
    def run_raw(cls, *words, **options):
        settings = {"cwd": cls.directory, "capture_output": True, "timeout": 60, **options}
        return subprocess.run([FATHOM, *map(str, words)], check=False, **settings)

    @classmethod
    def ok(cls, *words, **options):
        """Standard output of a command that must succeed without a word on standard error."""
        done = cls.run_raw(*words, **options)
        shown = done.stderr.decode(errors="replace")
        if done.returncode != 0 or shown:
            raise AssertionError(f"{words}: exit {done.returncode}: {shown}")
        return done.stdout.decode()

    @classmethod
    def json(cls, *words):
        return json.loads(cls.ok(*words, "--json"))

    def fails(self, status, message, *words, **options):
        """The command exits with `status` and one message that contains `message`."""
        done = self.run_raw(*words, **options)
        shown = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, f"{words}: {shown}")
        self.assertIn(message, shown)
        self.assertTrue(shown.startswith("fathom: "), shown)
        self.assertLessEqual(len(shown.splitlines()), 2, shown)
        return shown

    @classmethod
    def write(cls, name, text):
        (cls.directory / name).write_text(text)
        return name

    @classmethod
    def graph(cls, name, text, *options):
        """Converts an edge list; returns the name of the store."""
        cls.write(name + ".txt", text)
        cls.ok("convert", name + ".txt", "-o", name + ".fg", "-q", *options)
        return name + ".fg"

    def table(self, name):
        """Header and rows of a .tsv file."""
        lines = (self.directory / name).read_text().splitlines()
        rows = [line.split("\t") for line in lines]
        return rows[0], rows[1:]

    def result(self, *words):
        """Header of the file that an algorithm writes, and a dict of its rows by their first field."""
        self.assertEqual(self.ok(*words, "-q", "-o", "r.tsv"), "")
        header, rows = self.table("r.tsv")
        return header, dict((row[0], row[1] if len(row) == 2 else row[1:]) for row in rows)

    def streams_within_its_plan(self, algorithm, graph, page):
        """Streamed from disk, a run needs the budget that its plan names, and no unit less."""
        where = [graph, "--residency", "stream", "--page-size", page, "--host-memory"]
        refused = self.run_raw("plan", algorithm, *where, "1KiB")
        self.assertEqual(refused.returncode, 4)
        least = int(re.search(r"--host-memory of (\d+) would do", refused.stderr.decode())[1])
        run = self.json(algorithm, *where, str(least), *ALGORITHMS[algorithm])
        self.assertLessEqual(run["peak_host_bytes"], least)
        # Budgets are planned with the slack of all plans.
        unit = {"4MiB": 4 << 20}.get(page, 1 << 20)
        self.assertGreater(run["peak_host_bytes"], least - unit - (64 << 10))

    def files(self):
        return sorted(p.name for p in self.directory.iterdir())


def children(pid):
    """The processes that this one has started."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rsplit(")", 1)[1].split()[1]
        except OSError:  # it has ended
            continue
        if int(parent) == pid:
            found.append(int(stat.parent.name))
    return sorted(found)


def main():
    unittest.main(argv=[sys.argv[0], "-q"])
