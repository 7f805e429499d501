"""No file is written that the command reads, or written twice, under whatever names."""

import harness


class NamedFiles(harness.CliTest):
    def setUp(self):
        self.ok("generate", "rmat", "--scale", "6", "-o", "g.fg", "-q")
        (self.directory / "updates.fg").write_text("+ 1 2\n")
        (self.directory / "sets.tsv").write_text("1\t0\n2\t1\n")
        (self.directory / "here").mkdir(exist_ok=True)
        (self.directory / "here" / "labels.tsv").write_text("1\n2\n")
        for link in ("link.tsv", "hard.json"):
            (self.directory / link).unlink(missing_ok=True)
        (self.directory / "link.tsv").symlink_to("g.fg")
        (self.directory / "hard.json").hardlink_to(self.directory / "g.fg")

    def refused(self, message, *words):
        before = {p: p.read_bytes() for p in self.directory.iterdir() if p.is_file()}
        self.fails(2, message, *words)
        after = {p: p.read_bytes() for p in self.directory.iterdir() if p.is_file()}
        self.assertEqual(after, before, words)

    def test_what_is_read_is_not_replaced(self):
        bfs = ["bfs", "g.fg", "--source", "0", "-q"]
        self.refused("--report would replace g.fg", *bfs, "--report", "g.fg")
        self.refused("--report would replace g.fg", *bfs, "--report", "hard.json")
        self.refused("--trace would replace g.fg", *bfs, "--residency", "stream", "--trace",
                     self.directory / "here" / ".." / "g.fg")
        self.refused("--output would replace g.fg", *bfs, "-o", "link.tsv")
        self.refused("--permutation would replace g.fg", "reorder", "g.fg", "-o", "p.fg",
                     "--permutation", "link.tsv")
        self.refused("--output would replace sets.tsv", "cross-edges", "g.fg", "--partition",
                     "sets.tsv", "-o", "./sets.tsv")
        self.refused("--report would replace here/labels.tsv", "subgraph", "g.fg", "--vertices",
                     "here/labels.tsv", "--report", "./here/../here/labels.tsv")
        self.refused("--checkpoint would replace updates.fg", "stream", "g.fg", "--updates",
                     "updates.fg", "--checkpoint", "updates.fg")
        self.refused("--output would replace updates.fg", "stream", "g.fg", "--updates",
                     "updates.fg", "-o", "updates.fg")

    def test_stripes_are_read_and_written_like_other_files(self):
        (self.directory / "disk").mkdir(exist_ok=True)
        stripe = self.directory / "disk" / "g.fg.stripe-1-of-1"
        stripe.unlink(missing_ok=True)
        stripe.symlink_to("../g.fg")
        self.refused("--ssd would replace g.fg", "stripe", "g.fg", "--ssd", "disk", "-q")
        stripe.unlink()
        self.ok("stripe", "g.fg", "--ssd", "disk", "-q")
        self.refused("--report would replace disk/g.fg.stripe-1-of-1", "bfs", "g.fg", "--source", "0", "-q",
                     "--residency", "stream", "--ssd", "disk", "--report", "disk/g.fg.stripe-1-of-1")
        self.ok("stripe", "g.fg", "--ssd", "disk", "-q")  # once more, in their place

    def test_two_outputs_are_two_files(self):
        self.refused("--output and --report would write the same file", "bfs", "g.fg", "--source",
                     "0", "-q", "-o", "new.tsv", "--report", "./new.tsv")
        self.refused("--histogram and --output would write the same file", "degrees", "g.fg", "-q",
                     "--histogram", "new.tsv", "-o", "here/../new.tsv")
        (self.directory / "dangling.fg").unlink(missing_ok=True)
        (self.directory / "dangling.fg").symlink_to("order.tsv")
        self.refused("--output and --permutation would write the same file", "reorder", "g.fg", "-o", "dangling.fg",
                     "--permutation", "order.tsv", "-q")

    def test_a_graph_may_take_the_place_of_that_which_it_is_made_of(self):
        self.ok("reorder", "g.fg", "--method", "random", "-o", "g.fg", "-q")
        self.ok("stream", "g.fg", "--updates", "-", "--checkpoint", "g.fg", "-q", input=b"+ 1 2\n")
        self.ok("verify", "g.fg", "-q")


if __name__ == "__main__":
    harness.main()
