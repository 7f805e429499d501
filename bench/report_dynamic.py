"""The section of `fathom bench dynamic` in bench/results.

    bench/report_dynamic.py PART.json... -o bench/results/MACHINE/dynamic.json --title T --machine M [--note N]...
                            joins what --save wrote of several runs on one device
"""
import argparse
import json
import pathlib

# What tells the rows of a part apart.
KEYS = {"init": ("graph", "layout"),
        "updates": ("graph", "layout", "strategy", "sources", "from", "batch"),
        "mixed": ("graph", "layout", "batch"),
        "vertices": ("graph", "layout", "form", "batch"),
        "queries": ("graph", "layout", "what", "from"),
        "algorithms": ("graph", "layout", "algorithm", "form"),
        "pages": ("graph", "page_bytes"),
        "snapshots": ("graph", "layout", "batch"),
        "allocators": ("graph", "allocator"),
        "longterm": ("graph", "layout", "test", "batch"),
        "incremental": ("graph", "layout", "form", "ends", "share"),
        "beyond": ("graph", "layout", "times")}


def join(reports):
    """One report of several: of rows that tell the same, those of the first stay."""
    joined = dict(reports[0])
    for report in reports[1:]:
        if report["device"] != joined["device"]:
            raise SystemExit(f"{report['device']} is not {joined['device']}")
        for part, keys in KEYS.items():
            if report.get(part) is None:  # or written before there was such a part
                continue
            rows = joined.get(part) or []
            there = {tuple(r.get(k) for k in keys) for r in rows}
            joined[part] = rows + [r for r in report[part] if tuple(r.get(k) for k in keys) not in there]
        names = {g["graph"] for g in joined["graphs"]}
        joined["graphs"] = joined["graphs"] + [g for g in report["graphs"] if g["graph"] not in names]
        for key in ("left_out", "parts", "layouts", "strategies", "sources", "allocator_names"):
            joined[key] = list(dict.fromkeys(joined[key] + report[key]))
        for key in ("batches", "page_bytes"):
            joined[key] = sorted(set(joined[key] + report[key]))
        # The largest ratio, the highest rate: what the command says of several graphs.
        bars = {b["bar"]: b for b in joined["bars"]}
        for bar in report["bars"]:
            old = bars.setdefault(bar["bar"], bar)
            if bar["measured"] > old["measured"]:
                bars[bar["bar"]] = bar
        joined["bars"] = list(bars.values())
    return joined


def ms(row, key="seconds"):
    value = row[key]
    value = (value["median"] if isinstance(value, dict) else value) * 1e3
    return f"{value:.3f}".lstrip("0") if value < 1 else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def table(head, rows):
    return [f"| {' | '.join(head)} |", "| " + " | ".join("---" for _ in head) + " |",
            *(f"| {' | '.join(str(c) for c in row)} |" for row in rows), ""]


def pick(rows, **wanted):
    return [r for r in rows or [] if all(r[k] == v for k, v in wanted.items())]


def graphs_lines(result):
    rows = [(g["graph"], f"{g['vertices']:,}", f"{g['edges']:,}",
             f"{g['mean_degree']:.2f}, {g['deviation']:.2f}, {g['most']:,}") for g in result["graphs"]]
    return table(["graph", "vertices", "edges, each way", "degrees: mean, deviation, most"], rows)


def init_lines(result):
    layouts = result["layouts"]
    rows = []
    for g in result["graphs"]:
        mine = {r["layout"]: r for r in pick(result["init"], graph=g["graph"])}
        if mine:
            rows.append([g["graph"]] + [f"{ms(mine[x])}, {mine[x]['to_csr']:.2f}x" if x in mine else "" for x in layouts]
                        + [f"{mine[layouts[0]]['to_rounded']:.2f}x"])
    return ["Initialisation from CSR (Tables 3.1, 4.1, 4.2, Figures 6.2 and 6.3), ms, and footprint over that of the CSR; the last column is "
            f"that of {layouts[0]} over a CSR whose lists have room for a power of two of entries:", "",
            *table(["graph", *layouts, "to rounded"], rows)]


