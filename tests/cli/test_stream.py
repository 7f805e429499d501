"""Graphs that change: fathom stream."""

import contextlib
import os
import random
import signal
import subprocess
import threading

import harness
import test_json


class Stream(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.w = cls.graph("w", "a b 5\nb c 1\nc a 1\nd d 3\n", "--third-column", "weight")
        cls.n = cls.graph("n", "7 9\n9 1000\n1000 7\n")
        cls.u = cls.graph("u", "7 9\n9 1000\n", "--undirected")

    def edges(self, graph):
        """The edges of a store, as a set of (source, target, weight)."""
        info = self.json("info", graph)["graph"]
        self.ok("verify", graph)
        self.ok("degrees", graph, "-q", "-o", "all.tsv")
        labels = [row[0] for row in self.table("all.tsv")[1]]
        self.write("all.txt", "".join(label + "\n" for label in labels))
        self.ok("subgraph", graph, "--vertices", "all.txt", "-q", "-o", "edges.tsv")
        rows = self.table("edges.tsv")[1]
        return labels, sorted(tuple(row) for row in rows), info

    def streamed(self, updates, *words):
        self.write("updates.txt", updates)
        self.ok("stream", *words, "--updates", "updates.txt", "-q", "-o", "out.fg")
        return self.edges("out.fg")

    def test_updates_change_a_graph_and_keep_labels_weights_and_direction(self):
        labels, edges, info = self.streamed(
            "\ufeff# a comment\n\n+ a c 2.5\n- b c\n+ e a 4\r\n+v f\n-v d\n+ a b 6\n", self.w)
        self.assertEqual(labels, ["a", "b", "c", "e", "f"])
        self.assertEqual(edges, [("a", "b", "6"), ("a", "c", "2.5"), ("c", "a", "1"),
                                 ("e", "a", "4")])
        self.assertTrue(info["directed"] and info["weighted"])
        labels, edges, info = self.streamed("+ 8 1000\n- 9 7\n-v 9\n+v 10\n", self.u)
        self.assertEqual((labels, edges), (["7", "8", "10", "1000"], [("8", "1000")]))
        self.assertIs(info["directed"], False)

    def test_lines_count_in_their_order_whatever_the_batch(self):
        text = "+ x y\n-v x\n+ x z\n- x z\n+ x z\n+ x z\n-v y\n+ q x\n"
        for batch in (1, 2, 3, 100):
            labels, edges, _ = self.streamed(text, "--empty", "--batch", batch)
            self.assertEqual((labels, edges), (["q", "x", "z"], [("q", "x"), ("x", "z")]))

    def test_random_updates_equal_a_set_of_edges(self):
        dice = random.Random(5)
        for directed in (True, False):
            known, lines = set(), []
            for _ in range(3000):
                u, v = dice.randrange(40), dice.randrange(40)
                key = (u, v) if directed or u <= v else (v, u)
                if dice.randrange(3):
                    lines.append(f"+ {u} {v}")
                    known.add(key)
                else:
                    lines.append(f"- {u} {v}")
                    known.discard(key)
            words = ["--empty", "--batch", "700"] + ([] if directed else ["--undirected"])
            _, edges, _ = self.streamed("\n".join(lines), *words)
            self.assertEqual(edges, sorted((str(u), str(v)) for u, v in known))

    def test_layouts_give_the_same_graph(self):
        dice = random.Random(8)
        text = "".join(f"{'+-'[dice.randrange(3) == 0]} {dice.randrange(30)} {dice.randrange(30)}\n"
                       for _ in range(1500))
        known = self.streamed(text, "--empty", "--batch", "200")
        for words in (["faim"], ["aim"], ["faim", "--page-bytes", "16"], ["aim", "--page-bytes", "64"],
                      ["faim", "--sorted-links"], ["faim", "--sorted-links", "--page-bytes", "16"]):
            self.assertEqual(self.streamed(text, "--empty", "--batch", "200", "--layout", *words),
                             known)
        self.assertEqual(self.streamed(text, "--empty", "--batch", "200", "--slack", "1",
                                       "--shrink-below", "0.1"), known)
        self.fails(2, "of the ouro layout", "stream", "--empty", "--updates", "updates.txt",
                   "--layout", "aim", "--slack", "1")
        for layout in ("ouro", "aim"):
            self.fails(2, "goes with --layout faim", "stream", "--empty", "--updates", "updates.txt",
                       "--layout", layout, "--sorted-links")
        for allocator in ("s-p", "s-c", "va-p", "va-c", "vl-p", "vl-c"):
            self.assertEqual(self.streamed(text, "--empty", "--batch", "200", "--allocator",
                                           allocator), known)
        self.fails(2, "goes with --device cuda", "stream", "--empty", "--updates", "updates.txt",
                   "--allocator", "cuda")
        self.fails(2, "ouro has pages of all sizes", "stream", "--empty", "--updates", "updates.txt",
                   "--page-bytes", "64")
        self.fails(2, "power of two", "stream", "--empty", "--updates", "updates.txt", "--layout",
                   "faim", "--page-bytes", "100")

    def test_a_gpu_is_refused_where_there_is_none_or_it_cannot_do_it(self):
        self.write("updates.txt", "+ 1 2\n")
        ask = ["stream", "--empty", "--updates", "updates.txt"]
        for device in ("cuda", "cuda:0"):
            for allocator in ("pool", "va-p", "cuda"):
                self.fails(5, "CUDA", *ask, "--device", device, "--allocator", allocator, "-o",
                           "none.fg", env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertFalse(os.path.exists(os.path.join(self.directory, "none.fg")))
        self.fails(5, "CUDA", *ask, "--device", "cuda", "--incremental", "--every", "1", "cc",
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.fails(2, "--device-memory", *ask, "--device-memory", "1GiB")
        for device in ("cuda:0,1", "cuda:0,0"):
            self.fails(5, "CUDA", *ask, "--device", device, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
            self.fails(2, "one memory", *ask, "--device", device, "--incremental", "--every", "1", "cc")
        for device in ("gpu", "auto", "cuda:x", "cuda:0,"):
            self.fails(2, "--device", *ask, "--device", device)
        self.assertEqual(self.json(*ask, "--device", "cpu")["device"], "cpu")

    def test_a_stopped_or_killed_stream_resumes_from_its_checkpoint(self):
        lines = [f"+ {v} {v * 7 % 50}" for v in range(100)] + ["- 3 21", "+ word 4", "-v 9"]
        self.write("long.txt", "\n".join(lines))
        self.ok("stream", "--empty", "--updates", "long.txt", "-q", "-o", "known.fg")
        known = self.edges("known.fg")
        for stop in (signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen(
                    [harness.FATHOM, "stream", "--empty", "--updates", "-", "--batch", "10",
                     "--every", "1", "cc", "--checkpoint", "half.fg"], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.directory,
                    text=True) as run:
                run.stdin.write("\n".join(lines[:45]) + "\n")
                run.stdin.flush()
                for _ in range(4):
                    self.assertIn("cc:", run.stdout.readline())
                run.send_signal(stop)
                run.stdout.read()
                self.assertEqual(run.wait(), 130 if stop == signal.SIGINT else -9)
            self.ok("verify", "half.fg")
            self.assertIn("after line 40", self.json("info", "half.fg")["provenance"])
            self.ok("stream", "half.fg", "--resume", "--updates", "long.txt", "-q", "-o", "rest.fg")
            self.assertEqual(self.edges("rest.fg")[:2], known[:2])
        self.write("short.txt", "+ 1 2\n")
        self.fails(2, "was written after line 40", "stream", "half.fg", "--resume", "--updates",
                   "short.txt")
        self.fails(2, "is no checkpoint", "stream", self.n, "--resume", "--updates", "short.txt")
        self.fails(2, "no effect without --checkpoint", "stream", self.n, "--updates", "short.txt",
                   "--checkpoint-every", "2")

    def test_a_stream_that_is_stopped_while_results_follow_it_resumes_behind_what_was_applied(self):
        dice = random.Random(8)
        lines = [f"+ {dice.randrange(3000)} {dice.randrange(3000)}" for _ in range(30000)]
        self.write("long.txt", "\n".join(lines))
        ask = ["--duplicates", "keep", "-q", "-o"]
        self.ok("stream", "--empty", "--updates", "long.txt", *ask, "known.fg")
        known = self.edges("known.fg")[:2]
        for results in (1, 4, 9, 15):
            with subprocess.Popen(
                    [harness.FATHOM, "stream", "--empty", "--updates", "-", "--batch", "500",
                     "--duplicates", "keep", "--incremental", "--every", "1", "pagerank", "cc",
                     "--checkpoint", "half.fg", "--checkpoint-every", "1000"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    cwd=self.directory, text=True) as run:

                def feed(to=run.stdin):
                    with contextlib.suppress(BrokenPipeError):
                        to.write("\n".join(lines) + "\n")
                        to.flush()  # and leave it open: there may be more to come

                feeder = threading.Thread(target=feed)
                feeder.start()
                for _ in range(results):
                    run.stdout.readline()
                run.send_signal(signal.SIGINT)
                run.stdout.read()
                self.assertEqual(run.wait(), 130)
                feeder.join()
                with contextlib.suppress(BrokenPipeError):
                    run.stdin.close()
            self.ok("stream", "half.fg", "--resume", "--updates", "long.txt", *ask, "rest.fg")
            self.assertEqual(self.edges("rest.fg")[:2], known)

    def test_duplicates_are_dealt_with_as_told(self):
        for policy, weights in (("ignore", ["5"]), ("overwrite", ["8"]), ("keep", ["5", "7", "8"])):
            _, edges, _ = self.streamed("+ a b 7\n+ a b 8\n", self.w, "--duplicates", policy)
            self.assertEqual([w for u, v, w in edges if (u, v) == ("a", "b")], weights, policy)

    def test_malformed_lines_exit_3_with_their_number_and_write_nothing(self):
        for line, message in (("* a b", "expected +, -, +v or -v, found '*'"),
                              ("+ a", "expected two labels after +"),
                              ("+ a b c", "found 'c'"), ("+ a b -inf", "found '-inf'"),
                              ("+ a b 1 2", "found '2'"), ("- a b 1", "found '1'"),
                              ("+v", "expected one label after +v"), ("-v a b", "found 'b'")):
            self.write("bad.txt", f"+ a c 1\n# fine\n{line}\n")
            self.fails(3, message, "stream", self.w, "--updates", "bad.txt", "-o", "bad.fg")
            self.fails(3, "bad.txt:3: ", "stream", self.w, "--updates", "bad.txt", "-o", "bad.fg")
            self.assertFalse((self.directory / "bad.fg").exists())
        self.write("bad.txt", "+ 7 x\n")
        self.fails(3, "expected an integer, as the labels of this graph are, found 'x'", "stream",
                   self.n, "--updates", "bad.txt")
        self.write("bad.txt", "+ 7 9 2\n")
        self.fails(3, "expected no weight", "stream", self.n, "--updates", "bad.txt")

    def test_a_batch_that_does_not_fit_exits_4(self):
        self.write("many.txt", "".join(f"+ {u} {u * 7 % 9973}\n" for u in range(20000)))
        self.fails(4, "needed", "stream", "--empty", "--updates", "many.txt", "--host-memory",
                   "64KiB", "-o", "many.fg")
        self.assertFalse((self.directory / "many.fg").exists())

    def test_usage_errors_exit_2(self):
        self.write("none.txt", "")
        self.fails(2, "or --empty", "stream", "--updates", "none.txt")
        self.fails(2, "but one is given", "stream", self.n, "--empty", "--updates", "none.txt")
        self.fails(2, "go with --empty", "stream", self.n, "--undirected", "--updates", "none.txt")
        self.fails(2, "--updates is required", "stream", self.n)
        for words in (["2"], ["x", "cc"], ["0", "cc"], ["1", "nonsense"], ["1", "bfs"]):
            self.fails(2, "--every", "stream", self.n, "--updates", "none.txt", "--every", *words)
        self.fails(74, "absent.txt", "stream", self.n, "--updates", "absent.txt")

    def test_standard_input_is_streamed_and_results_come_while_it_goes_on(self):
        with subprocess.Popen(
                [harness.FATHOM, "stream", "--empty", "--updates", "-", "--batch", "2", "--every",
                 "1", "cc", "bfs:a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                cwd=self.directory, text=True) as run:
            run.stdin.write("+ a b\n+ c d\n")
            run.stdin.flush()
            self.assertIn("batch 1: cc: components 2 largest 2", run.stdout.readline())
            self.assertIn("batch 1: bfs: source a reached 2 depth 1", run.stdout.readline())
            run.stdin.write("+ b c")
            run.stdin.close()
            self.assertIn("batch 2: cc: components 1 largest 4", run.stdout.readline())
            self.assertIn("4 vertices, 3 edges", run.stdout.read())
        self.assertEqual(run.returncode, 0)

    def test_standard_input_that_cannot_be_read_is_told(self):
        here = os.open(self.directory, os.O_RDONLY)
        try:
            said = self.fails(74, "standard input: cannot read: Is a directory", "stream", "--empty",
                              "--updates", "-", stdin=here)
        finally:
            os.close(here)
        self.assertEqual(said.count("cannot"), 1)

    def test_results_are_those_of_the_graph_that_is_written(self):
        self.ok("generate", "rmat", "--scale", "9", "--weights", "1:9", "-o", "r.fg", "-q")
        dice = random.Random(3)
        lines = [f"+ {dice.randrange(700)} {dice.randrange(700)} {dice.randrange(1, 5)}"
                 for _ in range(2000)]
        lines += [f"- {dice.randrange(700)} {dice.randrange(700)}" for _ in range(500)]
        lines += [f"-v {v}" for v in range(0, 100, 3)]
        self.write("updates.txt", "\n".join(lines))
        report = self.json("stream", "r.fg", "--updates", "updates.txt", "--batch", "3000",
                           "--every", "1", "cc", "pagerank", "tc", "kcore", "bfs:1", "sssp:1", "-o",
                           "out.fg")
        test_json.validator("stream").validate(report)
        results = {r["algorithm"]: r for r in report["analyses"][0]["results"]}
        for algorithm, words, keys in (
                ("cc", [], ["components", "largest"]), ("tc", [], ["triangles"]),
                ("kcore", [], ["degeneracy"]), ("bfs", ["--source", "1"], ["reached"]),
                ("sssp", ["--source", "1"], ["reached"])):
            known = self.json(algorithm, "out.fg", *words)["result"]
            for key in keys:
                self.assertEqual(results[algorithm][key], known[key], algorithm)
        followed = self.json("stream", "r.fg", "--updates", "updates.txt", "--batch", "1000",
                             "--incremental", "--every", "1", "cc", "pagerank", "tc", "kcore", "bfs:1",
                             "bfs:699", "sssp:1", "sssp:699", "sssp:0")
        test_json.validator("stream").validate(followed)
        self.assertEqual(len(followed["analyses"]), 3)
        last = {r["algorithm"] + r.get("source", ""): r for r in followed["analyses"][-1]["results"]}
        for name, keys in (("cc", ["components", "largest"]), ("tc", ["triangles"]),
                           ("kcore", ["degeneracy"])):
            for key in keys:
                self.assertEqual(last[name][key], results[name][key])
        self.assertEqual(last["bfs1"]["reached"], results["bfs"]["reached"])
        self.assertEqual(last["bfs1"]["depth"], results["bfs"]["depth"])
        self.assertEqual(last["bfs699"]["reached"], self.json(
            "bfs", "out.fg", "--source", "699")["result"]["reached"])
        for key in ("reached", "farthest"):
            self.assertEqual(last["sssp1"][key], results["sssp"][key])
        known = self.json("sssp", "out.fg", "--source", "699")["result"]
        self.assertEqual((last["sssp699"]["reached"], last["sssp699"]["farthest"]),
                         (known["reached"], known["max_distance"]))
        self.assertEqual(last["sssp0"]["reached"], 0)  # its vertex was deleted
        self.assertIsNone(last["sssp0"]["farthest"])
        self.assertEqual(last["pagerank"]["first"], results["pagerank"]["first"])
        self.assertAlmostEqual(last["pagerank"]["rank"], results["pagerank"]["rank"], delta=1e-5)
        self.assertGreater(last["tc"]["triangles"], 0)
        self.fails(2, "no effect without --every", "stream", "r.fg", "--updates", "updates.txt",
                   "--incremental")
        first = self.json("pagerank", "out.fg", "--top", "1")["result"]["top"][0]
        self.assertEqual(results["pagerank"]["first"], first["vertex"])
        self.assertEqual(report["vertices"]["removed"], 34)

    def test_labels_that_are_strings_stay_strings(self):
        strings = self.graph("strings", "a 1\n1 2\n", "--labels", "strings")
        self.write("updates.txt", "-v a\n+ 01 2\n+ foo 1\n")
        self.ok("stream", strings, "--updates", "updates.txt", "--batch", "1", "-q", "-o", "direct.fg")
        self.write("first.txt", "-v a\n")
        for words in (["-o", "day1.fg"], ["--checkpoint", "point.fg"], ["--log", "log", "-o", "logged.fg"]):
            self.ok("stream", strings, "--updates", "first.txt", "-q", *words)
        for graph in ("day1.fg", "point.fg", "logged.fg"):
            self.assertEqual(self.json("info", graph)["labels"]["kind"], "strings", graph)
        self.ok("stream", "point.fg", "--resume", "--updates", "updates.txt", "-q", "-o", "resumed.fg")
        self.write("rest.txt", "+ 01 2\n+ foo 1\n")
        self.ok("stream", "day1.fg", "--updates", "rest.txt", "-q", "-o", "day2.fg")
        self.ok("stream", strings, "--log", "log", "--continued", "--updates", "rest.txt", "-q", "-o", "on.fg")
        for graph in ("direct.fg", "resumed.fg", "day2.fg", "on.fg"):
            self.assertEqual(self.edges(graph)[:2], (["01", "1", "2", "foo"],
                                                     [("01", "2"), ("1", "2"), ("foo", "1")]), graph)

    def test_what_has_no_result_for_a_batch_has_one_after_the_next(self):
        """Distances, while a weight below 0 is there, as those that are computed when asked for."""
        self.write("updates.txt", "+ 1 2 1 0 100 0\n+ 1 3 1 0 100 0\n+ 2 3 -1 0 5 0\n+ 3 4 1 0 101 0\n")
        words = ["stream", "--empty", "--semantic", "--updates", "updates.txt", "--batch", "3", "--every"]
        for asked in (["--expire", "10"], ["--expire", "10", "--log", "expiring"]):
            for again in range(2):
                said = self.json(*words, "1", "sssp:1", "--incremental", *asked)
                self.assertEqual(len(said["analyses"]), 0 if again and "--log" in asked else 2)
                for at in said["analyses"]:
                    self.assertEqual(at["results"][0]["farthest"], at["batch"])
        for incremental in ([], ["--incremental"]):
            self.fails(3, "that of the edge from vertex 2 to vertex 3 is -1", *words, "1", "sssp:1", *incremental)
        self.write("updates.txt", "+ 1 2 1\n+ 2 3 -1\n+ 1 4 7\n- 2 3\n")
        said = self.json("stream", "--empty", "--weighted", "--updates", "updates.txt", "--batch", "2",
                         "--incremental", "--every", "2", "sssp:1")
        self.assertEqual(said["analyses"][0]["results"][0]["farthest"], 7)


if __name__ == "__main__":
    harness.main()
