#!/usr/bin/env python3
"""Writes docs/reference/python.md below its mark: the public names of the package, from their
signatures and docstrings. --check: fails when the page is not up to date. Reads sources alone, so
that neither the package nor what it can use (PyTorch, NetworkX) has to be installed.
"""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "fathom"
PAGE = ROOT / "docs" / "reference" / "python.md"
MARK = "<!-- below: written by python/make_reference.py -->"

# Sections of the page, and the modules whose names they have.
SECTIONS = {
    "Graphs": ["graph", "interop"],
    "Files, random graphs, parts of graphs, plans": ["commands"],
    "Algorithms": ["algorithms"],
    "Results": ["results"],
    "Where it runs": ["execution"],
    "Sweeps": ["sweeping"],
    "Random walks": ["walking"],
    "Graphs that change": ["dynamic", "batches", "snapshots", "following"],
    "Drawings": ["drawing"],
    "Progress": ["progress"],
    "Errors": ["errors"],
}
# Modules that are loaded when they are used, and names that public ones return.
OWN_MODULES = {"Arrays on GPUs": "cuda", "PyTorch Geometric": "pyg"}
RETURNED = {"sweeping": ["Page"]}
# Modules whose classes callers make themselves.
CONSTRUCTED = ["dynamic", "pyg"]

Definition = ast.FunctionDef | ast.ClassDef


def exported() -> dict[str, list[str]]:
    """The names of `__all__`, by module."""
    init = ast.parse((PACKAGE / "__init__.py").read_text())
    names: dict[str, list[str]] = {}
    for node in init.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            found = [alias.asname or alias.name for alias in node.names]
            if found == ["*"]:
                found = listed(ast.parse((PACKAGE / f"{node.module}.py").read_text()))
            names.setdefault(node.module, []).extend(found)
    public = set(listed(init)) | set(names["algorithms"])
    return {m: kept for m, its in names.items() if (kept := [n for n in its if n in public])}


