"""Graphs dealt to several directories: the same answers, and errors that name the file at fault."""

import shutil

import harness
import test_same_everywhere

STREAM = ["--residency", "stream", "--host-memory", "16MiB"]
ALGORITHMS = ("bfs", "sssp", "cc", "pagerank")


class Stripes(harness.CliTest):
    values = test_same_everywhere.SameEverywhere.values

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = ["generate", "rmat", "--scale", "14", "--edge-factor", "40", "--weights", "1:20", "-q"]
        cls.ok(*made, "-o", "csr.fg")
        cls.ok("convert", "csr.fg", "-o", "pages.fg", "--layout", "slotted", "--page-size", "2MiB", "-q")
        for name in "abcde":
            (cls.directory / name).mkdir()

    def stripe_of(self, graph, i, n):
        return self.directory / "abcde"[i - 1] / f"{graph}.stripe-{i}-of-{n}"

    def test_answers_are_those_of_the_graph(self):
        expected = {algorithm: self.values(algorithm, "csr.fg") for algorithm in ALGORITHMS}
        for graph in ("csr.fg", "pages.fg"):
            for n in (1, 2, 3, 5):
                ssd = ["--ssd", *"abcde"[:n]]
                told = self.ok("stripe", graph, *ssd)
                self.assertEqual(len(told.splitlines()), n)
                for algorithm in ALGORITHMS:
                    with self.subTest(graph=graph, stripes=n, algorithm=algorithm):
                        actual = self.values(algorithm, graph, *STREAM, *ssd, "--verify")
                        if algorithm != "pagerank":
                            self.assertEqual(actual, expected[algorithm])
                        pairs = zip(actual, expected[algorithm])
                        self.assertLess(sum(abs(a[0] - e[0]) for a, e in pairs if a[0] != e[0]), 1.2e-5)
                for i in range(1, n + 1):
                    self.stripe_of(graph, i, n).unlink()

    def test_emulated_devices_read_stripes_too(self):
        self.ok("stripe", "csr.fg", "--ssd", "a", "b", "-q")
        plain = self.json("bfs", "csr.fg", "--source", "0", *STREAM)
        striped = self.json("bfs", "csr.fg", "--source", "0", *STREAM, "--devices", "2",
                            "--device-memory", "8MiB", "--ssd", "a", "b")
        self.assertEqual(striped["result"], plain["result"])
        self.assertGreater(striped["disk"]["bytes"], 0)

    def test_what_is_wrong_with_a_stripe_is_said(self):
        ssd = ["--ssd", "c", "d"]
        run = ["cc", "csr.fg", *STREAM, *ssd]
        self.fails(74, "c/csr.fg.stripe-1-of-2: there is no such stripe", *run)
        self.ok("stripe", "csr.fg", *ssd, "-q")
        self.ok(*run)
        second = self.directory / "d/csr.fg.stripe-2-of-2"
        content = second.read_bytes()
        second.write_bytes(content[:-4096])
        self.fails(3, "d/csr.fg.stripe-2-of-2: truncated", *run)
        damaged = bytearray(content)
        damaged[len(content) // 2] ^= 1
        second.write_bytes(damaged)
        self.fails(3, "d/csr.fg.stripe-2-of-2: section", *run)
        second.write_bytes(content)
        self.ok(*run)
        self.fails(74, "d/csr.fg.stripe-1-of-2", *run[:-2], "d", "c")
        self.ok("stripe", "pages.fg", *ssd, "-q")
        shutil.copy(self.directory / "d/pages.fg.stripe-2-of-2", second)
        self.fails(3, "d/csr.fg.stripe-2-of-2: was made of another version of csr.fg", *run)

    def test_what_has_no_effect_is_refused(self):
        self.fails(2, "no effect", "cc", "csr.fg", "--ssd", "a")
        self.fails(2, "--ssd is required", "stripe", "csr.fg")
        self.fails(74, "nowhere", "stripe", "csr.fg", "--ssd", "nowhere")
        self.assertFalse([f for f in self.files() if "stripe" in f])


if __name__ == "__main__":
    harness.main()
