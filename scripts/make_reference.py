#!/usr/bin/env python3
"""Writes what `fathom COMMAND --help` says into docs/reference/commands, a page per command, and what algorithms say of themselves
into the man page and the schema of reports:

    scripts/make_reference.py FATHOM           writes the pages; a new command gets one
    scripts/make_reference.py --check FATHOM   exits 1 when a page is not what the help says

Only what stands between the two marks of a page is written. What stands below them is written by hand. Pages of benchmarks are
left as they are where the program has none.
"""

import json
import pathlib
import re
import subprocess
import sys

import from_descriptions

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference" / "commands"
MAN, SCHEMA = ROOT / "docs" / "man" / "fathom.1", ROOT / "docs" / "schema" / "report.schema.json"
BEGIN, END = "<!-- help: written by scripts/make_reference.py -->", "<!-- end of help -->"
# Groups that every algorithm has are explained on a page of their own.
SHARED = ("Which edges count, of a graph in time", "Where it runs", "How edges are streamed", "How a GPU reaches host memory", "What comes out")
SHARED_PAGE = "../algorithm-options.md"


def help_of(fathom, *words):
    return subprocess.run([fathom, *words, "--help"], capture_output=True, text=True, check=True).stdout


def groups_of(text):
    """The description, the usage, the groups [(title, [(name, meaning)])], what is said below them, the examples."""
    head, _, rest = text.partition("\nUsage: ")
    usage, _, rest = rest.partition("\n")
    rest, _, examples = re.sub(r"\nExamples?:\n", "\0", rest).partition("\0")
    groups, closing = [], []
    for line in rest.split("\n"):
        if re.match(r"\S.*:$", line) and not closing:
            groups.append((line[:-1], []))
        elif re.match(r"  \S", line) and groups and not closing:
            name, _, meaning = line.strip().partition("  ")
            groups[-1][1].append([name, meaning.strip()])
        elif line.startswith(" " * 28) and groups and groups[-1][1] and not closing:
            groups[-1][1][-1][1] = (groups[-1][1][-1][1] + " " + line.strip()).strip()
        elif line or closing:
            closing.append(line)
    return head, usage, groups, "\n".join(closing).strip(), examples.strip("\n")


def escaped(text):
    """Prose in which Markdown shows every character; what is in backquotes stays."""
    parts = re.split(r"(`[^`]*`)", text)
    marked = (p if i % 2 else re.sub(r"([*_|\[\]])", r"\\\1", p) for i, p in enumerate(parts))
    return "".join(p if p[:1] == "`" else p.replace("<", "&lt;").replace(">", "&gt;") for p in marked)


def option_lines(options):
    return [f"- `{name}`" + (f": {escaped(meaning)}" if meaning else "") for name, meaning in options] + [""]


def page_of(text, words, shared):
    head, usage, groups, closing, examples = groups_of(text)
    lines = [f"{escaped(head)}.", "", "```text", usage.replace(" [OPTIONS]", f" [OPTIONS]", 1), "```", ""]
    if examples:
        lines += ["## Examples", "", "```sh", *(line.strip() for line in examples.split("\n")), "```", ""]
    if closing:
        lines += [escaped(paragraph) + "\n" for paragraph in re.split(r"\n\n|(?<=[^.]{60}\.)\n", closing)]
    common = []
    for title, options in groups:
        if title in SHARED and options == shared.get(title):
            common.append(f"- {title}: " + ", ".join(f"`{name.split()[0].split(',')[-1]}`" for name, _ in options))
        elif title == "Subcommands":
            names = [(f"[`{' '.join(['fathom', *words, n])}`]({'-'.join([*words, n])}.md)", m) for n, m in options]
            lines += ["## " + title, "", "| | |", "| --- | --- |", *(f"| {n} | {escaped(m)} |" for n, m in names), ""]
        elif options:
            title = {"Positionals": "Arguments"}.get(title, title)
            lines += ["## " + title, "", *option_lines(options)]
    if common:
        lines += [f"## Options of every algorithm", "", f"[Explained on a page of their own]({SHARED_PAGE}).", "", *common, ""]
    return "\n".join(lines).strip()


def commands_of(fathom, *words):
    """The names below "Subcommands"."""
    for title, options in groups_of(help_of(fathom, *words))[2]:
        if title == "Subcommands":
            return [[*words, name] for name, _ in options]
    return []


def has_benchmarks(fathom):
    return subprocess.run([fathom, "bench", "--help"], capture_output=True, check=False).returncode == 0


def placed(path, title, generated):
    """The text of the page with what was generated."""
    text = path.read_text(encoding="utf-8") if path.exists() else f"# {title}\n\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{path.relative_to(ROOT)} lacks the marks '{BEGIN}' and '{END}'")
    return f"{before}{BEGIN}\n\n{generated}\n\n{END}{after}"


def pages(fathom):
    shared = {title: options for title, options in groups_of(help_of(fathom, "bfs"))[2] if title in SHARED}
    commands = [words for words in commands_of(fathom) if words != ["bench"] or has_benchmarks(fathom)]
    found = {PAGES / "index.md": ("Commands", page_of(help_of(fathom), [], shared).partition("## Subcommands")[2].strip())}
    for words in commands + [c for words in commands for c in commands_of(fathom, *words)]:
        found[PAGES / f"{'-'.join(words)}.md"] = (" ".join(["fathom", *words]), page_of(help_of(fathom, *words), words, shared))
    return {path: placed(path, title, generated) for path, (title, generated) in found.items()}


def described(fathom):
    """The files that are written from descriptions."""
    shown = subprocess.run([fathom, "descriptions"], capture_output=True, text=True, check=True).stdout
    algorithms = json.loads(shown)
    return {MAN: from_descriptions.man_page(MAN.read_text(encoding="utf-8"), algorithms),
            SCHEMA: from_descriptions.report_schema(SCHEMA.read_text(encoding="utf-8"), algorithms)}


def main():
    check = sys.argv[1:2] == ["--check"]
    names = sys.argv[2:] if check else sys.argv[1:]
    if len(names) != 1:
        sys.exit(__doc__.strip())
    written = pages(names[0])
    problems = [f"{path.relative_to(ROOT)}: not a command" for path in PAGES.glob("*.md")
                if path not in written and (PAGES / "bench.md" in written or not path.name.startswith("bench"))]
    for path, text in (written | described(names[0])).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            problems.append(f"{path.relative_to(ROOT)} is not what the command says of itself; run scripts/make_reference.py")
        else:
            path.write_text(text, encoding="utf-8")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
