#!/usr/bin/env python3
"""Checks that relative links (and their #anchors) in all Markdown files resolve, and that the man
page is clean under `mandoc -T lint`."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)


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
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"check_docs: {len(pages)} file(s), {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
