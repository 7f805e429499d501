"""Slotted pages from outside: made, described, checked, and the same answers on them everywhere."""

import harness
import test_same_everywhere

PAGES = ["--layout", "slotted", "--page-size", "64KiB"]
PLACES = {
    "in place": [],
    "resident": ["--residency", "resident"],
    "streamed": ["--residency", "stream"],
    "two devices": ["--devices", "2", "--residency", "stream", "--device-memory", "3MiB"],
}


class Slotted(harness.CliTest):
    values = test_same_everywhere.SameEverywhere.values

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = ["generate", "rmat", "--scale", "12", "--edge-factor", "12", "--weights", "1:20", "-q",
                "--directed"]
        cls.ok(*made, "-o", "csr.fg")
        cls.ok(*made, "-o", "pages.fg", *PAGES)

    def test_results_are_those_of_csr_everywhere(self):
        for algorithm in harness.ALGORITHMS:
            if algorithm in harness.UNDIRECTED:
                continue
            expected = self.values(algorithm, "csr.fg")
            for place, options in PLACES.items():
                with self.subTest(algorithm=algorithm, place=place):
                    actual = self.values(algorithm, "pages.fg", *options, "--verify")
                    if algorithm not in ("pagerank", "bc", "edge-bc", "rwr"):
                        self.assertTrue(actual == expected)  # a diff of so many lines takes minutes
                    error = sum(abs(a[0] - e[0]) for a, e in zip(actual, expected) if a[0] != e[0])
                    self.assertLess(error, 1.2e-5)

    def test_info_counts_pages(self):
        info = self.json("info", "pages.fg", "--degrees")
        layout = info["layout"]
        self.assertEqual((layout["kind"], layout["page_bytes"]), ("slotted", 65536))
        self.assertEqual((layout["pid_bytes"], layout["slot_bytes"]), (3, 3))
        edges = info["graph"]["edges"]
        for pages in (layout["out"], layout["in"]):
            self.assertEqual(pages["entries_on_small"] + pages["entries_on_large"], edges)
            count = pages["small_pages"] + pages["large_pages"]
            self.assertEqual(pages["bytes"], count * 65536)
            self.assertGreaterEqual(count, edges * 10 / 65536)  # a record id and a weight
        csr = self.json("info", "csr.fg", "--degrees")
        self.assertEqual(csr["layout"], {"kind": "csr"})
        self.assertEqual(csr["graph"]["fingerprint"], info["graph"]["fingerprint"])
        self.assertEqual(csr["degrees"], info["degrees"])
        self.assertIn("small", self.ok("info", "pages.fg"))

    def test_a_store_gets_another_layout_and_back(self):
        fingerprint = self.json("info", "csr.fg")["graph"]["fingerprint"]
        self.ok("convert", "csr.fg", "-o", "other.fg", "-q", "--layout", "slotted", "--pid-bytes", "2",
                "--slot-bytes", "2", "--no-in-edges")
        info = self.json("info", "other.fg")
        self.assertEqual((info["layout"]["pid_bytes"], info["in_edges"]), (2, False))
        self.ok("verify", "other.fg", "-q")
        back = self.json("convert", "pages.fg", "-o", "back.fg", "--interleave-weights")
        self.assertEqual(back["graph"]["fingerprint"], fingerprint)
        self.assertIn("out.pairs", [s["name"] for s in back["sections"]])
        self.ok("verify", "back.fg", "-q")

    def test_what_cannot_be_is_refused(self):
        new = ["csr.fg", "-o", "x.fg"]
        self.fails(2, "without --layout slotted", "convert", *new, "--page-size", "1MiB")
        self.fails(2, "without --layout slotted", "generate", "rmat", "--scale", "4", "-o", "x.fg",
                   "--pid-bytes", "2")
        self.fails(2, "3 and 3 bytes", "convert", *new, "--layout", "slotted", "--pid-bytes", "2")
        self.fails(2, "1 MiB", "convert", *new, "--layout", "slotted", "--page-size", "1000000")
        self.fails(2, "Table 2", "convert", *new, "--layout", "slotted", "--page-size", "2MiB",
                   "--pid-bytes", "4", "--slot-bytes", "2")
        self.fails(2, "--undirected has no effect on a .fg file", "convert", *new, "--undirected")
        self.fails(2, "side by side", "convert", *new, *PAGES, "--interleave-weights")
        self.fails(2, "which have theirs", "cc", "pages.fg", "--residency", "stream", "--page-size",
                   "64KiB")
        self.assertNotIn("x.fg", self.files())

    def test_damage_is_found(self):
        pages = next(s for s in self.json("info", "pages.fg")["sections"] if s["name"] == "out.pages")
        content = bytearray((self.directory / "pages.fg").read_bytes())
        content[pages["offset"] + 70000] ^= 1
        (self.directory / "bad.fg").write_bytes(content)
        self.fails(3, "section 'out.pages'", "verify", "bad.fg")
        self.fails(3, "page 1 (bytes", "cc", "bad.fg")
        self.fails(3, "page 1 ", "convert", "bad.fg", "-o", "x.fg")


if __name__ == "__main__":
    harness.main()
