"""Drawings of small graphs."""

from __future__ import annotations

import itertools
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import fathom as fg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", 'a"b&c', "x\u202ey\x1b"]


def elements(drawing: fg.Drawing, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing.svg).iter(SVG + name))


def titles(drawing: fg.Drawing) -> list[str]:
    return [title.text or "" for title in elements(drawing, "title")]


def fills(drawing: fg.Drawing) -> list[str]:
    return [circle.attrib["fill"] for circle in elements(drawing, "circle")]


@pytest.fixture
def with_igraph() -> None:
    pytest.importorskip("igraph")


@pytest.mark.usefixtures("with_igraph")
class TestDrawings:
    def test_vertices_lines_and_arrows(self, diamond: fg.Graph) -> None:
        drawing = fg.draw(diamond)
        assert titles(drawing) == ["0", "1", "2", "3", "7"]
        assert [text.text for text in elements(drawing, "text")] == ["0", "1", "2", "3", "7"]
        lines, heads = elements(drawing, "path")
        assert lines.attrib["d"].count("L") == 4
        assert heads.attrib["d"].count("Z") == 4
        assert fg.draw(diamond).svg == drawing.svg

    def test_lines_of_an_undirected_graph_have_no_heads_and_are_drawn_once(self) -> None:
        ring = fg.from_edges([[0, 1], [1, 2], [2, 0], [0, 1], [2, 2]], directed=False)
        (lines,) = elements(fg.draw(ring), "path")
        assert lines.attrib["d"].count("L") == 3
        assert lines.attrib["d"].count("a") == 1  # the loop

    def test_vertices_stand_apart_and_inside(self) -> None:
        graph = fg.generate("uniform", scale=7, edge_factor=1)  # many components
        drawing = fg.draw(graph)
        _, _, width, height = map(
            float, ElementTree.fromstring(drawing.svg).attrib["viewBox"].split()
        )
        places = [
            (float(c.attrib["cx"]), float(c.attrib["cy"])) for c in elements(drawing, "circle")
        ]
        assert len(places) == graph.vertices
        assert all(0 < x < width and 0 < y < height for x, y in places)
        assert width <= 720
        assert height <= 480
        apart = min(np.hypot(a - c, b - d) for (a, b), (c, d) in itertools.combinations(places, 2))
        assert apart > 1

    def test_labels_are_escaped(self) -> None:
        graph = fg.from_edges(source=HOSTILE[:2], target=HOSTILE[1:])
        drawing = fg.draw(graph)
        assert titles(drawing) == sorted([HOSTILE[0], HOSTILE[1], "x\\u{202e}y\\x1b"])
        assert "<script" not in drawing.svg + graph._repr_html_()
        long = fg.draw(fg.from_edges(source=["a" * 100], target=["b"]))
        assert titles(long) == ["a" * 100, "b"]
        assert elements(long, "text")[0].text == "a" * 23 + "…"

    def test_labels_are_left_out_of_larger_graphs(self) -> None:
        graph = fg.generate("grid", rows=10, cols=10)
        assert elements(fg.draw(graph), "text") == []
        assert len(elements(fg.draw(graph, labels=True), "text")) == 100

    def test_colours_and_sizes_by_a_result(self, diamond: fg.Graph) -> None:
        depth = fg.bfs(diamond, 0)
        drawing = fg.draw(diamond, color=depth, size=depth)
        colours = fills(drawing)
        assert colours[0] == "#440154"  # the least, the largest
        assert colours[3] == "#fde725"
        assert colours[1] == colours[2]
        assert titles(drawing)[4] == "7\ndepth: none\ndepth: none"
        assert colours[4] not in colours[:4]
        radii = [float(c.attrib["r"]) for c in elements(drawing, "circle")]
        assert radii[0] < radii[1] == radii[2] < radii[3]
        assert [t.text for t in elements(drawing, "text")][-2:] == ["depth 0", "2"]

    def test_a_colour_for_each_set(self) -> None:
        graph = fg.from_edges(source=["a", "c", "e"], target=["b", "d", "e"], directed=False)
        drawing = fg.draw(graph, color=fg.cc(graph))
        a, b, c, d, e = fills(drawing)
        assert a == b != c == d != e != a
        assert titles(drawing)[1] == "b\ncomponent: a"

    def test_a_result_of_the_graph_that_an_ego_net_is_of(self, packages: fg.Graph) -> None:
        ranks = fg.pagerank(packages)
        net = fg.egonet(packages, "bash")
        said = dict(title.split("\nrank: ") for title in titles(fg.draw(net, color=ranks)))
        assert said == {label: f"{ranks[label]:g}" for label in net}
        with pytest.raises(fg.UsageError, match="pagerank has no vertex 'q'"):
            fg.draw(fg.from_edges(source=["q"], target=["bash"]), size=ranks)

    def test_numbers_of_the_caller(self, diamond: fg.Graph) -> None:
        colours = fills(fg.draw(diamond, color=[0, 1, 2, np.nan, 4]))
        assert colours[0] == "#440154"
        assert colours[4] == "#fde725"
        for wrong in ([1, 2], ["a"] * 5, np.zeros((5, 1))):
            with pytest.raises(fg.UsageError, match="color: expected a Result or 5 numbers"):
                fg.draw(diamond, color=wrong)

    def test_notebooks_show_small_graphs(self, diamond: fg.Graph) -> None:
        shown = diamond._repr_html_()
        assert "5 vertices, 4 edges, directed" in shown
        assert fg.draw(diamond).svg in shown

    def test_graphs_that_change(self, diamond: fg.Graph) -> None:
        dyn = fg.DynamicGraph(diamond)
        assert titles(fg.draw(dyn)) == titles(fg.draw(diamond))
        dyn.apply(insert=[(3, 7)], delete_vertices=[0])
        drawing = fg.draw(dyn, color=dyn.follow("cc").result)
        assert [title.partition("\n")[0] for title in titles(drawing)] == ["1", "2", "3", "7"]
        assert elements(drawing, "path")[0].attrib["d"].count("L") == 3
        assert dyn.snapshot()._repr_html_().count("<circle") == 4

    def test_files_are_whole(self, diamond: fg.Graph, tmp_path: pathlib.Path) -> None:
        fg.draw(diamond).save(tmp_path / "graph.svg")
        root = ElementTree.parse(tmp_path / "graph.svg").getroot()
        assert root.tag == SVG + "svg"
        style = root.find(SVG + "style")
        assert style is not None
        assert "prefers-color-scheme:dark" in (style.text or "")
        with pytest.raises(fg.IoError, match="nowhere"):
            fg.draw(diamond).save(tmp_path / "nowhere" / "graph.svg")

    def test_nothing_is_loaded_from_elsewhere(self, packages: fg.Graph) -> None:
        svg = fg.draw(fg.egonet(packages, "bash")).svg
        assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
        assert "href" not in svg


def test_larger_graphs_are_a_line(kron: fg.Graph) -> None:
    assert "<svg" not in kron._repr_html_()
    assert "4,096 vertices" in kron._repr_html_()
    with pytest.raises(fg.UsageError, match=r"at most 300 vertices; this graph has 4,096.*egonet"):
        fg.draw(kron)
    many = fg.generate("uniform", scale=8, edge_factor=25)
    with pytest.raises(fg.UsageError, match="at most 5000 edges"):
        fg.draw(many)
    assert "<svg" not in many._repr_html_()


def test_an_empty_graph_is_a_line() -> None:
    assert "0 vertices" in fg.from_edges(np.zeros((0, 2), dtype=int))._repr_html_()


def test_without_igraph_a_word(diamond: fg.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert "pip install" in diamond._repr_html_()
    with pytest.raises(ImportError, match=r"igraph: pip install 'fathom-graph\[report\]'"):
        fg.draw(diamond)
