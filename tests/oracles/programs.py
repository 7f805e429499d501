"""How to run a program under test: the reference executable or the fathom command."""

import pathlib
import subprocess
import sys

import graphs

READ_FG = pathlib.Path(__file__).resolve().parent.parent / "store_format" / "read_fg.py"
SKIPPED = object()  # returned for what a program cannot do (yet)


def _run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shown = " ".join(str(c) for c in command)
        raise RuntimeError(f"exit {done.returncode} of {shown}\n{done.stderr}")
    return done.stdout


def _write_mass(path, personalization, first_id):
    path.write_text("".join(f"{v + first_id}\t{m}\n" for v, m in personalization.items()))


class Reference:
    """tests/oracles/reference_main on a text edge list."""

    tolerance = 1e-9

    def __init__(self, binary, directory):
        self._binary = binary
        self._directory = pathlib.Path(directory)

    def cases(self, seed, rounds):
        """Graphs, each ready for the algorithms while it is the current one."""
        for case in graphs.cases(seed, rounds):
            self._case = case
            self._graph = self._directory / f"{case.name}.txt"
            self._graph.write_text("".join(f"{u} {v} {w!r}\n" for u, v, w in case.edges))
            yield case

    def _values(self, algorithm, *options):
        command = [self._binary, algorithm, self._graph, "--vertices", self._case.vertices, *options]
        lines = _run(command + (["--directed"] if self._case.directed else [])).splitlines()
        values = [float(line.split("\t")[1]) for line in lines]
        if len(values) != self._case.vertices:
            raise RuntimeError(f"{algorithm}: {len(values)} values")
        return values

    def bfs(self, sources):
        return self._values("bfs", *[w for s in sources for w in ("--source", s)])

    def sssp(self, source):
        return self._values("sssp", "--source", source)

    def cc(self):
        return self._values("cc")

    def tc(self):
        return self._values("tc")

    def kcore(self):
        return self._values("kcore")

    def harmonic(self):
        return self._values("harmonic")

    def pagerank(self, weighted=False, personalization=None):
        options = ["--weighted"] if weighted else []
        if personalization:
            mass = self._directory / "mass.tsv"
            _write_mass(mass, personalization, 0)
            options += ["--personalization", mass]
        return self._values("pagerank", *options)

    def pagerank_dropping(self):
        return self._values("pagerank", "--drop-dangling")

    def bc(self, weighted=False, normalized=True):
        options = ["--weighted"] if weighted else []
        return self._values("bc", *options, *([] if normalized else ["--no-normalized"]))

    def bc_from(self, sources):
        return self._values("bc", "--no-normalized", *[w for s in sources for w in ("--source", s)])


class Fathom:
    """The fathom command on converted and on generated graphs."""

    tolerance = 1e-5  # relative to the largest value; results are compared as printed

    def __init__(self, binary, directory):
        self._binary = binary
        self._directory = pathlib.Path(directory)
        self._graph = self._directory / "graph.fg"
        self._known = {}

    def knows(self, command):
        if command not in self._known:
            done = subprocess.run(
                [self._binary, command, "--help"], capture_output=True, check=False
            )
            self._known[command] = done.returncode == 0
        return self._known[command]

    def cases(self, seed, rounds):
        """Graphs, each ready for the algorithms while it is the current one."""
        for case in graphs.cases(seed, rounds):
            self._convert(case)
            yield case
        if self.knows("generate"):
            for kind in ("rmat", "uniform", "grid", "preferential-attachment", "watts-strogatz"):
                for options in ([], ["--directed"], ["--weights", "1:6"],
                                ["--directed", "--weights", "1:6", "--pack"]):
                    yield self._generate(kind, seed, options)

    def _convert(self, case):
        """By way of a Matrix Market file, which declares isolated vertices; ids count from 1."""
        self._case, self._first_id = case, 1
        text = self._directory / "graph.mtx"
        kind = "real" if case.weighted else "pattern"
        symmetry = "general" if case.directed else "symmetric"
        lines = [f"%%MatrixMarket matrix coordinate {kind} {symmetry}"]
        lines.append(f"{case.vertices} {case.vertices} {len(case.edges)}")
        for u, v, w in case.edges:
            if not case.directed:
                u, v = max(u, v), min(u, v)  # the format stores the lower triangle
            lines.append(f"{u + 1} {v + 1}" + (f" {w!r}" if case.weighted else ""))
        text.write_text("\n".join(lines) + "\n")
        _run([self._binary, "convert", text, "-o", self._graph])

    def _generate(self, kind, seed, options):
        """What was generated is read back from the store, by its documentation alone."""
        size = ["--scale", 6, "--edge-factor", 3]
        if kind == "grid":
            size = ["--rows", 7, "--cols", 9]
        _run([self._binary, "generate", kind, *size, "--seed", seed, "--simple", *options,
              "-o", self._graph])
        name = " ".join(["generated", kind, *options])
        directed = "--directed" in options
        edges = [(u, v, w) for u, v, w in self.edges() if directed or u <= v]
        vertices = 63 if kind == "grid" else 64
        self._first_id = 0
        self._case = graphs.Case(name, vertices, directed, edges, "--weights" in options)
        return self._case

    def edges(self):
        """Sorted (u, v, weight) of the store's out lists."""
        arcs = []
        for line in _run([sys.executable, READ_FG, self._graph]).splitlines():
            kind, *fields = line.split()
            if kind == "out":
                arcs.append((int(fields[0]), int(fields[1]), float((fields + ["1"])[2])))
        return sorted(arcs)

    def _values(self, algorithm, *options):
        if not self.knows(algorithm):
            return SKIPPED
        result = self._directory / "result.tsv"
        _run([self._binary, algorithm, self._graph, *options, "-o", result])
        header, *lines = result.read_text().splitlines()
        if not header.startswith("vertex\t"):
            raise RuntimeError(f"{algorithm}: header {header!r}")
        labels = [int(line.split("\t")[0]) for line in lines]
        expected = list(range(self._first_id, self._first_id + self._case.vertices))
        if labels != expected:
            raise RuntimeError(f"{algorithm}: labels {labels} instead of {expected}")
        return [float(line.split("\t")[1]) for line in lines]

    def bfs(self, sources):
        return self._values("bfs", "--source", *[s + self._first_id for s in sources])

    def sssp(self, source):
        return self._values("sssp", "--source", source + self._first_id)

    def cc(self):
        labels = self._values("cc")
        return labels if labels is SKIPPED else [label - self._first_id for label in labels]

    def tc(self):
        return self._values("tc", "--per-vertex")

    def kcore(self):
        return self._values("kcore")

    def harmonic(self):
        return self._values("harmonic")

    def pagerank(self, weighted=False, personalization=None):
        options = ["--tol", "1e-8", "--max-iter", "1000"] + (["--weighted"] if weighted else [])
        if personalization:
            mass = self._directory / "mass.tsv"
            _write_mass(mass, personalization, self._first_id)
            options += ["--personalization", mass]
        return self._values("pagerank", *options)

    def pagerank_dropping(self):
        return self._values("pagerank", "--compat", "gap", "--tol", "1e-8", "--max-iter", "1000")

    def bc(self, weighted=False, normalized=True):
        options = ["--weighted"] if weighted else []
        return self._values("bc", *options, *([] if normalized else ["--no-normalized"]))

    def bc_from(self, sources):
        return self._values("bc", "--no-normalized", "--source", *[s + self._first_id for s in sources])
