"""The same results on any number of threads, streamed, and on emulated devices; on no vertices."""

import harness

PLACES = {
    "one thread": ["--threads", "1"],
    "three threads": ["--threads", "3"],
    "resident": ["--residency", "resident"],
    "streamed": ["--residency", "stream", "--page-size", "4096"],
    "two devices": ["--devices", "2", "--residency", "stream", "--page-size", "4096",
                    "--device-memory", "256KiB"],
}


class SameEverywhere(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in {"u": [], "d": ["--directed"], "n": ["--directed", "--no-in-edges"]}.items():
            cls.ok("generate", "rmat", "--scale", "9", "--weights", "1:20", "-o", f"{name}.fg", "-q",
                   *options)
        cls.write("nothing.txt", "")
        cls.ok("convert", "nothing.txt", "-o", "nothing.fg", "-q")
        cls.ok("convert", "nothing.txt", "-o", "undirected.fg", "-q", "--undirected")

    def values(self, algorithm, graph, *options):
        self.ok(algorithm, graph, *harness.ALGORITHMS[algorithm], *options, "-q", "-o", "r.tsv")
        return [[float(x) for x in row[1:]] for row in self.table("r.tsv")[1]]

    def test_results_do_not_depend_on_the_place(self):
        for algorithm in harness.ALGORITHMS:
            for graph in ("u.fg", "d.fg", "n.fg"):
                if algorithm in (harness.DIRECTED if graph == "u.fg" else harness.UNDIRECTED):
                    continue
                expected = self.values(algorithm, graph)
                for place, options in PLACES.items():
                    with self.subTest(algorithm=algorithm, graph=graph, place=place):
                        actual = self.values(algorithm, graph, *options)
                        if algorithm not in harness.ROUNDED:
                            self.assertEqual(actual, expected)
                        self.assertEqual(len(actual), len(expected))
                        error = sum(abs(x - y) for a, e in zip(actual, expected)
                                    for x, y in zip(a, e) if x != y)
                        self.assertLess(error, 1.2e-5)

    def test_generated_stores_are_equal_byte_for_byte(self):
        def store(kind, *options):
            self.ok("generate", kind, "--scale", "10", "-o", "same.fg", "-q", *options)
            self.assertEqual(self.json("info", "same.fg")["graph"]["vertices"], 1024)
            return self.json("info", "same.fg")["graph"]["fingerprint"]
        for kind in ("rmat", "road", "random-geometric", "triangulation", "coauthors"):
            first = store(kind, "--threads", "1")
            self.assertEqual(store(kind, "--threads", "3"), first, kind)
            self.assertNotEqual(store(kind, "--seed", "5"), first, kind)

    def test_empty_graph_works_everywhere(self):
        self.assertIn("0", self.ok("info", "nothing.fg", "--degrees"))
        self.ok("verify", "nothing.fg")
        for place, options in {"here": [], **PLACES}.items():
            for algorithm in ("cc", "scc", "pagerank", "bc", "edge-bc", "tc", "lcc", "kcore", "degrees", "radius", "harmonic",
                              "closeness", "eccentricity", "eigenvector", "katz", "hits", "mis", "color", "bipartite",
                              "cdlp", "assortativity", "reciprocity"):
                with self.subTest(algorithm=algorithm, place=place):
                    self.ok(algorithm, "nothing.fg", *options, "--verify", "--top", "3", "-o", "r.tsv")
                    self.assertEqual(self.table("r.tsv")[1], [])
                    self.json(algorithm, "nothing.fg", *options)
            for algorithm in harness.UNDIRECTED:
                with self.subTest(algorithm=algorithm, place=place):
                    self.ok(algorithm, "undirected.fg", *options, "--verify", "--top", "3", "-o", "r.tsv")
                    self.assertEqual(self.table("r.tsv")[1], [])
        for algorithm in ("bfs", "sssp", "bellman-ford", "rwr", "neighborhood"):
            self.fails(2, "it has no vertices", algorithm, "nothing.fg", "--source", "0")
        self.ok("cc", "nothing.fg", "-q", "-o", "r.npy")


if __name__ == "__main__":
    harness.main()
