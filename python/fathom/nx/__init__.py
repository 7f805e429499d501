"""NetworkX's backend "fathom": `nx.pagerank(G, backend="fathom")`, or for all calls
`nx.config.backend_priority.algos = ["fathom"]`.

A `fathom.Graph` is a graph that NetworkX's functions take as it is, without a conversion:
`nx.pagerank(fathom.read("graph.fg"))`.
"""

from .graph import Graph
from .interface import BackendInterface

__all__ = ["BackendInterface", "Graph"]
