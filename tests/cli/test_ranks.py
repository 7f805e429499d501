"""The command under mpirun: the same answers, one voice, and one end for all ranks."""

import json
import os
import pathlib
import shutil
import signal
import time
import unittest

import harness
import launching

launching.need_ranks()


class Ranks(launching.RankTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in {"u": [], "d": ["--directed"]}.items():
            cls.ok("generate", "rmat", "--scale", "9", "--weights", "1:20", "-o", f"{name}.fg", "-q",
                   *options)
        cls.ok("generate", "grid", "--rows", "40", "--cols", "30", "-o", "road.fg", "-q")
        cls.write("labels.tsv", "ann\tbob\nbob\tcid\ndan\teve\n")
        cls.ok("convert", "labels.tsv", "-o", "labels.fg", "-q", "--undirected")

    def test_answers_are_those_of_one_process(self):
        for algorithm, options in harness.ALGORITHMS.items():
            graph = "d.fg" if algorithm in harness.DIRECTED else "u.fg"
            with self.subTest(algorithm=algorithm):
                self.ok(algorithm, graph, *options, "-q", "-o", "one.tsv")
                self.succeeds(2, algorithm, graph, *options, "-q", "--verify", "-o", "two.tsv")
                one, two = self.table("one.tsv")[1], self.table("two.tsv")[1]
                if algorithm not in harness.ROUNDED:
                    self.assertEqual(two, one)
                    continue
                self.assertEqual([row[0] for row in two], [row[0] for row in one])
                error = sum(abs(float(x) - float(y)) for a, b in zip(one, two)
                            for x, y in zip(a[1:], b[1:]))
                self.assertLess(error, 1.2e-5)

    def test_any_number_of_ranks_and_any_place(self):
        self.ok("cc", "road.fg", "-q", "-o", "one.tsv")
        self.ok("bfs", "road.fg", "--source", "5", "-q", "-o", "levels.tsv")
        for ranks, options in ((1, []), (3, []), (4, []), (2, ["--residency", "stream", "--page-size", "4096"]),
                               (2, ["--devices", "2", "--page-size", "4096"])):
            with self.subTest(ranks=ranks, options=options):
                self.succeeds(ranks, "cc", "road.fg", "-q", "--verify", "-o", "n.tsv", *options)
                self.assertEqual(self.table("n.tsv"), self.table("one.tsv"))
                self.succeeds(ranks, "bfs", "road.fg", "--source", "5", "-q", "-o", "n.tsv", *options)
                self.assertEqual(self.table("n.tsv"), self.table("levels.tsv"))

    def test_labels_go_in_and_come_out(self):
        shown = self.succeeds(2, "bfs", "labels.fg", "--source", "ann", "-q", "-o", "-")
        self.assertIn("cid\t2", shown)
        self.assertEqual(shown.count("cid"), 1)

    def test_one_rank_speaks(self):
        shown = self.succeeds(3, "cc", "u.fg")
        self.assertEqual(shown.count("components"), 1)
        self.assertIn("3 ranks: at most", shown)
        # A command that has nothing to share runs once.
        self.assertEqual(self.succeeds(2, "info", "u.fg").count("vertices"),
                         self.ok("info", "u.fg").count("vertices"))
        self.assertEqual(self.succeeds(2, "--version"), self.ok("--version"))

    def test_the_report_has_a_row_for_each_rank(self):
        report = json.loads(self.succeeds(3, "pagerank", "u.fg", "--json", "--trials", "2"))
        self.assertEqual([row["rank"] for row in report["ranks"]], [0, 1, 2])
        for row in report["ranks"]:
            self.assertGreater(row["bytes_sent"], 0)
            self.assertGreaterEqual(row["exchanges"], report["iterations"])
            self.assertGreater(row["seconds_busy"], 0)
            # Ranks begin a trial at times of their own.
            self.assertGreater(row["seconds_busy"] + row["seconds_waiting"],
                               0.5 * report["seconds"]["trials"][-1])
        self.assertIsNone(json.loads(self.ok("pagerank", "u.fg", "--json"))["ranks"])

    def test_few_bytes_where_few_vertices_are_found(self):
        """A road's levels are told by id: bits of all vertices, every level, would be 45 KB."""
        report = json.loads(self.succeeds(2, "bfs", "road.fg", "--source", "0", "--json"))
        self.assertEqual(report["result"]["max_depth"], 68)
        self.assertLess(max(row["bytes_sent"] for row in report["ranks"]), 32 << 10)

    def test_what_goes_wrong_everywhere_is_said_once(self):
        for words, status, message in (
                (["bfs", "u.fg", "--source", "nobody"], 2, "nobody"),
                (["bfs", "u.fg"], 2, "--source"),
                (["cc", "missing.fg"], 74, "missing.fg"),
                (["nosuch", "u.fg"], 2, "there is no command 'nosuch'"),
                (["cc", "labels.tsv"], 3, "labels.tsv"),
                (["pagerank", "u.fg", "--max-iter", "1", "-q"], 7, "not converged"),
                (["pagerank", "u.fg", "-o", "no/such/place.tsv"], 74, "no/such/place.tsv")):
            with self.subTest(words=words):
                began = time.monotonic()
                code, _, said = self.ranks(2, *words)
                self.assertEqual(code, status, said)
                self.assertEqual(sum(line.startswith("fathom:") or "fathom: rank" in line
                                     for line in said.splitlines()), 1, said)
                self.assertIn(message, said)
                self.assertLess(time.monotonic() - began, 5 + 5 * harness.ADDRESS_SANITIZED)

    def test_ranks_that_have_not_the_same_graph_are_told(self):
        for rank, graph in ((0, "u.fg"), (1, "road.fg")):
            (self.directory / f"n{rank}").mkdir()
            (self.directory / f"n{rank}" / "g.fg").write_bytes((self.directory / graph).read_bytes())
        script = self.directory / "here.sh"
        script.write_text('#!/bin/sh\ncd n$OMPI_COMM_WORLD_RANK && exec "$@"\n')
        script.chmod(0o755)
        status, _, said = self.launch("-n", "2", script, harness.FATHOM, "cc", "g.fg")
        self.assertEqual(status, 3)
        self.assertIn("g.fg is another graph than the first rank has", said)
        # Neither in-edges nor fields of edges are of the fingerprint.
        for rank in (0, 1):
            self.write(f"n{rank}/u.txt", "".join(f"+ {v} {v + 1} 1 0 {1 + 8 * (v % 2 == rank)} 0\n" for v in range(9)))
            self.ok("stream", "--empty", "--semantic", "--updates", f"n{rank}/u.txt", "-o", f"n{rank}/f.fg", "-q")
        status, _, said = self.launch("-n", "2", script, harness.FATHOM, "cdlp", "f.fg", "--since", "5")
        self.assertEqual(status, 3)
        self.assertIn("f.fg has other types or timestamps than the first rank's", said)
        self.ok("generate", "rmat", "--scale", "9", "--weights", "1:20", "--directed", "--no-in-edges", "-o",
                "n1/h.fg", "-q")
        (self.directory / "n0" / "h.fg").write_bytes((self.directory / "d.fg").read_bytes())
        status, _, said = self.launch("-n", "2", script, harness.FATHOM, "pagerank", "h.fg")
        self.assertEqual(status, 3)
        self.assertIn("no in-edges", said)

    def test_graphs_that_differ_in_their_labels_alone_are_told(self):
        """Ranks would start from different vertices by the same name."""
        for k, first in (("p", 0), ("q", 1)):
            self.write(k + ".txt", "".join(f"n{first + v:03} n{first + (v * 7 + 3) % 300:03}\n" for v in range(300)))
            self.ok("convert", k + ".txt", "--labels", "strings", "--undirected", "-o", k + ".fg", "-q")
            self.ok("partition", k + ".fg", "--parts", "2", "-o", k, "-q")
        self.succeeds(2, "bfs", "p", "--source", "n010", "--verify", "-q")
        shutil.copytree(self.directory / "p", self.directory / "mix")
        shutil.copy(next((self.directory / "q").glob("part-00001*")), self.directory / "mix")
        status, _, said = self.ranks(2, "bfs", "mix", "--source", "n010", "--verify")
        self.assertEqual(status, 3, said)
        self.assertIn("vertices have other labels", said)
        self.fails(3, "vertices have other labels", "verify", "mix")
        for rank, k in ((0, "p"), (1, "q")):
            (self.directory / f"of{rank}").mkdir()
            shutil.copy(self.directory / (k + ".fg"), self.directory / f"of{rank}" / "g.fg")
        script = self.directory / "in_its_own.sh"
        script.write_text('#!/bin/sh\ncd of$OMPI_COMM_WORLD_RANK && exec "$@"\n')
        script.chmod(0o755)
        status, _, said = self.launch("-n", "2", script, harness.FATHOM, "bfs", "g.fg", "--source", "n010")
        self.assertEqual(status, 3, said)
        self.assertIn("g.fg has other labels of vertices than the first rank's", said)

    def test_a_graph_beside_parts_of_one_is_told(self):
        self.ok("partition", "u.fg", "--parts", "2", "-o", "halves", "-q")
        status, _, said = self.each(["cc", "u.fg"], ["cc", "halves"])
        self.assertEqual(status, 3, said)
        self.assertIn("u.fg: is a file, and another rank was given a directory of parts", said)

    def test_one_rank_speaks_beside_rows_on_standard_output_too(self):
        self.ok("cc", "u.fg", "-q", "-o", "one.tsv")
        status, rows, said = self.ranks(3, "cc", "u.fg", "-o", "-")
        self.assertEqual(status, 0, said)
        self.assertEqual(rows, (self.directory / "one.tsv").read_text())
        self.assertEqual(said.count("loaded in"), 1, said)

    def test_ranks_are_started_with_the_same_words(self):
        words = ["cc", "u.fg"]
        status, _, said = self.each(words, ["kcore", "u.fg"])
        self.assertEqual(status, 2)
        self.assertIn("started with other words than the first rank", said)
        for other in ("--help", "--nonsense", "--verify"):
            self.assertEqual(self.each(words, [*words, other])[0], 2)
        # Memory, threads and where files are may differ.
        status, _, said = self.each([*words, "-q"], ["cc", self.directory / "u.fg", "--threads", "2"])
        self.assertEqual((status, said), (0, ""))
        self.assertEqual(self.ranks(2, *words, "--devices", "2", "--strategy", "s")[0], 2)

    def test_ranks_write_the_bytes_of_one_process(self):
        """Blocks of 65,536 rows are written by turns; the path is the first rank's, wherever others run."""
        self.ok("generate", "grid", "--rows", "500", "--cols", "400", "-o", "rows.fg", "-q")
        words = ["bfs", "rows.fg", "--source", "7", "--parents", "--direction", "push", "-q"]
        for suffix in ("tsv", "csv", "npy"):
            self.ok("cc", "rows.fg", "-q", "-o", f"one.{suffix}")
            for ranks in (2, 4):
                self.succeeds(ranks, "cc", "rows.fg", "-q", "-o", f"n.{suffix}")
                self.assertEqual((self.directory / f"n.{suffix}").read_bytes(),
                                 (self.directory / f"one.{suffix}").read_bytes())
        for rank in (0, 1):
            (self.directory / f"w{rank}").mkdir()
        script = self.directory / "in.sh"
        script.write_text('#!/bin/sh\ncd w$OMPI_COMM_WORLD_RANK && exec "$@"\n')
        script.chmod(0o755)
        status, _, said = self.launch("-n", "2", script, harness.FATHOM, words[0], "../rows.fg", *words[2:], "-o", "r.tsv")
        self.assertEqual((status, said), (0, ""))
        self.assertEqual([len((self.directory / f"w{rank}" / "r.tsv").read_text().splitlines()) if rank == 0 else
                          list((self.directory / f"w{rank}").iterdir()) for rank in (0, 1)], [200_001, []])

    @unittest.skipUnless("FATHOM_FAULT_IO" in os.environ and not harness.ADDRESS_SANITIZED, "needs the injector")
    def test_a_rank_that_cannot_write_leaves_the_old_file(self):
        self.ok("generate", "grid", "--rows", "400", "--cols", "300", "-o", "full.fg", "-q")
        place = self.directory / "results"
        place.mkdir()
        (place / "r.tsv").write_text("old")
        words = ["cc", "full.fg", "-q", "-o", "results/r.tsv"]
        fault = ["env", f"LD_PRELOAD={os.environ['FATHOM_FAULT_IO']}", f"FAULT_DIR={place}", "FAULT_KIND=enospc",
                 "FAULT_AT=1", "FAULT_STAYS=1", f"FAULT_LOG={self.directory}/faults"]
        status, _, said = self.launch("-n", "1", harness.FATHOM, *words, ":", "-n", "1", *fault, harness.FATHOM, *words)
        self.assertEqual(status, 74, said)
        self.assertIn("rank 1", said)
        self.assertIn("No space left", said)
        self.assertEqual((place / "r.tsv").read_text(), "old")
        # A rank that was ended may leave its temporary file, which the next run removes.
        self.succeeds(2, *words)
        self.assertEqual([path.name for path in place.iterdir()], ["r.tsv"])
        self.assertEqual(len((place / "r.tsv").read_text().splitlines()), 120_001)

    def long_run(self):
        """PageRank that never ends, and its processes."""
        run = self.start(3, "pagerank", "u.fg", "--tol", "0", "--max-iter", "2000000000", "-q",
                         "-o", "never.tsv")
        children = []
        while len(children) < 3:
            self.assertIsNone(run.poll())
            time.sleep(0.1)
            children = harness.children(run.pid)
        time.sleep(1)
        return run, children

    def ended(self, run, within=5):
        began = time.monotonic()
        _, said = run.communicate(timeout=30)
        self.assertLess(time.monotonic() - began, within)
        self.assertFalse((self.directory / "never.tsv").exists())
        return run.returncode, said.decode()

    def test_a_killed_rank_ends_all(self):
        run, children = self.long_run()
        os.kill(children[1], signal.SIGKILL)
        self.assertEqual(self.ended(run)[0], 137)
        until = time.monotonic() + 5
        while any(self.runs(pid) for pid in children):  # the launcher does not wait for them
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    @staticmethod
    def runs(pid):
        """Whether a process has not ended; nobody may have asked how one did that has."""
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return False
        return state != "Z"

    def test_an_interrupt_ends_all(self):
        run, children = self.long_run()
        os.kill(children[2], signal.SIGINT)  # one rank alone notices
        status, said = self.ended(run)
        self.assertEqual(status, 130, said)
        self.assertIn("rank 2", said)
        run, children = self.long_run()
        run.send_signal(signal.SIGINT)  # Ctrl-C
        self.assertNotEqual(self.ended(run)[0], 0)


if __name__ == "__main__":
    harness.main()
