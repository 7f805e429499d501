"""What `fathom convert` takes for a header, and for an edge."""

import harness


class Headers(harness.CliTest):
    def counts(self, text, *options):
        graph = self.json("info", self.graph("h", text, *options))["graph"]
        return graph["vertices"], graph["edges"]

    def test_names_of_columns_are_no_vertices(self):
        for text in ("src dst\n1 2\n2 3\n", "source\ttarget\n1\t2\n2\t3\n", "a,b\n1,2\n2,3\n"):
            self.assertEqual(self.counts(text), (3, 2), text)
            self.assertEqual(self.counts(text, "--no-header"), (5, 3), text)
        self.assertEqual(self.counts("apple pear\npear plum\n"), (3, 2))
        self.assertEqual(self.counts("apple pear\npear plum\n", "--header"), (2, 1))

    def test_labels_that_look_like_names_of_columns_are_vertices(self):
        self.assertEqual(self.counts("u v\nv w\nw u\n"), (3, 3))
        self.assertEqual(self.counts("head shoulders\nknees toes\n"), (4, 2))

    def test_tables_of_edges_are_read_again(self):
        self.graph("words", "apple pear 2\npear plum 3\n", "--labels", "strings", "--third-column", "weight")
        self.write("all.txt", "apple\npear\nplum\n")
        self.ok("subgraph", "words.fg", "--vertices", "all.txt", "-o", "again.tsv", "-q")
        self.ok("convert", "again.tsv", "-o", "again.fg", "-q")
        graph = self.json("info", "again.fg")["graph"]
        self.assertEqual((graph["vertices"], graph["edges"], graph["weighted"]), (3, 2, True))


if __name__ == "__main__":
    harness.main()
