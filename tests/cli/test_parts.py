"""Parts of a graph: neighbourhoods, egonets, subgraphs and the edges between sets."""

import gzip

import harness
import test_json

EDGES = "a b 5\nb c 1\nc a 1\na d 10\nd d 3\ne f 2\n"


class Parts(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.g = cls.graph("g", EDGES, "--third-column", "weight")
        cls.u = cls.graph("u", EDGES, "--third-column", "weight", "--undirected")
        cls.n = cls.graph("n", "7 9\n9 1000\n1000 7\n1000 20\n")
        cls.write("some.tsv", "vertex\tcore\na\t2\n# not b\nc\t2\nd\t1\na\t2\n")
        cls.write("sets.tsv", "a\tx\nb\tx\nc\tthe y\nd\tx\n")

    def checked(self, *words):
        report = self.json(*words, "--verify")
        test_json.validator("report").validate(report)
        self.assertIs(report["verified"], True)
        return report["result"]

    def rows(self, name):
        header, rows = self.table(name)
        return header, sorted(rows)

    def test_neighborhood_follows_edges_as_told(self):
        def near(*options):
            self.ok("neighborhood", self.g, "--source", "a", "-q", "-o", "r.tsv", *options)
            return {row[0]: row[1] for row in self.table("r.tsv")[1] if row[1] != "-1"}
        self.assertEqual(near(), {"a": "0", "b": "1", "d": "1"})
        self.assertEqual(near("--hops", "2"), {"a": "0", "b": "1", "d": "1", "c": "2"})
        self.assertEqual(near("--mode", "in"), {"a": "0", "c": "1"})
        self.assertEqual(near("--mode", "all"), {"a": "0", "b": "1", "c": "1", "d": "1"})
        result = self.checked("neighborhood", self.g, "--source", "a", "e", "--hops", "1")
        self.assertEqual((result["reached"], result["hop_counts"]), (5, [2, 3]))

    def test_subgraph_as_a_table_has_the_edges_between_its_vertices(self):
        self.ok("subgraph", self.g, "--vertices", "some.tsv", "-q", "-o", "part.tsv")
        self.assertEqual(self.rows("part.tsv"), (["source", "target", "weight"], [
            ["a", "d", "10"], ["c", "a", "1"], ["d", "d", "3"]]))
        self.ok("subgraph", self.u, "--vertices", "some.tsv", "-q", "-o", "part.csv")
        self.assertEqual(sorted((self.directory / "part.csv").read_text().split()),
                         ["a,c,1", "a,d,10", "d,d,3", "source,target,weight"])
        self.assertEqual(self.checked("subgraph", self.u, "--vertices", "some.tsv"),
                         {"vertices": 3, "edges": 3, "density": 1})

    def test_subgraph_as_a_store_keeps_labels_weights_and_direction(self):
        for graph, directed in ((self.g, True), (self.u, False)):
            self.ok("subgraph", graph, "--vertices", "some.tsv", "-q", "-o", "part.fg")
            self.ok("verify", "part.fg")
            info = self.json("info", "part.fg")
            self.assertEqual(info["graph"]["vertices"], 3)
            self.assertIs(info["graph"]["directed"], directed)
            self.assertIs(info["graph"]["weighted"], True)
            self.ok("sssp", "part.fg", "--source", "c", "-q", "-o", "r.tsv")
            self.assertEqual(self.table("r.tsv")[1], [["a", "1"], ["c", "0"], ["d", "11"]])
        self.write("numbers.txt", "1000\n7\n20\n")
        self.ok("subgraph", self.n, "--vertices", "numbers.txt", "-q", "-o", "numbers.fg")
        self.ok("verify", "numbers.fg")
        self.ok("bfs", "numbers.fg", "--source", "1000", "-q", "-o", "r.tsv")
        self.assertEqual(self.table("r.tsv")[1], [["7", "1"], ["20", "1"], ["1000", "0"]])

    def test_subgraph_of_nothing_is_empty(self):
        self.write("none.txt", "")
        self.ok("subgraph", self.g, "--vertices", "none.txt", "-q", "-o", "none.fg", "--verify")
        self.ok("verify", "none.fg")
        self.assertEqual(self.json("info", "none.fg")["graph"]["vertices"], 0)

    def test_egonet_is_a_vertex_with_its_neighbourhood(self):
        self.ok("egonet", self.g, "--source", "a", "-q", "-o", "ego.tsv")
        self.assertEqual(self.rows("ego.tsv")[1], [["a", "b", "5"], ["a", "d", "10"], ["d", "d", "3"]])
        result = self.checked("egonet", self.g, "--source", "a", "--mode", "all", "--hops", "2")
        self.assertEqual((result["vertices"], result["edges"]), (4, 5))
        self.ok("egonet", self.u, "--source", "e", "-q", "-o", "ego.fg")
        self.assertEqual(self.json("info", "ego.fg")["graph"]["edges"], 2)

    def test_cross_edges_are_counted_by_pair_and_listed(self):
        result = self.checked("cross-edges", self.g, "--partition", "sets.tsv")
        self.assertEqual(result, {"edges": 2, "sets": 2, "pairs": [
            {"from": "x", "to": "the y", "edges": 1}, {"from": "the y", "to": "x", "edges": 1}]})
        self.ok("cross-edges", self.u, "--partition", "sets.tsv", "-q", "-o", "cut.tsv")
        self.assertEqual(self.rows("cut.tsv"), (
            ["source", "target", "source_set", "target_set", "weight"],
            [["a", "c", "x", "the y", "1"], ["b", "c", "x", "the y", "1"]]))
        self.assertIn("2 edges between 2 sets", self.ok("cross-edges", self.u, "--partition", "sets.tsv"))
        self.ok("cc", self.g, "-q", "-o", "components.tsv")
        result = self.checked("cross-edges", self.g, "--partition", "components.tsv")
        self.assertEqual((result["edges"], result["sets"]), (0, 2))

    def test_walks_are_rows_of_labels(self):
        self.ok("walks", self.g, "--source", "b", "e", "--per-source", "2", "--length", "2", "-q", "-o", "w.tsv")
        self.assertEqual(self.rows("w.tsv"), (
            ["v0", "v1", "v2"], [["b", "c", "a"], ["b", "c", "a"], ["e", "f", ""], ["e", "f", ""]]))
        result = self.checked("walks", self.g, "--per-vertex", "3", "--length", "1")
        self.assertEqual([result[k] for k in ("walks", "steps", "ended")], [18, 15, 3])
        self.fails(2, "--source or --sources, or --per-vertex", "walks", self.g)
        self.fails(2, "no weights", "walks", self.n, "--source", "7", "--weighted")
        self.fails(2, ".tsv or .csv", "walks", self.g, "--source", "a", "-o", "x.fg")
        self.fails(2, "from 0.001 to 1000", "walks", self.g, "--source", "a", "--p", "0")

    def test_walks_begin_where_a_file_says(self):
        with gzip.open(self.directory / "from.txt.gz", "wt") as file:
            file.write("# some\nb\ne\tx\n")
        self.ok("walks", self.g, "--source", "f", "--sources", "from.txt.gz", "--length", "1", "-q", "-o", "w.tsv")
        self.assertEqual(self.table("w.tsv"), (["v0", "v1"], [["f", ""], ["b", "c"], ["e", "f"]]))
        with gzip.open(self.directory / "bad.txt.gz", "wt") as file:
            file.write("b\nz\n")
        self.fails(3, "bad.txt.gz:2: expected the label of a vertex, found 'z'", "walks", self.g, "--sources", "bad.txt.gz")

    def test_walks_of_the_second_order_are_biased(self):
        # Behind b come a or c, from where b is a thousand times as likely as any other.
        step = ("walks", self.u, "--source", "b", "--per-source", "400", "--length", "2", "--q", "1000", "--p", "0.001")
        result = self.checked(*step, "-o", "w.tsv")
        self.assertEqual((result["p"], result["q"], result["steps"]), (0.001, 1000, 800))
        back = sum(row[0] == row[2] for row in self.table("w.tsv")[1])
        self.assertGreater(back, 390)

    def test_walks_fit_small_memories(self):
        self.ok("generate", "rmat", "--scale", "10", "--weights", "1:9", "-o", "r.fg", "-q")
        words = ["walks", "r.fg", "--per-vertex", "3", "--p", "2", "--q", "0.5", "--weighted", "-q"]
        self.ok(*words, "-o", "here.tsv")
        for small in (["--host-memory", "64KiB"], ["--residency", "stream", "--host-memory", "2200KiB", "--page-size", "4096"],
                      ["--devices", "2", "--device-memory", "256KiB", "--page-size", "4096"]):
            self.ok(*words, *small, "-o", "there.tsv", "--verify")
            self.assertEqual((self.directory / "there.tsv").read_bytes(), (self.directory / "here.tsv").read_bytes(), small)
        self.fails(4, "would be needed", *words, "--host-memory", "4KiB")
        plan = self.json("plan", "walks", "r.fg", "--host-memory", "64KiB", "--length", "20")
        self.assertLessEqual(plan["host"]["least_bytes"], 65536)

    def test_walks_are_checked_as_they_are_written(self):
        out = self.ok("walks", self.g, "--per-vertex", "2", "--length", "1", "--verify", "-q", "-o", "-", "--trials", "2")
        self.assertEqual(len(out.splitlines()), 13)

    def test_samples_are_rows_of_edges(self):
        self.write("seeds.txt", "a\nd\nf\n")
        self.ok("sample", self.g, "--seeds", "seeds.txt", "--fan-out=-1,-1", "-q", "-o", "s.tsv", "--verify")
        # a is reached from c, and c from b; d from a and itself.
        header, rows = self.table("s.tsv")
        self.assertEqual(header, ["batch", "hop", "source", "target", "edge"])
        self.assertEqual([row[:4] for row in rows], [
            ["0", "1", "c", "a"], ["0", "1", "a", "d"], ["0", "1", "d", "d"], ["0", "1", "e", "f"], ["0", "2", "b", "c"]])
        result = self.checked("sample", self.g, "--seeds", "seeds.txt", "--fan-out", "1,1", "--mode", "out", "--batch-size", "2")
        self.assertEqual([result[k] for k in ("seeds", "batches", "mode")], [3, 2, "out"])
        self.assertEqual(result["edges_per_hop"][0], 2)
        result = self.checked("sample", self.g, "--seeds", "seeds.txt", "--fan-out", "5", "--replace", "--weighted")
        self.assertEqual((result["edges"], result["fan_out"]), (15, [5]))
        self.fails(2, "--fan-out", "sample", self.g, "--seeds", "seeds.txt")
        self.fails(2, "or -1 for all", "sample", self.g, "--seeds", "seeds.txt", "--fan-out=-2")
        self.fails(2, "no weights", "sample", self.n, "--seeds", self.write("seven.txt", "7\n"), "--fan-out", "1", "--weighted")
        below = self.graph("below", "x y -2\n", "--third-column", "weight")
        self.fails(3, "edge 0 of the list of vertex y has -2", "sample", below, "--seeds", self.write("y.txt", "y\n"),
                   "--fan-out", "1", "--weighted")
        self.fails(3, "that of the edge from x to y is -2", "walks", below, "--source", "x", "--weighted")
        self.write("bad.txt", "a\nz\n")
        self.fails(3, "bad.txt:2", "sample", self.g, "--seeds", "bad.txt", "--fan-out", "1")
        self.fails(2, "--output would replace seeds.tsv", "sample", self.g, "--seeds", self.write("seeds.tsv", "a\n"),
                   "--fan-out", "1", "-o", "seeds.tsv")

    def test_samples_are_the_same_everywhere_and_say_what_fits(self):
        self.ok("generate", "rmat", "--scale", "10", "--directed", "-o", "r.fg", "-q")
        self.write("some.txt", "".join(f"{v}\n" for v in range(0, 1024, 5)))
        words = ["sample", "r.fg", "--seeds", "some.txt", "--fan-out", "4,3", "--batch-size", "64", "-q", "--verify"]
        self.ok(*words, "-o", "here.tsv")
        for elsewhere in (["--threads", "1"], ["--residency", "stream", "--host-memory", "8MiB"], ["--devices", "2"]):
            self.ok(*words, *elsewhere, "-o", "there.tsv")
            self.assertEqual((self.directory / "there.tsv").read_bytes(), (self.directory / "here.tsv").read_bytes(), elsewhere)
        self.ok(*words, "--seed", "9", "-o", "other.tsv")
        self.assertNotEqual((self.directory / "other.tsv").read_bytes(), (self.directory / "here.tsv").read_bytes())
        self.fails(4, "a smaller --batch-size takes less", *words, "--host-memory", "4KiB")

    def test_parts_are_the_same_on_emulated_devices(self):
        self.ok("generate", "rmat", "--scale", "9", "--weights", "1:9", "-o", "r.fg", "-q")
        self.write("even.txt", "".join(f"{v}\n" for v in range(0, 512, 2)))
        self.write("mod.tsv", "".join(f"{v}\t{v % 7}\n" for v in range(512)))
        elsewhere = ["--devices", "2", "--residency", "stream", "--page-size", "4096"]
        for command in (["subgraph", "r.fg", "--vertices", "even.txt"],
                        ["egonet", "r.fg", "--source", "3", "--hops", "2"],
                        ["cross-edges", "r.fg", "--partition", "mod.tsv"],
                        ["walks", "r.fg", "--per-vertex", "2", "--weighted", "--restart", "0.1"],
                        ["walks", "r.fg", "--per-vertex", "2", "--p", "0.3", "--q", "3"],
                        ["sample", "r.fg", "--seeds", "even.txt", "--fan-out", "3,2", "--weighted"]):
            self.ok(*command, "-q", "-o", "here.tsv", "--verify")
            self.ok(*command, "-q", "-o", "there.tsv", "--verify", *elsewhere)
            here = (self.directory / "here.tsv").read_text()
            self.assertGreater(len(here), 1000)
            self.assertEqual((self.directory / "there.tsv").read_text(), here)

    def test_bad_files_and_names_are_refused(self):
        self.write("bad.txt", "a\nz\n")
        self.fails(3, "bad.txt:2: expected the label of a vertex, found 'z'", "subgraph", self.g,
                   "--vertices", "bad.txt")
        self.write("bad.tsv", "a\n")
        self.fails(3, "expected LABEL<TAB>SET", "cross-edges", self.g, "--partition", "bad.tsv")
        self.write("twice.tsv", "a\tx\na\ty\n")
        self.fails(3, "twice.tsv:2: expected the set 'x'", "cross-edges", self.g, "--partition",
                   "twice.tsv")
        self.fails(74, "missing.txt", "subgraph", self.g, "--vertices", "missing.txt")
        self.fails(2, ".tsv or .csv", "subgraph", self.g, "--vertices", "some.tsv", "-o", "x.npy")
        self.fails(2, ".tsv or .csv", "cross-edges", self.g, "--partition", "sets.tsv", "-o", "x.fg")
        self.fails(2, "--top", "egonet", self.g, "--source", "a", "--top", "3")


if __name__ == "__main__":
    harness.main()
