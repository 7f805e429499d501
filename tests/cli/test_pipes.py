"""Input that comes once: standard input, pipes and FIFOs."""

import gzip
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import harness

EDGES = "".join(f"{i} {i * 7919 % 3001} {i % 17}\n" for i in range(3000))


class Pipes(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.store = cls.graph("file", EDGES, "--third-column", "weight")
        cls.expected = cls.identity(cls.store)

    @classmethod
    def identity(cls, graph):
        return cls.json("info", graph)["graph"]["fingerprint"]

    def piped(self, content, *words, name="-", **options):
        """Converts what comes through a pipe."""
        done = self.run_raw("convert", name, "-o", "piped.fg", "-q", *words, input=content, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        return self.identity("piped.fg")

    def test_standard_input_by_all_its_names(self):
        for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            found = self.piped(EDGES.encode(), "--third-column", "weight", name=name)
            self.assertEqual(found, self.expected, name)

    def test_every_format_comes_through_a_pipe(self):
        for form in ("tsv", "csv", "mtx", "npz", "wsg", "mtx.gz", "tsv.zst", "npz.gz", "wsg.zst"):
            self.ok("convert", self.store, "-o", f"out.{form}", "-q")
            content = (self.directory / f"out.{form}").read_bytes()
            self.assertEqual(self.piped(content), self.expected, form)

    def test_redirected_files(self):
        for skipped in (0, 5):
            with open(self.directory / "file.txt", "rb") as file:
                file.seek(skipped and len(EDGES.splitlines()[0]) + 1)
                self.run_raw("convert", "-", "-o", "piped.fg", "-q", "--third-column", "weight", stdin=file)
            edges = self.json("info", "piped.fg")["graph"]["edges"]
            self.assertEqual(edges, 3000 - (skipped > 0))

    def test_fifos(self):
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)

        def write():
            time.sleep(0.2)
            fifo.write_bytes(gzip.compress(EDGES.encode()))

        writer = threading.Thread(target=write)
        writer.start()
        self.ok("convert", "fifo", "-o", "piped.fg", "-q", "--third-column", "weight")
        writer.join()
        self.assertEqual(self.identity("piped.fg"), self.expected)

    def test_a_part_may_be_piped(self):
        lines = EDGES.splitlines(keepends=True)
        self.write("first.txt", "".join(lines[:1000]))
        done = self.run_raw("convert", "first.txt", "-", "-o", "parts.fg", "-q", "--third-column", "weight",
                            input="".join(lines[1000:]).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.identity("parts.fg"), self.expected)

    def test_slow_writers_are_waited_for(self):
        work = subprocess.Popen([harness.FATHOM, "convert", "-", "-o", "slow.fg", "-q", "--third-column", "weight"],
                                cwd=self.directory, stdin=subprocess.PIPE)
        for piece in (EDGES[:10], EDGES[10:11], EDGES[11:]):
            work.stdin.write(piece.encode())
            work.stdin.flush()
            time.sleep(0.1)
        work.stdin.close()
        self.assertEqual(work.wait(60), 0)
        self.assertEqual(self.identity("slow.fg"), self.expected)

    def test_nothing_is_a_graph_without_vertices(self):
        self.piped(b"")
        self.assertEqual(self.json("info", "piped.fg")["graph"]["vertices"], 0)

    def test_errors_name_standard_input_and_the_line(self):
        for name in ("-", "/dev/stdin"):
            self.fails(3, "standard input:2: expected an integer id, found 'x'", "convert", name, "-o", "bad.fg",
                       "--labels", "none", input=b"0 1\nx 2\n")
        self.fails(3, "standard input:3: expected", "convert", "-", "-o", "bad.fg",
                   input=gzip.compress(b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 7\n"))
        self.fails(3, "standard input: byte ", "convert", "-", "-o", "bad.fg",
                   input=gzip.compress(EDGES.encode())[:-20])
        with open(self.directory / self.store, "rb") as file:
            self.fails(3, "found a .fg file, which is read by its name alone", "convert", "-", "-o", "bad.fg",
                       stdin=file)
        self.fails(2, "standard input is named twice", "convert", "-", "/dev/stdin", "-o", "bad.fg", input=b"0 1\n")
        self.fails(74, "Is a directory", "convert", ".", "-o", "bad.fg")
        self.fails(74, "standard input: cannot read", "convert", "-", "-o", "bad.fg",
                   preexec_fn=lambda: os.close(0))
        self.assertNotIn("bad.fg", self.files())

    def test_a_file_called_dash_has_another_name(self):
        self.write("-", "5 6\n")
        self.assertEqual(self.piped(EDGES.encode(), "--third-column", "weight"), self.expected)
        self.ok("convert", "./-", "-o", "dash.fg", "-q")
        self.assertEqual(self.json("info", "dash.fg")["graph"]["edges"], 1)
        (self.directory / "-").unlink()

    def peak_kib_until_it_ends(self, work):
        """As far as it was seen. getrusage() would count this process, too: it has its memory before exec."""
        peak = 0
        while work.poll() is None:
            status = pathlib.Path(f"/proc/{work.pid}/status").read_text()
            found = re.search(r"VmHWM:\s*(\d+) kB", status)  # absent between its end and poll()
            peak = max(peak, int(found[1])) if found else peak
            time.sleep(0.002)
        return peak

    def test_what_comes_is_kept_in_the_temporary_directory_and_within_memory(self):
        place = self.directory / "temporary"
        place.mkdir()
        environment = dict(os.environ, TMPDIR=str(place))
        work = subprocess.Popen([harness.FATHOM, "convert", "-", "-o", "large.fg", "-q", "--memory", "32MiB",
                                 "--threads", "1"], cwd=self.directory, stdin=subprocess.PIPE, env=environment)
        block = "".join(f"{i} {i * 7919 % 100003}\n" for i in range(100000)).encode()
        for i in range(60):  # 70 MB
            work.stdin.write(block)
            if i == 50:
                opened = [os.readlink(link) for link in pathlib.Path(f"/proc/{work.pid}/fd").iterdir()]
                self.assertTrue(any(str(place) in name and "(deleted)" in name for name in opened), opened)
        work.stdin.close()
        peak_kib = self.peak_kib_until_it_ends(work)
        self.assertEqual(work.returncode, 0)
        self.assertGreater(peak_kib, 8 << 10)
        if not harness.ADDRESS_SANITIZED:
            self.assertLess(peak_kib, 36 << 10)
        self.assertEqual(list(place.iterdir()), [])
        self.fails(74, "cannot create a temporary file there", "convert", "-", "-o", "bad.fg", input=EDGES.encode(),
                   env=dict(environment, TMPDIR=str(self.directory / "missing")))

    def test_interrupted_while_it_waits(self):
        os.mkfifo(self.directory / "silent")
        for words in (["-"], ["silent"]):
            work = subprocess.Popen([harness.FATHOM, "convert", *words, "-o", "bad.fg"], cwd=self.directory,
                                    stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.3)
            work.send_signal(signal.SIGINT)
            self.assertEqual(work.wait(30), 130)
            self.assertEqual(work.stderr.read(), b"fathom: interrupted\n")
            work.stdin.close()
            work.stderr.close()
        self.assertNotIn("bad.fg", self.files())


if __name__ == "__main__":
    harness.main()
