"""Tables for whoever reads Arrow's C stream interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core


class Table:
    """Columns by name, each an array (a masked one has nulls) or a list of str and None; nothing is
    copied but strings."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = dict(columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return stream_of(self.columns)


def stream_of(columns: Mapping[str, Any]) -> object:
    """A capsule "arrow_array_stream"."""
    return _core.arrow_stream(
        [escaped(name) for name in columns], [_column(column) for column in columns.values()]
    )


def escaped(text: str) -> str:
    """With escapes for bytes that are no UTF-8, which tables cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode()


def _column(values: Any) -> Any:
    """As the core takes it."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ascontiguousarray(values.data), np.ma.getmaskarray(values)
    if isinstance(values, np.ndarray) or not all(
        value is None or isinstance(value, str) for value in values
    ):
        return np.ascontiguousarray(values)
    return list(values)
