"""Result files, tables and summaries: values, labels, formats."""

import json
import struct

import harness

# Two components; distances from b by weight: c 1, a 2 (through c), d 12; e and f are apart.
EDGES = "a b 5\nb c 1\nc a 1\na d 10\ne f 2\n"


class Results(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.g = cls.graph("g", EDGES, "--third-column", "weight")
        cls.u = cls.graph("u", EDGES, "--third-column", "weight", "--undirected")

    def result(self, *words):
        self.assertEqual(self.ok(*words, "-q", "-o", "r.tsv"), "")
        header, rows = self.table("r.tsv")
        return header, dict((row[0], row[1] if len(row) == 2 else row[1:]) for row in rows)

    def test_bfs_gives_depths_and_parents_by_label(self):
        header, depth = self.result("bfs", self.g, "--source", "b")
        self.assertEqual(header, ["vertex", "depth"])
        self.assertEqual(depth, {"a": "2", "b": "0", "c": "1", "d": "3", "e": "-1", "f": "-1"})
        header, both = self.result("bfs", self.g, "--source", "b", "--parents")
        self.assertEqual(header, ["vertex", "depth", "parent"])
        self.assertEqual(both["d"], ["3", "a"])
        self.assertEqual(both["b"], ["0", "b"])
        self.assertEqual(both["e"], ["-1", "-1"])

    def test_bfs_from_several_sources_is_to_the_nearest_or_each(self):
        _, depth = self.result("bfs", self.g, "--source", "b", "e")
        self.assertEqual(depth, {"a": "2", "b": "0", "c": "1", "d": "3", "e": "0", "f": "1"})
        header, depth = self.result("bfs", self.g, "--source", "b", "e", "--each")
        self.assertEqual(header, ["vertex", "depth:b", "depth:e"])
        self.assertEqual(depth["f"], ["-1", "1"])
        self.assertEqual(depth["d"], ["3", "-1"])

    def test_bfs_from_each_gives_what_single_searches_give(self):
        path = self.graph("path", "".join(f"{v} {v + 1}\n" for v in range(70)))
        labels = [str(v) for v in range(67)]  # a full batch and a rest
        for options in ([], ["--parents"], ["--direction", "push"], ["--depth-limit", "2"],
                        ["--residency", "stream", "--page-size", "4096"]):
            with self.subTest(options=options):
                report = self.json("bfs", path, "--source", *labels, "--each", "--verify",
                                   "-o", "r.tsv", *options)
                self.assertIs(report["verified"], True)
                self.assertEqual(report["result"]["batch"], 1 if options == ["--parents"] else 64)
                limit = 2 if "--depth-limit" in options else 70
                header, rows = self.table("r.tsv")
                for label, one in zip(labels, report["result"]["each"]):
                    depths = [v - int(label) for v in range(71)]
                    depths = [d if 0 <= d <= limit else -1 for d in depths]
                    at = header.index(f"depth:{label}")
                    self.assertEqual([int(row[at]) for row in rows], depths)
                    self.assertEqual(one["sources"], [label])
                    self.assertEqual(one["reached"], sum(d >= 0 for d in depths))
                    self.assertEqual(one["max_depth"], max(depths))

    def test_bfs_from_each_without_memory_for_all_goes_one_by_one(self):
        self.ok("generate", "rmat", "--scale", "12", "-o", "r12.fg", "-q")
        small = ["--devices", "1", "--device-memory", "600KiB", "--page-size", "4096"]
        report = self.json("bfs", "r12.fg", "--source", *range(9), "--each", "--verify", *small)
        self.assertEqual((report["result"]["batch"], report["verified"]), (1, True))
        roomy = self.json("bfs", "r12.fg", "--source", *range(9), "--each")
        self.assertEqual(roomy["result"]["batch"], 9)
        self.assertEqual(roomy["result"]["each"], report["result"]["each"])

    def test_bfs_from_each_refuses_a_source_given_twice(self):
        self.fails(2, "b is given twice", "bfs", self.g, "--source", "b", "e", "b", "--each")
        _, depth = self.result("bfs", self.g, "--source", "b", "e", "b")
        self.assertEqual(depth["f"], "1")

    def test_bfs_stops_at_the_depth_limit(self):
        _, depth = self.result("bfs", self.g, "--source", "b", "--depth-limit", "1")
        self.assertEqual(depth["a"], "-1")
        self.assertEqual(depth["c"], "1")

    def test_sssp_gives_distances_and_inf(self):
        header, distance = self.result("sssp", self.g, "--source", "b")
        self.assertEqual(header, ["vertex", "distance"])
        self.assertEqual(
            distance, {"a": "2", "b": "0", "c": "1", "d": "12", "e": "inf", "f": "inf"})

    def test_sssp_in_double_keeps_what_a_float_rounds(self):
        far = self.graph("far", "a b 16777216\nb c 1\nc d 1\nd e 0.5\n", "--third-column", "weight")
        _, narrow = self.result("sssp", far, "--source", "a")
        self.assertEqual({narrow[v] for v in "bcde"}, {"16777216"})
        for where in ([], ["--threads", "1"], ["--devices", "2"],
                      ["--devices", "2", "--strategy", "s"],
                      ["--residency", "stream", "--page-size", "4096"]):
            with self.subTest(where=where):
                _, wide = self.result("sssp", far, "--source", "a", "--precision", "double",
                                      "--verify", *where)
                self.assertEqual([float(wide[v]) for v in "abcde"],
                                 [0, 16777216, 16777217, 16777218, 16777218.5])
        report = self.json("sssp", far, "--source", "a", "--precision", "double")["result"]
        self.assertEqual((report["max_distance"], report["precision"]), (16777218.5, "double"))
        report = self.json("sssp", far, "--source", "a")["result"]
        self.assertEqual((report["max_distance"], report["precision"]), (16777216, "float"))
        self.fails(2, "half", "sssp", far, "--source", "a", "--precision", "half")

    def test_sssp_in_double_writes_npy_of_doubles(self):
        self.ok("sssp", self.g, "--source", "b", "-q", "-o", "r.npy", "--precision", "double")
        data = (self.directory / "r.npy").read_bytes()
        header = data[10:10 + struct.unpack("<H", data[8:10])[0]].decode()
        self.assertIn("'<f8'", header)
        values = struct.unpack("<6d", data[10 + len(header):])
        self.assertEqual(values, (2, 0, 1, 12, float("inf"), float("inf")))

    def test_cc_names_a_component_by_its_first_vertex(self):
        header, component = self.result("cc", self.g)
        self.assertEqual(header, ["vertex", "component"])
        self.assertEqual(component, {**dict.fromkeys("abcd", "a"), "e": "e", "f": "e"})

    def test_pagerank_sums_to_1_and_obeys_a_personalization(self):
        header, rank = self.result("pagerank", self.g)
        self.assertEqual(header, ["vertex", "rank"])
        self.assertAlmostEqual(sum(map(float, rank.values())), 1, places=6)
        self.write("mass.tsv", "vertex\tmass\n# only one\ne\t3\n")
        _, rank = self.result("pagerank", self.g, "--personalization", "mass.tsv")
        self.assertAlmostEqual(float(rank["a"]), 0, places=6)  # within the tolerance
        self.assertAlmostEqual(float(rank["e"]) + float(rank["f"]), 1, places=5)

    def test_bc_and_tc_per_vertex(self):
        header, centrality = self.result("bc", self.u, "--no-normalized")
        self.assertEqual(header, ["vertex", "betweenness"])
        self.assertEqual(float(centrality["a"]), 2)  # on the paths b-d and c-d
        header, triangles = self.result("tc", self.g)
        self.assertEqual(header, ["vertex", "triangles"])
        self.assertEqual(triangles, {**dict.fromkeys("abc", "1"), **dict.fromkeys("def", "0")})

    def test_kcore_gives_core_numbers_and_layers(self):
        header, core = self.result("kcore", self.g)
        self.assertEqual(header, ["vertex", "core"])
        self.assertEqual(core, {**dict.fromkeys("abc", "2"), **dict.fromkeys("def", "1")})
        header, both = self.result("kcore", self.g, "--layers")
        self.assertEqual(header, ["vertex", "core", "layer"])
        self.assertEqual((both["d"], both["a"]), (["1", "1"], ["2", "2"]))
        _, member = self.result("kcore", self.g, "--k", "1", "--layers")
        self.assertEqual(set(map(tuple, member.values())), {("1", "-1")})
        self.assertIn("3 of 6 vertices in the 2-core", self.ok("kcore", self.g))

    def test_degrees_count_both_directions_and_write_a_histogram(self):
        header, degree = self.result("degrees", self.g, "--histogram", "h.tsv")
        self.assertEqual(header, ["vertex", "degree", "out_degree", "in_degree"])
        self.assertEqual(degree["a"], ["3", "2", "1"])
        self.assertEqual(self.table("h.tsv"), (["degree", "vertices", "by_out_degree", "by_in_degree"], [
            ["0", "0", "2", "1"], ["1", "3", "3", "5"], ["2", "2", "1", "0"], ["3", "1", "0", "0"]]))
        header, degree = self.result("degrees", self.u, "--histogram", "h.csv")
        self.assertEqual((header, degree["a"]), (["vertex", "degree"], "3"))
        self.assertEqual((self.directory / "h.csv").read_text().split(),
                         ["degree,vertices", "1,3", "2,2", "3,1"])
        self.fails(2, ".tsv or .csv", "degrees", self.g, "--histogram", "h.npy")

    def test_rwr_stays_where_its_sources_lead(self):
        header, near = self.result("rwr", self.g, "--source", "e", "--restart", "0.5")
        self.assertEqual(header, ["vertex", "probability"])
        self.assertAlmostEqual(float(near["e"]), 2 / 3, places=5)  # e = (e + f) / 2 + f / 2
        self.assertEqual(float(near["a"]), 0)
        table = self.ok("rwr", self.g, "--source", "e", "-q", "--top", "9").splitlines()
        self.assertEqual([line.split()[0] for line in table], ["vertex", "e", "f"])

    def test_radius_is_the_same_for_a_seed(self):
        header, radius = self.result("radius", self.u, "--seed", "3")
        self.assertEqual(header, ["vertex", "effective_radius", "farthest"])
        self.assertLessEqual(int(radius["e"][1]), 1)
        self.assertEqual(self.result("radius", self.u, "--seed", "3"), (header, radius))
        self.assertIn("effective diameter", self.ok("radius", self.u))
        self.ok("generate", "grid", "--rows", "30", "--cols", "30", "-o", "square.fg", "-q")
        report = self.json("radius", "square.fg", "--sketches", "64")
        self.assertGreater(report["result"]["effective_diameter"], 25)
        self.assertLessEqual(report["result"]["diameter"], 58)
        self.fails(7, "--max-iter", "radius", "square.fg", "--max-iter", "5")

    def test_harmonic_adds_up_reciprocal_distances(self):
        path = self.graph("chain", "x y\ny z\n", "--labels", "strings")
        header, value = self.result("harmonic", path)
        self.assertEqual(header, ["vertex", "harmonic"])
        self.assertEqual(value, {"x": "0", "y": "1", "z": "1.5"})
        self.fails(2, "cannot sample 4", "harmonic", path, "--k", "4")

    def test_closeness_divides_by_distances(self):
        path = self.graph("steps", "x y\ny z\n", "--labels", "strings")
        header, value = self.result("closeness", path)
        self.assertEqual(header, ["vertex", "closeness", "reached", "distance_sum"])
        self.assertEqual({v: row[0] for v, row in value.items()}, {"x": "0", "y": "0.5", "z": str(2 / 3)})
        self.assertEqual({v: row[1:] for v, row in value.items()}, {"x": ["0", "0"], "y": ["1", "1"], "z": ["2", "3"]})
        self.fails(2, "cannot sample 4", "closeness", path, "--k", "4")

    def test_eccentricity_is_that_of_the_component(self):
        path = self.graph("steps_and_pair", "a b\nb c\nc d\nd e\nx y\n", "--labels", "strings", "--undirected")
        header, value = self.result("eccentricity", path)
        self.assertEqual(header, ["vertex", "eccentricity"])
        self.assertEqual(value, {"a": "4", "b": "3", "c": "2", "d": "3", "e": "4", "x": "1", "y": "1"})
        whole = {"diameter": 4, "radius": 2, "center": 1, "periphery": 2}
        found = self.json("eccentricity", path)["result"]
        self.assertEqual({k: found[k] for k in whole}, whole)
        one_way = self.graph("one_way", "a b\nb c\nc d\n", "--labels", "strings")
        _, value = self.result("eccentricity", one_way)
        self.assertEqual(value, {"a": "3", "b": "2", "c": "1", "d": "0"})
        self.ok("generate", "grid", "--rows", "40", "--cols", "40", "-o", "wide.fg", "-q")
        found = self.json("eccentricity", "wide.fg", "--diameter", "--verify")["result"]
        self.assertEqual((found["diameter"], found["radius"]), (78, 40))
        self.assertLess(found["searches"], 40)
        self.assertIn("diameter 78", self.ok("eccentricity", "wide.fg", "--diameter"))

    def test_csv_has_commas(self):
        self.ok("sssp", self.g, "--source", "b", "-q", "-o", "r.csv")
        lines = (self.directory / "r.csv").read_text().splitlines()
        self.assertEqual(lines[:2], ["vertex,distance", "a,2"])

    def test_npy_is_an_array_by_internal_id(self):
        self.ok("sssp", self.g, "--source", "b", "-q", "-o", "r.npy")
        data = (self.directory / "r.npy").read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        header = data[10:10 + struct.unpack("<H", data[8:10])[0]].decode()
        self.assertIn("'<f4'", header)
        values = struct.unpack("<6f", data[10 + len(header):])
        self.assertEqual(values, (2, 0, 1, 12, float("inf"), float("inf")))

    def test_top_lists_the_best_with_labels(self):
        table = self.ok("sssp", self.g, "--source", "b", "-q", "--top", "2").splitlines()
        self.assertEqual([line.split() for line in table],
                         [["vertex", "distance"], ["d", "12"], ["a", "2"]])
        table = self.ok("cc", self.g, "-q", "--top", "9").splitlines()
        self.assertEqual([line.split() for line in table],
                         [["component", "vertices"], ["a", "4"], ["e", "2"]])
        top = self.json("bfs", self.g, "--source", "b", "--top", "1")["result"]["top"]
        self.assertEqual(top, [{"vertex": "d", "depth": 3}])

    def test_summaries_say_what_matters(self):
        summary = self.ok("bfs", self.g, "--source", "b")
        self.assertIn("4 of 6 vertices reached", summary)
        self.assertIn("none", summary)
        self.assertIn("2 components of 6 vertices", self.ok("cc", self.g))
        self.assertIn("1 triangle\n", self.ok("tc", self.g))
        self.assertIn("converged after", self.ok("pagerank", self.g))
        self.assertIn("median of 3 trials", self.ok("cc", self.g, "--trials", "3"))

    def test_large_numbers_have_separators_for_people_only(self):
        self.ok("generate", "grid", "--rows", "40", "--cols", "50", "-o", "grid.fg", "-q")
        self.assertIn("2,000", self.ok("info", "grid.fg"))
        text = self.ok("info", "grid.fg", "--json")
        self.assertNotIn("2,000", text)
        self.assertEqual(json.loads(text)["graph"]["vertices"], 2000)

    def test_sparse_and_one_based_labels_come_back(self):
        sparse = self.graph("sparse", "7 18446744073709551614\n18446744073709551614 30\n")
        _, depth = self.result("bfs", sparse, "--source", "18446744073709551614")
        self.assertEqual(depth, {"7": "-1", "30": "1", "18446744073709551614": "0"})
        self.write("m.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
        self.ok("convert", "m.mtx", "-o", "m.fg", "-q")
        _, component = self.result("cc", "m.fg")
        self.assertEqual(component, {"1": "1", "2": "1", "3": "3"})

    def test_results_feed_back_as_a_personalization(self):
        self.ok("pagerank", self.g, "-q", "-o", "first.tsv")
        self.ok("pagerank", self.g, "-q", "--personalization", "first.tsv", "-o", "second.tsv")

    def test_results_with_quoted_labels_feed_back_as_a_personalization(self):
        quoted = self.graph("quoted", 'a,"b, c"\n"b, c","say ""d"""\n"""e""",a\n', "--labels", "strings",
                            "--third-column", "ignore")
        for name in ("first.tsv", "first.csv"):
            self.ok("pagerank", quoted, "-q", "-o", name)
            self.ok("pagerank", quoted, "-q", "--personalization", name, "-o", "second.tsv")
        self.write("mass.csv", '"b, c",2\n')
        _, rank = self.result("pagerank", quoted, "--personalization", "mass.csv")
        self.assertAlmostEqual(float(rank["a"]), 0, places=6)
        self.write("mass.csv", '"b, c,2\n')
        self.fails(3, "mass.csv:1: expected a closing quote", "pagerank", quoted, "--personalization",
                   "mass.csv")

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

    def test_every_algorithm_verifies_its_result(self):
        for algorithm, options in harness.ALGORITHMS.items():
            options = ["b" if o == "0" else o for o in options]
            options = ["--k", "3"] if algorithm in ("bc", "harmonic", "closeness") else options
            for graph in (self.g, self.u):
                if algorithm in (harness.DIRECTED if graph == self.u else harness.UNDIRECTED):
                    continue
                with self.subTest(algorithm=algorithm, graph=graph):
                    report = self.json(algorithm, graph, *options, "--verify")
                    self.assertIs(report["verified"], True)
                    self.assertGreaterEqual(report["verify_seconds"], 0)


if __name__ == "__main__":
    harness.main()
