"""Types and timestamps of edges, weights and types of vertices, against a model in plain Python."""

from __future__ import annotations

import pathlib
import random
from typing import Any

import numpy as np
import pytest
from dynamic_checks import (
    PLAIN,
    FieldModel,
    check_fields,
    field_rows,
    random_field_batch,
)

import fathom as fg
import fathom.cuda

FIELDS = ("weight", "type", "t1", "t2")


LAYOUTS: list[dict[str, Any]] = [
    {},
    {"layout": "faim", "edges_as": "soa"},
    {"layout": "aim", "page_bytes": 64},
]


@pytest.mark.parametrize("duplicates", ["overwrite", "ignore", "keep"])
@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_random_batches_are_those_of_a_dict(
    directed: bool, strings: bool, duplicates: Any, tmp_path: pathlib.Path
) -> None:
    for seed, layout in enumerate(LAYOUTS):
        rng = random.Random(seed)
        numbers = [rng.randrange(1 << 40) for _ in range(15)] + list(range(5))
        names: list[Any] = [f"v{i}" for i in numbers] if strings else numbers
        dyn = fg.DynamicGraph(
            directed=directed, semantic=True, strings=strings, duplicates=duplicates, **layout
        )
        assert dyn.semantic and dyn.weighted
        model = FieldModel(directed, duplicates)
        for _ in range(10):
            batch = random_field_batch(rng, names, 50)
            dyn.apply(**batch)
            model.apply(**batch)
            check_fields(dyn, model)
        saved = dyn.save(tmp_path / f"{seed}.fg")
        assert saved.semantic
        check_fields(fg.DynamicGraph(saved, duplicates=duplicates), model)


def test_large_batches_are_read_in_pieces() -> None:
    """More than one thread, and one piece, reads them."""
    n = 100_000
    rng = np.random.default_rng(1)
    edges = rng.permutation(n * 4)[:n]
    columns = (
        edges // 1000,
        edges % 1000 + 10_000,
        rng.random(n, dtype=np.float32),
        rng.integers(0, 2**32, n, dtype=np.uint32),
        rng.integers(0, 2**64, n, dtype=np.uint64),
        rng.integers(0, 2**63, n, dtype=np.int64),
    )
    dyn = fg.DynamicGraph(semantic=True)
    said = dyn.apply(insert=columns)
    assert (said.inserted, said.overwritten) == (n, 0)
    fields = dyn.fields(columns[:2])
    assert [f.dtype for f in fields] == [np.uint32, np.uint64, np.uint64]
    for found, given in zip(fields, columns[3:], strict=True):
        assert np.array_equal(found, given.astype(found.dtype))
    assert np.array_equal(dyn.weights(columns[:2]), columns[2])


def test_says_what_became_of_a_batch() -> None:
    dyn = fg.DynamicGraph(semantic=True)
    said = dyn.apply(
        insert=[(1, 2, 0.5, 7, 10, 20), (1, 2, 0.1, 8, 11, 21)], vertices=[(9, 0.1, 3)]
    )
    assert (said.inserted, said.superseded, said.new_vertices) == (1, 1, 3)
    assert (said.rounded_weights, said.without_effect) == (2, 0)
    assert dyn.apply(vertices=[(9, 2.0, 4), (1, 1.0, 1)]).without_effect == 0
    assert dyn.vertex_fields(9) == fg.VertexFields(2.0, 4)
    kept = fg.DynamicGraph(duplicates="ignore")  # vertices of any graph have them
    said = kept.apply(vertices=[(5, 2.0, 6), (5, 9.0, 9)])
    assert (said.new_vertices, said.without_effect) == (1, 1)
    assert kept.apply(vertices=[(5, 9.0, 9), (6, 1.0, 1)]).without_effect == 1
    assert kept.vertex_fields([5, 6]).type.tolist() == [6, 1]


