"""Pages of runs in headless Chromium: they draw without a complaint, at any width, in both schemes, and fetch nothing."""

import html
import json
import os
import sys

import browser
import harness

if not browser.chromium():
    print("no Chromium: no page was looked at")
    sys.exit(77)

SECTIONS = "[...document.querySelectorAll('section h2')].map(h => h.textContent)"
# Where text and what is behind it are too near each other for WCAG AA, by the colours of the style sheet.
CONTRAST = """(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const probe = document.createElement('i');
    probe.style.color = style.getPropertyValue(name);
    document.body.append(probe);
    const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    probe.remove();
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const near = (a, b, least) => { const [x, y] = [light(a), light(b)].sort(); return (y + .05) / (x + .05) < least && `${a} on ${b}`; };
  const text = ['--ink', '--quiet', '--accent'].flatMap(a => [near(a, '--card', 4.5), near(a, '--paper', 4.5)]);
  const marks = ['--phase0', '--phase1', '--phase2', '--phase3', '--mixed'].map(a => near(a, '--card', 3));
  return [...text, ...marks, near('--good', '--good-soft', 4.5), near('--bad', '--bad-soft', 4.5), near('--accent', '--accent-soft', 4.5)].filter(Boolean);
})()"""


class ReportPage(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls._browser = browser.browser()
        cls.browser = cls._browser.__enter__()
        cls.ok("generate", "rmat", "--scale", "10", "--weights", "1:9", "-o", "r.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "10", "--weights", "1:9", "--directed", "-o", "d.fg",
               "-q")
        cls.ok("generate", "grid", "--rows", "1", "--cols", "4000", "-o", "long.fg", "-q")
        cls.graph("empty", "")
        cls.write("some.txt", "0\n1\n2\n")
        cls.write("sets.tsv", "0\ta\n1\tb\n2\ta\n3\tb\n")

    @classmethod
    def tearDownClass(cls):
        cls._browser.__exit__(None, None, None)
        super().tearDownClass()

    def show(self, *words, **how):
        done = self.run_raw(*words, "-q", "--report", "p.html")
        self.assertIn(done.returncode, (0, 7), done.stderr)
        self.look(**how)

    def look(self, name="p.html", **how):
        self.browser.show(self.directory / name, **how)
        self.assertEqual(self.browser.messages, [])

    def of(self, script):
        return self.browser.evaluate(script)

    def assert_drawn(self, width):
        self.assertNotIn("could not be drawn", self.of("document.body.innerText"))
        self.assertLessEqual(self.of("document.documentElement.scrollWidth"), width)
        self.assertEqual(self.of("document.querySelectorAll('svg.plot:not([aria-label])').length"), 0)
        # What is drawn has a place: NaN and Infinity come of scales without a range.
        bad = "[...document.querySelectorAll('svg *')].filter(e => [...e.attributes].some(a => /NaN|Infinity|undefined/.test(a.value))).length"
        self.assertEqual(self.of(bad), 0)
        for text in ("NaN", "undefined", "[object"):
            self.assertNotIn(text, self.of("document.body.innerText"))

    def test_every_algorithm_draws(self):
        others = {"egonet": ["--source", "0"], "subgraph": ["--vertices", "some.txt"], "cross-edges": ["--partition", "sets.tsv"],
                  "walks": ["--source", "0"], "sample": ["--seeds", "some.txt", "--fan-out", "3,2"]}
        streamed = ["--devices", "2", "--residency", "stream", "--page-size", "4096", "--trace", "t.json", "--verify"]
        for algorithm, options in {**harness.ALGORITHMS, **others}.items():
            graph = "d.fg" if algorithm in harness.DIRECTED else "r.fg"
            for where, width, scheme in (([], 360, "light"), (streamed, 1600, "dark")):
                with self.subTest(algorithm=algorithm, where=where):
                    self.show(algorithm, graph, *options, *where, width=width, scheme=scheme)
                    self.assert_drawn(width)
                    found = self.of(SECTIONS)
                    self.assertEqual(found[:3], ["Result", "Supersteps", "Where the edges lived"])
                    self.assertEqual("Timeline" in found, "--trace" in where)
                    self.assertEqual("Link, disk and caches" in found, "--trace" in where)
                    if algorithm not in (*others, "tc"):
                        self.assertGreaterEqual(self.of("document.querySelectorAll('svg.plot').length"), 2)

    def test_odd_runs_draw(self):
        for words in (["cc", "empty.fg"], ["pagerank", "empty.fg"], ["pagerank", "r.fg", "--max-iter", "1"], ["bfs", "r.fg", "--each", "--source", "0", "1"],
                      ["pagerank", "r.fg", "--top", "3"], ["cc", "r.fg", "--top", "3"], ["kcore", "long.fg"]):
            with self.subTest(words=words):
                self.show(*words)
                self.assert_drawn(1200)

    def test_reports_without_what_a_page_adds_draw(self):
        """As other programs may give them to the template."""
        report = self.json("bfs", "r.fg", "--source", "0")
        self.ok("bfs", "r.fg", "--source", "0", "-q", "--report", "p.html")
        text = (self.directory / "p.html").read_text()
        before, _, rest = text.partition('id="report">')
        after = rest[rest.index("</script>"):]
        for its in (report, {"algorithm": "mine"}, {**report, "supersteps": [], "result": {}, "plan": {"note": "none"}}):
            self.write("q.html", before + 'id="report">' + json.dumps(its).replace("<", "\\u003c") + after)
            self.look("q.html")
            self.assert_drawn(1200)

    def test_thousands_of_supersteps_are_legible(self):
        for width in (360, 1600):
            self.show("bfs", "long.fg", "--source", "0", width=width)
            self.assert_drawn(width)
            widths = self.of("[...document.querySelectorAll('svg rect.solid')].filter(r => !r.closest('.phases')).map(r => Number(r.getAttribute('width')))")
            self.assertGreaterEqual(min(widths), 2)
            self.assertGreater(len(widths), 2 * 60)

    def test_a_superstep_can_be_looked_at_by_keyboard_and_on_a_logarithmic_scale(self):
        self.show("bfs", "long.fg", "--source", "0")
        self.of("(() => { const s = document.querySelector('input[type=range]'); s.value = 1234; s.dispatchEvent(new Event('input')); })()")
        self.assertIn("superstep 1,234", self.of("document.querySelector('output').textContent"))
        before = self.of("document.querySelector('section svg.plot rect.solid').outerHTML")
        self.of("document.querySelector('input[type=checkbox]').click()")
        self.assertNotEqual(self.of("document.querySelector('section svg.plot rect.solid').outerHTML"), before)
        self.assert_drawn(1200)
        self.of("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        self.of(browser.SETTLED)
        self.assertIn("superstep", self.of("document.querySelector('pre').textContent"))
        self.assertGreater(self.of("document.querySelectorAll('td').length"), 400)
        self.assert_drawn(1200)
        self.assertEqual(self.browser.messages, [])

    def test_hostile_labels_are_text(self):
        labels = ["<img src=x onerror=document.title='pwned'>", "</script><script>document.title='pwned'</script>", "<!--<script>", "gpj.\u202egf"]
        self.graph("hostile", "".join(f"{a}\t{b}\n" for a in labels for b in labels), "--labels", "strings")
        self.show("pagerank", "hostile.fg", "--top", "9")
        shown = self.of("document.querySelector('.ranking').innerText")
        for label in labels[:3]:
            self.assertIn(label, shown)
        self.assertIn("gpj.\\u{202e}gf", shown)
        self.assertEqual(self.of("document.querySelectorAll('img').length"), 0)
        self.assertIn("pagerank of hostile.fg", self.of("document.title"))

    def test_colours_can_be_told_apart_in_both_schemes(self):
        self.show("cc", "r.fg")
        for scheme in ("light", "dark"):
            self.look(scheme=scheme)
            self.assertEqual(self.of(CONTRAST), [], scheme)

    def test_without_scripts_the_summary_shows(self):
        self.show("cc", "r.fg", "--verify", scripts=False)
        shown = self.of("document.body.innerText")
        self.assertIn("cc of r.fg", shown)
        self.assertIn("Verified.", shown)

    def test_within_a_frame(self):
        self.show("bfs", "r.fg", "--source", "0")
        page = html.escape((self.directory / "p.html").read_text(), quote=True)
        self.write("frame.html", f'<!doctype html><title>notebook</title><iframe style="width:700px;height:500px;border:0" srcdoc="{page}"></iframe>')
        self.look("frame.html")
        inside = "document.querySelector('iframe').contentDocument"
        self.assertGreaterEqual(self.of(f"{inside}.querySelectorAll('section svg.plot').length"), 3)
        self.assertLessEqual(self.of(f"{inside}.documentElement.scrollWidth"), 700)


if __name__ == "__main__":
    os.environ.pop("DISPLAY", None)
    harness.main()
