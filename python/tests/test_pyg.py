"""Loaders for PyTorch Geometric."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import fathom as fg

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric.data import Data  # noqa: E402

import fathom.pyg  # noqa: E402


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> fg.Graph:
    path = tmp_path_factory.mktemp("pyg") / "graph.fg"
    return fg.generate("rmat", path, scale=10, directed=True, simple=True, weights="1:9")


def loader(graph: fg.Graph, **options: Any) -> Any:
    x = torch.arange(graph.vertices, dtype=torch.float32).reshape(-1, 1)
    settings: dict[str, Any] = {"batch_size": 64, "seed": 5, **options}
    return fg.pyg.NeighborLoader(graph, x, settings.pop("fan_out", [5, 3]), **settings)


def edges_of(graph: fg.Graph) -> set[tuple[int, int]]:
    return {
        pair
        for source, target, _ in fg.sweep(graph)
        for pair in zip(source.tolist(), target.tolist(), strict=True)
    }


def test_batches_are_samples_of_the_graph(graph: fg.Graph) -> None:
    there = edges_of(graph)
    seen = []
    for batch in loader(graph):
        seen += batch.n_id[: batch.batch_size].tolist()
        assert torch.equal(batch.x[:, 0].long(), batch.n_id)
        row, col = batch.n_id[batch.edge_index]
        assert set(zip(row.tolist(), col.tolist(), strict=True)) <= there
        assert sum(batch.num_sampled_nodes) == len(batch.n_id)
        assert sum(batch.num_sampled_edges) == batch.edge_index.shape[1] == len(batch.e_id)
        first = batch.edge_index[1, : batch.num_sampled_edges[0]]
        assert torch.bincount(first).max() <= 5
    assert seen == list(range(graph.vertices))


def test_edges_are_called_by_their_place_in_a_sweep(graph: fg.Graph) -> None:
    owner = np.concatenate([page.source for page in fg.sweep(graph, mode="in")])
    other = np.concatenate([page.target for page in fg.sweep(graph, mode="in")])
    batch = next(iter(loader(graph)))
    row, col = batch.n_id[batch.edge_index].numpy()
    assert np.array_equal(owner[batch.e_id], col)
    assert np.array_equal(other[batch.e_id], row)


def same(a: Any, b: Any) -> bool:
    return all(
        torch.equal(x.n_id, y.n_id) and torch.equal(x.edge_index, y.edge_index)
        for x, y in zip(a, b, strict=True)
    )


@pytest.mark.parametrize(
    "options",
    [
        {"residency": "stream", "memory": "8MiB", "page_size": "64KiB"},
        {"devices": 2, "memory": "8MiB", "page_size": "64KiB"},
        {"threads": 1},
        {"num_workers": 2},
        {"num_workers": 1, "multiprocessing_context": "spawn"},
    ],
    ids=["streamed", "devices", "thread", "forked", "spawned"],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_same_everywhere(graph: fg.Graph, options: dict[str, Any]) -> None:
    few = {"input_nodes": torch.arange(0, 512)}
    assert same(loader(graph, **few), loader(graph, **few, **options))


@pytest.mark.gpu
@pytest.mark.parametrize("residency", ["resident", "zerocopy", "stream"])
def test_the_same_on_a_gpu(graph: fg.Graph, residency: str) -> None:
    few = {"input_nodes": torch.arange(0, 512)}
    there = loader(graph, **few, device="cuda", residency=residency, memory="64MiB")
    assert same(loader(graph, **few), there)


def test_epochs_differ_and_are_reproducible(graph: fg.Graph) -> None:
    first, again = loader(graph), loader(graph)
    one, two = list(first), list(first)
    assert not same(one, two)
    assert same(one, again)
    assert same(two, again)
    assert not same(one, loader(graph, seed=6))


def test_all_neighbours(graph: fg.Graph) -> None:
    degrees = fg.degrees(graph).columns["in_degree"]
    batch = next(iter(loader(graph, fan_out=[-1])))
    assert batch.num_sampled_edges == [int(degrees[:64].sum())]


def test_weights(graph: fg.Graph) -> None:
    batch = next(iter(loader(graph, fan_out=[2000], weighted=True, replace=True)))
    weight = np.concatenate([page.weight for page in fg.sweep(graph, mode="in")]).astype(float)
    owner = np.concatenate([page.source for page in fg.sweep(graph, mode="in")])
    # By weight, the mean weight of what is drawn of a list is that of squares over that of weights.
    seeds = np.unique(owner[owner < 64])
    means = [(weight[owner == v] ** 2).sum() / weight[owner == v].sum() for v in seeds]
    assert weight[batch.e_id].mean() == pytest.approx(np.mean(means), rel=0.02)


def test_no_later_edges(graph: fg.Graph) -> None:
    times = np.random.default_rng(1).integers(0, 100, graph.edges)
    for strategy in ("uniform", "last"):
        batches = loader(
            graph,
            edge_time=times,
            temporal_strategy=strategy,
            input_nodes=torch.arange(128),
            input_time=torch.full((128,), 50),
        )
        for batch in batches:
            assert len(batch.e_id) > 0
            assert times[batch.e_id].max() <= 50
            assert torch.equal(batch.batch[: batch.batch_size], torch.arange(batch.batch_size))


def test_features_of_edges(graph: fg.Graph) -> None:
    weight = torch.from_numpy(np.concatenate([p.weight for p in fg.sweep(graph, mode="in")]))
    data = Data(y=torch.zeros(graph.vertices), edge_attr=weight, num_nodes=graph.vertices)
    batch = next(iter(fg.pyg.NeighborLoader(graph, data, [4], batch_size=32)))
    assert torch.equal(batch.edge_attr, weight[batch.e_id])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fan_out": [-2]}, "fan"),
        ({"direction": "up"}, "direction"),
        ({"edge_time": [1, 2]}, "time"),
        ({"residency": "moon"}, "moon"),
        ({"temporal_strategy": "first"}, "temporal"),
    ],
)
def test_what_makes_no_sense_is_refused(
    graph: fg.Graph, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(fg.UsageError, match=message):
        loader(graph, **options)


def test_features_of_another_graph_are_refused(graph: fg.Graph) -> None:
    with pytest.raises(fg.UsageError, match="7 rows"):
        fg.pyg.NeighborLoader(graph, torch.zeros(7, 2), [3])
    with pytest.raises(fg.UsageError, match="edge_index"):
        data = Data(edge_index=torch.zeros((2, 0), dtype=torch.long))
        fg.pyg.NeighborLoader(graph, data, [3])
    batches = iter(loader(graph, input_nodes=torch.tensor([graph.vertices])))
    with pytest.raises((fg.UsageError, IndexError)):
        next(batches)


def test_graphs_travel_by_their_path(graph: fg.Graph) -> None:
    assert pickle.loads(pickle.dumps(graph)).fingerprint == graph.fingerprint
    with pytest.raises(TypeError, match="in memory"):
        pickle.dumps(fg.from_edges(np.array([[0, 1]])))
