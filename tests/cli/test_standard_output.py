"""`-o -`: results and graphs on standard output, and nothing else there."""

import os
import pty
import subprocess

import harness

DESCRIBED = {"bfs": ["--source", "0"], "cc": [], "degrees": [], "sssp": ["--source", "0"]}


class StandardOutput(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "12", "--weights", "1:9", "-o", "r.fg", "-q")
        cls.write("some.txt", "".join(f"{i}\n" for i in range(200)))
        cls.write("sets.txt", "".join(f"{i}\t{i % 3}\n" for i in range(200)))

    def shown(self, *words):
        """What is on standard output, and beside it."""
        done = self.run_raw(*words, "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr.decode()

    def test_results_are_the_bytes_of_the_file(self):
        for algorithm, options in DESCRIBED.items():
            said = self.ok(algorithm, "r.fg", *options, "-o", "file.tsv")
            expected = (self.directory / "file.tsv").read_bytes()
            out, beside = self.shown(algorithm, "r.fg", *options)
            self.assertEqual(out, expected, algorithm)
            self.assertEqual(beside.splitlines()[0], said.splitlines()[0])
            self.assertEqual(self.shown(algorithm, "r.fg", *options, "-q"), (expected, ""))
        self.assertNotIn("-", self.files())

    def test_edges_are_the_bytes_of_the_file(self):
        for words in (["subgraph", "r.fg", "--vertices", "some.txt"], ["egonet", "r.fg", "--source", "1"],
                      ["cross-edges", "r.fg", "--partition", "sets.txt"], ["convert", "r.fg", "--to", "tsv"]):
            self.ok(*words, "-o", "file.tsv")
            expected = (self.directory / "file.tsv").read_bytes()
            self.assertGreater(len(expected.splitlines()), 10, words)
            self.assertEqual(self.shown(*words)[0], expected, words)
            self.assertEqual(self.shown(*words, "-q"), (expected, ""))

    def test_graphs_leave_in_every_format(self):
        for form in ("csv", "mtx", "npz", "sg", "wsg"):
            self.ok("convert", "r.fg", "-o", f"file.{form}", "-q")
            expected = (self.directory / f"file.{form}").read_bytes()
            self.assertEqual(self.shown("convert", "r.fg", "--to", form, "-q")[0], expected, form)

    def test_commands_are_joined_by_pipes(self):
        script = ('"$0" convert r.fg -o - --to csv -q | "$0" convert - -o back.fg --undirected -q && '
                  '"$0" bfs back.fg --source 0 -o - -q | wc -l')
        done = subprocess.run(["bash", "-o", "pipefail", "-c", script, harness.FATHOM], cwd=self.directory,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertGreater(int(done.stdout), 1000)

    def test_a_reader_that_has_enough_is_no_error(self):
        for words in (["pagerank", "r.fg"], ["convert", "r.fg", "--to", "tsv"], ["convert", "r.fg", "--to", "npz"],
                      ["cross-edges", "r.fg", "--partition", "sets.txt"]):
            script = '"$@" -o - -q | head -2; echo ${PIPESTATUS[0]} >&2'
            done = subprocess.run(["bash", "-c", script, "-", harness.FATHOM, *words], cwd=self.directory,
                                  capture_output=True, check=False)
            self.assertEqual(done.stderr, b"0\n", words)
            read, write = os.pipe()
            os.close(read)
            gone = self.run_raw(*words, "-o", "-", "-q", capture_output=False, stdout=write, stderr=subprocess.PIPE)
            os.close(write)
            self.assertEqual((gone.returncode, gone.stderr), (0, b""), words)

    def test_other_files_are_written_although_the_reader_has_gone(self):
        read, write = os.pipe()
        os.close(read)
        self.run_raw("cc", "r.fg", "-o", "-", "-q", "--report", "cc.json", capture_output=False, stdout=write)
        os.close(write)
        self.assertIn("cc.json", self.files())

    def test_a_standard_output_that_refuses_exits_74(self):
        for words in (["cc", "r.fg"], ["convert", "r.fg", "--to", "tsv"]):
            with open("/dev/full", "wb") as full:
                done = self.run_raw(*words, "-o", "-", capture_output=False, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 74)
            self.assertIn(b"standard output: cannot write", done.stderr)

    def test_a_terminal_shows_lines_and_no_bar(self):
        for words in (["degrees", "r.fg"], ["convert", "r.fg", "--to", "tsv"]):
            self.ok(*words, "-o", "file.tsv", "-q")
            expected = (self.directory / "file.tsv").read_bytes().replace(b"\n", b"\r\n")
            self.assertTrue(on_terminal(self.directory, *words).endswith(expected), words)

    def test_only_one_thing_goes_there(self):
        self.fails(2, "-o - and --json would both write to standard output", "cc", "r.fg", "-o", "-", "--json")
        self.fails(2, "-o - and --top would both write to standard output", "cc", "r.fg", "-o", "-", "--top", "3")
        self.fails(2, "--to says in which format", "convert", "r.fg", "-o", "-")
        self.fails(2, "where no .fg file can be written", "convert", "r.fg", "-o", "-", "--to", "fg")
        for words in (["reorder", "r.fg", "-o", "-"], ["generate", "rmat", "--scale", "4", "-o", "-"],
                      ["cc", "r.fg", "--report", "-"]):
            self.fails(2, "only results of -o can go to standard output", *words)
        self.assertNotIn("-", self.files())


def on_terminal(directory, *words):
    """What the command shows on a terminal that is both its standard output and error."""
    master, slave = pty.openpty()
    work = subprocess.Popen([harness.FATHOM, *words, "-o", "-", "-q"], cwd=directory, stdout=slave, stderr=slave,
                            env=dict(os.environ, TERM="xterm"))
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    work.wait()
    os.close(master)
    return shown


if __name__ == "__main__":
    harness.main()
