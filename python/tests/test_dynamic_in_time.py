"""Graphs that change whose edges have types and timestamps: files, tables, filters, results."""

from __future__ import annotations

import pathlib
import random
import subprocess
import sys
from typing import Any

import pytest
from dynamic_checks import (
    PLAIN,
    FieldModel,
    check_fields,
    field_rows,
    random_field_batch,
)

import fathom as fg

READ_FG = pathlib.Path(__file__).parents[2] / "tests" / "store_format" / "read_fg.py"
FIELDS = ("weight", "type", "t1", "t2")


@pytest.fixture
def timed(tmp_path: pathlib.Path) -> tuple[fg.Graph, FieldModel]:
    """A graph in time, in a file, by the command."""
    rng = random.Random(2)
    model = FieldModel()
    model.apply(
        insert=[
            (
                f"v{rng.randrange(50)}",
                f"v{rng.randrange(50)}",
                rng.randrange(1, 9) / 2,
                kind,
                t,
                end,
            )
            for kind, t, end in (
                (rng.randrange(4), rng.randrange(100), rng.choice([0, 100 + rng.randrange(100)]))
                for _ in range(600)
            )
        ],
        vertices=[("v0", 2.5, 7), ("alone", 1.0, 4)],
    )
    lines = [f"+ {u} {v} {w} {k} {t1} {t2}\n" for u, v, w, k, t1, t2 in model.rows()]
    lines += [f"+v {v} {w} {kind}\n" for v, (w, kind) in model.vertices.items()]
    (tmp_path / "edges.txt").write_text("".join(lines))
    words = ["stream", "--empty", "--semantic", "--updates", str(tmp_path / "edges.txt"), "-q"]
    fg.command([*words, "-o", str(tmp_path / "timed.fg")])
    return fg.read(tmp_path / "timed.fg"), model


def test_starts_from_a_graph_with_its_fields(timed: tuple[fg.Graph, FieldModel]) -> None:
    graph, model = timed
    assert graph.semantic
    dyn = fg.DynamicGraph(graph)
    assert dyn.semantic
    check_fields(dyn, model)
    batch = {"insert": [("v0", "v1", 1.0, 2, 3, 4), ("new", "v0", 1.0, 9, 9, 9)]}
    dyn.apply(**batch)
    model.apply(**batch)
    check_fields(dyn, model)
    check_fields(fg.DynamicGraph(dyn.snapshot(), semantic=True), model)
    with pytest.raises(fg.UsageError, match="semantic=False, but the graph says semantic=True"):
        fg.DynamicGraph(graph, semantic=False)
    assert "semantic" in repr(dyn) and "semantic" in repr(dyn.snapshot())


def test_a_graph_gets_fields_when_asked() -> None:
    graph = fg.from_edges([(0, 1), (1, 2)])
    assert not graph.semantic and not fg.DynamicGraph(graph).semantic
    dyn = fg.DynamicGraph(graph, semantic=True)
    assert dyn.semantic and dyn.weighted
    dyn.apply(insert=[(2, 0, 3.0, 4, 5, 6)])
    assert field_rows(dyn) == [(0, 1, *PLAIN), (1, 2, *PLAIN), (2, 0, 3.0, 4, 5, 6)]
    weighted = fg.from_edges([(0, 1, 2.5)])
    assert field_rows(fg.DynamicGraph(weighted, semantic=True)) == [(0, 1, 2.5, 0, 0, 0)]


def test_a_saved_graph_has_what_another_reader_reads(tmp_path: pathlib.Path) -> None:
    dyn = fg.DynamicGraph(semantic=True, directed=False, duplicates="keep")
    model = FieldModel(directed=False, duplicates="keep")
    rng = random.Random(6)
    for i in range(4):
        batch = random_field_batch(rng, list(range(100, 120)), 60)
        batch["vertices"] += [(v, v / 4, v) for v in range(100, 120) if i == 0]
        dyn.apply(**batch)
        model.apply(**batch)
    saved = dyn.save(tmp_path / "saved.fg").verify()
    assert saved.info()["fields"] == {"edges": True, "vertices": True}
    text = subprocess.run(
        [sys.executable, READ_FG, str(saved.path)], check=True, capture_output=True, text=True
    ).stdout
    lists, fields, said, label = [], {}, {}, {}
    for line in text.splitlines():
        words = line.split()
        if words[0] == "out":
            lists.append((words[1], words[2], float(words[3])))
        elif words[0] == "fields":
            fields[int(words[1])] = tuple(map(int, words[2:]))
        elif words[0] == "vertex":
            said[words[1]] = (float(words[2]), int(words[3]))
        elif words[0] == "label":
            label[words[1]] = int(words[2])
    rows = sorted((label[u], label[v], w, *fields[e]) for e, (u, v, w) in enumerate(lists))
    assert rows == model.rows()
    assert {label[v]: said.get(v, (1.0, 0)) for v in label} == model.vertices