def test_what_comes_without_fields_has_none() -> None:
    dyn = fg.DynamicGraph(semantic=True, directed=False)
    dyn.apply(insert=[(1, 2)])
    dyn.apply(insert=[(2, 3, 4.0)], vertices=[8])
    dyn.apply(insert=([5], [6], None, [7], None, [9]), vertices=([8, 10], None, [3, 4]))
    assert field_rows(dyn) == sorted(
        [
            (u, v, *its)
            for u, v, *its in [(1, 2, *PLAIN), (2, 3, 4.0, 0, 0, 0), (5, 6, 1.0, 7, 0, 9)]
        ]
        + [(2, 1, *PLAIN), (3, 2, 4.0, 0, 0, 0), (6, 5, 1.0, 7, 0, 9)]
    )
    assert dyn.vertex_fields([8, 10, 1]).type.tolist() == [3, 4, 0]
    assert dyn.vertex_fields([8, 10, 1]).weight.tolist() == [1, 1, 1]
    # No edge there, and no vertex.
    assert [f.tolist() for f in dyn.fields([(1, 3), (1, 77), (5, 6)])] == [
        [0, 0, 7],
        [0, 0, 0],
        [0, 0, 9],
    ]
    assert [len(f) for f in dyn.fields([])] == [0, 0, 0]
    dyn.apply(insert=[(1, 2, 3.0, 1, 1, 1)], delete=[(5, 6)])
    dyn.apply(insert=[(1, 2)])  # overwrites all
    assert field_rows(dyn)[:2] == [(1, 2, *PLAIN), (2, 1, *PLAIN)]
    assert not dyn.has_edge(6, 5)


COLUMNS: dict[str, Any] = {
    "source": np.array([0, 1, 5]),
    "target": np.array([1, 5, 5], dtype=np.uint16),
    "weight": np.array([0.5, 2, 3], dtype=np.float32),
    "type": np.array([4, 0, 2**32 - 1]),
    "t1": np.array([100, 7, 2**64 - 1], dtype=np.uint64),
    "t2": np.array([0, 8, 3], dtype=np.int32),
}
ROWS = list(zip(*(values.tolist() for values in COLUMNS.values()), strict=True))


def table(kind: str, columns: dict[str, Any]) -> Any:
    if kind == "pyarrow":
        return pytest.importorskip("pyarrow").table(columns)
    return pytest.importorskip(kind).DataFrame(columns)


@pytest.mark.parametrize("kind", ["arrays", "strided", "lists", "rows", "generator", "tables"])
def test_takes_fields_of_many_kinds(kind: str) -> None:
    forms: dict[str, list[Any]] = {
        "arrays": [tuple(COLUMNS.values())],
        "strided": [tuple(np.repeat(values, 3)[::3] for values in COLUMNS.values())],
        "lists": [tuple(values.tolist() for values in COLUMNS.values())],
        "rows": [ROWS, [list(row) for row in ROWS]],
        "generator": [iter(ROWS)],
        "tables": [table(its, COLUMNS) for its in ("pyarrow", "polars", "pandas")],
    }
    for form in forms[kind]:
        dyn = fg.DynamicGraph(semantic=True)
        dyn.apply(insert=form)
        assert field_rows(dyn) == ROWS


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "pandas"])
def test_columns_that_a_table_lacks_are_as_nothing_said(kind: str) -> None:
    for lacking in FIELDS:
        dyn = fg.DynamicGraph(semantic=True)
        some = {name: values for name, values in COLUMNS.items() if name != lacking}
        dyn.apply(insert=table(kind, some), delete=table(kind, COLUMNS))
        at = 2 + FIELDS.index(lacking)
        assert field_rows(dyn) == [(*row[:at], PLAIN[at - 2], *row[at + 1 :]) for row in ROWS]
    # Those that the graph has no use for are not looked at, as weights are not.
    plain = fg.DynamicGraph()
    plain.apply(insert=table(kind, COLUMNS))
    assert plain.edges == 3 and plain.neighbors(0).fields is None
    assert plain.fields([(0, 1)]).type.tolist() == [0]


