"""What values per vertex look like in a drawing: colours, areas, a legend, words."""

from __future__ import annotations

import html
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import UsageError
from .results import Result

if TYPE_CHECKING:
    from .graph import Array, Graph

PLAIN = "#4c7fd9"
NONE = "#9a9a9a"
RAMP = [(0x44, 0x01, 0x54), (0x3B, 0x52, 0x8B), (0x21, 0x91, 0x8C), (0x5E, 0xC9, 0x62)]
RAMP += [(0xFD, 0xE7, 0x25)]  # viridis
SETS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7a5cc9"]

# Control characters, marks of direction and halves of surrogates are shown, not obeyed.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    return UNSEEN.sub(
        lambda m: f"\\x{ord(m[0]):02x}" if m[0] < "\x80" else f"\\u{{{ord(m[0]):x}}}", text
    )


class Shades:
    """What values per vertex look like: colours along a ramp, or one per set; areas."""

    def __init__(self, graph: Graph, argument: str, given: Any) -> None:
        self.given = given is not None
        self.name, self.values, self.sets = argument, np.zeros(graph.vertices), False
        self.texts: list[str] | None = None
        if isinstance(given, Result):
            self.name, self.values, self.sets, self.texts = _looked_up(graph, argument, given)
        elif given is not None:
            self.values = np.asarray(given)
            if self.values.shape != (graph.vertices,) or self.values.dtype.kind not in "iufb":
                raise UsageError(
                    f"{argument}: expected a Result or {graph.vertices} numbers, found "
                    f"{list(self.values.shape)} of {self.values.dtype}"
                )
        self.values = self.values.astype(np.float64)
        self.there = np.isfinite(self.values)
        known = self.values[self.there]
        self.least = float(known.min()) if len(known) else 0.0
        self.most = float(known.max()) if len(known) else 0.0
        sizes = np.unique(known, return_counts=True)
        largest = np.argsort(-sizes[1], kind="stable")[: len(SETS)]
        self.of_sets: dict[float, str] = dict(zip(sizes[0][largest].tolist(), SETS, strict=False))

    def share(self, row: int) -> float:
        """Of a value between the least and the largest, 0 to 1."""
        span = self.most - self.least
        return float((self.values[row] - self.least) / span) if span > 0 else 0.5

    def fill(self, row: int) -> str:
        if not self.given:
            return PLAIN
        if not self.there[row]:
            return NONE
        if self.sets:
            return self.of_sets.get(float(self.values[row]), NONE)
        return _ramp(self.share(row))

    def radius(self, row: int, largest: float) -> float:
        """Of a disc whose area goes with the value, and that can still be seen."""
        share = self.share(row) if self.there[row] else 0.0
        return max(largest * math.sqrt(share), min(2.5, largest))

    def says(self, row: int) -> str:
        if not self.given:
            return ""
        value = self.texts[row] if self.texts else f"{self.values[row]:g}"
        return f"\n{self.name}: {value}"

    def legend(self, y: float) -> str:
        """The ramp, from the least to the largest value."""
        if not self.given or self.sets or not self.there.any():
            return ""
        low, high = (f"{value:g}" for value in (self.least, self.most))
        before = f"{visible(self.name)} {low}"
        x = 12 + 6.5 * len(before)
        steps = [
            f'<rect x="{x + 5 * i:.1f}" y="{y + 4:.1f}" width="5.2" height="10" '
            f'fill="{_ramp((i + 0.5) / 20)}"/>'
            for i in range(20)
        ]
        return (
            f'<text x="{x - 5:.1f}" y="{y + 13:.1f}" text-anchor="end">{html.escape(before)}</text>'
            + "".join(steps)
            + f'<text x="{x + 105:.1f}" y="{y + 13:.1f}">{high}</text>'
        )


def _looked_up(graph: Graph, argument: str, result: Result) -> tuple[str, Array, bool, list[str]]:
    """Name, values (NaN: none), whether they are sets, and how each is written; of a result of
    another graph those of the same labels."""
    name = result._first()
    rows = []
    texts = []
    for label in graph:
        try:
            rows.append(result.graph.row(label))
        except KeyError:
            raise UsageError(f"{argument}: {result.algorithm} has no vertex {label!r}") from None
        value = result[label]
        texts.append(
            "none"
            if value is None
            else visible(f"{value:g}" if isinstance(value, float) else str(value))
        )
    values = result.values[rows].astype(np.float64)
    if result._may_lack[name]:
        values[values == -1] = np.nan
    return name, values, result._kinds[name] != "number", texts


def _ramp(share: float) -> str:
    at = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    i = min(int(at), len(RAMP) - 2)
    mixed = (round(a + (b - a) * (at - i)) for a, b in zip(RAMP[i], RAMP[i + 1], strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
