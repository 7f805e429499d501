"""File names and labels that nobody expects."""

import ast
import csv

import harness

NAMES = ["with space", "quo'te", 'dou"ble', "-dash", "new\nline", "tab\there", "\u00fcml\u00e4ut",
         "$(x)", "a;b", "*", "[x]", "esc\x1b[31m"]
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
