"""What algorithms say of themselves (`fathom descriptions`), as sections of the man page and as the schema of reports. Used by
scripts/make_reference.py."""

import json
import re
import textwrap

# Algorithms whose result is edges or walks; they do not describe themselves (docs/adr/0018), and what is written of them stays.
BY_HAND = ("egonet", "subgraph", "cross-edges", "walks", "sample")
# Reals that may be below zero.
SIGNED = ("assortativity", "cycle_weight", "min_distance", "modularity", "total_weight")
BEGIN, END = '.\\" Written by scripts/make_reference.py, up to the end of algorithms.', '.\\" End of algorithms.'
TOP = {"type": "array", "items": {"type": "object"}, "description": "with --top: labels and values, best first"}


# The schema


def schema_of_group(facts, more=None):
    properties = {fact["name"]: schema_of(fact) for fact in facts}
    return {"type": "object", "properties": {**properties, **(more or {})}, "required": list(properties),
            "additionalProperties": False}


def schema_of(fact):
    count, real = {"type": "integer", "minimum": 0}, {"type": "number", "minimum": 0}
    kinds = {
        "count": lambda: {"type": "integer", "minimum": fact["least"]},
        "real": lambda: {"type": "number"} if fact["name"] in SIGNED else real,
        "flag": lambda: {"type": "boolean"},
        "text": lambda: {"type": "string"},
        "mode": lambda: {"enum": fact["choices"]},
        "texts": lambda: {"type": "array", "items": {"type": "string"}},
        "counts": lambda: {"type": "array", "items": count},
        "reals": lambda: {"type": "array", "items": real},
        "table": lambda: {"type": "array", "items": schema_of_group(fact["of"])},
        "group": lambda: schema_of_group(fact["of"]),
        "groups": lambda: {"type": "array", "items": schema_of_group(fact["of"])},
    }
    its = dict(kinds[fact["kind"]]())
    if fact["null"]:
        its = {"anyOf": [its, {"type": "null"}]}
    return {**its, "description": fact["meaning"]} if fact["meaning"] else its


def schema_of_result(algorithm):
    """One object; or one without and one with the flag that changes what facts there are."""
    facts = algorithm["facts"]
    plain = schema_of_group([f for f in facts if not f["with"]], {"top": TOP})
    if not any(f["with"] for f in facts):
        return plain
    return {"anyOf": [plain, schema_of_group([f for f in facts if not f["without"]])]}


def rule(name, result):
    return {"if": {"properties": {"algorithm": {"const": name}}}, "then": {"properties": {"result": result}}}


def report_schema(text, algorithms):
    """The text of the schema of reports, with the results that are described."""
    schema = json.loads(text)
    kept = [r for r in schema["allOf"] if r["if"]["properties"]["algorithm"]["const"] in BY_HAND]
    schema["allOf"] = [rule(a["name"], schema_of_result(a)) for a in algorithms] + kept
    schema["properties"]["algorithm"]["enum"] = [a["name"] for a in algorithms] + list(BY_HAND)
    return json.dumps(schema, indent=2) + "\n"


# The man page


def prose(text):
    """Sentences, each on lines of its own, as mdoc wants them."""
    text = " ".join(text.split()).replace("\\", "\\e")
    text = re.sub(r"(?<![\w-])-(-?)(?=\w)", lambda m: "\\-" + ("\\-" if m[1] else ""), text)
    lines = []
    for sentence in re.split(r"(?<=[.:;]) +(?=[A-Z]|\\-)", text.rstrip(".") + "."):
        lines += textwrap.wrap(sentence, 80, break_long_words=False, break_on_hyphens=False)
    return [("\\&" if line[:1] in ".'" else "") + line for line in lines]


def value_of(option):
    if option["kind"] == "mode":
        return " Cm " + " | ".join(option["choices"])
    several = " ..." if option["kind"] == "vertices" else ""
    return f" Ar {option['value']}{several}" if option["value"] else ""


def section(algorithm):
    required = "".join(f" Fl -{o['name']}{value_of(o)}" for o in algorithm["options"] if o["required"])
    lines = [f".Ss {algorithm['name']} Ar G.fg{required}", *prose(algorithm["purpose"]), *prose(algorithm["notes"])]
    if algorithm["options"]:
        lines.append(".Bl -tag -width Ds")
        for option in algorithm["options"]:
            default = f" (default {option['default']})" if option["default"] else ""
            lines += [f".It Fl -{option['name']}{value_of(option)}", *prose(option["meaning"] + default)]
        lines.append(".El")
    return "\n".join(lines)


def man_page(text, algorithms):
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"docs/man/fathom.1 lacks the lines '{BEGIN}' and '{END}'")
    return before + "\n".join([BEGIN, *map(section, algorithms), END]) + after
