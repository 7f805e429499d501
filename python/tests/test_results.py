"""Results: arrays, labels, tables, reports; options and plans."""

from __future__ import annotations

import gc
import inspect
import json
import pathlib
import re
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from conftest import gpus

import fathom as fg

ALGORITHMS = ["bc", "bfs", "cc", "degrees", "harmonic", "kcore", "neighborhood", "pagerank"]
ALGORITHMS += ["radius", "rwr", "sssp", "tc", "eigenvector", "katz", "hits", "mis", "levels", "scc"]
ALGORITHMS += ["msf", "lcc", "color", "bipartite", "cdlp", "closeness", "eccentricity"]
ALGORITHMS += ["bellman-ford", "assortativity", "biconnected", "matching", "similarity"]
ALGORITHMS += ["louvain", "leiden", "edge-bc", "reciprocity", "ktruss"]
DIRECTED = ["levels", "reciprocity"]
UNDIRECTED = ["msf", "biconnected", "matching", "similarity", "louvain", "leiden"]
OF_PAIRS = ["similarity", "edge-bc", "ktruss"]
SEARCHES = ["bfs", "sssp", "bellman-ford", "rwr", "neighborhood"]


def run(name: str, graph: fg.Graph, **options: Any) -> fg.Result:
    first = {"source": graph.label(3)} if name in SEARCHES else {}
    if name in ("bc", "edge-bc", "harmonic", "closeness"):
        first["k"] = 8
    if name == "katz":
        first["alpha"] = 0.0001
    if name in DIRECTED and not graph.directed:
        pytest.skip("of directed graphs")
    result: fg.Result = getattr(fg, name.replace("-", "_"))(graph, **first, **options)
    return result


def fitting(name: str, *graphs: fg.Graph) -> list[fg.Graph]:
    """Those that the algorithm does not refuse for their directions."""
    return [g for g in graphs if name not in (UNDIRECTED if g.directed else DIRECTED)]


def test_every_algorithm_of_the_command_is_there() -> None:
    assert set(ALGORITHMS) == {a["name"] for a in fg._core.describe()}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_each_runs_verifies_and_reports(name: str, packages: fg.Graph, kron: fg.Graph) -> None:
    for graph in fitting(name, packages, kron):
        result = run(name, graph).verify()
        rows = len(result.values) if name in OF_PAIRS else graph.vertices
        assert len(result) == rows
        for column in result.columns.values():
            assert column.shape == (rows,)
            assert not column.flags.writeable
        report = result.report
        assert report["algorithm"] == name
        assert report["verified"] is True
        assert report["result"] == result.facts
        assert report["graph"]["path"] == graph.path
        assert len(report["supersteps"]) == 0 or report["edges_traversed"] >= 0
        assert repr(result).startswith(name)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    "execution",
    [
        {"residency": "stream", "memory": "4MiB", "page_size": "64KiB"},
        {"devices": 2, "memory": "4MiB", "page_size": "64KiB"},
        {"threads": 1},
    ],
    ids=["streamed", "devices", "thread"],
)
def test_the_same_everywhere(name: str, execution: dict[str, Any], kron: fg.Graph) -> None:
    here, there = run(name, kron), run(name, kron, **execution)
    for column, values in here.columns.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(there.column(column), values, rtol=1e-4, atol=1e-6)
        else:
            assert np.array_equal(there.column(column), values)


def test_rows_may_be_pairs(diamond: fg.Graph) -> None:
    graph = fg.from_edges(
        [("a", "b"), ("b", "c"), ("a", "d"), ("c", "d"), ("d", "e")], directed=False
    )
    best = fg.similarity(graph, k=1)
    assert best.to_dict() == {
        ("a", "c"): 1.0,
        ("b", "d"): 2 / 3,
        ("c", "a"): 1.0,
        ("d", "b"): 2 / 3,
        ("e", "a"): 0.5,
    }
    assert best["a", "c"] == 1 and ("b", "d") in best and ("a", "b") not in best
    assert best.top(1) == [(("a", "c"), 1.0)]
    assert list(best)[1] == ("b", "d") and len(best) == 5
    assert list(best.columns) == ["u", "v", "similarity"]
    assert best.to_arrow().to_pydict()["v"] == ["c", "d", "a", "b", "a"]
    assert best.to_pandas()["u"].tolist() == ["a", "b", "c", "d", "e"]
    given = fg.similarity(graph, pairs=[("e", "c"), ("a", "b")], measure="common").verify()
    assert list(given.items()) == [(("e", "c"), 1.0), (("a", "b"), 0.0)]
    for pairs, why in (
        ([("a",)], r"pairs\[0\]: expected two labels, found 1"),
        ([("a", "a")], "'a' twice"),
        ([("a", "x")], "no vertex"),
    ):
        with pytest.raises(fg.UsageError, match=why):
            fg.similarity(graph, pairs=pairs)
    with pytest.raises(fg.UsageError, match="exclude"):
        fg.similarity(graph, pairs=[("a", "c")], k=3)
    with pytest.raises(fg.UsageError, match="directed"):
        fg.similarity(diamond)


