"""File names and labels that nobody expects."""

import ast
import csv
import json
import os
import struct
import subprocess
import unicodedata

import harness

NAMES = ["with space", "quo'te", 'dou"ble', "-dash", "new\nline", "tab\there", "\u00fcml\u00e4ut",
         "$(x)", "a;b", "*", "[x]", "esc\x1b[31m"]
# What a terminal would obey, or shows turned round: C0, C1, overrides of direction; and no UTF-8.
HOSTILE = [b"\x1b[31mred", "\u009b31mred".encode(), "gpj.\u202egf".encode(), b"caf\xe9", b"\x9b31m",
           "\u2066iso".encode(), b"\xed\xa0\x80", b"bell\x07", "\ufeffbom".encode(), "line\u2028two".encode()]
LABELS = ["-1", "--help", "[x,y]", "[]", "a,b", 'say"hi"', "\u00fcber", "a%s", "{}", "x=y"]


class HostileNames(harness.CliTest):
    def test_any_file_name_works(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.write("in.txt", "0 1\n")
                (self.directory / "in.txt").rename(self.directory / f"{name}.txt")
                place = "./" if name.startswith("-") else ""
                store = f"{place}{name}.fg"
                self.ok("convert", f"{place}{name}.txt", "-o", store)
                self.assertNotIn("\x1b", self.ok("info", store))
                self.ok("verify", store)
                self.ok("bfs", store, "--source", "0", "-o", f"{place}{name}.tsv", "--report",
                        f"{place}{name}.json")
                self.assertEqual(self.json("info", store)["graph"]["path"], store)
                self.assertEqual(len(self.table(f"{name}.tsv")[1]), 2)

    def test_messages_show_no_control_characters(self):
        shown = self.fails(74, "\\x1b", "info", "esc\x1b[31m-missing")
        self.assertNotIn("\x1b", shown)

    def assert_harmless(self, shown, known):
        """Valid UTF-8 without a character that does something; what can be read is still there."""
        text = shown.decode()
        for character in text:
            if character != "\n":
                self.assertNotIn(unicodedata.category(character), ("Cc", "Cf", "Zl", "Zp"), repr(text))
        self.assertIn(known, text)

    def test_hostile_labels_are_escaped_wherever_they_are_shown(self):
        for i, label in enumerate(HOSTILE):
            if min(label) < 32:
                continue  # no text: refused
            with self.subTest(label=label):
                words = b"w\xc3\xb6rd " + label + b"\n" + label + b" end\n"
                (self.directory / "hostile.txt").write_bytes(words)
                self.ok("convert", "hostile.txt", "-o", "hostile.fg", "-q", "--labels", "strings")
                source = os.fsdecode(label)
                for run in (["info"], ["pagerank", "--top", "9"], ["bfs", "--source", source, "--top", "9"],
                            ["cc", "--top", "9"], ["sssp", "--source", source], ["info", "--json"],
                            ["bfs", "--source", source, "--json"], ["bc", "--source", source, "--json"],
                            ["rwr", "--source", source, "--top", "9"], ["egonet", "--source", source],
                            ["neighborhood", "--source", source, "--hops", "2"]):
                    shown = self.run_raw(run[0], "hostile.fg", *run[1:])
                    self.assertEqual((shown.returncode, shown.stderr), (0, b""))
                    if "--json" in run:
                        json.loads(shown.stdout.decode())
                    self.assert_harmless(shown.stdout, "")
                ranks = self.run_raw("pagerank", "hostile.fg", "--top", "9").stdout
                self.assert_harmless(ranks, "w\u00f6rd")
                missing = self.run_raw("bfs", "hostile.fg", "--source", "x" + source)
                self.assertEqual(missing.returncode, 2)
                self.assert_harmless(missing.stderr, "has no vertex")
                (self.directory / "some.txt").write_bytes(b"zz" + label + b"\n")
                unknown = self.run_raw("subgraph", "hostile.fg", "--vertices", "some.txt")
                self.assertEqual(unknown.returncode, 3)
                self.assert_harmless(unknown.stderr, "expected the label of a vertex, found 'zz")
                self.ok("bfs", "hostile.fg", f"--source={source}", "-q", "-o", f"{i}.tsv")
                self.assertIn(label, (self.directory / f"{i}.tsv").read_bytes())  # data stays as it is

    def test_hostile_bytes_of_files_and_options_are_escaped(self):
        for name in HOSTILE:
            with self.subTest(name=name):
                path = os.fsencode(self.directory) + b"/" + name + b".txt"
                with open(path, "wb") as file:
                    file.write(b"0 1\n1 " + name + b"\n")
                shown = os.fsdecode(name)
                bad = self.run_raw("convert", f"{shown}.txt", "-o", "x.fg", "--labels", "none")
                self.assertEqual(bad.returncode, 3)
                self.assert_harmless(bad.stderr, ".txt:" if min(name) < 32 else ".txt:2: expected")
                self.assertEqual(bad.stderr.count(b"\n"), 1)
                for words in (["cc", f"{shown}.fg"], ["bfs", "x.fg", f"--{shown}"], [shown],
                              ["cc", "x.fg", "--host-memory", shown], ["cc", "x.fg", "--device", shown],
                              ["convert", f"{shown}.txt", "-o", "x.fg", "--format", shown],
                              ["plan", "cc", "--link", shown], ["stream", "--empty", "--updates", shown]):
                    failed = self.run_raw(*words)
                    self.assertIn(failed.returncode, (2, 74), words)
                    self.assert_harmless(failed.stderr, "fathom: ")
                with open(path, "wb") as file:
                    file.write(b"0 1\n")
                made = self.run_raw("convert", f"{shown}.txt", "-o", f"{shown}.fg")
                self.assertEqual(made.returncode, 0)
                self.assert_harmless(made.stdout, ".fg: 2 vertices")
                self.assert_harmless(self.run_raw("info", f"{shown}.fg", "--json").stdout, '"path"')
                self.run_raw("bfs", f"{shown}.fg", "--source", "0", "--report", "r.json", "-q")
                self.assert_harmless((self.directory / "r.json").read_bytes(), '"path"')

    def test_a_message_is_one_line_whatever_the_name(self):
        shown = self.fails(74, "a\\x0afathom: all is well", "info", "a\nfathom: all is well")
        self.assertEqual(len(shown.splitlines()), 1)

    def test_sections_that_nobody_knows_have_names(self):
        self.graph("named", "0 1\n")
        store = bytearray((self.directory / "named.fg").read_bytes())
        count = struct.unpack_from("<I", store, 28)[0]
        for at in range(136, 136 + 64 * count, 64):
            if store[at:at + 10] == b"provenance":
                store[at:at + 24] = b"\x1b[31m\xff".ljust(24, b"\0")
        (self.directory / "named.fg").write_bytes(store)
        subprocess.run([os.environ["FATHOM_RESEAL"], "named.fg"], cwd=self.directory, check=True)
        self.fails(3, "not a name", "info", "named.fg")

    def test_any_label_works(self):
        self.write("labels.txt", "".join(f"{label}\tend\n" for label in LABELS))
        self.ok("convert", "labels.txt", "-o", "labels.fg", "-q", "--labels", "strings")
        for label in LABELS:
            with self.subTest(label=label):
                report = self.json("bfs", "labels.fg", f"--source={label}")
                self.assertEqual(report["result"]["sources"], [label])
                self.assertEqual(report["result"]["reached"], 2)
        both = self.json("bfs", "labels.fg", "--source", "[x,y]", "a,b")
        self.assertEqual(both["result"]["sources"], ["[x,y]", "a,b"])

    def test_any_label_can_head_a_column(self):
        labels = ["a,b", "a\tb", '"q"', 'say "hi"', "it's", "\u00fc"]
        with open(self.directory / "columns.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([label, "end"] for label in labels)
        self.ok("convert", "columns.csv", "-o", "columns.fg", "-q")
        search = ["bfs", "columns.fg", "--source", *labels, "--each", "-q", "-o"]
        columns = [f"depth:{label}" for label in labels]
        for name, separator in (("each.csv", ","), ("each.tsv", "\t")):
            self.ok(*search, name)
            with open(self.directory / name, newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file, delimiter=separator))
            self.assertEqual(rows[0], ["vertex", *columns])
            self.assertEqual({row[0] for row in rows[1:]}, {*labels, "end"})
        self.ok(*search, "each.npy")
        header = (self.directory / "each.npy").read_bytes()[10:].split(b"\n")[0].decode("latin-1")
        names = [name for name, _ in ast.literal_eval(header)["descr"]]
        self.assertEqual([name.encode("latin-1").decode() for name in names], columns)


if __name__ == "__main__":
    harness.main()
