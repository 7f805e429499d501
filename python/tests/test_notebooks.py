"""The notebooks of examples/python/notebooks run from the first cell to the last."""

from __future__ import annotations

import os
import pathlib
import time
from importlib.metadata import entry_points
from typing import Any

import pytest

import fathom as fg

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = pathlib.Path(__file__).parents[2] / "examples" / "python" / "notebooks"
NEEDS = {"networkx": ["networkx", "scipy"], "larger_than_memory": ["igraph"]}
LIMIT = 60  # seconds of one notebook on a busy machine; it should take less than 10 on an idle one


def run(name: str, monkeypatch: pytest.MonkeyPatch, directory: pathlib.Path) -> Any:
    """The notebook with its outputs."""
    package = str(pathlib.Path(fg.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(directory))
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=60, resources={"metadata": {"path": str(directory)}}
    )
    with client.setup_kernel():
        client.set_widgets_metadata()
        began = time.monotonic()
        for i, cell in enumerate(notebook.cells):
            client.execute_cell(cell, i)
        assert time.monotonic() - began < LIMIT
    return notebook


def outputs(notebook: Any) -> dict[str, str]:
    """All that is shown, by kind."""
    found: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind, data in output.get("data", {"text/plain": output.get("text", "")}).items():
                found[kind] = found.get(kind, "") + str(data)
    return found


def test_these_are_the_notebooks() -> None:
    names = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    assert names == {"larger_than_memory", "changing", "networkx"}


@pytest.mark.parametrize("name", ["larger_than_memory", "changing", "networkx"])
def test_notebooks_run(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    for need in NEEDS.get(name, []):
        pytest.importorskip(need)
    if name == "networkx" and not entry_points(group="networkx.backends", name="fathom"):
        pytest.skip("the package is on the path, but not installed")
    shown = outputs(run(name, monkeypatch, tmp_path))
    if name == "larger_than_memory":
        assert "<iframe srcdoc=" in shown["text/html"]
        assert "<svg" in shown["text/html"]
        assert "the host needs" in shown["text/plain"]
    if name == "changing":
        assert "both computed anew" in shown["text/plain"]
    if name == "networkx":
        assert "second call" in shown["text/plain"]


def test_notebooks_are_kept_without_outputs() -> None:
    for path in NOTEBOOKS.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs"), path.name
            assert cell.get("execution_count") is None, path.name
