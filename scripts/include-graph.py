#!/usr/bin/env python3
"""Writes which file of a directory includes which, one "file<TAB>included file" line per directive:
a real directed graph, made of what is on the machine.

    scripts/include-graph.py /usr/include -o includes.tsv
    fathom convert includes.tsv -o includes.fg --directed --labels strings

Names are resolved as the preprocessor does: "x" beside the file first, then "x" and <x> along the
roots (-I, by default DIRECTORY and those of its folders that compilers search), where the first that has
the file counts. Files outside DIRECTORY, names that are macros and files that are not found are
left out; conditions are not evaluated. #include_next goes on after the root that the file is in.
Links to files are followed, and a file has one name, its real one; the output is in the order of names.
"""

import argparse
import os
import pathlib
import re
import sys

DIRECTIVE = re.compile(rb'^[ \t]*#[ \t]*(include|include_next|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)',
                       re.MULTILINE)
COMMENT = re.compile(rb'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
ENDINGS = {".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tcc", ".def", ".cuh", ".c", ".cc",
           ".cpp", ".cxx", ".cu", ""}


def default_roots(directory):
    """DIRECTORY, its c++/VERSION (the newest) and its MACHINE-linux-gnu, as far as they are there."""
    versions = [p for p in directory.glob("c++/*") if p.name.isdigit() and p.is_dir()]
    newest = sorted(versions, key=lambda p: int(p.name))[-1:]
    machines = sorted(p for p in directory.glob("*-linux-gnu*") if p.is_dir())
    of_newest = [m / "c++" / n.name for n in newest for m in machines if (m / "c++" / n.name).is_dir()]
    return [*newest, *of_newest, *machines, directory]


def sources(directory):
    """The real paths of all files that may include others."""
    found = set()
    for folder, folders, names in os.walk(directory):
        folders.sort()
        for name in names:
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1].lower() in ENDINGS and os.path.isfile(path):
                found.add(os.path.realpath(path))
    return sorted(found)


def without_comments(text):
    """Strings stay as they are: they may hold what looks like a comment."""
    def blank(match):
        return match[0] if match[0].startswith(b'"') else b" " + b"\n" * match[0].count(b"\n")
    return COMMENT.sub(blank, text)


class Resolver:
    """Finds included files; remembers what is where."""

    def __init__(self, roots):
        self.roots = [os.path.realpath(root) for root in roots]
        self.known = {}

    def real(self, path):
        if path not in self.known:
            self.known[path] = os.path.realpath(path) if os.path.isfile(path) else None
        return self.known[path]

    def root_of(self, path):
        """The number of the innermost root that a file is in."""
        inside = [(len(root), -i) for i, root in enumerate(self.roots) if path.startswith(root + os.sep)]
        return -max(inside)[1] if inside else -1

    def find(self, path, how, quoted, name):
        first = 0
        if how == "include_next":
            first = self.root_of(path) + 1
        elif quoted:
            beside = self.real(os.path.join(os.path.dirname(path), name))
            if beside:
                return beside
        for root in self.roots[first:]:
            found = self.real(os.path.join(root, name))
            if found:
                return found
        return None


def edges(directory, roots):
    """(file, included file), relative to the directory, in order; each pair once."""
    top = os.path.realpath(directory)
    resolver = Resolver(roots)
    for path in sources(top):
        try:
            with open(path, "rb") as file:
                text = file.read()
        except OSError as error:
            print(f"include-graph: left out: {error}", file=sys.stderr)
            continue
        if b"\0" in text or b"include" not in text and b"import" not in text:
            continue
        seen = set()
        for how, quoted, angled in DIRECTIVE.findall(without_comments(text)):
            name = os.fsdecode(quoted or angled)
            found = resolver.find(path, how.decode(), bool(quoted), name)
            if found and found not in seen and found.startswith(top + os.sep):
                seen.add(found)
                yield os.path.relpath(path, top), os.path.relpath(found, top)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path, metavar="DIRECTORY")
    parser.add_argument("-I", dest="roots", action="append", type=pathlib.Path, metavar="ROOT",
                        help="a directory that <names> are looked up in; may be given several times")
    parser.add_argument("-o", dest="output", metavar="FILE.tsv", help="default: standard output")
    options = parser.parse_args()
    for directory in [options.directory, *(options.roots or [])]:
        if not directory.is_dir():
            parser.error(f"{directory} is not a directory")
    pairs = edges(options.directory, options.roots or default_roots(options.directory))
    # A name with a tab or a line's end would be another edge.
    lines = ["\t".join(pair) for pair in pairs if not any(c in name for name in pair for c in "\t\r\n\"")]
    text = "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
    if options.output:
        pathlib.Path(options.output).write_bytes(text)
    else:
        sys.stdout.buffer.write(text)


if __name__ == "__main__":
    main()
