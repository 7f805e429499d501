"""fathom bench dynamic: every part on small graphs, what its rows say, and what is refused."""

import json
import signal
import subprocess
import sys
import time

import harness

sys.path.insert(0, str(harness.ROOT / "bench"))
import report_dynamic

try:
    import jsonschema
except ImportError:
    jsonschema = None

QUICK = ["--scale", "8", "--trials", "2", "--iterations", "3", "--batches", "100", "1K",
         "--rounds", "4"]
KINDS = ["road", "random-geometric", "triangulation", "stencil", "coauthors", "uniform", "rmat"]


class Dynamic(harness.CliTest):
    def validate(self, report):
        if jsonschema:
            text = (harness.ROOT / "docs" / "schema" / "bench-dynamic.schema.json").read_text()
            schema = json.loads(text)
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(report)

    def dynamic(self, *options):
        report = self.json("bench", "dynamic", *options)
        self.validate(report)
        return report

    def test_records_are_what_the_command_prints(self):
        recorded = sorted((harness.ROOT / "bench" / "results").glob("*/dynamic*.json"))
        self.assertGreater(len(recorded), 0)
        for path in recorded:
            record = json.loads(path.read_text())
            for key in ("benchmark", "title", "machine", "command", "notes"):
                del record[key]
            self.validate(record)

    def test_every_part_has_rows_for_every_graph(self):
        report = self.dynamic(*QUICK, "--threads", "2", "--save", "saved.json", "--page-bytes", "64", "128")
        self.assertEqual(json.loads((self.directory / "saved.json").read_text()), report)
        names = [kind + "8" for kind in KINDS]
        self.assertEqual([g["graph"] for g in report["graphs"]], names)
        for part, keys in report_dynamic.KEYS.items():
            self.assertEqual({r["graph"] for r in report[part]}, set() if part == "beyond" else set(names), part)  # of a GPU
            rows = [tuple(r[k] for k in keys) for r in report[part]]
            self.assertEqual(len(rows), len(set(rows)), part)
        # Three layouts, two strategies, two kinds of sources, two sizes.
        self.assertEqual(len(report["updates"]), len(names) * 3 * 2 * 2 * 2)
        for r in report["updates"]:
            self.assertLessEqual(r["inserted"], r["batch"])
            self.assertGreater(r["inserted"], 0)
            self.assertAlmostEqual(r["insert_rate"] * r["insert_seconds"]["median"], r["batch"], places=3)
        for r in report["algorithms"]:
            self.assertEqual(r["ratio"] is None, r["layout"] == "csr")
            self.assertEqual(r["balance_seconds"] is None, r["form"] != "balanced")
        self.assertEqual({(r["algorithm"], r["form"]) for r in report["algorithms"]},
                         {("bfs", "ours")} | {(a, f) for a in ("pagerank", "triangles")
                                              for f in ("ours", "naive", "balanced")})
        self.assertEqual({r["allocator"] for r in report["allocators"]},
                         {"pool", "s-p", "s-c", "va-p", "va-c", "vl-p", "vl-c"})
        self.assertTrue(any("cuda" in why for why in report["left_out"]), report["left_out"])
        for r in report["snapshots"]:
            self.assertGreater(r["analyses"], 0)
            self.assertAlmostEqual(r["slowdown"],
                                   r["beside_seconds"]["median"] / r["alone_seconds"]["median"])
        for r in report["longterm"]:
            self.assertGreaterEqual(r["rounds"], 4)
            self.assertEqual(len(r["page_bytes"]), r["rounds"])
            self.assertEqual(max(r["page_bytes"]), r["page_bytes_most"])
            if r["layout"] != "aim":  # whose pages stay with their lists
                self.assertEqual(r["page_bytes"][-1], r["page_bytes_before"])
        edges = {g["graph"]: g["edges"] for g in report["graphs"]}
        for r in report["incremental"]:
            self.assertEqual(r["layout"], "ouro")
            whole = edges[r["graph"]] / (2 if r["form"] == "undirected" else 1)
            self.assertGreater(r["batch"], 0)
            self.assertLess(r["batch"], max(2, r["share"] * whole) + 1)
            for result in (r[name] for name in ("bfs", "components", "pagerank", "sssp", "triangles", "cores")):
                self.assertAlmostEqual(result["speedup"] * result["update_seconds"]["median"],
                                       result["anew_seconds"]["median"])
        bars = {b["bar"]: b for b in report["bars"]}
        slowest = min(r["components"]["speedup"] for r in report["incremental"] if r["share"] < .01)
        self.assertAlmostEqual(bars["components following less than 1 % of changes over anew, at worst"]["measured"], 1 / slowest)
        worst = max(r["to_rounded"] for r in report["init"] if r["layout"] == "ouro")
        self.assertAlmostEqual(bars["footprint over a CSR of lists rounded up, ouro, at worst"]["measured"], worst)
        for bar in report["bars"]:
            met = bar["measured"] <= bar["limit"] if bar["at_most"] else bar["measured"] >= bar["limit"]
            self.assertEqual(bar["met"], met, bar)
        self.assertEqual(report["allocator_names"][-1], "cuda")
        self.assertEqual(report_dynamic.join([report, report]), report)
        page = "\n".join(report_dynamic.tables({**report, "title": "here", "machine": "this one", "command": "fathom"}))
        for word in ("luxembourg_osm", "Titan Xp", "road8", "vl-p", "at most 1.2x", "0.01%"):
            self.assertIn(word, page)

    def test_footprints_are_those_of_the_lists(self):
        """Lists of 3 on pages of 16 bytes: what is counted by hand."""
        edges = [(a, b) for c in range(50) for a in range(4 * c, 4 * c + 4) for b in range(4 * c, a)]
        path = self.graph("cliques", "".join(f"{u} {v}\n" for u, v in edges), "--undirected")
        report = self.dynamic(path, "--only", "init", "queries", "--layouts", "ouro", "--batches", "64")
        self.assertEqual(report["graphs"][0]["edges"], 600)
        self.assertEqual(report["graphs"][0]["mean_degree"], 3)
        row, = report["init"]
        self.assertEqual((row["page_bytes"], row["pages"]), (200 * 16, 200))
        self.assertEqual(row["csr_bytes"] % 600, (201 * 8) % 600)
        self.assertEqual([r["what"] for r in report["queries"]], ["edges", "weights", "degrees", "neighbours"])
        self.assertIsNone(report["updates"])

    def test_what_makes_no_sense_is_left_out_and_named(self):
        report = self.dynamic("--graphs", "road:8", "--only", "updates", "--layouts", "ouro", "--strategies", "auto",
                              "--batches", "1K", "1M", "--trials", "1")
        self.assertEqual({r["batch"] for r in report["updates"]}, {1000})
        self.assertTrue(any("1000000" in why for why in report["left_out"]))

    def test_results_follow_graphs_of_any_layout(self):
        for layout in ("faim", "faim-sorted", "aim"):
            report = self.dynamic("--graphs", "rmat:10", "--only", "incremental", "--layouts", layout, "--trials", "2",
                                  "--threads", "2")
            self.assertEqual([(r["layout"], r["form"], r["ends"], r["share"]) for r in report["incremental"]],
                             [(layout, f, e, s) for f in ("undirected", "directed") for e in ("any", "by degree", "near")
                              for s in (.0001, .001, .01)])
            most = report["incremental"][-1]
            self.assertGreater(most["batch"], .006 * report["graphs"][0]["edges"])
        text = self.ok("bench", "dynamic", "--graphs", "road:8", "--only", "incremental", "--trials", "1")
        for word in ("follow the graph", "0.01 %", "1 %", "levels", "components", "ranks", "distances", "triangles", "cores", "record ms",
                     "by degree"):
            self.assertIn(word, text)

    def test_tables_show_ours_beside_the_papers(self):
        text = self.ok("bench", "dynamic", "--graphs", "road:8", "grid:6", "--only", "init", "updates", "algorithms",
                       "--batches", "1K", "--trials", "1", "--threads", "2")
        for word in ("Table", "road8", "grid6", "balanced", "focused", "NVIDIA Titan Xp", "NVIDIA GTX 780", "3.13",
                     "101.68", "4078.4", "1785x", "Bars, set for one H200", "at most"):
            self.assertIn(word, text)
        self.assertNotIn("more than: 300", text)  # of a part that was not asked for

    def test_what_is_asked_wrongly_is_refused(self):
        self.fails(2, "road:5", "bench", "dynamic", "--graphs", "road:5")
        self.fails(2, "tree", "bench", "dynamic", "--graphs", "tree")
        self.fails(2, "10 K", "bench", "dynamic", "--batches", "10 K")
        self.fails(2, "--batches", "bench", "dynamic", "--batches", "0")
        self.fails(2, "--batches", "bench", "dynamic", "--batches", "101M")
        self.fails(2, "--only", "bench", "dynamic", "--only", "everything")
        self.fails(2, "--layouts", "bench", "dynamic", "--layouts", "csr")
        self.fails(2, "halloc", "bench", "dynamic", "--allocators", "halloc")
        self.fails(2, "--scale", "bench", "dynamic", "--scale", "3")
        self.fails(74, "missing.fg", "bench", "dynamic", "missing.fg")
        self.fails(74, "nowhere", "bench", "dynamic", "--scale", "8", "--save", "nowhere/x.json")
        self.fails(2, "power of two", "bench", "dynamic", "--scale", "8", "--only", "pages", "--page-bytes", "48", "-q")

    def test_it_ends_soon_when_it_is_told_to(self):
        """Before a batch of 10 million updates is done with, which takes half a minute."""
        run = subprocess.Popen([harness.FATHOM, "bench", "dynamic", "--graphs", "rmat:18", "--only", "updates",
                                "--batches", "10M", "--layouts", "ouro", "-q"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(4)
        told = time.monotonic()
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(60), 130)
        self.assertLess(time.monotonic() - told, 10)

    def test_without_a_gpu_cuda_is_refused(self):
        self.fails(5, "CUDA", "bench", "dynamic", "--scale", "8", "--device", "cuda",
                   env={**harness.os.environ, "CUDA_VISIBLE_DEVICES": ""})


if __name__ == "__main__":
    harness.main()