def updates_lines(result):
    """A row per graph and size of batch: the best strategy of each layout, which is named."""
    lines = []
    for sources in result["sources"]:
        for memory in ("host", "device"):
            rows = []
            for g in result["graphs"]:
                for batch in result["batches"]:
                    its = [r for r in pick(result["updates"], graph=g["graph"], batch=batch, sources=sources)
                           if r.get("from", "host") == memory]
                    cells = []
                    for layout in result["layouts"]:
                        for key in ("insert_seconds", "delete_seconds"):
                            best = min(pick(its, layout=layout), key=lambda r, k=key: r[k]["median"], default=None)
                            cells.append(f"{ms(best, key)} {best['strategy'][0]}" if best else "")
                    if any(cells):
                        rows.append([g["graph"], f"{batch:,}", *cells])
            if rows:
                lines += [f"Batches of {sources} updates in {memory} memory (Figures 3.2, 3.3, 4.11, 4.13, 6.4 to 6.7), ms to insert (+) and "
                          "to delete (-); u: an update at a time, w: a warp for each, s: a touched list at a time, of a sorted batch, v: without sorting the batch, whichever was fastest; "
                          "a: the choice left to the graph:", "",
                          *table(["graph", "batch", *(f"{x} {s}" for x in result["layouts"] for s in "+-")], rows)]
    return lines


def mixed_lines(result):
    rows = [(r["graph"], r["layout"], f"{r['batch']:,}", ms(r, "together_seconds"), ms(r, "insert_seconds"),
             ms(r, "delete_seconds"), f"{r['speedup']:.2f}x") for r in result["mixed"]]
    return ["Insertions and deletions, half each, in one batch and in two (Figure 4.12), ms:", "",
            *table(["graph", "layout", "batch", "together", "insertions", "deletions", "gain"], rows)]


def vertices_lines(result):
    rows = []
    for g in result["graphs"]:
        for batch in result["batches"]:
            mine = pick(result["vertices"], graph=g["graph"], batch=batch, layout=result["layouts"][0])
            if mine:
                by = {r["form"]: r for r in mine}
                rows.append([g["graph"], f"{batch:,}", ms(by["one way"], "insert_seconds")]
                            + [ms(by[f], "delete_seconds") for f in ("undirected", "directed", "one way")])
    return [f"Vertices (Figures 4.14 to 4.16) in the layout {result['layouts'][0]}, ms; deleted of undirected graphs, of directed ones that "
            "keep in-lists, and of lists in one direction, all of which are searched:", "",
            *table(["graph", "batch", "insert", "delete, undirected", "directed", "one way"], rows)]


def queries_lines(result):
    kinds = [(w, "host") for w in ("edges", "weights", "degrees", "neighbours")] + [("edges", "device")]
    rows = []
    for g in result["graphs"]:
        for layout in result["layouts"]:
            mine = {(r["what"], r.get("from", "host")): r for r in pick(result["queries"], graph=g["graph"], layout=layout)}
            if mine:
                rows.append([g["graph"], layout] + [f"{mine[k]['rate'] / 1e6:,.1f}" if k in mine else "" for k in kinds])
    return ["Queries in bulk, millions per second; the last column asks and answers in device memory:", "",
            *table(["graph", "layout", "edges", "weights", "degrees", "neighbours", "edges, device"], rows)]


def algorithms_lines(result):
    kinds = [("bfs", "ours"), ("pagerank", "ours"), ("pagerank", "naive"), ("pagerank", "balanced"), ("triangles", "ours"),
             ("triangles", "naive"), ("triangles", "balanced")]
    rows = []
    for g in result["graphs"]:
        for layout in ["csr", *result["layouts"]]:
            mine = {(r["algorithm"], r["form"]): r for r in pick(result["algorithms"], graph=g["graph"], layout=layout)}
            if mine:
                rows.append([g["graph"], layout] + [ms(mine[k]) if k in mine else "" for k in kinds])
    return [f"Algorithms (Tables 4.3 and 4.4, Figures 6.8 and 6.9), ms; PageRank: {result['iterations']} iterations; naive and balanced: as the "
            "papers do it, pushing, and testing pairs of neighbours:", "",
            *table(["graph", "layout", *(f"{a}, {f}" for a, f in kinds)], rows)]


def configured_lines(rows, key, title):
    def cells(r):
        out = []
        for sources in ("uniform", "focused"):
            mine = r[sources]
            out += [ms(mine, "insert_seconds"), ms(mine, "delete_seconds")] if mine else ["", ""]
        return out
    more = ["PageRank"] if rows and "pagerank_seconds" in rows[0] else []
    return [title, "", *table(["graph", key.replace("_", " "), "init", "to CSR", "uniform +", "-", "focused +", "-", *more],
                              [[r["graph"], r[key], ms(r, "init_seconds"), f"{r['to_csr']:.2f}x", *cells(r)]
                               + ([ms(r, "pagerank_seconds")] if more else []) for r in rows])]


