"""The model of many ranks: its bytes beside those recorded, and what it says beside the page."""

import json
import math
import sys

import harness

sys.path.append(str(harness.ROOT / "bench"))
import predict_ranks  # noqa: E402

RECORDED = harness.ROOT / "bench" / "results" / "epyc" / "ranks.json"


class PredictRanks(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.result = json.loads(RECORDED.read_text(encoding="utf-8"))

    def test_bytes_are_those_that_ranks_sent(self):
        seen = set()
        for row in self.result["recorded"]:
            for ranks, sent in row["ranks"].items():
                with self.subTest(graph=row["graph"], algorithm=row["algorithm"], ranks=ranks):
                    self.assertEqual(len(sent), int(ranks))
                    mean = sum(sent) / len(sent)
                    told = predict_ranks.sent_by_model(row, int(ranks))
                    # Ids of a road are nearly by rows: fewer are hooked than if they were random.
                    guess = (row["graph"], row["algorithm"]) == ("road18", "cc")
                    self.assertLess(abs(told - mean), (.2 if guess else .01) * mean)
                    seen.add((row["graph"], row["algorithm"], int(ranks)))
        for graph in ("rmat18", "grid400x300"):
            for algorithm in ("bfs", "pagerank", "cc"):
                for ranks in (2, 3, 4):
                    self.assertIn((graph, algorithm, ranks), seen)

    def test_the_smaller_scales_foretell_the_largest(self):
        """The shape of supersteps, taken from two scales below, for all that is exchanged."""
        for algorithm in ("bfs", "pagerank", "cc"):
            below = predict_ranks.find(self.result, "rmat18", algorithm)
            there = predict_ranks.find(self.result, "rmat20", algorithm)
            shape, steps = predict_ranks.scaled(below, algorithm, 20)
            for ranks, sent in there["ranks"].items():
                its = predict_ranks.Exchanges(int(ranks), shape["vertices"])
                predict_ranks.exchange(algorithm, shape, steps, its)
                with self.subTest(algorithm=algorithm, ranks=ranks):
                    mean = sum(sent) / len(sent)
                    self.assertLess(abs(its.bytes - mean), .1 * mean)

    def test_rmat_leaves_vertices_without_edges(self):
        for scale in (16, 18, 20):
            found = predict_ranks.find(self.result, f"rmat{scale}", "bfs")
            reached = sum(step[0] for step in found["supersteps"])
            share, lowest = predict_ranks.rmat_shares(scale)
            self.assertLess(abs(share * 2 ** scale - reached), .1 * reached)
            self.assertLess(abs(lowest * 2 ** scale - found["lowest"]), .1 * found["lowest"])

    def test_more_ranks_do_not_take_less_for_nothing(self):
        link = predict_ranks.RANKS_OF["GPU"]
        for _, algorithm, shape, steps in predict_ranks.cases(self.result):
            alone, sent = predict_ranks.predict(algorithm, shape, steps, 1, link)
            self.assertEqual(sent, 0)
            for ranks in predict_ranks.COUNTS:
                took, sent = predict_ranks.predict(algorithm, shape, steps, ranks, link)
                self.assertGreater(took, alone / ranks)
                self.assertGreater(sent, 0)
                self.assertTrue(math.isfinite(took))

    def test_the_pages_have_what_the_script_says(self):
        page = (harness.ROOT / "docs" / "how" / "ranks.md").read_text(encoding="utf-8")
        for line in predict_ranks.predictions(self.result):
            self.assertIn(line, page)
        page = RECORDED.with_suffix(".md").read_text(encoding="utf-8")
        for line in predict_ranks.page(self.result)[1:]:
            self.assertIn(line, page)


if __name__ == "__main__":
    harness.main()
