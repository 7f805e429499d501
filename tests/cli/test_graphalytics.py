"""scripts/graphalytics: the published validation graphs, results that are wrong, and properties that are."""

import json
import pathlib
import shutil
import subprocess
import sys

import harness

try:
    import numpy  # noqa: F401 - what the script needs
except ModuleNotFoundError:
    sys.exit(77)

SCRIPT = harness.ROOT / "scripts/graphalytics"
PUBLISHED = harness.ROOT / "python/tests/data/ldbc/example"
SOURCES = {"directed": 1, "undirected": 2}


def properties(direction):
    name = f"example-{direction}"
    return "# the published example\n" + "".join(f"graph.{name}.{line}\n" for line in (
        f"vertex-file = {name}.v", f"edge-file = {name}.e", "meta.vertices = 10", "meta.edges = 17",
        f"directed = {'true' if direction == 'directed' else 'false'}", "edge-properties.names = weight",
        "edge-properties.types = real", "algorithms = bfs, cdlp, lcc, pr, sssp, wcc",
        f"bfs.source-vertex = {SOURCES[direction]}", "cdlp.max-iterations = 2", "pr.damping-factor = 0.85",
        "pr.num-iterations = 2", "sssp.weight-property = weight", f"sssp.source-vertex = {SOURCES[direction]}"))


class Graphalytics(harness.CliTest):
    def setUp(self):
        self.data = pathlib.Path(self.directory) / self._testMethodName
        shutil.copytree(PUBLISHED, self.data)
        for direction in SOURCES:
            (self.data / f"example-{direction}.properties").write_text(properties(direction))

    def script(self, *words):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--fathom", harness.FATHOM, *map(str, words)],
                              capture_output=True, text=True, timeout=120, cwd=self.data, check=False)

    def edit(self, name, old, new):
        path = self.data / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def test_every_published_result_is_found(self):
        done = self.script("example-directed.properties", "example-undirected.properties", "--json", "rows.json",
                           "--", "--threads", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = json.loads((self.data / "rows.json").read_text())
        self.assertEqual({row["validation"] for row in rows}, {"passed"})
        self.assertEqual(len(rows), 12)
        self.assertTrue(all(row["makespan_seconds"] > row["processing_seconds"] > 0 for row in rows))

    def test_results_come_in_the_published_form(self):
        self.assertEqual(self.script("example-directed.properties", "--output", "out").returncode, 0)
        found = (self.data / "out/example-directed-BFS").read_text()
        self.assertEqual(found, (PUBLISHED / "example-directed-BFS").read_text())
        self.assertIn("2 Infinity\n", (self.data / "out/example-directed-SSSP").read_text())

    def test_a_wrong_value_fails_by_each_rule(self):
        for name, old, new, shown in (
                ("BFS", "1 0", "1 1", "1 of 10 vertices: 1 has 0, published is 1"),
                ("CDLP", "1 1", "1 2", "1 has 1, published is 2"),
                ("WCC", "3 1", "3 2", "3 has 1, published is 2"),
                ("PR", "1 1.477", "1 1.478", "1 of 10 vertices: 1 has"),
                ("SSSP", "2 Infinity", "2 1.0", "2 has inf, published is 1.0")):
            with self.subTest(name):
                self.edit(f"example-directed-{name}", old, new)
                done = self.script("example-directed.properties", "--algorithms", name.lower())
                self.assertEqual(done.returncode, 1)
                self.assertIn(shown, done.stdout)

    def test_components_are_compared_as_a_partition(self):
        path = self.data / "example-directed-WCC"
        path.write_text("".join(f"{line.split()[0]} 77\n" for line in path.read_text().splitlines()))
        self.assertEqual(self.script("example-directed.properties", "--algorithms", "wcc").returncode, 0)

    def test_a_missing_vertex_fails(self):
        self.edit("example-directed-LCC", (PUBLISHED / "example-directed-LCC").read_text().splitlines()[3] + "\n", "")
        done = self.script("example-directed.properties", "--algorithms", "lcc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("10 vertices, published are 9", done.stdout)

    def test_nothing_published_is_said(self):
        (self.data / "example-directed-WCC").unlink()
        done = self.script("example-directed.properties", "--algorithms", "wcc")
        self.assertEqual(done.returncode, 0)
        self.assertIn("not validated: no example-directed-WCC", done.stdout)

    def test_what_the_command_refuses_is_a_failure(self):
        done = self.script("example-directed.properties", "--algorithms", "bfs", "--", "--threads", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: exit 2: fathom: ", done.stdout)

    def test_bad_properties_name_file_line_and_value(self):
        for old, new, shown in (
                ("directed = true", "directed = yes", ":6: graph.example-directed.directed is 'yes'"),
                ("algorithms = bfs", "algorithms = bsf", ":9: graph.example-directed.algorithms is 'bsf'"),
                ("num-iterations = 2", "num-iterations = two", ":13: graph.example-directed.pr.num-iterations"),
                ("property = weight", "property = length", ":14: graph.example-directed.sssp.weight-property"),
                ("edge-file = example-directed.e", "edge-file = no.e", ":3: no.e does not exist"),
                ("meta.edges = 17", "meta.edges 17", ":5: 'graph.example-directed.meta.edges 17' is not KEY"),
                ("bfs.source-vertex = 1", "bfs.sources = 1", "bfs.source-vertex is missing"),
                ("edge-file", "edges", "describes 0 graphs")):
            with self.subTest(new):
                (self.data / "example-directed.properties").write_text(properties("directed"))
                self.edit("example-directed.properties", old, new)
                done = self.script("example-directed.properties")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(shown, done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_a_graph_is_made_anew_when_its_edges_change(self):
        self.script("example-directed.properties", "--algorithms", "wcc")
        edges = self.data / "example-directed.e"
        edges.write_text("")
        done = self.script("example-directed.properties", "--algorithms", "wcc")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    harness.main()
