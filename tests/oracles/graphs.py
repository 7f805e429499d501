"""Random graphs for the comparison with NetworkX and SciPy."""

import dataclasses
import random


@dataclasses.dataclass
class Case:
    """A graph as the programs under test read it. Duplicate edges are part of the input; the
    programs and the oracle keep the lightest of them. An undirected edge is listed once, in
    either direction, but its duplicates may use the other one."""

    name: str
    vertices: int
    directed: bool
    edges: list  # (u, v, weight)
    weighted: bool

    def merged(self):
        """{(u, v): smallest weight}; u <= v when undirected."""
        lightest = {}
        for u, v, w in self.edges:
            key = (u, v) if self.directed else (min(u, v), max(u, v))
            lightest[key] = min(w, lightest.get(key, w))
        return lightest

    def has_zero_weights(self):
        return any(w == 0 for _, _, w in self.edges)


def _uniform(rng, n, m):
    return [(rng.randrange(n), rng.randrange(n)) for _ in range(m)]


def _skewed(rng, n, m):
    return [(int(n * rng.random() ** 4), int(n * rng.random() ** 2)) for _ in range(m)]


def _pieces(rng, n, m):
    """Edges within residue classes modulo 7, so components interleave."""
    edges = []
    for _ in range(m):
        u = rng.randrange(n)
        edges.append((u, rng.randrange(u % 7, n, 7)))
    return edges


def _acyclic(rng, n, m):
    return [(min(e), max(e)) for e in _uniform(rng, n, m)]


_WEIGHTS = {
    "unweighted": lambda rng: 1,
    "integers": lambda rng: rng.randint(1, 6),  # many ties
    "eighths": lambda rng: rng.randint(1, 400) / 8,  # sums are exact in float and double
    "zeros": lambda rng: rng.randint(0, 3),
}


def cases(seed, rounds):
    """A mixture of shapes, directedness and weights; the same for the same seed."""
    rng = random.Random(seed)
    for i in range(rounds):
        for shape in (_uniform, _skewed, _pieces, _acyclic):
            for directed in (False, True):
                weights = list(_WEIGHTS)[rng.randrange(len(_WEIGHTS))]
                n = rng.randint(2, 120)
                pairs = shape(rng, n, rng.randint(0, 4 * n))
                name = f"{shape.__name__[1:]}-{'directed' if directed else 'undirected'}-{weights}-{i}"
                edges = [(u, v, _WEIGHTS[weights](rng)) for u, v in pairs]
                yield Case(name, n, directed, edges, weights != "unweighted")
