"""A graph that changes in plain Python, and what tests ask of both."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

import fathom as fg


class Model:
    """A graph as a dict: {u: {v: [weights]}}."""

    def __init__(self, directed: bool, duplicates: str = "overwrite") -> None:
        self.directed = directed
        self.duplicates = duplicates
        self.lists: dict[Any, dict[Any, list[float]]] = {}

    def apply(
        self,
        insert: Iterable[tuple[Any, ...]] = (),
        delete: Iterable[tuple[Any, Any]] = (),
        vertices: Iterable[Any] = (),
        delete_vertices: Iterable[Any] = (),
    ) -> None:
        for v in vertices:
            self.lists.setdefault(v, {})
        for u, v in delete:
            for a, b in self._both(u, v):
                self.lists.get(a, {}).pop(b, None)
        for u, v, *rest in insert:
            weight = rest[0] if rest else 1.0
            self.lists.setdefault(u, {})
            self.lists.setdefault(v, {})
            for a, b in self._both(u, v):
                there = self.lists[a].setdefault(b, [])
                if not there or self.duplicates == "keep":
                    there.append(weight)
                elif self.duplicates == "overwrite":
                    there[:] = [weight]
        for u in delete_vertices:
            self.lists.pop(u, None)
            for its in self.lists.values():
                its.pop(u, None)

    def _both(self, u: Any, v: Any) -> list[tuple[Any, Any]]:
        return [(u, v)] if self.directed or u == v else [(u, v), (v, u)]

    def edges(self) -> list[tuple[Any, Any, float]]:
        return sorted(
            (u, v, w) for u, its in self.lists.items() for v, ws in its.items() for w in ws
        )

    def graph(self, weighted: bool) -> fg.Graph:
        """The same, made at once."""
        labels = sorted(self.lists)
        edges = self.edges()
        strings = bool(labels) and isinstance(labels[0], str)
        kind: Any = object if strings else np.int64
        return fg.from_edges(
            source=np.array([e[0] for e in edges], dtype=kind),
            target=np.array([e[1] for e in edges], dtype=kind),
            weight=np.array([e[2] for e in edges], dtype=np.float64) if weighted else None,
            vertices=np.array(labels, dtype=kind),
            directed=True,
            duplicates="keep",
        )


def edges_of(graph: fg.Graph) -> list[tuple[Any, Any, float]]:
    labels = list(graph)
    found = []
    for source, target, weight in fg.sweep(graph):
        weights = np.ones(len(source)) if weight is None else weight
        for u, v, w in zip(source.tolist(), target.tolist(), weights.tolist(), strict=True):
            found.append((labels[u], labels[v], w))
    return sorted(found)


def check(dyn: fg.DynamicGraph, model: Model) -> None:
    """Every question, and the graph as algorithms see it."""
    assert len(dyn) == len(model.lists)
    assert dyn.edges == len(model.edges())
    labels = sorted(model.lists)
    assert list(dyn) == labels
    snapshot = dyn.snapshot()
    assert list(snapshot) == labels
    assert edges_of(snapshot) == model.edges()
    for label in labels[:20]:
        near = dyn.neighbors(label)
        expected = sorted((v, w) for v, ws in model.lists[label].items() for w in ws)
        weights = [1.0] * len(near.labels) if near.weights is None else near.weights.tolist()
        assert sorted(zip(list(near.labels), weights, strict=True)) == expected
        assert dyn.degree(label) == len(expected)
    pairs = [(u, v) for u in labels[:12] for v in labels[:12]]
    if pairs:
        assert dyn.has_edges(pairs).tolist() == [v in model.lists[u] for u, v in pairs]


def random_batch(rng: random.Random, names: list[Any], weighted: bool, size: int) -> dict[str, Any]:
    def edge() -> tuple[Any, Any]:
        return rng.choice(names), rng.choice(names)

    insert: list[tuple[Any, ...]] = [edge() for _ in range(rng.randrange(size))]
    if weighted:
        insert = [(*e, rng.randrange(1, 100) / 4) for e in insert]
    return {
        "insert": insert,
        "delete": [edge() for _ in range(rng.randrange(size))],
        "vertices": [rng.choice(names) for _ in range(rng.randrange(3))],
        "delete_vertices": [rng.choice(names) for _ in range(rng.randrange(3))],
    }


PLAIN = (1.0, 0, 0, 0)  # of an edge of which nothing is said


class FieldModel:
    """Edges {(u, v): [(weight, type, t1, t2), ...]} and vertices {label: (weight, type)}."""

    def __init__(self, directed: bool = True, duplicates: str = "overwrite") -> None:
        self.directed = directed
        self.duplicates = duplicates
        self.edges: dict[tuple[Any, Any], list[tuple[Any, ...]]] = {}
        self.vertices: dict[Any, tuple[float, int]] = {}

    def apply(
        self,
        insert: Any = (),
        delete: Any = (),
        vertices: Any = (),
        delete_vertices: Any = (),
    ) -> None:
        for v, *said in vertices:
            if v not in self.vertices or self.duplicates == "overwrite":
                self.vertices[v] = (*said,) if said else self.vertices.get(v, (1.0, 0))
        for edge in delete:
            for ends in self._both(*edge):
                self.edges.pop(ends, None)
        for u, v, *its in insert:
            self.vertices.setdefault(u, (1.0, 0))
            self.vertices.setdefault(v, (1.0, 0))
            for ends in self._both(u, v):
                there = self.edges.setdefault(ends, [])
                if not there or self.duplicates == "keep":
                    there.append((*its, *PLAIN[len(its) :]))
                elif self.duplicates == "overwrite":
                    there[:] = [(*its, *PLAIN[len(its) :])]
        for gone in delete_vertices:
            self.vertices.pop(gone, None)
            self.edges = {ends: its for ends, its in self.edges.items() if gone not in ends}

    def _both(self, u: Any, v: Any) -> list[tuple[Any, Any]]:
        return [(u, v)] if self.directed or u == v else [(u, v), (v, u)]

    def rows(self) -> list[tuple[Any, ...]]:
        return sorted((*ends, *its) for ends, several in self.edges.items() for its in several)

    def kept(self, keeps: Any) -> fg.Graph:
        """The graph of the edges that a filter keeps."""
        some = [row for row in self.rows() if keeps(row)]
        labels = sorted(self.vertices)
        kind: Any = object if labels and isinstance(labels[0], str) else np.int64
        return fg.from_edges(
            source=np.array([row[0] for row in some], dtype=kind),
            target=np.array([row[1] for row in some], dtype=kind),
            weight=np.array([row[2] for row in some], dtype=np.float64),
            vertices=np.array(labels, dtype=kind),
            duplicates="keep",
        )


def field_rows(dyn: fg.DynamicGraph) -> list[tuple[Any, ...]]:
    """Edges with all that they have, by the lists of their sources."""
    found = []
    for u in dyn:
        near = dyn.neighbors(u)
        assert near.weights is not None and near.fields is not None
        columns = [list(near.labels), near.weights.tolist(), *(f.tolist() for f in near.fields)]
        found += [(u, *row) for row in zip(*columns, strict=True)]
    return sorted(found)


def check_fields(dyn: fg.DynamicGraph, model: FieldModel) -> None:
    assert field_rows(dyn) == model.rows()
    labels = sorted(model.vertices)
    assert list(dyn) == labels
    said = dyn.vertex_fields(labels)
    assert list(zip(*(f.tolist() for f in said), strict=True)) == [
        model.vertices[v] for v in labels
    ]
    pairs = [(u, v) for u in labels[:15] for v in labels[:15]]
    fields = zip(*(f.tolist() for f in dyn.fields(pairs)), strict=True) if pairs else ()
    for ends, its in zip(pairs, fields, strict=True):
        assert its in [one[1:] for one in model.edges.get(ends, [PLAIN])]


def random_field_batch(rng: random.Random, names: list[Any], size: int) -> dict[str, Any]:
    def number(most: int) -> int:
        return rng.choice([0, most, rng.randrange(most + 1)])

    def edge() -> tuple[Any, Any]:
        return rng.choice(names), rng.choice(names)

    def said() -> tuple[float, int]:
        return rng.randrange(1, 100) / 4, number(2**32 - 1)

    return {
        "insert": [
            (*edge(), *said(), number(2**64 - 1), number(2**64 - 1))
            for _ in range(rng.randrange(size))
        ],
        "delete": [edge() for _ in range(rng.randrange(size))],
        "vertices": [(rng.choice(names), *said()) for _ in range(rng.randrange(6))],
        "delete_vertices": [rng.choice(names) for _ in range(rng.randrange(3))],
    }
