"""What plans say of ranks, beside what ranks report when they run."""

import json
import sys

import harness
import test_ranks  # ends here where there is no MPI

sys.path.append(str(harness.ROOT / "bench"))
import predict_ranks  # noqa: E402


class RankPlans(harness.CliTest):
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

    ranks = test_ranks.Ranks.ranks
    succeeds = test_ranks.Ranks.succeeds

    def planned(self, ranks, *words):
        plan = json.loads(self.ok("plan", *words, "--ranks", ranks, "--json"))
        self.assertIsNone(plan["prediction"])
        self.assertEqual(plan["ranks"]["ranks"], ranks)
        return plan["ranks"]

    def sent(self, ranks, algorithm, graph, *more):
        source = ["--source", self.hubs[graph]] if algorithm in ("bfs", "sssp") else []
        words = [algorithm, f"{graph}.fg", *source, *more, "--json"]
        report = json.loads(self.succeeds(ranks, *words))
        return max(row["bytes_sent"] for row in report["ranks"])

    def test_pagerank_and_components_are_told_exactly(self):
        for ranks in (2, 3, 4):
            for graph in ("r", "d", "g"):
                for algorithm, *more in (["pagerank", "--max-iter", "7", "--tol", "0"], ["cc"],
                                         ["cc", "--no-sampling"]):
                    with self.subTest(ranks=ranks, graph=graph, algorithm=algorithm, more=more):
                        told = self.planned(ranks, algorithm, f"{graph}.fg", *more)["bytes_sent"]
                        sent = self.status_of_any(ranks, algorithm, graph, *more)
                        self.assertEqual((told["low"], told["high"]), (sent, sent))
        more = ["--weighted", "--max-iter", "3", "--tol", "0"]
        self.assertEqual(self.planned(3, "pagerank", "r.fg", *more)["bytes_sent"]["low"],
                         self.status_of_any(3, "pagerank", "r", *more))

    def status_of_any(self, ranks, algorithm, graph, *more):
        """Also of ranks that did not converge (exit status 7)."""
        status, shown, said = self.ranks(ranks, algorithm, f"{graph}.fg", *more, "--json")
        self.assertIn(status, (0, 7), said)
        return max(row["bytes_sent"] for row in json.loads(shown)["ranks"])

    def test_searches_are_told_within_a_factor(self):
        for algorithm, factor in (("bfs", 1.5), ("sssp", 2), ("kcore", 2)):
            for ranks in (2, 4):
                for graph in ("r", "u", "g"):
                    with self.subTest(algorithm=algorithm, ranks=ranks, graph=graph):
                        told = self.planned(ranks, algorithm, f"{graph}.fg")["bytes_sent"]["low"]
                        sent = self.sent(ranks, algorithm, graph)
                        self.assertLess(max(told, sent), factor * min(told, sent))

    def test_a_pilot_tells_levels(self):
        for graph in ("r", "u", "g", "d"):
            with self.subTest(graph=graph):
                its = self.planned(3, "bfs", f"{graph}.fg", "--pilot", "--parents")
                self.assertIn("pilot", its["basis"])
                sent = self.sent(3, "bfs", graph, "--parents")
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
        for words, why in ((["tc", "r.fg"], "no model"),
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
                words += ["--no-in-place"] if algorithm == "pagerank" else []
                alone = json.loads(self.ok(*words))
                row = {"algorithm": algorithm, **alone["graph"],
                       "supersteps": [(s["frontier"], s["edges"], s["direction"])
                                      for s in alone["supersteps"]]}
                for ranks in (2, 3, 4):
                    with self.subTest(graph=graph, algorithm=algorithm, ranks=ranks):
                        rows = json.loads(self.succeeds(ranks, *words))["ranks"]
                        mean = sum(its["bytes_sent"] for its in rows) / ranks
                        told = predict_ranks.sent_by_model(row, ranks)
                        self.assertLess(abs(told - mean), .02 * mean)

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