def listed(module: ast.Module) -> list[str]:
    """The words of its `__all__`."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            assert isinstance(node.value, ast.List)
            return [str(e.value) for e in node.value.elts if isinstance(e, ast.Constant)]
    raise SystemExit("a module lacks __all__")


def definitions(module: str) -> dict[str, Definition]:
    found = ast.parse((PACKAGE / f"{module}.py").read_text()).body
    return {node.name: node for node in found if isinstance(node, Definition)}


def fields(module: str, node: ast.ClassDef) -> list[str]:
    """With the comments that the source has on them."""
    lines = (PACKAGE / f"{module}.py").read_text().split("\n")
    found = []
    for its in node.body:
        if isinstance(its, ast.AnnAssign):
            own = lines[its.lineno - 1 : its.end_lineno]
            said = " ".join(line.partition("#")[2].strip() for line in own if "#" in line)
            found.append(ast.unparse(its) + (f"  # {said}" if said else ""))
    return found


def signature(name: str, node: ast.FunctionDef, *, bound: bool = False) -> str:
    """A call, on a line or a parameter per line."""
    given = node.args
    parts: list[str] = []
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    for one, default in list(zip(positional, defaults, strict=True))[1 if bound else 0 :]:
        parts.append(parameter(one, default))
    if given.vararg:
        parts.append("*" + parameter(given.vararg, None))
    elif given.kwonlyargs:
        parts.append("*")
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parts.append(parameter(one, default))
    if given.kwarg:
        parts.append("**" + parameter(given.kwarg, None))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= 96:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def parameter(one: ast.arg, default: ast.expr | None) -> str:
    text = one.arg + (f": {ast.unparse(one.annotation)}" if one.annotation else "")
    equals = " = " if one.annotation else "="
    return text + (f"{equals}{ast.unparse(default)}" if default is not None else "")


def documentation(node: Definition) -> str:
    return inspect.cleandoc(ast.get_docstring(node) or "")


def prose(text: str) -> str:
    """In which Markdown shows every character; what is in backquotes stays."""
    parts = re.split(r"(`[^`]*`)", text)
    marked = (p if i % 2 else re.sub(r"([*_|\[\]<>])", r"\\\1", p) for i, p in enumerate(parts))
    return "".join(marked)


def described(text: str) -> Iterator[str]:
    """The first paragraph as prose, the rest as it stands."""
    first, _, rest = text.partition("\n\n")
    if re.search(r"^ {2,}|:  ", first, re.MULTILINE):  # a list of parameters
        first, rest = "", text
    if first:
        yield from [prose(" ".join(first.split())), ""]
    if rest:
        yield from ["```text", *rest.split("\n"), "```", ""]


def of_function(prefix: str, node: ast.FunctionDef) -> Iterator[str]:
    yield from [f"### {node.name}", "", "```python", signature(prefix + node.name, node), "```", ""]
    yield from described(documentation(node))


def decorators(node: ast.FunctionDef) -> set[str]:
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def of_class(module: str, prefix: str, node: ast.ClassDef) -> Iterator[str]:
    """Its docstring, and what has one of its own; of classes that another library calls the
    constructor alone."""
    yield from [f"### {node.name}", ""]
    methods = [its for its in node.body if isinstance(its, ast.FunctionDef)]
    made = next((its for its in methods if its.name == "__init__"), None)
    if made and module in CONSTRUCTED:
        yield from ["```python", signature(prefix + node.name, made, bound=True), "```", ""]
    yield from described(documentation(node))
    if own := fields(module, node):
        yield from ["```python", *own, "```", ""]
    for its in methods if module not in OWN_MODULES.values() else ():
        said = documentation(its)
        if not said or (its.name.startswith("_") and its.name != "__getitem__"):
            continue
        name = f"{node.name}.{its.name}"
        if "property" in decorators(its):
            yield from [f"**`{name}`**", "", *described(said)]
            continue
        bound = "staticmethod" not in decorators(its)
        yield from ["```python", signature(name, its, bound=bound), "```", ""]
        yield from described(said)


def errors(names: list[str], its: dict[str, Definition]) -> Iterator[str]:
    yield from ["| class | status | also a | |", "| --- | --- | --- | --- |"]
    for name in names:
        node = its[name]
        assert isinstance(node, ast.ClassDef)
        own = [ast.unparse(n.value) for n in node.body if isinstance(n, ast.Assign)]
        status = own[0] if own else "1"  # FathomError's
        bases = ", ".join(f"`{ast.unparse(base)}`" for base in node.bases)
        text = prose(" ".join(documentation(node).split()))
        yield f"| `{name}` | {status} | {bases} | {text} |"
    yield ""


def reference() -> str:
    names = exported()
    unknown = set(names) - {module for modules in SECTIONS.values() for module in modules}
    if unknown:
        raise SystemExit(f"{', '.join(sorted(unknown))}: name the section in {__file__}")
    lines: list[str] = []
    for title, modules in SECTIONS.items():
        if not any(module in names for module in modules):
            continue
        lines += [f"## {title}", ""]
        for module in modules:
            its = definitions(module)
            public = [n for n in names.get(module, []) if n in its] + RETURNED.get(module, [])
            public.sort(key=lambda name: list(its).index(name))
            if module == "errors":
                lines += errors(public, its)
            else:
                lines += entries(module, "fathom.", public, its)
    for title, module in OWN_MODULES.items():
        its = definitions(module)
        public = [name for name in its if not name.startswith("_")]
        lines += [f"## {title}", "", *entries(module, f"fathom.{module}.", public, its)]
    return "\n".join(lines).rstrip() + "\n"


def entries(
    module: str, prefix: str, names: list[str], its: dict[str, Definition]
) -> Iterator[str]:
    for name in names:
        node = its[name]
        if isinstance(node, ast.ClassDef):
            yield from of_class(module, prefix, node)
        else:
            yield from of_function(prefix, node)


def main() -> int:
    text = PAGE.read_text()
    above, mark, _ = text.partition(MARK)
    if not mark:
        raise SystemExit(f"{PAGE.relative_to(ROOT)} lacks the mark '{MARK}'")
    written = f"{above}{MARK}\n\n{reference()}"
    if "--check" not in sys.argv:
        PAGE.write_text(written)
    elif text != written:
        print(
            f"{PAGE.relative_to(ROOT)} is not what the package says: run {__file__}",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
