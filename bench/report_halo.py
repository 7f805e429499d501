"""The tables of `fathom bench halo` and of orders in bench/results."""
import statistics


def cell(value, digits=2, unit="x"):
    return f"{value:.{digits}f}{unit}" if value is not None else ""


def means(part, timed):
    """Geometric means over graphs beside the paper's averages."""
    if not timed:
        lines = ["| edges | order | bytes per byte read | the paper | log gap |", "| --- | --- | --- | --- | --- |"]
        return lines + [f"| {r['residency']} | {r['method']} | {cell(r['amplification'])} | "
                        f"{cell(r['paper']['amplification'])} | {cell(r['log_gap'], 3, '')} |"
                        for r in part["means"] if r["amplification"]] + [""]
    lines = ["| edges | order | speed-up | the paper | bytes per byte read | the paper | log gap |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for r in part["means"]:
        paper = r["paper"]
        said = f"{paper['slowdown']:.0%} slower" if paper["slowdown"] else cell(paper["speedup"])
        lines.append(f"| {r['residency']} | {r['method']} | {cell(r['speedup'])} | {said} | "
                     f"{cell(r['amplification'])} | {cell(paper['amplification']) if r['amplification'] else ''} | "
                     f"{cell(r['log_gap'], 3, '')} |")
    return lines + [""]


def by_graph(rows, key, digits, unit):
    """A line per graph, form and residency, a column per order."""
    methods = list(dict.fromkeys(r["method"] for r in rows))
    lines = ["| graph | edges | " + " | ".join(methods) + " |", "| --- | --- |" + " --- |" * len(methods)]
    for where in dict.fromkeys((r["graph"], r["form"], r["residency"]) for r in rows):
        found = {r["method"]: r[key] for r in rows if (r["graph"], r["form"], r["residency"]) == where}
        if any(v is not None for v in found.values()):
            lines.append(f"| {where[0]}, {where[1]} | {where[2]} | "
                         + " | ".join(cell(found.get(m), digits, unit) for m in methods) + " |")
    return lines + [""]


def tables(result):
    """HALO's experiments: a table for each part that was run. Where the result says `untimed`, the machine was too busy
    for its times to mean anything, and they stay in the file."""
    timed = not result.get("untimed")
    lines = [f"## HALO's experiments, {result['title']}", "",
             f"`{result['command']}`, on {result['machine']}: {result['device']}, {result['threads']} threads. "
             f"{result['sources']} sources; orders from {result['order_samples']} samples; streamed edges in pages of "
             f"{result['page_bytes'] >> 10} KiB, frames for {result['cache_share']:.0%} of them. Every depth is that of "
             "natural order.", "",
             "| graph | vertices | edges |", "| --- | --- | --- |"]
    lines += [f"| {g['graph']}, {g['form']} | {g['vertices']:,} | {g['edges']:,} |" for g in result["graphs"]] + [""]
    if result["single"]:
        rows = result["single"]["rows"]
        lines += ["From one source (Figures 6, 9 and 10; geometric means over the graphs, of log gaps the mean):", ""]
        lines += means(result["single"], timed)
        if timed:
            lines += ["Speed-up of the mean time over natural order:", ""] + by_graph(rows, "speedup", 2, "x")
        lines += ["Bytes over the link per byte of the lists read (Figure 9):", ""]
        lines += by_graph(rows, "amplification", 2, "x")
        first = rows[0]["residency"]
        once = [r for r in rows if r["residency"] == first]
        lines += ["Mean log2 gap inside levels (Figure 10):", ""] + by_graph(once, "log_gap", 3, "")
        lines += ["Seconds to find the order:", ""] + by_graph(once, "order_seconds", 3, "")
    if result["multi"]:
        lines += [f"From {result['together']} sources at once (Figure 7):", ""] + means(result["multi"], timed)
    if result["samples"]:
        lines += ["Samples of HALO-II (Figure 11; the paper: no gain beyond about 32):", "",
                  "| graph | samples | " + ("mean ms | speed-up | " if timed else "")
                  + "seconds to order | log gap | to that of the most |", "| --- " * (7 if timed else 5) + "|"]
        for r in result["samples"]:
            times = f"{r['seconds']['mean'] * 1e3:.3f} | {r['speedup']:.2f}x | " if timed else ""
            lines.append(f"| {r['graph']}, {r['form']} | {r['samples'] or 'natural'} | {times}{r['order_seconds']:.3f} | "
                         f"{r['log_gap']:.3f} | {cell(r['log_gap_ratio'])} |")
        lines.append("")
    if result["scaling"]:
        lines += ["Kronecker graphs by size (Figure 12; the paper: HALO-II 1.8x to 1.9x):", ""]
        lines += by_graph(result["scaling"]["rows"], "speedup", 2, "x")
    if result["advice"]:
        lines += ["Unified memory (Figures 3b and 13; the paper, beyond the card's memory: read-mostly 1.85x, with HALO-II "
                  "2.84x):", "", "| graph | order | read-mostly | prefetched | mean ms | speed-up |",
                  "| --- | --- | --- | --- | --- | --- |"]
        lines += [f"| {r['graph']}, {r['form']} | {r['method']} | {'yes' if r['read_mostly'] else ''} | "
                  f"{'yes' if r['prefetch'] else ''} | {r['seconds']['mean'] * 1e3:.3f} | {r['speedup']:.2f}x |"
                  for r in result["advice"]] + [""]
    return lines + [f"Left out: {why}\n" for why in result["left_out"]] + [note + "\n" for note in result.get("notes", [])]


def spread(values):
    """Median, least and most."""
    return f"{values[0]:.2f} ({values[1]:.2f} to {values[2]:.2f})"


def orders(result):
    """What it takes to find orders, and how good those are that HALO-II is compared with."""
    lines = [f"## Orders: {result['title']}", "",
             f"`{result['command']}`, on {result['machine']} (load {result['load']}). Medians of three runs; memory is the "
             "process's peak resident set without the store, which is mapped, and in parts of its CSR (the bar: 1.5).", "",
             "| graph | order | found in s | with writing s | bar s | MiB beyond the store | of the CSR |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in result["times"]:
        beyond = statistics.median(row["peak_kib"]) / 1024 - row["store_mib"]
        lines.append(f"| {row['graph']} | {row['method']} | {statistics.median(row['found']):.2f} | "
                     f"{statistics.median(row['whole']):.2f} | {row['bar']} | {beyond:.0f} | {beyond / row['store_mib']:.2f} |")
    lines += ["", "Medians over seven seeds (of the samples and of the 20 sources searched from), least and most; LRU: 4 KiB pages "
              "through a cache of 12/32 of the edges, bytes fetched per byte needed:", "",
              "| graph | samples | order | log gap | 4 KiB amplification | LRU |", "| --- | --- | --- | --- | --- | --- |"]
    for row in result["quality"]:
        lines.append(f"| {row['graph']} | {row['samples']} | {row['method']} | {spread(row['log_gap'])} | "
                     f"{spread(row['amplification_4k'])} | {spread(row['amplification_lru'])} |")
    return lines + [""] + [note + "\n" for note in result["notes"]]
