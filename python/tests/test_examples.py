"""The programs of examples/python run."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

import fathom as fg

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize(
    "options", [[], ["--residency", "stream", "--memory", "8MiB"]], ids=["mapped", "streamed"]
)
def test_graphsage_learns(options: list[str]) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    path = [str(pathlib.Path(fg.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, EXAMPLES / "train_graphsage.py", "--scale", "12", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    alone, reached = map(float, re.findall(r"test accuracy ([\d.]+)", done.stdout))
    assert alone < 0.5 < 0.9 <= reached
