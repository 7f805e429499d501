"""fathom-bench, the program that `fathom bench` starts: beside the command, and where it is missing."""

import json
import os
import pathlib
import shutil
import subprocess

import harness

BENCH = pathlib.Path(harness.FATHOM).with_name("fathom-bench")


class BenchProgram(harness.CliTest):
    def same(self, *words):
        """What both programs answer."""
        through = self.run_raw("bench", *words)
        itself = subprocess.run([BENCH, *words], cwd=self.directory, capture_output=True, check=False, timeout=60)
        self.assertEqual((through.returncode, through.stdout, through.stderr),
                         (itself.returncode, itself.stdout, itself.stderr), words)
        return through.returncode, (through.stdout + through.stderr).decode()

    def test_the_command_passes_every_word_on(self):
        for words in ([], ["list"], ["--help"], ["-h"], ["gts", "--help"], ["--help", "gts"], ["nonsense"], ["list", "nonsense"],
                      ["requests", "--nonsense"], ["requests", "a b", "[c]", "", "--json"], ["--", "list"]):
            self.same(*words)
        self.assertEqual(self.same("list")[0], 0)
        status, text = self.same("gts")
        self.assertEqual(status, 2)
        self.assertIn("fathom bench gts --help", text)
        self.assertNotIn("fathom-bench", text)
        self.assertIn("Usage: fathom bench gts", self.same("gts", "--help")[1])
        self.assertEqual(self.ok("--help", "bench", "gts"), self.ok("bench", "gts", "--help"))

    def test_no_help_shows_the_words_for_completion(self):
        self.assertNotIn("completion-words", self.ok("bench", "--help") + self.ok("bench", "list"))
        self.assertNotIn("completion-words", self.ok("completion", "bash"))
        words = json.loads(self.ok("bench", "completion-words"))
        self.assertIn("requests", [command["name"] for command in words["commands"]])

    def test_version_is_that_of_the_command(self):
        self.assertEqual(self.same("--version")[1], self.ok("--version").replace("fathom", "fathom-bench"))


class WithoutIt(harness.CliTest):
    """A copy of the command, in a directory of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = cls.directory / "bin"
        cls.home.mkdir()
        shutil.copy(harness.FATHOM, cls.home / "fathom")

    def alone(self, *words):
        return subprocess.run([self.home / "fathom", *words], cwd=self.directory, capture_output=True, text=True, check=False,
                              timeout=60)

    def test_what_it_is_and_how_to_build_it_is_said(self):
        for words in (["bench"], ["bench", "list"], ["bench", "gts", "--help"], ["--help", "bench"]):
            done = self.alone(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"^fathom: .*fathom-bench.*`make bench`.*\n$")
            self.assertIn(str(self.home), done.stderr)

    def test_everything_else_works(self):
        self.assertRegex(self.alone("--help").stdout, "(?m)^  bench  ")
        for shell in ("bash", "zsh", "fish"):
            done = self.alone("completion", shell)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("pagerank", done.stdout)
            self.assertNotIn("requests", done.stdout)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)

    def test_one_that_cannot_be_started_is_named(self):
        there = self.home / "fathom-bench"
        there.write_text("")
        there.chmod(0o644)
        try:
            done = self.alone("bench", "list")
            self.assertEqual((done.returncode, done.stdout), (74, ""))
            self.assertIn(f"{there}: Permission denied", done.stderr)
            self.assertEqual(self.alone("completion", "bash").returncode, 0)
            there.chmod(0o755)  # words that are none add nothing
            there.write_text("#!/bin/sh\necho nonsense\n")
            self.assertIn("pagerank", self.alone("completion", "bash").stdout)
        finally:
            there.unlink()

    def test_a_link_to_the_command_finds_it(self):
        os.symlink(harness.FATHOM, self.directory / "linked")
        done = subprocess.run([self.directory / "linked", "bench", "list"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, self.ok("bench", "list"))


if __name__ == "__main__":
    harness.main()
