"""What users run into: arguments that are a little wrong, files that are not there, Ctrl-C."""

from __future__ import annotations

import errno
import importlib.util
import os
import pathlib
import pickle
import signal
import threading
from typing import Any

import numpy as np
import pytest

import fathom as fg


@pytest.fixture(scope="module")
def small() -> fg.Graph:
    return fg.from_edges([(10, 20, 2.0), (20, 30, 1.0), (10, 30, 5.0)], vertices=[40])


def test_edges_as_rows_with_and_without_weights() -> None:
    g = fg.from_edges([(1, 2, 0.5), (2, 3, 1.5)])
    assert g.weighted and fg.sssp(g, 1).to_dict() == {1: 0, 2: 0.5, 3: 2}
    assert not fg.from_edges([(1, 2), (2, 3)]).weighted
    assert fg.from_edges((["a"], ["b"], [2.0])).weighted
    assert fg.from_edges(vertices=3).vertices == 3
    assert fg.from_edges(vertices=["x", "y"]).labels == ["x", "y"]
    with pytest.raises(fg.UsageError, match=r"edges\[1\]"):
        fg.from_edges([(1, 2, 0.5), (2, 3)])
    with pytest.raises(fg.UsageError, match="give one of them"):
        fg.from_edges([(1, 2, 0.5)], weight=[1.0])


@pytest.mark.parametrize("memory", [-1, True, 2**63, "9" * 30 + "GiB", "4 GB", "", 1.5])
def test_sizes_that_are_none(memory: Any) -> None:
    with pytest.raises(fg.UsageError, match="size"):
        fg.from_edges([(0, 1)], memory=memory)


def test_rows_that_there_are_not(small: fg.Graph) -> None:
    assert small.label(np.int64(3)) == 40
    for row in (-1, 4, 2**70):
        with pytest.raises(IndexError):
            small.label(row)
    assert 2**64 not in small and -1 not in small
    changing = fg.DynamicGraph(small)
    assert 2**64 not in changing and -1 not in changing and 10 in changing


@pytest.mark.parametrize(
    "options", [{"alpha": "x"}, {"max_iter": "x"}, {"max_iter": 2.5}, {"max_iter": -1}]
)
def test_values_of_other_types(small: fg.Graph, options: dict[str, Any]) -> None:
    with pytest.raises(fg.UsageError, match=next(iter(options))):
        fg.pagerank(small, **options)


def test_a_misspelt_option_is_guessed(small: fg.Graph) -> None:
    with pytest.raises(fg.UsageError, match=r"did you mean 'alpha'.*pagerank has.*tol"):
        fg.pagerank(small, alhpa=0.8)  # type: ignore[call-arg]
    with pytest.raises(fg.UsageError, match="did you mean 'residency'"):
        fg.bfs(small, 10, residencies="stream")  # type: ignore[call-arg]
    with pytest.raises(fg.UsageError, match="did you mean 'sampling'"):
        fg.plan("cc", small, samplng=False)


def test_a_plan_takes_what_the_run_takes(small: fg.Graph) -> None:
    assert fg.plan(fg.bfs, small, source=10, parents=True)["algorithm"] == "bfs"
    more = fg.plan("bfs", small, parents=True)["host"]["least_bytes"]
    assert more > fg.plan("bfs", small, parents=False)["host"]["least_bytes"]
    fg.plan("cc", small, sampling=False)
    with pytest.raises(fg.UsageError, match="no algorithm 'dance'"):
        fg.plan("dance", small)


def test_a_refused_run_says_what_would_do_the_first_time(kron: fg.Graph) -> None:
    options: dict[str, Any] = {"residency": "stream", "threads": 2}
    with pytest.raises(fg.DoesNotFitError, match=r"host_memory of \d+ would do") as refused:
        fg.pagerank(kron, memory="100KiB", **options)
    least = int(str(refused.value).split("host_memory of ")[1].split()[0])
    fg.pagerank(kron, memory=least, **options)
    with pytest.raises(fg.DoesNotFitError):
        fg.pagerank(kron, memory=least - 8192, **options)


