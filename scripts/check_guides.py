#!/usr/bin/env python3
"""Runs the examples of the guides: scripts/check_guides.py FATHOM [PAGE...]

A fenced block of kind `console` has commands behind "$ " and, below each, what it prints; a line "..." stands for any lines, and "..."
at the end of a line for the rest of it.
The commands of a page run one after the other in a directory of its own, which has what GIVEN names; one that fails, or prints
something else, is a problem. Times, rates and numbers of iterations differ from run to run: any matches any other. Other
numbers with a decimal point are equal within a hundredth.

A line in italics before a block changes that:

    *Ends with exit status 4:*     the last command does, and what it prints to standard error is shown
    *Needs a GPU:*                 the commands run without one: they must be understood, and end for want of it (exit status 5)
    *Needs a file of your own:*    they must be understood, and end for want of a file (74)
    *Needs MPI:*                   the commands run where there is an mpirun and the program was built with MPI, else they are left out
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/index.md", "docs/getting-started.md", "docs/guides/*.md", "docs/reference/*.md"]
GIVEN = {"packages.tsv.gz": "data/debian-12-standard.tsv.gz", "h200-link.json": "docs/guides/h200-link.json"}
BLOCK = re.compile(r"((?:^\*[^*\n]*\*\n\n)?)^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"\b[\d.,:]+ ?(?:(?:ns|us|ms|s|min|h)\b|(?:(?:[kMG]?B|[KMGT]iB|million|updates)(?:/s\b| per second)))")
VARIES = re.compile(r"\b\d+ iterations, last change [\d.e-]+")
PATIENCE = 60  # seconds for a command


def steps(block):
    """The commands of a block, each with the lines shown below it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        elif found:
            found[-1][1].append(line)
    return found


def same(shown, printed):
    """Whether two lines say the same."""
    if shown.startswith("loaded in") and printed.startswith("loaded in"):
        return True
    if shown.endswith(" ..."):
        shown = shown[:-4]
        printed = " ".join(printed.split()[:len(shown.split())])
    shown, printed = ([w for w in VARIES.sub("#", MEASURED.sub("#", line)).split()] for line in (shown, printed))
    if len(shown) != len(printed):
        return False
    for a, b in zip(shown, printed):
        try:
            if a != b and not ("." in a and abs(float(a) - float(b)) <= .01 * abs(float(a))):
                return False
        except ValueError:
            return False
    return True


def matches(shown, printed):
    """Whether the lines are those shown, where "..." stands for any."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and same(shown[0], printed[0]) and matches(shown[1:], printed[1:])


def run(command, directory, fathom):
    path = f"{fathom.parent}:{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "CUDA_VISIBLE_DEVICES": "", "NO_COLOR": "1", "XDG_CACHE_HOME": str(directory / ".cache"),
                "TMPDIR": str(directory), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return subprocess.run(["bash", "-c", command], cwd=directory, env=settings, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)


def has_mpi(fathom):
    return shutil.which("mpirun") is not None and b"MPI_Allreduce" in fathom.read_bytes()


def check_page(page, directory, fathom):
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(2))
        where = f"{page.relative_to(ROOT)}:{line + 1}"
        lacking = 5 if "Needs a GPU" in block[1] else 74 if "Needs a file" in block[1] else 0
        status = re.search(r"exit status (\d+)", block[1])
        if "Needs MPI" in block[1] and not has_mpi(fathom):
            continue
        commands = steps(block[2])
        for i, (command, shown) in enumerate(commands):
            done = run(command, directory, fathom)
            wanted = int(status[1]) if status and i == len(commands) - 1 else lacking
            if done.returncode != wanted:
                yield f"{where}: `{command}` ended with status {done.returncode}, not {wanted}:\n{done.stdout}"
            elif not lacking and not matches(shown, done.stdout.splitlines()):
                yield f"{where}: `{command}` prints something else than is shown:\n{done.stdout}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    fathom = pathlib.Path(sys.argv[1]).resolve()
    pages = [pathlib.Path(p).resolve() for p in sys.argv[2:]] or [p for pattern in PAGES for p in sorted(ROOT.glob(pattern))]
    problems, blocks = [], 0
    for page in pages:
        blocks += len(BLOCK.findall(page.read_text(encoding="utf-8")))
        with tempfile.TemporaryDirectory(prefix="fathom-guide-") as scratch:
            directory = pathlib.Path(scratch)
            program = directory / ".bin" / "fathom"
            program.parent.mkdir()
            program.symlink_to(fathom)
            for name, place in GIVEN.items():
                (directory / name).write_bytes((ROOT / place).read_bytes())
            problems += check_page(page, directory, program)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"check_guides: {len(pages)} page(s), {blocks} block(s), {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
