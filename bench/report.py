#!/usr/bin/env python3
"""Writes docs/performance.md with its plots, and a page of tables beside every bench/results/<machine>/<benchmark>.json.

    bench/report.py           writes the pages and the plots
    bench/report.py --check   exits 1 when one of them is not what the results say
"""
import json
import pathlib
import sys

import filters
import id_bits
import predict_ranks
import ranks
import report_dynamic
import report_halo
import report_memory
import report_overview
import report_packed
import report_peers
import report_python
import stream_input
import stream_log
import streamed_lists
from report_peers import notes

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
DOCS = ROOT / "docs"

HEAD = """# Results

Every page here is written by `bench/report.py` from the JSON file beside it, and names the command that made it.
[Performance](../../docs/performance.md) is the short version, with plots.

Machines are shared and noisy: what counts is the ratio of two programs run in turn, and the median.
"""


def threads_table(result):
    """More threads beside one, on a quiet machine and beside other work."""
    lines = [
        "## Threads and small supersteps",
        "",
        f"`{result['command']}`, on {result['machine']['processor']} with {result['machine']['cores']} cores, medians "
        f"of {result['rounds']} interleaved runs; 'of one' is the time as a share of that with one thread, in the same "
        "surroundings.",
        "",
        "| build | algorithm | graph | beside | threads | ms | of one |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in result["rows"]:
        beside = "busy loops" if row["loaded"] else "nothing"
        lines.append(f"| {row['build']} | {row['app']} | {row['graph']} | {beside} | {row['threads']} | "
                     f"{row['median_seconds'] * 1e3:.1f} | {row['of_first']:.2f} |")
    return lines + [""] + notes(result)


def convert_table(result):
    """Conversions of every format, beside another program where there was one."""
    lines = [
        f"## {result['title']}",
        "",
        f"`{result['command']}`, on {result['machine']['processor']} with {result['machine']['cores']} cores, medians "
        f"of {result['rounds']} interleaved runs; 'was' is the program compared with, the ratio that of the times "
        "round by round. Rates are of the input as it lies on the disk.",
        "",
        "| graph | format | memory | MB/s | s | was s | ratio | processor s | was | peak MiB | was |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in result["rows"]:
        new, old = row["fathom"], row.get("other")
        was = [f"{old['seconds']:.2f}", f"{row['ratio']:.2f}", f"{old['processor_seconds']:.2f}",
               f"{old['peak_bytes'] >> 20}"] if old else [""] * 4
        lines.append(f"| {row['graph']} | {row['format']} | {row['memory'] or 'half of what is free'} | "
                     f"{row['bytes'] / new['seconds'] / 1e6:.0f} | {new['seconds']:.2f} | {was[0]} | {was[1]} | "
                     f"{new['processor_seconds']:.2f} | {was[2]} | {new['peak_bytes'] >> 20} | {was[3]} |")
    return lines + [""] + notes(result)


def google_benchmark_table(result):
    context = result["context"]
    lines = [
        "## Ingestion and kernels",
        "",
        f"`{context['command']}`, on {context['processor']} with {context['num_cpus']} cores.",
        "",
        "| benchmark | time | rate |",
        "| --- | --- | --- |",
    ]
    for row in result["benchmarks"]:
        rate = ""
        if "bytes_per_second" in row:
            rate = f"{row['bytes_per_second'] / 1e6:,.0f} MB/s"
        elif "edges/s" in row:
            rate = f"{row['edges/s'] / 1e6:,.1f} M edges/s"
        lines.append(f"| {row['name'].replace('/real_time', '')} | "
                     f"{row['real_time']:,.3g} {row['time_unit']} | {rate} |")
    return lines + [""] + notes(result)


def emogi_table(result):
    """EMOGI's comparison on one GPU: a row per application, graph and width of ids."""
    systems = ["uvm", "naive", "merged", "aligned", "fathom"]
    lines = [
        f"## EMOGI's comparison, {result['title']}",
        "",
        f"`{result['command']}`, on one {result['device']}. Mean milliseconds over the sources, GB/s over "
        "the link in brackets. uvm: read-mostly unified memory from a cold start; naive, merged, aligned: "
        "the paper's patterns over zero-copy memory, pushing every edge; fathom: as Fathom does it, with "
        "the device memory of the last column." + ceiling_text(result["results"]),
        "",
        "| | graph | ids | " + " | ".join(systems) + " | device memory |",
        "| --- | --- | --- |" + " --- |" * (len(systems) + 1),
    ]
    rows = {}
    for r in result["results"]:
        name = pathlib.Path(r["graph"]["path"]).stem
        rows.setdefault((r["app"], name, r["id_bytes"]), {})[r["system"]] = r
    for (app, name, id_bytes), row in rows.items():
        cells, memory = [], ""
        for system in systems:
            r = row.get(system)
            if r is None:
                cells.append("")
                continue
            rate = f" ({r['gbps']:.0f})" if r["link_requests"] > 0 else ""
            if r.get("share_of_ceiling") is not None:
                rate = f" ({r['gbps']:.0f}, {r['share_of_ceiling']:.0%})"
            cells.append(f"{r['mean_seconds'] * 1e3:.1f}{rate}")
            if system == "fathom":
                memory = f"{r['peak_device_bytes'] / 2**20:,.0f} MiB"
        lines.append(f"| {app} | {name} | {id_bytes} | " + " | ".join(cells) + f" | {memory} |")
    return lines + [""] + notes(result)


def ceiling_text(rows):
    """What the shares in brackets are of, and the weights, where the results say so."""
    text = ""
    ceilings = [r["ceiling_gbps"] for r in rows if r.get("ceiling_gbps")]
    if ceilings:
        low, high = min(ceilings), max(ceilings)
        text = (" Shares are of what the link does when every line is read in order, "
                + (f"{low:.1f}" if high - low < .05 else f"{low:.1f} to {high:.1f}") +
                " GB/s; in the paper (its Figures 8 and 12) naive, merged, aligned and uvm reach 38 %, 89 %, "
                "93-98 % and 73 %.")
    weights = {(r["weights"]["min"], r["weights"]["max"]) for r in rows if r.get("weights")}
    if weights:
        text += " Weights: " + ", ".join(f"{low:g} to {high:g}" for low, high in sorted(weights)) + "."
    return text


def msbfs_table(result):
    """Many searches at once on one device, and one after the other."""
    one, all_ = result["one_by_one"], result["together"]
    return [
        f"## {result['sources']} searches at once",
        "",
        f"`{result['command']}`, on one {result['device']}: {result['sources']} searches one after the other take "
        f"{one['seconds'] * 1e3:.1f} ms and walk {one['edges']:,} edges; together, sharing each list that they fetch, "
        f"{all_['seconds'] * 1e3:.2f} ms and {all_['edges']:,} edges: {one['seconds'] / all_['seconds']:.1f} times as "
        f"fast. With all depths in host memory: {one['seconds_with_depths']:.2f} and "
        f"{all_['seconds_with_depths']:.2f} s.",
        "",
    ] + notes(result)


def link_table(result):
    """What was measured of the link between a GPU and host memory."""
    lines = [
        "## The link between GPU and host memory",
        "",
        f"`{result['command']}`, on one {result['device']}, driver {result['driver']}. GB/s at which a "
        "kernel reads random lines of 128 bytes in place out of a region, by how the memory was obtained; "
        "`fathom bench link` prints the rest.",
        "",
    ]
    regions = sorted({r["region_bytes"] for r in result["reach"]})
    lines.append("| | " + " | ".join(f"{b / 2**30:g} GiB" for b in regions) + " |")
    lines.append("| --- |" + " --- |" * len(regions))
    for way in ("malloc", "register", "managed"):
        rates = {r["region_bytes"]: r["random_gbps"] for r in result["reach"] if r["way"] == way}
        lines.append(f"| {way} | " + " | ".join(f"{rates[b]:.1f}" if b in rates else ""
                                                for b in regions) + " |")
    lines += ["", f"One large copy to the device: {result['copies']['to_device_gbps']:.1f} GB/s.", ""]
    return lines + notes(result)


def obtained(run):
    """How a run obtained host memory for the GPU, and what its first iteration took."""
    memory, first = run.get("host_memory"), run["supersteps"][0]["seconds"] * 1e3
    if not memory:
        return f" | | | {run['load_seconds']:.2f} | {first:.1f} |"
    beside = f" + {memory['background_seconds']:.2f} beside" if memory["background_seconds"] > 0 else ""
    return (f" {', '.join(memory['ways'])} | {memory['bytes'] / 2**30:.2f} | {memory['seconds']:.2f}{beside} | "
            f"{run['load_seconds']:.2f} | {first:.1f} |")


def runs_table(result):
    """Single runs of the command: what the reports of --json say."""
    says_memory = any(r.get("host_memory") for r in result["runs"])
    says_bounds = any(r.get("times_bound") for r in result["runs"])
    says_devices = any(r.get("times_one_gpu") for r in result["runs"])
    lines = [
        f"## {result['title']}", "", f"On one {result['device']}; {result['about']}", "",
        "| command | median ms | device MiB | link GB/s | read/walked | verified |"
        + (" bound ms | times |" if says_bounds else "") + (" times one GPU |" if says_devices else "")
        + (" host memory | GiB | s | load s | first ms |" if says_memory else ""),
        "| --- | --- | --- | --- | --- | --- |" + (" --- | --- |" if says_bounds else "")
        + (" --- |" if says_devices else "") + (" --- | --- | --- | --- | --- |" if says_memory else ""),
    ]
    for r in result["runs"]:
        link = r["link"] or {}
        bound = ""
        if says_bounds:
            bound = " | |" if not r.get("times_bound") else f" {r['bound_seconds'] * 1e3:.2f} | {r['times_bound']:.1f} |"
        if says_devices:
            bound += f" {r['times_one_gpu']:.2f} |" if r.get("times_one_gpu") else " |"
        rate = f"{link['gbps']:.1f}" if link.get("gbps") else ""
        share = f"{link['amplification']:.3f}" if link.get("amplification") is not None else ""
        peak = "" if r["peak_device_bytes"] is None else f"{r['peak_device_bytes'] / 2**20:,.0f}"
        lines.append(f"| `{r['command']}` | {r['median_seconds'] * 1e3:.2f} | "
                     f"{peak} | {rate} | {share} | "
                     f"{'yes' if r['verified'] else ''} |" + bound + (obtained(r) if says_memory else ""))
    return lines + [""] + notes(result)


def gts_times(rows, first=None):
    """A table of runs; `first` is the key of what was varied, and its title."""
    key, title = first or ("scale", "scale")
    lines = [f"| {title} | | edges in | seconds | MTEPS | disk GB/s | hits | B/(S+L) |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for r in rows:
        disk, cache = r["disk"], r["cache"]
        where = f"{r['storage']}, {r['layout']}"
        if r["storage"] == "memory" and r["residency"] in ("zerocopy", "stream"):
            where += f", {r['residency']}"
        if r["strategy"] or r["devices"] > 1:
            where += f", {r['devices']} devices"
        if "technique" in r:
            where += f", {r['technique']}"
        shares = [f"{cache[k]:.0%}" if cache[k] is not None else "" for k in ("hit_rate", "share_of_pages")]
        lines.append(f"| {r[key]} | {r['app']} | {where} | {r['seconds']['median']:.4f} | {r['mteps']:.1f} | "
                     + (f"{disk['gbps']:.2f}" if disk["bytes"] else "") + f" | {shares[0]} | {shares[1]} |")
    return lines + [""]


def gts_counted(result):
    """What has no times: Tables 3 and 4."""
    lines = []
    if result["table3"]:
        lines += ["Pages (Table 3; the paper's RMAT27 to 29 have 9,724 to 38,747 SP and 58 to 937 LP of 1 MiB, "
                  "RMAT30 to 32 have 1,786 to 7,175 SP of 64 MiB):", "",
                  "| scale | (p, q) | page | #SP | #LP | MiB |", "| --- | --- | --- | --- | --- | --- |"]
        lines += [f"| {r['scale']} | ({r['pid_bytes']}, {r['slot_bytes']}) | {r['page_bytes'] >> 10} KiB | "
                  f"{r['small_pages']:,} | {r['large_pages']:,} | {r['bytes'] / 2**20:,.1f} |"
                  for r in result["table3"]] + [""]
    if result["table4"]:
        lines += ["Vertex state beside topology (Table 4; in the paper 1.7 % to 10 %):", "",
                  "| scale | | topology MiB | state MiB | share | with the paper's WA |",
                  "| --- | --- | --- | --- | --- | --- |"]
        lines += [f"| {r['scale']} | {r['app']} | {r['topology_bytes'] / 2**20:,.1f} | "
                  f"{r['state_bytes'] / 2**20:,.2f} | {r['ratio']:.1%} | {r['paper_state_ratio']:.1%} |"
                  for r in result["table4"]] + [""]
    return lines


def gts_bars(bars):
    lines = ["| from | PageRank GB/s | disk alone | share | kernels run | waiting | busier of both idle |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for r in bars["rate"]:
        raw = r["raw_bytes_per_second"]
        lines.append(f"| {r['storage']}, {r['layout']} | {r['bytes_per_second'] / 1e9:.2f} | "
                     + (f"{raw / 1e9:.2f} | {r['share_of_raw']:.0%}" if raw else "|")
                     + f" | {r['kernels_share']:.0%} | {r['waited_share']:.1%} | {r['not_overlapped_share']:.1%} |")
    pages = bars["pages"]
    lines += ["", f"A search needs {pages['needed_pages']:,} pages over its levels ({pages['all_pages']:,} there are) and "
              f"fetches {pages['fetched_pages']:,} without a cache: {'equal' if pages['equal'] else 'NOT EQUAL'}.", "",
              "| within a quarter | pages MiB | budget MiB | budgeted MiB | resident MiB | before |",
              "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {r['app']} | " + " | ".join(f"{r[k] / 2**20:,.0f}" for k in (
        "graph_bytes", "host_memory", "peak_host_bytes", "peak_resident_bytes", "resident_before")) + " |"
        for r in bars["memory"]]
    return lines + [""]


def gts_model(part):
    lines = ["RMAT32 by equations 1 and 2, kernels left out, "
             f"{part['slotted_bytes'] / 2**30:,.0f} GiB of pages (seconds):", "",
             "| device | devices | | from memory | from this disk |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {r['device']} | {r['devices']} | {r['app']} | {r['from_memory']:,.0f} | "
              + (f"{r['from_disk']:,.0f}" if r["from_disk"] else "") + " |" for r in part["predicted"]]
    checked = ", ".join(f"{r['storage']} {r['seconds']:,.0f} s (calculated {r['paper_calculated']:,}, measured "
                        f"{r['paper_measured']:,})" for r in part["checked"])
    return lines + ["", f"The same model with the paper's rates, ten iterations on RMAT30: {checked}.", ""]


def gts_tables(result):
    """GTS's experiments: a table for each part that was run."""
    lines = [f"## GTS's experiments, {result['title']}", "",
             f"`{result['command']}`, on {result['machine']}: {result['device']}, {result['threads']} threads. Directed "
             f"R-MAT graphs, edge factor {result['edge_factor']}, pages of {result['page_bytes'] >> 10} KiB; from disk with "
             f"room for {result['buffer_share']:.0%} of the lists. PageRank: {result['iterations']} iterations. Medians of "
             f"{result['trials']}; every place gave the same results.", ""]
    lines += gts_counted(result)
    for part, title, first in (
            ("fig6", "By size (Figures 6 to 8; the paper: PageRank on RMAT29 59 s, BFS at most 1,500 MTEPS):", None),
            ("fig9", "By place (Figure 9; the paper, PageRank on RMAT30: memory 153 s, two SSDs 196 s, hard disks 2,843 s):",
             None),
            ("fig10", "Reads under way at once (Figure 10):", ("io_depth", "reads")),
            ("fig11", "Cache of BFS (Figure 11):", ("share_asked", "share asked")),
            ("fig13", "CC, BC from one source, SSSP (Figure 13):", None),
            ("fig14", "Density, on a GPU by kernel (Figure 14; the paper: edge-centric far ahead from 1:8 on, hybrid up to 24 % more):",
             ("edge_factor", "edges/vertex"))):
        if result[part]:
            lines += [title, ""] + gts_times(result[part], first)
    if result["table1"]:
        lines += ["Transfer to kernels (Table 1; the paper: BFS 1:3 to 2:1, PageRank 1:20 to 1:4): " + ", ".join(
            f"{r['app']} of scale {r['scale']} {r['ratio']:.2f}:1" for r in result["table1"]) + ".", ""]
    if result["bars"]:
        lines += gts_bars(result["bars"])
    if result["rmat32"]:
        lines += gts_model(result["rmat32"])
    return lines + notes(result)


def plan_table(result):
    machine = result["machine"]
    lines = [
        f"## {result.get('title', 'Plans against runs')}",
        "",
        f"`{result['command']}`, on {machine['processor']} with {machine['cores']} cores. What "
        "`fathom plan` said with rates that were measured before, and medians of the runs. The error is "
        "how far these lie outside of what was predicted.",
        "",
    ]
    piloted = any("piloted" in row for row in result["rows"])
    heads = ["graph", "algorithm", "edges", "predicted s", *(["with a pilot s"] if piloted else []), "took s", "error",
             *(["error with a pilot"] if piloted else [])]
    lines += ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]

    def said(span):
        return f"{span['low']:.3f} to {span['high']:.3f}"

    for row in result["rows"]:
        cells = [row["graph"], row["algorithm"], row["where"], said(row["predicted"]),
                 *([said(row["piloted"])] if piloted else []), f"{row['seconds']:.3f}", f"{row['error']:+.0%}",
                 *([f"{row['piloted_error']:+.0%}"] if piloted else [])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""] + notes(result)


TABLES = {"aims": report_dynamic.aims, "gap": report_peers.gap, "emogi": emogi_table, "msbfs": msbfs_table, "link": link_table, "plan": plan_table,
          "peers": report_peers.on_gpus, "convert": convert_table, "runs": runs_table, "threads": threads_table, "gts": gts_tables, "halo": report_halo.tables,
          "orders": report_halo.orders, "memory": report_memory.tables, "dynamic": report_dynamic.tables,
          "sampling": report_python.sampling, "structure": report_peers.structure,
          "ecl": report_peers.ecl, "paths": report_peers.paths, "packed": report_packed.tables, "python_peers": report_python.peers,
          "ranks": predict_ranks.page, "ranks_beside_one": ranks.page, "stream_log": stream_log.page, "stream_input": stream_input.page,
          "streamed_lists": streamed_lists.page, "filters": filters.page, "id_bits": id_bits.page,
          "batches": report_dynamic.batches, "changing_peers": report_peers.changing,
          "changing_cpu": report_peers.changing_cpu}


def pages():
    """All that is written: path -> content."""
    files, results, index = {}, {}, [HEAD]
    for path in sorted(RESULTS.glob("*/*.json")):
        if not results or f"## {path.parent.name}" not in index:
            index += [f"## {path.parent.name}", ""]
        result = json.loads(path.read_text(encoding="utf-8"))
        result.setdefault("name", f"{path.parent.name}_{path.stem}".removesuffix("_memory"))
        results[f"{path.parent.name}/{path.stem}"] = result
        lines = TABLES.get(result.get("benchmark"), google_benchmark_table)(result)
        lines[0] = lines[0].removeprefix("#")
        files[path.with_suffix(".md")] = "\n".join(lines).rstrip() + "\n"
        index.append(f"- [{lines[0].removeprefix('# ')}]({path.parent.name}/{path.stem}.md)")
        if result.get("benchmark") == "memory":
            pictures = report_memory.pictures(result, f"memory_{result['name']}")
            files |= {path.parent / "plots" / name: svg for name, svg in pictures.items()}
    files[RESULTS / "README.md"] = "\n".join(index).replace("\n## ", "\n\n## ").replace("\n\n\n", "\n\n") + "\n"
    text, plots = report_overview.page_and_plots(results)
    files[DOCS / "performance.md"] = text
    return files | {DOCS / "plots" / name: svg for name, svg in plots.items()}


def main():
    files = pages()
    if "--check" in sys.argv[1:]:
        for path, content in files.items():
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                sys.exit(f"{path.relative_to(ROOT)} is not what bench/report.py writes; run it")
        return
    for path, content in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