def test_walks_from_each_source_are_rows_of_pairs() -> None:
    graph = fg.from_edges(
        [("a", "b"), ("b", "c"), ("a", "d"), ("c", "d"), ("d", "e")], directed=False
    )
    sources = ["d", "a", "e"]
    walks = fg.rwr(graph, sources, each=True, restart=0.5, tol=1e-9).verify()
    assert list(walks.columns) == ["source", "vertex", "probability"]
    assert len(walks) == 15 and [walks.labels[i][0] for i in (0, 5, 10)] == sources
    for source in sources:
        alone = fg.rwr(graph, source, restart=0.5, tol=1e-9)
        for vertex in "abcde":
            assert walks[source, vertex] == pytest.approx(alone[vertex], abs=1e-8)
    best = fg.rwr(graph, sources, each=True, restart=0.5, tol=1e-9, k=2).verify()
    assert list(best.items()) == walks.top(2) == best.top(5)
    assert [pair for pair, _ in walks.top(1)] == [(source, source) for source in sources]
    assert [its["source"] for its in walks.facts["each"]] == sources
    with pytest.raises(fg.UsageError, match="k needs each"):
        fg.rwr(graph, "a", k=2)
    with pytest.raises(fg.UsageError, match="twice"):
        fg.rwr(graph, ["a", "a"], each=True)


def test_truss_numbers_are_of_edges_or_of_vertices() -> None:
    graph = fg.from_edges(
        [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("d", "d")], directed=False
    )
    numbers = fg.ktruss(graph, layers=True).verify()
    assert numbers.to_dict() == {("a", "b"): 3, ("a", "c"): 3, ("a", "d"): 2, ("b", "c"): 3}
    assert numbers.column("layer").tolist() == [2, 2, 1, 2]
    assert list(fg.ktruss(graph, k=3).verify()) == [("a", "b"), ("a", "c"), ("b", "c")]
    vertices = fg.ktruss(graph, per_vertex=True).verify()
    assert vertices.to_dict() == {"a": 3, "b": 3, "c": 3, "d": 2}
    assert len(fg.ktruss(graph, k=4).verify()) == 0


def test_values_are_views() -> None:
    result = fg.pagerank(fg.generate("rmat", scale=10))
    assert np.shares_memory(result.values, result.columns["rank"])
    assert np.shares_memory(np.asarray(result), result.values)
    assert not np.shares_memory(np.array(result), result.values)


def test_none_is_minus_one(diamond: fg.Graph) -> None:
    result = fg.bfs(diamond, 1, parents=True)
    assert result.values.tolist() == [-1, 0, -1, 1, -1]
    assert result.columns["parent"].tolist() == [-1, 1, -1, 1, -1]
    assert result.to_dict() == {0: None, 1: 0, 2: None, 3: 1, 7: None}
    assert result[7] is None
    with pytest.raises(KeyError):
        result[8]


def test_top(packages: fg.Graph, diamond: fg.Graph) -> None:
    ranks = fg.pagerank(packages)
    best = sorted(ranks.items(), key=lambda item: -item[1])
    assert ranks.top(7) == best[:7]
    assert ranks.top(10**9) == best
    assert ranks.top(0) == []
    with pytest.raises(fg.UsageError, match="at least 0, found -1"):
        ranks.top(-1)
    assert fg.bfs(diamond, 0).top(9) == [(3, 2), (1, 1), (2, 1), (0, 0)]
    assert fg.cc(diamond).top(2) == [(0, 4), (7, 1)]
    assert fg.tc(diamond).top(2) == []


