"""The command under mpirun: the same answers, one voice, and one end for all ranks."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import harness

MPIRUN = shutil.which("mpirun")
if not MPIRUN or b"MPI_Allreduce" not in pathlib.Path(harness.FATHOM).read_bytes():
    print("the program was built without MPI, or there is no mpirun")
    sys.exit(77)
# As root in a container, and with more ranks than processors.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def launcher(ranks):
    return [MPIRUN, "-n", str(ranks), harness.FATHOM]


class Ranks(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in {"u": [], "d": ["--directed"]}.items():
            cls.ok("generate", "rmat", "--scale", "9", "--weights", "1:20", "-o", f"{name}.fg", "-q",
                   *options)
        cls.ok("generate", "grid", "--rows", "40", "--cols", "30", "-o", "road.fg", "-q")
        cls.write("labels.tsv", "ann\tbob\nbob\tcid\ndan\teve\n")
        cls.ok("convert", "labels.tsv", "-o", "labels.fg", "-q", "--undirected")

    def start(self, ranks, *words):
        return subprocess.Popen([*launcher(ranks), *map(str, words)], cwd=self.directory,
                                env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ranks(self, ranks, *words):
        done = subprocess.run([*launcher(ranks), *map(str, words)], cwd=self.directory,
                              env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def succeeds(self, ranks, *words):
        status, shown, said = self.ranks(ranks, *words)
        self.assertEqual((status, said), (0, ""))
        return shown

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
            self.assertGreater(row["seconds_busy"] + row["seconds_waiting"],
                               0.9 * report["seconds"]["trials"][-1])
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
        done = subprocess.run([MPIRUN, "-n", "2", script, harness.FATHOM, "cc", "g.fg"], cwd=self.directory,
                              env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("g.fg is another graph than the first rank has", done.stderr.decode())
        # And where it runs another algorithm.
        done = subprocess.run([*launcher(1), "cc", "u.fg", ":", "-n", "1", harness.FATHOM, "kcore", "u.fg"],
                              cwd=self.directory, env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("started with other words than the first rank", done.stderr.decode())
        for other in ("--help", "--nonsense", "--verify"):
            done = subprocess.run([*launcher(1), "cc", "u.fg", ":", "-n", "1", harness.FATHOM, "cc", "u.fg", other],
                                  cwd=self.directory, env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
        done = subprocess.run([*launcher(1), "cc", "u.fg", "-q", ":", "-n", "1", harness.FATHOM, "cc",
                               self.directory / "u.fg", "--threads", "2"],
                              cwd=self.directory, env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        # In-edges are not of the fingerprint.
        self.ok("generate", "rmat", "--scale", "9", "--weights", "1:20", "--directed", "--no-in-edges", "-o",
                "n1/h.fg", "-q")
        (self.directory / "n0" / "h.fg").write_bytes((self.directory / "d.fg").read_bytes())
        done = subprocess.run([MPIRUN, "-n", "2", script, harness.FATHOM, "pagerank", "h.fg"], cwd=self.directory,
                              env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no in-edges", done.stderr.decode())
        self.assertEqual(self.ranks(2, "cc", "u.fg", "--devices", "2", "--strategy", "s")[0], 2)

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
        for pid in children:
            state = pathlib.Path(f"/proc/{pid}/stat")
            if state.exists():  # nobody may have asked how it ended
                self.assertEqual(state.read_text().rsplit(")", 1)[1].split()[0], "Z")

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
