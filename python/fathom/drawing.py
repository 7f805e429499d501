"""Small graphs as drawings: vertices where a layout of igraph puts them, in one SVG that needs
nothing else. Lines and text have the colour of the text around them, light or dark.

Parts that are not connected are laid out alone (Kamada and Kawai, Information Processing Letters
31, 1989) and stand in rows, largest first.
"""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import UsageError
from .graph import graph_of
from .results import write_whole
from .shades import Shades, visible
from .sweeping import sweep

if TYPE_CHECKING:
    from .graph import Graph, Path, SupportsGraph

Array = np.ndarray[Any, Any]

# More than this is no picture any more.
MOST_VERTICES = 300
MOST_EDGES = 5000
# With more vertices labels overlap: they are shown under the pointer alone.
MOST_LABELS = 60
LABEL_LENGTH = 24

WIDTH, HEIGHT = 720.0, 480.0
LONGEST_UNIT = 90.0  # of the drawing, for an edge of length 1
RADIUS, LARGEST_RADIUS = 5.0, 14.0

STANDALONE = (
    "<style>svg{color:#222;background:#fff}"
    "@media(prefers-color-scheme:dark){svg{color:#ddd;background:#1b1b1b}}</style>"
)


class Drawing:
    """A drawing: shows itself in a notebook.

    svg:  one element <svg>, to be put into a page.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Path) -> None:
        """As a file of its own, light or dark as who looks at it prefers. Raises IoError."""
        head, end, rest = self.svg.partition(">")
        write_whole(os.fspath(path), head + end + STANDALONE + rest + "\n")

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<fathom.Drawing: {len(self.svg):,} bytes of SVG>"


def draw(
    graph: Graph | SupportsGraph, *, color: Any = None, size: Any = None, labels: bool | None = None
) -> Drawing:
    """A small graph as a drawing.

    graph:   of at most 300 vertices and 5000 edges: an ego net (`egonet`), a part (`subgraph`).
    color:   of vertices, by a Result (of this graph or of one that has its labels) or numbers
             [vertices]; sets, such as components, get a colour each, as far as there are.
    size:    likewise; areas go with values.
    labels:  beside the vertices; None: where there are at most 60. Under the pointer always.
    The same drawing for the same graph.
    Raises UsageError for a larger graph, ImportError without igraph.
    """
    graph = graph_of(graph, "draw")
    if reason := _too_large(graph):
        raise UsageError(f"{reason}; draw a part of it: fathom.egonet, fathom.subgraph")
    if not _igraph_is_there():
        raise ImportError(_without_igraph())
    return Drawing(
        _svg(graph, color, size, graph.vertices <= MOST_LABELS if labels is None else labels)
    )


def shown(graph: Graph) -> str:
    """The graph's line, and below it the drawing of a small one."""
    line = f"<div>{_escaped(repr(graph))}</div>"
    if graph.vertices == 0 or _too_large(graph):
        return line
    if not _igraph_is_there():
        return f"{line}<div><small>{_escaped(_without_igraph())}</small></div>"
    return line + draw(graph).svg


def _too_large(graph: Graph) -> str:
    edges = graph.edges if graph.directed else graph.edges // 2
    if graph.vertices > MOST_VERTICES:
        return f"a drawing has at most {MOST_VERTICES} vertices; this graph has {graph.vertices:,}"
    if edges > MOST_EDGES:
        return f"a drawing has at most {MOST_EDGES} edges; this graph has {edges:,}"
    return ""


def _igraph_is_there() -> bool:
    try:
        import igraph  # noqa: F401
    except ImportError:
        return False
    return True


def _without_igraph() -> str:
    return "drawing a graph needs igraph: pip install 'fathom-graph[report]'"


class _Look(NamedTuple):
    """Of one vertex."""

    x: float
    y: float
    radius: float
    fill: str
    label: str
    says: str  # under the pointer
    leftward: bool  # most neighbours are to the right, and the label is to the left


def _svg(graph: Graph, color: Any, size: Any, labels: bool) -> str:
    edges = _edges(graph)
    names = [visible(str(label)) for label in graph]
    shades = Shades(graph, "color", color)
    sizes = Shades(graph, "size", size)
    beside = 6.2 * max((len(_short(name)) for name in names), default=0) if labels else 0.0
    places, width, height, unit = _places(graph.vertices, edges, beside)
    largest = min(LARGEST_RADIUS, unit * 0.45)
    leftward = _leftward(places, edges)
    looks = [
        _Look(
            x,
            y,
            min(RADIUS, unit * 0.3) if size is None else sizes.radius(row, largest),
            shades.fill(row),
            names[row],
            shades.says(row) + sizes.says(row),
            leftward[row],
        )
        for row, (x, y) in enumerate(places)
    ]
    legend = shades.legend(height)
    height += 26 if legend else 0
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img" '
            f'aria-label="{_escaped(repr(graph))}" '
            'font-family="system-ui, sans-serif" font-size="11" fill="currentColor" '
            'style="max-width: 100%; height: auto">',
            *_lines(looks, edges, graph.directed),
            *_vertices(looks),
            *(_texts(looks) if labels else ()),
            legend,
            "</svg>",
        ]
    )


