"""A graph in parts: what partition makes, what of it is refused, and algorithms under mpirun where there is one."""

import json
import os
import shutil
import unittest

import harness
import launching
import test_json


class Partition(launching.RankTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "10", "--weights", "1:9", "-o", "g.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "10", "--directed", "-o", "d.fg", "-q")
        cls.ok("partition", "g.fg", "--parts", "2", "-o", "parts", "-q")

    def part(self, i, n=2, directory="parts"):
        return f"{directory}/part-{i:05}-of-{n:05}.fg"

    def test_says_what_it_made(self):
        told = self.json("partition", "d.fg", "--parts", "3", "-o", "three")
        test_json.validator("partition").validate(told)
        whole = self.json("info", "d.fg")
        self.assertEqual(sum(p["out"]["edges"] for p in told["parts"]), whole["graph"]["edges"])
        self.assertEqual(sum(p["in"]["edges"] for p in told["parts"]), whole["graph"]["edges"])
        self.assertEqual([p["path"] for p in told["parts"]], [self.part(i, 3, "three") for i in range(3)])
        lines = self.ok("partition", "d.fg", "--parts", "3", "-o", "three").splitlines()
        self.assertEqual(len(lines), 4)
        self.assertIn("mpirun -n 3 fathom bfs three", lines[-1])
        for i, made in enumerate(told["parts"]):
            info = self.json("info", made["path"])
            test_json.validator("info").validate(info)
            self.assertEqual(info["part"], {key: made[key] for key in ("index", "parts", "out", "in")})
            self.assertEqual(info["graph"]["fingerprint"], whole["graph"]["fingerprint"])
            self.assertIn(f"part              {i} of 3", self.ok("info", made["path"]))
        self.assertIsNone(whole["part"])
        self.assertIn("three: sound; 1,024 vertices", self.ok("verify", "three"))
        self.assertIn("sound", self.ok("verify", told["parts"][1]["path"]))

    def test_parts_are_generated_as_they_are_divided(self):
        model = ["rmat", "--scale", "12", "--directed", "--weights", "1:9"]
        self.ok("generate", *model, "-o", "whole.fg", "-q")
        self.ok("partition", "whole.fg", "--parts", "3", "-o", "divided", "-q")
        told = self.json("generate", *model, "--parts", "3", "-o", "made")
        test_json.validator("partition").validate(told)
        for i in range(3):
            made, divided = (self.json("info", self.part(i, 3, name)) for name in ("made", "divided"))
            self.assertEqual(made["part"], divided["part"])
            self.assertEqual(made["graph"]["fingerprint"], divided["graph"]["fingerprint"])
            self.assertEqual(made["repairs"], divided["repairs"])
        self.assertIn("sound", self.ok("verify", "made"))
        self.fails(2, "lists of parts are in CSR", "generate", *model, "--parts", "3", "-o", "packed", "--pack")

    def test_parts_are_no_graphs(self):
        usage = "`mpirun -n 2 fathom ALGORITHM parts ...`"
        one = self.part(1)
        for words in (["bfs", one, "--source", "0"], ["convert", one, "-o", "x.fg", "--layout", "packed"],
                      ["convert", one, "-o", "x.csv"], ["reorder", one, "-o", "x.fg"], ["plan", "cc", one],
                      ["stripe", one, "--ssd", "."], ["partition", one, "--parts", "2", "-o", "x"],
                      ["bfs", "parts", "--source", "0"], ["plan", "cc", "parts"], ["info", "parts"]):
            with self.subTest(words=words):
                self.fails(2, usage, *words)

    def test_directories_and_bounds_are_checked(self):
        self.fails(2, "--parts is required", "partition", "g.fg", "-o", "x")
        self.fails(2, "--parts", "partition", "g.fg", "--parts", "0", "-o", "x")
        self.fails(2, "parts: has other files", "partition", "g.fg", "--parts", "3", "-o", "parts")
        self.fails(4, "at least 32 MiB", "partition", "g.fg", "--parts", "2", "-o", "x", "--memory", "1MiB")
        self.assertNotIn("x", self.files())
        os.mkdir(self.directory / "empty")
        self.fails(3, "empty: has no parts of a graph", "verify", "empty")
        self.fails(3, "empty: has no parts of a graph (part-00000-of-00001.fg)", "cc", "empty")

    def test_damage_is_found(self):
        shutil.copytree(self.directory / "parts", self.directory / "bad")
        path = self.directory / self.part(1, directory="bad")
        data = bytearray(path.read_bytes())
        data[20_000] ^= 1
        path.write_bytes(data)
        self.fails(3, "bad/part-00001-of-00002.fg: section 'out.targets'", "verify", "bad")
        path.unlink()
        self.fails(3, "bad/part-00001-of-00002.fg: is missing", "verify", "bad")

    def test_one_part_is_a_graph_for_one_process(self):
        self.ok("partition", "g.fg", "--parts", "1", "-o", "one", "-q")
        words = ["--source", "0", "--verify"]
        self.assertEqual(self.json("sssp", "one", *words)["result"], self.json("sssp", "g.fg", *words)["result"])

    @unittest.skipUnless(launching.HAS_RANKS, launching.WHY_NOT)
    def test_ranks_find_what_one_process_finds(self):
        for words in (["bfs", "--source", "0"], ["sssp", "--source", "0"], ["cc"], ["tc"], ["kcore"]):
            with self.subTest(words=words):
                self.ok(words[0], "g.fg", *words[1:], "-q", "-o", "alone.tsv")
                self.succeeds(2, words[0], "parts", *words[1:], "--verify", "-q", "-o", "ranks.tsv")
                self.assertEqual((self.directory / "ranks.tsv").read_text(), (self.directory / "alone.tsv").read_text())
                for place in (["--residency", "stream", "--host-memory", "4MiB"], ["--residency", "resident"],
                              ["--devices", "2", "--device-memory", "2MiB", "--page-size", "4096"], ["--residency", "stream", "--io", "threads"]):
                    self.succeeds(2, words[0], "parts", *words[1:], *place, "-q", "-o", "streamed.tsv")
                    self.assertEqual((self.directory / "streamed.tsv").read_bytes(),
                                     (self.directory / "alone.tsv").read_bytes(), place)

    @unittest.skipUnless(launching.HAS_RANKS, launching.WHY_NOT)
    def test_ranks_make_the_parts_that_one_process_makes(self):
        """Down to the bytes, but for the command line that a file tells."""
        def content(directory, n):
            found = []
            for i in range(n):
                path = self.part(i, n, directory)
                info = self.json("info", path)
                graph = {key: value for key, value in info["graph"].items() if key != "path"}
                sections = [section for section in info["sections"] if section["name"] != "provenance"]
                found.append([(self.directory / path).stat().st_size, graph, info["part"], info["repairs"], sections])
            return found

        model = ["rmat", "--scale", "12", "--weights", "1:9", "--directed", "--simple", "--parts", "3", "-q"]
        self.ok("generate", *model, "-o", "by-1")
        self.ok("partition", "d.fg", "--parts", "3", "-o", "of-1", "-q")
        for ranks in (2, 3, 4):
            self.succeeds(ranks, "generate", *model, "-o", f"by-{ranks}")
            self.assertEqual(content(f"by-{ranks}", 3), content("by-1", 3))
            self.ok("verify", f"by-{ranks}", "-q")
            self.succeeds(ranks, "partition", "d.fg", "--parts", "3", "-o", f"of-{ranks}", "-q")
            self.assertEqual(content(f"of-{ranks}", 3), content("of-1", 3))
            self.ok("verify", f"of-{ranks}", "-q")
        told = json.loads(self.succeeds(2, "generate", *model[:-1], "--json", "-o", "by-2"))
        test_json.validator("partition").validate(told)
        self.assertEqual([part["index"] for part in told["parts"]], [0, 1, 2])
        status, _, said = self.ranks(2, "generate", *model, "-o", "d.fg")
        self.assertEqual(status, 74)
        self.assertEqual(said.count("cannot make the directory d.fg"), 1)

    @unittest.skipUnless(launching.HAS_RANKS, launching.WHY_NOT)
    def test_reports_name_the_directory_and_have_a_row_per_rank(self):
        report = json.loads(self.succeeds(2, "cc", "parts", "--verify", "--json"))
        test_json.validator("report").validate(report)
        self.assertEqual(report["graph"]["path"], "parts")
        self.assertEqual(len(report["ranks"]), 2)
        status, _, said = self.ranks(2, "bfs", "parts", "--source", "none")
        self.assertEqual(status, 2)
        self.assertIn("parts has no vertex 'none'", said)

    @unittest.skipUnless(launching.HAS_RANKS, launching.WHY_NOT)
    def test_ranks_say_together_what_is_wrong(self):
        def fails(status, message, ranks, *words):
            code, _, said = self.ranks(ranks, *words)
            self.assertEqual(code, status, said)
            self.assertIn(message, said)

        fails(2, "parts: has 2 parts, and there are 3 ranks: `mpirun -n 2", 3, "cc", "parts")
        fails(2, "--residency zerocopy has no effect", 2, "cc", "parts", "--residency", "zerocopy")
        fails(2, "stripes (--ssd) are of whole graphs", 2, "cc", "parts", "--residency", "stream", "--ssd", ".")
        shutil.copytree(self.directory / "parts", self.directory / "wrong")
        path = self.directory / self.part(1, directory="wrong")
        path.unlink()
        fails(3, "wrong/part-00001-of-00002.fg: is missing", 2, "cc", "wrong")
        self.ok("partition", "d.fg", "--parts", "2", "-o", "others", "-q")
        shutil.copy(self.directory / self.part(1, directory="others"), path)
        fails(3, "wrong/part-00001-of-00002.fg: is a part of another graph", 2, "cc", "wrong")
        data = bytearray((self.directory / self.part(1)).read_bytes())
        data[20_000] ^= 1
        path.write_bytes(data)
        fails(3, "wrong/part-00001-of-00002.fg: section 'out.targets'", 2, "cc", "wrong")


if __name__ == "__main__":
    harness.main()
