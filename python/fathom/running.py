"""How an algorithm is called: options as the core takes them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from . import _core, execution
from .errors import DoesNotFitError, FathomError, UsageError, argument_name
from .graph import Graph, GraphLike, Label, graph_of, labels_bytes
from .results import Result, checked

Masses: TypeAlias = "Mapping[Label, float] | np.ndarray[Any, Any]"
Pairs: TypeAlias = "Iterable[tuple[Label, Label]] | np.ndarray[Any, Any]"


class Option(NamedTuple):
    """Of an algorithm."""

    name: str  # the command's
    kind: str
    turns_off: bool  # a flag that is an argument which is True unless given
    planned: bool  # plans depend on it


@functools.cache
def options_of(algorithm: str) -> Mapping[str, Option]:
    """By the names of arguments. Raises UsageError for what is no algorithm."""
    return _options_among(_core.describe(), algorithm)


def planned_options_of(algorithm: str) -> Mapping[str, Option]:
    """The same of what plans are made of, whose functions need not take all of them."""
    return _options_among(_core.describe_planned(), algorithm)


def _options_among(descriptions: list[Any], algorithm: str) -> Mapping[str, Option]:
    described = {its["name"]: its["options"] for its in descriptions}
    if algorithm not in described:
        raise UsageError(
            f"there is no algorithm '{algorithm}'; there are {', '.join(sorted(described))}"
        )
    options = {}
    for its in described[algorithm]:
        turns_off = its["kind"] == "flag" and its["name"].startswith("no-")
        name = argument_name(its["name"].removeprefix("no-" if turns_off else ""))
        options[name] = Option(its["name"], its["kind"], turns_off, its["planned"])
    return options


def run(
    algorithm: str,
    graph: GraphLike,
    options: Mapping[str, Any],
    execution_options: Mapping[str, Any],
) -> Result:
    """Runs it. `options` by the command's names; None and False: not given."""
    graph = graph_of(graph, algorithm)
    own = options_of(algorithm)
    for option in execution_options:
        if option not in execution.NAMES:
            raise execution.unknown_option(option, algorithm, own)
    kinds = {option.name: option.kind for option in own.values()}
    given = {}
    for name, value in options.items():
        if value is None or value is False:
            continue
        if kinds[name] in ("vertex", "vertices"):
            value = labels_bytes(value, graph._string_labels)
            if len(value) == 0:
                raise UsageError(f"{name}: no vertex is given")
            if kinds[name] == "vertex" and len(value) != 1:
                raise UsageError(f"{name}: expected one vertex, found {len(value)}")
        elif kinds[name] == "masses":
            value = _masses(graph, name, value)
        elif kinds[name] == "pairs":
            value = _pairs(graph, name, value)
        given[name] = value
    words = execution.words_of(execution_options)
    try:
        core = graph._run(algorithm, given, words)
    except DoesNotFitError as error:
        raise DoesNotFitError(
            _what_would_do(algorithm, graph, given, words) or str(error)
        ) from None
    return checked(core, graph)


def _what_would_do(
    algorithm: str, graph: Graph, given: Mapping[str, Any], words: list[str]
) -> str | None:
    """What a plan says of a run that was refused: all that it needs. None: that it would fit."""
    if "_core" not in graph.__dict__:  # lists that change, which are not planned
        return None
    try:
        planned = planned_words(algorithm, given)
        _core.output_of(["plan", algorithm, graph._core.path, *planned, *words])
    except DoesNotFitError as error:
        return str(error).replace(graph._core.path, graph.path or "the graph")
    except FathomError:  # of what is not planned
        pass
    return None


def planned_words(algorithm: str, given: Mapping[str, Any]) -> list[str]:
    """Of options by the command's names those that plans depend on, as words of a command."""
    words = []
    for option in planned_options_of(algorithm).values():
        value = given.get(option.name)
        if not option.planned or value is None or value is False:
            continue
        name = f"--{option.name}"
        words.append(name if option.kind == "flag" else f"{name}={value}")
    return words


def _pairs(graph: Graph, name: str, value: Any) -> list[bytes]:
    """The labels of pairs, one behind the other."""
    rows = value.tolist() if isinstance(value, np.ndarray) else value
    labels: list[Any] = []
    for at, pair in enumerate(rows):
        if isinstance(pair, str | bytes) or not isinstance(pair, Iterable):
            raise UsageError(f"{name}[{at}]: expected two labels, found {pair!r}")
        both = tuple(pair)
        if len(both) != 2:
            raise UsageError(f"{name}[{at}]: expected two labels, found {len(both)}")
        labels += both
    return labels_bytes(labels, graph._string_labels)


def _masses(graph: Graph, name: str, value: Any) -> np.ndarray[Any, Any]:
    """[vertices] in rows."""
    if not isinstance(value, Mapping):
        try:
            return np.ascontiguousarray(value, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name}: expected numbers: {error}") from None
    masses = np.zeros(graph.vertices, dtype=np.float64)
    for label, mass in value.items():
        try:
            masses[graph.row(label)] += float(mass)
        except KeyError:
            raise UsageError(f"{name}: the graph has no vertex {label!r}") from None
        except (TypeError, ValueError):
            raise UsageError(f"{name}[{label!r}]: expected a number, found {mass!r}") from None
    return masses
