"""Updates in binary: fathom convert makes them of lines, fathom stream takes them."""

import random
import signal
import struct
import subprocess
import time

import harness


def lines_of(seed, count, weighted=False):
    dice = random.Random(seed)
    lines = []
    for _ in range(count):
        u, v = dice.randrange(300), dice.randrange(300)
        if dice.random() < 0.02:
            lines.append(f"{dice.choice(['+v', '-v'])} {u}")
        elif dice.random() < 0.3:
            lines.append(f"- {u} {v}")
        else:
            lines.append(f"+ {u} {v}" + (f" {dice.randrange(9)}.5" if weighted and u % 2 else ""))
    return "".join(line + "\n" for line in lines)


class StreamBinary(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.g = cls.graph("g", "1 2\n2 500\n500 1\n")

    def file(self, name):
        return self.directory / name

    def stored(self, graph):
        self.ok("convert", graph, "-o", "edges.tsv", "-q")
        self.ok("degrees", graph, "-q", "-o", "degrees.tsv")
        return self.file("edges.tsv").read_text(), self.table("degrees.tsv")

    def records(self, text, name="u"):
        self.write(f"{name}.txt", text)
        self.ok("convert", f"{name}.txt", "-o", f"{name}.fgu", "-q")
        return self.file(f"{name}.fgu")

    def test_records_do_what_their_lines_do(self):
        for start in ([self.g], ["--empty"], ["--empty", "--undirected", "--weighted"]):
            self.records(lines_of(1, 5000, "--weighted" in start))
            found = []
            for updates in ("u.txt", "u.fgu"):
                for batch in (1, 777, 100000):
                    if batch == 1 and updates == "u.txt":
                        continue
                    self.ok("stream", *start, "--updates", updates, "--batch", batch, "-q", "-o", "out.fg")
                    found.append(self.stored("out.fg"))
            self.assertTrue(all(f == found[0] for f in found), start)

    def test_convert_says_how_many_there_are_and_takes_no_options_of_graphs(self):
        self.write("u.txt", "+ 1 2\n# c\n- 1 2\n")
        self.assertRegex(self.ok("convert", "u.txt", "-o", "u.fgu"), "^u.fgu: 2 updates, in ")
        self.assertEqual(self.file("u.fgu").stat().st_size, 32 + 16)
        for words in (["--undirected"], ["--memory", "1GiB", "--pack"], ["--to", "tsv"], ["--json"]):
            self.fails(2, "has no effect", "convert", "u.txt", "-o", "u.fgu", *words)
        self.fails(2, "come from one file", "convert", "u.txt", "u.txt", "-o", "v.fgu")
        self.fails(2, "read twice", "convert", "-", "-o", "v.fgu")
        self.fails(3, "it is updates in binary already", "convert", "u.fgu", "-o", "v.fgu")
        self.write("bad.txt", "+ 1 2\n+ 1 x\n")
        self.fails(3, "bad.txt:2: expected a label that is an integer below 2^63 without zeros", "convert", "bad.txt", "-o", "v.fgu")
        self.assertFalse(self.file("v.fgu").exists())

    def test_a_pipe_is_told_by_its_first_bytes_even_if_they_come_one_by_one(self):
        content = self.records("+ 1 3\n- 1 2\n+v 9\n").read_bytes()
        with subprocess.Popen([harness.FATHOM, "stream", self.g, "--updates", "-", "-q", "-o", "out.fg"],
                              stdin=subprocess.PIPE, cwd=self.directory) as process:
            for i in range(len(content)):
                process.stdin.write(content[i:i + 1])
                process.stdin.flush()
                if i < 40:
                    time.sleep(0.005)
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)
        self.ok("stream", self.g, "--updates", "u.txt", "-q", "-o", "expected.fg")
        self.assertEqual(self.stored("out.fg"), self.stored("expected.fg"))

    def test_compressed_records_are_read(self):
        self.records(lines_of(2, 3000))
        subprocess.run(["gzip", "-kf", "u.fgu"], cwd=self.directory, check=True)
        self.ok("stream", self.g, "--updates", "u.fgu.gz", "-q", "-o", "out.fg")
        self.ok("stream", self.g, "--updates", "u.txt", "-q", "-o", "expected.fg")
        self.assertEqual(self.stored("out.fg"), self.stored("expected.fg"))

    def test_damage_exits_3_and_writes_nothing(self):
        content = self.records("+ 1 3\n- 1 2\n+ 7 8\n").read_bytes()
        for damaged, message in (
                (content[:20], "no header of updates in binary"),
                (content[:-3], "it ends inside update 3, 5 of its 8 bytes"),
                (content[:-8], "it ends after 2 updates of the 3 that its header announces"),
                (content + b"x", "it goes on behind the 3 updates that its header announces"),
                (content[:12] + b"\1" + content[13:], "the checksum of its header is another"),
                (content[:8] + b"\2" + content[9:], "of version 2; this Fathom reads version 1"),
                (content[:-4] + struct.pack("<I", 1 << 31 | 5), "update 3, at byte 48: expected a vertex")):
            self.file("bad.fgu").write_bytes(damaged)
            self.fails(3, message, "stream", self.g, "--updates", "bad.fgu", "-q", "-o", "no.fg")
            self.assertFalse(self.file("no.fg").exists())

    def test_weights_are_refused_by_a_graph_without(self):
        self.records("+ 1 3\n+ 1 4 2.5\n")
        self.fails(3, "u.fgu: update 2, at byte 44: expected no weight but 1, as this graph has none, found '2.5'",
                   "stream", self.g, "--updates", "u.fgu", "-q")

    def test_a_checkpoint_of_lines_does_not_take_records(self):
        self.records("# a\n+ 1 2\n+ 3 4\n")
        self.write("r1.txt", "# a\n+ 1 2\n")
        self.ok("stream", self.g, "--updates", "r1.txt", "--checkpoint", "c.fg", "-q")
        self.fails(2, "u.fgu is records, but the checkpoint was written after line 2", "stream", "c.fg", "--resume",
                   "--updates", "u.fgu", "-q")

    def test_labels_made_to_collide_take_no_longer(self):
        def home(x):  # undone: labels whose hash ends in 32 zeros
            x ^= x >> 33
            x = x * pow(0xc4ceb9fe1a85ec53, -1, 1 << 64) % (1 << 64)
            x ^= x >> 33
            x = x * pow(0xff51afd7ed558ccd, -1, 1 << 64) % (1 << 64)
            return x ^ x >> 33
        self.write("hostile.txt", "".join(f"+v {home(k << 32)}\n" for k in range(1, 60001)))
        self.ok("stream", "--empty", "--updates", "hostile.txt", "--batch", 1000000, "-q", timeout=30)
        self.write("gone.txt", "".join(f"+v {k * 85229}\n" for k in range(60000)) +
                   "".join(f"-v {k * 85229}\n" for k in range(60000)))
        self.ok("stream", "--empty", "--updates", "gone.txt", "--batch", 60000, "-q", timeout=30)

    def test_a_log_counts_records_and_goes_on_behind_them(self):
        text = lines_of(3, 4000)
        self.records(text)
        self.records("".join(text.splitlines(True)[:1500]), "half")
        self.ok("stream", self.g, "--updates", "half.fgu", "--batch", 500, "--log", "d.log", "-q")
        done = self.ok("stream", self.g, "--updates", "u.fgu", "--batch", 500, "--log", "d.log", "-o", "out.fg")
        self.assertIn("recovered 3 batches, 1,500 updates", done)
        self.ok("stream", self.g, "--updates", "u.txt", "-q", "-o", "expected.fg")
        self.assertEqual(self.stored("out.fg"), self.stored("expected.fg"))
        self.fails(2, "the first 4000 records are not those that", "stream", self.g, "--updates",
                   self.records(lines_of(4, 4000), "other").name, "--log", "d.log", "-q")

    def test_a_stopped_stream_resumes_behind_the_records_it_has(self):
        content = self.records(lines_of(5, 4000)).read_bytes()
        with subprocess.Popen([harness.FATHOM, "stream", self.g, "--updates", "-", "--batch", "1000", "-q",
                               "--checkpoint", "half.fg"], stdin=subprocess.PIPE, cwd=self.directory) as process:
            process.stdin.write(content[:32 + 8 * 2500])
            process.stdin.flush()
            deadline = time.monotonic() + 60
            while not self.file("half.fg").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
        self.ok("stream", "half.fg", "--resume", "--updates", "u.fgu", "-q", "-o", "out.fg")
        self.ok("stream", self.g, "--updates", "u.txt", "-q", "-o", "expected.fg")
        self.assertEqual(self.stored("out.fg"), self.stored("expected.fg"))
        self.records("+ 1 2\n", "short")
        self.fails(2, "short.fgu has 1 records, but the checkpoint was written after record", "stream", "half.fg",
                   "--resume", "--updates", "short.fgu", "-q")

    def test_names_among_integers_make_all_labels_strings(self):
        dice = random.Random(6)
        lines = [f"+ {dice.randrange(50)} {dice.randrange(50)}" for _ in range(2000)]
        lines[1500:1500] = ["+ ann 7", "+ 007 ann", "- 3 4", "-v 5"]
        self.write("u.txt", "".join(line + "\n" for line in lines))
        found = []
        for batch in (1, 300, 100000):
            self.ok("stream", "--empty", "--updates", "u.txt", "--batch", batch, "-q", "-o", "out.fg")
            found.append(self.stored("out.fg"))
        self.assertTrue(all(f == found[0] for f in found))
        labels = {row[0] for row in found[0][1][1]}
        self.assertTrue({"ann", "007", "7"} <= labels)


if __name__ == "__main__":
    harness.main()