def test_tables_of_edges_have_the_fields(timed: tuple[fg.Graph, FieldModel]) -> None:
    pytest.importorskip("pyarrow")
    graph, model = timed
    dyn = fg.DynamicGraph(graph)
    dyn.apply(delete_vertices=["v3"])
    model.apply(delete_vertices=["v3"])
    for its in (dyn.snapshot(), fg.reorder(dyn.snapshot(), method="degree")):
        found = its.to_arrow()
        assert found.column_names == ["source", "target", *FIELDS]
        rows = sorted(tuple(row.values()) for row in found.to_pylist())
        assert rows == model.rows()
    again = fg.DynamicGraph(semantic=True, strings=True)
    again.apply(insert=dyn.snapshot().to_arrow(), vertices=["alone"])
    assert field_rows(again) == model.rows()
    both = fg.DynamicGraph(semantic=True, directed=False)
    both.apply(insert=[(2, 1, 3.0, 4, 5, 6), (1, 1, 1.0, 7, 8, 9)])
    assert [tuple(row.values()) for row in both.snapshot().to_arrow().to_pylist()] == [
        (1, 1, 1.0, 7, 8, 9),
        (1, 2, 3.0, 4, 5, 6),
    ]
    empty = fg.DynamicGraph(semantic=True).snapshot().to_arrow()
    assert empty.num_rows == 0 and empty.column_names[3:] == ["type", "t1", "t2"]


FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({"since": 20, "until": 60}, lambda e: 20 <= e[4] < 60),
    ({"at": 50}, lambda e: e[4] <= 50 and (e[5] == 0 or e[5] > 50)),
    ({"types": [1, 3]}, lambda e: e[3] in (1, 3)),
    ({"types": "0,2-3", "since": 30}, lambda e: e[3] in (0, 2, 3) and e[4] >= 30),
    ({"since": 7, "until": 7}, lambda e: False),
    ({"since": 0}, lambda e: True),
]


@pytest.mark.parametrize("gaps", [False, True])
def test_algorithms_see_the_edges_that_a_filter_keeps(
    timed: tuple[fg.Graph, FieldModel], gaps: bool
) -> None:
    """On the lists, or on a copy where vertices are missing; snapshots stay as they are."""
    graph, model = timed
    dyn = fg.DynamicGraph(graph)
    gone = ["v7", "v8"] if gaps else []
    dyn.apply(insert=[("v1", "v2", 1.0, 1, 50, 0)], delete_vertices=gone)
    model.apply(insert=[("v1", "v2", 1.0, 1, 50, 0)], delete_vertices=gone)
    snapshot = dyn.snapshot()
    dyn.apply(delete=[(u, v) for u, v, *_ in model.rows()])
    for options, keeps in FILTERS:
        some = model.kept(keeps)
        found = fg.cc(snapshot, **options).verify()
        assert found.to_dict() == fg.cc(some).to_dict()
        assert found.report["graph"]["filter"]["edges"] == some.edges
        depth = fg.bfs(snapshot, "v0", **options)
        assert depth.to_dict() == fg.bfs(some, "v0").to_dict()
        near = fg.sssp(snapshot, "v0", **options).verify()
        assert near.to_dict() == fg.sssp(some, "v0").to_dict()
        ranks = fg.pagerank(snapshot, tol=1e-10, **options).values
        assert ranks == pytest.approx(fg.pagerank(some, tol=1e-10).values, abs=1e-8)
    # What a call has left open is not what the next gets.
    assert fg.degrees(snapshot).values.sum() == 2 * len(model.rows())
    assert (snapshot.copied_bytes > 0) == gaps
    streamed = fg.cc(snapshot, since=20, until=60, residency="stream")
    assert streamed.to_dict() == fg.cc(model.kept(FILTERS[0][1])).to_dict()
    part = fg.subgraph(snapshot, list(snapshot), types=[1, 3])
    assert part.edges == model.kept(FILTERS[2][1]).edges
    assert fg.cc(dyn, since=0).facts["components"] == dyn.vertices  # it has no edges left


def test_filters_that_make_no_sense_are_refused_by_name() -> None:
    plain = fg.DynamicGraph(weighted=True)
    plain.apply(insert=[(0, 1, 1.0)])
    with pytest.raises(fg.UsageError, match="types and timestamps"):
        fg.cc(plain, since=3)
    with pytest.raises(fg.UsageError, match="types and timestamps"):
        fg.cc(plain, types=[1], residency="stream")
    dyn = fg.DynamicGraph(semantic=True)
    dyn.apply(insert=[(0, 1, 1.0, 2, 3, 4)])
    with pytest.raises(fg.UsageError, match="ends before it begins"):
        fg.cc(dyn, since=5, until=3)
    with pytest.raises(fg.UsageError, match="types: none are given"):
        fg.cc(dyn, types=[])
    with pytest.raises(fg.UsageError, match="such as 1,2,7-9: not 'a'"):
        fg.cc(dyn, types="a")


@pytest.mark.parametrize("duplicates", ["overwrite", "ignore"])
def test_results_follow_a_graph_with_fields(duplicates: Any) -> None:
    rng = random.Random(4)
    dyn = fg.DynamicGraph(semantic=True, directed=False, duplicates=duplicates)
    model = FieldModel(directed=False, duplicates=duplicates)
    distance, component = dyn.follow("sssp", source=3), dyn.follow("cc")
    for _ in range(15):
        batch = random_field_batch(rng, list(range(30)), 40)
        dyn.apply(**batch)
        model.apply(**batch)
        check_fields(dyn, model)
        assert component.to_dict() == fg.cc(dyn).to_dict()
        if 3 in dyn:
            assert distance.to_dict() == fg.sssp(dyn, 3).to_dict()
