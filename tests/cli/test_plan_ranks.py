"""What plans say of ranks, beside what ranks report when they run."""

import json
import sys

import harness
import launching

launching.need_ranks()
sys.path.append(str(harness.ROOT / "bench"))
import predict_ranks  # noqa: E402


class RankPlans(launching.RankTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "13", "--weights", "1:99", "-o", "r.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "11", "--directed", "-o", "d.fg", "-q")
        cls.ok("generate", "uniform", "--scale", "12", "--weights", "1:99", "-o", "u.fg", "-q")
        cls.ok("generate", "grid", "--rows", "120", "--cols", "90", "--weights", "1:99", "-o", "g.fg",
               "-q")
        cls.hubs = {}
        for graph in ("r", "d", "u", "g"):
            degrees = json.loads(cls.ok("degrees", f"{graph}.fg", "--top", "1", "--json"))
            cls.hubs[graph] = degrees["result"]["top"][0]["vertex"]

    def planned(self, ranks, *words):
        plan = json.loads(self.ok("plan", *words, "--ranks", ranks, "--json"))
        self.assertIsNone(plan["prediction"])
        self.assertEqual(plan["ranks"]["ranks"], ranks)
        return plan["ranks"]

    def sent(self, ranks, algorithm, graph, *more):
        """By each rank, ascending; also of ranks that did not converge (exit status 7)."""
        source = ["--source", self.hubs[graph]] if algorithm in ("bfs", "sssp") else []
        words = [algorithm, f"{graph}.fg", *source, *more, "--json"]
        status, shown, said = self.ranks(ranks, *words)
        self.assertIn(status, (0, 7), said)
        return sorted(row["bytes_sent"] for row in json.loads(shown)["ranks"])

    def test_pagerank_is_told_exactly(self):
        for ranks in (2, 3, 4):
            for graph, *more in (["r", "--tol", "0"], ["d", "--tol", "0"], ["g"],
                                 ["r", "--no-in-place"], ["d", "--alpha", "1"],
                                 ["r", "--weighted", "--tol", "0"],
                                 ["g", "--residency", "stream", "--tol", "0"]):
                with self.subTest(ranks=ranks, graph=graph, more=more):
                    more += ["--max-iter", "3"]
                    told = self.planned(ranks, "pagerank", f"{graph}.fg", *more)["bytes_sent"]
                    sent = self.sent(ranks, "pagerank", graph, *more)
                    self.assertEqual((told["low"], told["high"]), (sent[0], sent[-1]))

    def test_components_are_told_within_a_factor(self):
        for ranks in (2, 3, 4):
            for graph in ("r", "d", "u", "g"):
                for more in ([], ["--no-sampling"]):
                    with self.subTest(ranks=ranks, graph=graph, more=more):
                        told = self.planned(ranks, "cc", f"{graph}.fg", *more)["bytes_sent"]
                        sent = self.sent(ranks, "cc", graph, *more)
                        mean = sum(sent) / ranks
                        self.assertLess(told["low"], 2 * mean)
                        self.assertGreater(told["low"], mean / 2)
                        if graph != "d" and not more:
                            self.assertLess(told["low"], 1.05 * sent[0])
                            self.assertGreater(told["high"], .95 * sent[-1])

    def test_searches_are_told_within_a_factor(self):
        for algorithm, factor in (("bfs", 1.5), ("sssp", 2), ("kcore", 2)):
            for ranks in (2, 4):
                for graph in ("r", "u", "g"):
                    if (algorithm, graph) == ("sssp", "g"):  # by several buckets at a time
                        self.assertIsNone(self.planned(ranks, algorithm, "g.fg")["bytes_sent"])
                        continue
                    with self.subTest(algorithm=algorithm, ranks=ranks, graph=graph):
                        more = self.every_level(algorithm, graph)
                        told = self.planned(ranks, algorithm, f"{graph}.fg", *more)["bytes_sent"]["low"]
                        sent = sum(self.sent(ranks, algorithm, graph, *more)) / ranks
                        self.assertLess(max(told, sent), factor * min(told, sent))

    @staticmethod
    def every_level(algorithm, graph):
        """Of a grid, ranks search several levels at a time, and nobody knows what is told."""
        return ["--direction", "push"] if (algorithm, graph) == ("bfs", "g") else []

    def test_a_pilot_tells_levels(self):
        for graph in ("r", "u", "g", "d"):
            with self.subTest(graph=graph):
                more = ["--parents", *self.every_level("bfs", graph)]
                its = self.planned(3, "bfs", f"{graph}.fg", "--pilot", *more)
                self.assertIn("pilot", its["basis"])
                sent = sum(self.sent(3, "bfs", graph, *more)) / 3
                self.assertLess(abs(its["bytes_sent"]["low"] - sent), .1 * sent)

    def test_the_least_does_for_each_rank(self):
        for algorithm in ("bfs", "cc", "sssp", "kcore", "pagerank"):
            source = ["--source", self.hubs["r"]] if algorithm in ("bfs", "sssp") else []
            for ranks in (2, 4):
                with self.subTest(algorithm=algorithm, ranks=ranks):
                    words = ["plan", algorithm, "r.fg", "--ranks", ranks, "--json"]
                    plan = json.loads(self.ok(*words))
                    self.succeeds(ranks, algorithm, "r.fg", *source, "-q", "--host-memory",
                                  plan["host"]["least_bytes"])

    def test_shares_are_even_and_state_is_whole(self):
        for algorithm in ("bfs", "pagerank", "cc", "kcore"):
            with self.subTest(algorithm):
                two, four = (self.planned(n, algorithm, "r.fg") for n in (2, 4))
                self.assertEqual(two["state_bytes"], four["state_bytes"])
                self.assertLess(two["edges_most"], 1.1 * two["edges_least"])
                self.assertAlmostEqual(two["list_bytes"], 2 * four["list_bytes"],
                                       delta=.1 * two["list_bytes"])
                self.assertFalse(two["even"])
        there = self.planned(4, "bfs", "r.fg")
        yet = self.planned(4, "bfs", "--kind", "rmat", "--scale", "13")
        self.assertTrue(yet["even"])
        self.assertLess(abs(yet["bytes_sent"]["low"] - there["bytes_sent"]["low"]),
                        .1 * there["bytes_sent"]["low"])

    def test_what_has_no_model_says_so(self):
        for words, why in ((["tc", "r.fg"], "no model"), (["bfs", "g.fg"], "what crosses between"),
                           (["bfs", "--kind", "watts-strogatz", "--scale", "9"], "levels")):
            its = self.planned(2, *words)
            self.assertIsNone(its["bytes_sent"])
            self.assertIn(why, its["basis"])
            self.assertIn("sent        not known", self.ok("plan", *words, "--ranks", "2"))

    def test_the_model_of_many_ranks_exchanges_what_these_do(self):
        for graph in ("r", "g"):
            for algorithm in ("bfs", "pagerank", "cc"):
                words = [algorithm, f"{graph}.fg", "--json"]
                words += ["--source", self.hubs[graph]] if algorithm == "bfs" else []
                words += self.every_level(algorithm, graph)
                lowest = predict_ranks.rmat_shares(13)[1] * 2 ** 13 if graph == "r" else 0
                alone = json.loads(self.ok(*words))
                for ranks in (2, 3, 4):
                    with self.subTest(graph=graph, algorithm=algorithm, ranks=ranks):
                        ran = json.loads(self.succeeds(ranks, *words))
                        # What PageRank updates in place alone takes fewer iterations.
                        like = ran if algorithm == "pagerank" else alone
                        row = {"algorithm": algorithm, **ran["graph"], "lowest": lowest,
                               "supersteps": [(s["frontier"], s["edges"], s["direction"])
                                              for s in like["supersteps"]]}
                        mean = sum(its["bytes_sent"] for its in ran["ranks"]) / ranks
                        told = predict_ranks.sent_by_model(row, ranks)
                        self.assertLess(abs(told - mean), .03 * mean)

    def test_one_rank_changes_nothing(self):
        for algorithm in ("bfs", "pagerank", "kcore"):
            words = ["plan", algorithm, "r.fg", "--host-memory", "1GiB", "--json"]
            self.assertEqual(self.ok(*words, "--ranks", "1"), self.ok(*words))
        self.assertNotIn("ranks", self.ok("plan", "bfs", "r.fg"))
        self.fails(2, "ranks", "plan", "bfs", "r.fg", "--ranks", "0")
        self.fails(2, "do not split", "plan", "bfs", "r.fg", "--ranks", "2", "--devices", "2",
                   "--device-memory", "64MiB", "--strategy", "s")


if __name__ == "__main__":
    harness.main()
