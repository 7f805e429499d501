"""Edges that count: --since, --until, --at, --types, and --expire of streams."""

import random
import signal
import subprocess
import time

import harness
import test_json
import test_same_everywhere

FILTERS = {
    "a window": (["--since", 20, "--until", 60], lambda e: 20 <= e[4] < 60),
    "a moment": (["--at", 50], lambda e: e[4] <= 50 and (e[5] == 0 or 50 < e[5])),
    "types": (["--types", "1,3-4"], lambda e: e[3] in (1, 3, 4)),
    "all of them": (["--since", 10, "--until", 90, "--at", 70, "--types", "0-3"],
                    lambda e: 10 <= e[4] < 90 and e[4] <= 70 and (e[5] == 0 or 70 < e[5]) and e[3] <= 3),
    "nothing": (["--since", 70, "--until", 70], lambda e: False),
}
PLACES = {
    "mapped": [],
    "resident": ["--residency", "resident"],
    "streamed": ["--residency", "stream", "--page-size", "4KiB", "--host-memory", "4MiB"],
    "from the disk": ["--residency", "stream", "--io", "threads", "--host-memory", "8MiB"],
    "two devices": ["--devices", "2", "--residency", "stream", "--device-memory", "3MiB"],
}


class Filters(harness.CliTest):
    values = test_same_everywhere.SameEverywhere.values

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        dice = random.Random(5)
        n = 300
        pairs = {(min(p), max(p)) for p in ((int(n * dice.random() ** 3), dice.randrange(n)) for _ in range(3000))}
        cls.edges = []
        for u, v in sorted(pairs):
            t1 = dice.randrange(100)
            cls.edges.append((u, v, dice.randrange(1, 9), dice.randrange(6), t1,
                              dice.choice([0, t1 + dice.randrange(40)])))
        cls.vertices = "".join(f"+v {v}\n" for v in range(n))
        for kind, flags in {"directed": [], "undirected": ["--undirected"]}.items():
            cls.write(kind + ".txt", cls.updates(cls.edges))
            cls.ok("stream", "--empty", "--semantic", *flags, "--updates", kind + ".txt", "-q", "-o", kind + ".fg")
            for name, (_, keeps) in FILTERS.items():
                cls.write("kept.txt", cls.updates(e[:3] for e in cls.edges if keeps(e)))
                cls.ok("stream", "--empty", "--weighted", *flags, "--updates", "kept.txt", "-q",
                       "-o", f"{kind} {name}.fg")

    @classmethod
    def updates(cls, edges):
        return cls.vertices + "".join(f"+ {' '.join(map(str, e))}\n" for e in edges)

    def expect_alike(self, graph, places, filters, *options):
        for algorithm in harness.SAMPLED:
            # Of few edges one does not converge.
            if algorithm in (*(harness.UNDIRECTED if graph == "directed" else harness.DIRECTED), "eigenvector"):
                continue
            for name in filters:
                expected = self.values(algorithm, f"{graph} {name}.fg")
                for place in places:
                    with self.subTest(graph=graph, algorithm=algorithm, filter=name, place=place):
                        actual = self.values(algorithm, graph + ".fg", *PLACES[place], *FILTERS[name][0],
                                             "--verify", *options)
                        if algorithm not in harness.ROUNDED:
                            self.assertTrue(actual == expected)
                        error = sum(abs(a[0] - e[0]) for a, e in zip(actual, expected) if a[0] != e[0])
                        self.assertLess(error, 1.2e-5)

    def test_results_are_those_of_a_file_with_the_kept_edges_alone(self):
        self.expect_alike("directed", ["mapped"], FILTERS)
        self.expect_alike("undirected", ["mapped"], FILTERS)

    def test_results_are_the_same_wherever_the_edges_are(self):
        others = [place for place in PLACES if place != "mapped"]
        self.expect_alike("directed", others, ["a window"])
        self.expect_alike("undirected", others, ["types"])

    def test_the_report_says_which_edges_count(self):
        kept = sum(map(FILTERS["all of them"][1], self.edges))
        report = self.json("cc", "directed.fg", *FILTERS["all of them"][0])
        test_json.validator("report").validate(report)
        self.assertEqual(report["graph"]["edges"], len(self.edges))
        self.assertEqual(report["graph"]["filter"], {"since": 10, "until": 90, "at": 70, "types": [[0, 3]],
                                                     "edges": kept})
        self.assertIn("edges are kept by t1 from 10, t1 before 90, there at 70, types 0-3",
                      report["residency_reason"])
        self.assertIsNone(self.json("cc", "directed.fg")["graph"]["filter"])
        page = self.directory / "page.html"
        self.ok("pagerank", "directed.fg", "--since", 10, "-q", "--report", page)
        self.assertGreater(page.stat().st_size, 1000)

    def test_info_tells_the_types_and_timestamps(self):
        info = self.json("info", "directed.fg", "--fields")
        test_json.validator("info").validate(info)
        ends = [e[5] for e in self.edges if e[5] > 0]
        said = info["edge_fields"]
        self.assertEqual(said["t1"], [min(e[4] for e in self.edges), max(e[4] for e in self.edges)])
        self.assertEqual(said["t2"], [min(ends), max(ends)])
        self.assertEqual(said["without_end"], len(self.edges) - len(ends))
        self.assertEqual({t["type"]: t["edges"] for t in said["types"]},
                         {t: sum(e[3] == t for e in self.edges) for t in range(6)})
        self.assertIn(f"begin (t1)        {said['t1'][0]} to {said['t1'][1]}", self.ok("info", "directed.fg", "--fields"))
        self.write("none.txt", self.vertices)
        self.ok("stream", "--empty", "--semantic", "--updates", "none.txt", "-q", "-o", "none.fg")
        said = self.ok("info", "none.fg", "--fields")
        self.assertIn("none: there are no edges", said)
        self.assertNotIn("0 to 0", said)
        self.ok("generate", "rmat", "--scale", 6, "-q", "-o", "plain.fg")
        self.fails(2, "the edges of plain.fg have no types", "info", "plain.fg", "--fields")

    def test_walks_samples_and_parts_see_the_kept_edges_alone(self):
        words, keeps = FILTERS["a window"]
        kept = {(u, v) for u, v, *_ in filter(keeps, self.edges)}
        self.ok("walks", "directed.fg", "--per-vertex", 2, "--length", 5, "--seed", 3, *words, "-q", "-o", "walks.tsv")
        for line in (self.directory / "walks.tsv").read_text().splitlines()[1:]:
            steps = [int(v) for v in line.split("\t") if v not in ("", "-1")]
            for step in zip(steps, steps[1:]):
                self.assertIn(step, kept)
        self.ok("subgraph", "directed.fg", "--vertices", self.write("some.txt", "".join(f"{v}\n" for v in range(150))),
                *words, "-q", "-o", "some.tsv")
        rows = (self.directory / "some.tsv").read_text().splitlines()[1:]
        self.assertEqual({tuple(map(int, row.split("\t")[:2])) for row in rows},
                         {(u, v) for u, v in kept if u < 150 and v < 150})

    def test_what_makes_no_sense_is_refused_by_name(self):
        self.ok("generate", "rmat", "--scale", 6, "-q", "-o", "plain.fg")
        for words, said in [
                (["cc", "plain.fg", "--since", 3], "plain.fg: its edges have no types and timestamps"),
                (["cc", "plain.fg", "--types", 3], "`fathom stream --semantic` writes graphs"),
                (["plan", "cc", "plain.fg", "--at", 3], "plain.fg: its edges have no types and timestamps"),
                (["plan", "cc", "--kind", "rmat", "--scale", 9, "--at", 3], "keep edges of a file"),
                (["cc", "directed.fg", "--since", 30, "--until", 20], "--since 30 --until 20: the window ends before it begins"),
                (["cc", "directed.fg", "--types", "1,x"], "such as 1,2,7-9: not 'x'"),
                (["cc", "directed.fg", "--types", "9-7"], "the second is the smaller one in '9-7'"),
                (["cc", "directed.fg", "--types", "4294967296"], "more than 32 bits in '4294967296'"),
                (["cc", "directed.fg", "--types", ""], "such as 1,2,7-9: not ''"),
                (["cc", "directed.fg", "--since", "yesterday"], "--since"),
                (["cc", "directed.fg", "--until", -1], "--until"),
                (["cc", "directed.fg", "--at", 2**64], "--at")]:
            with self.subTest(words=words):
                self.fails(2, said, *words)

    def test_layouts_without_fields_take_no_edges_that_have_them(self):
        for how in (["--layout", "slotted"], ["--pack"], ["--narrow"]):
            self.fails(2, "stored in CSR, not slotted, packed or narrow", "convert", "directed.fg", "-o", "other.fg", *how, "-q")
            self.assertNotIn("other.fg", self.files())

    def test_a_checkpoint_is_of_its_filter(self):
        ask = ["pagerank", "directed.fg", "--checkpoint", "half", "--max-iter"]
        self.assertEqual(self.run_raw(*ask, 3, "--since", 20).returncode, 7)
        for since, status in [(30, 2), (20, 0)]:
            again = self.run_raw(*ask, 100, "--since", since, "--resume", "half", "-q")
            self.assertEqual(again.returncode, status, again.stderr)
        # The same edges at other times are another graph as soon as times count, even if as many are kept.
        turned = [(*a[:4], *b[4:]) for a, b in zip(self.edges, reversed(self.edges))]
        self.write("turned.txt", self.updates(turned))
        self.ok("stream", "--empty", "--semantic", "--updates", "turned.txt", "-q", "-o", "turned.fg")
        self.fails(2, "half: the checkpoint has", "pagerank", "turned.fg", "--since", 20, "--resume", "half", "-q")

    @staticmethod
    def planned(algorithm):
        """Of its options those that plans take."""
        words = harness.ALGORITHMS[algorithm]
        return words if "--k" in words else []

    def test_what_a_plan_calls_the_least_is_enough(self):
        for graph in ("directed", "undirected"):
            for place in ([], ["--residency", "stream", "--page-size", "4KiB"], ["--residency", "resident"]):
                for algorithm in harness.SAMPLED:
                    if algorithm in (harness.UNDIRECTED if graph == "directed" else harness.DIRECTED):
                        continue
                    if algorithm == "radius" and "resident" in place:
                        continue  # of no graph is the copy of the out-lists planned, which it does not read
                    # What keeps all edges is no filter once that is known.
                    words = FILTERS["a window"][0] if algorithm not in ("bfs", "tc", "hits") else ["--until", 1000]
                    with self.subTest(graph=graph, place=place, algorithm=algorithm):
                        planned = self.run_raw("plan", algorithm, graph + ".fg", *words, *place, "--threads", 2,
                                               "--host-memory", 1, *self.planned(algorithm))
                        self.assertEqual(planned.returncode, 4)
                        least = planned.stderr.decode().split("a --host-memory of ")[1].split()[0]
                        done = self.run_raw(algorithm, graph + ".fg", *harness.ALGORITHMS[algorithm], *words, *place,
                                            "-q", "--threads", 2, "--host-memory", least)
                        self.assertIn(done.returncode, (0, 7), done.stderr)


