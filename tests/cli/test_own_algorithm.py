"""An algorithm that describes itself gets everything else: command, plan, reports, completion, page."""

import json
import os
import pathlib
import unittest

import harness
from harness import CliTest

TOY = pathlib.Path(__file__).resolve().parent / "toy"


class OwnAlgorithm(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        harness.FATHOM = os.environ["FATHOM_TOY"]
        cls.graph("g", "a a\na b\nb b\nb b\nb c\nc a\n", "--directed", "--loops", "keep", "--duplicates", "keep")

    def test_takes_its_folder_and_one_line(self):
        outside = [p for p in TOY.rglob("*") if p.is_file() and p.parent.name != "loops"]
        self.assertEqual([p.name for p in outside], ["main.cpp"])

    def test_has_a_command_with_every_option_of_the_others(self):
        answer = self.json("loops", "g.fg", "--verify", "--trials", 2, "--top", 5)
        self.assertEqual(answer["algorithm"], "loops")
        self.assertEqual(answer["result"]["loops"], 3)
        self.assertTrue(answer["verified"])
        self.assertEqual(answer["result"]["top"], [{"vertex": "b", "loops": 2}, {"vertex": "a", "loops": 1}])
        self.ok("loops", "g.fg", "-o", "loops.tsv", "--report", "loops.json", "--quiet")
        self.assertEqual((self.directory / "loops.tsv").read_text(), "vertex\tloops\na\t1\nb\t2\nc\t0\n")

    def test_runs_in_every_residency(self):
        for words in (["--residency", "stream"], ["--residency", "resident"], ["--devices", 2], ["--threads", 1]):
            self.assertEqual(self.json("loops", "g.fg", "--verify", *words)["result"]["loops"], 3)

    def test_takes_its_own_options_and_refuses_others(self):
        self.assertEqual(self.json("loops", "g.fg", "--most", 1)["result"]["loops"], 2)
        self.fails(2, "--most", "loops", "g.fg", "--most", 0)
        self.fails(2, "--few", "loops", "g.fg", "--few", 3)
        self.fails(2, "cannot split its vertex state", "loops", "g.fg", "--devices", 2, "--strategy", "s")

    def test_is_planned(self):
        self.ok("generate", "rmat", "--scale", 12, "-o", "r.fg", "--quiet")
        planned = self.json("plan", "loops", "r.fg", "--devices", 1, "--device-memory", "1GiB")
        least = planned["device"]["least_bytes"]
        self.ok("loops", "r.fg", "--devices", 1, "--device-memory", least, "--quiet")
        self.fails(4, "", "loops", "r.fg", "--devices", 1, "--device-memory", least // 2)

    def test_is_in_help_and_completion(self):
        self.assertIn("Edges that lead back to their vertex", self.ok("--help"))
        shown = self.ok("loops", "--help")
        for words in ("Count no more than N of a vertex", "Result columns: vertex, loops.", "fathom loops graph.fg"):
            self.assertIn(words, shown)
        self.assertIn("loops", self.ok("plan", "--help"))
        self.assertIn("--most", self.ok("completion", "bash"))

    def test_is_among_the_descriptions_that_man_page_and_schema_are_written_from(self):
        loops = {its["name"]: its for its in json.loads(self.ok("descriptions"))}["loops"]
        self.assertEqual([option["name"] for option in loops["options"]], ["most"])
        self.assertEqual([fact["name"] for fact in loops["facts"]], ["loops"])
        for shown in (self.ok("--help"), self.ok("completion", "bash"), self.ok("completion", "fish")):
            self.assertNotIn("descriptions", shown)


if __name__ == "__main__":
    harness.main()