def test_tables(packages: fg.Graph) -> None:
    result = fg.bfs(packages, "bash", parents=True)
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    table = result.to_arrow()
    assert table.column_names == ["vertex", "depth", "parent"]
    assert table["vertex"].to_pylist() == list(packages)
    assert table["depth"].fill_null(-1).to_pylist() == result.values.tolist()
    assert table["parent"].to_pylist() == [
        None if row < 0 else packages.label(row) for row in result.columns["parent"].tolist()
    ]
    frame = result.to_pandas()
    assert frame.loc["bash", "depth"] == 0
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(result)["depth"].to_list() == table["depth"].to_pylist()


def test_options_mean_what_the_command_means(packages: fg.Graph, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mass.tsv"
    file.write_text("bash\t1\nperl\t3\n")
    out = tmp_path / "ranks.npy"
    assert packages.path is not None
    fg.command(
        ["pagerank", packages.path, "--personalization", str(file), "-o", str(out), "--alpha=0.5"]
    )
    ours = fg.pagerank(packages, personalization={"bash": 1, "perl": 3}, alpha=0.5)
    np.testing.assert_allclose(ours.values, np.load(out), atol=1e-6)
    masses = np.zeros(packages.vertices)
    masses[packages.row("bash")], masses[packages.row("perl")] = 1, 3
    other = fg.pagerank(packages, personalization=masses, alpha=0.5)
    np.testing.assert_allclose(other.values, ours.values, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: fg.bfs(g, 99), "no vertex '99'"),
        (lambda g: fg.bfs(g, []), "."),
        (lambda g: fg.bfs(g, 0, depth_limit=-1), "depth_limit: expected an integer from 0"),
        (lambda g: fg.bfs(g, 0, depth_limit=2**40), "from 0 to"),
        (lambda g: fg.bfs(g, 0, direction="up"), "one of 'auto', 'push', 'pull', found 'up'"),
        (lambda g: fg.pagerank(g, alpha=2.0), "alpha"),
        (lambda g: fg.pagerank(g, personalization={5: 1.0}), "no vertex 5"),
        (lambda g: fg.pagerank(g, personalization=np.ones(3)), "each of 5 vertices"),
        (lambda g: fg.pagerank(g, personalization=[1, 1, 1, 1, np.nan]), "nan in row 4"),
        (lambda g: fg.pagerank(g, wrong=1), "no option 'wrong'"),
        (lambda g: fg.pagerank(g, weighted=1), "weighted: expected True or False, found 1"),
        (lambda g: fg.bfs(g, 0, direction=0), "direction: expected a word, found 0"),
        (lambda g: fg.pagerank(g, personalization=np.ones((5, 1))), "personalization"),
        (lambda g: fg.cc(g, residency="moon"), "moon"),
        (lambda g: fg.cc(g, device="tpu"), "tpu"),
        (lambda g: fg.plan("cc", g, tol=1), "tol"),
        (lambda g: fg.plan("nothing", g), "nothing"),
        (lambda g: fg.pagerank(g.to_scipy()), r"fathom\.Graph"),
    ],
)
def test_bad_options_are_refused(call: Any, message: str, diamond: fg.Graph) -> None:
    with pytest.raises(fg.UsageError, match=message):
        call(diamond)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_reports_are_pages(name: str, kron: fg.Graph, tmp_path: pathlib.Path) -> None:
    result = run(name, kron, residency="stream", memory="16MiB")
    path = tmp_path / "run.html"
    page = result.report.html(path)
    assert path.read_text() == page
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    embedded = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)
    assert embedded
    content = json.loads(embedded[1])
    assert content["algorithm"] == name
    assert content["result"] == result.facts
    assert content["degrees"]
    assert "<iframe srcdoc=" in result._repr_html_()
    with pytest.raises(fg.IoError, match="nowhere"):
        result.report.html(tmp_path / "nowhere" / "run.html")
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]


def test_a_type_that_is_none_is_refused(diamond: fg.Graph) -> None:
    for value in ("ten", 1.5, [1]):
        with pytest.raises(fg.UsageError, match="depth_limit: expected an integer"):
            fg.bfs(diamond, 0, depth_limit=value)  # type: ignore[arg-type]


def test_errors_have_the_commands_statuses() -> None:
    statuses = {error.status for error in fg.errors.BY_STATUS.values()}
    assert statuses == {1, 2, 3, 4, 5, 6, 7, 74, 130}
    assert issubclass(fg.DoesNotFitError, MemoryError)
    assert issubclass(fg.IoError, OSError)
    assert issubclass(fg.UsageError, ValueError)


