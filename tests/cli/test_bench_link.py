"""fathom bench link and the link in doctor, as far as they go without a GPU."""

import json
import os
import unittest

import harness

PROFILE = {
    "schema": "fathom.link/1", "device": "Test GPU", "uuid": "GPU-01234567",
    "driver": "580.1 (CUDA 13.0)", "measured": "2026-01-02T03:04:05Z", "quick": False,
    "copies": {"to_device_gbps": 55.4, "to_host_gbps": 54.5, "pageable_to_device_gbps": 10.1,
               "pageable_to_host_gbps": None,
               "chunked": [{"chunk_bytes": 65536, "gbps": 17.25}]},
    "in_order": [{"way": "malloc", "aligned_gbps": 51.4, "misaligned_gbps": 48.2,
                  "strided_gbps": 13.8}],
    "reach": [{"way": way, "region_bytes": 2 ** 33, "random_gbps": rate, "every_2_gbps": 51,
               "every_8_gbps": 51, "every_64_gbps": 50.5, "every_512_gbps": 8.31}
              for way, rate in (("malloc", 5.51), ("managed", 47.5))],
    "unified": [{"read_mostly": True, "region_bytes": 2 ** 30, "sequential_gbps": 25.5,
                 "random_gbps": 0.755}],
    "disk": {"directory": "/mnt/ssd", "read_gbps": 3.61},
    "left_out": ["register: refused"],
}


def without_devices():
    """The environment of a machine on which CUDA finds no device, whatever there is."""
    return {**os.environ, "CUDA_VISIBLE_DEVICES": ""}


class BenchLink(harness.CliTest):
    def test_without_a_device_exits_5_and_saves_nothing(self):
        before = self.files()
        for options in ([], ["--quick", "--no-save"], ["--device", "cuda:7"], ["--json"],
                        ["--save", "new.json"]):
            self.fails(5, "CUDA", "bench", "link", *options,
                       env={**without_devices(), "XDG_CACHE_HOME": str(self.directory)})
        self.assertEqual(self.files(), before)

    def test_wrong_usage_is_told_from_a_missing_device(self):
        for device in ("cpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:0,1"):
            self.fails(2, f"expected cuda or cuda:N, found '{device}'", "bench", "link", "--device",
                       device)
        self.fails(74, "nowhere/p.json", "bench", "link", "--save", "nowhere/p.json")
        self.fails(2, "excludes", "bench", "link", "--save", "p.json", "--no-save")
        self.fails(2, "no effect", "bench", "link", "--load", "p.json", "--quick")
        self.fails(2, "excludes", "bench", "link", "--quick", "--full")

    def test_a_saved_profile_is_printed_as_it_is(self):
        self.write("saved.json", json.dumps(PROFILE))
        text = self.ok("bench", "link", "--load", "saved.json")
        for row in (r"chunks of 64 KiB over 8 streams +17\.2", r"from pageable memory +10\.1",
                    r"into pageable memory +-", r"aligned lines of 128 B +51\.4 +- +-",
                    r"off by 32 B +48\.2", r"1 KiB \(naive\) +13\.8",
                    r"8 GiB +5\.51 +51\.0 +51\.0 +50\.5 +8\.31", r"8 GiB +47\.5 ",
                    r"in order, 1 GiB +- +25\.5", r"per 4 KiB +- +0\.7", r"/mnt/ssd +3\.61",
                    r"register: refused", r"47\.5 by managed, the best way"):
            self.assertRegex(text, row)
        self.assertEqual(self.json("bench", "link", "--load", "saved.json"), PROFILE)

    def test_a_damaged_profile_exits_3_with_its_place(self):
        self.write("rubbish.json", "not json")
        self.fails(3, "rubbish.json: expected a link profile", "bench", "link", "--load",
                   "rubbish.json")
        broken = json.loads(json.dumps(PROFILE))
        broken["reach"][1]["random_gbps"] = -1
        self.write("broken.json", json.dumps(broken))
        self.fails(3, "reach[1].random_gbps", "bench", "link", "--load", "broken.json")
        self.fails(74, "missing.json", "bench", "link", "--load", "missing.json")


class Doctor(harness.CliTest):
    def test_without_a_device_it_says_so_and_exits_0(self):
        self.says_so()

    @unittest.skipIf(harness.ADDRESS_SANITIZED, "rates of instrumented code take minutes, for nothing")
    def test_without_a_device_it_measures_the_rest(self):
        self.says_so("--measure", timeout=240)

    def says_so(self, *options, **settings):
        env = {**without_devices(), "XDG_CACHE_HOME": str(self.directory)}
        text = self.ok("doctor", *options, env=env, **settings)
        self.assertRegex(text, r"(?m)^  cuda  .*(no CUDA driver|no usable device)")

    def test_it_says_what_this_program_was_built_with(self):
        cuda = self.json("doctor")["cuda"]
        text = self.ok("doctor")
        self.assertEqual("this build of Fathom has no CUDA" in text, not cuda["built"])


if __name__ == "__main__":
    harness.main()
