#!/usr/bin/env python3
"""Checks that relative links (and their #anchors) in all Markdown files resolve, that the site's
navigation has every page of docs/, that no paragraph there or in the README is longer than six lines,
and that the man page is clean under `mandoc -T lint`."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1\s*$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINES, COLUMNS = 6, 120
# Pages that scripts/site_hooks.py adds to the navigation.
FOUND = re.compile(r"(reference/commands/[\w-]+|adr/0\d+-[\w-]+)\.md$")


def anchors(text):
    """The #anchors of a page, as GitHub makes them of its headings."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        found.add(plain.replace(" ", "-"))
    return found


def check_page(page):
    text = page.read_text(encoding="utf-8")
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists():
            yield f"{page.relative_to(ROOT)}: link to {target}: no such file"
        elif anchor and linked.suffix == ".md" and anchor not in anchors(linked.read_text("utf-8")):
            yield f"{page.relative_to(ROOT)}: link to {target}: no such heading"


def paragraphs(text):
    """Paragraphs and items of lists, each with its first line's number; no tables, headings or code."""
    def blank(match):
        return "\n" * match[0].count("\n")

    found, kept = [], None
    for number, line in enumerate(COMMENT.sub(blank, FENCE.sub(blank, text)).split("\n"), 1):
        if not line.strip() or re.match(r"\s*(\||#|!!!)", line):
            kept = None
        elif kept is None or re.match(r"\s*([-*]|\d+\.) ", line):
            kept = [number, [line.strip()]]
            found.append(kept)
        else:
            kept[1].append(line.strip())
    return found


def check_paragraphs(page):
    for number, lines in paragraphs(page.read_text(encoding="utf-8")):
        if len(lines) > LINES or len(" ".join(lines)) > LINES * COLUMNS:
            yield f"{page.relative_to(ROOT)}:{number}: a paragraph of more than {LINES} lines of {COLUMNS} columns"


def check_navigation(pages):
    """The site's navigation names files that exist, and every page that it does not find by itself."""
    named = set(re.findall(r"[ \-:] ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE))
    there = {page.relative_to(ROOT / "docs").as_posix() for page in pages}
    for name in sorted(named - there):
        yield f"mkdocs.yml: {name}: no such page"
    for name in sorted(there - named):
        if not FOUND.match(name):
            yield f"docs/{name}: mkdocs.yml does not name it"


def check_man_page(page):
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True,
                         text=True)
    return (run.stdout + run.stderr).splitlines()


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md", "docs/man/*"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    pages = [ROOT / name for name in listed if name and (ROOT / name).exists()]
    problems = []
    for page in pages:
        if page.suffix == ".md":
            problems += check_page(page)
        elif shutil.which("mandoc"):
            problems += check_man_page(page)
        else:
            problems.append(f"{page.relative_to(ROOT)}: mandoc is needed to check it")
    of_the_site = [page for page in pages if ROOT / "docs" in page.parents and page.suffix == ".md"]
    problems += check_navigation(of_the_site)
    for page in [*of_the_site, ROOT / "README.md"]:
        problems += check_paragraphs(page)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"check_docs: {len(pages)} file(s), {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
