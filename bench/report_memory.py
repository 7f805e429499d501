#!/usr/bin/env python3
"""The tables and plots of `fathom bench memory` in bench/results.

    bench/report_memory.py PART.json... -o bench/results/MACHINE/memory.json --title T --machine M [--note N]...
                            joins what --save wrote of several runs on one GPU
"""
import argparse
import json
import math
import pathlib

PAGES, CHUNKS = ("S-P", "VA-P", "VL-P"), ("S-C", "VA-C", "VL-C")
OURS = ("S-P", "S-C", "VA-P", "VA-C", "VL-P", "VL-C")
ROWS = ("thread", "warp", "mixed", "scaling", "fragmentation")

# Measured on an H200 with one harness before this manager was written: milliseconds at 100,000 allocations.
BEFORE = [("bump", "warm .010"),
          ("the original Ouroboros, S-P, 16 / 1024 / 8192 B", "cold 3.2 / 19.7 / 114, warm .016 / .015 / .011, free .09"),
          ("the original Ouroboros, VL-P", "warm .06 to .09, free .26 to .28"),
          ("the original Ouroboros, S-C", "warm 1.3 / 23 / 171"),
          ("Gallatin (PPoPP 2024)", "cold .09 / .22 / .74, warm .026 / .208 / .684, free .008 to .015; address span 1.2x to 20x"),
          ("CUDA's malloc", "11 to 1800")]

COLORS = {"S-P": "#1f77b4", "VA-P": "#17a2b8", "VL-P": "#6f42c1", "S-C": "#d62728", "VA-C": "#ff7f0e", "VL-C": "#8c564b",
          "bump": "#7f7f7f", "bump-warp": "#b0b0b0", "cuda": "#2ca02c", "system": "#2ca02c"}


def join(reports):
    """One report of several: rows of the same allocator follow each other, what a later one has replaces nothing."""
    first = dict(reports[0])
    joined = {}
    for report in reports:
        if report["device"] != first["device"]:
            raise SystemExit(f"{report['device']} is not {first['device']}")
        for a in report["allocators"]:
            have = joined.setdefault(a["allocator"], {**a, **{k: [] for k in ROWS}, "work": [], "left_out": []})
            for key in (*ROWS, "work", "left_out"):
                have[key] = have[key] + a[key]
            if a["utilisation"]["sizes"]:
                have["utilisation"] = a["utilisation"]
            if a["churn"]["span_bytes"]:
                have["churn"] = a["churn"]
            have["endurance"] = a["endurance"] or have["endurance"]
    first["allocators"] = list(joined.values())
    first["allocations"] = sorted({n for r in reports for n in r["allocations"]})
    first["parts"] = list(dict.fromkeys(p for r in reports for p in r["parts"]))
    return first


def ms(value):
    if value is None:
        return ""
    return f"{value:.3f}".lstrip("0") if value < 1 else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def rows_of(allocator, part, blocks=None):
    return [r for r in allocator[part] if blocks in (None, r["blocks"])]


def worst(values):
    values = [v for v in values if v is not None]
    return max(values) if values else None


