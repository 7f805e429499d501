"""Packed lists from outside: made, described, read by their specification, and the same answers on them."""

import itertools
import json
import os
import re
import struct
import subprocess
import sys

import harness
import test_bench_link
import test_same_everywhere

READ_FG = harness.ROOT / "tests" / "store_format" / "read_fg.py"
PLACES = {
    "unpacked": [],
    "resident": ["--residency", "resident"],
    "streamed": ["--residency", "stream", "--page-size", "8KiB"],
    "streamed within": ["--residency", "stream", "--page-size", "64KiB", "--host-memory", "4MiB"],
    "two devices": ["--devices", "2", "--residency", "stream", "--page-size", "16KiB",
                    "--device-memory", "1MiB"],
}


class Packed(harness.CliTest):
    values = test_same_everywhere.SameEverywhere.values

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = ["generate", "rmat", "--scale", "9", "--edge-factor", "12", "--weights", "1:20", "-q"]
        for name, options in {"u": [], "d": ["--directed"]}.items():
            cls.ok(*made, *options, "-o", f"{name}.fg")
            cls.ok(*made, *options, "-o", f"{name}-packed.fg", "--pack")
        cls.write("line.txt", "0 1\n")

    def read(self, graph):
        """Its lists and labels, by another reader."""
        text = subprocess.run([sys.executable, READ_FG, graph], cwd=self.directory, check=True,
                              capture_output=True, text=True).stdout
        return [line for line in text.splitlines() if not line.startswith("provenance")]

    def same(self, packed, csr):
        """It verifies, and has the lists of the other."""
        self.ok("verify", packed, "-q")
        self.assertTrue(self.read(packed) == self.read(csr))

    def patched(self, name, section, at, value):
        """A copy with bytes of a section changed, under checksums that match."""
        offset = {s["name"]: s["offset"] for s in self.json("info", name)["sections"]}[section]
        data = bytearray((self.directory / name).read_bytes())
        data[offset + at:offset + at + len(value)] = value
        (self.directory / "patched.fg").write_bytes(data)
        subprocess.run([os.environ["FATHOM_RESEAL"], self.directory / "patched.fg"], check=True)
        return "patched.fg"

    def table_of(self, algorithm, graph, *options):
        self.ok(algorithm, graph, *harness.ALGORITHMS[algorithm], *options, "-q", "-o", "r.tsv")
        return (self.directory / "r.tsv").read_text()

    def test_results_are_those_of_csr(self):
        for algorithm in harness.SAMPLED:
            graph = "u" if algorithm in harness.UNDIRECTED else "d"
            expected = self.table_of(algorithm, f"{graph}.fg")
            for place, options in PLACES.items():
                with self.subTest(algorithm=algorithm, place=place):
                    actual = self.table_of(algorithm, f"{graph}-packed.fg", *options, "--verify")
                    if algorithm not in harness.ROUNDED:
                        self.assertTrue(actual == expected)
                    elif actual != expected:
                        a, e = ([float(x) for x in text.split()[len(text.split("\n")[0].split()):]]
                                for text in (actual, expected))
                        self.assertEqual(len(a), len(e))
                        self.assertLess(sum(abs(x - y) for x, y in zip(a, e) if x != y), 1.2e-5)

    def test_draws_and_parts_are_those_of_csr(self):
        self.write("some.txt", "\n".join(map(str, range(0, 500, 7))))
        for words in (["walks", "--per-vertex", "2", "--length", "9", "--seed", "1"],
                      ["walks", "--per-vertex", "1", "--length", "9", "--p", ".5", "--q", "2"],
                      ["sample", "--seeds", "some.txt", "--fan-out", "4,3", "--seed", "2"],
                      ["egonet", "--source", "3"], ["subgraph", "--vertices", "some.txt"],
                      ["bfs", "--source", "3", "--parents"]):
            self.ok(words[0], "d.fg", *words[1:], "-q", "-o", "r.tsv")
            expected = (self.directory / "r.tsv").read_text()
            for place, options in PLACES.items():
                with self.subTest(words=words, place=place):
                    self.ok(words[0], "d-packed.fg", *words[1:], *options, "-q", "-o", "r.tsv")
                    self.assertTrue((self.directory / "r.tsv").read_text() == expected)

    def test_budgets_that_are_just_enough(self):
        made = ["generate", "rmat", "--scale", "16", "--weights", "1:9", "--directed", "-q"]
        self.ok(*made, "-o", "large.fg")
        self.ok(*made, "-o", "large-packed.fg", "--pack")
        words = {s["name"]: s for s in self.json("info", "large-packed.fg")["sections"]}["out.packed"]
        self.assertGreater(words["checksum_blocks"], 1)
        self.ok("verify", "large-packed.fg", "-q")
        for algorithm in ("sssp", "scc", "cc"):
            expected = self.table_of(algorithm, "large.fg")
            for page, where in itertools.product(("16KiB", "1MiB"), ([], ["--devices", "2"])):
                with self.subTest(algorithm=algorithm, page=page, where=where):
                    words = [algorithm, "large-packed.fg", *harness.ALGORITHMS[algorithm], "-q", "-o", "r.tsv",
                             "--residency", "stream", *where, "--page-size", page, "--host-memory"]
                    budget = "1MiB"
                    while (done := self.run_raw(*words, budget)).returncode != 0:
                        shown = done.stderr.decode()
                        self.assertEqual(done.returncode, 4, shown)
                        named = re.search(r"at least ([\d.,]+) ([KM]iB) would be needed", shown)
                        self.assertNotEqual(budget, "".join(named.groups()), shown)
                        budget = "".join(named.groups()).replace(",", "")
                    self.assertTrue((self.directory / "r.tsv").read_text() == expected)

    def test_a_plan_names_a_budget_that_would_do(self):
        self.ok("generate", "rmat", "--scale", "16", "--weights", "1:9", "--directed", "-q", "-o", "p.fg", "--pack")
        for algorithm, page in itertools.product(("bfs", "sssp", "pagerank", "cc"), ("4KiB", "64KiB", "1MiB", "4MiB")):
            with self.subTest(algorithm=algorithm, page=page):
                self.streams_within_its_plan(algorithm, "p.fg", page)

    def test_what_a_plan_calls_the_least_is_enough_for_lists_that_are_built(self):
        for graph, algorithms in {"u": ("tc", "lcc", "ktruss"), "d": ("tc", "lcc")}.items():
            for algorithm in algorithms:
                with self.subTest(graph=graph, algorithm=algorithm):
                    ask = [algorithm, f"{graph}-packed.fg", "--threads", 2]
                    planned = self.run_raw("plan", *ask, "--host-memory", 1)
                    self.assertEqual(planned.returncode, 4)
                    least = planned.stderr.decode().split("a --host-memory of ")[1].split()[0]
                    self.ok(*ask, "-q", "--host-memory", least)

    def test_a_gpu_reads_in_place_what_does_not_fit_unpacked(self):
        self.write("gpu.json", json.dumps(test_bench_link.PROFILE))
        self.ok("generate", "rmat", "--scale", "16", "-q", "-o", "i.fg", "--pack")
        self.ok("convert", "i.fg", "-q", "-o", "i-csr.fg")
        sizes = {s["name"]: s["bytes"] for s in self.json("info", "i.fg")["sections"]}
        edges = self.json("info", "i.fg")["graph"]["edges"]

        def plan(memory, *words, algorithm="bfs"):
            told = self.json("plan", algorithm, "i.fg", "--link", "gpu.json", "--host-memory", "1GiB",
                             "--device-memory", memory, *words)
            return told, {(held["tier"], held["what"]): held["bytes"] for held in told["holdings"]}

        told, held = plan("64MiB")
        self.assertEqual(told["residency"], "resident")
        self.assertEqual(held["device", "lists"], 4 * edges)
        told, held = plan("9MiB")
        self.assertEqual(told["residency"], "resident")
        self.assertIn("packed lists are read in place", told["reason"])
        self.assertEqual(held["device", "lists, packed in place"],
                         sizes["out.packed"] + sizes["out.packed.index"])
        self.assertEqual(held["device", "where blocks of packed lists begin"], -(-edges // 64) * 4)
        told, held = plan("9MiB", "--packed", "unpacked")
        self.assertEqual(told["residency"], "zerocopy")
        self.assertNotIn("in place", told["reason"])
        self.assertEqual(plan("64MiB", "--packed", "in-place")[1]["device", "lists, packed in place"],
                         sizes["out.packed"] + sizes["out.packed.index"])
        told, held = plan("3MiB")
        self.assertEqual(told["residency"], "zerocopy")
        self.assertIn(("host", "offsets and lists, packed in place"), held)
        self.assertEqual(plan("3MiB", algorithm="pagerank")[0]["residency"], "stream")
        self.fails(2, "whose lists are not packed", "bfs", "i-csr.fg", "--source", "0", "--packed", "unpacked")
        self.fails(2, "not in {auto,in-place,unpacked}", "plan", "bfs", "i.fg", "--packed", "never")

    def test_info_tells_the_bits(self):
        info, csr = self.json("info", "d-packed.fg"), self.json("info", "d.fg")
        self.assertEqual((info["file"]["format"], csr["file"]["format"]), (2, 1))
        self.assertEqual(info["graph"]["fingerprint"], csr["graph"]["fingerprint"])
        sizes = {s["name"]: s["bytes"] for s in info["sections"]}
        edges, layout = info["graph"]["edges"], info["layout"]
        self.assertEqual((layout["kind"], layout["id_bits"], layout["code_bits"],
                          layout["distinct_weights"]), ("packed", 9, 8, 20))
        for side in ("out", "in"):
            ids = sizes[f"{side}.packed"] + sizes[f"{side}.packed.index"]
            self.assertEqual(layout[side]["bytes"], ids + sizes[f"{side}.codes"])
            self.assertAlmostEqual(layout[side]["bits_per_edge"], 8 * ids / edges)
            self.assertEqual(layout[side]["bits_per_weight"], 8)
            self.assertLess(layout[side]["bits_per_edge"], 9)
        self.assertEqual(sizes["out.packed.index"], 8 * (-(-edges // 1024) + 1))
        self.assertFalse({"out.targets", "out.weights", "out.pairs"} & set(sizes))
        text = self.ok("info", "d-packed.fg")
        self.assertIn("packed; ids of 9 bits in differences, weights of 8 bits: 20 distinct ones", text)
        self.assertIn(f"{layout['in']['bits_per_edge']:.2f} bits per edge and 8.00 of its weight", text)
        self.assertNotIn("in", self.json("info", "u-packed.fg")["layout"])

    def test_a_store_gets_another_layout_and_back(self):
        fingerprint = self.json("info", "d.fg")["graph"]["fingerprint"]
        self.same("d-packed.fg", "d.fg")
        self.same("u-packed.fg", "u.fg")
        for before, after in (([], ["--pack"]), (["--pack"], ["--layout", "slotted"]),
                              (["--layout", "slotted"], ["--layout", "packed"]),
                              (["--pack"], ["--narrow"]), (["--narrow"], ["--pack"]),
                              (["--pack"], ["--pack"]), (["--pack"], [])):
            with self.subTest(before=before, after=after):
                self.ok("convert", "d.fg", "-o", "before.fg", "-q", *before)
                made = self.json("convert", "before.fg", "-o", "after.fg", *after)
                self.assertEqual(made["graph"]["fingerprint"], fingerprint)
                self.same("after.fg", "d.fg")
        self.ok("convert", "d.fg", "-o", "other.fg", "-q", "--pack", "--no-in-edges")
        self.assertFalse(self.json("info", "other.fg")["in_edges"])
        self.ok("verify", "other.fg", "-q")
        self.ok("convert", "d-packed.fg", "-o", "a.tsv", "-q")
        self.ok("convert", "d.fg", "-o", "b.tsv", "-q")
        self.assertEqual(*((self.directory / name).read_bytes() for name in ("a.tsv", "b.tsv")))

    def test_an_order_keeps_it(self):
        ordered = self.json("reorder", "d-packed.fg", "--method", "degree", "-o", "ordered.fg")
        self.assertEqual(ordered["layout"]["kind"], "packed")
        self.ok("reorder", "d.fg", "--method", "degree", "-o", "ordered-csr.fg", "-q")
        self.same("ordered.fg", "ordered-csr.fg")

    def test_text_is_packed_at_once(self):
        self.ok("convert", "d.fg", "-o", "lists.tsv", "-q")
        words = ["convert", "lists.tsv", "--third-column", "weight"]
        self.ok(*words, "-o", "plain.fg", "-q")
        made = self.json(*words, "-o", "packed.fg", "--pack", "--memory", "64MiB", "--threads", "1")
        self.assertEqual(made["layout"]["kind"], "packed")
        self.same("packed.fg", "plain.fg")

    def test_threads_and_memory_do_not_show(self):
        self.ok("convert", "d.fg", "-o", "a.fg", "-q", "--pack", "--threads", "1", "--memory", "32MiB")
        self.ok("convert", "d.fg", "-o", "b.fg", "-q", "--pack", "--threads", "3")
        self.assertTrue(self.read("a.fg") == self.read("b.fg"))
        sizes = [self.json("info", name)["sections"][:6] for name in ("a.fg", "b.fg")]
        self.assertEqual(*sizes)
        self.fails(4, "at least 32 MiB", "convert", "d.fg", "-o", "x.fg", "--pack", "--memory",
                   "1MiB")

    def test_small_graphs(self):
        self.write("nothing.txt", "")
        self.write("loop.txt", "7 7\n")
        star = "".join(f"0 {i} {i % 3}\n" for i in range(1, 3000))
        self.write("star.txt", star)
        for name, options in {"nothing": [], "loop": [], "line": [], "star": []}.items():
            for way in ("--directed", "--undirected"):
                with self.subTest(graph=name, way=way):
                    words = ["convert", f"{name}.txt", way, *options, "-q"]
                    self.ok(*words, "-o", "plain.fg")
                    self.ok(*words, "-o", "packed.fg", "--pack")
                    self.same("packed.fg", "plain.fg")
                    info = self.json("info", "packed.fg")
                    self.assertEqual(info["layout"]["kind"], "packed")
                    if name == "nothing":
                        self.assertIsNone(info["layout"]["out"]["bits_per_edge"])
                    self.ok("info", "packed.fg")
                    expected = self.values("degrees", "plain.fg")
                    for place, where in PLACES.items():
                        with self.subTest(place=place):
                            self.assertTrue(self.values("degrees", "packed.fg", *where) == expected)

    def test_weights_that_are_many_stay_as_they_are(self):
        edges = "\n".join(f"{i % 500} {i // 500} {i + .5}" for i in range(65537))
        self.write("many.txt", edges + "\n")
        self.write("most.txt", edges[:edges.rindex("\n")] + "\n")
        for name, bits, values in (("many", 0, 0), ("most", 16, 65536)):
            with self.subTest(weights=name):
                words = ["convert", f"{name}.txt", "--third-column", "weight", "-q"]
                self.ok(*words, "-o", "plain.fg")
                self.ok(*words, "-o", "packed.fg", "--pack")
                self.same("packed.fg", "plain.fg")
                layout = self.json("info", "packed.fg")["layout"]
                self.assertEqual((layout["code_bits"], layout["distinct_weights"]), (bits, values))
                self.assertEqual(layout["out"]["bits_per_weight"], bits or 32)
                self.assertEqual("weights as they are" in self.ok("info", "packed.fg"), bits == 0)
                expected = self.values("sssp", "plain.fg")
                for place, options in PLACES.items():
                    with self.subTest(place=place):
                        self.assertTrue(
                            self.values("sssp", "packed.fg", *options, "--verify") == expected)

    def test_triangle_lists_go_along(self):
        self.ok("convert", "lists.tsv" if (self.directory / "lists.tsv").exists() else "line.txt",
                "-o", "t.fg", "-q", "--triangle-lists", "--undirected", "--pack")
        self.assertIn("oriented.targets", [s["name"] for s in self.json("info", "t.fg")["sections"]])
        self.ok("verify", "t.fg", "-q")
        self.ok("tc", "t.fg", "--verify", "-q")

    def test_stripes_are_read(self):
        for disk in ("one", "two"):
            (self.directory / disk).mkdir()
        disks = ["--ssd", "one", "two"]
        self.ok("stripe", "d-packed.fg", *disks, "-q")
        expected = self.values("sssp", "d.fg")
        self.assertTrue(
            self.values("sssp", "d-packed.fg", "--residency", "stream", *disks) == expected)

    def test_what_cannot_be_is_refused(self):
        new = ["d.fg", "-o", "x.fg", "--pack"]
        self.fails(2, "--layout slotted", "convert", *new, "--layout", "slotted")
        self.fails(2, "--layout csr", "convert", *new, "--layout", "csr")
        self.fails(2, "one of these", "convert", *new, "--narrow")
        self.fails(2, "--layout packed", "convert", "d.fg", "-o", "x.fg", "--layout", "packed", "--narrow")
        self.fails(2, "--layout csr", "convert", "d.fg", "-o", "x.fg", "--layout", "csr", "--narrow")
        self.fails(2, "apart", "convert", *new, "--interleave-weights")
        self.fails(2, "--page-size has no effect", "convert", *new, "--page-size", "1MiB")
        self.fails(2, "no .fg file", "convert", "d.fg", "-o", "x.tsv", "--pack")
        self.fails(2, "pages of 4 KiB or more", "cc", "d-packed.fg", "--residency", "stream",
                   "--page-size", "2KiB")
        self.assertFalse((self.directory / "x.fg").exists())

    def test_damage_is_named(self):
        damaged = bytearray((self.directory / "d-packed.fg").read_bytes())
        sections = {s["name"]: s for s in self.json("info", "d-packed.fg")["sections"]}
        damaged[sections["out.packed"]["offset"] + 100] ^= 1
        (self.directory / "damaged.fg").write_bytes(damaged)
        for words in (["verify", "damaged.fg"], ["cc", "damaged.fg"],
                      ["cc", "damaged.fg", "--residency", "stream"],
                      ["convert", "damaged.fg", "-o", "x.fg"]):
            with self.subTest(words=words):
                self.fails(3, "out.packed", *words)

    def test_what_is_no_group_is_named(self):
        cases = {
            "out.packed": (0, b"\x3f", "group 0"),           # fields wider than ids
            "out.packed.index": (8, b"\0" * 8, "out.packed"),
            "packed": (0, struct.pack("<I", 10), "unknown layout"),
            "out.codes": (5, b"\x14", "has no value"),      # of 20 weights
        }
        for section, (at, value, what) in cases.items():
            bad = self.patched("d-packed.fg", section, at, value)
            for words in (["verify", bad], ["sssp", bad, "--source", "0"],
                          ["sssp", bad, "--source", "0", "--residency", "stream"],
                          ["sssp", bad, "--source", "0", "--residency", "stream", "--devices", "2"],
                          ["convert", bad, "-o", "x.fg"]):
                with self.subTest(section=section, words=words):
                    self.fails(3, what, *words)


if __name__ == "__main__":
    harness.main()
