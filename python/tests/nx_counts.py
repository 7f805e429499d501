"""A plugin of pytest (`-p nx_counts`) that counts the calls NetworkX's dispatch brings to the
backend: those that ran here, and those that were refused, with reasons. Each process of the tests
writes what it counted to $FATHOM_NX_COUNTS."""

from __future__ import annotations

import collections
import functools
import json
import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

RAN: collections.Counter[str] = collections.Counter()
REFUSED: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)


def _counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
        except NotImplementedError as error:
            REFUSED[name][str(error)] += 1
            raise
        except Exception:
            RAN[name] += 1
            raise
        RAN[name] += 1
        return result

    return called


def pytest_configure(config: pytest.Config) -> None:
    from fathom.nx import interface

    backend = interface.BackendInterface
    may_run = backend.can_run

    def can_run(name: str, args: Any, kwargs: Any) -> bool | str:
        answer = may_run(name, args, kwargs)
        if isinstance(answer, str):
            REFUSED[name][answer] += 1
        return answer

    backend.can_run = can_run  # type: ignore[method-assign]
    for name in interface.FUNCTIONS:
        setattr(backend, name, _counting(name, getattr(backend, name)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    place = pathlib.Path(os.environ["FATHOM_NX_COUNTS"])
    counts = {"ran": RAN, "refused": REFUSED}
    (place / f"{os.getpid()}.json").write_text(json.dumps(counts))
