#!/usr/bin/env python3
"""Every place that opens a file for reading is named in tests/fuzz/README.md, with targets that there are and that have a
corpus; and every target is named there."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUZZ = ROOT / "tests" / "fuzz"
OPENS = re.compile(r'std::ifstream|\bO_RDONLY\b|fopen\([^)]*"r|std::fstream|\bfreopen\(')


def readers():
    for folder in ("fathom", "cli", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".cpp", ".hpp", ".cu", ".cuh"} and OPENS.search(path.read_text()):
                yield str(path.relative_to(ROOT))


def table():
    places, targets = set(), set()
    for line in (FUZZ / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in {"what is read", "---"}:
            continue
        places.update(re.findall(r"`([^`]+)`", cells[1]))
        targets.update(re.findall(r"`([^`]+)`", cells[2]))
    return places, targets


def main():
    opened, sources = set(readers()), {path.stem for path in FUZZ.glob("*.cpp")}
    places, targets = table()
    wrong = [f"{place} opens files and is not in tests/fuzz/README.md" for place in sorted(opened - places)]
    wrong += [f"tests/fuzz/README.md names {place}, which opens no file" for place in sorted(places - opened)]
    wrong += [f"the target {name} is not in tests/fuzz/README.md" for name in sorted(sources - targets)]
    wrong += [f"tests/fuzz/README.md names {name}, which is no target" for name in sorted(targets - sources)]
    for name in sorted(sources):
        corpus = FUZZ / "corpus" / name
        if not corpus.is_dir() or not any(corpus.iterdir()):
            wrong.append(f"the target {name} has no corpus in tests/fuzz/corpus/")
    for line in wrong:
        print(f"check_fuzz: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
