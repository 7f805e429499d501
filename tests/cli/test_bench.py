"""fathom bench: what is listed, what is refused, and that tables and JSON say the same."""

import json
import os
import re
import sys
import xml.etree.ElementTree

import harness

sys.path.insert(0, str(harness.ROOT / "bench"))
import report_memory

try:
    import jsonschema
except ImportError:
    jsonschema = None

SMALL = ["--kind", "rmat", "--scale", "8"]


class Bench(harness.CliTest):
    def test_list_names_what_there_is(self):
        lines = self.ok("bench", "list").splitlines()
        names = [line.split()[0] for line in lines]
        self.assertIn("requests", names)
        for name, line in zip(names, lines):
            if name != "reuse":  # which no paper has
                self.assertRegex(line, "Figure|Table", line)
            self.assertIn(f"fathom bench {name}", self.ok("bench", name, "--help"))

    def test_what_is_missing_or_unknown_is_refused(self):
        self.fails(2, "needs the name of a benchmark", "bench")
        self.fails(2, "no benchmark 'nonsense'", "bench", "nonsense")
        self.fails(2, "fathom bench list --help", "bench", "list", "nonsense")
        self.fails(2, "fathom bench requests --help", "bench", "requests", "--nonsense")


class Requests(harness.CliTest):
    def test_counts_add_up(self):
        report = self.json("bench", "requests", *SMALL, "--sources", "1")
        self.assertEqual(report["schema"], "fathom.bench.requests/1")
        for access in ("naive", "merged", "aligned"):
            counts = report["access"][access]
            sizes = {n: counts[f"requests_{n}"] for n in (32, 64, 96, 128)}
            self.assertEqual(sum(sizes.values()), counts["requests"])
            self.assertEqual(sum(n * c for n, c in sizes.items()), counts["bytes"])
            for key in ("requests", "bytes"):
                self.assertEqual(sum(level[key] for level in counts["levels"]), counts[key])
            self.assertAlmostEqual(counts["amplification"],
                                   counts["bytes"] / (8 * report["edges"]))
        self.assertEqual(len(report["edge_cdf"]), 97)

    def test_tables_show_every_figure_beside_the_paper(self):
        text = self.ok("bench", "requests", *SMALL)
        for figure in (5, 6, 7, 10):
            self.assertRegex(text, rf"(?m)^Figure {figure}: ")
        for number in ("46.7 %", "1.86x", "1.25x", "83.3 %", "28.8 %", "1.31", "5.16", "2.28", "1.14"):
            self.assertIn(number, text)
        self.assertEqual(self.ok("bench", "requests", *SMALL, "--threads", "1"), text)

    def test_a_file_and_narrow_ids(self):
        path = self.graph("path", "0 1\n1 2\n2 3\n")
        report = self.json("bench", "requests", path, "--id-bytes", "4", "--sources", "2")
        self.assertEqual((report["vertices"], report["edges"], report["id_bytes"]), (4, 3, 4))
        self.assertTrue(re.search("ids of 4 bytes", self.ok("bench", "requests", path,
                                                            "--id-bytes", "4")))

    def test_options_without_effect_are_refused(self):
        path = self.graph("edge", "0 1\n")
        self.fails(2, "no effect", "bench", "requests", path, "--scale", "8")
        self.fails(2, "needs a graph", "bench", "requests", "--kind", "rmat")
        self.fails(2, "8", "bench", "requests", *SMALL, "--id-bytes", "6")
        empty = self.graph("loops", "0 0\n", "--loops", "drop", "--format", "edgelist")
        self.fails(2, "without edges", "bench", "requests", empty)


