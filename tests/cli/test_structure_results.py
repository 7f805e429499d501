"""Result files and summaries of algorithms of structure: sets, forests, cycles, pairs."""

import harness
from test_results import EDGES


class StructureResults(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.g = cls.graph("g", EDGES, "--third-column", "weight")
        cls.u = cls.graph("u", EDGES, "--third-column", "weight", "--undirected")

    def test_mis_gives_a_set_without_neighbours(self):
        for graph in (self.g, self.u):
            header, member = self.result("mis", graph)
            self.assertEqual(header, ["vertex", "in_set"])
            self.assertEqual(member["d"], "1")  # of few edges
            self.assertEqual(sum(member[v] == "1" for v in "abc"), 1)
            self.assertEqual(sum(member[v] == "1" for v in "ef"), 1)
            self.assertIn("3 of 6 vertices", self.ok("mis", graph))
        self.assertEqual(self.result("mis", self.g, "--seed", "4"),
                         self.result("mis", self.g, "--seed", "4"))

    def test_color_gives_neighbours_different_colours(self):
        for graph in (self.g, self.u):
            header, color = self.result("color", graph)
            self.assertEqual(header, ["vertex", "color"])
            self.assertEqual({color[v] for v in "abc"}, {"0", "1", "2"})
            self.assertEqual({color[v] for v in "ef"}, {"0", "1"})
            self.assertNotEqual(color["a"], color["d"])
            self.assertEqual(self.json("color", graph, "--verify")["result"]["colors"], 3)
            self.assertIn("3 colours for 6 vertices", self.ok("color", graph))
        self.assertEqual(self.result("color", self.g, "--seed", "4"),
                         self.result("color", self.g, "--seed", "4"))

    def test_cdlp_gives_the_label_that_most_neighbours_have(self):
        graph = self.graph("labels", "9 10\n9 11\n10 11\n11 20\n20 30\n", "--undirected")
        header, label = self.result("cdlp", graph, "--iterations", "1")
        self.assertEqual(header, ["vertex", "label"])
        self.assertEqual(label, {"9": "10", "10": "9", "11": "9", "20": "11", "30": "20"})
        self.assertEqual(self.json("cdlp", graph, "--verify")["result"],
                         {"communities": 1, "largest_sizes": [5], "iterations": 4, "stable": True})
        self.assertIn("labels not stable", self.ok("cdlp", graph, "--iterations", "1"))
        self.ok("reorder", graph, "--method", "random", "-o", "shuffled.fg", "-q")
        for iterations in ("1", "2", "3"):
            self.assertEqual(self.result("cdlp", "shuffled.fg", "--iterations", iterations),
                             self.result("cdlp", graph, "--iterations", iterations))

    def test_edge_betweenness_gives_rows_of_edges(self):
        graph = self.graph("line", "b a 1\nb c 1\nc d 2\na c 3\nc c 1\n", "--undirected",
                           "--third-column", "weight")
        self.ok("edge-bc", graph, "--no-normalized", "-q", "-o", "r.tsv", "--verify")
        header, rows = self.table("r.tsv")
        self.assertEqual(header, ["u", "v", "betweenness"])
        self.assertEqual(rows, [["a", "b", "1"], ["a", "c", "2"], ["b", "c", "2"], ["c", "c", "0"],
                                ["c", "d", "3"]])
        shown = self.ok("edge-bc", graph, "--top", "9")
        self.assertRegex(shown, r"(?m)^  u  v  betweenness\n  c  d          0.5\n")
        self.assertNotRegex(shown, r"(?m)^  c  c")
        result = self.json("edge-bc", graph, "--weighted", "--source", "a", "--target", "d", "--no-normalized",
                           "--top", "3", "--verify")["result"]
        self.assertEqual((result["sources"], result["edges"], result["greatest"], result["weighted"]),
                         (1, 5, 0.5, True))
        self.assertEqual([(t["u"], t["v"]) for t in result["top"]], [("a", "b"), ("b", "c"), ("c", "d")])
        self.ok("reorder", graph, "--method", "random", "-o", "other.fg", "-q")
        self.ok("edge-bc", "other.fg", "--no-normalized", "-q", "-o", "r.csv", "--verify")
        self.assertEqual((self.directory / "r.csv").read_text().splitlines()[1:],
                         [",".join(row) for row in rows])
        self.fails(2, "excludes", "edge-bc", graph, "--k", "2", "--source", "a")
        self.fails(2, "no vertex", "edge-bc", graph, "--target", "x")

    def test_betweenness_of_paths_to_targets(self):
        graph = self.graph("line2", "a b\nb c\nc d\nd e\n", "--undirected")
        self.ok("bc", graph, "--source", "a", "c", "--target", "e", "c", "--no-normalized", "-q", "-o", "r.tsv",
                "--verify")
        self.assertEqual(self.table("r.tsv")[1],
                         [["a", "0"], ["b", "1"], ["c", "0.5"], ["d", "1"], ["e", "0"]])

    def test_similarity_gives_rows_of_pairs(self):
        graph = self.graph("alike", "a b\nb c\na d\nc d\nd e\ne e\na b\n\"x y\" z\n", "--undirected",
                           "--duplicates", "keep")
        self.ok("similarity", graph, "--k", "1", "-q", "-o", "r.tsv", "--verify")
        header, rows = self.table("r.tsv")
        self.assertEqual(header, ["u", "v", "similarity"])
        self.assertEqual(rows, [["a", "c", "1"], ["b", "d", "0.6666666666666666"], ["c", "a", "1"],
                                ["d", "b", "0.6666666666666666"], ["e", "a", "0.5"]])
        shown = self.ok("similarity", graph, "--k", "1", "--top", "2")
        self.assertRegex(shown, r"(?m)^  u  v  similarity\n  a  c           1\n  c  a           1$")
        result = self.json("similarity", graph, "--k", "1", "--top", "1", "--verify")["result"]
        self.assertEqual(result, {"pairs": 5, "greatest": 1.0,
                                  "top": [{"u": "a", "v": "c", "similarity": 1.0}]})
        self.ok("similarity", graph, "--source", "e", "--measure", "common", "-q", "-o", "r.csv")
        self.assertEqual((self.directory / "r.csv").read_text(), "u,v,similarity\ne,a,1\ne,c,1\n")
        self.ok("similarity", graph, "--source", "e", "-q", "-o", "r.npy")
        self.assertIn(b"'u', '<u", (self.directory / "r.npy").read_bytes())
        # A result file names pairs, and a reordered graph gives the same rows.
        self.ok("reorder", graph, "--method", "random", "-o", "alike2.fg", "-q")
        self.ok("similarity", graph, "-q", "-o", "pairs.tsv")
        for other in (graph, "alike2.fg"):
            self.ok("similarity", other, "-q", "-o", "r.tsv")
            self.assertEqual(self.table("r.tsv"), self.table("pairs.tsv"))
            self.ok("similarity", other, "--pairs", "pairs.tsv", "-q", "-o", "r.tsv", "--verify")
            self.assertEqual(self.table("r.tsv"), self.table("pairs.tsv"))
        self.write("some.tsv", "# candidates\ne\tc\n\"x y\"\tz\n")
        self.ok("similarity", graph, "--pairs", "some.tsv", "--measure", "adamic-adar", "-q", "-o", "r.tsv")
        self.assertEqual([row[:2] for row in self.table("r.tsv")[1]], [["e", "c"], ["x y", "z"]])
        self.ok("similarity", graph, "--report", "page.html", "-q")

    def test_truss_numbers_are_of_edges_or_of_vertices(self):
        graph = self.graph("trusses", "a b\nb c\nc a\na d\nd d\na b\n\"x y\" z\n", "--undirected",
                           "--duplicates", "keep")
        self.ok("ktruss", graph, "--layers", "-q", "-o", "r.tsv", "--verify")
        self.assertEqual(self.table("r.tsv"), (["u", "v", "truss", "layer"], [
            ["a", "b", "3", "2"], ["a", "c", "3", "2"], ["a", "d", "2", "1"], ["b", "c", "3", "2"],
            ["x y", "z", "2", "1"]]))
        self.ok("reorder", graph, "--method", "random", "-o", "trusses2.fg", "-q")
        self.ok("ktruss", "trusses2.fg", "--layers", "-q", "-o", "r2.tsv", "--verify")
        self.assertEqual(self.table("r2.tsv"), self.table("r.tsv"))
        self.ok("ktruss", graph, "--k", "3", "-q", "-o", "r.csv", "--verify")
        self.assertEqual((self.directory / "r.csv").read_text(), "u,v,truss\na,b,3\na,c,3\nb,c,3\n")
        self.assertRegex(self.ok("ktruss", graph, "--top", "1"), r"(?m)^  u  v  truss\n  a  b      3$")
        header, numbers = self.result("ktruss", graph, "--per-vertex", "--verify")
        self.assertEqual(header, ["vertex", "truss"])
        self.assertEqual(numbers, {"a": "3", "b": "3", "c": "3", "d": "2", "x y": "2", "z": "2"})
        self.assertEqual(self.json("ktruss", graph, "--k", "4", "--verify")["result"], {
            "edges": 0, "greatest": 0, "innermost": 0, "layers": 1, "k": 4, "truss_counts": []})
        self.assertIn("none of 5 edges in the 4-truss", self.ok("ktruss", graph, "--k", "4"))
        self.assertEqual(self.json("ktruss", graph, "--top", "2", "--per-vertex")["result"]["top"],
                         [{"vertex": "a", "truss": 3}, {"vertex": "b", "truss": 3}])
        self.fails(2, "--k", "ktruss", graph, "--k", "1")
        self.fails(2, "excludes", "ktruss", graph, "--per-vertex", "--layers")

    def test_walks_from_each_source_are_rows_of_pairs(self):
        graph = self.graph("walks", "a b\nb c\na d\nc d\nd e\n", "--undirected")
        words = ["--source", "d", "a", "--restart", ".5", "--tol", "1e-9"]
        self.ok("rwr", graph, *words, "--each", "-q", "-o", "r.tsv", "--verify")
        header, rows = self.table("r.tsv")
        self.assertEqual(header, ["source", "vertex", "probability"])
        self.assertEqual([row[0] for row in rows], ["d"] * 5 + ["a"] * 5)
        for source, its in (("d", rows[:5]), ("a", rows[5:])):
            alone = self.result("rwr", graph, "--source", source, *words[3:])[1]
            for _, vertex, probability in its:
                self.assertAlmostEqual(float(probability), float(alone[vertex]), 7)
        self.ok("rwr", graph, *words, "--each", "--k", "2", "-q", "-o", "r2.tsv", "--verify")
        self.assertEqual([row[:2] for row in self.table("r2.tsv")[1]],
                         [row[:2] for row in [*rows[:2], *rows[5:7]]])
        self.assertRegex(self.ok("rwr", graph, *words, "--each", "--top", "1"),
                         r"(?m)^  source  vertex  probability\n  d       d  .*\n  a       a  ")
        result = self.json("rwr", graph, *words, "--each", "--top", "1", "--verify")["result"]
        self.assertEqual([(top["source"], top["vertex"]) for top in result["top"]],
                         [("d", "d"), ("a", "a")])
        self.assertEqual((result["rows"], result["batch"]), (10, 1))
        self.assertEqual([its["source"] for its in result["each"]], ["d", "a"])
        self.ok("rwr", graph, *words, "--each", "--report", "page.html", "-q")
        self.fails(2, "k needs each", "rwr", graph, "--source", "a", "--k", "2")
        self.fails(2, "given twice", "rwr", graph, "--source", "a", "a", "--each")

    def test_similarity_says_what_is_wrong_with_pairs(self):
        graph = self.graph("few", "a b\nb c\n", "--undirected")
        for text, why in (("a\tc\na\tx\n", "bad.tsv:2: expected the label of a vertex, found 'x'"),
                          ("a\n", "bad.tsv:1: expected LABEL<TAB>LABEL, found 'a'"),
                          ("b\tb\n", "bad.tsv:1: expected another vertex than 'b', found 'b'")):
            self.write("bad.tsv", text)
            self.fails(3, why, "similarity", graph, "--pairs", "bad.tsv")
        self.fails(2, "--pairs excludes --k", "similarity", graph, "--pairs", "bad.tsv", "--k", "3")
        self.write("good.tsv", "a\tc\n")
        self.fails(2, "exclude each other", "similarity", graph, "--pairs", "good.tsv", "--source", "a")
        self.fails(2, "would replace", "similarity", graph, "--pairs", "good.tsv", "-o", "good.tsv")
        self.fails(2, "the graph is directed", "similarity", self.g)
        self.write("none.tsv", "")
        self.ok("similarity", graph, "--pairs", "none.tsv", "-q", "-o", "r.tsv")
        self.assertEqual(self.table("r.tsv"), (["u", "v", "similarity"], []))

    def test_levels_are_longest_paths_and_a_cycle_is_named(self):
        header, level = self.result("levels", self.g)
        self.assertEqual(header, ["vertex", "level"])
        self.assertEqual(level, {"a": "-1", "b": "-1", "c": "-1", "d": "-1", "e": "0", "f": "1"})
        self.assertRegex(self.ok("levels", self.g), "4 of 6 vertices on cycles")
        found = self.json("levels", self.g)["result"]
        self.assertIs(found["acyclic"], False)
        self.assertIn(found["cycle"], (["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]))
        self.assertIn(" -> ".join([*found["cycle"], found["cycle"][0]]), self.ok("levels", self.g))
        tasks = self.graph("tasks", "cut glue\nglue paint\ncut paint\nbuy cut\nbuy paint\n")
        _, level = self.result("levels", tasks)
        self.assertEqual(level, {"buy": "0", "cut": "1", "glue": "2", "paint": "3"})
        found = self.json("levels", tasks, "--verify")["result"]
        self.assertEqual(found, {"acyclic": True, "levels": 4, "without_level": 0,
                                 "cycle_length": 0, "cycle": []})
        self.assertIn("4 levels, no cycle", self.ok("levels", tasks))
        self.fails(2, "undirected", "levels", self.u)

    def test_louvain_gives_the_first_vertex_of_each_community(self):
        graph = self.graph("triangles", "a b\nb c\nc a\nd e\ne f\nf d\nc d\ng g\n", "--undirected")
        header, community = self.result("louvain", graph)
        self.assertEqual(header, ["vertex", "community"])
        self.assertEqual(community, {"a": "a", "b": "a", "c": "a", "d": "d", "e": "d", "f": "d", "g": "g"})
        found = self.json("louvain", graph, "--verify", "--top", "1")["result"]
        self.assertEqual((found["communities"], found["largest_sizes"]), (3, [3, 3, 1]))
        self.assertAlmostEqual(found["modularity"], 14 / 16 - (49 + 49 + 4) / 256)
        self.assertTrue(found["converged"])
        self.assertEqual(self.json("louvain", graph, "--resolution", "0")["result"]["communities"], 2)
        self.assertIn("3 communities of 7 vertices", self.ok("louvain", graph))
        self.fails(2, "--undirected", "louvain", self.g)

    def test_leiden_gives_the_first_vertex_of_each_connected_community(self):
        graph = self.graph("triangles", "a b\nb c\nc a\nd e\ne f\nf d\nc d\ng g\n", "--undirected")
        header, community = self.result("leiden", graph)
        self.assertEqual(header, ["vertex", "community"])
        self.assertEqual(community, {"a": "a", "b": "a", "c": "a", "d": "d", "e": "d", "f": "d", "g": "g"})
        found = self.json("leiden", graph, "--verify", "--top", "1", "--passes", "3")["result"]
        self.assertEqual((found["communities"], found["largest_sizes"]), (3, [3, 3, 1]))
        self.assertAlmostEqual(found["modularity"], 14 / 16 - (49 + 49 + 4) / 256)
        self.assertTrue(found["converged"])
        self.assertEqual(self.json("leiden", graph, "--resolution", "0")["result"]["communities"], 2)
        self.assertIn("leiden: 3 communities of 7 vertices", self.ok("leiden", graph))
        self.fails(2, "leiden: the graph is directed", "leiden", self.g)

    def test_msf_gives_a_rooted_forest(self):
        lines = "a b 2\nb c 1\nc d 3\nd a 3\na c 2\ne f 4\nf e 1\ng g 1\n"
        graph = self.graph("square", lines, "--undirected")
        self.ok("msf", graph, "-q", "-o", "r.tsv")
        header, rows = self.table("r.tsv")
        self.assertEqual(header, ["vertex", "weight", "parent"])
        self.assertEqual({v: (float(w), parent) for v, w, parent in rows},
                         {"a": (0, "a"), "b": (2, "a"), "c": (1, "b"), "d": (3, "a"), "e": (0, "e"),
                          "f": (1, "e"), "g": (0, "g")})
        found = self.json("msf", graph, "--verify", "--top", "2")["result"]
        self.assertEqual((found["total_weight"], found["trees"], found["edges"]), (7, 3, 4))
        self.assertEqual([row["vertex"] for row in found["top"]], ["d", "b"])
        self.assertIn("4 edges in 3 trees, total weight 7,", self.ok("msf", graph))
        self.assertEqual(self.json("msf", graph, "--maximum")["result"]["total_weight"], 9)
        self.fails(2, "--undirected", "msf", self.g)

    def test_biconnected_tells_components_by_lower_ends(self):
        lines = "a b\nb c\nc a\nc d\nd c\nd e\ne f\nf d\ng g\n"
        graph = self.graph("blocks", lines, "--undirected", "--duplicates", "keep")
        self.ok("biconnected", graph, "-q", "-o", "r.tsv")
        header, rows = self.table("r.tsv")
        self.assertEqual(header, ["vertex", "component", "parent", "articulation", "bridge"])
        self.assertEqual(rows, [["a", "a", "a", "0", "0"], ["b", "b", "a", "0", "0"], ["c", "b", "a", "1", "0"],
                                ["d", "d", "c", "1", "1"], ["e", "e", "d", "0", "0"], ["f", "e", "d", "0", "0"],
                                ["g", "g", "g", "0", "0"]])
        found = self.json("biconnected", graph, "--verify", "--top", "2")["result"]
        self.assertEqual([found[k] for k in ("components", "bridges", "articulation_points", "largest")],
                         [3, 1, 2, 3])
        self.assertEqual([row["component"] for row in found["top"]], ["b", "e"])
        self.assertIn("3 components, the largest of 3 vertices, 1 bridge, 2 art", self.ok("biconnected", graph))
        self.fails(2, "--undirected", "biconnected", self.g)

    def test_matching_takes_heavy_edges_first(self):
        graph = self.graph("pairs", "a b 2\nb c 3\nc d 2\ne f 1\nf e 4\ng g 9\n", "--undirected")
        self.ok("matching", graph, "-q", "-o", "r.tsv")
        header, rows = self.table("r.tsv")
        self.assertEqual(header, ["vertex", "weight", "partner"])
        self.assertEqual({v: partner for v, _, partner in rows},
                         {"a": "-1", "b": "c", "c": "b", "d": "-1", "e": "f", "f": "e", "g": "-1"})
        found = self.json("matching", graph, "--verify", "--top", "9")["result"]
        self.assertEqual(found["edges"], 2)
        self.assertEqual({row["vertex"] for row in found["top"]}, set("bcef"))
        self.assertIn("2 edges of 7 vertices", self.ok("matching", graph))
        self.fails(2, "--undirected", "matching", self.g)

    def test_bellman_ford_gives_distances_or_names_a_cycle(self):
        text = "a b 4\nb c -6.5\na c 1\nx a 1\n"
        gains = self.graph("gains", text, "--third-column", "weight")
        for more in ([], ["--precision", "double"]):
            header, distance = self.result("bellman-ford", gains, "--source", "a", *more)
            self.assertEqual(header, ["vertex", "distance"])
            self.assertEqual(distance, {"a": "0", "b": "4", "c": "-2.5", "x": "inf"})
        found = self.json("bellman-ford", gains, "--source", "a", "--verify")["result"]
        self.assertEqual(found, {"source": "a", "reached": 3, "min_distance": -2.5, "max_distance": 4,
                                 "precision": "float", "without_distance": 0, "cycle_length": 0,
                                 "cycle_weight": 0, "cycle": []})
        round_trips = self.graph("round", text + "c b 2\n", "--third-column", "weight")
        _, distance = self.result("bellman-ford", round_trips, "--source", "x")
        self.assertEqual(distance, {"a": "1", "b": "-inf", "c": "-inf", "x": "0"})
        found = self.json("bellman-ford", round_trips, "--source", "x", "--verify")["result"]
        self.assertEqual((found["cycle"], found["cycle_weight"]), (["b", "c"], -4.5))
        self.assertEqual((found["reached"], found["without_distance"]), (4, 2))
        self.assertIn("weight -4.5: b -> c -> b", self.ok("bellman-ford", round_trips, "--source", "x"))
        self.fails(3, "to vertex", "sssp", gains, "--source", "a")

    def test_reciprocity_counts_edges_with_one_back(self):
        graph = self.graph("answering", "a b\nb a\nb b\nb c\n")
        header, answered = self.result("reciprocity", graph)
        self.assertEqual(header, ["vertex", "answered"])
        self.assertEqual(answered, {"a": "1", "b": "1", "c": "0"})
        self.assertEqual(self.json("reciprocity", graph, "--verify")["result"],
                         {"reciprocity": .5, "answered_edges": 2})
        both = self.graph("both", "a b\n", "--undirected")
        self.fails(2, "of directed graphs", "reciprocity", both)

    def test_asynchronous_labels_become_stable(self):
        pairs = self.graph("pairs", "a b\nc d\nd e\ne c\n", "--undirected")
        self.assertFalse(self.json("cdlp", pairs)["result"]["stable"])
        found = self.json("cdlp", pairs, "--async", "--seed", "3", "--verify")["result"]
        self.assertTrue(found["stable"])
        self.assertEqual((found["communities"], found["largest_sizes"]), (2, [3, 2]))

    def test_assortativity_compares_degrees_across_edges(self):
        star = self.graph("star", "hub a\nhub b\nhub c\n", "--undirected")
        header, degree = self.result("assortativity", star)
        self.assertEqual(header, ["vertex", "neighbor_degree"])
        self.assertEqual(degree, {"hub": "1", "a": "3", "b": "3", "c": "3"})
        self.assertEqual(self.json("assortativity", star, "--verify")["result"],
                         {"assortativity": -1, "loops": 0})
        alike = self.graph("alike", "a b\nb c\nc a\n")
        self.assertEqual(self.json("assortativity", alike, "--verify")["result"],
                         {"assortativity": None, "loops": 0})
        clubs = self.json("assortativity", star, "--rich-club", "--verify")["result"]["rich_club"]
        self.assertEqual(clubs, [{"degree": 0, "vertices": 4, "edges": 3, "coefficient": .5}])
        self.assertIn("0.500000", self.ok("assortativity", star, "--rich-club"))
        self.assertIn("degrees do not vary", self.ok("assortativity", alike))

    def test_bipartite_gives_sides_or_an_odd_cycle(self):
        for graph in (self.g, self.u):
            header, side = self.result("bipartite", graph)
            self.assertEqual(header, ["vertex", "side"])
            self.assertEqual({side[v] for v in "abcd"}, {"-1"})
            self.assertEqual({side[v] for v in "ef"}, {"0", "1"})
            found = self.json("bipartite", graph, "--verify")["result"]
            self.assertIs(found["bipartite"], False)
            self.assertEqual(sorted(found["cycle"]), ["a", "b", "c"])
            self.assertIn(" - ".join([*found["cycle"], found["cycle"][0]]), self.ok("bipartite", graph))
        even = self.graph("even", "cut glue\nglue paint\nbuy paint\nbuy cut\n")
        found = self.json("bipartite", even, "--verify")["result"]
        self.assertEqual(found, {"bipartite": True, "side_0": 2, "side_1": 2, "without_side": 0,
                                 "cycle_length": 0, "cycle": []})
        self.assertIn("yes, 2 and 2 vertices", self.ok("bipartite", even))


if __name__ == "__main__":
    harness.main()
