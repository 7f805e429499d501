"""fathom bench halo: what its numbers mean, that orders change no result, and what it leaves behind."""

import json
import math
import os
import resource
import signal
import subprocess
import time

import harness

try:
    import jsonschema
except ImportError:
    jsonschema = None

SMALL = ["--kinds", "kron", "grid", "--scale", "10", "--sources", "10", "--together", "4"]
NO_GPU = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}


class Halo(harness.CliTest):
    def halo(self, *words):
        report = self.json("bench", "halo", "--work", "work", "--device", "cpu", *words)
        if jsonschema:
            text = (harness.ROOT / "docs" / "schema" / "bench-halo.schema.json").read_text()
            jsonschema.Draft202012Validator(json.loads(text)).validate(report)
        self.assert_nothing_left()
        return report

    def assert_nothing_left(self):
        self.assertEqual(list((self.directory / "work").iterdir()), [])

    def test_every_order_is_searched_in_every_form_and_residency(self):
        report = self.halo(*SMALL, "--parts", "single", "multi", "--verify")
        methods = ["natural", "random", "degree", "indegree-neighbors", "rcm", "bp", "bfs-bp", "halo1",
                   "halo2", "halo2-rk"]
        self.assertEqual([(g["graph"], g["form"]) for g in report["graphs"]],
                         [(g, f) for g in ("kron10", "grid10") for f in ("directed", "symmetrized")])
        expected = [(g["graph"], g["form"], m, r) for g in report["graphs"] for m in methods
                    for r in ("resident", "stream")]
        for part, searches in (("single", 10), ("multi", 2)):
            rows = report[part]["rows"]
            self.assertEqual([(r["graph"], r["form"], r["method"], r["residency"]) for r in rows], expected)
            self.assertEqual({r["searches"] for r in rows}, {searches})
            # The same searches read the same lists, whatever the order and the place.
            for g in report["graphs"]:
                edges = {r["edges"] for r in rows if (r["graph"], r["form"]) == (g["graph"], g["form"])}
                self.assertEqual(len(edges), 1, (part, g))
        self.assertTrue(report["verified"])
        self.assertIsNone(report["samples"])
        self.assertIsNone(report["advice"])

    def test_symmetrized_graphs_have_every_edge_both_ways(self):
        self.graph("three", "0 1\n1 2\n2 2\n1 0\n", "--directed", "--duplicates", "keep")
        report = self.halo("three.fg", "--parts", "single", "--methods", "halo2", "--residencies", "resident")
        self.assertEqual([(g["form"], g["vertices"], g["edges"]) for g in report["graphs"]],
                         [("directed", 3, 4), ("symmetrized", 3, 7)])
        self.graph("two", "0 1\n1 2\n", "--undirected")
        report = self.halo("two.fg", "--parts", "single", "--methods", "halo2", "--residencies", "resident")
        self.assertEqual([(g["form"], g["edges"]) for g in report["graphs"]], [("undirected", 4)])
        self.assertEqual(report["single"]["rows"][0]["log_gap"] >= 0, True)

    def test_ratios_are_those_of_the_numbers_beside_them(self):
        report = self.halo(*SMALL, "--parts", "single", "--methods", "random", "halo2", "--page-size", "4096",
                           "--trials", "2")
        rows = report["single"]["rows"]
        natural = {(r["graph"], r["form"], r["residency"]): r for r in rows if r["method"] == "natural"}
        for r in rows:
            base = natural[r["graph"], r["form"], r["residency"]]
            self.assertAlmostEqual(r["speedup"], base["seconds"]["mean"] / r["seconds"]["mean"])
            self.assertAlmostEqual(r["gteps"] * r["seconds"]["mean"] * r["searches"], r["edges"] / 1e9)
            self.assertEqual(r["ideal_bytes"], 4 * r["edges"])
            self.assertLessEqual(r["seconds"]["min"], r["seconds"]["median"])
            self.assertLessEqual(r["seconds"]["median"], r["seconds"]["max"])
            if r["residency"] == "stream":
                self.assertAlmostEqual(r["amplification"], r["moved_bytes"] / r["ideal_bytes"])
                if r["graph"] == "kron10":
                    self.assertGreater(r["moved_bytes"], 0)
            else:
                self.assertIsNone(r["amplification"])
        for mean in report["single"]["means"]:
            some = [r for r in rows if (r["residency"], r["method"]) == (mean["residency"], mean["method"])]
            self.assertEqual(mean["graphs"], 4)
            self.assertAlmostEqual(mean["speedup"], math.exp(sum(math.log(r["speedup"]) for r in some) / 4))
            moved = [r["amplification"] for r in some if r["moved_bytes"]]
            if moved:
                self.assertAlmostEqual(mean["amplification"], math.prod(moved) ** (1 / len(moved)))
            else:
                self.assertIsNone(mean["amplification"])
            self.assertAlmostEqual(mean["log_gap"], sum(r["log_gap"] for r in some) / 4)
        self.assertEqual([m["paper"]["speedup"] for m in report["single"]["means"] if m["method"] == "halo2"],
                         [1.54, 1.54])

    def test_gaps_and_bytes_are_those_of_the_order(self):
        """HALO-II brings what a level reads together; ids at random take it apart."""
        report = self.halo("--kinds", "kron", "--scale", "13", "--sources", "8", "--parts", "single", "--forms",
                           "directed", "--methods", "random", "halo2", "--residencies", "stream", "--page-size",
                           "4096")
        natural, random, halo2 = report["single"]["rows"]
        self.assertEqual([r["method"] for r in (natural, random, halo2)], ["natural", "random", "halo2"])
        self.assertLess(2 * halo2["log_gap"], natural["log_gap"])
        self.assertLess(halo2["moved_bytes"], random["moved_bytes"])
        self.assertLess(1.1 * halo2["amplification"], natural["amplification"])

    def test_log_gap_of_a_path_is_known(self):
        """Levels have one vertex: there are no gaps. Of a star's leaves the gaps are 1."""
        self.graph("path", "".join(f"{i} {i + 1}\n" for i in range(20)))
        self.graph("star", "".join(f"0 {i}\n" for i in range(1, 20)))
        for name in ("path", "star"):
            report = self.halo(name + ".fg", "--parts", "single", "--methods", "natural", "--sources", "3",
                               "--forms", "directed", "--residencies", "resident")
            self.assertEqual([r["log_gap"] for r in report["single"]["rows"]], [0])

    def test_samples_are_varied(self):
        report = self.halo(*SMALL, "--parts", "samples", "--sample-counts", "2", "4", "16", "--forms", "directed")
        rows = [r for r in report["samples"] if r["graph"] == "kron10"]
        self.assertEqual([r["samples"] for r in rows], [None, 2, 4, 16])
        self.assertEqual([r["method"] for r in rows], ["natural"] + ["halo2"] * 3)
        self.assertEqual(rows[-1]["log_gap_ratio"], 1)
        for r in rows:
            self.assertAlmostEqual(r["log_gap_ratio"], r["log_gap"] / rows[-1]["log_gap"])

    def test_scales_are_of_kronecker_graphs(self):
        report = self.halo("--scales", "8", "10", "--forms", "directed", "--sources", "5")
        self.assertEqual([(g["graph"], g["vertices"], g["edges"]) for g in report["graphs"]],
                         [("kron8", 256, 4096), ("kron10", 1024, 16384)])
        rows = report["scaling"]["rows"]
        self.assertEqual([(r["graph"], r["method"], r["residency"]) for r in rows],
                         [(g, m, r) for g in ("kron8", "kron10") for m in ("natural", "halo2")
                          for r in ("resident", "stream")])
        self.assertIsNone(report["single"])

    def test_text_says_what_the_paper_says(self):
        text = self.ok("bench", "halo", "--work", "work", "--device", "cpu", *SMALL, "--scales", "8",
                       "--sample-counts", "2", "--save", "saved.json")
        for number in ("1.54x", "1.70x", "1.38x", "65 % slower", "2.31x", "1.42x", "1.8x to 1.9x", ".24 GTEPS",
                       "32 samples"):
            self.assertIn(number, text)
        for title in ("Figures 1, 6, 9 and 10", "Figure 7", "Figure 11", "Figure 12"):
            self.assertRegex(text, rf"(?m)^{title}: ")
        saved = json.loads((self.directory / "saved.json").read_text())
        said = {(p["figure"], p["method"], p["measure"]): p["value"] for p in saved["paper"]}
        self.assertEqual(said["13", "natural", "speedup"], 1.85)
        self.assertEqual(said["13", "halo2", "speedup"], 2.84)
        self.assertEqual(said["3b", "natural", "time without the driver's prefetcher"], 4.15)

    def test_without_a_gpu_what_needs_one_is_refused(self):
        ask = ["bench", "halo", "--work", "work", *SMALL]
        self.fails(5, "GPU", *ask, "--parts", "advice", "--device", "cpu")
        self.fails(5, "CUDA", *ask, "--device", "cuda", env=NO_GPU)
        self.fails(5, "CUDA", *ask, "--residencies", "managed", env=NO_GPU)
        self.fails(2, "managed", *ask, "--residencies", "managed", "--device", "cpu")

    def test_what_is_asked_wrongly_is_refused(self):
        self.fails(2, "--work", "bench", "halo")
        self.fails(2, "needs graphs", "bench", "halo", "--work", "work")
        ask = ["bench", "halo", "--work", "work", *SMALL]
        for words in (["--parts", "fig6"], ["--methods", "best"], ["--forms", "both"], ["--sources", "0"],
                      ["--together", "65"], ["--cache", "2"], ["--sample-counts", "1"], ["--residencies", "disk"]):
            self.fails(2, words[0], *ask, *words)
        self.fails(2, "--scales", *ask, "--parts", "scaling")
        self.fails(2, "no effect", *ask, "--parts", "single", "--scales", "8")
        self.fails(2, "graphs", "bench", "halo", "--work", "work", "--parts", "single", "scaling", "--scales", "8")
        self.fails(2, "power of two", *ask, "--page-size", "1000", "--device", "cpu")
        self.fails(74, "missing.fg", "bench", "halo", "missing.fg", "--work", "work")
        self.write("text.fg", "0 1\n")
        self.fails(3, "text.fg", "bench", "halo", "text.fg", "--work", "work")
        self.assert_nothing_left()

    def test_too_small_a_directory_is_an_error_and_left_empty(self):
        ask = ["bench", "halo", "--work", "work", "--device", "cpu", "--parts", "single"]
        self.fails(74, "are free", *ask, "--kinds", "kron", "--scale", "31", "--edge-factor", "1024")
        self.assert_nothing_left()
        self.write("file", "")
        self.fails(74, "file: cannot create", *ask[:3], "file", *ask[4:], *SMALL)
        # What a disk that fills up does, whatever was free before.
        small = {"restore_signals": False, "preexec_fn": lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, 1 << 17)))}
        self.fails(74, "work", *ask, *SMALL, "--edge-factor", "64", **small)
        self.assert_nothing_left()

    def test_interrupted_runs_leave_nothing(self):
        words = ["bench", "halo", "--work", "stopped", "--device", "cpu", "--kinds", "kron", "--scale", "14",
                 "--sources", "100000", "--parts", "single", "-q"]
        with subprocess.Popen([harness.FATHOM, *words], cwd=self.directory, stderr=subprocess.PIPE) as run:
            deadline = time.monotonic() + 60
            while not list(self.directory.glob("stopped/*/natural.fg")) and time.monotonic() < deadline:
                time.sleep(.01)
            run.send_signal(signal.SIGINT)
            message = run.communicate(timeout=60)[1].decode()
        self.assertEqual(run.returncode, 130, message)
        self.assertEqual(list((self.directory / "stopped").iterdir()), [])


if __name__ == "__main__":
    harness.main()
