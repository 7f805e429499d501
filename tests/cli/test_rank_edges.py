"""Commands whose result is edges or rows, under mpirun: the files and reports of one process, of a graph and of its parts."""

import json

import harness
import launching

launching.need_ranks()

EDGES = {
    "subgraph": ["u.fg", "--vertices", "even.txt"],
    "egonet": ["d.fg", "--source", "3", "--hops", "2", "--mode", "all"],
    "cross-edges": ["d.fg", "--partition", "mod.tsv"],
}
ROWS = {
    "walks": ["d.fg", "--per-vertex", "3", "--length", "5", "--restart", "0.1", "--seed", "4"],
    "walks, node2vec": ["u.fg", "--sources", "even.txt", "--per-source", "2", "--weighted", "--p", "0.3", "--q", "3"],
    "sample": ["d.fg", "--seeds", "even.txt", "--fan-out", "4,3", "--batch-size", "50"],
    "sample, weighted": ["u.fg", "--seeds", "even.txt", "--fan-out=2,-1", "--weighted", "--mode", "out", "--batch-size", "100"],
}


def command_of(name):
    return name.split(",", maxsplit=1)[0]


class RankEdges(launching.RankTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in {"u": [], "d": ["--directed"]}.items():
            cls.ok("generate", "rmat", "--scale", "9", "--weights", "1:20", "-o", f"{name}.fg", "-q", *options)
            cls.ok("partition", f"{name}.fg", "--parts", "3", "-o", f"{name}-parts", "-q")
        cls.write("even.txt", "".join(f"{v}\n" for v in range(0, 512, 2)))
        cls.write("mod.tsv", "".join(f"{v}\tset {v % 7}\n" for v in range(512)))
        for name, words in {**EDGES, **ROWS}.items():
            cls.ok(command_of(name), *words, "-q", "-o", f"{name}.tsv", "--report", f"{name}.json")

    def content(self, name):
        return (self.directory / name).read_bytes()

    def expect_what_one_found(self, name, ranks, *words):
        self.succeeds(ranks, command_of(name), *words, "-q", "--verify", "-o", "n.tsv", "--report", "n.json")
        self.assertEqual(self.content("n.tsv"), self.content(f"{name}.tsv"))
        self.assertGreater(len(self.content("n.tsv")), 1000)
        report, alone = (json.loads(self.content(file)) for file in ("n.json", f"{name}.json"))
        self.assertEqual(report["result"], alone["result"])
        self.assertIs(report["verified"], True)
        self.assertEqual([row["rank"] for row in report["ranks"]], list(range(ranks)))
        for row in report["ranks"]:
            self.assertGreater(row["exchanges"], 0)

    def test_ranks_write_what_one_process_writes(self):
        for name, words in {**EDGES, **ROWS}.items():
            with self.subTest(name=name):
                self.expect_what_one_found(name, 2, *words)

    def test_ranks_write_it_of_parts(self):
        for name, (graph, *options) in {**EDGES, **ROWS}.items():
            with self.subTest(name=name):
                self.expect_what_one_found(name, 3, graph.replace(".fg", "-parts"), *options)

    def test_ranks_write_it_of_lists_that_stream(self):
        stream = ["--residency", "stream", "--page-size", "4096"]
        self.expect_what_one_found("cross-edges", 2, *EDGES["cross-edges"], *stream)
        self.expect_what_one_found("sample, weighted", 3, "u-parts", *ROWS["sample, weighted"][1:], *stream)

    def test_a_subgraph_of_ranks_is_a_graph(self):
        self.ok("subgraph", *EDGES["subgraph"], "-q", "-o", "one.fg")
        self.succeeds(3, "subgraph", "u-parts", *EDGES["subgraph"][1:], "-q", "-o", "n.fg")
        self.ok("verify", "n.fg")
        one, n = (self.json("info", file)["graph"] for file in ("one.fg", "n.fg"))
        self.assertEqual(n["fingerprint"], one["fingerprint"])

    def test_rows_are_those_before_a_reordering(self):
        self.ok("reorder", "d.fg", "--method", "degree", "-o", "r.fg", "-q")
        self.ok("partition", "r.fg", "--parts", "2", "-o", "r-parts", "-q")
        for words in (["egonet", *EDGES["egonet"][1:]], ["walks", *ROWS["walks"][1:]]):
            self.ok(words[0], "r.fg", *words[1:], "-q", "-o", "one.tsv")
            self.succeeds(2, words[0], "r-parts", *words[1:], "-q", "-o", "n.tsv", "--verify")
            self.assertEqual(self.content("n.tsv"), self.content("one.tsv"))

    def test_one_rank_speaks_and_writes(self):
        for rank in (0, 1):
            (self.directory / f"w{rank}").mkdir()
        script = self.directory / "in.sh"
        script.write_text('#!/bin/sh\ncd w$OMPI_COMM_WORLD_RANK && exec "$@"\n')
        script.chmod(0o755)
        words = ["walks", "../d.fg", *ROWS["walks"][1:]]
        status, shown, said = self.launch("-n", "2", script, harness.FATHOM, *words, "-o", "w.tsv")
        self.assertEqual((status, said), (0, ""))
        self.assertEqual(shown.count("walks of"), 1)
        self.assertIn("2 ranks: at most", shown)
        self.assertEqual([[path.name for path in (self.directory / f"w{rank}").iterdir()] for rank in (0, 1)],
                         [["w.tsv"], []])
        self.assertEqual(self.content("w0/w.tsv"), self.content("walks.tsv"))
        shown = self.succeeds(2, "cross-edges", *EDGES["cross-edges"], "-o", "-", "-q")
        self.assertEqual(shown.encode(), self.content("cross-edges.tsv"))
        # Ranks may read files of their own, in which the same is to be found.
        for rank, vertices in ((0, "1\n2\n"), (1, "1\n3\n")):
            self.write(f"w{rank}/some.txt", vertices)
        status, _, said = self.launch("-n", "2", script, harness.FATHOM, "subgraph", "../d.fg", "--vertices", "some.txt")
        self.assertEqual(status, 3)
        self.assertIn("some.txt: rank 1 ", said)
        self.assertIn("found something else in it than the first rank", said)

    def test_what_goes_wrong_is_said_once(self):
        self.write("bad.txt", "1\nnobody\n")
        below = "".join(f"{v} {v + 1} {1 if v < 300 else -1}\n" for v in range(400))
        self.graph("below", below, "--third-column", "weight")
        self.write("late.txt", "".join(f"{v}\n" for v in range(296, 304)))
        late = ["sample", "below.fg", "--seeds", "late.txt", "--fan-out", "1", "--mode", "out", "--weighted"]
        for words, status, message in (
                (["subgraph", "u.fg", "--vertices", "bad.txt"], 3, "bad.txt:2"),
                (["walks", "d.fg"], 2, "--per-vertex"),
                (["cross-edges", "u-parts", "--partition", "mod.tsv"], 2, "has 3 parts, and there are 2 ranks"),
                # One rank alone draws from that list.
                ([*late, "--batch-size", "2"], 3, "of vertex 300 has -1"),
                (["walks", "below.fg", "--source", "1", "300", "--weighted"], 3, "that of the edge from 300 to 301 is -1")):
            with self.subTest(words=words):
                code, _, said = self.ranks(2, *words)
                self.assertEqual(code, status, said)
                lines = [line for line in said.splitlines() if line.startswith("fathom:")]
                self.assertEqual(len(lines), 1, said)
                self.assertIn(message, lines[0])
                self.assertNotIn("rank 1", said)


if __name__ == "__main__":
    harness.main()
