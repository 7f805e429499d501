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

    def test_every_algorithm_verifies_its_result(self):
        for algorithm, options in harness.ALGORITHMS.items():
            options = ["b" if o == "0" else o for o in options]
            options = ["--k", "3"] if algorithm in ("bc", "edge-bc", "harmonic", "closeness") else options
            for graph in (self.g, self.u):
                if algorithm in (harness.DIRECTED if graph == self.u else harness.UNDIRECTED):
                    continue
                with self.subTest(algorithm=algorithm, graph=graph):
                    report = self.json(algorithm, graph, *options, "--verify")
                    self.assertIs(report["verified"], True)
                    self.assertGreaterEqual(report["verify_seconds"], 0)


if __name__ == "__main__":
    harness.main()
