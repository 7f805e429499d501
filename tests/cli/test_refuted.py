"""What --verify refutes: stores whose checksums are right and whose lists contradict each other."""

import array
import json
import os
import subprocess

import harness


# Neighbours of vertex 2 alone: with so long a list degree-oriented lists are read.
LEAVES = range(4, 40)


def oriented(offsets, targets):
    """Degree-oriented lists of vertices 0 to 3, and of the leaves behind them."""
    return {"oriented.offsets": array.array("Q", offsets + [offsets[-1] + 1 + i for i in range(len(LEAVES))]),
            "oriented.targets": array.array("I", targets + [2] * len(LEAVES))}


class Refuted(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        leaves = "".join(f"2 {v}\n" for v in LEAVES)
        cls.graph("tailed", "0 1\n0 2\n1 2\n2 3\n" + leaves, "--undirected", "--triangle-lists")
        cls.triangles = cls.tampered("tailed.fg", "circle.fg",  # 0 - 1 - 2 - 3 - 0
                                     oriented([0, 2, 3, 3, 4], [1, 3, 2, 2]))
        cls.graph("path", "0 1\n1 2\n2 3\n")
        cls.hops = cls.tampered("path.fg", "star.fg", {"in.targets": array.array("I", [0, 0, 0])})

    @classmethod
    def tampered(cls, store, name, sections):
        """A copy of `store` with other contents of the same size in some sections."""
        data = bytearray((cls.directory / store).read_bytes())
        places = {s["name"]: s for s in cls.json("info", store)["sections"]}
        for section, values in sections.items():
            place, content = places[section], values.tobytes()
            if len(content) != place["bytes"]:
                raise AssertionError(f"{section} has {place['bytes']} bytes, not {len(content)}")
            data[place["offset"]:place["offset"] + len(content)] = content
        (cls.directory / name).write_bytes(data)
        subprocess.run([os.environ["FATHOM_RESEAL"], cls.directory / name], check=True)
        return name

    def refutes(self, reason, *command):
        self.fails(6, "verification failed: " + reason, *command, "--verify")

    def depths(self, direction):
        report = self.json("bfs", self.hops, "--source", "0", "--direction", direction)
        return report["result"]["depth_counts"]

    def test_without_verify_wrong_results_go_unnoticed(self):
        self.assertIn("0 triangles", self.ok("tc", self.triangles))
        self.assertEqual(self.depths("push"), [1, 1, 1, 1])
        self.assertEqual(self.depths("pull"), [1, 3])

    def test_refuted_results_exit_6_and_say_why(self):
        self.refutes("triangles: the oriented lists do not hold the edges", "tc", self.triangles)
        self.refutes("lcc: the oriented lists do not hold the edges", "lcc", self.triangles)
        self.refutes("ktruss: the edge of 0 and 2 has no truss number", "ktruss", self.triangles)
        search = ["bfs", self.hops, "--source", "0", "--direction"]
        self.refutes("bfs: vertex 2 has no in-neighbour one level above", *search, "pull")
        self.ok(*search, "push", "--verify")

    def test_oriented_lists_must_be_in_order(self):
        self.tampered("tailed.fg", "unsorted.fg", oriented([0, 2, 3, 3, 4], [2, 1, 2, 2]))
        self.refutes("triangles: vertex 0 has an oriented list that does not strictly ascend",
                     "tc", "unsorted.fg")
        self.tampered("tailed.fg", "downward.fg",  # 2 -> 3 instead of 3 -> 2
                      oriented([0, 2, 3, 4, 4], [1, 2, 2, 3]))
        self.refutes("triangles: vertex 2 has an oriented edge that does not lead up",
                     "tc", "downward.fg")

    def test_refuted_results_leave_a_report_but_no_result_file(self):
        self.refutes("", "tc", self.triangles, "-o", "wrong.tsv", "--report", "wrong.json", "-q")
        self.assertFalse((self.directory / "wrong.tsv").exists())
        self.assertIs(json.loads((self.directory / "wrong.json").read_text())["verified"], False)
        done = self.run_raw("tc", self.triangles, "--verify", "--json")
        self.assertEqual(done.returncode, 6)
        self.assertIs(json.loads(done.stdout)["verified"], False)


if __name__ == "__main__":
    harness.main()
