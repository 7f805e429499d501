"""Edges that count: since, until, at and types."""

from __future__ import annotations

import itertools
import pathlib
import random

import numpy as np
import pytest

import fathom as fg


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> tuple[fg.Graph, list[tuple[int, ...]]]:
    """A graph in time, and its edges: u, v, type, t1, t2."""
    dice = random.Random(3)
    edges = {}
    for _ in range(2000):
        t1 = dice.randrange(100)
        end = dice.choice([0, t1 + dice.randrange(50)])
        edges[dice.randrange(80), dice.randrange(80)] = (dice.randrange(5), t1, end)
    directory = tmp_path_factory.mktemp("calls")
    lines = [f"+v {v}\n" for v in range(80)]
    lines += [f"+ {u} {v} 1 {kind} {t1} {t2}\n" for (u, v), (kind, t1, t2) in edges.items()]
    (directory / "calls.txt").write_text("".join(lines))
    path = directory / "calls.fg"
    words = ["stream", "--empty", "--semantic", "--updates", str(directory / "calls.txt"), "-q"]
    fg.command([*words, "-o", str(path)])
    return fg.read(path), [(*ends, *fields) for ends, fields in edges.items()]


def kept(edges: list[tuple[int, ...]], keeps: object) -> fg.Graph:
    pairs = np.array([e[:2] for e in edges if keeps(e)], dtype=np.int64).reshape(-1, 2)  # type: ignore[operator]
    return fg.from_edges(pairs, vertices=range(80))


FILTERS = [
    ({"since": 20, "until": 60}, lambda e: 20 <= e[3] < 60),
    ({"at": 50}, lambda e: e[3] <= 50 and (e[4] == 0 or e[4] > 50)),
    ({"types": [1, np.int64(3)]}, lambda e: e[2] in (1, 3)),
    ({"types": range(1, 3)}, lambda e: e[2] in (1, 2)),
    ({"types": "0,3-4", "since": np.int64(30)}, lambda e: e[2] in (0, 3, 4) and e[3] >= 30),
    ({"types": 2}, lambda e: e[2] == 2),
    ({"since": 7, "until": 7}, lambda e: False),
    ({"since": None, "types": None}, lambda e: True),
]


@pytest.mark.parametrize("case", range(len(FILTERS)))
def test_results_are_those_of_the_kept_edges(
    calls: tuple[fg.Graph, list[tuple[int, ...]]], case: int
) -> None:
    graph, edges = calls
    options, keeps = FILTERS[case]
    some = kept(edges, keeps)
    assert fg.bfs(graph, 3, **options).values.tolist() == fg.bfs(some, 3).values.tolist()
    assert fg.cc(graph, **options).verify().values.tolist() == fg.cc(some).values.tolist()
    ranks = fg.pagerank(graph, **options, residency="stream", memory="8MiB")
    assert ranks.values == pytest.approx(fg.pagerank(some).values, abs=1e-5)
    # What one call has left open is not what the next gets.
    assert fg.degrees(graph).values.sum() == 2 * len(edges)


def test_reports_walks_parts_and_plans_say_which_edges_count(
    calls: tuple[fg.Graph, list[tuple[int, ...]]], tmp_path: pathlib.Path
) -> None:
    graph, edges = calls
    options, keeps = FILTERS[0]
    pairs = {e[:2] for e in edges if keeps(e)}
    said = fg.cc(graph, **options).report["graph"]["filter"]
    assert said == {"since": 20, "until": 60, "at": None, "types": None, "edges": len(pairs)}
    for walk in fg.walks(graph, length=4, **options).tolist():
        for step in itertools.pairwise(walk):
            assert step in pairs or step[1] < 0
    part = fg.subgraph(graph, range(80), tmp_path / "part.fg", **options)
    assert part.edges == len(pairs)
    assert f"{len(pairs)} edges" in str(fg.plan("pagerank", graph, **options))


def test_what_makes_no_sense_is_refused_by_name(
    calls: tuple[fg.Graph, list[tuple[int, ...]]], kron: fg.Graph
) -> None:
    graph, _ = calls
    with pytest.raises(fg.UsageError, match="no types and timestamps"):
        fg.cc(kron, since=3)
    with pytest.raises(fg.UsageError, match="since: expected an integer"):
        fg.cc(graph, since=-1)
    with pytest.raises(fg.UsageError, match="at: expected an integer"):
        fg.cc(graph, at=2.5)  # type: ignore[arg-type]
    with pytest.raises(fg.UsageError, match="types: none are given"):
        fg.cc(graph, types=[])
    with pytest.raises(fg.UsageError, match="types: expected integers"):
        fg.cc(graph, types=["a"])  # type: ignore[list-item]
    with pytest.raises(fg.UsageError, match="such as 1,2,7-9: not 'a'"):
        fg.cc(graph, types="a")
    with pytest.raises(fg.UsageError, match="ends before it begins"):
        fg.cc(graph, since=5, until=3)
    refused = pytest.raises(fg.UsageError, match=r"since: fathom.device takes all edges")
    with refused, fg.device(since=3):
        pass
