"""Iterations that are stopped, killed too, and gone on from: the same answer as without."""

import os
import random
import signal
import time
import unittest

import harness
import launching

# On one thread, or streamed, they find the same bit by bit.
ITERATIONS = {
    "pagerank": ["--tol", "0", "--max-iter", "400", "--threads", "1"],
    "rwr": ["--source", "0", "--restart", "0.001", "--tol", "0", "--max-iter", "400", "--threads", "1"],
    "eigenvector": ["--tol", "0", "--max-iter", "400", "--residency", "stream", "--threads", "1"],
    "katz": ["--alpha", "0.0001", "--tol", "0", "--max-iter", "400", "--threads", "1"],
    "hits": ["--tol", "0", "--max-iter", "400", "--threads", "1"],
    "cdlp": ["--iterations", "400"],
    "radius": ["--sketches", "64"],
}
# Radii of others are known after a few hops.
GRAPHS = {"radius": "road.fg"}


class Checkpoints(launching.RankTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "12", "--directed", "-o", "g.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "12", "--directed", "--seed", "9", "-o", "other.fg", "-q")
        cls.ok("generate", "grid", "--rows", "200", "--cols", "40", "-o", "road.fg", "-q")

    def wait_for(self, name, run):
        for _ in range(2000):
            if (self.directory / name).exists() or run.poll() is not None:
                return
            time.sleep(0.005)

    def written(self, name):
        path = self.directory / name
        return path.stat().st_mtime_ns if path.exists() else 0

    def wait_for_next(self, name, before, run):
        """Until the run has written it: a launcher that is about to start ranks does not notice
        that one of them was killed."""
        for _ in range(2000):
            if self.written(name) != before or run.poll() is not None:
                return
            time.sleep(0.005)

    def content(self, name):
        return (self.directory / name).read_bytes()

    def ends(self, *words):
        """Whether or not it converged."""
        done = self.run_raw(*words)
        self.assertIn(done.returncode, (0, 7), done.stderr.decode())

    def come_to_an_end(self, run):
        said = run.communicate(timeout=60)[1]
        self.assertIn(run.returncode, (0, 7), said)

    def test_a_killed_run_goes_on_whenever_it_was(self):
        dice = random.Random(5)
        for algorithm, options in ITERATIONS.items():
            with self.subTest(algorithm=algorithm):
                words = [algorithm, GRAPHS.get(algorithm, "g.fg"), *options, "-q"]
                self.ends(*words, "-o", "whole.tsv")
                (self.directory / "state").unlink(missing_ok=True)
                save = ["--checkpoint", "state", "--checkpoint-every", "1", "-o", "part.tsv"]
                resume, killed = [], 0
                for _ in range(4):
                    run = self.start(0, *words, *save, *resume)
                    self.wait_for("state", run)
                    time.sleep(dice.random() * 0.2)
                    run.kill()
                    run.communicate()
                    killed += run.returncode == -signal.SIGKILL
                    if (self.directory / "state").exists():
                        resume = ["--resume", "state"]
                self.assertTrue(resume)
                self.assertGreater(killed, 0)
                # A run that was killed between two names of a checkpoint left one (docs/reliability.md): the next
                # that writes a checkpoint removes it.
                self.ends(*words, *save, "--resume", "state")
                self.assertEqual(self.content("part.tsv"), self.content("whole.tsv"))
                self.assertEqual([n for n in self.files() if "tmp-" in n], [])

    def test_an_interrupted_run_leaves_where_it_was(self):
        words = ["pagerank", "g.fg", "--tol", "0", "--max-iter", "2000000000", "-q", "--threads", "1"]
        for stop in (signal.SIGINT, signal.SIGTERM):
            run = self.start(0, *words, "--checkpoint", "stopped")  # not due before ten seconds
            time.sleep(1 + 2 * harness.ADDRESS_SANITIZED)
            self.assertFalse((self.directory / "stopped").exists())
            run.send_signal(stop)
            self.assertIn("interrupted", run.communicate()[1].decode())
            self.assertEqual(run.returncode, 130)
            self.fails(2, "stopped: the checkpoint is of iteration ", "pagerank", "g.fg", "--tol", "0",
                       "--max-iter", "3", "--resume", "stopped")
            (self.directory / "stopped").unlink()

    def test_the_report_counts_iterations_from_the_beginning(self):
        # On a road ranks go further than what they receive, by what changes of before have shown.
        for graph, done in (("g.fg", 5), ("road.fg", 5), ("road.fg", 9)):
            words = ["pagerank", graph, "--tol", "1e-9", "--threads", "1"]
            whole = self.json(*words, "-o", "whole.tsv")
            self.run_raw(*words, "--max-iter", str(done), "--checkpoint", "part", "-q")
            rest = self.json(*words, "--resume", "part", "--verify", "-o", "rest.tsv")
            self.assertEqual(rest["iterations"], whole["iterations"])
            self.assertEqual(len(rest["supersteps"]), whole["iterations"] - done)
            self.assertTrue(rest["verified"])
            self.assertEqual(self.content("rest.tsv"), self.content("whole.tsv"))
        whole = self.json("radius", "road.fg")
        self.run_raw("radius", "road.fg", "--max-iter", "50", "--checkpoint", "fifty", "-q")
        rest = self.json("radius", "road.fg", "--resume", "fifty", "--verify")
        self.assertEqual((rest["iterations"], rest["result"]), (whole["iterations"], whole["result"]))
        self.assertEqual(len(rest["supersteps"]), whole["iterations"] - 50)
        self.assertTrue(rest["verified"])

    def radius_state(self):
        self.run_raw("radius", "g.fg", "--sketches", "8", "--max-iter", "2", "--checkpoint", "radii", "-q")
        return "radii"

    def test_what_makes_no_sense_is_refused(self):
        self.run_raw("pagerank", "g.fg", "--tol", "0", "--max-iter", "5", "--checkpoint", "p", "-q")
        on = ["--resume", "p", "--tol", "0", "--max-iter", "9"]
        self.fails(2, "p: the checkpoint has graph ", "pagerank", "other.fg", *on)
        self.fails(2, "p: the checkpoint has alpha 0.85, this run 0.5", "pagerank", "g.fg", *on,
                   "--alpha", "0.5")
        self.fails(2, "p: the checkpoint has algorithm pagerank, this run hits", "hits", "g.fg",
                   "--resume", "p")
        self.fails(2, "limit of iterations", "pagerank", "g.fg", *on[:4], "--max-iter", "4")
        self.fails(2, "no effect without --checkpoint", "pagerank", "g.fg", "--checkpoint-every", "2")
        self.fails(2, "the checkpoint has sketches 8, this run 32", "radius", "g.fg", "--resume", self.radius_state())
        self.fails(2, "--trials", "pagerank", "g.fg", *on, "--trials", "2")
        self.fails(2, "of one walk", "rwr", "g.fg", "--source", "0", "1", "--each", "--checkpoint", "w")
        self.fails(2, "--checkpoint", "cc", "g.fg", "--checkpoint", "c")
        self.fails(2, "--checkpoint would replace g.fg", "pagerank", "g.fg", "--checkpoint", "g.fg")
        self.fails(2, "would write the same file", "pagerank", "g.fg", "--checkpoint", "x.tsv",
                   "-o", "x.tsv")
        self.fails(74, "no/where", "pagerank", "g.fg", "--checkpoint", "no/where")
        self.fails(74, "nothing", "pagerank", "g.fg", "--resume", "nothing")
        self.fails(3, "g.fg: not a checkpoint", "pagerank", "g.fg", "--resume", "g.fg")
        damaged = bytearray(self.content("p"))
        damaged[len(damaged) // 2] ^= 1
        (self.directory / "q").write_bytes(damaged)
        self.fails(3, "q: the checkpoint is damaged", "pagerank", "g.fg", "--resume", "q")

    @unittest.skipUnless(launching.HAS_RANKS, launching.WHY_NOT)
    def test_ranks_go_on_after_one_was_killed(self):
        dice = random.Random(7)
        for algorithm in ("pagerank", "cdlp", "radius"):
            words = [algorithm, GRAPHS.get(algorithm, "g.fg"), *ITERATIONS[algorithm], "-q"]
            run = self.start(2, *words, "-o", "whole.tsv")
            self.come_to_an_end(run)
            save = ["--checkpoint", "r", "--checkpoint-every", "1", "-o", "part.tsv"]
            resume = []
            for attempt in range(3):
                before = self.written("r.1-of-2")
                run = self.start(2, *words, *save, *resume)
                self.wait_for_next("r.1-of-2", before, run)
                time.sleep(dice.random() * 0.3)
                for pid in harness.children(run.pid)[attempt % 2:][:1]:
                    os.kill(pid, signal.SIGKILL)
                run.communicate(timeout=60)
                for part in ("r.0-of-2", "r.1-of-2"):
                    self.assertTrue((self.directory / part).exists() or
                                    (self.directory / (part + ".before")).exists())
                resume = ["--resume", "r"]
            run = self.start(2, *words, *resume, "-o", "part.tsv")
            self.come_to_an_end(run)
            self.assertEqual(self.content("part.tsv"), self.content("whole.tsv"))
            self.fails(2, "by 2 ranks: as many go on from it, and not 1", *words, "--resume", "r")
            for part in self.directory.glob("r.*"):
                part.unlink()


if __name__ == "__main__":
    harness.main()
