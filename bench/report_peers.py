"""Pages of Fathom beside programs of others."""


def gap(result):
    lines = [
        "## Against the GAP benchmark suite",
        "",
        f"`{result['command']}`, on {result['machine']['processor']} with "
        f"{result['machine']['cores']} cores. Seconds are medians over the rounds, the ratio is the "
        "median of Fathom/GAP round by round (below 1: Fathom is faster), memory is the ratio of the "
        "processes' peak resident sets.",
        "",
        "| graph | kernel | GAP s | Fathom s | ratio | memory |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in result["rows"]:
        lines.append(f"| {row['graph']} | {row['kernel']} | {row['gap_seconds']:.4f} | "
                     f"{row['fathom_seconds']:.4f} | {row['ratio']:.2f} | "
                     f"{row['fathom_peak_bytes'] / row['gap_peak_bytes']:.2f} |")
    lines += ["", f"Geometric mean of the ratios: **{result['geometric_mean_ratio']:.2f}**.", ""]
    return lines + notes(result)


def structure(result):
    peers = ("igraph", "networkit", "pasgal")
    lines = [
        "## Structure beside igraph, NetworKit and PASGAL",
        "",
        f"`{result['command']}`, on {result['machine']['processor']} with {result['machine']['cores']} cores, igraph "
        f"{result['igraph']} (one thread) and NetworKit {result['networkit']}. Seconds are medians of interleaved runs "
        "on a graph that each system holds; the ratio is Fathom's to the fastest peer's.",
        "",
        "| graph | algorithm | igraph s | NetworKit s | PASGAL s | Fathom s | ratio |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in result["rows"]:
        seconds = [f"{row['seconds'][peer]:.4f}" if peer in row["seconds"] else "" for peer in (*peers, "fathom")]
        lines.append(f"| {row['graph']} | {row['kernel']} | {' | '.join(seconds)} | {row['ratio']:.2f} |")
    lines += ["", f"Geometric mean of the ratios: **{result['geometric_mean_ratio']:.2f}**.", ""]
    return lines + notes(result)


def ecl(result):
    lines = [
        "## Components and forests beside ECL-SCC and ECL-MST",
        "",
        f"`{result['command']}`, on {result['gpu']} beside {result['machine']['cores']} cores of "
        f"{result['machine']['processor']}. Milliseconds are medians of interleaved runs, with the graph in the memory of "
        "the GPU; the ratio is Fathom's to ECL's.",
        "",
        "| graph | algorithm | Fathom, all cores | ECL | Fathom | ratio |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for row in result["rows"]:
        times = [f"{1e3 * row['seconds'][who]:.2f}" for who in ("fathom on the processor", "ecl", "fathom")]
        lines.append(f"| {row['graph']} | {row['kernel']} | {' | '.join(times)} | {row['ratio']:.2f} |")
    lines += ["", f"Geometric mean of the ratios: **{result['geometric_mean_ratio']:.2f}**.", ""]
    return lines + notes(result)


def on_gpus(result):
    """Other programs on the same graphs."""
    names = {s["system"]: s for s in result["systems"]}
    lines = [f"## {result['title']}", "", f"On one {result['device']}, {result['measured']}. {result['graphs']}.", "",
             result["provenance"], ""]
    lines += [f"- {s['name']}: {s['how']}" for s in names.values()]
    lines += ["", "| | graph | " + " | ".join(s["name"] for s in names.values()) + " |",
              "| --- | --- |" + " --- |" * len(names)]
    rows = {}
    for r in result["rows"]:
        said = f"{r['low']:g}" if r["low"] == r["high"] else f"{r['low']:g} to {r['high']:g}"
        rows.setdefault((r["app"], r["graph"]), {})[r["system"]] = said
    lines += [f"| {app} | {graph} | " + " | ".join(row.get(s, "") for s in names) + " |"
              for (app, graph), row in rows.items()]
    return lines + [""] + notes(result)


def paths(result):
    peers = {"gap": "GAP", "wasp": "Wasp", "pasgal": "PASGAL"}
    lines = [
        "## Searches and shortest paths beside GAP, Wasp and PASGAL",
        "",
        f"`{result['command']}`, on {result['machine']['processor']} with {result['machine']['cores']} cores. Milliseconds "
        "are medians over sources of the median of a process's searches, the first left out; ratios are medians of "
        "Fathom's time by the peer's, source by source (below 1: Fathom is faster).",
        "",
        "| graph | algorithm | Fathom ms | " + " | ".join(f"{name} ms" for name in peers.values()) + " | "
        + " | ".join(f"to {name}" for name in peers.values()) + " |",
        "| --- | --- |" + " ---: |" * (1 + 2 * len(peers)),
    ]
    for row in result["rows"]:
        times = [f"{1e3 * row['seconds'][who]:.1f}" if who in row["seconds"] else "" for who in ("fathom", *peers)]
        ratios = [f"{row['ratios'][who]:.2f}" if who in row["ratios"] else "" for who in peers]
        lines.append(f"| {row['graph']} | {row['kernel']} | {' | '.join(times + ratios)} |")
    means = ", ".join(f"{peers[who]} **{mean:.2f}**" for who, mean in result["geometric_mean_ratios"].items())
    return lines + ["", f"Geometric means of the ratios: {means}.", ""] + notes(result)


def notes(result):
    return [note + "\n" for note in result.get("notes", [])]


def changing(result):
    """Batches of updates and allocations: of a program's variants the fastest, by what both take."""
    lines = ["## Graphs that change, and memory management, beside faimGraph, ouroGraph, Ouroboros and Gallatin", "",
             f"`{result['command']}`, on one {result['gpu']}, {result['machine']['cores']} cores. Milliseconds to insert / to delete a batch of random "
             "edges, medians of rounds in turn. Of a peer's variants the fastest. All updates lie in host memory but those of the last column.", "",
             "| graph | updates | faimGraph | ouroGraph | Fathom, linked | Fathom | Fathom, from the GPU's memory |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    batches = {}
    for row in result["updates"]:
        batches.setdefault((row["graph"], row["batch"]), {})[row["who"]] = row["ms"]
    for (graph, batch), times in batches.items():
        fastest = [min((ms for who, ms in times.items() if who.startswith(peer)), key=sum)
                   for peer in ("faimGraph", "ouroGraph", "fathom faim host", "fathom ouro host", "fathom ouro device")]
        lines.append(f"| {graph} | {batch:,} | " + " | ".join(f"{i:.3f} / {d:.3f}" for i, d in fastest) + " |")
    heaps = ("gallatin", "ouroboros sp", "ouroboros vlp", "ouroboros sc", "fathom sp", "fathom vlp", "fathom sc")
    lines += ["", "100,000 allocations by as many threads, milliseconds: the first of a fresh heap / again, after all were freed / freeing.", "",
              "| bytes | Gallatin | Ouroboros S-P | VL-P | S-C | Fathom S-P | VL-P | S-C |", "| --- |" + " ---: |" * len(heaps)]
    sizes = {}
    for row in result["allocations"]:
        sizes.setdefault((row["low"], row["high"]), {})[row["who"]] = row["ms"]
    for (low, high), times in sorted(sizes.items(), key=lambda size: (size[0][0] != size[0][1], size[0])):
        name = f"{low:,}" if low == high else f"{low} to {high:,}"
        lines.append(f"| {name} | " + " | ".join(" / ".join(f"{ms:.3f}" for ms in times[heap]) for heap in heaps) + " |")
    return lines + [""] + notes(result)


def changing_cpu(result):
    peers = {"aspen": "Aspen", "fathom faim host": "Fathom, linked", "fathom ouro host": "Fathom"}
    lines = ["## Graphs that change in host memory, beside Aspen", "",
             f"`{result['command']}`, on {result['machine']['processor']} with {result['threads']} threads. Milliseconds to "
             "insert / to delete a batch of random edges, medians of rounds in turn. Every batch of Aspen's makes a version of "
             "the graph beside which the one before can be read; Fathom's changes the lists where they are.", "",
             "| graph | updates | " + " | ".join(peers.values()) + " |", "| --- |" + " ---: |" * (1 + len(peers))]
    batches, inits = {}, {}
    for row in result["updates"]:
        batches.setdefault((row["graph"], row["batch"]), {})[row["who"]] = " / ".join(f"{ms:.3f}" for ms in row["ms"])
    for row in result["init"]:
        inits.setdefault(row["graph"], {})[row["who"]] = f"{row['ms'][0]:.1f}"
    lines += [f"| {graph} | {batch:,} | " + " | ".join(cells[who] for who in peers) + " |"
              for (graph, batch), cells in sorted(batches.items())]
    lines += ["", "Milliseconds to make it of the graph's lists, memory for what comes included.", "",
              "| graph | " + " | ".join(peers.values()) + " |", "| --- |" + " ---: |" * len(peers)]
    lines += [f"| {graph} | " + " | ".join(cells[who] for who in peers) + " |" for graph, cells in sorted(inits.items())]
    return lines + [""] + notes(result)