def snapshots_lines(result):
    rows = [(r["graph"], r["layout"], ms(r, "take_seconds"), f"{r['batch']:,}", ms(r, "alone_seconds"), ms(r, "beside_seconds"),
             f"{r['slowdown']:.2f}x", ms(r, "analysis_seconds")) for r in result["snapshots"]]
    return ["Snapshots, ms: to take one; batches alone, and beside PageRank on a snapshot in another thread:", "",
            *table(["graph", "layout", "take", "batch", "alone", "beside", "slower", "PageRank"], rows)]


def longterm_lines(result):
    rows = [(r["graph"], r["layout"], r["test"], r["rounds"], f"{r['batch']:,}", ms(r), f"{r['rate'] / 1e6:.2f}",
             *(f"{b / 2**20:.2f}" for b in (r["page_bytes_before"], r["page_bytes_most"], r["page_bytes"][-1])))
            for r in result["longterm"]]
    return ["In use for long (section 4.3.2; the paper: Uniform, Random and Sweep of Tables 4.1 and 4.2), memory of pages in MiB; the graph is the "
            "same in the end:", "",
            *table(["graph", "layout", "test", "rounds", "batch", "median ms", "M updates/s", "before", "most", "in the end"], rows)]


def incremental_lines(result):
    rows = [(r["graph"], r["form"], r["ends"], f"{r['share']:.2%}", f"{r['batch']:,}", ms(r, "apply_seconds"), ms(r, "record_seconds"),
             *(ms(r[name], key) for name in ("bfs", "components", "pagerank") for key in ("update_seconds", "anew_seconds")))
            for r in result["incremental"]]
    near = ", or one of these and one at most three edges away" if any(r["ends"] == "near" for r in result["incremental"]) else ""
    lines = ["Results that follow the graph, brought up to a batch of half insertions and half deletions, and computed anew, ms; to record "
            "what a batch changes beside applying it serves all of them; ranks within a tolerance of 1e-6; insertions tie any vertices, or each "
            f"as often as it has edges{near}:", "",
             *table(["graph", "", "ends", "changed", "batch", "apply", "apply and record", "levels", "anew", "components", "anew", "ranks", "anew"],
                    rows)]
    rows = [(r["graph"], r["form"], r["ends"], f"{r['share']:.2%}", f"{r['batch']:,}",
             *(text for name in ("sssp", "triangles", "cores") for text in
               (ms(r[name], "update_seconds"), ms(r[name], "anew_seconds"), f"{1 / r[name]['speedup']:.2g}")))
            for r in result["incremental"] if "sssp" in r]
    if not rows:
        return lines
    return lines + ["", "Those that loops on the host follow, of the same batches, on the same edges 1 to 64 long (which triangles and core numbers do "
                    "not look at), ms, and the share of the time that computing them anew takes:", "",
                    *table(["graph", "", "ends", "changed", "batch", "distances", "anew", "share", "triangles", "anew", "share", "core numbers",
                            "anew", "share"], rows)]


def beyond_lines(result):
    rows = [(r["graph"], r["layout"], f"{r['times']}x" if r["times"] else "all on the GPU", f"{r['device_bytes'] / 2**20:,.0f}",
             f"{r['host_bytes'] / 2**20:,.0f}", f"{r['batch']:,}", ms(r, "insert_seconds"), ms(r, "delete_seconds"), ms(r, "init_seconds"),
             ms(r, "bfs_seconds"), ms(r, "pagerank_seconds")) for r in result["beyond"]]
    return ["Graphs beyond a GPU's memory: budgets made for pages that come to so many times their room; MiB of pages there and in host memory, "
            f"those mapped ahead included; batches from host memory, BFS and {result['iterations']} iterations of PageRank on the graph, ms:", "",
            *table(["graph", "layout", "lists", "on the GPU", "on the host", "batch", "insert", "delete", "init", "BFS", "PageRank"], rows)]


def bars_lines(result):
    rows = [(b["bar"], f"{'at most' if b['at_most'] else 'at least'} {b['limit']:g}{b['unit'] if b['unit'] == 'x' else ' ' + b['unit']}",
             f"{b['measured']:.3g}{b['unit'] if b['unit'] == 'x' else ' ' + b['unit']}", "yes" if b["met"] else "no")
            for b in result["bars"]]
    return ["Bars, set for one H200:", "", *table(["bar", "", "measured", "met"], rows)] if rows else []


