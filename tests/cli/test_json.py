"""--json and --report against the committed schemas."""

import json
import sys
import unittest

import harness
import test_bench_link

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing: nothing was validated")
    sys.exit(77)


def validator(name):
    text = (harness.ROOT / "docs" / "schema" / f"{name}.schema.json").read_text()
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class Json(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "8", "--weights", "1:9", "-o", "r.fg", "-q")
        cls.ok("generate", "rmat", "--scale", "8", "--weights", "1:9", "--directed", "-o", "d.fg",
               "-q")
        cls.report = validator("report")
        cls.info = validator("info")

    def checked(self, *words):
        report = self.json(*words)
        self.report.validate(report)
        return report

    def test_every_algorithm_in_place_and_streamed(self):
        streamed = ["--devices", "2", "--residency", "stream", "--page-size", "4096"]
        for algorithm, options in harness.ALGORITHMS.items():
            graph = "d.fg" if algorithm in harness.DIRECTED else "r.fg"
            for where in ([], streamed, ["--top", "3", "--trials", "2"]):
                with self.subTest(algorithm=algorithm, where=where):
                    report = self.checked(algorithm, graph, *options, *where)
                    self.assertEqual(report["algorithm"], algorithm)
                    self.assertEqual(report["residency"], "stream" if where == streamed else "mapped")
                    self.assertEqual(report["link"] is None, where != streamed)
                    self.assertIsNone(report["verified"])
                    self.assertIsNone(report["host_memory"])  # there is no GPU to obtain any for

    def test_host_memory_obtained_for_a_gpu_has_a_place_in_the_schema(self):
        report = self.checked("cc", "r.fg")
        block = {"ways": ["managed", "file"], "bytes": 1, "pinned_bytes": 0, "seconds": 0.5,
                 "background_seconds": 0.0, "notes": ["refused"]}
        self.report.validate({**report, "host_memory": block})
        for bad in ({**block, "ways": ["hope"]}, {**block, "bytes": 0}, {**block, "more": 1}):
            self.assertFalse(self.report.is_valid({**report, "host_memory": bad}), bad)

    def test_bfs_from_each_source(self):
        report = self.checked("bfs", "r.fg", "--source", "0", "1", "--each")
        self.assertEqual(len(report["result"]["each"]), 2)

    def test_trials_are_all_there_and_apart_from_loading(self):
        seconds = self.checked("cc", "r.fg", "--trials", "4", "--verify")["seconds"]
        self.assertEqual(len(seconds["trials"]), 4)
        middle = sorted(seconds["trials"])[1:3]
        self.assertAlmostEqual(seconds["median"], sum(middle) / 2)

    def test_report_file_equals_json(self):
        printed = self.json("tc", "r.fg", "--report", "report.json")
        self.assertEqual(json.loads((self.directory / "report.json").read_text()), printed)

    def test_supersteps_add_up(self):
        report = self.checked("bfs", "r.fg", "--source", "0")
        self.assertEqual(sum(s["edges"] for s in report["supersteps"]), report["edges_traversed"])
        self.assertEqual(sum(report["result"]["depth_counts"]), report["result"]["reached"])

    def test_info_generate_and_convert(self):
        self.info.validate(self.json("info", "r.fg"))
        self.info.validate(self.json("convert", "r.fg", "-o", "pages.fg", "--layout", "slotted"))
        self.info.validate(self.json("convert", "r.fg", "-o", "narrow.fg", "--narrow"))
        directed = self.json("generate", "uniform", "--scale", "6", "--directed", "-o", "d.fg")
        self.info.validate(directed)
        self.assertGreater(directed["seconds"], 0)
        degrees = self.json("info", "d.fg", "--degrees")
        self.info.validate(degrees)
        self.assertEqual(sum(b["vertices"] for b in degrees["in_degrees"]["histogram"]), 64)
        self.write("e.txt", "b a\na b\na a\na b\n")
        converted = self.json("convert", "e.txt", "-o", "e.fg", "--loops", "drop")
        self.info.validate(converted)
        self.assertTrue(converted["symmetric"])
        self.assertEqual(converted["labels"], {"kind": "strings", "first": "a", "last": "b"})
        repairs = converted["repairs"]
        self.assertEqual((repairs["loops_dropped"], repairs["duplicates_merged"]), (1, 1))
        self.assertEqual(converted["policies"]["loops"], "drop")
        self.assertIn("convert e.txt -o e.fg", converted["provenance"])

    def test_doctor_reports_what_it_found(self):
        doctor = self.json("doctor")
        validator("doctor").validate(doctor)
        elsewhere = self.json("doctor", "--directory", "/proc")
        validator("doctor").validate(elsewhere)
        self.assertIsNone(elsewhere["disk"]["read_bytes_per_second"])
        self.assertIsNotNone(elsewhere["disk"]["why"])

    @unittest.skipIf(harness.ADDRESS_SANITIZED, "sanitized builds leave fathom-bench out")
    def test_benchmarks_without_a_device(self):
        requests = self.json("bench", "requests", "r.fg", "--sources", "2")
        validator("bench-requests").validate(requests)
        msbfs = self.json("bench", "msbfs", "r.fg", "--sources", "3", "--trials", "2")
        validator("bench-msbfs").validate(msbfs)
        memory = self.json("bench", "memory", "--allocations", "500", "--heap", "16MiB", "--trials", "2",
                           "--allocators", "VL-P", "S-C", "bump")
        validator("bench-memory").validate(memory)
        order = self.json("bench", "order", "r.fg", "--sources", "3")
        validator("bench-order").validate(order)

    def test_recorded_comparisons_are_what_the_schema_says(self):
        emogi = validator("bench-emogi")
        recorded = sorted((harness.ROOT / "bench" / "results").glob("*/emogi*.json"))
        self.assertGreater(len(recorded), 0)
        for path in recorded:
            with self.subTest(path=path.name):
                report = json.loads(path.read_text())
                emogi.validate(report)
                for row in report["results"]:
                    self.assertAlmostEqual(row["mean_seconds"], sum(row["runs"]) / len(row["runs"]))
                    self.assertAlmostEqual(row["gbps"], row["link_bytes"] / row["mean_seconds"] / 1e9)
                del report["results"][0]["system"]
                self.assertFalse(emogi.is_valid(report))

    def test_recorded_streams_fetched_the_pages_they_needed(self):
        # Records add what the command does not print.
        more = ("benchmark", "title", "machine", "command", "notes")
        recorded = sorted((harness.ROOT / "bench" / "results").glob("*/gts*.json"))
        compared = 0
        for path in recorded:
            with self.subTest(path=path.name):
                record = json.loads(path.read_text())
                report = {k: v for k, v in record.items() if k not in more}
                validator("bench-gts").validate(report)
                if report["bars"]:
                    self.assertTrue(report["bars"]["pages"]["equal"])
                    compared += 1
        self.assertGreater(compared, 0)

    @unittest.skipIf(harness.ADDRESS_SANITIZED, "sanitized builds leave fathom-bench out")
    def test_link_profile_is_what_its_schema_says(self):
        self.write("link.json", json.dumps(test_bench_link.PROFILE))
        validator("link").validate(self.json("bench", "link", "--load", "link.json"))

    def test_labels_that_are_not_utf8_leave_valid_json(self):
        (self.directory / "latin.txt").write_bytes(b"caf\xe9 th\xe9\n")
        self.ok("convert", "latin.txt", "-o", "latin.fg", "-q")
        self.info.validate(self.json("info", "latin.fg"))
        self.checked("cc", "latin.fg", "--top", "1")


if __name__ == "__main__":
    harness.main()
