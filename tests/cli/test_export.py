"""`fathom convert` out of a .fg file: what comes back is the same graph, for us and for others."""

import gzip
import itertools
import pathlib
import signal
import struct
import subprocess
import time
import unittest

import harness

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    scipy = None

FORMATS = ["tsv", "csv", "mtx", "npz", "sg", "wsg"]
LABELS = {
    "dense": [0, 1, 2, 3, 4],
    "offset": [7, 8, 9, 10, 11],
    "gaps": [3, 10, 200, 10**12, 2**64 - 1],
    "strings": ["a,b", " blank ", 'say"hi"', "#no comment", "über"],
}
# A loop, both directions of an edge, one that stands alone, and weights a float holds exactly.
EDGES = [(0, 1, 2), (1, 0, 2), (1, 2, 16777216), (2, 2, 0), (3, 0, 67108872), (4, 3, 7)]


def quoted(label):
    return '"' + str(label).replace('"', '""') + '"'


class Export(harness.CliTest):
    def made(self, labels="dense", *options, weighted=True, fraction=False):
        names = LABELS[labels]
        rows = ["source,target,weight" if weighted else "source,target"]
        for source, target, weight in EDGES:
            row = [quoted(names[source]), quoted(names[target])]
            if weighted:
                row.append(str(weight + 0.1) if fraction and weight < 10 else str(weight))
            rows.append(",".join(row))
        self.write("made.csv", "\n".join(rows) + "\n")
        self.ok("convert", "made.csv", "-o", "made.fg", "-q", *options)
        return "made.fg"

    def identity(self, graph):
        info = self.json("info", graph)
        return info["graph"]["fingerprint"], info["graph"]["weighted"]

    def read_back(self, name, *options):
        self.ok("convert", name, "-o", "back.fg", "-q", *options)
        self.ok("verify", "back.fg", "-q")
        return self.identity("back.fg")

    def test_every_format_reads_back_as_the_same_graph(self):
        for labels, undirected, weighted in itertools.product(LABELS, (False, True), (False, True)):
            ways = ["--undirected"] if undirected else []
            graph = self.made(labels, *ways, weighted=weighted)
            expected = self.identity(graph)
            for form in FORMATS:
                if form == ("sg" if weighted else "wsg"):
                    continue
                with self.subTest(labels=labels, undirected=undirected, weighted=weighted, form=form):
                    self.ok("convert", graph, "-o", f"out.{form}", "-q")
                    again = ways if form in ("tsv", "csv", "npz") else []
                    self.assertEqual(self.read_back(f"out.{form}", *again), expected)
                    if form in ("tsv", "csv"):
                        label = self.json("info", "back.fg")["labels"]
                        self.assertEqual(label, self.json("info", graph)["labels"])
                    if form in ("mtx", "sg", "wsg"):
                        self.assertEqual(self.json("info", "back.fg")["graph"]["directed"], not undirected)

    def test_fractions_come_back(self):
        graph = self.made(fraction=True)
        for form in ("tsv", "csv", "mtx", "npz"):
            self.ok("convert", graph, "-o", f"out.{form}", "-q")
            self.assertEqual(self.read_back(f"out.{form}"), self.identity(graph), form)

    def test_edges_that_come_twice_are_kept(self):
        for ways in ([], ["--undirected"]):
            graph = self.graph("twice", "0 1 5\n0 1 5\n0 1 2\n1 1 3\n1 1 3\n", "--duplicates", "keep",
                               "--third-column", "weight", *ways)
            for form in ("tsv", "mtx", "wsg"):
                self.ok("convert", graph, "-o", f"out.{form}", "-q")
                again = ways if form == "tsv" else []
                self.assertEqual(self.read_back(f"out.{form}", "--duplicates", "keep", *again),
                                 self.identity(graph), (form, ways))

    def test_names_say_how_to_compress(self):
        graph = self.made("strings")
        self.ok("convert", graph, "-o", "plain.csv", "-q")
        plain = (self.directory / "plain.csv").read_bytes()
        self.ok("convert", graph, "-o", "out.csv.gz", "-q")
        self.assertEqual(gzip.decompress((self.directory / "out.csv.gz").read_bytes()), plain)
        self.ok("convert", graph, "-o", "out.csv.zst", "-q")
        self.assertEqual(self.read_back("out.csv.zst"), self.identity(graph))
        self.assertNotEqual((self.directory / "out.csv.zst").read_bytes(), plain)
        self.ok("convert", graph, "-o", "anything.gz", "--to", "csv", "-q")
        self.assertEqual(gzip.decompress((self.directory / "anything.gz").read_bytes()), plain)
        self.ok("convert", graph, "-o", "really.csv", "--to", "fg", "-q")
        self.assertEqual(self.identity("really.csv"), self.identity(graph))

    def test_text_is_what_others_read(self):
        graph = self.made("strings", "--undirected")
        self.ok("convert", graph, "-o", "out.csv", "-q")
        lines = (self.directory / "out.csv").read_text().splitlines()
        self.assertEqual(lines[0], "source,target,weight")
        self.assertEqual(lines[1:], ['" blank ","a,b",2', '" blank ",say"hi",16777216',
                                     '"#no comment","a,b",67108872', '"#no comment",über,7',
                                     'say"hi",say"hi",0'])

    def test_vertices_without_edges(self):
        head = "%%MatrixMarket matrix coordinate pattern"
        self.write("lone.mtx", f"{head} general\n5 5 2\n2 3\n3 2\n")
        self.ok("convert", "lone.mtx", "-o", "lone.fg", "-q")
        for form in ("mtx", "npz", "sg"):
            self.ok("convert", "lone.fg", "-o", f"out.{form}", "-q")
            self.assertEqual(self.read_back(f"out.{form}"), self.identity("lone.fg"), form)
        said = self.ok("convert", "lone.fg", "-o", "out.tsv")
        self.assertIn("3 vertices without edges", said)
        self.assertIn("2 vertices, 2 edges", said)

    def test_graphs_without_edges_or_vertices(self):
        self.write("none.txt", "")
        self.ok("convert", "none.txt", "-o", "none.fg", "-q")
        head = "%%MatrixMarket matrix coordinate real"
        self.write("lone.mtx", f"{head} symmetric\n3 3 0\n")
        self.ok("convert", "lone.mtx", "-o", "lone.fg", "-q")
        for graph in ("none.fg", "lone.fg"):
            for form in ("mtx", "npz", "sg"):
                self.ok("convert", graph, "-o", f"out.{form}", "-q")
                back = self.read_back(f"out.{form}")
                if form != "sg":  # no edges: nothing tells .sg from .wsg
                    self.assertEqual(back, self.identity(graph), (graph, form))
        self.ok("convert", "none.fg", "-o", "out.tsv", "-q")
        self.assertEqual((self.directory / "out.tsv").read_text(), "source\ttarget\n")
        self.assertEqual(self.read_back("out.tsv"), self.identity("none.fg"))

    def test_layouts_and_orders_write_the_same_bytes(self):
        for ways in (["--directed"], []):
            self.ok("generate", "rmat", "--scale", "9", "--edge-factor", "4", "--weights", "1:9", *ways,
                    "-o", "plain.fg", "-q")
            self.ok("convert", "plain.fg", "-o", "slotted.fg", "--layout", "slotted", "--page-size", "64KiB", "-q")
            self.ok("reorder", "plain.fg", "--method", "random", "-o", "once.fg", "-q")
            self.ok("reorder", "slotted.fg", "--method", "degree", "-o", "twice.fg", "-q")
            self.assertNotEqual(self.identity("once.fg"), self.identity("plain.fg"))
            for form in FORMATS:
                self.ok("convert", "plain.fg", "-o", f"plain.{form}", "-q")
                expected = (self.directory / f"plain.{form}").read_bytes()
                for graph in ("slotted", "once", "twice"):
                    self.ok("convert", f"{graph}.fg", "-o", f"{graph}.{form}", "-q")
                    actual = (self.directory / f"{graph}.{form}").read_bytes()
                    self.assertEqual(actual, expected, (graph, form))

    def test_labels_of_a_reordered_graph_stay(self):
        graph = self.made("strings")
        self.ok("convert", graph, "-o", "plain.tsv", "-q")
        self.ok("reorder", graph, "--method", "random", "-o", "ordered.fg", "-q")
        self.ok("convert", "ordered.fg", "-o", "ordered.tsv", "-q")
        self.assertEqual(self.table("ordered.tsv"), self.table("plain.tsv"))

    def test_files_go_straight_to_other_formats(self):
        graph = self.made("gaps")
        self.ok("convert", graph, "-o", "by_store.mtx", "-q")
        self.ok("convert", "made.csv", "-o", "straight.mtx", "-q")
        self.assertEqual((self.directory / "straight.mtx").read_bytes(),
                         (self.directory / "by_store.mtx").read_bytes())
        self.assertIn("symmetric", self.written("made.csv", "both.mtx", "--undirected"))

    def written(self, graph, name, *options):
        self.ok("convert", graph, "-o", name, "-q", *options)
        return (self.directory / name).read_text()

    def test_gap_is_what_gap_reads(self):
        graph = self.graph("gap", "0 1 4\n0 2 5\n2 1 6\n", "--third-column", "weight")
        self.ok("convert", graph, "-o", "gap.wsg", "-q")
        out = struct.pack("<4q6i", 0, 2, 2, 3, 1, 4, 2, 5, 1, 6)
        back = struct.pack("<4q6i", 0, 0, 2, 3, 0, 4, 2, 6, 0, 5)
        head = struct.pack("<?qq", True, 3, 3)
        self.assertEqual((self.directory / "gap.wsg").read_bytes(), head + out + back)
        self.assertIn("weights", self.ok("convert", graph, "-o", "gap.sg"))
        out = struct.pack("<4q3i", 0, 2, 2, 3, 1, 2, 1)
        back = struct.pack("<4q3i", 0, 0, 2, 3, 0, 2, 0)
        self.assertEqual((self.directory / "gap.sg").read_bytes(), head + out + back)

    @unittest.skipIf(scipy is None, "SciPy is not installed")
    def test_scipy_reads_matrices(self):
        for ways in ([], ["--undirected"]):
            for weighted in (False, True):
                graph = self.made("dense", *ways, weighted=weighted)
                expected = numpy.zeros((5, 5))
                for source, target, weight in EDGES:
                    value = weight if weighted else 1
                    expected[source, target] = value
                    if ways:
                        expected[target, source] = value
                for form in ("npz", "mtx"):
                    self.ok("convert", graph, "-o", f"out.{form}", "-q")
                    path = str(self.directory / f"out.{form}")
                    matrix = scipy.sparse.load_npz(path) if form == "npz" else scipy.io.mmread(path)
                    numpy.testing.assert_array_equal(matrix.toarray().astype(float), expected)

    def test_what_a_format_cannot_hold_is_refused_and_nothing_is_touched(self):
        fractions = self.made(fraction=True)
        self.write("old.wsg", "old")
        self.fails(2, "the edge from 0 to 1 weighs 2.1: .wsg holds integers", "convert", fractions, "-o", "old.wsg")
        self.assertEqual((self.directory / "old.wsg").read_text(), "old")
        large = self.graph("large", "0 1 2147483648\n", "--third-column", "weight")
        self.fails(2, ".wsg holds integers of at most 2147483647", "convert", large, "-o", "large.wsg")
        bare = self.graph("bare", "0 1\n", "--no-in-edges")
        self.fails(2, "bare.fg has no weights", "convert", bare, "-o", "bare.wsg")
        self.fails(2, "bare.fg has no in-edges", "convert", bare, "-o", "bare.sg")
        self.assertEqual([name for name in self.files() if name in ("old.wsg", "large.wsg", "bare.wsg", "bare.sg")],
                         ["old.wsg"])

    def test_options_without_effect_are_refused(self):
        graph = self.made()
        for words in (["--labels", "none"], ["--undirected"], ["--layout", "csr"], ["--no-in-edges"], ["--json"]):
            self.fails(2, f"{words[0]} has no effect on", "convert", graph, "-o", "out.tsv", *words)
        self.fails(2, "--triangle-lists has no effect on out.tsv", "convert", "made.csv", "-o", "out.tsv",
                   "--triangle-lists")
        self.fails(2, "--to: tvs not in", "convert", graph, "-o", "out", "--to", "tvs")

    def test_damage_is_found(self):
        graph = self.made()
        data = bytearray((self.directory / graph).read_bytes())
        data[4096 * 2] ^= 1  # of the targets
        (self.directory / "damaged.fg").write_bytes(data)
        self.fails(3, "do not match their checksum", "convert", "damaged.fg", "-o", "damaged.tsv")
        self.assertNotIn("damaged.tsv", self.files())

    def test_interrupted_leaves_nothing(self):
        self.ok("generate", "rmat", "--scale", "17", "--edge-factor", "16", "-o", "large.fg", "-q")
        work = subprocess.Popen([harness.FATHOM, "convert", "large.fg", "-o", "large.csv.gz"],
                                cwd=self.directory, stderr=subprocess.PIPE)
        while not writes(work.pid):
            self.assertIsNone(work.poll())
            time.sleep(0.01)
        work.send_signal(signal.SIGINT)
        self.assertIn(b"interrupted", work.communicate(timeout=60)[1])
        self.assertEqual(work.returncode, 130)
        self.assertNotIn("large.csv.gz", self.files())


def writes(process):
    """Whether it has written anything to a file."""
    for line in pathlib.Path(f"/proc/{process}/io").read_text().splitlines():
        name, number = line.split(": ")
        if name == "wchar":
            return int(number) > 1 << 16
    return False


if __name__ == "__main__":
    harness.main()
