"""Ctrl-C, closed pipes, terminals: how the command treats those around it."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time

import harness


class Streams(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ok("generate", "rmat", "--scale", "14", "-o", "r.fg", "-q")
        edges = "".join(f"{i} {i * 7919 % 400000}\n" for i in range(400000))
        cls.write("e.txt", edges)

    def start(self, *words, **options):
        return subprocess.Popen([harness.FATHOM, *words], cwd=self.directory,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def interrupted(self, process, how=signal.SIGINT):
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(err.decode(), "fathom: interrupted\n")
        self.assertEqual(out, b"")

    def has_nameless_file(self, process):
        """Whether it has begun an output, which has no name until it is whole."""
        descriptors = f"/proc/{process.pid}/fd"
        try:
            opened = [os.readlink(os.path.join(descriptors, n)) for n in os.listdir(descriptors)]
        except OSError:  # closed meanwhile
            return False
        return any(name.startswith(str(self.directory)) and name.endswith("(deleted)") for name in opened)

    def wait_for_new_file(self, before, process):
        while (self.files() == before and process.poll() is None
               and not self.has_nameless_file(process)):
            time.sleep(0.002)

    def test_interrupted_generate_and_convert_leave_nothing(self):
        for words in (["generate", "rmat", "--scale", "22", "-o", "x.fg"],
                      ["convert", *["e.txt"] * 20, "-o", "x.fg"]):
            with self.subTest(words=words[0]):
                before = self.files()
                process = self.start(*words)
                self.wait_for_new_file(before, process)
                time.sleep(0.05)
                self.interrupted(process)
                self.assertEqual(self.files(), before)

    def test_interrupted_algorithm_stops_at_a_superstep_and_writes_nothing(self):
        before = self.files()
        for how in (signal.SIGINT, signal.SIGTERM):
            process = self.start("bc", "r.fg", "-o", "x.tsv", "--report", "x.json")
            time.sleep(0.3)
            self.interrupted(process, how)
            self.assertEqual(self.files(), before)

    def test_ignored_interrupts_stay_ignored(self):
        process = self.start("cc", "r.fg", "--trials", "200", "-q",
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)

    def test_closed_pipe_is_no_error(self):
        for words in (["bfs", "r.fg", "--source", "0", "--json"], ["info", "r.fg"], ["--help"],
                      ["completion", "bash"]):
            read, write = os.pipe()
            os.close(read)
            done = self.run_raw(*words, capture_output=False, stdout=write,
                                stderr=subprocess.PIPE)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (0, b""), words)

    def test_result_file_is_written_although_the_pipe_is_closed(self):
        read, write = os.pipe()
        os.close(read)
        self.run_raw("cc", "r.fg", "-o", "cc.tsv", capture_output=False, stdout=write)
        os.close(write)
        self.assertEqual(len(self.table("cc.tsv")[1]), 1 << 14)
        (self.directory / "cc.tsv").unlink()

    def test_full_or_missing_standard_output_exits_74(self):
        with open("/dev/full", "wb") as full:
            done = self.run_raw("info", "r.fg", capture_output=False, stdout=full,
                                stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 74)
        self.assertIn(b"standard output", done.stderr)
        closed = subprocess.run(["bash", "-c", 'exec "$@" >&-', "-", harness.FATHOM, "info", "r.fg"],
                                cwd=self.directory, stderr=subprocess.PIPE, check=False)
        self.assertEqual(closed.returncode, 74)

    def test_closed_streams_never_reach_result_files(self):
        subprocess.run(["bash", "-c", 'exec "$@" <&- >&- 2>&-', "-", harness.FATHOM, "cc", "r.fg",
                        "-o", "cc.tsv"], cwd=self.directory, check=False)
        self.assertEqual((self.directory / "cc.tsv").read_text()[:17], "vertex\tcomponent\n")
        (self.directory / "cc.tsv").unlink()

    def on_terminal(self, *words, **environment):
        """What the command writes to a terminal as standard error."""
        terminal, child = pty.openpty()
        wide = struct.pack("HHHH", 24, 200, 0, 0)  # a narrow terminal cuts lines off
        fcntl.ioctl(child, termios.TIOCSWINSZ, wide)
        process = subprocess.Popen([harness.FATHOM, *words], cwd=self.directory,
                                   stdout=subprocess.PIPE, stderr=child,
                                   env={**os.environ, "TERM": "xterm", **environment})
        os.close(child)
        process.communicate(timeout=60)
        shown = b""
        try:
            while part := os.read(terminal, 65536):
                shown += part
        except OSError:  # the other side is closed
            pass
        os.close(terminal)
        return shown.decode()

    def test_long_work_shows_progress_on_a_terminal_and_clears_it(self):
        work = ["convert", *["e.txt"] * 4, "-o", "x.fg"]
        shown = self.on_terminal(*work, FATHOM_PROGRESS_DELAY="0")
        self.assertIn("/s", shown)
        self.assertIn("ETA", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown[-80:]))
        self.assertEqual(self.on_terminal(*work, "-q", FATHOM_PROGRESS_DELAY="0"), "")
        self.assertNotIn("ETA", self.on_terminal(*work, FATHOM_PROGRESS_DELAY="3600"))
        (self.directory / "x.fg").unlink()

    def test_color_only_on_terminals_and_never_with_no_color(self):
        self.assertIn("\x1b[1;31mfathom:", self.on_terminal("nonsense"))
        self.assertNotIn("\x1b", self.on_terminal("nonsense", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_terminal("nonsense", TERM="dumb"))
        self.assertNotIn(b"\x1b", self.run_raw("nonsense").stderr)


if __name__ == "__main__":
    harness.main()
