#!/usr/bin/env python3
"""Writes python/fathom/algorithms.py: a function for each algorithm that describes itself
(docs/adr/0018), with its options as typed arguments. --check: fails when the file is not up to
date. Needs the package to be installed, or its _core in python/fathom.
"""

from __future__ import annotations

import importlib.util
import keyword
import pathlib
import subprocess
import sys
import textwrap
from typing import Any

FILE = pathlib.Path(__file__).parent / "fathom" / "algorithms.py"

HEAD = '''"""The algorithms of the command, as functions of the same options.

Made by python/make_algorithms.py from the algorithms' own descriptions: change those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .execution import Execution
from .graph import GraphLike, Label
from .results import Result
from .running import Masses, Pairs, run

if TYPE_CHECKING:
    from typing import Unpack
'''

SOURCES = {
    "assortativity": "Newman, Phys. Rev. E 67(2), 2003; Zhou and Mondragon, IEEE Comm. Lett., 2004",
    "bc": "Brandes, J. Math. Sociology 25(2), 2001",
    "edge-bc": "Brandes, Social Networks 30(2), 2008",
    "bfs": "Beamer et al., SC 2012 (direction); EMOGI, Min et al., PVLDB 14(2), 2020 (zero-copy)",
    "bellman-ford": "Bellman, 1958; Cherkassky and Goldberg, Math. Program. 85(2), 1999",
    "biconnected": "Dong, Wang, Gu and Sun (FAST-BCC), PPoPP 2023",
    "bipartite": "Tarjan and van Leeuwen, J. ACM 31(2), 1984",
    "cc": "Sutton et al. (Afforest), IPDPS 2018",
    "louvain": "Blondel et al., J. Stat. Mech. P10008, 2008; Sahu, arXiv:2312.04876, 2023",
    "leiden": "Traag, Waltman and van Eck, Sci. Rep. 9, 2019; Sahu, arXiv:2312.13936, 2023",
    "cdlp": "Raghavan, Albert and Kumara, Phys. Rev. E 76, 2007; Iosup et al., PVLDB 9(13), 2016",
    "closeness": "Wasserman and Faust, 1994; sampled: Eppstein and Wang, JGAA 8(1), 2004",
    "color": "Jones and Plassmann, SIAM J. Sci. Comput. 14(3), 1993; Hasenplaugh et al., SPAA 2014",
    "degrees": "the fit of a power law: Clauset et al., SIAM Review 51(4), 2009",
    "eccentricity": "Takes and Kosters, Algorithms 6(1), 2013; Crescenzi et al., TCS 514, 2013",
    "eigenvector": "Bonacich, Journal of Mathematical Sociology 2(1), 1972",
    "harmonic": "Boldi and Vigna, Internet Mathematics 10, 2014",
    "hits": "Kleinberg, J. ACM 46(5), 1999",
    "katz": "Katz, Psychometrika 18(1), 1953",
    "kcore": "Matula and Beck, J. ACM 30(3), 1983",
    "ktruss": "Cohen, NSA, 2008; Kabir and Madduri (PKT), HiPC 2017",
    "lcc": "Watts and Strogatz, Nature 393, 1998; Iosup et al. (LDBC Graphalytics), PVLDB, 2016",
    "levels": "Kahn, CACM 5(11), 1962",
    "matching": "Manne and Halappanavar, IPDPS 2014; Blelloch, Fineman and Shun, SPAA 2012",
    "mis": "Blelloch, Fineman and Shun, SPAA 2012; Burtscher et al. (ECL-MIS), ACM TOPC 5(2), 2018",
    "msf": "Boruvka, 1926; Fallin et al. (ECL-MST), SC 2023",
    "neighborhood": "GTS, Kim et al., SIGMOD 2016, section 3",
    "pagerank": "Page et al., 1999; GTS, Kim et al., SIGMOD 2016 (streamed)",
    "radius": "GTS, Kim et al., SIGMOD 2016; Kang et al. (HADI), 2011",
    "reciprocity": "Newman, Forrest and Balthrop, Phys. Rev. E 66, 2002",
    "rwr": "Tong et al., ICDM 2006; GTS, Kim et al., SIGMOD 2016",
    "scc": "Slota et al. (Multistep), IPDPS 2014",
    "similarity": "Adamic and Adar, Social Networks 25(3), 2003; Zhou et al., EPJ B 71(4), 2009",
    "sssp": "Meyer and Sanders, J. Algorithms 49(1), 2003; Zhang et al., CGO 2020",
    "tc": "Latapy, Theoretical Computer Science 407, 2008",
}


def type_of(option: dict[str, Any]) -> str:
    kind = option["kind"]
    if kind == "mode":
        return "Literal[" + ", ".join(f'"{word}"' for word in option["choices"]) + "]"
    return {
        "flag": "bool",
        "count": "int",
        "real": "float",
        "vertex": "Label",
        "vertices": "Label | Sequence[Label]",
        "masses": "Masses",
        "pairs": "Pairs",
    }[kind]


def negated(option: dict[str, Any]) -> bool:
    """A flag that turns something off is an argument that is True."""
    return option["kind"] == "flag" and str(option["name"]).startswith("no-")


