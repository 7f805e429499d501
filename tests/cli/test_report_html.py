"""--report FILE.html: one page, which carries the JSON and fetches nothing."""

import html.parser
import json
import os
import re
import resource
import sys

import harness

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing: nothing was validated")
    sys.exit(77)

ADDED = ["made", "about", "limits", "plan", "degrees", "values", "timeline"]
VOID = {"meta", "link", "br", "input", "hr", "img"}
STREAMED = ["--devices", "2", "--residency", "stream", "--page-size", "4096", "--trace", "t.json"]
HOSTILE = [b"</script><script>alert(1)</script>", b"<!--", b"-->", b"<!--<script>", b"]]>", b"&amp;", b"'quoted'",
           b"<img src=x onerror=alert(2)>", "two\u2028lines".encode(), "gpj.\u202egf".encode(), b"caf\xe9", b"\xff\xfe"]


class Page(html.parser.HTMLParser):
    """What a browser would find: elements that end, attributes, the text of each kind of element."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.attributes, self.texts, self.tags = [], [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def schema(name):
    text = json.loads((harness.ROOT / "docs" / "schema" / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(text)
    return jsonschema.Draft202012Validator(text)


class ReportHtml(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "8", "--weights", "1:9", "-o", "r.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "8", "--weights", "1:9", "--directed", "-o", "d.fg",
               "-q")
        cls.write("some.txt", "0\n1\n2\n")
        cls.write("sets.tsv", "0\ta\n1\tb\n2\ta\n3\tb\n")
        cls.report, cls.page, cls.plan = schema("report"), schema("page"), schema("plan")

    def text_of(self, name):
        return (self.directory / name).read_bytes().decode()  # UTF-8, or an error

    def read(self, name):
        """The page and the JSON in it; everything that holds for every page is checked."""
        text = self.text_of(name)
        begin = text.index('<script type="application/json" id="report">') + len('<script type="application/json" id="report">')
        end = text.index("</script>", begin)
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual([page.tags.count(t) for t in ("html", "head", "title", "body", "noscript", "script", "style")],
                         [1, 1, 1, 1, 1, 2, 1])
        data = text[begin:end]
        self.assertTrue(data.isascii())
        self.assertFalse(re.search("[<>&]", data))
        # Nothing is fetched.
        template = text[:begin] + text[end:]
        for outside in ("http:", "https:", "@import", "src=", "url(", "import(", "fetch("):
            self.assertNotIn(outside, template)
        for attribute, value in page.attributes:
            self.assertNotIn(attribute, ("src", "srcset", "action", "data", "background"))
            if attribute == "href":
                self.assertTrue(value.startswith(("#", "data:")), value)
            self.assertFalse(attribute.startswith("on"), attribute)
        self.assertNotIn("<!--@", text)
        return page, json.loads(data)

    def checked(self, name, *words, status=0):
        """The JSON of a run's page, which has what the run's --json has."""
        done = self.run_raw(*words, "--json", "--report", name)
        self.assertEqual(done.returncode, status, done.stderr.decode(errors="replace"))
        page, found = self.read(name)
        more = {key: found.pop(key) for key in [*ADDED, "supersteps_joined"] if key in found}
        self.page.validate(more)
        self.assertEqual(list(more)[:len(ADDED)], ADDED)
        if "note" not in more["plan"]:
            self.plan.validate(more["plan"])
        if "supersteps_joined" not in more:
            self.report.validate(found)
            self.assertEqual(found, json.loads(done.stdout.decode()))
        for spread in more["values"] if isinstance(more["values"], list) else []:
            self.check_spread(spread)
        return page, {**found, **more}

    def check_spread(self, spread):
        self.assertNotIn("note", spread)
        if spread["histogram"]:
            bins = spread["histogram"]
            self.assertEqual(sum(bins["counts"]), spread["count"])
            self.assertEqual(bins["least"], spread["least"])
            self.assertGreaterEqual(bins["least"] + len(bins["counts"]) * bins["width"], spread["most"] * (1 - 1e-12))
        elif spread["ranks"]:
            ranks, values = zip(*spread["ranks"])
            self.assertEqual((ranks[0], ranks[-1]), (1, spread["count"] - spread["zero"]))
            self.assertEqual(values[0], spread["most"])
            self.assertEqual(list(ranks), sorted(set(ranks)))
            self.assertEqual(list(values), sorted(values, reverse=True))

    def test_every_algorithm_in_place_and_streamed(self):
        others = {"egonet": ["--source", "0"], "subgraph": ["--vertices", "some.txt"], "cross-edges": ["--partition", "sets.tsv"],
                  "walks": ["--source", "0"], "sample": ["--seeds", "some.txt", "--fan-out", "3,2"]}
        for algorithm, options in {**harness.SAMPLED, **others}.items():
            graph = "d.fg" if algorithm in harness.DIRECTED else "r.fg"
            for where in ([], STREAMED, ["--verify", "--trials", "2"]):
                with self.subTest(algorithm=algorithm, where=where):
                    page, report = self.checked("page.html", algorithm, graph, *options, *where)
                    self.assertEqual(page.texts["title"], f"{algorithm} of {graph}")
                    self.assertEqual(report["about"] is None, algorithm in others)
                    self.assertEqual("note" in report["plan"], algorithm in others)
                    self.assertEqual(sum(b["vertices"] for b in report["degrees"]["out"]["histogram"]), 256)
                    self.assertEqual(report["degrees"]["in"] is None, graph == "r.fg")
                    if where != STREAMED:
                        self.assertIsNone(report["timeline"])
                    if algorithm == "tc":
                        self.assertIn("--top", report["values"]["note"])
                    elif algorithm in others:
                        self.assertIsNone(report["values"])
                    else:
                        self.assertGreater(len(report["values"]), 0)

    def test_distributions_are_those_of_the_result(self):
        _, bfs = self.checked("p.html", "bfs", "r.fg", "--source", "0", "--parents")
        (depth,) = bfs["values"]  # and nothing of parents
        self.assertEqual(depth["histogram"], {"least": 0, "width": 1, "counts": bfs["result"]["depth_counts"]})
        self.assertEqual(depth["none"], 256 - bfs["result"]["reached"])
        _, sssp = self.checked("p.html", "sssp", "r.fg", "--source", "0")
        self.assertEqual(sssp["values"][0]["infinite"], 256 - sssp["result"]["reached"])
        self.assertAlmostEqual(sssp["values"][0]["most"], sssp["result"]["max_distance"])
        _, cc = self.checked("p.html", "cc", "r.fg")
        (sizes,) = cc["values"]
        self.assertEqual((sizes["of"], sizes["count"], sizes["most"]), ("sets", cc["result"]["components"], cc["result"]["largest"]))
        self.assertAlmostEqual(sizes["mean"] * sizes["count"], 256)
        _, pagerank = self.checked("p.html", "pagerank", "r.fg", "--top", "1")
        (rank,) = pagerank["values"]
        self.assertEqual(rank["most"], pagerank["result"]["top"][0]["rank"])
        self.assertAlmostEqual(rank["mean"] * rank["count"], 1)
        _, triangles = self.checked("p.html", "tc", "r.fg", "--top", "1")
        self.assertAlmostEqual(triangles["values"][0]["mean"] * 256, 3 * triangles["result"]["triangles"])
        _, each = self.checked("p.html", "bfs", "r.fg", "--each", "--source", *"012345")
        self.assertEqual(len(each["values"]), 4)

    def test_medians_and_tails(self):
        """A star: one hub and many leaves, whose degrees are told by rank; a path, by a histogram."""
        self.graph("star", "".join(f"0 {i}\n" for i in range(1, 3001)))
        _, star = self.checked("p.html", "degrees", "star.fg")
        degree = next(s for s in star["values"] if s["column"] == "degree")
        self.assertEqual(degree["ranks"], [[1, 3000], [2, 1], [3001, 1]])
        self.assertEqual(degree["median"], 1)
        self.graph("path", "".join(f"{i} {i + 1}\n" for i in range(5000)))
        _, path = self.checked("p.html", "bfs", "path.fg", "--source", "0")
        (depth,) = path["values"]
        self.assertEqual(depth["histogram"]["width"], 20)
        self.assertEqual(set(depth["histogram"]["counts"]), {20, 1})
        self.assertLess(abs(depth["median"] - 2500), 2500 / 64)

    def test_the_plan_is_that_of_fathom_plan(self):
        where = ["--residency", "stream", "--host-memory", "2MiB", "--page-size", "16KiB"]
        for algorithm, options, planned in (("pagerank", ["--max-iter", "50"], ["--max-iter", "50"]),
                                            ("bfs", ["--source", "0", "--parents"], ["--parents"])):
            _, report = self.checked("p.html", algorithm, "r.fg", *options, *where)
            self.assertEqual(report["plan"], self.json("plan", algorithm, "r.fg", *planned, *where))
            self.assertEqual(report["limits"]["host_bytes"], 2 << 20)

    def test_the_timeline_has_the_spans_of_the_trace(self):
        _, report = self.checked("p.html", "pagerank", "r.fg", *STREAMED)
        events = json.loads(self.text_of("t.json"))["traceEvents"]
        lanes = {}
        for e in events:
            if e["ph"] == "X":
                lanes.setdefault(e["cat"], []).append(e)
        line = report["timeline"]
        self.assertEqual([lane["name"] for lane in line["lanes"]], sorted(lanes))
        for lane in line["lanes"]:
            spans = lanes[lane["name"]]
            self.assertEqual((lane["spans"], lane["bytes"]), (len(spans), sum(e["args"]["bytes"] for e in spans)))
            total = sum(e["dur"] for e in spans) / 1e6
            self.assertLessEqual(lane["busy_seconds"], min(line["seconds"], total) + 1e-6)
            self.assertAlmostEqual(sum(lane["active"]) * line["seconds"] / 400, total, delta=.01 * total + 1e-5)

    def test_labels_and_names_are_text(self):
        (self.directory / "hostile.txt").write_bytes(b"".join(a + b"\t" + b + b"\n" for a in HOSTILE for b in HOSTILE))
        self.ok("convert", "hostile.txt", "-o", "hostile.fg", "-q", "--labels", "strings", "--directed")
        name = "</title><script>alert(3)<!-- &.fg"  # in a folder that is called <
        (self.directory / "<").mkdir()
        (self.directory / "hostile.fg").rename(self.directory / name)
        page, report = self.checked("p.html", "pagerank", name, "--top", "99")
        labels = {row["vertex"] for row in report["result"]["top"]}
        expected = {label.decode(errors="replace") for label in HOSTILE}
        self.assertLessEqual(expected - {"two\u2028lines"}, labels)
        self.assertEqual(page.texts["title"], "pagerank of title><script>alert(3)<!-- &.fg")
        self.assertIn("title><script>alert(3)<!-- &.fg", page.texts["dd"])
        _, report = self.checked("p.html", "bfs", name, "--source", os.fsdecode(HOSTILE[0]), os.fsdecode(b"caf\xe9"))
        self.assertEqual(report["result"]["sources"], [HOSTILE[0].decode(), "caf\ufffd"])

    def test_without_scripts_the_main_numbers_are_there(self):
        page, report = self.checked("p.html", "cc", "r.fg", "--verify")
        shown = page.texts["dd"]
        for number in ("r.fg", "256", f"{report['graph']['edges']:,}", str(report["result"]["components"]), "Verified.", "mapped"):
            self.assertIn(number, shown)

    def test_a_run_that_does_not_converge_has_a_page(self):
        page, report = self.checked("p.html", "pagerank", "r.fg", "--max-iter", "1", status=7)
        self.assertFalse(report["converged"])
        self.assertIn("Not converged.", page.texts["dd"])

    def test_a_part_that_fails_leaves_the_others(self):
        _, plan = self.checked("p.html", "cc", "r.fg")
        budget = plan["plan"]["host"]["least_bytes"]
        self.ok("cc", "r.fg", "--host-memory", budget, "-q", "--report", "p.html")
        _, report = self.read("p.html")
        self.assertIn("host memory", report["values"][0]["note"])
        self.assertEqual(report["values"][0]["column"], "component")
        self.assertEqual(report["limits"]["host_bytes"], budget)
        self.assertNotIn("note", report["degrees"])

    def test_thousands_of_supersteps_are_added_up(self):
        self.ok("generate", "grid", "--rows", "1", "--cols", "20001", "-o", "long.fg", "-q")
        page, report = self.checked("p.html", "bfs", "long.fg", "--source", "0", "--direction", "push")
        self.assertEqual(report["supersteps_joined"], 3)
        self.assertEqual(report["iterations"], 20001)
        steps = report["supersteps"]
        self.assertEqual(len(steps), 20001 // 3)
        self.assertEqual(sum(s["frontier"] for s in steps), 20001)
        self.assertEqual(sum(s["edges"] for s in steps), report["edges_traversed"])
        self.assertLess(len(self.text_of("p.html")), 2 << 20)

    def test_any_other_name_is_json(self):
        for name in ("r.json", "r.htm", "r", "html"):
            self.ok("cc", "r.fg", "-q", "--report", name)
            self.report.validate(json.loads(self.text_of(name)))

    def test_what_cannot_be_written_is_refused_before_the_run(self):
        self.fails(74, "missing/p.html", "cc", "no-such-graph.fg", "--report", "missing/p.html")
        (self.directory / "folder.html").mkdir()
        self.fails(2, "folder.html", "cc", "no-such-graph.fg", "--report", "folder.html")
        self.fails(2, "--report would replace", "cc", "r.fg", "--report", "r.fg")

    def test_a_page_is_written_whole_or_not_at_all(self):
        self.write("old.html", "as it was")
        before = self.files()
        done = self.run_raw("cc", "r.fg", "-q", "--report", "old.html",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertEqual(self.text_of("old.html"), "as it was")
        self.assertEqual(self.files(), before)
        self.ok("cc", "r.fg", "-q", "--report", "old.html")
        self.read("old.html")

    def test_the_template_is_ascii(self):
        """What the build joins has to survive being a string of C++, cut anywhere."""
        for path in (harness.ROOT / "cli" / "shared" / "page").glob("*"):
            if path.suffix in (".html", ".css", ".js"):
                text = path.read_bytes().decode("ascii")
                self.assertNotIn(')page"', text, path.name)


if __name__ == "__main__":
    harness.main()
