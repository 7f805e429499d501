"""Each exit status, with the message that explains it."""

import resource
import subprocess
import unittest

import harness


class ExitCodes(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = cls.graph("path", "0 1\n1 2\n2 3\n")
        cls.words = cls.graph("words", "apple pear\npear plum\n")
        cls.sparse = cls.graph("sparse", "10 200\n200 3000\n")

    def test_usage_errors_exit_2(self):
        self.fails(2, "there is no command 'nonsense'", "nonsense")
        self.fails(2, "there is no command 'nonsense'", "nonsense", "--help")
        self.fails(2, "--frobnicate", "info", self.path, "--frobnicate")
        self.fails(2, "--source is required", "bfs", self.path)
        self.fails(2, "graph is required", "info")
        self.fails(2, "--residency", "cc", self.path, "--residency", "nowhere")
        self.fails(2, "--threads", "cc", self.path, "--threads", "0")
        self.fails(2, "--trials", "cc", self.path, "--trials", "-3")
        self.fails(2, "is not a size", "cc", self.path, "--host-memory", "lots")
        for words in (["pagerank", "--max-iter", "0"], ["sssp", "--source", "0", "--delta", "0"],
                      ["sssp", "--source", "0", "--delta", "-1e300"]):
            self.fails(2, f"expected a number greater than 0, found '{words[-1]}'", words[0],
                       self.path, *words[1:])
        self.fails(2, "must end in .tsv, .csv or .npy", "cc", self.path, "-o", "out.parquet")
        self.fails(2, "--weights", "generate", "rmat", "--scale", "4", "--weights", "9", "-o", "x.fg")
        self.fails(2, "needs --scale", "generate", "rmat", "-o", "x.fg")
        self.fails(2, "not --scale", "generate", "grid", "--scale", "4", "-o", "x.fg")
        self.fails(2, "between 6 and 63", "generate", "road", "--scale", "5", "-o", "x.fg")
        self.fails(2, "road graphs have no vertices per point", "generate", "road", "--scale", "8",
                   "--per-point", "2", "-o", "x.fg")
        self.fails(2, "stencil graphs have no edge factor", "generate", "stencil", "--scale", "6",
                   "--edge-factor", "3", "-o", "x.fg")
        self.fails(4, "more in a build with FATHOM_VERTEX_BITS=64", "generate", "rmat", "--scale", "32", "-o", "x.fg")

    def test_no_command_prints_help_and_exits_2(self):
        done = self.run_raw()
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Usage:", done.stderr)
        self.assertEqual(done.stdout, b"")

    def test_options_without_effect_are_refused(self):
        for words in (["--residency", "zerocopy"], ["--residency", "managed"], ["--access", "naive"],
                      ["--id-bytes", "8"], ["--cache", "none"], ["--advice", "read-mostly"],
                      ["--technique", "edge"], ["--packed", "in-place"], ["--id-bits", "auto"]):
            self.fails(2, f"{words[0]}", "cc", self.path, "--device", "cpu", *words)
        self.fails(2, "18 not in", "cc", self.path, "--id-bits", "18")
        self.fails(2, "without a GPU or --devices", "cc", self.path, "--device-memory", "1MiB")
        self.fails(2, "without --residency stream", "cc", self.path, "--page-size", "4096")
        self.fails(2, "no effect with --devices", "cc", self.path, "--devices", "2",
                   "--residency", "resident")
        self.fails(2, "cannot go with --each", "bfs", self.path, "--source", "0", "1", "--each",
                   "--top", "3")
        self.fails(2, "excludes", "bc", self.path, "--k", "2", "--source", "0")
        self.fails(2, "excludes", "convert", "path.txt", "-o", "x.fg", "--directed", "--undirected")

    def test_unknown_labels_say_which_there_are(self):
        for command in ("bfs", "sssp", "bc"):
            self.fails(2, "the integers from 0 to 3", command, self.path, "--source", "4")
        self.fails(2, "the integers from 0 to 3", "bfs", self.path, "--source", "-1")
        self.fails(2, "some of the integers from 10 to 3000", "bfs", self.sparse, "--source", "11")
        self.fails(2, "'pear' and 'plum'", "bfs", self.words, "--source", "pearl")
        self.fails(2, "in sorted order: 'plum'", "bfs", self.words, "--source", "zebra")

    def test_bad_input_exits_3_with_its_place(self):
        self.write("bad.txt", "0 1\n1 x\n")
        self.fails(3, "bad.txt:2: expected", "convert", "bad.txt", "-o", "x.fg", "--labels", "none")
        self.fails(3, "not a .fg file", "info", "bad.txt")
        self.write("mass.tsv", "0\t1\n9\t1\n")
        self.fails(3, "mass.tsv:2: expected the label of a vertex, found '9'", "pagerank", self.path,
                   "--personalization", "mass.tsv")
        self.write("mass.tsv", "0\tnan\n")
        self.fails(3, "mass.tsv:1: expected a finite number", "pagerank", self.path,
                   "--personalization", "mass.tsv")
        self.write("heavy.txt", "0 1 3e38\n0 1 3e38\n")
        self.fails(3, "heavy.txt: the sum of the weights of duplicate edges is too large", "convert", "heavy.txt",
                   "-o", "x.fg", "--duplicates", "sum")
        self.assertFalse((self.directory / "x.fg").exists())

    def test_weights_that_are_refused_are_those_of_vertices_by_their_labels(self):
        self.write("below.txt", "a b 1\nb c -2\nc d 1\n")
        self.ok("convert", "below.txt", "-o", "asis.fg")
        self.ok("reorder", "asis.fg", "--method", "random", "--seed", "3", "-o", "below.fg")
        self.ok("convert", "below.txt", "-o", "both.fg", "--undirected")
        edge = "that of the edge from vertex b to vertex c is -2"
        self.fails(3, edge, "sssp", "below.fg", "--source", "a")
        self.fails(3, edge, "louvain", "both.fg")
        self.fails(3, "pagerank: vertex b has an out-edge whose weight", "pagerank", "below.fg", "--weighted")
        self.fails(3, "hits: vertex c has edges whose weights", "hits", "below.fg", "--weighted")
        self.write("cancel.txt", "a b 2\nb b -2\nc a 0\n")
        self.ok("convert", "cancel.txt", "-o", "cancel.fg")
        self.fails(3, "hits: vertex a has edges whose weights", "hits", "cancel.fg", "--weighted")
        self.fails(3, "has edges whose weights", "eigenvector", "both.fg", "--weighted")

    def test_sums_of_no_weights_are_refused(self):
        self.fails(2, "path.txt has no weights that could be summed", "convert", "path.txt", "-o", "x.fg",
                   "--duplicates", "sum")
        self.assertFalse((self.directory / "x.fg").exists())

    def test_damaged_store_exits_3_with_section_and_bytes(self):
        whole = (self.directory / self.path).read_bytes()
        section = next(s for s in self.json("info", self.path)["sections"]
                       if s["name"] == "out.targets")
        damaged = bytearray(whole)
        damaged[section["offset"]] ^= 1
        (self.directory / "damaged.fg").write_bytes(damaged)
        for words in (["verify", "damaged.fg"], ["bfs", "damaged.fg", "--source", "0"]):
            self.fails(3, "out.targets", *words)
            self.assertIn("byte", self.fails(3, "damaged.fg", *words))
        (self.directory / "short.fg").write_bytes(whole[:-1])
        self.fails(3, "short.fg", "info", "short.fg")

    def test_what_does_not_fit_exits_4_and_says_what_would(self):
        self.fails(4, "would be needed", "bfs", self.path, "--source", "0", "--host-memory", "1")
        self.fails(4, "do not fit", "generate", "uniform", "--scale", "33", "-o", "x.fg")

    @unittest.skipIf(harness.ADDRESS_SANITIZED, "the sanitizer itself asks for terabytes of addresses")
    def test_a_graph_that_changes_asks_for_no_more_addresses_than_its_budget(self):
        self.ok("stream", "--empty", "--updates", "-", "--host-memory", "64MiB", "-q", input=b"",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30)))

    def test_missing_device_exits_5(self):
        for device in ("cuda:99", "cuda:0,99", "cuda:99,0,0"):
            self.fails(5, "CUDA", "cc", self.path, "--device", device)

    def test_devices_that_are_none_exit_2_and_are_named(self):
        self.fails(2, "expected auto, cpu, cuda, cuda:N or cuda:N,N,..., found 'tpu'", "cc", self.path,
                   "--device", "tpu")
        for device in ("cuda:", "cuda:x", "cuda:-1", "cuda:0,", "cuda:,1", "cuda:0,,1", "cuda:0,x",
                       "cuda:0, 1", "cuda:0;1", "cuda:99999999999"):
            self.fails(2, f"expected cuda:N or cuda:N,N,... with numbers N, found '{device}'", "cc",
                       self.path, "--device", device)
        self.fails(2, "cannot go with --device cuda:0,1", "cc", self.path, "--device", "cuda:0,1",
                   "--devices", "2")

    def test_unconverged_pagerank_exits_7_after_writing(self):
        self.fails(7, "has not converged after 1 iterations", "pagerank", self.path, "--max-iter",
                   "1", "--tol", "1e-12", "-o", "ranks.tsv", "--report", "ranks.json")
        self.assertEqual(len(self.table("ranks.tsv")[1]), 4)
        self.assertTrue((self.directory / "ranks.json").exists())

    def test_unreadable_and_unwritable_files_exit_74(self):
        self.fails(74, "missing.fg", "info", "missing.fg")
        self.fails(74, "missing.txt", "convert", "missing.txt", "-o", "x.fg")
        self.fails(74, "missing.tsv", "pagerank", self.path, "--personalization", "missing.tsv")
        for option, name in (("-o", "nowhere/r.tsv"), ("--report", "nowhere/r.json")):
            self.fails(74, name, "cc", self.path, option, name)
        self.fails(74, "nowhere/x.fg", "convert", "path.txt", "-o", "nowhere/x.fg")
        self.fails(74, "nowhere/x.fg", "generate", "rmat", "--scale", "4", "-o", "nowhere/x.fg")

    def test_directory_in_place_of_a_result_exits_2(self):
        (self.directory / "d.tsv").mkdir()
        self.fails(2, "is not a regular file", "cc", self.path, "-o", "d.tsv")

    def test_output_is_checked_before_the_work(self):
        """A graph that cannot be opened is found out only after the place of the result."""
        self.fails(74, "nowhere/r.tsv", "cc", "missing.fg", "-o", "nowhere/r.tsv")

    def test_a_file_beyond_the_limit_of_the_process_exits_74_and_leaves_nothing(self):
        before = self.files()
        self.fails(74, "File too large", "generate", "rmat", "--scale", "12", "-o", "large.fg",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(self.files(), before)

    def test_full_disk_exits_74_and_leaves_nothing(self):
        before = self.files()
        limited = ["bash", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "-", harness.FATHOM]
        done = subprocess.run([*limited, "generate", "rmat", "--scale", "12", "-o", "big.fg"],
                                      cwd=self.directory, capture_output=True, check=False)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    harness.main()