def name_of(option: dict[str, Any]) -> str:
    name = str(option["name"]).removeprefix("no-" if negated(option) else "").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def argument(option: dict[str, Any]) -> str:
    name = name_of(option)
    if negated(option):
        return f"{name}: bool = True"
    if option["required"]:
        return f"{name}: {type_of(option)}"
    if option["kind"] == "flag":
        return f"{name}: bool = False"
    if option["shows_default"] and option["default"] is not None:
        return f"{name}: {type_of(option)} = {option['default']!r}"
    return f"{name}: {type_of(option)} | None = None"


def paragraph(head: str, text: str, width: int = 12) -> str:
    return textwrap.fill(
        text, 96, initial_indent=f"    {head:<{width}} ", subsequent_indent=" " * (width + 5)
    )


def meaning(option: dict[str, Any]) -> str:
    if option["kind"] == "masses":
        return "Where jumps go: {label: weight}, or [vertices] in rows; others get 0"
    if option["kind"] == "pairs":
        return "Of these pairs of two vertices, by their labels"
    text = str(option["meaning"]).replace("--", "").rstrip(".")
    return "False: " + text[0].lower() + text[1:] if negated(option) else text


def function(algorithm: dict[str, Any]) -> str:
    name = algorithm["name"].replace("-", "_")
    options = [o for o in algorithm["options"] if o["kind"] != "table"]
    first = [o for o in options if o["required"]]
    others = [o for o in options if not o["required"]]
    signature = ["graph: GraphLike", *map(argument, first)]
    signature += ["*", *map(argument, others)] if others else []
    signature += ["**execution: Unpack[Execution]"]
    lines = [f"def {name}(", *(f"    {one}," for one in signature[:-1])]
    lines += [f"    {signature[-1]},", ") -> Result:"]
    lines += [f'    """{algorithm["purpose"]}.', ""]
    width = max([len(o["name"]) for o in options] + [len("execution")]) + 1
    for option in options:
        lines.append(paragraph(name_of(option) + ":", meaning(option) + ".", width))
    lines.append(
        paragraph("execution:", "device, memory, residency, threads, ... (`fathom.device`).", width)
    )
    rows = "[pairs] u and v" if algorithm["pairs"] else "[vertices]"
    if algorithm["other_rows"]:
        others = "[vertices]" if algorithm["pairs"] else "[pairs]"
        rows += f" in rows, with {algorithm['other_rows'].replace('-', '_')} {others}"
    else:
        rows += " in rows"
    lines += ["", f"    Columns, {rows}:"]
    for column, its in algorithm["columns"]:
        lines.append(
            paragraph(column + ":", its + ".", max(len(c) for c, _ in algorithm["columns"]) + 1)
        )
    if not algorithm["columns"]:
        lines.append("    none; see `facts`.")
    if algorithm["facts"]:
        facts = ", ".join(fact for fact, _ in algorithm["facts"])
        lines += [
            "",
            textwrap.fill(f"Facts: {facts}.", 96, initial_indent="    ", subsequent_indent="    "),
        ]
    raises = "UsageError, DoesNotFitError, DeviceError, BadInputError for a damaged file"
    if any(o["name"] == "max-iter" for o in options):
        raises += ", NotConvergedError"
    lines += [
        "",
        textwrap.fill(f"Raises {raises}.", 96, initial_indent="    ", subsequent_indent="    "),
    ]
    if source := SOURCES.get(algorithm["name"]):
        lines.append(
            textwrap.fill(f"Source: {source}.", 96, initial_indent="    ", subsequent_indent="    ")
        )
    lines.append('    """')
    lines.append(f'    return run("{algorithm["name"]}", graph, {{')
    for option in options:
        value = ("not " if negated(option) else "") + name_of(option)
        lines.append(f'        "{option["name"]}": {value},')
    lines.append("    }, execution)")
    return "\n".join(lines)


def described() -> list[dict[str, Any]]:
    """Without the package, which needs what is made here."""
    packages = [FILE.parent, *(pathlib.Path(place) / "fathom" for place in sys.path)]
    places = [module for package in packages for module in package.glob("_core*.so")]
    if not places:
        sys.exit("the module _core is in no package fathom: scripts/python.sh install")
    spec = importlib.util.spec_from_file_location("_core", places[0])
    assert spec and spec.loader
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    algorithms: list[dict[str, Any]] = core.describe()
    return algorithms


def module() -> str:
    algorithms = sorted(described(), key=lambda a: a["name"])
    names = [a["name"].replace("-", "_") for a in algorithms]
    listed = "__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]\n"
    return (
        "\n\n".join(
            [
                HEAD + "\n" + listed,
                *("\n" + function(a) if i else function(a) for i, a in enumerate(algorithms)),
            ]
        )
        + "\n"
    )


def main() -> int:
    text = formatted(module())
    if "--check" in sys.argv:
        if FILE.read_text() == text:
            return 0
        print(f"{FILE} is not what the algorithms describe: run {__file__}", file=sys.stderr)
        return 1
    FILE.write_text(text)
    return 0


def formatted(text: str) -> str:
    """By ruff, as all of the package is."""
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--line-length=100", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