class Expiry(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        dice = random.Random(7)
        cls.lines, cls.batch, cls.window = [], 40, 100
        now = 0
        for _ in range(1500):
            now += dice.randrange(4)
            u, v = dice.randrange(40), dice.randrange(40)
            cls.lines.append((u, v, now - dice.randrange(60) if now > 60 else now, dice.randrange(9) == 0))
        cls.write("u.txt", "".join(f"- {u} {v}\n" if gone else f"+ {u} {v} 1 0 {t} 0\n" for u, v, t, gone in cls.lines))

    def known(self, keep, batch, lines):
        """{(u, v): [t1, ...]} after expiry behind every batch."""
        edges = {}
        for first in range(0, len(lines), batch):
            for u, v, t, gone in lines[first:first + batch]:
                if gone:
                    edges.pop((u, v), None)
                else:
                    edges[u, v] = (edges.get((u, v), []) if keep else []) + [t]
            newest = max((t for its in edges.values() for t in its), default=0)
            edges = {e: [t for t in its if t + self.window >= newest] for e, its in edges.items()}
            edges = {e: its for e, its in edges.items() if its}
        return edges

    def moments(self, graph):
        """The same of a file, by asking for its degrees at each moment."""
        info = self.json("info", graph)
        return info["graph"]["edges"]

    def test_old_edges_go_after_every_batch(self):
        for keep in (False, True):
            for batch in (40, 1, 5000):
                with self.subTest(keep=keep, batch=batch):
                    lines = self.lines if batch > 1 else self.lines[:300]
                    self.write("some.txt", "".join(f"- {u} {v}\n" if gone else f"+ {u} {v} 1 0 {t} 0\n"
                                                   for u, v, t, gone in lines))
                    said = self.json("stream", "--empty", "--semantic", "--updates", "some.txt", "--batch", batch,
                                     "--expire", self.window, "--duplicates", "keep" if keep else "overwrite",
                                     "-o", "out.fg")
                    test_json.validator("stream").validate(said)
                    expected = self.known(keep, batch, lines)
                    times = [t for its in expected.values() for t in its]
                    self.assertEqual(self.moments("out.fg"), len(times))
                    self.assertGreater(said["expired"], 0)
                    for since in sorted(set(times))[::7]:
                        kept = self.json("degrees", "out.fg", "--since", since)["graph"]["filter"]["edges"]
                        self.assertEqual(kept, sum(t >= since for t in times))

    def test_of_an_undirected_graph_both_directions_go(self):
        self.write("few.txt", "+ a b 1 0 5 0\n+ b b 1 0 5 0\n+ b c 1 0 150 0\n+ c a 1 0 50 0\n")
        said = self.json("stream", "--empty", "--semantic", "--undirected", "--updates", "few.txt", "--expire", 100,
                         "-o", "few.fg")
        self.assertEqual((said["expired"], said["graph"]["edges"]), (2, 4))
        self.ok("verify", "few.fg", "-q")

    def test_a_graph_begins_without_what_is_old(self):
        self.ok("stream", "--empty", "--semantic", "--updates", "u.txt", "-q", "-o", "whole.fg")
        self.write("none.txt", "")
        said = self.json("stream", "whole.fg", "--updates", "none.txt", "--expire", 10, "-o", "later.fg")
        self.assertGreater(said["expired"], 0)
        again = self.json("stream", "later.fg", "--updates", "none.txt", "--expire", 10)
        self.assertEqual(again["expired"], 0)

    def test_followed_results_are_those_anew(self):
        ask = ["stream", "--empty", "--semantic", "--undirected", "--updates", "u.txt", "--batch", 100,
               "--expire", self.window, "--every", 1, "cc"]
        anew, followed = self.json(*ask), self.json(*ask, "--incremental")
        self.assertEqual([a["results"][0]["components"] for a in anew["analyses"]],
                         [a["results"][0]["components"] for a in followed["analyses"]])

    def test_a_log_gives_the_same_graph_after_kills(self):
        ask = ["stream", "--empty", "--semantic", "--updates", "u.txt", "--batch", 40, "--expire", self.window]
        self.ok(*ask, "-q", "-o", "known.fg")
        known = self.json("info", "known.fg")["graph"]
        words = [harness.FATHOM, *map(str, ask), "--log", "killed", "-q", "-o", "out.fg"]
        dice = random.Random(11)
        for _ in range(60):
            running = subprocess.Popen(words, cwd=self.directory)
            time.sleep(dice.random() * 0.03)
            running.send_signal(signal.SIGKILL)
            if running.wait() == 0:
                break
        self.ok(*ask, "--log", "killed", "-q", "-o", "out.fg")
        self.assertEqual({**self.json("info", "out.fg")["graph"], "path": ""}, {**known, "path": ""})

    def test_what_makes_no_sense_is_refused_by_name(self):
        self.ok("generate", "rmat", "--scale", 6, "-q", "-o", "plain.fg")
        self.fails(2, "--expire goes by timestamps, which the edges of plain.fg do not have",
                   "stream", "plain.fg", "--updates", "u.txt", "--expire", 3)
        self.fails(2, "has them with --semantic", "stream", "--empty", "--updates", "u.txt", "--expire", 3)
        self.fails(2, "--expire", "stream", "--empty", "--semantic", "--updates", "u.txt", "--expire", "soon")
        self.fails(2, "--expire", "stream", "--empty", "--semantic", "--updates", "u.txt", "--expire", -1)
        self.fails(2, "it goes with --device cpu", "stream", "--empty", "--semantic", "--updates", "u.txt",
                   "--expire", 3, "--device", "cuda")


if __name__ == "__main__":
    harness.main()
