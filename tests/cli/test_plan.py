"""Plans: what they say of files, of graphs yet to be made, and of budgets that do not do."""

import json
import os
import re

import harness
import test_bench_link


class Plans(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "12", "--weights", "1:9", "-o", "g.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "12", "--directed", "-o", "directed.fg", "-q")

    def plan(self, *words):
        plan = self.json_of("plan", *words)
        self.assertEqual(plan["schema"], "fathom.plan/1")
        return plan

    def json_of(self, *words):
        return json.loads(self.ok(*words, "--json"))

    def test_the_smallest_budget_is_named_and_works(self):
        budget = ["--residency", "stream", "--page-size", "64KiB", "--host-memory"]
        message = self.fails(4, "would do", "plan", "pagerank", "g.fg", *budget, "64KiB")
        least = re.search(r"--host-memory of (\d+)", message).group(1)
        plan = self.plan("pagerank", "g.fg", *budget, least)
        self.assertEqual(plan["host"]["least_bytes"], int(least))
        self.assertEqual(plan["residency"], "stream")
        self.ok("pagerank", "g.fg", *budget, str(int(least) + 65536), "-q", "--verify")

    def test_graphs_that_a_run_refuses_are_refused(self):
        for algorithm, options in harness.ALGORITHMS.items():
            for graph, refused in (("g.fg", harness.DIRECTED), ("directed.fg", harness.UNDIRECTED)):
                with self.subTest(algorithm=algorithm, graph=graph):
                    if algorithm not in refused:
                        self.ok("plan", algorithm, graph)
                        continue
                    self.fails(2, graph, "plan", algorithm, graph)
                    self.assertEqual(self.run_raw(algorithm, graph, *options, "-q").returncode, 2)

    def test_every_algorithm_has_one(self):
        for algorithm in harness.ALGORITHMS:
            graph = "directed.fg" if algorithm in harness.DIRECTED else "g.fg"
            with self.subTest(algorithm):
                plan = self.plan(algorithm, graph, "--devices", "2", "--device-memory", "64MiB")
                self.assertEqual(plan["residency"], "stream")
                tiers = {h["tier"] for h in plan["holdings"]}
                self.assertIn("device", tiers)
                self.assertLessEqual(plan["device"]["peak_bytes"], 64 << 20)

    def test_vertex_state_that_does_not_fit_is_split(self):
        words = ["bfs", "--kind", "rmat", "--scale", "30", "--devices", "4", "--device-memory"]
        for options, memory, strategy in (([], "64GiB", "p"), ([], "4GiB", "s"),
                                          (["--strategy", "s"], "64GiB", "s")):
            with self.subTest(memory=memory, options=options):
                plan = self.plan(*words, memory, "--host-memory", "1TiB", *options)
                self.assertEqual(plan["strategy"], strategy)
                self.assertEqual(plan["chunks"] > 1, strategy == "s")
                self.assertLessEqual(plan["device"]["peak_bytes"], int(memory[:-3]) << 30)
        self.fails(4, "would do", "plan", *words, "4GiB", "--strategy", "p")
        self.fails(2, "strategy s", "plan", "bc", *words[1:], "64GiB", "--strategy", "s")
        self.fails(2, "no effect", "plan", "bfs", "g.fg", "--strategy", "s")

    def test_options_are_those_of_the_algorithm(self):
        words = ["--kind", "rmat", "--scale", "20", "--devices", "2", "--device-memory", "1GiB"]
        least = [self.plan("bfs", *words, *more)["device"]["least_bytes"]
                 for more in ([], ["--parents"])]
        self.assertGreater(least[1], least[0])
        least = [self.plan("sssp", *words, *more)["device"]["least_bytes"]
                 for more in ([], ["--precision", "float"], ["--precision", "double"])]
        self.assertEqual(least[0], least[1])
        self.assertGreaterEqual(least[2], least[0] + 4 * 2**20)
        self.fails(2, "--precision", "plan", "bfs", *words, "--precision", "double")
        self.fails(2, "--parents has no effect on a plan of cc", "plan", "cc", *words, "--parents")
        self.fails(2, "pagerank", "plan", "mis", *words, "--max-iter", "3")
        self.fails(2, "greater than 0", "plan", "pagerank", *words, "--max-iter", "0")
        planned = {option["name"]
                   for algorithm in json.loads(self.ok("descriptions"))
                   for option in algorithm["options"] if option["planned"]}
        taken = set(re.findall(r"^ +--([a-z-]+)", self.ok("plan", "--help"), re.M))
        self.assertLessEqual(planned, taken)
        self.assertIn("alpha", planned)

    def test_the_least_does_with_options_that_change_it(self):
        for words in (["bfs", "--parents"], ["cc", "--no-sampling"], ["pagerank", "--no-in-place"],
                      ["pagerank", "--tol", "1e-12", "--weighted"], ["radius", "--sketches", "128"],
                      ["tc", "--per-vertex"], ["bc", "--k", "2"],
                      ["sssp", "--precision", "double"]):
            for where in ([], ["--residency", "stream"]):
                with self.subTest(words=words, where=where):
                    self.least_does(*words, "g.fg", *where)

    def test_the_least_has_the_order_of_results(self):
        self.ok("reorder", "g.fg", "--method", "degree", "-o", "o.fg", "-q")
        for words in (["bfs"], ["cc"], ["tc"], ["pagerank"]):
            for where in ([], ["--residency", "stream"],
                          ["--devices", "1", "--device-memory", "2MiB"]):
                with self.subTest(words=words, where=where):
                    first = self.plan(*words, "g.fg", *where)["host"]["least_bytes"]
                    self.assertGreater(self.least_does(*words, "o.fg", *where), first)

    def least_does(self, *words):
        least = self.plan(*words)["host"]["least_bytes"]
        source = ["--source", "0"] if words[0] in ("bfs", "sssp") else []
        self.ok(*words, *source, "--host-memory", least, "-q")
        return least

    def test_the_least_of_a_device_does_where_state_could_be_split(self):
        self.ok("generate", "rmat", "--scale", "12", "--directed", "--weights", "1:9", "-o", "d.fg", "-q")
        for words in (["cc", "--no-sampling"], ["cc"], ["bfs"], ["pagerank"],
                      ["sssp", "--precision", "double"]):
            source = ["--source", "0"] if words[0] in ("bfs", "sssp") else []
            run = [words[0], "d.fg", *words[1:], *source, "--devices", "1", "--page-size", "4KiB"]
            where = ["--devices", "1", "--page-size", "4KiB", "--device-memory"]
            plan = [words[0], "d.fg", *words[1:], *where]
            least = self.plan(*plan, "1GiB", "--strategy", "p")["device"]["least_bytes"]
            for strategy in ("p", "auto"):
                with self.subTest(words=words, strategy=strategy):
                    planned = self.plan(*plan, least, "--strategy", strategy)
                    report = self.json(*run, "--strategy", strategy, "--device-memory", least)
                    self.assertEqual(report["strategy"], planned["strategy"])

    def test_graphs_need_not_exist(self):
        plan = self.plan("pagerank", "--kind", "rmat", "--scale", "32", "--host-memory", "512GiB")
        self.assertEqual(plan["graph"]["edges"], 2**37)
        self.assertEqual(plan["graph"]["id_bytes"], 8)
        self.fails(2, "either G.fg", "plan", "bfs")
        self.fails(2, "either G.fg", "plan", "bfs", "g.fg", "--kind", "rmat")
        self.fails(2, "name one", "plan", "bfs", "--kind", "rmat", "--scale", "9", "--pilot")
        self.ok("plan", "sssp", "--kind", "rmat", "--scale", "9")

    def test_times_come_from_rates(self):
        cache = self.directory / "cache" / "fathom"
        cache.mkdir(parents=True)
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache.parent)}
        words = ["plan", "pagerank", "g.fg", "--threads", "2", "--device", "cpu", "--max-iter", "10",
                 "--tol", "0", "--json"]
        bare = json.loads(self.run_raw(*words, env=environment).stdout)
        self.assertIsNone(bare["prediction"])
        self.assertIn("doctor --measure", bare["missing"])
        rates = {"schema": "fathom.rates/2", "device": "cpu", "threads": 2,
                 "measured": "2026-11-21T00:00:00Z", "disk_bytes_per_second": None,
                 "work": [{"algorithm": "pagerank", "streamed": False, "graph": graph,
                           "vertices": 4096, "edges": 131072, "seconds_per_edge": seconds}
                          for graph, seconds in (("rmat", 1e-9), ("uniform", 2e-9))]}
        (cache / "rates-cpu-2.json").write_text(json.dumps(rates))
        plan = json.loads(self.run_raw(*words, env=environment).stdout)
        seconds = plan["prediction"]["seconds"]
        took = 10 * plan["graph"]["edges"] * 1e-9  # hubs make it like the one of the two
        self.assertAlmostEqual(seconds["high"], took * 3 ** .5)
        self.assertAlmostEqual(seconds["low"], took / 3 ** .5)
        rates["threads"] = "two"
        (cache / "rates-cpu-2.json").write_text(json.dumps(rates))
        refused = self.run_raw(*words, env=environment)
        self.assertEqual(refused.returncode, 3)
        self.assertIn(b"threads", refused.stderr)

    def test_more_vertices_than_ids_can_number_are_planned_for_another_build(self):
        words = ["plan", "bfs", "--kind", "rmat", "--scale", "33", "--residency", "stream"]
        self.assertIn("a build with FATHOM_VERTEX_BITS=64", self.ok(*words, "--host-memory", "40TiB"))
        self.fails(4, "would do, in a build with FATHOM_VERTEX_BITS=64", *words, "--host-memory", "1GiB")
        self.assertNotIn("VERTEX_BITS", self.ok("plan", "bfs", "--kind", "rmat", "--scale", "20"))

    def test_a_pilot_searches_within_the_same_budget(self):
        text = self.ok("plan", "bfs", "g.fg", "--pilot", "--residency", "stream", "--host-memory",
                       "8MiB")
        self.assertIn("buffer of pages", text)

    def test_a_pilot_foretells_every_algorithm_within_half(self):
        for words in (["bfs"], ["sssp"], ["cc"], ["pagerank", "--tol", "0", "--max-iter", "9"],
                      ["pagerank"], ["tc"], ["kcore"], ["radius"], ["hits"], ["cdlp"], ["degrees"],
                      ["katz", "--alpha", "1e-4"]):
            for place in ([], ["--residency", "stream", "--page-size", "4KiB"]):
                with self.subTest(words=words, place=place):
                    plan = self.plan(*words, "g.fg", "--pilot", *place)
                    self.assertIsNone(plan["missing"])
                    seconds = plan["prediction"]["seconds"]
                    self.assertGreater(seconds["low"], 0)
                    self.assertLessEqual(seconds["high"], 1.5 * seconds["low"])

    def test_lists_that_are_read_again_are_said_to_be(self):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.directory / "measured")}
        (self.directory / "measured" / "fathom").mkdir(parents=True)
        (self.directory / "measured" / "fathom" / "rates-cpu-2.json").write_text(json.dumps({
            "schema": "fathom.rates/2", "device": "cpu", "threads": 2,
            "measured": "2026-11-21T00:00:00Z", "disk_bytes_per_second": 1e9,
            "work": [{"algorithm": "sssp", "streamed": True, "graph": "rmat", "vertices": 4096,
                      "edges": 131072, "seconds_per_edge": 1e-9}]}))
        self.ok("generate", "rmat", "--scale", "15", "--weights", "1:9", "-o", "large.fg", "-q")
        words = ["plan", "sssp", "large.fg", "--threads", "2", "--device", "cpu", "--residency",
                 "stream", "--host-memory"]
        for memory in ("6MiB", "1GiB"):  # of 8 MiB of lists
            text = self.run_raw(*words, memory, env=environment).stdout
            self.assertIn(b"time ", text)
            self.assertEqual(b"--pilot tells" in text, memory == "6MiB")

    def test_times_of_others_are_multiples_of_what_was_measured(self):
        cache = self.directory / "others" / "fathom"
        cache.mkdir(parents=True)
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache.parent)}

        def rates_of(*rows):
            (cache / "rates-cpu-2.json").write_text(json.dumps({
                "schema": "fathom.rates/2", "device": "cpu", "threads": 2,
                "measured": "2026-11-21T00:00:00Z", "disk_bytes_per_second": None,
                "work": [{"streamed": False, "graph": "rmat", "vertices": 4096, "edges": 131072,
                          "seconds_per_edge": 1e-9, **row} for row in rows]}))

        def plan_of(*words):
            return json.loads(self.run_raw("plan", *words, "--threads", "2", "--device", "cpu",
                                           "--json", env=environment).stdout)

        def middle(*words):
            told = plan_of(*words)["prediction"]["seconds"]
            return (told["low"] * told["high"]) ** .5

        rates_of({"algorithm": "closeness"}, {"algorithm": "hits", "supersteps": 20},
                 {"algorithm": "similarity", "two_paths": 1e7})
        each = 1e-9 * plan_of("bfs", "g.fg")["graph"]["edges"]
        for algorithm in ("closeness", "harmonic"):
            self.assertAlmostEqual(middle(algorithm, "g.fg", "--k", "640"), 10 * each)
        self.assertAlmostEqual(middle("hits", "g.fg") / each, 20, delta=1)
        self.assertAlmostEqual(middle("hits", "g.fg", "--max-iter", "4"), 4 * each)
        self.assertGreater(middle("similarity", "g.fg"), each)
        for words, told in ((["mis"], "do not have mis"), (["degrees"], "--pilot runs it"),
                            (["walks", "--p", "2"], "--pilot runs it"),
                            (["katz", "--alpha", "10"], "--pilot runs it")):
            with self.subTest(words=words):
                plan = plan_of(words[0], "g.fg", *words[1:])
                self.assertIsNone(plan["prediction"])
                self.assertIn(told, plan["missing"])
        plan = plan_of("similarity", "--kind", "rmat", "--scale", "12")
        self.assertIn("without a file", plan["missing"])

    def test_another_machines_gpu_needs_its_memory(self):
        self.fails(2, "--device-memory", "plan", "bfs", "g.fg", "--link", "link.json")
        self.fails(74, "link.json", "plan", "bfs", "g.fg", "--link", "link.json", "--device-memory",
                   "1GiB")

    def test_a_gpu_takes_vertex_state_in_chunks(self):
        self.write("gpu.json", json.dumps(test_bench_link.PROFILE))
        words = ["plan", "pagerank", "--kind", "rmat", "--scale", "28", "--link", "gpu.json",
                 "--device-memory", "2GiB"]
        chosen = self.json(*words)
        asked = self.json(*words, "--strategy", "s", "--chunks", "8")
        self.assertGreater(chosen["chunks"], 1)
        self.assertEqual((asked["chunks"], asked["strategy"]), (8, "s"))
        self.assertIn("disk", {held["tier"] for held in asked["holdings"]})
        self.fails(2, "--chunks", *words, "--chunks", "8")

    def test_kernels_whose_rates_are_not_known_do_not_take_nothing(self):
        self.write("gpu.json", json.dumps(test_bench_link.PROFILE))
        text = self.ok("plan", "pagerank", "--kind", "rmat", "--scale", "20", "--link", "gpu.json",
                       "--device-memory", "80GiB")
        self.assertRegex(text, r"time .*supersteps\n")
        self.assertIn("kernels are left out", text)


if __name__ == "__main__":
    harness.main()
