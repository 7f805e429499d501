#!/usr/bin/env python3
"""Trains GraphSAGE on a graph that Fathom keeps on disk, in memory or streams within a budget, and
PyTorch never sees whole: each batch has the sampled neighbours of 256 vertices and their features.

    pip install 'fathom-graph[pyg]'
    python train_graphsage.py --residency stream --memory 8MiB

Vertices are those of a ring in which each knows its nearest (Watts and Strogatz), classes are
stretches of it. Features alone tell the class badly; together with those of neighbours, well.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import cross_entropy, relu
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv

import fathom as fg
from fathom.pyg import NeighborLoader

if TYPE_CHECKING:
    from torch import Tensor

CLASSES, FEATURES = 8, 16
NOISE = 1.2  # standard deviation, where centres of classes are 1.4 apart
FAN_OUT = [10, 10]


class GraphSage(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first = SAGEConv(FEATURES, 32)
        self.second = SAGEConv(32, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.second(relu(self.first(x, edge_index)), edge_index)


def labelled(graph: fg.Graph) -> Data:
    """Classes by place in the ring, features of the class's centre and noise; half of the vertices
    are to learn from, the others to be told."""
    row = torch.arange(graph.vertices)
    y = row * CLASSES // graph.vertices
    centre = torch.nn.functional.one_hot(y, FEATURES).float()
    x = centre + NOISE * torch.randn(graph.vertices, FEATURES)
    train = torch.rand(graph.vertices) < 0.5
    return Data(x=x, y=y, train_mask=train, test_mask=~train)


def one_epoch(
    model: GraphSage, loader: NeighborLoader, optimizer: torch.optim.Optimizer
) -> tuple[float, float]:
    """The mean loss and the share that was right."""
    model.train()
    loss_sum = right = seen = 0.0
    for batch in loader:
        optimizer.zero_grad()
        out = model(batch.x, batch.edge_index)[: batch.batch_size]
        y = batch.y[: batch.batch_size]
        loss = cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(y)
        right += int((out.argmax(dim=1) == y).sum())
        seen += len(y)
    return loss_sum / seen, right / seen


def accuracy(model: GraphSage, loader: NeighborLoader) -> float:
    model.eval()
    right = seen = 0
    for batch in loader:
        with torch.no_grad():
            out = model(batch.x, batch.edge_index)[: batch.batch_size]
        y = batch.y[: batch.batch_size]
        right += int((out.argmax(dim=1) == y).sum())
        seen += len(y)
    return right / seen


def features_alone(data: Data) -> float:
    """What a vertex's own features tell: the share of test vertices nearest to their own centre."""
    centre = torch.eye(CLASSES, FEATURES)
    told = torch.cdist(data.x[data.test_mask], centre).argmin(dim=1)
    return float((told == data.y[data.test_mask]).float().mean())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--scale", type=int, default=14, help="2^SCALE vertices")
    parser.add_argument("--residency", default="auto", help="auto, resident or stream")
    parser.add_argument("--memory", default=None, help="what sampling may use, such as 8MiB")
    parser.add_argument("--epochs", type=int, default=8)
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # batches are small: more threads would wait for each other
    torch.manual_seed(1)
    graph = fg.generate("watts-strogatz", scale=arguments.scale, edge_factor=8, rewire=0.1, seed=1)
    data = labelled(graph)
    print(graph)
    print(f"features alone: test accuracy {features_alone(data):.3f}")

    with fg.device(residency=arguments.residency, memory=arguments.memory):
        train = NeighborLoader(
            graph, data, FAN_OUT, input_nodes=data.train_mask, batch_size=256, shuffle=True
        )
        test = NeighborLoader(graph, data, FAN_OUT, input_nodes=data.test_mask, batch_size=2048)
    model = GraphSage()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(1, arguments.epochs + 1):
        began = time.monotonic()
        loss, right = one_epoch(model, train, optimizer)
        took = time.monotonic() - began
        print(f"epoch {epoch}: loss {loss:.3f}, training accuracy {right:.3f}, {took:.1f} s")
    reached = accuracy(model, test)
    print(f"GraphSAGE: test accuracy {reached:.3f}")
    assert reached >= 0.9, "it did not learn"
    return 0


if __name__ == "__main__":
    sys.exit(main())
