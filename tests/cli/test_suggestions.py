"""What to type instead: a file that is no graph yet, and words that a command does not know."""

import gzip
import shlex
import subprocess

import harness


class NotYetAGraph(harness.CliTest):
    def advised(self, *words):
        """The command line that a refusal advises."""
        shown = self.fails(3, "not a .fg file; this makes one of it: fathom convert ", *words)
        return shlex.split(shown.strip().split("this makes one of it: ")[1])

    def test_the_advice_can_be_followed(self):
        self.write("edges.tsv", "0\t1\n1\t2\n")
        self.write("with space.csv", "0,1\n1,2\n")
        self.write("plain", "0 1\n1 2\n")
        self.write("misnamed.fg", "0 1\n1 2\n")
        self.graph("g", "0 1\n1 2\n")
        (self.directory / "edges.txt.gz").write_bytes(gzip.compress(b"0 1\n1 2\n"))
        for form in ("npz", "sg", "mtx"):
            self.ok("convert", "g.fg", "-o", f"made.{form}", "-q")
        for name, made in {"edges.tsv": "edges.fg", "with space.csv": "with space.fg", "plain": "plain.fg",
                           "misnamed.fg": "misnamed-graph.fg", "edges.txt.gz": "edges.fg", "made.npz": "made.fg",
                           "made.sg": "made.fg", "made.mtx": "made.fg"}.items():
            advice = self.advised("bfs", name, "--source", "1")
            self.assertEqual(advice, ["fathom", "convert", name, "-o", made])
            subprocess.run([harness.FATHOM, *advice[1:]], cwd=self.directory, check=True, capture_output=True)
            self.ok("bfs", made, "--source", "1")
            (self.directory / made).unlink()

    def test_every_command_that_reads_a_graph_advises(self):
        self.write("edges.tsv", "0\t1\n")
        for words in (["info"], ["verify"], ["plan", "cc"], ["reorder", "-o", "x.fg"], ["cc"], ["stripe", "--ssd", "."]):
            command = words[:2] if words[0] == "plan" else words[:1]
            self.advised(*command, "edges.tsv", *words[len(command):])

    def test_other_files_are_what_they_were(self):
        self.write("empty.txt", "")
        (self.directory / "noise").write_bytes(bytes(range(256)))
        for name in ("empty.txt", "noise"):
            shown = self.fails(3, "not a .fg file (", "cc", name)
            self.assertNotIn("convert", shown)
        graph = self.directory / self.graph("g", "0 1\n")
        (self.directory / "cut.fg").write_bytes(graph.read_bytes()[:-8])
        self.fails(3, "truncated", "cc", "cut.fg")
        self.fails(74, "No such file", "cc", "missing.fg")


class Typed(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph("g", "0 1\n")

    def test_options_that_are_near(self):
        for typed, meant in {"--residancy=auto": "--residency", "--maxi-ter=5": "--max-iter", "--max-itr=3": "--max-iter",
                             "--thread=1": "--threads", "-top=3": "--top", "--varify": "--verify"}.items():
            shown = self.fails(2, f"Did you mean {meant}? Try 'fathom pagerank --help'.", "pagerank", "g.fg", typed)
            self.assertIn(typed.split("=")[0], shown)
        self.fails(2, "Did you mean --source?", "bfs", "g.fg", "--sorce", "0")
        self.fails(2, "Did you mean --undirected?", "convert", "g.txt", "-o", "h.fg", "--undirectd")

    def test_commands_that_are_near(self):
        for typed, meant in {"bsf": "bfs", "pagernak": "pagerank", "covnert": "convert", "inof": "info"}.items():
            self.fails(2, f"there is no command '{typed}'\nDid you mean {meant}? Try 'fathom --help'.", typed)

    def test_words_that_are_far_from_all(self):
        for words in (["nonsense"], ["xyz"], ["pagerank", "g.fg", "--elephant"], ["cc", "g.fg", "-Q"]):
            self.assertNotIn("Did you mean", self.fails(2, "Try 'fathom", *words))


class ThirdColumns(harness.CliTest):
    # Ever later numbers, which could be times.
    ROWS = "".join(f"{i},{i + 1},{i * 10}\n" for i in range(30))

    def weighted(self, name, *options):
        self.write("t.csv", f"source,target,{name}\n{self.ROWS}")
        self.ok("convert", "t.csv", "-o", "t.fg", "-q", *options)
        return self.json("info", "t.fg")["graph"]["weighted"]

    def test_names_say_what_a_third_column_is(self):
        for name in ("weight", "Weight", "w", "value", "COST", "distance", "dist", "len", "length", "duration"):
            self.assertTrue(self.weighted(name), name)
        for name in ("time", "timestamp", "ts", "date"):
            self.assertFalse(self.weighted(name), name)

    def test_other_names_are_shown_with_the_way_out(self):
        self.write("t.csv", f"source,target,colour\n{self.ROWS}")
        self.fails(3, "t.csv:2: expected a third column that cannot be a timestamp, found '0' (the third of the columns "
                      "source, target and colour; --third-column weight|timestamp|ignore settles it)",
                   "convert", "t.csv", "-o", "t.fg")
        self.write("words.csv", "source,target,colour\n1,2,red\n")
        self.fails(3, "found 'red' (the third of the columns source, target and colour; --third-column",
                   "convert", "words.csv", "-o", "t.fg")
        (self.directory / "hostile.csv").write_bytes(b"source,target,col\xdbour\n1,2,red\n")
        self.fails(3, r"source, target and col\xdbour; --third-column", "convert", "hostile.csv", "-o", "t.fg")
        self.assertTrue(self.weighted("colour", "--third-column", "weight"))
        self.assertFalse(self.weighted("colour", "--third-column", "ignore"))
        self.write("t.csv", "source,target,colour\n1,2,5\n2,3,1\n")  # numbers that can be weights alone
        self.ok("convert", "t.csv", "-o", "t.fg", "-q")
        self.assertTrue(self.json("info", "t.fg")["graph"]["weighted"])

    def test_a_column_without_a_name_is_judged_by_its_numbers(self):
        self.write("t.csv", "source,target\n1,2,3\n2,3,1\n")
        self.ok("convert", "t.csv", "-o", "t.fg", "-q")
        self.assertTrue(self.json("info", "t.fg")["graph"]["weighted"])

    def test_without_a_header_numbers_that_could_be_times_are_still_refused(self):
        self.write("t.csv", self.ROWS)
        self.fails(3, "--third-column weight|timestamp|ignore settles it", "convert", "t.csv", "-o", "t.fg")


if __name__ == "__main__":
    harness.main()
