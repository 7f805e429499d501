"""The system fails, or ends the command: short versions of tests/campaigns/, whose draws differ there."""

import os
import pathlib
import random
import re
import subprocess
import sys

import harness

sys.path.insert(0, str(harness.ROOT / "tests/campaigns"))
import faults  # noqa: E402
import kills  # noqa: E402
from commands import COMMANDS, WRITING, Place, temporary_of  # noqa: E402

INJECTOR = os.environ["FATHOM_FAULT_IO"]
KILLED = ["convert-text", "convert-pages", "reorder", "stripe", "stream-checkpoint", "bfs"]
FEWER = harness.ADDRESS_SANITIZED  # the same code, at a fraction of the speed


def sanitizer():
    """The library that has to come before any other."""
    if not harness.ADDRESS_SANITIZED:
        return ""
    loaded = subprocess.run(["ldd", harness.FATHOM], capture_output=True, text=True, check=True).stdout
    found = re.search(r"=> (\S*libasan\S*)", loaded)
    return found.group(1) if found else ""


class FaultsTest(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = Place(harness.FATHOM)
        cls.preload = f"{sanitizer()} {INJECTOR}".strip()

    @classmethod
    def tearDownClass(cls):
        cls.place.close()
        super().tearDownClass()

    def test_killed_commands_leave_nothing_that_is_not_whole(self):
        for name in KILLED:
            with self.subTest(name=name):
                runs = 4 if FEWER else 20
                count, failures = kills.campaign(self.place, name, runs, self.preload, random.Random(name), 10)
                self.assertEqual(failures, [])
                self.assertGreater(count["killed"], runs // 4)

    def killed_at(self, name, call, **more):
        """Kills the command at the first call of that name; what is left."""
        for at in range(1, 200):
            self.place.clear(self.place.words(name)[1])
            self.place.log.unlink(missing_ok=True)
            status, _, _ = self.place.run(name, LD_PRELOAD=self.preload, FAULT_DIR=self.place.root,
                                          FAULT_KIND="kill", FAULT_AT=at, FAULT_LOG=self.place.log, **more)
            if status == 0:
                break
            if self.place.log.read_text().split(" ", 1)[1].strip() == call:
                return self.place.left()
        self.fail(f"{name} never came to {call}")
        return []

    def test_killed_between_two_names_leaves_one_that_the_next_run_removes(self):
        self.place.learn("cc")
        left = self.killed_at("cc", "rename")
        names = [entry for entry in left if temporary_of(entry, ["r.tsv"])]
        self.assertEqual(sorted([*names, "r.tsv"]), left)
        self.assertEqual(len(names), 1)
        self.assertEqual((self.place.out / "r.tsv").read_bytes(), b"old")
        strangers = [".r.tsv.tmp-0123456789abcdef", ".r.tsv.tmp-backup", names[0] + "0"]
        for stranger in strangers:
            (self.place.out / stranger).write_text("not ours")
        self.assertEqual(self.place.run("cc")[0], 0)
        self.assertEqual(self.place.left(), sorted([*strangers, "r.tsv"]))
        self.assertTrue(self.place.is_whole("cc", "r.tsv"))

    def test_file_systems_without_nameless_files_get_whole_files_too(self):
        for name in KILLED:
            with self.subTest(name=name):
                self.place.learn(name)
                self.place.clear()
                refusing = kills.refusing(self.place, self.preload)
                self.assertEqual(self.place.run(name, **refusing)[0], 0)
                self.assertEqual(self.place.left(), sorted(self.place.words(name)[1]))
                _, failures = kills.campaign(self.place, name, 4, self.preload, random.Random(name), 2,
                                             nameless=False)
                self.assertEqual(failures, [])

    def test_a_stream_stopped_at_any_call_goes_on_from_its_checkpoint(self):
        dice = random.Random(4)
        self.write("u.txt", "".join(f"+ {dice.randrange(40)} {dice.randrange(40)}\n" for _ in range(200)))
        ask = ["--updates", "u.txt", "--duplicates", "keep", "-q", "-o"]
        self.ok("stream", "--empty", *ask, "known.fg")
        log = self.place.log.with_name("stops.log")
        last = {}
        for at in range(1, 1000):
            for name in ("half.fg", "out.fg"):
                (self.directory / name).unlink(missing_ok=True)
            log.unlink(missing_ok=True)
            stopped = self.run_raw(
                "stream", "--empty", "--batch", "30", "--checkpoint", "half.fg", "--checkpoint-every", "1000",
                *ask, "out.fg", env={**os.environ, "LD_PRELOAD": self.preload, "FAULT_DIR": str(self.directory),
                                     "FAULT_KIND": "stop", "FAULT_AT": str(at), "FAULT_LOG": str(log)})
            if not log.exists():
                break
            self.assertIn(stopped.returncode, (0, 130))
            last[stopped.returncode] = at
            if stopped.returncode == 130:
                self.ok("stream", "half.fg", "--resume", *ask, "out.fg")
            self.assertEqual(self.degrees("out.fg"), self.degrees("known.fg"))
        self.assertEqual(sorted(last), [0, 130])

    def degrees(self, graph):
        self.ok("degrees", graph, "-q", "-o", "degrees.tsv")
        return (self.directory / "degrees.tsv").read_text()

    def test_an_answer_is_right_or_the_exit_is_74(self):
        """A draw of each command; more often without a sanitizer."""
        injected = faults.Faults(self.place, INJECTOR, sanitizer())
        runs = 1 if FEWER else 3
        for name in COMMANDS:
            for kind, way, number in faults.draws(random.Random(name), injected, name, runs):
                result, why = injected.once(name, kind, way, number)
                self.assertIsNone(why, f"{name}, {kind} {way} {number}: {result}")

    def test_a_stripe_that_is_read_in_pieces_is_sound(self):
        """Refused as truncated before."""
        injected = faults.Faults(self.place, INJECTOR, sanitizer())
        for kind in ("short", "eintr"):
            for seed in range(3):
                _, why = injected.once("pagerank-stripes", kind, "often", seed)
                self.assertIsNone(why)

    def test_every_writing_command_is_known(self):
        self.assertTrue(set(KILLED) <= set(WRITING))
        self.assertTrue(pathlib.Path(INJECTOR).exists())


if __name__ == "__main__":
    harness.main()