class Bars:
    """Each bar with what was measured; a bar of which nothing was measured is left out."""

    def __init__(self, result):
        self.by_name = {a["allocator"]: a for a in result["allocators"]}
        self.lines = []

    def most(self, names, part, key, blocks):
        return worst(r[key] for n in names if n in self.by_name for r in rows_of(self.by_name[n], part, blocks))

    def add(self, what, measured, bar, unit="ms", at_most=True):
        if measured is None:
            return
        met = measured <= bar if at_most else measured >= bar
        text = f"{measured:.1%}" if unit == "%" else f"{measured:.3f}x" if unit == "x" else f"{ms(measured)} ms"
        limit = f"{bar:.0%}" if unit == "%" else f"{bar:g}x" if unit == "x" else f"{ms(bar)} ms"
        self.lines.append(f"| {what} | {'at most' if at_most else 'at least'} {limit} | {text} | "
                          f"{'yes' if met else 'no'} |")

    def ratio(self, over, under, part, key, pairs):
        found = []
        for a, b in pairs:
            if a not in self.by_name or b not in self.by_name:
                continue
            below = {(r["low"], r["high"]): r[key] for r in rows_of(self.by_name[b], part, under)}
            found += [r[key] / below[r["low"], r["high"]] for r in rows_of(self.by_name[a], part, over)
                      if r[key] and below.get((r["low"], r["high"]))]
        return worst(found)

    def table(self):
        k, m = 100_000, 1_000_000
        self.add("page variants, 100K of one size, warm", self.most(PAGES, "thread", "warm_ms", k), .016)
        self.add("the same, cold", self.most(PAGES, "thread", "cold_ms", k), .06)
        self.add("the same, free", self.most(PAGES, "thread", "free_ms", k), .03)
        self.add("page variants, 100K mixed, warm", self.most(PAGES, "mixed", "warm_ms", k), .06)
        self.add("the same, cold", self.most(PAGES, "mixed", "cold_ms", k), .2)
        self.add("page variants, 1M over 100K, warm", self.ratio(m, k, "thread", "warm_ms", [(n, n) for n in PAGES]), 10, "x")
        self.add("VL-P over S-P, 100K, warm", self.ratio(k, k, "thread", "warm_ms", [("VL-P", "S-P")]), 2, "x")
        self.add("chunk variants, 100K of one size, warm", self.most(CHUNKS, "thread", "warm_ms", k), .5)
        spans = [r["span_bytes_most"] / r["rounded_bytes"] for n in OURS if n in self.by_name
                 for part in ("thread", "mixed", "fragmentation") for r in rows_of(self.by_name[n], part, k)
                 if r["rounded_bytes"]]
        self.add("address span over the bytes asked, 100K", worst(spans), 1.05, "x")
        shares = [s["share"] for n in OURS if n in self.by_name for s in self.by_name[n]["utilisation"]["sizes"]]
        self.add("utilisation of a full heap, from 16 B", min(shares) if shares else None, .98, "%", at_most=False)
        growth = [c[-1] / max(c[:len(c) // 10 + 1]) for n in OURS if n in self.by_name
                  for c in [self.by_name[n]["churn"]["span_bytes"]] if len(c) > 10]
        self.add("footprint after all rounds of churn over the first tenth", worst(growth), 1.02, "x")  # the sizes are drawn anew
        if not self.lines:
            return []
        return ["| bar | | worst measured | met |", "| --- | --- | --- | --- |", *self.lines, ""]


def paper_lines(by_name):
    """What the paper says (Titan V), and the same here."""
    ours = [by_name[n] for n in OURS if n in by_name]
    lines = []

    def say(paper, here):
        if here:
            lines.append(f"| {paper} | {here} |")

    registers = {n: by_name[n]["registers"] for n in OURS if n in by_name and by_name[n]["registers"]}
    say("registers: about 40 (pages) to 50 (chunks) to allocate, slightly more than 20 to free",
        ", ".join(f"{n} {r['allocate']} / {r['free']}" for n, r in registers.items()))
    say("made in about 6 ms, virtualised variants a little more",
        ", ".join(f"{a['allocator']} {a['init_ms']:.1f}" for a in ours))
    cuda = by_name.get("cuda")
    if cuda and cuda["thread"]:
        frees = [r["free_ms"] for r in cuda["thread"] if r["free_ms"]]
        say("CUDA's free always takes more than 1 ms", f"{ms(min(frees))} to {ms(max(frees))} ms" if frees else "")
        again = [r["cold_ms"] / r["warm_ms"] for r in cuda["thread"] if r["warm_ms"]]
        say("CUDA's first and later allocations take the same time",
            f"the first {min(again):.2f}x to {max(again):.2f}x" if again else "")
        spans = [r["span_bytes_most"] / r["rounded_bytes"] for r in cuda["thread"] + cuda["fragmentation"] if r["rounded_bytes"]]
        say("CUDA's addresses span all there is, those of Ouroboros little more than was asked for",
            f"CUDA {min(spans):,.1f}x to {max(spans):,.1f}x")
    slower = [w["warm_ms"] / t["warm_ms"] for a in ours for w in a["warp"] for t in a["thread"]
              if a["allocator"] in PAGES and (w["blocks"], w["high"]) == (t["blocks"], t["high"]) and t["warm_ms"]]
    say("one thread of each warp allocating is a little slower (page variants)",
        f"{min(slower):.2f}x to {max(slower):.2f}x of the time of as many neighbouring threads" if slower else "")
    work = [(w["blocks"], w["high"], w["prefix_sum_ms"] / w["ms"]) for a in ours if a["allocator"] in PAGES for w in a["work"]]
    say("work of 4-64 B: close to prefix sums to a few thousand threads, then slightly behind; of 4-4096 B: faster to tens of "
        "thousands (page variants)",
        "; ".join(f"{n:,} x 4-{h} B: {min(r for x, y, r in work if (x, y) == (n, h)):.2f}x to "
                  f"{max(r for x, y, r in work if (x, y) == (n, h)):.2f}x as fast"
                  for n, h in sorted({(n, h) for n, h, _ in work})))
    packed = {(r["blocks"], r["high"]): r["write_ms"] for r in by_name.get("bump", {"thread": []})["thread"]}
    writes = [r["write_ms"] / packed[r["blocks"], r["high"]] for a in ours for r in a["thread"]
              if 16 <= r["high"] <= 128 and packed.get((r["blocks"], r["high"]))]
    say("writing to what was allocated, 16-128 B, is close to writing one packed array",
        f"{min(writes):.2f}x to {max(writes):.2f}x of the time" if writes else "")
    return ["| the paper | here |", "| --- | --- |", *lines, ""] if lines else []


def size_tables(allocators, blocks):
    lines = []
    for part, title in (("thread", f"{blocks:,} allocations, each by a thread of its own"),
                        ("warp", f"{blocks:,} allocations, each by one thread of a warp"), ("mixed", f"{blocks:,} allocations of mixed sizes")):
        sizes = sorted({(r["low"], r["high"]) for a in allocators for r in rows_of(a, part, blocks)}, key=lambda s: s[1])
        if not sizes:
            continue
        shown = [a for a in allocators if rows_of(a, part, blocks)]
        lines += [f"{title}: cold / warm / free in ms.", "", "| bytes | " + " | ".join(a["allocator"] for a in shown) + " |",
                  "| --- |" + " --- |" * len(shown)]
        for low, high in sizes:
            cells = []
            for a in shown:
                r = next((r for r in rows_of(a, part, blocks) if (r["low"], r["high"]) == (low, high)), None)
                cells.append(f"{ms(r['cold_ms'])} / {ms(r['warm_ms'])} / {ms(r['free_ms'])}" if r else "")
            lines.append(f"| {high if low == high else f'{low}-{high}'} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def long_runs(allocators):
    lines = []
    ran = [a for a in allocators if a["churn"]["span_bytes"]]
    if ran:
        lines += ["| | churn: rounds | ms each | MiB spanned, first | last |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {a['allocator']} | {len(c['span_bytes'])} | {ms(c['ms'] / len(c['span_bytes']))} | "
                  f"{c['span_bytes'][0] / 2**20:,.1f} | {c['span_bytes'][-1] / 2**20:,.1f} |"
                  for a in ran for c in [a["churn"]]] + [""]
    ran = [a for a in allocators if a["endurance"]]
    if ran:
        lines += ["| | operations by four kernels at once | M/s | refused | bytes live at the end | invariants |",
                  "| --- | --- | --- | --- | --- | --- |"]
        lines += [f"| {a['allocator']} | {e['operations']:,} | {e['operations'] / e['ms'] / 1e3:,.0f} | {e['refused']:,} | "
                  f"{'' if e['live_bytes'] is None else e['live_bytes']} | "
                  f"{'' if e['valid'] is None else 'hold' if e['valid'] else 'BROKEN'} |"
                  for a in ran for e in [a["endurance"]]] + [""]
    return lines


def plot(title, x_title, series):
    """An SVG of lines over two logarithmic axes; `series`: name -> [(x, milliseconds)]."""
    width, height, left, right, top, bottom = 720, 400, 64, 110, 34, 46
    points = [p for line in series.values() for p in line]
    x0, x1 = math.log2(min(x for x, _ in points)), math.log2(max(x for x, _ in points))
    y0 = math.floor(math.log10(min(y for _, y in points)))
    y1 = max(math.ceil(math.log10(max(y for _, y in points))), y0 + 1)
    x1 = max(x1, x0 + 1)

    def at(x, y):
        return (left + (math.log2(x) - x0) / (x1 - x0) * (width - left - right),
                height - bottom - (math.log10(y) - y0) / (y1 - y0) * (height - top - bottom))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="20" font-size="14">{title}</text>',
           f'<text x="{(left + width - right) / 2:.0f}" y="{height - 8}" text-anchor="middle">{x_title}</text>']
    for power in range(y0, y1 + 1):
        _, y = at(2 ** x0, 10.0 ** power)
        out.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g} ms</text>')
    for power in range(math.ceil(x0), math.floor(x1) + 1, 1 if x1 - x0 <= 12 else 2):
        x, _ = at(2.0 ** power, 10.0 ** y0)
        label = f"2^{power}" if x1 > 14 else f"{2 ** power}"
        out.append(f'<text x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">{label}</text>')
    ends = []
    for name, line in series.items():
        color = COLORS.get(name, "#333")
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in sorted(line)))
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        ends.append([at(*max(line))[1], name, color])
    ends.sort()
    for above, below in zip(ends, ends[1:]):
        below[0] = max(below[0], above[0] + 14)
    out += [f'<text x="{width - right + 8}" y="{y + 4:.1f}" fill="{color}">{name}</text>' for y, name, color in ends]
    return "\n".join(out + ["</svg>"]) + "\n"


