"""The commands that the campaigns run, on graphs of a few thousand edges, and what may be left."""

import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

STREAM = "--residency stream --host-memory 40MiB -q"
CC = "cc ../in/graph.fg"
# Each runs in a directory that begins empty. What follows > is what it writes.
COMMANDS = {
    "convert-text": "convert ../in/edges.txt -o a.fg -q > a.fg",
    "convert-strings": "convert ../in/words.tsv.gz -o a.fg -q --labels strings --memory 32MiB > a.fg",
    "convert-pages": "convert ../in/edges.txt -o a.fg -q --layout slotted --page-size 64KiB > a.fg",
    "repack": "convert ../in/pages.fg -o a.fg -q --layout csr > a.fg",
    "generate": "generate rmat --scale 8 --weights 1:9 -o a.fg -q > a.fg",
    "generate-pages": "generate uniform --scale 8 -o a.fg -q --layout slotted --page-size 64KiB > a.fg",
    "reorder": "reorder ../in/graph.fg --method degree -o a.fg --permutation p.tsv -q > a.fg p.tsv",
    "reorder-streamed": f"reorder ../in/pages.fg --method halo2 -o a.fg {STREAM} > a.fg",
    "stripe": "stripe ../in/graph.fg --ssd . ../out -q > graph.fg.stripe-1-of-2 graph.fg.stripe-2-of-2",
    "stream": "stream ../in/graph.fg --updates ../in/updates.txt -o a.fg -q > a.fg",
    "stream-checkpoint": "stream ../in/graph.fg --updates ../in/updates.txt --batch 9 --checkpoint c.fg "
                         "-q -o a.fg > a.fg c.fg",
    "stream-resume": "stream ../in/half.fg --resume --updates ../in/updates.txt -q -o a.fg > a.fg",
    "subgraph": "subgraph ../in/graph.fg --vertices ../in/some.txt -q -o a.fg > a.fg",
    "egonet": "egonet ../in/graph.fg --source 0 --hops 1 -q -o e.tsv > e.tsv",
    "cross-edges": "cross-edges ../in/graph.fg --partition ../in/parts.tsv -q -o x.csv > x.csv",
    "walks": "walks ../in/graph.fg --sources ../in/some.txt --p 4 --q .5 -q -o w.tsv > w.tsv",
    "sample": "sample ../in/graph.fg --seeds ../in/some.txt --fan-out 3,2 -q -o s.csv > s.csv",
    "degrees": "degrees ../in/graph.fg -q -o d.tsv --histogram h.csv > d.tsv h.csv",
    "bfs": "bfs ../in/graph.fg --source 0 -q -o r.npy --report r.json > r.npy r.json",
    "sssp": "sssp ../in/graph.fg --source 0 -q -o r.csv > r.csv",
    "cc": f"{CC} -q -o r.tsv --verify > r.tsv",
    "pagerank": "pagerank ../in/graph.fg -q -o r.tsv --threads 1 > r.tsv",
    "tc": "tc ../in/graph.fg -q --per-vertex -o r.tsv > r.tsv",
    "cc-ring": f"{CC} {STREAM} --io uring -o r.tsv --trace t.json > r.tsv t.json",
    "cc-threads": f"{CC} {STREAM} --io threads -o r.tsv > r.tsv",
    "cc-auto": f"{CC} {STREAM} -o r.tsv > r.tsv",
    "bfs-pages": f"bfs ../in/pages.fg --source 0 {STREAM} -o r.tsv > r.tsv",
    "pagerank-stripes": f"pagerank ../in/graph.fg {STREAM} --threads 1 --ssd ../in/s1 ../in/s2 -o r.tsv > r.tsv",
    "sssp-devices": "sssp ../in/graph.fg --source 0 -q --devices 2 --device-memory 4MiB -o r.tsv > r.tsv",
    "info": "info ../in/graph.fg --json >",
    "verify": "verify ../in/pages.fg >",
}
WRITING = [name for name, line in COMMANDS.items() if not line.endswith(">")]