def _edges(graph: Graph) -> Array:
    """[edges, 2] in rows, each pair once; of an undirected graph in one direction."""
    pages = [np.stack([page.source, page.target], axis=1) for page in sweep(graph)]
    pairs = np.concatenate(pages).astype(np.int64) if pages else np.zeros((0, 2), np.int64)
    if not graph.directed:
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
    return np.unique(pairs, axis=0)


def _places(n: int, edges: Array, beside: float) -> tuple[Array, float, float, float]:
    """[n, 2] of the drawing, its width and height, and what an edge of length 1 is in it.
    `beside`: what the longest label takes."""
    import igraph

    parts = []
    for rows in igraph.Graph(n, edges.tolist()).components():
        part = np.array(rows)
        ours = edges[np.isin(edges[:, 0], part)]
        net = igraph.Graph(len(part), np.searchsorted(part, ours).tolist()).simplify()
        spots = np.array(net.layout_kamada_kawai().coords) if len(part) > 1 else np.zeros((1, 2))
        parts.append((part, spots - spots.min(axis=0)))
    places = np.zeros((n, 2))
    width, height = _packed(parts, places, 0.7 + beside / LONGEST_UNIT)
    margin = np.array([LARGEST_RADIUS + 4 + beside, LARGEST_RADIUS + 4])
    room = np.array([WIDTH, HEIGHT]) - 2 * margin
    unit = min(LONGEST_UNIT, room[0] / max(width, 1e-9), room[1] / max(height, 1e-9))
    across, down = np.array([width, height]) * unit + 2 * margin
    return places * unit + margin, max(across, 160), down, unit


def _packed(parts: list[tuple[Array, Array]], places: Array, gap: float) -> tuple[float, float]:
    """Puts parts into rows, the highest first. Returns the width and the height."""
    boxes = [spots.max(axis=0) + np.array([gap, 0.7]) for _, spots in parts]
    across = max(
        math.sqrt(1.4 * sum(box[0] * box[1] for box in boxes)),
        max((box[0] for box in boxes), default=0),
    )
    x = y = row_height = width = 0.0
    for i in sorted(range(len(parts)), key=lambda i: (-boxes[i][1], -boxes[i][0])):
        if x > 0 and x + boxes[i][0] > across + 1e-9:
            x, y, row_height = 0.0, y + row_height, 0.0
        rows, spots = parts[i]
        places[rows] = spots + np.array([x, y])
        x += boxes[i][0]
        row_height = max(row_height, boxes[i][1])
        width = max(width, x)
    return max(width - gap, 0.0), max(y + row_height - 0.7, 0.0)


def _leftward(places: Array, edges: Array) -> list[bool]:
    """Whose neighbours are to the right, taken together."""
    pull = np.zeros(len(places))
    away = places[edges[:, 1], 0] - places[edges[:, 0], 0]
    np.add.at(pull, edges[:, 0], away)
    np.add.at(pull, edges[:, 1], -away)
    return [bool(one > 1e-6) for one in pull]


def _lines(looks: list[_Look], edges: Array, directed: bool) -> Iterator[str]:
    """One path for all lines, one for all heads of arrows; a loop is a ring above its vertex."""
    lines, heads = [], []
    for source, target in edges.tolist():
        a, b = looks[source], looks[target]
        length = math.hypot(b.x - a.x, b.y - a.y)
        if source == target:
            lines.append(f"M{a.x:.1f} {a.y - a.radius + 2:.1f}a5 5 0 1 1 .1 0")
            continue
        lines.append(f"M{a.x:.1f} {a.y:.1f}L{b.x:.1f} {b.y:.1f}")
        if directed and length > 0:
            along = (b.x - a.x) / length, (b.y - a.y) / length
            tip = b.x - along[0] * b.radius, b.y - along[1] * b.radius
            end = tip[0] - along[0] * 7, tip[1] - along[1] * 7
            side = -along[1] * 2.6, along[0] * 2.6
            heads.append(
                f"M{tip[0]:.1f} {tip[1]:.1f}L{end[0] + side[0]:.1f} {end[1] + side[1]:.1f}"
                f"L{end[0] - side[0]:.1f} {end[1] - side[1]:.1f}Z"
            )
    if lines:
        yield (
            f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-width=".8" '
            'opacity=".45"/>'
        )
    if heads:
        yield f'<path d="{"".join(heads)}" opacity=".7"/>'


def _vertices(looks: list[_Look]) -> Iterator[str]:
    yield '<g stroke="currentColor" stroke-width=".7">'
    for look in looks:
        yield (
            f'<circle cx="{look.x:.1f}" cy="{look.y:.1f}" r="{look.radius:.1f}" '
            f'fill="{look.fill}"><title>{html.escape(look.label + look.says)}</title></circle>'
        )
    yield "</g>"


def _texts(looks: list[_Look]) -> Iterator[str]:
    for look in looks:
        aside = look.radius + 3
        x, anchor = (
            (look.x - aside, ' text-anchor="end"') if look.leftward else (look.x + aside, "")
        )
        yield (
            f'<text x="{x:.1f}" y="{look.y + 3.8:.1f}"{anchor}>'
            f"{html.escape(_short(look.label))}</text>"
        )


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _short(label: str) -> str:
    return label if len(label) <= LABEL_LENGTH else label[: LABEL_LENGTH - 1] + "…"
