"""Strategies of several devices: the same results, and what does not fit one device split."""

import random

import harness

# Depths of 4 bytes, offsets of 8 and two bitmaps for each vertex do not fit; nor do ranks.
TIGHT = ["--device-memory", 4 * (1 << 14), "--page-size", 4096]


class Strategy(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "uniform", "--scale", "14", "--edge-factor", "4", "--weights", "1:9",
               "-o", "u.fg", "-q")

    def run_algorithm(self, algorithm, *options):
        out = "s.tsv"
        report = self.json(algorithm, "u.fg", *harness.ALGORITHMS[algorithm], "--verify", "-o", out,
                           *options)
        self.assertTrue(report["verified"])
        return report, self.table(out)[1]

    def test_results_are_those_of_the_host(self):
        for algorithm in ("bfs", "sssp", "cc", "pagerank", "rwr"):
            _, expected = self.run_algorithm(algorithm)
            for options, strategy, chunks in (
                    (["--devices", "3", "--strategy", "s"], "s", 3),
                    (["--devices", "1", "--strategy", "s", "--chunks", "5"], "s", 5),
                    (["--devices", "3", "--strategy", "p"], "p", 1)):
                with self.subTest(algorithm=algorithm, options=options):
                    report, rows = self.run_algorithm(algorithm, *options)
                    self.assertEqual(report["strategy"], strategy)
                    self.assertEqual(report["chunks"], chunks)
                    if algorithm in ("pagerank", "rwr"):
                        for (v, a), (w, b) in zip(rows, expected):
                            self.assertEqual(v, w)
                            self.assertAlmostEqual(float(a), float(b), delta=2e-5)
                    else:
                        self.assertEqual(rows, expected)

    def test_what_does_not_fit_under_p_runs_under_s_and_auto(self):
        for algorithm in ("bfs", "pagerank"):
            with self.subTest(algorithm=algorithm):
                words = [algorithm, "u.fg", *harness.ALGORITHMS[algorithm], "--devices", "4", *TIGHT]
                shown = self.fails(4, "strategy s needs", *words, "--strategy", "p")
                self.assertIn("chunks", shown)
                for options in (["--strategy", "s"], []):
                    report = self.json(*words, *options)
                    self.assertEqual(report["strategy"], "s")
                    self.assertGreaterEqual(report["chunks"], 4)
                    self.assertLessEqual(report["peak_device_bytes"], TIGHT[1])

    def test_pairs_of_lists_meet_whoever_their_pages_are_dealt_to(self):
        self.graph("k8", "".join(f"{i} {j}\n" for i in range(8) for j in range(i)), "--undirected")
        for devices in (1, 2, 3, 5):
            for size in (4, 16):
                report = self.json("tc", "k8.fg", "--devices", devices, "--page-size", size)
                self.assertEqual(report["result"]["triangles"], 56)

    def test_a_memory_without_limit_is_never_too_small(self):
        self.ok("generate", "rmat", "--scale", "12", "--layout", "slotted", "--page-size", "64KiB",
                "-o", "slotted.fg", "-q")
        for algorithm in ("bfs", "cc", "pagerank"):
            for devices in (1, 2):
                report = self.json(algorithm, "slotted.fg", *harness.ALGORITHMS[algorithm],
                                   "--devices", devices)
                self.assertEqual(report["strategy"], "p")

    def test_betweenness_of_many_is_not_refused_more_memory(self):
        chosen = random.Random(3)
        lines = "".join(f"{chosen.randrange(3500)} {chosen.randrange(3500)}\n" for _ in range(20000))
        self.graph("many", lines, "--undirected")
        words = ["bc", "many.fg", "--k", 8, "--devices", 1, "-q", "--device-memory"]
        enough = [self.run_raw(*map(str, words), str(m)).returncode == 0
                  for m in range(1100000, 2200000, 30000)]
        self.assertEqual(enough, sorted(enough))
        self.assertTrue(enough[-1])

    def test_auto_keeps_what_fits_on_each_device(self):
        report = self.json("pagerank", "u.fg", "--devices", "2")
        self.assertEqual((report["strategy"], report["chunks"]), ("p", 1))
        report = self.json("pagerank", "u.fg")
        self.assertEqual((report["strategy"], report["chunks"]), (None, None))

    def test_algorithms_that_cannot_split_refuse(self):
        for algorithm in ("bc", "edge-bc", "tc", "kcore", "degrees", "radius", "neighborhood", "harmonic", "closeness", "eccentricity"):
            with self.subTest(algorithm=algorithm):
                self.fails(2, f"{algorithm} cannot split its vertex state", algorithm, "u.fg",
                           *harness.ALGORITHMS[algorithm], "--devices", "2", "--strategy", "s")

    def test_searches_from_each_source_are_split_one_after_the_other(self):
        sources = [word for v in range(8) for word in ("--source", v)]
        tables = []
        for options in ([], ["--devices", "2", "--strategy", "s"]):
            report = self.json("bfs", "u.fg", *sources, "--each", "-o", "each.tsv", *options)
            tables.append(self.table("each.tsv"))
        self.assertEqual(report["chunks"], 2)
        self.assertEqual(*tables)

    def test_options_without_effect_are_refused(self):
        self.fails(2, "--strategy has no effect without --devices or --device cuda:N,N,...", "cc", "u.fg", "--strategy", "s")
        self.fails(2, "--chunks has no effect without --strategy s", "cc", "u.fg", "--devices", "2",
                   "--chunks", "2")


if __name__ == "__main__":
    harness.main()