def test_tables_have_labels_and_nulls() -> None:
    pa = pytest.importorskip("pyarrow")
    for names in ([10, 20, 30, 40], ["a", "b", "c", "d"]):
        a, b, c, d = names
        g = fg.from_edges(source=[a, b], target=[c, c], vertices=[d], directed=False)
        search = fg.bfs(g, a, parents=True)
        table = pa.table(search)
        assert table["vertex"].to_pylist() == names
        assert table["depth"].to_pylist() == [0, 2, 1, None]
        assert table["parent"].to_pylist() == [a, c, a, None]
        assert pa.table(fg.cc(g))["component"].to_pylist() == [a, a, a, d]
        table.validate(full=True)
        assert search.columns["depth"].tolist() == [0, 2, 1, -1]


def test_pandas_has_labels_and_nulls(small: fg.Graph) -> None:
    pd = pytest.importorskip("pandas")
    frame = fg.bfs(small, 20, parents=True).to_pandas()
    assert frame["parent"].loc[30] == 20 and pd.isna(frame["parent"].loc[10])
    assert frame["depth"].sum() == 1 and frame["depth"].isna().sum() == 2
    assert fg.pagerank(small).to_pandas()["rank"].dtype == np.float64


def test_a_result_is_iterated_by_label(small: fg.Graph) -> None:
    ranks = fg.pagerank(small)
    assert list(ranks) == [10, 20, 30, 40]
    assert {label: ranks[label] for label in ranks} == ranks.to_dict()


def test_parts_of_vertices_that_there_are_not(small: fg.Graph) -> None:
    for call in (
        lambda: fg.subgraph(small, [10, 99]),
        lambda: fg.egonet(small, 99),
        lambda: fg.cross_edges(small, {10: "a", 99: "b"}),
    ):
        with pytest.raises(fg.UsageError, match="no vertex '99'"):
            call()


def test_a_part_without_edges_is_weighted_still(small: fg.Graph) -> None:
    part = fg.subgraph(small, [10, 40])
    assert (part.edges, part.weighted, part.labels.tolist()) == (0, True, [10, 40])


def test_labels_that_are_no_utf8() -> None:
    g = fg.from_edges(source=[b"\xff", "a"], target=["a", "b"])
    assert fg.egonet(g, b"\xff").vertices == 2
    assert fg.subgraph(g, [b"\xff", "a"]).edges == 1
    assert fg.bfs(g, b"\xff")["b"] == 2
    with pytest.raises(fg.UsageError, match="no vertex"):
        fg.subgraph(g, [b"\xfe"])


def test_a_graph_that_changes_is_taken_everywhere(small: fg.Graph) -> None:
    changing = fg.DynamicGraph(small)
    changing.apply(insert=[(30, 40)])
    assert fg.plan("bfs", changing)["algorithm"] == "bfs"
    assert fg.egonet(changing, 30).vertices == 2
    assert fg.subgraph(changing, [30, 40]).edges == 1
    assert len(fg.cross_edges(changing, {30: "x", 40: "y"}).columns["source"]) == 1
    assert fg.reorder(changing, method="degree").edges == 4
    assert sum(len(page.source) for page in fg.sweep(changing)) == 4
    nx = pytest.importorskip("networkx")
    if "fathom" in nx.config.backends:
        assert nx.descendants(changing, 20) == {30, 40}


def test_sweeps_refuse_what_they_cannot_do(small: fg.Graph) -> None:
    for options in ({"mode": "all"}, {"page_edges": 0}, {"page_edges": -5}, {"page_edges": True}):
        with pytest.raises(fg.UsageError, match=next(iter(options))):
            fg.sweep(small, **options)  # type: ignore[arg-type]
    pushed = fg.from_edges([(0, 1)], in_edges=False)
    with pytest.raises(fg.UsageError, match="no in-edges"):
        fg.sweep(pushed, mode="in")
    both = fg.from_edges([(0, 1)], in_edges=False, directed=False)
    assert len(next(iter(fg.sweep(both, mode="in"))).source) == 2


