"""Fathom analyses graphs that are larger than memory, on whatever a machine has.

    import fathom as fg

    g = fg.read("graph.fg")            # mapped, nothing is copied
    r = fg.pagerank(g)
    r.values, r["alice"], r.top(5)     # NumPy; by the labels that came in

    with fg.device("cuda:0", memory="8GiB"):
        print(fg.plan("pagerank", g))
        r = fg.pagerank(g, tol=1e-8)

Labels in are labels out; nothing is copied without a word; Ctrl-C works; errors are exceptions, one
class for each exit status of the command.
"""

from __future__ import annotations

from typing import Any

from . import _core
from .algorithms import *  # noqa: F403
from .algorithms import __all__ as _algorithms
from .batches import Applied, EdgeFields, Neighbors, VertexFields
from .commands import (
    Plan,
    command,
    convert,
    cross_edges,
    doctor,
    egonet,
    generate,
    plan,
    reorder,
    subgraph,
)
from .drawing import Drawing, draw
from .dynamic import DynamicGraph
from .errors import (
    BadInputError,
    DeviceError,
    DoesNotFitError,
    FathomError,
    InternalError,
    InterruptedByCaller,
    IoError,
    NotConvergedError,
    UsageError,
    VerificationError,
)
from .execution import Execution, device
from .following import Follow
from .graph import Graph, read
from .interop import from_edges, from_networkx, from_scipy
from .progress import progress
from .results import Report, Result
from .snapshots import Snapshot
from .sweeping import sweep
from .walking import walk_batches, walks

__version__: str = _core.version

__all__ = [
    *_algorithms,
    "Applied",
    "BadInputError",
    "DeviceError",
    "DoesNotFitError",
    "Drawing",
    "DynamicGraph",
    "EdgeFields",
    "Execution",
    "FathomError",
    "Follow",
    "Graph",
    "InternalError",
    "InterruptedByCaller",
    "IoError",
    "Neighbors",
    "NotConvergedError",
    "Plan",
    "Report",
    "Result",
    "Snapshot",
    "UsageError",
    "VerificationError",
    "VertexFields",
    "command",
    "convert",
    "cross_edges",
    "device",
    "doctor",
    "draw",
    "egonet",
    "from_edges",
    "from_networkx",
    "from_scipy",
    "generate",
    "plan",
    "progress",
    "read",
    "reorder",
    "subgraph",
    "sweep",
    "walk_batches",
    "walks",
]


def __getattr__(name: str) -> Any:
    """Parts that are loaded when they are first used."""
    if name in ("cuda", "nx", "pyg"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
