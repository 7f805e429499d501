"""Graphs that change on a GPU, and arrays in its memory."""

from __future__ import annotations

import gc
import random
from typing import Any

import numpy as np
import pytest
from dynamic_checks import Model, check, edges_of, random_batch

import fathom as fg
import fathom.cuda


class DlpackOnly:
    """Another library's array on a GPU, without the other protocol."""

    def __init__(self, array: fathom.cuda.Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def foreign(values: Any, protocol: str) -> Any:
    array = fathom.cuda.array(values)
    return DlpackOnly(array) if protocol == "dlpack" else array


class OnPaper:
    """An array that says it is in the memory of a GPU."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (values.ctypes.data, False),
            "version": 3,
        }


def test_arrays_on_a_gpu_are_refused_where_the_graph_is_not() -> None:
    dyn = fg.DynamicGraph()
    dyn.apply(insert=[(0, 1)])
    ids = OnPaper(np.array([0, 1]))
    for call in (
        lambda: dyn.apply(insert=(ids, ids)),
        lambda: dyn.apply(delete=OnPaper(np.zeros((3, 2), dtype=np.int32))),
        lambda: dyn.apply(vertices=ids),
        lambda: dyn.has_edges((ids, ids)),
        lambda: dyn.degree(ids),
    ):
        with pytest.raises(
            fg.UsageError, match="memory of a GPU, and the graph in that of the host"
        ):
            call()
    with pytest.raises(fg.UsageError, match=r"expected an array \[edges, 2\], found \[3, 3\]"):
        dyn.apply(insert=OnPaper(np.zeros((3, 3))))
    with pytest.raises(fg.UsageError, match="'<i2'"):
        dyn.apply(insert=(OnPaper(np.zeros(3, np.int16)), OnPaper(np.zeros(3, np.int16))))
    assert dyn.batches == 1


@pytest.mark.gpu
def test_an_array_goes_to_a_gpu_and_back() -> None:
    for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, np.bool_):
        values = np.arange(12).reshape(3, 4).astype(dtype)
        array = fathom.cuda.array(values)
        assert (array.shape, array.dtype, array.device) == ((3, 4), np.dtype(dtype), 0)
        assert array.__dlpack_device__() == (2, 0)
        assert np.array_equal(array.to_numpy(), values)
    assert fathom.cuda.array([]).to_numpy().shape == (0,)
    with pytest.raises(fg.UsageError, match="int16"):
        fathom.cuda.array(np.zeros(3, np.int16))


@pytest.mark.gpu
@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
@pytest.mark.parametrize("spread", [1, 1_000_003])
def test_batches_in_a_gpu_are_those_of_a_dict(spread: int, protocol: str) -> None:
    """By a range of labels and by a table; edges between known vertices, and others."""
    rng = np.random.default_rng(4)
    dyn = fg.DynamicGraph(device="cuda", weighted=True, memory="1GiB")
    model = Model(directed=True)
    follow = dyn.follow("cc")
    for i in range(12):
        most = 60 + 5 * (i % 4)  # some batches bring vertices
        insert = rng.integers(0, most, (200, 2)) * spread + 10
        delete = rng.integers(0, most, (200, 2)) * spread + 10
        weights = rng.integers(1, 100, 200) / 4
        types = (np.int64, np.int32, np.uint64, np.uint32)
        of = [foreign(insert[:, k].astype(types[(i + k) % 4]), protocol) for k in (0, 1)]
        gone = foreign(np.array([int(insert[0, 0])]), protocol) if i % 5 == 4 else None
        said = dyn.apply(
            insert=(*of, foreign(weights.astype((np.float32, np.float64)[i % 2]), protocol)),
            delete=foreign(delete, protocol),
            delete_vertices=gone,
        )
        batch = {
            "insert": [(int(u), int(v), w) for (u, v), w in zip(insert, weights, strict=True)],
            "delete": [(int(u), int(v)) for u, v in delete],
            "delete_vertices": [] if gone is None else [int(insert[0, 0])],
        }
        model.apply(**batch)  # type: ignore[arg-type]
        assert said.number == i + 1
        check(dyn, model)
        assert follow.result.to_dict() == fg.cc(dyn).to_dict()


@pytest.mark.gpu
@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
def test_questions_in_a_gpu_are_answered_there(protocol: str) -> None:
    dyn = fg.DynamicGraph(device="cuda", weighted=True)
    dyn.apply(insert=[(3, 900, 0.5), (900, 3, 2.0), (3, 3, 1.5)])
    pairs = np.array([[3, 900], [900, 3], [900, 900], [3, 77], [77, 78]])
    there = dyn.has_edges(foreign(pairs, protocol))
    assert isinstance(there, fathom.cuda.Array) and there.dtype == np.bool_
    assert there.to_numpy().tolist() == dyn.has_edges(pairs).tolist() == [1, 1, 0, 0, 0]
    weights = dyn.weights((foreign(pairs[:, 0], protocol), foreign(pairs[:, 1], protocol)))
    assert np.array_equal(weights.to_numpy(), dyn.weights(pairs), equal_nan=True)
    degrees = dyn.degree(foreign(np.array([900, 3, 3]), protocol))
    assert degrees.to_numpy().tolist() == [1, 2, 2]
    with pytest.raises(fg.UsageError, match=r"labels\[1\]: the graph has no vertex 5"):
        dyn.degree(foreign(np.array([3, 5]), protocol))
    with pytest.raises(fg.BadInputError, match=r"edges\.target\[1\].*-5"):
        dyn.has_edges(foreign(np.array([[3, 3], [3, -5]]), protocol))
    assert dyn.has_edges(foreign(np.zeros((0, 2), np.int64), protocol)).to_numpy().tolist() == []
    empty = fg.DynamicGraph(device="cuda")
    assert empty.has_edges(foreign(pairs, protocol)).to_numpy().tolist() == [False] * 5
    kept = dyn.has_edges(foreign(pairs, protocol))
    del dyn, there
    gc.collect()
    assert kept.to_numpy().tolist() == [1, 1, 0, 0, 0]
    # Answers are arrays on a GPU themselves.
    assert empty.apply(vertices=degrees).new_vertices == 2


@pytest.mark.gpu
def test_refused_batches_in_a_gpu_leave_no_trace() -> None:
    dyn = fg.DynamicGraph(device="cuda", weighted=True)
    dyn.apply(insert=[(0, 1, 2.0), (5, 0, 3.0)])
    before = (dyn.batches, edges_of(dyn.snapshot()), list(dyn))
    ids, others = fathom.cuda.array([0, 1]), fathom.cuda.array([5, -1])
    with pytest.raises(fg.BadInputError, match=r"insert\.target\[1\].*-1"):
        dyn.apply(insert=(ids, others))
    with pytest.raises(fg.BadInputError, match=r"insert\.weight\[1\].*nan"):
        dyn.apply(insert=(ids, ids, fathom.cuda.array([1.0, np.nan])))
    with pytest.raises(fg.UsageError, match=r"insert\.source.*floating"):
        dyn.apply(insert=(fathom.cuda.array([1.0, 2.0]), ids))
    with pytest.raises(fg.UsageError, match=r"insert\.source has 2"):
        dyn.apply(insert=(ids, fathom.cuda.array([1])))
    assert (dyn.batches, edges_of(dyn.snapshot()), list(dyn)) == before
    strings = fg.DynamicGraph(device="cuda", strings=True)
    with pytest.raises(fg.UsageError, match="expected strings"):
        strings.apply(insert=(ids, ids))
    assert dyn.apply(insert=(ids, ids, fathom.cuda.array([0.1, 0.5]))).rounded_weights == 1


@pytest.mark.gpu
def test_a_graph_in_a_gpu_is_like_one_on_the_host() -> None:
    rng = random.Random(8)
    names = [rng.randrange(1 << 40) for _ in range(30)]
    kinds: list[dict[str, Any]] = [{}, {"layout": "faim"}, {"layout": "aim"}, {"allocator": "vl-p"}]
    for options in kinds:
        with fg.device("cuda", memory="2GiB"):
            dyn = fg.DynamicGraph(weighted=True, **options)
        model = Model(directed=True)
        depth = dyn.follow("bfs", source=names[0])
        snapshots = []
        for _ in range(6):
            batch = random_batch(rng, names, True, 40)
            dyn.apply(**batch)
            model.apply(**batch)
            check(dyn, model)
            snapshots.append((dyn.snapshot(), model.edges()))
            if names[0] in dyn:
                assert np.array_equal(depth.values, fg.bfs(dyn, names[0]).values)
        for snapshot, edges in snapshots:
            assert edges_of(snapshot) == edges
        same = model.graph(weighted=True)
        found = fg.pagerank(dyn, tol=1e-9, max_iter=1000)
        assert found.values == pytest.approx(
            fg.pagerank(same, tol=1e-9, max_iter=1000).values, 1e-6
        )
        found.verify()


@pytest.mark.gpu
def test_algorithms_run_where_a_snapshot_in_a_gpu_is() -> None:
    dyn = fg.DynamicGraph(device="cuda")
    dyn.apply(insert=np.random.default_rng(3).integers(0, 300, (4000, 2)), vertices=range(300))
    snapshot = dyn.snapshot()
    dyn.apply(delete_vertices=range(100))
    ranks = fg.pagerank(snapshot)
    assert snapshot.copied_bytes == 0
    assert ranks.report["device"]["kind"] == "cuda"
    ranks.verify()
    there = fg.cc(snapshot).to_dict()
    with fg.device("cpu"):
        assert fg.cc(snapshot).to_dict() == there
    assert snapshot.copied_bytes > 0


@pytest.mark.gpu
def test_arrays_of_pytorch_and_for_it() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch was built without CUDA")
    dyn = fg.DynamicGraph(device="cuda")
    pairs = torch.tensor([[3, 9], [9, 4], [4, 3]], device="cuda")
    assert dyn.apply(insert=pairs).inserted == 3
    there = torch.from_dlpack(dyn.has_edges(pairs[:, [1, 0]].contiguous()))
    assert there.is_cuda and there.cpu().tolist() == [False, False, False]
    assert torch.from_dlpack(dyn.has_edges(pairs)).all()
    degrees = torch.from_dlpack(dyn.degree(pairs[:, 0]))
    del dyn
    assert degrees.cpu().tolist() == [1, 1, 1]