def test_files_that_are_not_there(small: fg.Graph, tmp_path: pathlib.Path) -> None:
    missing = tmp_path / "missing.fg"
    for call in (lambda: fg.read(missing), lambda: fg.convert(missing)):
        with pytest.raises(FileNotFoundError) as raised:
            call()
        assert isinstance(raised.value, fg.IoError) and raised.value.status == 74
        assert raised.value.errno == errno.ENOENT and raised.value.filename == str(missing)
        assert str(missing) in str(raised.value) and "[Errno" not in str(raised.value)
    with pytest.raises(FileNotFoundError):
        fg.pagerank(small).report.html(tmp_path / "none" / "page.html")


def test_messages_name_arguments_and_not_the_commands_options(kron: fg.Graph) -> None:
    with pytest.raises(fg.FathomError) as raised:
        fg.bfs(kron, 1, memory="-1")
    assert "host_memory" in str(raised.value) and "--" not in str(raised.value)
    with pytest.raises(fg.UsageError, match="--memory"):
        fg.command(["generate", "rmat", "--scale", "4", "--memory", "x", "-o", "/dev/null"])


def test_ctrl_c_before_a_batch_begins_leaves_the_graph_as_it_was() -> None:
    ends = np.random.default_rng(1).integers(0, 2**40, (2, 3_000_000))
    graph = fg.DynamicGraph(threads=1)
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            graph.apply(insert=(ends[0], ends[1]))
            pytest.skip("it was done before")
    finally:
        timer.cancel()
    assert graph.batches in (0, 1) and (graph.vertices > 0) == (graph.batches == 1)
    graph.apply(insert=[(1, 2)])
    assert graph.has_edge(1, 2)


@pytest.mark.parametrize("base", [0, 1, 5])
def test_a_reordered_graph_has_its_labels_in_order(base: int) -> None:
    ends = np.array([[0, 1], [1, 2], [2, 3], [0, 3], [4, 0]]) + base
    g = fg.from_edges(ends)
    for method in ("degree", "random", "rcm", "halo2"):
        h = fg.reorder(g, method=method)
        assert h.labels.tolist() == g.labels.tolist() == list(range(base, base + 5))
        assert fg.bfs(h, base).to_dict() == fg.bfs(g, base).to_dict()
        assert [row for row in range(5) if h.label(row) == h.labels[row]] == list(range(5))
        if _has("pyarrow"):
            theirs, ours = (sorted(graph.to_arrow().to_pylist(), key=str) for graph in (g, h))
            assert ours == theirs
        if _has("networkx"):
            assert set(h.to_networkx().edges) == set(g.to_networkx().edges)
            nx = pytest.importorskip("networkx")
            if "fathom" in nx.config.backends:
                assert nx.descendants(h, base) == nx.descendants(g, base)
                assert nx.pagerank(h) == pytest.approx(nx.pagerank(g), abs=1e-5)


def test_labels_that_are_no_utf8_stay_apart_everywhere() -> None:
    g = fg.from_edges(source=[b"a\xff", b"a\xfe"], target=["b", "b"])
    changing = fg.DynamicGraph(g)
    first = next(iter(changing))
    assert first in changing and changing.has_edge(first, "b") and changing.degree(first) == 1
    assert fg.from_edges([(first, "b")]).labels == [first, "b"]
    assert changing.apply(delete=[(first, "b")]).removed == 1
    if _has("pyarrow"):
        assert len(set(fg.cc(g).to_arrow()["vertex"].to_pylist())) == 3
        assert fg.bfs(g, [first, "b"], each=True).to_arrow().num_columns == 3
    if _has("pandas"):
        assert len(set(fg.cc(g).to_pandas().index)) == 3


def test_paths_of_saved_graphs_are_checked(tmp_path: pathlib.Path, small: fg.Graph) -> None:
    changing = fg.DynamicGraph(small)
    for path in ("", str(tmp_path / "a\0b.fg"), os.fsdecode(b"gr\xffaph.fg")):
        with pytest.raises(fg.UsageError):
            changing.save(path)
        with pytest.raises(fg.UsageError):
            fg.read(path)
    with pytest.raises(fg.UsageError):
        fg.command(["info", "a\0b"])
    assert not list(tmp_path.iterdir())


