"""Graphs larger than the memory that may be used: streamed from the store, within the budget."""

import json
import re
import shutil

import harness

MIB = 1 << 20
# What a process takes beside its budget: the program, its libraries and the stacks of its threads.
CONSTANT = 64 * MIB


class Streaming(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "18", "--edge-factor", "96", "--weights", "1:50",
               "-o", "large.fg", "-q")
        # Of targets alone: what a search reads.
        cls.bytes = cls.json("info", "large.fg")["graph"]["edges"] * 4
        cls.budget = cls.bytes // 4

    def within_budget(self, algorithm, *options, graph="large.fg"):
        """The report of a run whose resident memory stayed below the budget and the constant."""
        report = self.json(algorithm, graph, *harness.ALGORITHMS[algorithm], "--residency",
                           "stream", "--host-memory", self.budget, *options)
        if not harness.ADDRESS_SANITIZED:  # whose shadow and quarantine are no memory of ours
            self.assertLess(report["peak_resident_bytes"], self.budget + CONSTANT)
        self.assertLessEqual(report["peak_host_bytes"], self.budget)
        self.assertEqual(report["residency"], "stream")
        self.assertGreater(report["disk"]["bytes"], 0)
        return report

    def test_pagerank_takes_the_method_that_fits(self):
        """Conjugate gradients hold 8 bytes more for each vertex: with less, power iteration does."""
        self.ok("generate", "rmat", "--scale", "16", "--seed", "1", "-q", "-o", "kron16.fg")
        run = ["pagerank", "kron16.fg", "--residency", "stream", "--host-memory"]
        self.assertIn("converged after 15 iterations", self.ok(*run, "3400KiB"))
        self.assertIn("converged after 17 iterations", self.ok(*run, "2830KiB"))
        self.assertIn("converged after 17 iterations", self.ok(*run, "3400KiB", "--no-in-place"))
        self.fails(4, "host memory", *run, "2700KiB")

    def test_a_graph_four_times_the_budget(self):
        self.assertGreater(self.bytes, 2 * CONSTANT, "the graph would hide in the constant")
        for algorithm in ("bfs", "sssp", "cc", "pagerank"):
            with self.subTest(algorithm=algorithm):
                report = self.within_budget(algorithm, "--verify")
                self.assertTrue(report["verified"])
                self.assertIsNone(report["link"])
                disk, cache = report["disk"], report["cache"]
                self.assertEqual(disk["page_misses"], cache["misses"])
                self.assertGreater(disk["bytes"], 0.75 * self.bytes)
                self.assertLessEqual(cache["bytes"], self.budget)

    def test_the_same_of_slotted_pages(self):
        self.ok("convert", "large.fg", "-o", "pages.fg", "--layout", "slotted", "--no-in-edges", "-q")
        devices = ["--devices", "2", "--device-memory", self.budget // 2]
        for algorithm, options in (("bfs", []), ("sssp", []), ("cc", []), ("pagerank", devices)):
            with self.subTest(algorithm=algorithm):
                report = self.within_budget(algorithm, "--verify", *options, graph="pages.fg")
                self.assertTrue(report["verified"])
                self.assertGreater(report["disk"]["bytes"], self.bytes)  # weights and longer ids
        trace = "slotted.trace.json"
        self.within_budget("bfs", "--trace", trace, graph="pages.fg")
        events = json.loads((self.directory / trace).read_text())["traceEvents"]
        names = {e["name"].split()[0] for e in events if e.get("cat") == "disk"}
        self.assertIn("out.pages", names)
        (self.directory / "pages.fg").unlink()

    def test_the_same_on_emulated_devices(self):
        report = self.within_budget("pagerank", "--devices", "2", "--device-memory", self.budget // 2,
                                    "--verify")
        self.assertLessEqual(report["peak_device_bytes"], self.budget // 2)
        self.assertGreater(report["link"]["bytes"], 0)

    def test_whole_sweeps_find_what_is_kept(self):
        """Also under lru, where plain sweeps longer than the cache would find nothing."""
        for cache in ("lru", "static", "none"):
            with self.subTest(cache=cache):
                report = self.within_budget("pagerank", "--cache", cache)
                self.assertGreater(report["iterations"], 5)
                found = report["cache"]
                share = found["hits"] / (found["hits"] + found["misses"])
                if cache == "none":
                    self.assertEqual(share, 0)
                else:
                    self.assertGreater(share, 0.1)

    def test_each_way_to_read_gives_the_same(self):
        results = []
        for options in (["--io", "auto"], ["--io", "threads", "--io-depth", "3"],
                        ["--page-size", "64KiB"], ["--page-size", "4MiB"]):
            report = self.within_budget("bfs", *options)
            results.append(report["result"])
        self.assertTrue(all(result == results[0] for result in results))

    def test_a_budget_that_is_too_small_names_one_that_is_not(self):
        budget = 2 * MIB
        for _ in range(12):
            done = self.run_raw("bfs", "large.fg", "--source", "0", "-q", "--residency", "stream",
                                "--host-memory", budget)
            if done.returncode == 0:
                break
            message = done.stderr.decode()
            self.assertEqual(done.returncode, 4, message)
            needed = int(re.search(r"at least ([0-9]+) KiB", message).group(1)) << 10
            self.assertGreater(needed, budget, message)
            budget = needed
        self.assertEqual(done.returncode, 0, "no budget that was named was enough")
        self.assertLess(budget, self.bytes // 4)

    def test_a_trace_shows_reads_and_kernels(self):
        report = self.within_budget("cc", "--trace", "cc.trace.json")
        events = json.loads((self.directory / "cc.trace.json").read_text())["traceEvents"]
        spans = [e for e in events if e["ph"] == "X"]
        self.assertEqual({e["cat"] for e in spans}, {"disk", "kernels"})
        read = sum(e["args"]["bytes"] for e in spans if e["cat"] == "disk")
        self.assertGreaterEqual(read, report["disk"]["bytes"])  # offsets too
        # Spans of a row do not overlap; those of reads and kernels do.
        ends = {}
        for e in sorted(spans, key=lambda e: e["ts"]):
            self.assertGreaterEqual(e["ts"] + 1e-3, ends.get(e["tid"], 0))
            ends[e["tid"]] = e["ts"] + e["dur"]
        kernels = [(e["ts"], e["ts"] + e["dur"]) for e in spans if e["cat"] == "kernels"]
        reads = [(e["ts"], e["ts"] + e["dur"]) for e in spans if e["cat"] == "disk"]
        self.assertTrue(any(a < d and c < b for a, b in kernels for c, d in reads))

    def test_options_that_would_have_no_effect_are_refused(self):
        for options in (["--io", "threads"], ["--trace", "t.json"], ["--io-depth", "4"], ["--page-size", "1MiB"]):
            self.fails(2, "no effect", "cc", "large.fg", *options)

    def test_damage_is_found_where_it_is_read(self):
        shutil.copy(self.directory / "large.fg", self.directory / "damaged.fg")
        with open(self.directory / "damaged.fg", "r+b") as file:
            file.seek(self.bytes // 2)
            byte = file.read(1)
            file.seek(self.bytes // 2)
            file.write(bytes([byte[0] ^ 1]))
        self.fails(3, "do not match their checksum", "pagerank", "damaged.fg", "--residency", "stream")


if __name__ == "__main__":
    harness.main()
