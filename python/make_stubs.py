#!/usr/bin/env python3
"""Writes python/fathom/_core.pyi: the types of the module in C++. --check: fails when the file is
not up to date. Needs nanobind, ruff, and the package on the path.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile

FILE = pathlib.Path(__file__).parent / "fathom" / "_core.pyi"


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        made = pathlib.Path(directory) / "_core.pyi"
        subprocess.run(
            [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fathom._core", "-o", made],
            check=True,
        )
        text = made.read_text()
    # What C++ calls an object may be anything; containers say nothing of what is in them.
    text = re.sub(r"-> object\b", "-> Any", text)
    text = re.sub(r"\b(list|dict|tuple)\b(?![\[(])", r"\1[\1_of]", text)
    for container, content in (("list", "Any"), ("dict", "Any, Any"), ("tuple", "Any, ...")):
        text = text.replace(f"{container}[{container}_of]", f"{container}[{content}]")
    text = re.sub(r"from typing import (.*)", r"from typing import Any, \1", text, count=1)
    text = '"""The module in C++. Made by python/make_stubs.py."""\n\n' + text
    for how in (["check", "--fix", "--select=I"], ["format", "--line-length=100"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *how, "--quiet", "--stdin-filename=_core.pyi", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    if "--check" not in sys.argv:
        FILE.write_text(text)
    elif FILE.read_text() != text:
        print(f"{FILE} is not what the module has: run {__file__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
