"""Tables of what the Python package does."""


def sampling(result):
    graph, machine = result["graph"], result["machine"]
    fan_out = " and ".join(str(count) for count in result["fan_out"])
    lines = [
        "## Neighbour sampling for PyTorch Geometric",
        "",
        f"`{result['command']}`, on {machine['processor']} with {machine['cores']} cores, medians of {result['rounds']} interleaved "
        f"runs. Batches that `NeighborLoader` gives of {graph['name']} ({graph['vertices']:,} vertices, {graph['edges']:,} edges, "
        f"{graph['file_bytes'] / 2**20:,.0f} MiB as a file): {result['batch']} vertices each, two hops of {fan_out} neighbours, no "
        f"features, {result['batches']} batches per run. PyTorch {result['versions']['torch']}.",
        "",
        "| loader | threads | M sampled edges/s | least | most |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in result["rows"]:
        rates = (f"{rate / 1e6:.2f}" for rate in (row["edges_per_second"], min(row["trials"]), max(row["trials"])))
        lines.append(f"| {row['system']} | {row['threads']} | " + " | ".join(rates) + " |")
    return lines + [""] + [note + "\n" for note in result.get("notes", [])]


NAMES = {"fathom": "Fathom", "networkx_fathom_graph": "NetworkX over a Fathom graph", "networkx_fathom": "NetworkX, `backend=\"fathom\"`",
         "networkx": "NetworkX", "nx_parallel": "nx-parallel", "igraph": "igraph", "networkit": "NetworKit", "scipy": "SciPy"}


def peers(result):
    graph, machine = result["graph"], result["machine"]
    systems = list(dict.fromkeys(row["system"] for row in result["rows"]))
    cells = {(row["function"], row["system"]): f"{row['median'] * 1e3:.1f}" for row in result["rows"]}
    cells |= {("making the graph", system): f"{s * 1e3:.1f}" for system, s in result["making_seconds"].items()}
    lines = [
        "## NetworkX's functions beside other libraries",
        "",
        f"`{result['command']}`, on {machine['processor']} with {machine['cores']} cores. Milliseconds, medians of interleaved runs on a "
        f"graph that each system holds already: {graph['name']}, {graph['vertices']:,} vertices, {graph['edges']:,} edges. The last row is "
        "what making it of arrays took.",
        "",
        "| | " + " | ".join(NAMES.get(system, system) for system in systems) + " |",
        "| --- |" + " ---: |" * len(systems),
    ]
    for function in [*dict.fromkeys(row["function"] for row in result["rows"]), "making the graph"]:
        lines.append(f"| {function} | " + " | ".join(cells.get((function, system), "") for system in systems) + " |")
    return lines + [""] + [note + "\n" for note in result.get("notes", [])]
