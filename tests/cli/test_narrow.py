"""Narrow lists from outside: made, described, checked, and the same answers on them."""

import itertools
import re

import harness
import test_same_everywhere

PLACES = {
    "widened": [],
    "resident": ["--residency", "resident"],
    "streamed": ["--residency", "stream", "--page-size", "4KiB"],
    "streamed within": ["--residency", "stream", "--page-size", "64KiB", "--host-memory", "5MiB"],
    "two devices": ["--devices", "2", "--residency", "stream", "--page-size", "16KiB", "--device-memory", "3MiB"],
}


class Narrow(harness.CliTest):
    values = test_same_everywhere.SameEverywhere.values

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = ["generate", "rmat", "--scale", "11", "--edge-factor", "8", "--weights", "1:20", "-q",
                "--directed"]
        cls.ok(*made, "-o", "csr.fg")
        cls.ok(*made, "-o", "narrow.fg", "--narrow")

    def test_results_are_those_of_csr(self):
        for algorithm in harness.SAMPLED:
            if algorithm in harness.UNDIRECTED:
                continue
            expected = self.values(algorithm, "csr.fg")
            for place, options in PLACES.items():
                with self.subTest(algorithm=algorithm, place=place):
                    actual = self.values(algorithm, "narrow.fg", *options, "--verify")
                    if algorithm not in harness.ROUNDED:
                        self.assertTrue(actual == expected)
                    error = sum(abs(a[0] - e[0]) for a, e in zip(actual, expected) if a[0] != e[0])
                    self.assertLess(error, 1.2e-5)

    def test_info_tells_the_widths(self):
        info, csr = self.json("info", "narrow.fg"), self.json("info", "csr.fg")
        self.assertEqual(info["layout"], {"kind": "narrow", "id_bits": 16, "code_bits": 8,
                                          "distinct_weights": 20})
        self.assertEqual((info["file"]["format"], csr["file"]["format"]), (2, 1))
        self.assertEqual(info["graph"]["fingerprint"], csr["graph"]["fingerprint"])
        sizes = {s["name"]: s["bytes"] for s in info["sections"]}
        words = -(-info["graph"]["edges"] * 24 // 64) + 1
        self.assertEqual((sizes["out.entries"], sizes["in.entries"]), (8 * words, 8 * words))
        self.assertEqual(sizes["weights.values"], 80)
        self.assertFalse({"out.targets", "out.weights"} & set(sizes))
        self.assertIn("narrow; ids of 16 bits, weights of 8: 20 distinct ones",
                      self.ok("info", "narrow.fg"))

    def test_a_store_gets_another_layout_and_back(self):
        fingerprint = self.json("info", "csr.fg")["graph"]["fingerprint"]
        self.ok("convert", "csr.fg", "-o", "other.fg", "-q", "--narrow", "--no-in-edges")
        self.assertFalse(self.json("info", "other.fg")["in_edges"])
        self.ok("verify", "other.fg", "-q")
        back = self.json("convert", "narrow.fg", "-o", "back.fg", "--interleave-weights")
        self.assertEqual(back["layout"], {"kind": "csr"})
        self.assertEqual(back["graph"]["fingerprint"], fingerprint)
        self.ok("verify", "back.fg", "-q")
        ordered = self.json("reorder", "narrow.fg", "--method", "degree", "-o", "ordered.fg")
        self.assertEqual(ordered["layout"]["kind"], "narrow")
        self.ok("verify", "ordered.fg", "-q")
        self.ok("convert", "narrow.fg", "-o", "a.tsv", "-q")
        self.ok("convert", "csr.fg", "-o", "b.tsv", "-q")
        self.assertEqual(*((self.directory / name).read_bytes() for name in ("a.tsv", "b.tsv")))

    def test_what_cannot_be_is_refused(self):
        new = ["csr.fg", "-o", "x.fg", "--narrow"]
        self.fails(2, "--layout slotted", "convert", *new, "--layout", "slotted")
        self.fails(2, "side by side", "convert", *new, "--interleave-weights")
        self.fails(2, "no .fg file", "convert", "csr.fg", "-o", "x.tsv", "--narrow")

    def test_more_weights_than_have_numbers_are_refused(self):
        edges = "\n".join(f"{i % 500} {i // 500} {i + .5}" for i in range(65537))
        self.write("many.txt", edges + "\n")
        self.fails(2, "codes for 65,536 distinct weights", "convert", "many.txt", "-o", "many.fg",
                   "--narrow")
        self.write("most.txt", edges[:edges.rindex("\n")] + "\n")
        self.ok("convert", "most.txt", "-o", "most.fg", "--narrow", "-q")
        self.assertEqual(self.json("info", "most.fg")["layout"]["code_bits"], 16)
        self.ok("verify", "most.fg", "-q")

    def test_what_does_not_fit_names_what_would(self):
        self.fails(4, "--residency stream", "cc", "narrow.fg", "--host-memory", "64KiB", "--residency", "resident")

    def test_a_plan_names_a_budget_that_would_do(self):
        for weights in ("1:9", "1:60000"):  # entries of 24 and 32 bits
            self.ok("generate", "rmat", "--scale", "16", "--weights", weights, "--directed", "-q", "-o", "p.fg",
                    "--narrow")
            for algorithm, page in itertools.product(("bfs", "sssp", "cc"), ("4KiB", "1MiB", "4MiB")):
                with self.subTest(algorithm=algorithm, page=page, weights=weights):
                    self.streams_within_its_plan(algorithm, "p.fg", page)

    def test_stripes_are_read_side_by_side(self):
        (self.directory / "one").mkdir()
        (self.directory / "two").mkdir()
        self.ok("stripe", "narrow.fg", "--ssd", "one", "--ssd", "two", "-q")
        streamed = ["--residency", "stream", "--page-size", "16KiB"]
        for algorithm in ("sssp", "cc"):
            expected = self.values(algorithm, "csr.fg")
            actual = self.values(algorithm, "narrow.fg", *streamed, "--ssd", "one", "--ssd", "two", "--verify")
            self.assertTrue(actual == expected)


if __name__ == "__main__":
    harness.main()