def pictures(result, prefix):
    """File name -> SVG of what was measured for more than one size, or number of threads."""
    blocks = usual(result)
    found = {}

    def draw(name, title, x_title, part, x, key, keep):
        series = {a["allocator"]: [(r[x], r[key]) for r in a[part] if keep(r) and r[key]] for a in result["allocators"]}
        series = {n: line for n, line in series.items() if len(line) > 1}
        if series:
            found[f"{prefix}_{name}.svg"] = plot(title, x_title, series)

    for key, what in (("cold_ms", "first allocation"), ("warm_ms", "later allocations"), ("free_ms", "free")):
        draw(key[:-3], f"{blocks:,} threads: {what}", "bytes", "thread", "high", key, lambda r: r["blocks"] == blocks)
    draw("mixed", f"{blocks:,} threads, mixed sizes: later allocations", "4 to ... bytes", "mixed", "high", "warm_ms",
         lambda r: r["blocks"] == blocks)
    for size in sorted({r["high"] for a in result["allocators"] for r in a["scaling"]}):
        draw(f"scaling_{size}", f"{size} B by number of threads: later allocations", "threads", "scaling", "blocks", "warm_ms",
             lambda r, size=size: r["high"] == size)
    return found


def usual(result):
    return max((n for n in result["allocations"] if n <= 100_000), default=result["allocations"][0])