def test_errors_travel_to_other_processes(tmp_path: pathlib.Path, small: fg.Graph) -> None:
    with pytest.raises(fg.IoError) as raised:
        fg.read(tmp_path / "nope.fg")
    there = pickle.loads(pickle.dumps(raised.value))
    assert type(there) is type(raised.value) and str(there) == str(raised.value)
    assert (there.errno, there.filename) == (errno.ENOENT, str(tmp_path / "nope.fg"))
    with pytest.raises(fg.NotConvergedError) as stopped:
        fg.pagerank(small, max_iter=1)
    there = pickle.loads(pickle.dumps(stopped.value))
    assert str(there) == str(stopped.value) and there.result is None
    with pytest.raises(FileNotFoundError) as missing:
        fg.reorder(small, tmp_path / "none" / "x.fg")
    assert missing.value.errno == errno.ENOENT


def test_labels_on_both_sides_of_2_to_the_63() -> None:
    large = 2**63 + 5
    g = fg.from_edges([(large, 3), (3, large)])
    assert list(g) == [3, large]
    changing = fg.DynamicGraph(g)
    assert changing.degree([3, large]).tolist() == [1, 1]
    assert changing.has_edges([(large, 3), (3, large)]).all()
    assert fg.from_edges(vertices=list(g)).vertices == 2
    assert fg.from_edges([(np.int8(1), np.uint64(2)), (np.int64(3), 4)]).vertices == 4
    if _has("networkx"):
        assert list(fg.from_networkx(g.to_networkx())) == [3, large]


@pytest.mark.parametrize(
    "call",
    [
        lambda g: fg.from_edges([(1, 2)], directed=None),
        lambda g: fg.from_edges([(1, 2)], directed=1),
        lambda g: fg.from_edges([(1, 2)], in_edges=None),
        lambda g: fg.from_edges([(1, 2)], threads="x"),
        lambda g: fg.from_edges([(1, 2)], threads=-1),
        lambda g: fg.from_edges(vertices=2**70),
        lambda g: fg.from_edges([1, 2, 3]),
        lambda g: fg.from_edges(5),
        lambda g: fg.from_edges(source=[[1], [2, 3]], target=[1, 2]),
        lambda g: fg.DynamicGraph(g).follow("pagerank", alpha="x"),
        lambda g: fg.DynamicGraph(g).follow(5),
        lambda g: fg.DynamicGraph(g).follow("bfs", source=1.5),
        lambda g: fg.subgraph(g, [0.5]),
        lambda g: fg.cross_edges(g, [10, 20]),
        lambda g: fg.plan(5, g),
        lambda g: fg.pagerank(g, personalization="abc"),
        lambda g: fg.pagerank(g, personalization={10: "x"}),
        lambda g: fg.pagerank(g).report.html("a\0b"),
        lambda g: fg.sweep(g, page_edges=1.5),
        lambda g: fg.bfs(g, "10"),
        lambda g: fg.egonet(g, "10"),
    ],
)
def test_arguments_that_make_no_sense(call: Any, small: fg.Graph) -> None:
    with pytest.raises(fg.UsageError) as raised:
        call(small)
    assert "incompatible function arguments" not in str(raised.value)


@pytest.mark.parametrize("sampling", [True, False])
def test_components_without_a_giant_fit_their_plan(sampling: bool) -> None:
    pairs = np.arange(8192).reshape(-1, 2)
    for edges in (pairs, np.vstack([pairs[:2000], pairs[:1999, ::-1] + 2])):
        g = fg.from_edges(edges, directed=False, vertices=8192)
        least = fg.plan("cc", g, threads=1, sampling=sampling)["host"]["least_bytes"]
        found = fg.cc(g, threads=1, sampling=sampling, memory=least)
        sizes = np.bincount(found.values)
        assert found.facts["largest"] == sizes.max()
        assert found.facts["components"] == np.count_nonzero(sizes)


def _has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None
