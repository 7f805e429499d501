"""Graphs that change and lose nothing: fathom stream --log."""

import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

import harness
import test_json
from test_faults import sanitizer

sys.path.insert(0, str(harness.ROOT / "tests/campaigns"))
import log_kills  # noqa: E402

INJECTOR = os.environ["FATHOM_FAULT_IO"]


class Log(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.preload = f"{sanitizer()} {INJECTOR}".strip()
        dice = random.Random(2)
        cls.g = cls.graph("g", "".join(f"{dice.randrange(90)} {dice.randrange(90)}\n" for _ in range(300)))
        cls.lines = [f"{'+' if dice.randrange(4) else '-'} {dice.randrange(100)} {dice.randrange(100)}" for _ in range(400)]
        cls.write("u.txt", "".join(line + "\n" for line in cls.lines))
        cls.ok("stream", cls.g, "--updates", "u.txt", "--duplicates", "keep", "-q", "-o", "known.fg")
        cls.known = cls.degrees("known.fg")
        cls.ask = ["stream", cls.g, "--updates", "u.txt", "--duplicates", "keep", "--batch", "30"]

    @classmethod
    def degrees(cls, graph):
        cls.ok("verify", graph, "-q")
        cls.ok("degrees", graph, "-q", "-o", "degrees.tsv")
        return (cls.directory / "degrees.tsv").read_text()

    def names(self, log):
        return sorted(path.name for path in (self.directory / log).iterdir())

    def test_the_same_command_goes_on_and_writes_what_a_run_without_a_log_writes(self):
        self.write("half.txt", "".join(line + "\n" for line in self.lines[:200]))
        first = self.json("stream", self.g, "--updates", "half.txt", "--duplicates", "keep", "--batch", "30", "--log", "go")
        test_json.validator("stream").validate(first)
        self.assertEqual((first["log"]["batches"], first["log"]["lines"]), (7, 200))
        self.assertEqual(first["log"]["recovered"]["batches"], 0)
        said = self.ok(*self.ask, "--log", "go", "-o", "out.fg")
        self.assertIn("log: recovered 7 batches, 200 updates, from go/log-0, in", said)
        self.assertIn("200 lines of updates are taken", said)
        self.assertIn("stream: 200 updates in 7 batches", said)
        self.assertEqual(self.degrees("out.fg"), self.known)
        last = self.json(*self.ask, "--log", "go", "-o", "out.fg")
        self.assertEqual(last["updates"], 0)
        self.assertEqual(last["log"]["recovered"]["updates"], 400)
        self.assertEqual(self.degrees("out.fg"), self.known)
        self.assertEqual(self.names("go"), ["lock", "log-0"])
        for _ in range(2):
            said = self.ok(*self.ask, "--log", "odd\x1b[31m")
            self.assertNotIn("\x1b", said)
        self.assertIn("from odd\\x1b[31m/log-0", said)

    def test_a_long_log_begins_anew_behind_a_base(self):
        report = self.json(*self.ask, "--log", "long", "--log-size", "500")
        self.assertGreater(report["log"]["bases"], 2)
        names = self.names("long")
        batch = int(names[2].removeprefix("log-"))
        self.assertEqual(names, [f"base-{batch}.fg", "lock", f"log-{batch}"])
        self.assertIn(f"after batch {batch}", self.json("info", f"long/base-{batch}.fg")["provenance"])
        said = self.ok(*self.ask, "--log", "long", "-o", "out.fg")
        self.assertIn(f"and the graph after batch {batch} from beside it", said)
        self.assertEqual(self.degrees("out.fg"), self.known)

    def test_labels_of_any_sort_come_behind_a_base_whose_labels_are_integers(self):
        ask = ["stream", "--empty", "--weighted", "--log", "any", "--log-size", "500", "--continued", "--batch", "30"]
        self.ok(*ask, "--updates", "u.txt", "-q")
        self.assertIn("base-", " ".join(self.names("any")))
        self.write("words.txt", "+ 7 word 2.5\n+ 007 word\n- 7 word\n")
        self.ok(*ask, "--updates", "words.txt", "-q")
        self.ok(*ask, "--updates", "words.txt", "-q", "-o", "out.fg")
        self.ok("stream", "--empty", "--weighted", "--updates", "-", "-q", "-o", "one.fg",
                input="".join(line + "\n" for line in self.lines).encode() + 2 * (self.directory / "words.txt").read_bytes())
        self.assertEqual(self.degrees("out.fg"), self.degrees("one.fg"))
        self.fails(2, "of another kind of graph", *ask[:2], *ask[3:], "--updates", "u.txt")

    def frames(self, log):
        """The kinds of the frames of a log that has no base: 1 batches, 2 marks (docs/formats.md)."""
        log = (self.directory / log / "log-0").read_bytes()
        at, kinds = 80, []
        while at + 32 <= len(log):
            kind, _, _, size, _ = struct.unpack_from("<IIQQQ", log, at)
            kinds.append(kind)
            at += 32 + (size + 8 if kind == 1 else 0)
        return kinds

    def test_batches_are_marked_when_and_as_often_as_asked_for(self):
        for sync, kinds in (("1", [1, 2] * 14), ("none", [1, 2] * 14), ("5", [1] * 5 + [2] + [1] * 5 + [2] + [1] * 4 + [2])):
            self.ok(*self.ask, "--log", f"sync-{sync}", "--sync", sync, "-q")
            self.assertEqual(self.frames(f"sync-{sync}"), kinds)
        self.ok(*self.ask, "--log", "spoken", "--sync", "5", "--every", "2", "cc", "-q")  # nothing is said of what may be lost
        self.assertEqual(self.frames("spoken"), [1, 1, 2] * 7)
        self.ok(*self.ask, "--log", "sync-none", "-q")  # waits for what the run before did not
        self.assertEqual(self.frames("sync-none"), [1, 2] * 14 + [2])
        note = self.directory.with_name(self.directory.name + ".note")
        for sync, kinds in (("1", [1]), ("5", [1] * 5)):
            for at in range(1, 300):
                shutil.rmtree(self.directory / "waits", ignore_errors=True)
                self.run_raw(*self.ask, "--log", "waits", "--sync", sync, env={
                    **os.environ, "LD_PRELOAD": self.preload, "FAULT_DIR": str(self.directory.resolve()), "FAULT_KIND": "kill",
                    "FAULT_AT": str(at), "FAULT_LOG": str(note)})
                if note.read_text().split()[1] == "fdatasync":
                    break
            self.assertEqual(self.frames("waits"), kinds, sync)
        note.unlink()

    def test_a_stream_that_is_interrupted_syncs_what_waits(self):
        with subprocess.Popen([harness.FATHOM, "stream", self.g, "--updates", "-", "--batch", "1", "--log", "stopped", "--sync",
                               "100"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.directory, text=True) as run:
            run.stdin.write("+ 1 2\n+ 2 3\n+ 3 4\n")
            run.stdin.flush()
            log = self.directory / "stopped/log-0"
            for _ in range(1000):
                if log.exists() and self.frames("stopped") == [1] * 3:
                    break
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            run.wait(60)  # its input stays open: an end of it could be seen before the signal
            self.assertEqual(run.communicate()[1], "fathom: interrupted\n")
            self.assertEqual(run.returncode, 130)
        self.assertEqual(self.frames("stopped"), [1, 1, 1, 2])

    def test_killed_streams_go_on_wherever_they_were(self):
        """A short version of tests/campaigns/log_kills.py, with draws of its own."""
        count, wrong = log_kills.campaign(harness.FATHOM, self.preload, 8 if harness.ADDRESS_SANITIZED else 30, 11)
        self.assertEqual(wrong, [])
        self.assertGreater(count["recovered"] + count["recovered, behind a base"], 0)

    def test_a_pipe_goes_on_behind_the_lines_that_are_taken_or_begins_again(self):
        ask = [harness.FATHOM, "stream", self.g, "--duplicates", "keep", "--updates", "-", "--batch", "30", "--every", "1", "cc"]
        for log, again, sent in (("p1", [], 0), ("p2", ["--continued"], 90)):
            with subprocess.Popen([*ask, "--log", log], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.directory,
                                  text=True) as run:
                run.stdin.write("\n".join(self.lines[:110]) + "\n")
                run.stdin.flush()
                for _ in range(3):
                    self.assertIn("cc:", run.stdout.readline())
                run.send_signal(signal.SIGKILL)
                run.communicate()
            text = "".join(line + "\n" for line in self.lines[sent:])
            done = self.run_raw(*ask[1:], "--log", log, *again, "-o", "out.fg", input=text.encode())
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(b"recovered 3 batches, 90 updates", done.stdout)
            self.assertIn(b"90 lines of updates are taken\nbatch 4: cc:", done.stdout)
            self.assertEqual(self.degrees("out.fg"), self.known)

    def test_results_that_follow_are_right_after_recovery(self):
        every = ["--every", "1", "cc", "bfs:7", "pagerank", "--incremental"]
        whole = self.json(*self.ask, *every)["analyses"]
        self.write("half.txt", "".join(line + "\n" for line in self.lines[:210]))
        for size in ("64MiB", "500"):
            log = f"followed-{size}"
            self.ok("stream", self.g, "--updates", "half.txt", "--duplicates", "keep", "--batch", "30", "--log", log,
                    "--log-size", size, "-q")
            rest = self.json(*self.ask, *every, "--log", log)["analyses"]
            self.assertEqual([at["batch"] for at in rest], list(range(8, 15)))
            for mine, known in zip(rest, whole[7:]):
                for result, other in zip(mine["results"], known["results"]):
                    if result["algorithm"] == "pagerank":
                        self.assertEqual(result["first"], other["first"])
                        self.assertAlmostEqual(result["rank"], other["rank"], delta=1e-6)
                    else:
                        self.assertEqual({**result, "seconds": 0}, {**other, "seconds": 0})

    def test_other_updates_and_other_graphs_exit_2(self):
        self.ok(*self.ask, "--log", "mine", "-q")
        other = self.graph("other", "1 2\n")
        self.fails(2, "began with another graph than other.fg", "stream", other, "--updates", "u.txt", "--log", "mine",
                   "--duplicates", "keep")
        self.fails(2, "--duplicates keep; not", "stream", self.g, "--updates", "u.txt", "--log", "mine")
        self.fails(2, "began with a graph, not without one", "stream", "--empty", "--updates", "u.txt", "--log", "mine")
        self.write("short.txt", "+ 1 2\n")
        self.fails(2, "short.txt has 1 lines, but mine/log-0 has taken 400", *self.ask[:3], "short.txt", *self.ask[4:],
                   "--log", "mine")
        changed = [*self.lines[:7], "# nothing", *self.lines[8:]]
        self.write("changed.txt", "".join(line + "\n" for line in changed))
        self.fails(2, "changed.txt: the first 400 lines are not those that mine/log-0 has taken", *self.ask[:3],
                   "changed.txt", *self.ask[4:], "--log", "mine")
        for words, why in ((["--log", "mine", "--sync", "0"], "--sync is a number of batches"),
                           (["--log", "mine", "--sync", "often"], "--sync is a number of batches"),
                           (["--log", "mine", "--checkpoint", "c.fg"], "does not go with them"),
                           (["--log", "mine", "--resume"], "does not go with them"),
                           (["--log", "u.txt"], "is a directory"),
                           (["--log", ""], "needs the name of a directory"),
                           (["--log", "mine", "-o", "mine/log-0"], "is in the directory of the log mine"),
                           (["--log", "mine", "-o", "mine/base-9.fg"], "is in the directory of the log mine"),
                           (["--log", "mine", "-o", "mine"], "mine is the directory of the log"),
                           (["--log", "new/", "-o", "./new"], "new is the directory of the log"),
                           (["--log", "mine", "-o", self.g], "is the graph that the log mine begins with"),
                           (["--log", "mine", "--sync", str(2**64 - 1)], "--sync is a number of batches"),
                           (["--sync", "none"], "no effect without --log"),
                           (["--continued"], "no effect without --log")):
            self.fails(2, why, *self.ask, *words)
        for link, target in (("to-new", "new"), ("into-new", "new/log-1"), ("into-mine", "mine/base-9.fg")):
            (self.directory / link).symlink_to(target)
            log = "mine" if link == "into-mine" else "new/."
            self.fails(2, "the directory of the log", *self.ask, "--log", log, "-o", link)
        self.assertFalse((self.directory / "new").exists())

    def test_damage_exits_3_and_names_batch_and_byte(self):
        self.ok(*self.ask, "--log", "hurt", "-q")
        path = self.directory / "hurt/log-0"
        whole = path.read_bytes()
        for at, why in ((200, "hurt/log-0: the log is damaged: batch 1, at byte 80: "), (20, "hurt/log-0: header: ")):
            hurt = bytearray(whole)
            hurt[at] ^= 16
            path.write_bytes(hurt)
            self.fails(3, why, *self.ask, "--log", "hurt")
        path.write_bytes(whole[:-50])  # a mark, and the end of the last batch
        self.assertIn("log: recovered 13 batches", self.ok(*self.ask, "--log", "hurt"))
        path.unlink()
        self.ok(*self.ask, "--log", "mended", "--log-size", "500")
        (self.directory / "mended" / self.names("mended")[2]).unlink()
        self.fails(3, "the base of a log of updates that is not there", *self.ask, "--log", "mended")

    def test_a_second_process_exits_74(self):
        with subprocess.Popen([harness.FATHOM, "stream", self.g, "--updates", "-", "--batch", "1", "--every", "1", "cc",
                               "--log", "two"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.directory,
                              text=True) as first:
            first.stdin.write("+ 1 2\n")
            first.stdin.flush()
            self.assertIn("cc:", first.stdout.readline())
            self.fails(74, "two: another process has this log of updates open", "stream", self.g, "--updates", "u.txt",
                       "--log", "two")
            first.communicate("")
        self.assertIn("recovered 1 batches", self.ok("stream", self.g, "--updates", "-", "--continued", "--log", "two",
                                                     input=b"+ 3 4\n"))

    def test_full_and_failing_disks_exit_74_and_the_next_run_goes_on(self):
        dice = random.Random(5)
        note = self.directory.with_name(self.directory.name + ".note")
        counted = {}
        for kind in ("enospc", "eio"):
            environment = {**os.environ, "LD_PRELOAD": self.preload, "FAULT_DIR": str(self.directory.resolve()),
                           "FAULT_KIND": kind}
            ask = [*self.ask, "--log-size", "700", "--every", "1", "cc", "--log"]
            self.ok(*ask, f"all-{kind}", env={**environment, "FAULT_LOG": str(note)})
            calls = int(note.read_text().split()[0])
            for at in sorted(dice.sample(range(1, calls + 1), 5 if harness.ADDRESS_SANITIZED else 14)):
                log = f"{kind}-{at}"
                done = self.run_raw(*ask, log, env={**environment, "FAULT_AT": str(at), "FAULT_STAYS": "1"})
                shown = done.stderr.decode()
                self.assertIn(done.returncode, (0, 74), shown)
                self.assertEqual(done.returncode == 0, not shown)
                said = done.stdout.decode().count("cc:")
                counted[done.returncode] = counted.get(done.returncode, 0) + 1
                report = self.json(*self.ask, "--log", log, "-o", "out.fg")
                recovered = report["log"]["recovered"]
                self.assertGreaterEqual(recovered["base_batches"] + recovered["batches"], said)
                self.assertEqual(self.degrees("out.fg"), self.known)
        note.unlink()
        self.assertGreater(counted[74], 5)


if __name__ == "__main__":
    harness.main()