def tables(result):
    allocators, by_name = result["allocators"], {a["allocator"]: a for a in result["allocators"]}
    lines = [f"## Memory management, {result['title']}", "",
             f"`{result['command']}`, on {result['machine']}: {result['device']}. Heaps of {result['heap_bytes'] / 2**30:g} GiB. "
             "Cold: the first round after a reset; warm: the median of those that follow, each after everything was freed. After "
             "every round what is live was filled, read again and sorted: nothing overlapped.", ""]
    lines += Bars(result).table()
    lines += ["Before, on the same kind of GPU with one harness, 100,000 allocations, in ms: "
              + "; ".join(f"{name}: {what}" for name, what in BEFORE) + ".", ""]
    lines += paper_lines(by_name) + size_tables(allocators, usual(result)) + long_runs(allocators)
    prefix = f"memory_{result['name']}"
    for name in pictures(result, prefix):
        lines += [f"![{name[len(prefix) + 1:-4].replace('_', ' ')}](plots/{name})", ""]
    left_out = sorted({what for a in allocators for what in a["left_out"]})
    if left_out:
        lines += [f"Left out by one allocator or more: {'; '.join(left_out)}.", ""]
    return lines + [note + "\n" for note in result.get("notes", [])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--command", default="fathom bench memory --device cuda")
    parser.add_argument("--note", action="append", default=[])
    c = parser.parse_args()
    joined = join([json.loads(pathlib.Path(p).read_text(encoding="utf-8")) for p in c.parts])
    joined.update(benchmark="memory", title=c.title, machine=c.machine, command=c.command, notes=c.note)
    pathlib.Path(c.output).write_text(json.dumps(joined, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
