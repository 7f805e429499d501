#!/usr/bin/env python3
"""Sampled edges per second of fathom.pyg.NeighborLoader on an R-MAT graph: two hops of 15 and 10,
batches of 1024 vertices, no features. Beside it PyG's own loader, where pyg_lib or torch_sparse is
installed, of the same graph with the same seeds.

    bench/python/sampling.py --scale 20 --rounds 5 -o bench/results/epyc/python_sampling.json

The graph is generated in a temporary directory, and is read before anything is measured. Every
round runs each loader once over the same batches, in turn; a first round is not counted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import warnings
from typing import Any

import numpy as np
import torch

import fathom as fg
from fathom.pyg import NeighborLoader

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "peers"))
from machine import machine

FAN_OUT, BATCH = [15, 10], 1024


def loaders(graph: fg.Graph, seeds: torch.Tensor, memory: str) -> dict[tuple[str, int], Any]:
    """By where the edges are, and threads."""
    made: dict[tuple[str, int], Any] = {}
    places: dict[str, dict[str, Any]] = {
        "mapped": {},
        f"streamed in {memory}": {"residency": "stream", "memory": memory},
    }
    for (where, options), threads in itertools.product(places.items(), (1, 2)):
        made["fathom, " + where, threads] = NeighborLoader(
            graph, None, FAN_OUT, batch_size=BATCH, input_nodes=seeds, threads=threads, **options
        )
    return made


def of_pyg(graph: fg.Graph, seeds: torch.Tensor) -> dict[tuple[str, int], Any]:
    """PyG's own, which has the whole graph in memory and samples with one thread."""
    import torch_geometric.loader
    import torch_geometric.typing as there
    from torch_geometric.data import Data

    if not (there.WITH_PYG_LIB or there.WITH_TORCH_SPARSE):
        return {}
    name = "pyg_lib" if there.WITH_PYG_LIB else "torch_sparse"
    pages = list(fg.sweep(graph))
    edges = np.stack([np.concatenate([page[i] for page in pages]) for i in (0, 1)])
    data = Data(edge_index=torch.from_numpy(edges.astype(np.int64)), num_nodes=graph.vertices)
    loader = torch_geometric.loader.NeighborLoader(
        data, FAN_OUT, batch_size=BATCH, input_nodes=seeds
    )
    return {(f"PyG, {name}", 1): loader}


def rate(loader: Any) -> float:
    began, edges = time.monotonic(), 0
    for batch in loader:
        edges += batch.edge_index.shape[1]
    return edges / (time.monotonic() - began)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--scale", type=int, default=20, help="2^SCALE vertices (20)")
    parser.add_argument("--rounds", type=int, default=5, help="counted runs of each (5)")
    parser.add_argument("--batches", type=int, default=32, help="of a run (32)")
    parser.add_argument("--memory", default="64MiB", help="of streamed graphs (64MiB)")
    parser.add_argument("-o", "--output", help="the JSON file; else to standard output")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore", category=FutureWarning)

    with tempfile.TemporaryDirectory(prefix="fathom-sampling-") as directory:
        graph = fg.generate("rmat", f"{directory}/kron.fg", scale=chosen.scale).verify()
        size = os.path.getsize(f"{directory}/kron.fg")
        degrees = np.asarray(fg.degrees(graph).values)
        with_edges = np.flatnonzero(degrees)
        count = min(chosen.batches * BATCH, len(with_edges))
        drawn = np.random.default_rng(1).choice(with_edges, count, replace=False)
        seeds = torch.from_numpy(drawn)
        torch.manual_seed(1)
        torch.set_num_threads(1)
        runs = {**loaders(graph, seeds, chosen.memory), **of_pyg(graph, seeds)}
        trials: dict[tuple[str, int], list[float]] = {key: [] for key in runs}
        for round_ in range(chosen.rounds + 1):
            for key, loader in runs.items():
                found = rate(loader)
                if round_ > 0:
                    trials[key].append(found)
    notes = []
    if not any(system.startswith("PyG") for system, _ in runs):
        notes.append(
            "PyG's own loader needs pyg_lib or torch_sparse, neither of which was installed: PyPI "
            "has no wheels of them for this PyTorch."
        )
    given = [f"--scale {chosen.scale}", f"--rounds {chosen.rounds}", f"--batches {chosen.batches}"]
    given += [f"--memory {chosen.memory}"] + ([f"-o {chosen.output}"] if chosen.output else [])
    result = {
        "benchmark": "sampling",
        "command": " ".join(["bench/python/sampling.py", *given]),
        "machine": machine(),
        "versions": {"torch": torch.__version__.partition("+")[0], "fathom": fg.__version__},
        "graph": {
            "name": f"rmat{chosen.scale}",
            "vertices": graph.vertices,
            "edges": graph.edges,
            "file_bytes": size,
        },
        "fan_out": FAN_OUT,
        "batch": BATCH,
        "batches": -(-count // BATCH),
        "rounds": chosen.rounds,
        "rows": [
            {
                "system": system,
                "threads": threads,
                "trials": [round(one) for one in found],
                "edges_per_second": round(statistics.median(found)),
            }
            for (system, threads), found in trials.items()
        ],
        "notes": notes,
    }
    text = json.dumps(result, indent=1) + "\n"
    if chosen.output:
        pathlib.Path(chosen.output).write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
