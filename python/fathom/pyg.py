"""Batches of sampled neighbours for PyTorch Geometric, of a graph in any residency: on disk, in
memory, or beside a GPU. PyTorch sees arrays alone: nothing is compiled against it.

    loader = fathom.pyg.NeighborLoader(g, data, [15, 10], batch_size=1024, shuffle=True)
    for batch in loader:
        model(batch.x, batch.edge_index)

Vertices are rows: row i is the vertex `g.labels[i]`, and features are in that order.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.loader import NodeLoader
from torch_geometric.sampler import BaseSampler, NodeSamplerInput, SamplerOutput

from . import _core, execution
from .errors import UsageError
from .graph import Graph

if TYPE_CHECKING:
    from typing import Unpack

    from .execution import Execution


class NeighborSampler(BaseSampler):  # type: ignore[misc]
    """Draws, hop by hop, some neighbours of each vertex.

    graph:          a fathom.Graph, with in-edges where `direction` is "in".
    num_neighbors:  by hop, how many edges of each vertex at most; -1: all.
    direction:      "in": along in-edges, so that messages flow to the seeds (PyG's convention);
                    "out": along out-edges.
    replace:        an edge may be drawn several times.
    weighted:       edges are drawn in proportion to their weights; without replacement successively
                    (Efraimidis and Spirakis, 2006).
    disjoint:       a tree per seed, told by `batch`.
    edge_time:      int64 [edges], in the order of `fathom.sweep(graph, mode=direction)`: only edges
                    whose time is at most that of the seed are drawn. Implies disjoint; loaders
                    then need input_time.
    temporal_strategy: "uniform", or "last": the latest edges.
    seed:           of the draws; None: torch.initial_seed(). The sample is a function of seed,
                    epoch and the batch's vertices, for any number of workers and any residency.
    execution:      device, memory, residency, threads (`fathom.device`).
    Raises UsageError, DoesNotFitError, BadInputError for weights that are negative or not finite.
    Cost: on the host a read of each drawn edge; elsewhere a sweep over the hop's lists. 24 bytes of
    host memory per drawn edge.
    Source: Hamilton, Ying and Leskovec, NeurIPS 2017 (GraphSAGE).
    """

    def __init__(
        self,
        graph: Graph,
        num_neighbors: Sequence[int],
        *,
        direction: Literal["in", "out"] = "in",
        replace: bool = False,
        weighted: bool = False,
        disjoint: bool = False,
        edge_time: Any = None,
        temporal_strategy: Literal["uniform", "last"] = "uniform",
        seed: int | None = None,
        **execution_options: Unpack[Execution],
    ) -> None:
        if direction not in ("in", "out"):
            raise UsageError(f"direction: expected 'in' or 'out', found {direction!r}")
        if temporal_strategy not in ("uniform", "last"):
            raise UsageError(
                f"temporal_strategy: expected 'uniform' or 'last', found {temporal_strategy!r}"
            )
        # What is drawn names edges by where they are among all.
        execution.refuse_filters(execution_options, "NeighborLoader")
        self.graph = graph
        self.epoch = 0
        self._times = None if edge_time is None else np.ascontiguousarray(edge_time, np.int64)
        self._arguments = (
            execution.words_of(execution_options),
            [int(count) for count in num_neighbors],
            direction == "in",
            replace,
            weighted,
            disjoint or self._times is not None,
            torch.initial_seed() if seed is None else seed,
        )
        self._last = temporal_strategy == "last"
        self._core: Any = None
        self._process = 0
        self.core()  # what is wrong is said here

    def core(self) -> Any:
        """This process's: workers that are forked or spawned have their own."""
        if self._core is None or self._process != os.getpid():
            self._core = _core.make_sampler(
                self.graph._core, *self._arguments, self._times, self._last
            )
            self._process = os.getpid()
        return self._core

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_core": None}

    def sample_from_nodes(self, index: NodeSamplerInput, **_: Any) -> SamplerOutput:
        seeds = np.ascontiguousarray(index.node.cpu().numpy(), np.int64)
        times = None if index.time is None else np.ascontiguousarray(index.time.numpy(), np.int64)
        node, row, col, edge, tree, nodes, edges = self.core().sample(
            seeds, self._batch_number(seeds), times
        )
        return SamplerOutput(
            node=torch.from_numpy(node),
            row=torch.from_numpy(row),
            col=torch.from_numpy(col),
            edge=torch.from_numpy(edge),
            batch=None if tree is None else torch.from_numpy(tree),
            num_sampled_nodes=nodes,
            num_sampled_edges=edges,
            metadata=(index.input_id, index.time),
        )

    def _batch_number(self, seeds: np.ndarray[Any, Any]) -> int:
        digest = hashlib.blake2b(seeds.tobytes(), digest_size=8, salt=_salt(self.epoch))
        return int.from_bytes(digest.digest(), "little")

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> Any:
        raise NotImplementedError("fathom.pyg samples from nodes, not from edges")

    @property
    def edge_permutation(self) -> None:
        """Edges are called by their positions in the lists."""


def _salt(epoch: int) -> bytes:
    return epoch.to_bytes(8, "little")


class NeighborLoader(NodeLoader):  # type: ignore[misc]
    """Batches of seeds with the neighbours that are sampled for them, as Data objects.

    graph:          a fathom.Graph.
    data:           a torch_geometric Data without edge_index: attributes of nodes are
                    [vertices, ...] in rows, of edges [edges, ...] in the order of
                    `fathom.sweep(graph, mode="in")`; or a tensor [vertices, features], which
                    becomes `x`; or None.
    num_neighbors:  by hop, how many edges of each vertex at most; -1: all.
    input_nodes:    rows, or a mask; None: all.
    input_time:     of input_nodes, where there are edge times.
    The rest of the arguments are NeighborSampler's (replace, weighted, disjoint, edge_time, seed,
    device, memory, residency, ...) and torch.utils.data.DataLoader's (batch_size, shuffle,
    num_workers, ...). Batches have x, edge_index, n_id, e_id, batch_size, input_id,
    num_sampled_nodes and num_sampled_edges, as PyG's own.

    An epoch draws anew, but with persistent workers, which do not learn of it unless batches are
    shuffled. With workers on a GPU's graph, use multiprocessing_context="spawn".
    """

    def __init__(
        self,
        graph: Graph,
        data: Data | torch.Tensor | None,
        num_neighbors: Sequence[int],
        *,
        input_nodes: Any = None,
        input_time: Any = None,
        transform: Any = None,
        **options: Any,
    ) -> None:
        own = {name: options.pop(name) for name in list(options) if name in _SAMPLERS}
        features = data if isinstance(data, Data) else Data(x=data)
        if "edge_index" in features:
            raise UsageError("data has an edge_index; the edges are the graph's")
        for name in features.node_attrs():
            size = len(features[name])
            if size != graph.vertices:
                raise UsageError(f"{name} has {size} rows; the graph has {graph.vertices} vertices")
        features = features.clone() if isinstance(data, Data) else features
        features.num_nodes = graph.vertices
        super().__init__(
            features,
            NeighborSampler(graph, num_neighbors, **own),
            input_nodes=input_nodes,
            input_time=input_time,
            transform=transform,
            **options,
        )

    def filter_fn(self, out: Any) -> Any:
        batch = super().filter_fn(out)
        batch.edge_index = torch.stack([out.row, out.col])
        return batch

    def __iter__(self) -> Iterator[Any]:
        self.node_sampler.epoch += 1
        return super().__iter__()  # type: ignore[no-any-return]


_SAMPLERS = frozenset(
    {"direction", "replace", "weighted", "disjoint", "edge_time", "temporal_strategy", "seed"}
    | execution.NAMES
)
