"""Graphs that tests share."""

from __future__ import annotations

import functools
import pathlib
import signal

import numpy as np
import pytest

import fathom as fg

# What starts tests behind a shell may have it ignored, and Ctrl-C is tested.
signal.signal(signal.SIGINT, signal.default_int_handler)


@functools.cache
def gpus() -> int:
    """How many there are that Fathom can use."""
    found: list[object] = fg.doctor()["cuda"]["devices"]
    return len(found)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if gpus() == 0:
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="there is no GPU"))


DATA = pathlib.Path(__file__).parents[2] / "data"


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> fg.Graph:
    """A real graph with strings as labels, in a file."""
    path = tmp_path_factory.mktemp("graphs") / "packages.fg"
    return fg.convert(DATA / "debian-12-standard.tsv.gz", path, directed=True, labels="strings")


@pytest.fixture(scope="session")
def kron(tmp_path_factory: pytest.TempPathFactory) -> fg.Graph:
    """Undirected, weighted, with isolated vertices; in a file."""
    path = tmp_path_factory.mktemp("graphs") / "kron.fg"
    return fg.generate("rmat", path, scale=12, edge_factor=8, weights="1:255")


@pytest.fixture
def diamond() -> fg.Graph:
    """0 -> 1, 2 -> 3, and 7 alone."""
    return fg.from_edges(np.array([[0, 1], [0, 2], [1, 3], [2, 3]]), vertices=[7])
