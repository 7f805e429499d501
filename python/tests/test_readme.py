"""The pages on Python do what they say: every block runs, in order, and prints what is shown.

A fenced block of kind `python` runs after those before it on its page, in a directory of its own; a
block of kind `text` that follows is what it prints. Times and rates differ from run to run, and
"..." stands for anything, as scripts/check_guides.py has it.
A line in italics before a block says when it is skipped:

    *Needs a GPU:*            without one
    *Needs polars, scipy:*    without one of these packages; "networkx" is Fathom's backend, too
    *Raises BadInputError:*   is no reason to skip: the block raises it
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
from importlib.metadata import entry_points
from typing import Any, NamedTuple

import pytest

import fathom as fg

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["README.md", "python/README.md", "docs/guides/python.md"]
GIVEN = {"packages.tsv.gz": "data/debian-12-standard.tsv.gz"}  # in the directory
BLOCK = re.compile(
    r"(?:^\*(Needs|Raises) ([^*\n]*):\*\n\n)?^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)

sys.path.insert(0, str(ROOT / "scripts"))
from check_guides import matches  # noqa: E402


class Block(NamedTuple):
    line: int
    kind: str  # "", "Needs" or "Raises"
    words: list[str]
    code: str
    shown: str | None


def blocks_of(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(
            text.count("\n", 0, found.start(3)) + 1,
            found[1] or "",
            re.split(r",? and |, ", found[2] or ""),
            found[3],
            found[4],
        )
        for found in BLOCK.finditer(text)
    ]


def lacks(need: str) -> bool:
    if need == "a GPU":
        return not fg.doctor()["cuda"]["devices"]
    if need == "networkx" and not entry_points(group="networkx.backends", name="fathom"):
        return True  # the package is on the path, but not installed
    return importlib.util.find_spec(need) is None


def run(page: str, block: Block, names: dict[str, Any]) -> list[str]:
    """The lines that it prints. Tracebacks name the page and its line."""
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.code, page, "exec")
    with contextlib.redirect_stdout(printed):
        if block.kind == "Raises":
            with pytest.raises(getattr(fg, block.words[0])) as raised:
                exec(code, names)
            printed.write(str(raised.value) + "\n")
        else:
            exec(code, names)
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_pages_do_what_they_say(
    page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))  # no measured rates
    for name, place in GIVEN.items():
        (tmp_path / name).write_bytes((ROOT / place).read_bytes())
    names: dict[str, Any] = {"__name__": "page"}
    blocks = blocks_of(page)
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(blocks) == len(re.findall("^```python$", text, re.MULTILINE)) > 0
    skipped = 0
    for block in blocks:
        if block.kind == "Needs" and any(map(lacks, block.words)):
            skipped += 1
            continue
        printed = run(page, block, names)
        shown = [] if block.shown is None else block.shown.splitlines()
        assert matches(shown, printed), f"{page}:{block.line} prints\n" + "\n".join(printed)
    assert skipped <= len(blocks) / 2


def test_the_first_block_needs_numpy_alone(tmp_path: pathlib.Path) -> None:
    """As someone runs it who has just installed the wheel."""
    first = blocks_of("python/README.md")[0]
    others = ["scipy", "pandas", "polars", "pyarrow", "networkx", "igraph", "torch", "tqdm"]
    hidden = f"import sys; sys.modules.update(dict.fromkeys({others}))\n"
    path = pathlib.Path(fg.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", f"{hidden}sys.path.insert(0, {str(path)!r})\n{first.code}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert matches((first.shown or "").splitlines(), done.stdout.splitlines()), done.stdout