class Place:
    """A directory with inputs, and one where a command runs, over and over."""

    def __init__(self, program, template=None):
        self.program = os.fspath(program)
        self._scratch = tempfile.TemporaryDirectory(prefix="fathom-faults-")
        self.root = pathlib.Path(os.path.realpath(self._scratch.name))
        self.out, self.temporary = self.root / "out", self.root / "tmp"
        self.log = pathlib.Path(f"{self.root}.log")  # no path below the root: not counted
        if template:
            shutil.copytree(template.root / "in", self.root / "in")
        else:
            (self.root / "in").mkdir()
            self._make_inputs()
        self.clear()
        self.known = {}

    def close(self):
        self.log.unlink(missing_ok=True)
        self._scratch.cleanup()

    def clear(self, old=()):
        """Empty directories, but for files of an older run."""
        for directory in (self.out, self.temporary):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
        for name in old:
            (self.out / name).write_bytes(b"old")

    def words(self, name):
        """The command, and the names that it writes."""
        line, _, outputs = COMMANDS[name].partition(">")
        return [self.program, *line.split()], outputs.split()

    def environment(self, **more):
        return {**os.environ, "TMPDIR": str(self.temporary), "OMP_WAIT_POLICY": "passive",
                "OMP_NUM_THREADS": "2", **{key: str(value) for key, value in more.items()}}

    def start(self, name, **environment):
        return subprocess.Popen(self.words(name)[0], cwd=self.out, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment(**environment))

    def run(self, name, timeout=60, **environment):
        """Exit status, standard output and error; status None: it hung."""
        with self.start(name, **environment) as process:
            try:
                out, error = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return None, b"", b""
            return process.returncode, out, error

    def learn(self, name):
        """What the command writes when nothing fails, and for how long it runs."""
        self.clear()
        status, out, error = self.run(name)
        if status != 0:
            raise AssertionError(f"{name}: exit {status}: {error.decode(errors='replace')}")
        outputs = self.words(name)[1]
        if self.left() != sorted(outputs):
            raise AssertionError(f"{name}: wrote {self.left()}")
        self.known[name] = out, {f: (self.out / f).read_bytes() for f in outputs}

    def left(self):
        return sorted(p.name for d in (self.out, self.temporary) for p in d.iterdir())

    def is_whole(self, name, file):
        """Whether an output is what it is without faults."""
        content = (self.out / file).read_bytes()
        if file == "c.fg":  # of any batch
            return subprocess.run([self.program, "verify", "c.fg", "-q"], cwd=self.out, check=False,
                                  capture_output=True).returncode == 0
        if not file.endswith(".json"):
            return content == self.known[name][1][file]
        try:
            report, known = json.loads(content), json.loads(self.known[name][1][file])
        except ValueError:
            return False
        return report.keys() == known.keys() and report.get("result") == known.get("result")

    def _make_inputs(self):
        dice = random.Random(1)
        at = self.root / "in"
        edges = [(dice.randrange(300), dice.randrange(300)) for _ in range(3000)]
        (at / "edges.txt").write_text("".join(f"{u} {v}\n" for u, v in edges))
        with gzip.GzipFile(at / "words.tsv.gz", "wb", mtime=0) as file:
            file.write("".join(f"word{u}\tw\u00f6rd{v}\n" for u, v in edges).encode())
        (at / "updates.txt").write_text(
            "".join(f"{dice.choice('+-')} {dice.randrange(400)} {dice.randrange(400)}\n" for _ in range(60)))
        (at / "some.txt").write_text("".join(f"{v}\n" for v in range(0, 300, 3)))
        (at / "parts.tsv").write_text("".join(f"{v}\tset{v % 3}\n" for v in range(300)))
        (at / "s1").mkdir()
        (at / "s2").mkdir()
        for line in ("convert edges.txt -o graph.fg -q", "convert graph.fg -o pages.fg -q --layout slotted "
                     "--page-size 64KiB", "stripe graph.fg --ssd s1 s2 -q"):
            subprocess.run([self.program, *line.split()], cwd=at, check=True)
        subprocess.run([self.program, *"stream graph.fg --updates - --batch 10 --checkpoint half.fg -q".split()],
                       cwd=at, check=True,
                       input=b"".join((at / "updates.txt").read_bytes().splitlines(True)[:30]))


def temporary_of(entry, outputs):
    """Whether an entry is a temporary name of one of the outputs."""
    return any(re.fullmatch(re.escape(f".{name}.tmp-") + "[0-9a-f]{16}", entry) for name in outputs)
