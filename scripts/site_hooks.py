"""Hooks of mkdocs.yml: pages may link to any file of the tree.

A Markdown file outside of docs/ that is linked becomes a page below tree/, and so do those that it links to in turn; another
file becomes a page with its text. Pages of commands and of decisions are added to the navigation as they are found. Where there
is Doxygen, it adds the C++ interface below api/.
"""

import os
import pathlib
import re
import shutil
import subprocess

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!\\)(!?\[(?:[^\]\[]|\[[^\]]*\])*\])\(<?([^)\s>]+)>?\)")
CODE = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cuda", ".cuh": "cuda", ".py": "python", ".sh": "bash", ".json": "json",
             ".txt": "cmake"}

placed = {}  # path of a file outside of docs/ -> where its page is below docs/


def outside_text(text):
    """Pieces of the text, and whether each is outside of code."""
    for i, piece in enumerate(CODE.split(text)):
        yield piece, i % 2 == 0


def targets(page, text):
    """The files outside of docs/ that a page links to."""
    for piece, prose in outside_text(text):
        for _, link in LINK.findall(piece) if prose else []:
            if re.match(r"[a-z]+:|#", link):
                continue
            path = pathlib.Path(os.path.normpath(page.parent / link.partition("#")[0]))
            if path.is_file() and DOCS not in path.parents and ROOT in path.parents:
                yield path


def relinked(page, place, text):
    """The text of a file at `page`, shown at `place` (below docs/), with links that hold there."""

    def change(match):
        said, link = match.groups()
        if re.match(r"[a-z]+:|#", link):
            return match.group(0)
        path, sharp, anchor = link.partition("#")
        path = pathlib.Path(os.path.normpath(page.parent / path))
        if path.is_dir():
            return said[1:-1]
        if path in placed:
            path = DOCS / placed[path]
        return f"{said}({os.path.relpath(path, (DOCS / place).parent)}{sharp}{anchor})"

    return "".join(LINK.sub(change, piece) if prose else piece for piece, prose in outside_text(text))


def on_files(files, config):
    waiting = [pathlib.Path(f.abs_src_path) for f in files if f.src_uri.endswith(".md")]
    while waiting:
        page = waiting.pop()
        for path in targets(page, page.read_text("utf-8")):
            if path in placed:
                continue
            name = path.relative_to(ROOT).as_posix()
            if path.suffix == ".svg":
                placed[path] = f"tree/{name}"
                continue
            placed[path] = f"tree/{name}" if path.suffix == ".md" else f"tree/{name}.md"
            if path.suffix == ".md":
                waiting.append(path)
    for path, place in placed.items():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".svg":
            files.append(File.generated(config, place, content=path.read_bytes()))
            continue
        text = path.read_text("utf-8")
        if path.suffix == ".md":
            text = "---\nsearch:\n  exclude: true\n---\n" + relinked(path, place, text)
        else:
            language = LANGUAGES.get(path.suffix, "text")
            text = f"---\nsearch:\n  exclude: true\n---\n# {name}\n\n````{language}\n{text}````\n"
        page = File.generated(config, place, content=text)
        page.inclusion = page.inclusion.NOT_IN_NAV
        files.append(page)
    return files


def public_headers():
    """What cmake --install installs: the headers that those named in cmake/Install.cmake reach."""
    text = (ROOT / "cmake" / "Install.cmake").read_text("utf-8")
    waiting = re.findall(r"fathom_reachable_headers\((fathom/[^$ ]+) public_headers\)", text)
    for listed in re.findall(r"foreach\(header (.*)\)\n  fathom_reachable_headers\(fathom/dynamic/", text):
        waiting += [f"fathom/dynamic/{name}" for name in listed.split()]
    found = set()
    while waiting:
        header = waiting.pop()
        if header not in found:
            found.add(header)
            waiting += re.findall(r'^#include "(fathom/[^"]+)"', (ROOT / header).read_text("utf-8"), re.MULTILINE)
    return sorted(found)


def on_post_build(**_):
    if shutil.which("doxygen"):
        settings = (DOCS / "Doxyfile").read_text("utf-8") + "\nINPUT = " + " ".join(public_headers()) + "\n"
        subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, check=True)


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri == "reference/api.md":
        built = shutil.which("doxygen")
        markdown = markdown.replace("<!-- doxygen -->", 'All <a href="../api/annotated.html">classes</a>, '
                                    '<a href="../api/namespacefathom.html">functions</a> and '
                                    '<a href="../api/files.html">headers</a>.' if built else "This copy of the site was built without Doxygen.")
    # In tables a bar inside of code is escaped for others, but not for this Markdown.
    markdown = re.sub(r"^\|.*\|$", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]), markdown,
                      flags=re.MULTILINE)
    if page.file.abs_src_path and DOCS in pathlib.Path(page.file.abs_src_path).parents:
        return relinked(pathlib.Path(page.file.abs_src_path), page.file.src_uri, markdown)
    return markdown


def on_config(config):
    """Fills the navigation: a page per command, and per decision."""

    def pages(folder, pattern):
        return [f"{folder}/{p.name}" for p in sorted((DOCS / folder).glob(pattern))]

    def fill(items):
        for item in items:
            if isinstance(item, dict):
                for value in item.values():
                    if isinstance(value, list):
                        fill(value)
        if "reference/commands/index.md" in items:
            benchmarks = pages("reference/commands", "bench*.md")
            items += [p for p in pages("reference/commands", "*.md") if p not in [*items, *benchmarks]]
            items.append({"Benchmarks": sorted(benchmarks, key=lambda p: p.replace(".md", ""))})
        if "adr/README.md" in items:
            items += pages("adr", "0*.md")

    fill(config["nav"])
    return config