class Emogi(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "8", "--weights", "8:72", "-o", "w.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "8", "-o", "plain.fg", "-q")

    def test_what_is_asked_wrongly_is_refused_before_a_device_is_sought(self):
        self.fails(2, "graphs", "bench", "emogi")
        for options in (["--apps", "pagerank"], ["--systems", "subway"], ["--id-bytes", "6"],
                        ["--zerocopy", "fast"], ["--sources", "0"], ["--device-memory", "much"]):
            self.fails(2, options[0], "bench", "emogi", "w.fg", *options)
        self.fails(2, "plain.fg has no weights", "bench", "emogi", "w.fg", "plain.fg")
        self.fails(74, "missing.fg", "bench", "emogi", "missing.fg")
        self.write("text.fg", "0 1\n")
        self.fails(3, "text.fg", "bench", "emogi", "text.fg")

    def test_without_a_device_exits_5_and_saves_nothing(self):
        before = self.files()
        self.fails(5, "CUDA", "bench", "emogi", "w.fg", "--save", "new.json",
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(self.files(), before)

    def test_budgets_hold_vertex_state_and_a_quarter_of_the_edges(self):
        budgets = self.json("bench", "emogi", "w.fg", "plain.fg", "--budgets")
        self.assertEqual(set(budgets), {"w.fg", "plain.fg"})
        info = self.json("info", "w.fg")["graph"]
        budget = budgets["w.fg"]
        self.assertEqual(budget["bfs"], budget["cc"])
        self.assertEqual(budget["sssp"] - budget["bfs"], info["edges"])
        self.assertGreater(budget["bfs"], info["edges"] + 56 * info["vertices"])
        self.assertEqual(set(self.json("bench", "emogi", "w.fg", "--budgets", "--apps", "cc")["w.fg"]),
                         {"cc"})


class Msbfs(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "9", "-o", "r.fg", "-q")

    def test_searches_together_fetch_fewer_edges(self):
        report = self.json("bench", "msbfs", "r.fg", "--trials", "1")
        self.assertEqual((report["schema"], report["sources"]), ("fathom.bench.msbfs/1", 64))
        self.assertLess(5 * report["together"]["edges"], report["one_by_one"]["edges"])
        steps = report["together"]["supersteps"]
        self.assertEqual(sum(step["edges"] for step in steps), report["together"]["edges"])

    def test_bytes_are_shown_where_edges_are_streamed(self):
        text = self.ok("bench", "msbfs", "r.fg", "--sources", "8", "--devices", "1",
                       "--page-size", "4096", "--device-memory", "64KiB")
        self.assertRegex(text, r"MB over the link +[0-9.]+ +[0-9.]+ +[0-9.]+x")
        self.assertNotIn("over the link", self.ok("bench", "msbfs", "r.fg", "--sources", "8"))

    def test_what_cannot_be_done_is_refused(self):
        self.fails(2, "65", "bench", "msbfs", "r.fg", "--sources", "65")
        self.fails(2, "graph", "bench", "msbfs")


class Memory(harness.CliTest):
    SMALL = ["--allocations", "2000", "--heap", "16MiB", "--trials", "2"]

    def report(self, *options):
        report = self.json("bench", "memory", *options)
        if jsonschema:
            text = (harness.ROOT / "docs" / "schema" / "bench-memory.schema.json").read_text()
            jsonschema.Draft202012Validator(json.loads(text)).validate(report)
        return report

    def test_variants_stay_dense_and_use_what_they_have(self):
        report = self.report(*self.SMALL, "--rounds", "40", "--allocators", "S-P", "VL-P", "VA-C",
                             "--only", "thread", "fragmentation", "utilisation", "churn")
        self.assertEqual([a["allocator"] for a in report["allocators"]], ["S-P", "VA-C", "VL-P"])
        for allocator in report["allocators"]:
            for filled in allocator["utilisation"]["sizes"]:
                self.assertGreaterEqual(filled["share"], 0.98, (allocator["allocator"], filled))
            self.assertEqual(allocator["fragmentation"][0]["rounds"], 40)
            for row in allocator["thread"] + allocator["fragmentation"]:
                self.assertEqual(row["failed"], 0)
                if row["low"] >= 256:
                    self.assertLess(row["span_bytes_most"], 1.1 * row["rounded_bytes"],
                                    (allocator["allocator"], row))
            spans = allocator["churn"]["span_bytes"]
            self.assertEqual(len(spans), 40)
            self.assertLess(spans[-1], 1.3 * spans[4])
            self.assertEqual(allocator["scaling"] + allocator["mixed"] + allocator["work"], [])
            self.assertIn("thread: 2000 allocations of 8192 B: more than the heap holds", allocator["left_out"])

    def test_rows_say_what_was_asked_for(self):
        report = self.report("--allocations", "500", "1000", "--sizes", "24", "100", "--heap", "16MiB",
                             "--trials", "3", "--only", "thread", "mixed", "scaling", "work")
        for allocator in report["allocators"]:
            rows = allocator["thread"]
            self.assertEqual([(r["blocks"], r["high"]) for r in rows], [(500, 24), (500, 100), (1000, 24), (1000, 100)])
            for row in rows:
                self.assertEqual((row["rounds"], row["asked_bytes"]), (3, row["blocks"] * row["high"]))
                self.assertEqual(row["rounded_bytes"], row["blocks"] * (32 if row["high"] == 24 else 128))
                self.assertGreaterEqual(row["span_bytes"], row["asked_bytes"])
                self.assertEqual(row["free_ms"] is None, allocator["allocator"] == "bump")
            self.assertEqual([(r["low"], r["high"]) for r in allocator["mixed"]], [(4, 100)] * 2)
            self.assertEqual([r["blocks"] for r in allocator["scaling"]], [2**i for i in range(11)])
            self.assertEqual([(r["blocks"], r["high"]) for r in allocator["work"]],
                             [(500, 64), (500, 100), (1000, 64), (1000, 100)])

    def test_many_operations_leave_nothing_behind(self):
        report = self.report("--allocations", "500", "--heap", "16MiB", "--only", "endurance", "--operations",
                             "100000", "--save", "endurance.json")
        self.assertEqual(report, json.loads((self.directory / "endurance.json").read_text()))
        for allocator in report["allocators"]:
            found = allocator["endurance"]
            if allocator["allocator"] == "bump":
                self.assertIsNone(found)
                continue
            self.assertGreaterEqual(found["operations"], 100000)
            expected = (None, None) if allocator["allocator"] == "system" else (0, True)
            self.assertEqual((found["live_bytes"], found["valid"]), expected)

    def test_what_several_runs_saved_becomes_a_page_with_plots(self):
        common = ["--allocations", "500", "--sizes", "16", "1024", "--heap", "16MiB", "--allocators", "S-P", "VL-P", "bump"]
        first = self.report(*common, "--only", "thread", "mixed", "utilisation")
        second = self.report(*common, "--only", "scaling", "churn", "endurance", "--operations", "20000", "--rounds", "12")
        joined = report_memory.join([first, second])
        self.assertEqual([a["allocator"] for a in joined["allocators"]], ["S-P", "VL-P", "bump"])
        joined.update(title="joined", machine="here", command="fathom", name="here")
        page = "\n".join(report_memory.tables(joined))
        row = first["allocators"][0]["thread"][1]
        self.assertIn(f"| 1024 | {report_memory.ms(row['cold_ms'])} / {report_memory.ms(row['warm_ms'])} / ", page)
        self.assertIn("| utilisation of a full heap, from 16 B | at least 98% | 100.0% | yes |", page)
        self.assertRegex(page, r"\| VL-P \| 2\d,\d{3} \| .* \| 0 \| 0 \| hold \|")
        plots = report_memory.pictures(joined, "memory_here")
        self.assertIn("![scaling 16](plots/memory_here_scaling_16.svg)", page)
        self.assertEqual(set(plots), {f"memory_here_{p}.svg" for p in ("cold", "warm", "free", "scaling_16", "scaling_1024")})
        for svg in plots.values():
            lines = xml.etree.ElementTree.fromstring(svg).findall("{http://www.w3.org/2000/svg}polyline")
            self.assertGreaterEqual(len(lines), 2)

    def test_text_names_every_allocator(self):
        text = self.ok("bench", "memory", "--allocations", "100", "--heap", "4MiB", "--trials", "2", "--rounds", "2")
        for name in ("S-P", "S-C", "VA-P", "VA-C", "VL-P", "VL-C", "bump", "system"):
            self.assertIn(f"\n{name}: made in", "\n" + text)

    def test_what_cannot_be_done_is_refused(self):
        self.fails(2, "halloc", "bench", "memory", "--allocators", "halloc")
        self.fails(2, "8192", "bench", "memory", "--heap", "1KiB", "--allocations", "1")
        self.fails(2, "--operations", "bench", "memory", "--only", "work", "--operations", "5")
        self.fails(2, "registers", "bench", "memory", "--only", "registers")
        self.fails(2, "gpu", "bench", "memory", "--device", "gpu")
        self.fails(2, "--threads", "bench", "memory", "--device", "cuda", "--threads", "2")
        self.fails(74, "nowhere", "bench", "memory", "--save", "nowhere/m.json")

    def test_without_a_device_exits_5_and_saves_nothing(self):
        before = self.files()
        self.fails(5, "CUDA", "bench", "memory", "--device", "cuda", "--save", "new.json",
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(self.files(), before)


class Order(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "11", "-o", "r.fg", "-q")

    def test_orders_are_judged_by_the_same_searches(self):
        report = self.json("bench", "order", "r.fg", "--sources", "5")
        orders = {order["method"]: order for order in report["orders"]}
        self.assertEqual(len(orders), 11)
        self.assertEqual(len({order["gaps"] for order in orders.values()}), 1)
        for order in orders.values():
            self.assertEqual({u["needed_bytes"] for u in order["units"]},
                             {order["cache"]["needed_bytes"]})
            self.assertEqual(sum(t * n for t, n in enumerate(order["cache"]["pages_by_fetches"])),
                             order["cache"]["fetches"])
            amplification = [u["amplification"] for u in order["units"]]
            self.assertEqual(amplification, sorted(amplification))
        for method in ("halo1", "halo2", "halo2-rk", "rcm", "bfs-bp"):
            self.assertLess(orders[method]["log_gap"], 0.7 * orders["natural"]["log_gap"])
        self.assertGreater(orders["random"]["log_gap"], 0.9 * orders["natural"]["log_gap"])

    def test_a_written_order_is_as_good_as_it_was_judged(self):
        judged = self.json("bench", "order", "r.fg", "--methods", "halo2")["orders"][0]
        self.ok("reorder", "r.fg", "-o", "halo.fg", "-q")
        written = self.json("bench", "order", "halo.fg", "--methods", "natural")["orders"][0]
        self.assertAlmostEqual(written["log_gap"], judged["log_gap"], delta=0.2 * judged["log_gap"])

    def test_levels_are_drawn(self):
        text = self.ok("bench", "order", "r.fg", "--methods", "natural", "halo2", "--picture", "p.svg")
        self.assertRegex(text, r"(?m)^  halo2 +0\.\d+ ")
        root = xml.etree.ElementTree.parse(self.directory / "p.svg").getroot()
        titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(titles, ["natural", "halo2"])

    def test_what_cannot_be_done_is_refused(self):
        self.fails(2, "halo3", "bench", "order", "r.fg", "--methods", "halo3")
        self.fails(74, "nowhere", "bench", "order", "r.fg", "--picture", "nowhere/p.svg")


if __name__ == "__main__":
    harness.main()
