"""Types and timestamps of edges, weights and types of vertices: fathom stream, -o and checkpoints."""

import random
import signal
import subprocess
import sys

import harness
import test_json

READ_FG = harness.ROOT / "tests" / "store_format" / "read_fg.py"


class StreamFields(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.w = cls.graph("w", "a b 5\nb c 1\n", "--third-column", "weight")

    def content(self, graph):
        """Edges (u, v, w, type, t1, t2) and vertices {label: (weight, type)}, by another reader."""
        self.ok("verify", graph)
        text = subprocess.run([sys.executable, READ_FG, graph], cwd=self.directory, check=True,
                              capture_output=True, text=True).stdout
        lists, fields, said, label = [], {}, {}, {}
        kind = self.json("info", graph)["labels"]["kind"]
        for line in text.splitlines():
            words = line.split()
            if words[0] == "out":
                lists.append((words[1], words[2], words[3] if len(words) > 3 else None))
            elif words[0] == "fields":
                fields[int(words[1])] = tuple(map(int, words[2:]))
            elif words[0] == "vertex":
                said[words[1]] = (float(words[2]), int(words[3]))
            elif words[0] == "label":
                label[words[1]] = (bytes.fromhex(words[2]).decode() if kind == "strings"
                                   else words[2])
        edges = sorted((label[u], label[v], w, *fields.get(e, ()))
                       for e, (u, v, w) in enumerate(lists))
        return edges, {label[v]: said.get(v, (1.0, 0)) for v in label}

    def streamed(self, updates, *words):
        self.write("updates.txt", updates)
        self.ok("stream", *words, "--updates", "updates.txt", "-q", "-o", "out.fg")
        return self.content("out.fg")

    def test_every_field_of_a_line_is_kept(self):
        edges, said = self.streamed(
            "+v a 2.5 7\n+ a b 3 4 1700000000123 18446744073709551615\n+ b a\n+ a c 6\n"
            "+v d 1 4294967295\n+v e\n", "--empty", "--semantic")
        self.assertEqual(edges, [("a", "b", "3", 4, 1700000000123, 2**64 - 1),
                                 ("a", "c", "6", 0, 0, 0), ("b", "a", "1", 0, 0, 0)])
        self.assertEqual(said, {"a": (2.5, 7), "b": (1, 0), "c": (1, 0), "d": (1, 2**32 - 1),
                                "e": (1, 0)})
        info = self.json("info", "out.fg")
        test_json.validator("info").validate(info)
        self.assertEqual(info["fields"], {"edges": True, "vertices": True})
        self.assertIn("weight, type and two timestamps", self.ok("info", "out.fg"))
        # Streamed on, it keeps them without being told; other commands read it as any other.
        again, said_again = self.streamed("+ a c 8 1 2 3\n+v a 9 9\n-v d\n", "out.fg")
        self.assertEqual(again, [edges[0], ("a", "c", "8", 1, 2, 3), edges[2]])
        self.assertEqual(said_again, {"a": (9, 9), "b": (1, 0), "c": (1, 0), "e": (1, 0)})
        self.assertEqual(self.json("cc", "out.fg")["result"]["components"], 2)
        self.ok("sssp", "out.fg", "--source", "a", "-q", "--verify")

    def test_orders_keep_the_fields_and_pages_those_of_vertices(self):
        edges, said = self.streamed("+ a b 3 4 5 6\n+ c a 2 7 8 9\n+ a c 1 1 1 1\n+v b 4 5\n",
                                    "--empty", "--semantic")
        for method in "degree", "random":
            self.ok("reorder", "out.fg", "--method", method, "-o", "other.fg", "-q")
            self.assertEqual(self.content("other.fg"), (edges, said))
        self.ok("convert", "other.fg", "-o", "again.fg", "-q")
        self.assertEqual(self.content("again.fg"), (edges, said))
        self.fails(2, "stored in CSR, not slotted", "convert", "again.fg", "--layout", "slotted", "-o", "pages.fg", "-q")
        edges, said = self.streamed("+v z 4 5\n", self.w)
        self.ok("convert", "out.fg", "--layout", "slotted", "-o", "pages.fg", "-q")
        self.assertEqual(self.content("pages.fg"), (edges, said))
        self.assertEqual(self.json("info", "pages.fg")["fields"],
                         {"edges": False, "vertices": True})

    def test_a_converted_graph_gets_fields_when_asked(self):
        edges, _ = self.streamed("+ a c 2 3 4 5\n", self.w, "--semantic")
        self.assertEqual(edges, [("a", "b", "5", 0, 0, 0), ("a", "c", "2", 3, 4, 5),
                                 ("b", "c", "1", 0, 0, 0)])
        self.assertIs(self.json("stream", self.w, "--semantic", "--updates",
                                "updates.txt")["graph"]["semantic"], True)
        _, said = self.streamed("+v z 4 5\n", self.w)  # vertices of any graph
        self.assertEqual(said["z"], (4, 5))
        self.assertEqual(self.json("info", "out.fg")["fields"], {"edges": False, "vertices": True})

    def test_what_is_there_keeps_its_fields_unless_they_are_overwritten(self):
        text = "+v a 2 1\n+ a b 1 1 1 1\n+ a b 2 2 2 2\n+ b a 3 3 3 3\n+v a 3 2\n+v b\n"
        for policy, kept in (("ignore", [1]), ("overwrite", [2]), ("keep", [1, 2])):
            for batch in (1, 100):
                edges, said = self.streamed(text, "--empty", "--semantic", "--duplicates", policy,
                                            "--batch", batch)
                self.assertEqual(edges, [("a", "b", str(w), w, w, w) for w in kept] +
                                 [("b", "a", "3", 3, 3, 3)])
                self.assertEqual(said["a"], (3, 2) if policy == "overwrite" else (2, 1))
        edges, _ = self.streamed(text, "--empty", "--semantic", "--undirected")
        self.assertEqual(edges, [(u, v, "3", 3, 3, 3) for u, v in ("ab", "ba")])
        _, said = self.streamed("+v a 5 6\n-v a\n+v a\n", "--empty")
        self.assertEqual(said["a"], (1, 0))

    def test_random_updates_equal_a_dictionary_in_every_layout(self):
        dice = random.Random(17)
        known, lines = {}, []
        for i in range(3000):
            u, v = dice.randrange(40), dice.randrange(40)
            if dice.randrange(3):
                said = (dice.randrange(9), dice.randrange(2**32), i << 20, dice.randrange(2**64))
                lines.append("+ {} {} {} {} {} {}".format(u, v, *said))
                known[str(u), str(v)] = (str(said[0]), *said[1:])
            else:
                lines.append(f"- {u} {v}")
                known.pop((str(u), str(v)), None)
        expected = sorted((*pair, *said) for pair, said in known.items())
        for words in (["ouro"], ["faim"], ["aim"], ["ouro", "--edges", "soa"],
                      ["aim", "--edges", "soa", "--page-bytes", "64"],
                      ["ouro", "--allocator", "vl-c"], ["faim", "--page-bytes", "32"],
                      ["faim", "--sorted-links", "--edges", "soa"]):
            edges, _ = self.streamed("\n".join(lines), "--empty", "--semantic", "--batch", "700",
                                     "--layout", *words)
            self.assertEqual(edges, expected, words)
        self.fails(2, "32 are the least", "stream", "--empty", "--semantic", "--updates",
                   "updates.txt", "--layout", "aim", "--page-bytes", "16")

    def test_malformed_fields_exit_3_with_their_number_and_write_nothing(self):
        many = "a type, an integer from 0 to 4294967295, found "
        time = "a timestamp, an integer from 0 to 18446744073709551615, found "
        for line, message in (("+ a b 1 2", "two timestamps after the type, found the end"),
                              ("+ a b 1 2 3", "a second timestamp, found the end"),
                              ("+ a b 1 2 3 4 5", "two timestamps after +, found '5'"),
                              ("+ a b 1 x 3 4", many + "'x'"), ("+ a b 1 -2 3 4", many + "'-2'"),
                              ("+ a b 1 4294967296 3 4", many + "'4294967296'"),
                              ("+ a b 1 2 1.5 4", time + "'1.5'"),
                              ("+ a b 1 2 3 18446744073709551616", time),
                              ("+ a b nan 2 3 4", "found 'nan'"), ("- a b 1 2 3 4", "found '1'"),
                              ("+v a 2", "a type after the weight, found the end"),
                              ("+v a 2 x", many + "'x'"), ("+v a nan 2", "found 'nan'"),
                              ("+v a 1 2 3", "found '3'"), ("-v a 1 2", "found '1'")):
            self.write("bad.txt", f"+ a c 1 1 1 1\n# fine\n{line}\n")
            words = ["stream", "--empty", "--semantic", "--updates", "bad.txt", "-o", "bad.fg"]
            self.fails(3, "bad.txt:3: expected ", *words)
            self.fails(3, message.replace("found the end", "found 'the end of the line'"), *words)
            self.assertFalse((self.directory / "bad.fg").exists())
        self.write("bad.txt", "+ a b 1 2 3 4\n")
        self.fails(3, "bad.txt:1: expected no more than two labels and a weight after +, found '2'",
                   "stream", self.w, "--updates", "bad.txt")

    def test_a_killed_stream_resumes_with_all_fields(self):
        lines = ["+v 5 3 4"] + [f"+ {v} {v * 7 % 50} {v % 9} {v} {v << 33} {2**64 - 1 - v}"
                                for v in range(100)]
        lines += ["- 3 21", "+ word 4 1 2 3 4", "+v 6 8 9", "-v 9"]
        self.write("long.txt", "\n".join(lines))
        self.ok("stream", "--empty", "--semantic", "--updates", "long.txt", "-q", "-o", "known.fg")
        known = self.content("known.fg")
        self.assertEqual(known[1]["5"], (3, 4))
        for stop in (signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen(
                    [harness.FATHOM, "stream", "--empty", "--semantic", "--updates", "-", "--batch",
                     "10", "--every", "1", "cc", "--checkpoint", "half.fg"], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.directory,
                    text=True) as run:
                run.stdin.write("\n".join(lines[:45]) + "\n")
                run.stdin.flush()
                for _ in range(4):
                    self.assertIn("cc:", run.stdout.readline())
                run.send_signal(stop)
                run.stdout.read()
                self.assertEqual(run.wait(), 130 if stop == signal.SIGINT else -9)
            edges, said = self.content("half.fg")
            self.assertEqual(len(edges), 39)
            self.assertEqual(said["5"], (3, 4))
            self.ok("stream", "half.fg", "--resume", "--updates", "long.txt", "-q", "-o", "rest.fg")
            self.assertEqual(self.content("rest.fg"), known)

    def test_a_checkpoint_without_edges_still_knows_what_they_will_have(self):
        for option, line in (("--semantic", "+ a b 5 6 7 8"), ("--weighted", "+ a b 5")):
            self.write("first.txt", "+v a\n")
            self.write("both.txt", "+v a\n" + line + "\n")
            self.ok("stream", "--empty", option, "--updates", "first.txt", "--checkpoint",
                    "none.fg", "-q")
            self.ok("stream", "none.fg", "--resume", "--updates", "both.txt", "-q", "-o", "out.fg")
            words = line.split()[3:]
            self.assertEqual(self.content("out.fg")[0],
                             [("a", "b", words[0], *map(int, words[1:]))])


if __name__ == "__main__":
    harness.main()
