"""scripts/include-graph.py: names are resolved as the preprocessor does."""

import subprocess
import sys

import harness

SCRIPT = harness.ROOT / "scripts" / "include-graph.py"
FILES = {
    "a.h": '#include "b.h"\n  #  include <sub/c.h>\n#include "b.h"\n#include <missing.h>\n#include MACRO\n',
    "b.h": '/* #include "a.h"\n*/ // #include "a.h"\nchar text[] = "/*";\n#include "sub/d.h"\nchar end[] = "*/";\n',
    "sub/c.h": '#include "d.h"\n#include "a.h"\n#import "../b.h"\n',
    "sub/d.h": "#include <d.h>\n#include_next <d.h>\n",
    "d.h": "",
    "notes.txt": '#include "a.h"\n',
    "empty": '#include "d.h"\n',
}


class IncludeGraph(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in FILES.items():
            path = cls.directory / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (cls.directory / "tree" / "link.h").symlink_to("a.h")

    def edges(self, *words, status=0):
        done = subprocess.run([sys.executable, "-B", str(SCRIPT), *words], cwd=self.directory, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    def test_names_are_found_beside_the_file_and_along_the_roots(self):
        self.assertEqual(self.edges("tree"), [
            ("a.h", "b.h"), ("a.h", "sub/c.h"), ("b.h", "sub/d.h"), ("empty", "d.h"), ("sub/c.h", "sub/d.h"),
            ("sub/c.h", "a.h"), ("sub/c.h", "b.h"), ("sub/d.h", "d.h")])

    def test_the_first_root_that_has_a_file_counts(self):
        found = [b for a, b in self.edges("tree", "-I", "tree/sub", "-I", "tree") if a == "sub/d.h"]
        self.assertEqual(found, ["sub/d.h", "d.h"])  # <d.h> is the file itself; the next one is not

    def test_the_table_is_a_graph(self):
        self.edges("tree", "-o", "includes.tsv")
        self.ok("convert", "includes.tsv", "-o", "includes.fg", "--directed", "--labels", "strings", "-q")
        info = self.json("info", "includes.fg")["graph"]
        self.assertEqual((info["vertices"], info["edges"], info["directed"]), (6, 8, True))

    def test_what_is_no_directory_is_refused(self):
        self.edges("tree/a.h", status=2)


if __name__ == "__main__":
    harness.main()