def paper_lines(result):
    paper = result["paper"]
    def number(value):
        return "" if value is None else f"{value:g}"
    rows = [(g["graph"], g["kind"], f"{g['mean_degree']:g}, {g['deviation']:g}, {g['most']}", number(g["aim_init_ms"]), number(g["init_ms"]),
             number(g["megabytes"]), number(g["queries_ms"]), number(g["vertex_insertion_ms"]),
             f"{g['vertex_deletion_undirected_ms']:g}, {g['vertex_deletion_directed_ms']:g}",
             f"{g['triangles_naive_ms']:g}, {g['triangles_balanced_ms']:g}",
             f"{g['pagerank_naive_ms']:g}, {g['pagerank_balanced_ms']:g}") for g in paper["graphs"]]
    lines = [f"The papers' numbers, ms: faimGraph on an {paper['faim_device']}, initialisation of aimGraph on an {paper['aim_device']}; the "
             "graphs are those of the 10th DIMACS challenge, like ours of the kind named. Vertices: 100,000. Figures have no numbers:", "",
             *table(["graph", "like our", "degrees", "aim init", "faim init", "MB", "queries", "vertex +", "vertex -, undirected and directed",
                     "triangles, naive and balanced", "PageRank"], rows)]
    return lines + [f"- {s['what']}: {s['value']} ({s['where']})" for s in paper["stated"]] + [""]


def tables(result):
    lines = [f"## Graphs that change, {result['title']}", "",
             f"`{result['command']}`, on {result['machine'] if isinstance(result['machine'], str) else result['machine']['processor']}, "
             f"{result['device']}, {result['threads']} threads. Medians of {result['trials']} rounds. Every list was compared with what it "
             "should be after each kind of batch, counts after every batch, results with those on CSR.", "", *graphs_lines(result)]
    for part, make in (("init", init_lines), ("updates", updates_lines), ("mixed", mixed_lines), ("vertices", vertices_lines),
                       ("queries", queries_lines), ("algorithms", algorithms_lines)):
        if result[part]:
            lines += make(result)
    if result["pages"]:
        lines += configured_lines(result["pages"], "page_bytes", "Pages of the layout faim by size, ms:")
    if result["snapshots"]:
        lines += snapshots_lines(result)
    if result["allocators"]:
        lines += configured_lines(result["allocators"], "allocator", "Pages of the layout ouro from each allocator (Figures 6.11 to 6.13), ms:")
    if result["longterm"]:
        lines += longterm_lines(result)
    if result.get("incremental"):
        lines += incremental_lines(result)
    if result.get("beyond"):
        lines += beyond_lines(result)
    lines += bars_lines(result)
    if any(result.get(part) for part in KEYS if part not in ("incremental", "beyond")):  # which the papers do not have
        lines += paper_lines(result)
    if result["left_out"]:
        lines += ["Left out: " + "; ".join(result["left_out"]) + ".", ""]
    return lines + [line for note in result.get("notes", []) for line in (note, "")]


def batches(result):
    """Batches of two programs in turn."""
    rows = []
    for row in result["rows"]:
        aims = row["aim_ms"] or ["", ""]
        for k, kind in enumerate(("inserted", "deleted")):
            was, now = row["before_ms"][k], row["ms"][k]
            rows.append((row["graph"], row["from"], f"{row['batch']:,}", kind, f"{was:.3f}", f"{now:.3f}", f"{now / was:.2f}", aims[k]))
    return ["## Batches of updates on a GPU, beside the program before", "",
            f"`{result['command']}`, on {result['machine']}; milliseconds, medians of {result['rounds']} rounds of two programs in turn, "
            "of each the median of seven.", "",
            *table(("graph", "updates in the memory of", "batch", "", "before, ms", "ms", "ratio", "aim"), rows), "",
            *(note + "\n" for note in result["notes"])]


def aims(result):
    """What was aimed at, beside what is reached."""
    lines = [f"## {result['title']}", "", "| | before | aim | reached | from |", "| --- | ---: | ---: | ---: | --- |"]
    lines += [f"| {r['what']} | {r['before']} | {r['aim']} | {r['reached']} | {r['from']} |" for r in result["rows"]]
    return lines + [""] + [line for note in result["notes"] for line in (note, "")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", metavar="PART.json")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--command", default="fathom bench dynamic")
    parser.add_argument("--note", action="append", default=[])
    args = parser.parse_args()
    result = join([json.loads(pathlib.Path(p).read_text()) for p in args.parts])
    result = {"benchmark": "dynamic", "title": args.title, "machine": args.machine, "command": args.command, "notes": args.note,
              **result}
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
