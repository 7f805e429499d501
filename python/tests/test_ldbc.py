"""LDBC Graphalytics' validation graphs: BFS, CDLP, LCC, PR, SSSP and WCC, each of two graphs,
directed and undirected."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import fathom as fg

LDBC = pathlib.Path(__file__).parent / "data" / "ldbc"
UNREACHED = 9223372036854775807
DIRECTIONS = ["dir", "undir"]


def adjacency(path: pathlib.Path, directed: bool) -> fg.Graph:
    """Lines of a vertex and its neighbours; undirected: both ends list the edge."""
    lines = [list(map(int, line.split())) for line in path.read_text().splitlines() if line]
    edges = [(line[0], target) for line in lines for target in line[1:]]
    return fg.from_edges(
        np.array(edges).reshape(-1, 2), vertices=[line[0] for line in lines], directed=directed
    )


def example(direction: str) -> fg.Graph:
    name = "directed" if direction == "dir" else "undirected"
    files = [LDBC / "example" / f"example-{name}.{part}" for part in "ve"]
    return fg.convert(files, directed=direction == "dir")


def expected(path: pathlib.Path) -> dict[int, str]:
    return {int(v): value for v, value in map(str.split, path.read_text().splitlines())}


def source(direction: str, which: str) -> int:
    return 2 if (direction, which) == ("undir", "example") else 1


def cases(folder: str) -> list[tuple[str, str]]:
    return [(direction, which) for direction in DIRECTIONS for which in (folder, "example")]


def load(direction: str, which: str, algorithm: str) -> tuple[fg.Graph, dict[int, str]]:
    if which == "example":
        name = "directed" if direction == "dir" else "undirected"
        return example(direction), expected(LDBC / "example" / f"example-{name}-{algorithm}")
    output = expected(LDBC / which / f"{direction}-output")
    if which == "sssp":
        files = [LDBC / which / f"{direction}-input.{part}" for part in "ve"]
        return fg.convert(files, directed=direction == "dir"), output
    return adjacency(LDBC / which / f"{direction}-input", direction == "dir"), output


@pytest.mark.parametrize(("direction", "which"), cases("bfs"))
def test_bfs(direction: str, which: str) -> None:
    graph, output = load(direction, which, "BFS")
    found = fg.bfs(graph, source(direction, which)).verify().to_dict()
    assert found == {v: None if int(d) == UNREACHED else int(d) for v, d in output.items()}


@pytest.mark.parametrize(("direction", "which"), cases("cdlp"))
def test_cdlp(direction: str, which: str) -> None:
    graph, output = load(direction, which, "CDLP")
    found = fg.cdlp(graph, iterations=2 if which == "example" else 5).verify()
    assert found.to_dict() == {v: int(label) for v, label in output.items()}


@pytest.mark.parametrize(("direction", "which"), cases("lcc"))
def test_lcc(direction: str, which: str) -> None:
    graph, output = load(direction, which, "LCC")
    found = fg.lcc(graph).verify()
    assert len(found) == len(output)
    for v, share in output.items():
        assert found[v] == pytest.approx(float(share), rel=1e-4)


@pytest.mark.parametrize(("direction", "which"), cases("pr"))
def test_pagerank(direction: str, which: str) -> None:
    graph, output = load(direction, which, "PR")
    # Of the undirected graph the published ranks are those after 26 iterations.
    iterations = 2 if which == "example" else 14 if direction == "dir" else 26
    with pytest.raises(fg.NotConvergedError) as stopped:
        fg.pagerank(graph, alpha=0.85, max_iter=iterations, tol=1e-15, in_place=False)
    ranks = stopped.value.result
    assert ranks is not None
    assert len(ranks) == len(output)
    for v, rank in output.items():
        assert ranks[v] == pytest.approx(float(rank), rel=1e-4)


@pytest.mark.parametrize(("direction", "which"), cases("sssp"))
def test_sssp(direction: str, which: str) -> None:
    graph, output = load(direction, which, "SSSP")
    found = fg.sssp(graph, source(direction, which)).verify()
    assert len(found) == len(output)
    for v, distance in output.items():
        assert found[v] == pytest.approx(float(distance), rel=1e-4)


@pytest.mark.parametrize(("direction", "which"), cases("wcc"))
def test_wcc(direction: str, which: str) -> None:
    graph, output = load(direction, which, "WCC")
    found = fg.cc(graph).verify().to_dict()
    assert found.keys() == output.keys()
    pairs = {(found[v], component) for v, component in output.items()}
    assert len(pairs) == len(set(found.values())) == len(set(output.values()))
