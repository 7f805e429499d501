"""Progress of long work: bars by tqdm, where it is installed."""

from __future__ import annotations

import sys
from typing import Any

from . import _core


class _Bars:
    """A bar for each phase of the work, one after the other."""

    def __init__(self, make: Any) -> None:
        self.make = make
        self.phase: tuple[str, int, str] | None = None
        self.bar: Any = None

    def __call__(self, phase: str | None, done: int, total: int, unit: str) -> None:
        now = None if phase is None else (phase, total, unit)
        if now != self.phase and self.bar is not None:
            self.bar.close()
            self.bar = None
        self.phase = now
        if phase is None:
            return
        if self.bar is None:
            scaled = unit == "B" or total > 100_000
            self.bar = self.make(
                desc=phase, total=total or None, unit=f" {unit}", unit_scale=scaled, leave=False
            )
        self.bar.n = done
        self.bar.refresh()


def progress(show: bool | None = None) -> None:
    """Whether work of more than a second shows a bar: on a terminal and in notebooks by tqdm
    (package `tqdm`, whose absence is no error). True and False say so; None: where there is a
    terminal or a notebook, as at first.
    """
    _core.set_progress_hook(_first_call if (show is None and _seen()) or show else None)


def _seen() -> bool:
    notebook = "ipykernel" in sys.modules
    return notebook or (sys.stderr is not None and sys.stderr.isatty())


def _first_call(phase: str | None, done: int, total: int, unit: str) -> None:
    """Loads tqdm only when there is something to show."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        _core.set_progress_hook(None)
        return
    bars = _Bars(tqdm)
    _core.set_progress_hook(bars)
    bars(phase, done, total, unit)


progress()