def test_takes_vertices_of_many_kinds() -> None:
    labels, weights, types = ["b", "ä", "c"], [2.5, 1.0, 3.0], [7, 0, 2**32 - 1]
    columns = {"vertex": labels, "weight": weights, "type": types}
    forms: list[Any] = [
        (labels, weights, types),
        (np.array(labels, dtype=object), np.array(weights), np.array(types, dtype=np.uint32)),
        list(zip(labels, weights, types, strict=True)),
        *(table(kind, columns) for kind in ("pyarrow", "polars", "pandas")),
    ]
    for form in forms:
        dyn = fg.DynamicGraph(strings=True)
        assert dyn.apply(vertices=form).new_vertices == 3
        said = dyn.vertex_fields(labels)
        assert (said.weight.tolist(), said.type.tolist()) == (weights, types)
        assert (said.weight.dtype, said.type.dtype) == (np.float32, np.uint32)
    labels_alone: list[Any] = [
        labels,
        tuple(labels),
        iter(labels),
        table("polars", {"vertex": labels}),
        pytest.importorskip("polars").Series(labels),
    ]
    for form in labels_alone:
        dyn = fg.DynamicGraph(strings=True)
        assert dyn.apply(vertices=form).new_vertices == 3
        assert dyn.vertex_fields("b") == (1.0, 0)
    with pytest.raises(fg.UsageError, match=r"labels\[1\]: the graph has no vertex 'x'"):
        dyn.vertex_fields(["b", "x"])


EDGE = (8, 9, 1.0, 2, 3, 4)


def with_(at: int, value: Any) -> list[tuple[Any, ...]]:
    return [EDGE, (*EDGE[:at], value, *EDGE[at + 1 :])]


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"insert": with_(3, 2**32)}, fg.BadInputError, r"insert\.type\[1\].* 0 to 4294967295.*96"),
    ({"insert": with_(3, -2)}, fg.BadInputError, r"insert\.type\[1\].*-2"),
    ({"insert": with_(4, -1)}, fg.BadInputError, r"insert\.t1\[1\].*-1"),
    ({"insert": with_(5, 2**64)}, fg.BadInputError, r"insert\.t2\[1\]: .* 2\^64 - 1, found 1844"),
    (
        {"insert": with_(5, 10**5000)},
        fg.BadInputError,
        r"insert\.t2\[1\]: .*found one of 16610 bits",
    ),
    ({"insert": with_(3, 1.5)}, fg.UsageError, r"insert\.type: expected integers, found.*float64"),
    ({"insert": with_(3, float("nan"))}, fg.UsageError, r"insert\.type: expected integers"),
    ({"insert": with_(4, "x")}, fg.UsageError, r"insert\.t1: expected integers"),
    ({"insert": with_(2, float("nan"))}, fg.BadInputError, r"insert\.weight\[1\].*nan"),
    ({"insert": ([8, 9], [9, 8], None, [1], None, None)}, fg.UsageError, r"insert\.type has 1$"),
    ({"insert": ([8], [9], None, None, None, [1, 2])}, fg.UsageError, r"insert\.t2 has 2$"),
    ({"insert": [EDGE[:5]]}, fg.UsageError, r"insert\[0\]: expected a pair .*six values"),
    ({"insert": [EDGE, EDGE[:2]]}, fg.UsageError, r"insert\[1\]"),
    (
        {"insert": ([8], [9], None, np.array(["2024"], dtype="datetime64[s]"), None, None)},
        fg.UsageError,
        r"insert\.type: expected integers, found an array of datetime64",
    ),
    ({"delete": [(0, 1, 1.0, 1, 2, 3)]}, fg.UsageError, "delete: expected no types and timesta"),
    ({"insert": [EDGE], "vertices": [(7, 1.0)]}, fg.UsageError, r"vertices\[0\].* triple"),
    ({"insert": [EDGE], "vertices": [(7, 1.0, 2**32)]}, fg.BadInputError, r"vertices\.type\[0\]"),
    (
        {"insert": [EDGE], "vertices": ([7, 8], [1.0, float("inf")], None)},
        fg.BadInputError,
        r"vertices\.weight\[1\].*inf",
    ),
    (
        {"vertices": ([7, 8], [1.0], None)},
        fg.UsageError,
        r"vertices has 2 .*vertices\.weight has 1",
    ),
    ({"vertices": ([7, 8], None, [0.5, 1])}, fg.UsageError, r"vertices\.type: expected integers"),
]