def test_a_budget_too_small_is_refused_and_the_least_one_does(kron: fg.Graph) -> None:
    with pytest.raises(fg.DoesNotFitError):
        fg.pagerank(kron, memory="16KiB", residency="stream")
    plan = fg.plan("pagerank", kron, residency="stream", memory="4MiB", page_size="16KiB")
    assert str(plan).splitlines()[0].startswith(f"pagerank of {kron.path}")
    least = plan["host"]["least_bytes"]
    fg.pagerank(kron, residency="stream", memory=least, page_size="16KiB")
    with pytest.raises(fg.DoesNotFitError):
        fg.pagerank(kron, residency="stream", memory=least // 2, page_size="16KiB")


def test_device_is_a_scope(kron: fg.Graph) -> None:
    with fg.device("cpu", memory="8MiB", residency="stream"):
        assert fg.cc(kron).report["residency"] == "stream"
        with fg.device(residency="auto"):
            assert fg.cc(kron).report["residency"] == "mapped"
        assert fg.cc(kron, residency="resident").report["residency"] == "resident"
    assert fg.cc(kron).report["residency"] == "mapped"
    with pytest.raises(fg.UsageError, match="no option 'colour'"), fg.device("cpu", colour=1):
        pass


@pytest.mark.gpu
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("residency", ["auto", "resident", "zerocopy", "managed", "stream"])
def test_the_same_on_a_gpu(name: str, residency: str, packages: fg.Graph, kron: fg.Graph) -> None:
    for graph in fitting(name, packages, kron):
        here = run(name, graph)
        with fg.device("cuda:0", memory="64MiB", residency=residency):
            there = run(name, graph).verify()
            assert there.report["device"]["kind"] == "cuda"
        for column, values in here.columns.items():
            if values.dtype.kind == "f":
                np.testing.assert_allclose(there.column(column), values, rtol=1e-4, atol=1e-6)
            else:
                assert np.array_equal(there.column(column), values)
        assert "cuda" in there.report.html()


@pytest.mark.gpu
def test_what_lies_in_a_gpu_stays_for_the_next_call(kron: fg.Graph) -> None:
    with fg.device("cuda", residency="resident"):
        first, second = fg.bfs(kron, 0), fg.bfs(kron, 1)
    assert second.report["load_seconds"] == first.report["load_seconds"]
    kron.close()


@pytest.mark.gpu
def test_a_budget_of_a_gpu_holds(kron: fg.Graph) -> None:
    with pytest.raises(fg.DoesNotFitError):
        fg.pagerank(kron, device="cuda", memory="4KiB")
    result = fg.pagerank(kron, device="cuda", memory="1MiB")
    assert result.report["peak_device_bytes"] <= 1 << 20


@pytest.mark.skipif(gpus() > 0, reason="there is a GPU")
def test_without_a_gpu_cuda_is_refused(kron: fg.Graph) -> None:
    with pytest.raises(fg.DeviceError):
        fg.cc(kron, device="cuda")


def test_the_result_outlives_the_graph() -> None:
    graph = fg.generate("rmat", scale=8)
    result = fg.pagerank(graph)
    alive = weakref.ref(graph._core)
    expected = result.values.copy()
    values = result.values
    del graph, result
    gc.collect()
    assert np.array_equal(values, expected)
    assert alive() is None, "an array alone keeps no graph"


def test_results_share_no_memory_with_later_ones(kron: fg.Graph) -> None:
    first = fg.bfs(kron, 0)
    before = first.values.copy()
    for source in range(1, 6):
        fg.bfs(kron, source)
    assert np.array_equal(first.values, before)


def test_many_graphs_leave_nothing_open() -> None:
    opened = len(list(pathlib.Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        fg.cc(fg.from_edges(np.array([[0, 1]])))
    gc.collect()
    assert len(list(pathlib.Path("/proc/self/fd").iterdir())) <= opened + 2


def test_functions_say_what_they_take() -> None:
    for name in ALGORITHMS:
        function = getattr(fg, name.replace("-", "_"))
        rows = "[pairs] u and v in rows" if name in OF_PAIRS else "[vertices] in rows"
        assert f"Columns, {rows}" in (function.__doc__ or "")
        for parameter in inspect.signature(function).parameters:
            assert f"{parameter}:" in function.__doc__ or parameter == "graph", (name, parameter)


def test_the_import_loads_nothing_heavy() -> None:
    heavy = ["scipy", "pandas", "networkx", "torch", "tqdm", "asyncio"]
    code = f"import sys, fathom; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