@pytest.mark.parametrize(("batch", "error", "words"), REFUSED)
def test_a_refused_batch_leaves_no_trace(
    batch: dict[str, Any], error: type[Exception], words: str
) -> None:
    dyn = fg.DynamicGraph(semantic=True)
    dyn.apply(insert=[(0, 1, 2.0, 3, 4, 5)], vertices=[(1, 2.0, 3)])
    before = (dyn.batches, field_rows(dyn), list(dyn), dyn.memory)
    with pytest.raises(error, match=words):
        dyn.apply(**batch)
    assert (dyn.batches, field_rows(dyn), list(dyn), dyn.memory) == before
    assert dyn.vertex_fields(1) == (2.0, 3)
    assert dyn.apply(insert=[EDGE]).new_vertices == 2


def test_nulls_of_tables_are_refused_by_name() -> None:
    dyn = fg.DynamicGraph(semantic=True)
    edges = table("polars", {"source": [1, 2], "target": [2, 3], "t1": [5, None]})
    with pytest.raises(fg.BadInputError, match=r"insert\.t1\[1\].*null"):
        dyn.apply(insert=edges)
    assert len(dyn) == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_fields_are_refused_where_there_are_none(weighted: bool) -> None:
    dyn = fg.DynamicGraph(weighted=weighted)
    no = "insert: expected no types and timestamps, as this graph has none"
    for insert in (
        [(0, 1, 1.0, 2, 3, 4)],
        (np.array([0]), np.array([1]), None, np.array([2]), None, None),
        ([0], [1], None, np.array([2]), None, None),
    ):
        with pytest.raises(fg.UsageError, match=no):
            dyn.apply(insert=insert)
    assert len(dyn) == 0
    # Six edges in a tuple, as before.
    assert dyn.apply(insert=tuple((i, i + 1) for i in range(6))).inserted == 6
    with pytest.raises(fg.UsageError, match="weighted=False, but edges with types"):
        fg.DynamicGraph(weighted=False, semantic=True)


@pytest.mark.gpu
@pytest.mark.parametrize("duplicates", ["overwrite", "ignore", "keep"])
def test_a_graph_in_a_gpu_is_like_one_on_the_host(duplicates: Any, tmp_path: pathlib.Path) -> None:
    rng = random.Random(3)
    dyn = fg.DynamicGraph(semantic=True, duplicates=duplicates, device="cuda", memory="1GiB")
    model = FieldModel(duplicates=duplicates)
    for _ in range(8):
        batch = random_field_batch(rng, list(range(30)), 60)
        dyn.apply(**batch)
        model.apply(**batch)
        check_fields(dyn, model)
    check_fields(fg.DynamicGraph(dyn.save(tmp_path / "gpu.fg"), duplicates=duplicates), model)
    middle = 2**63
    some = model.kept(lambda e: e[4] < middle)
    assert fg.cc(dyn, until=middle).to_dict() == fg.cc(some).to_dict()


@pytest.mark.gpu
def test_columns_in_a_gpu_may_have_fields() -> None:
    dyn = fg.DynamicGraph(semantic=True, device="cuda")
    source, target = fathom.cuda.array([1, 2]), fathom.cuda.array([2, 3])
    dyn.apply(insert=(source, target))
    assert field_rows(dyn) == [(1, 2, *PLAIN), (2, 3, *PLAIN)]
    dyn.apply(insert=(source, target, None, fathom.cuda.array([4, 5]), [6, 7], None))
    assert field_rows(dyn) == [(1, 2, 1.0, 4, 6, 0), (2, 3, 1.0, 5, 7, 0)]
    assert dyn.fields((source, target)).t1.tolist() == [6, 7]
    dyn.apply(vertices=(source, None, fathom.cuda.array([8, 9])))
    assert dyn.vertex_fields(source).type.tolist() == [8, 9]
    with pytest.raises(fg.BadInputError, match=r"insert\.type\[1\].*-5"):
        dyn.apply(insert=(source, target, None, fathom.cuda.array([4, -5]), None, None))
