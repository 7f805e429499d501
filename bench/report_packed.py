"""The table of packed and narrow lists beside plain ones."""


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f}"


def tables(result):
    lines = [
        "## Packed and narrow lists",
        "",
        f"`{result['command']}`, on {result['gpu']} beside {result['machine']['cores']} cores of {result['machine']['processor']}. "
        f"{result['graph']}. Milliseconds of a run; GB over the link and from disk are of all trials.",
        "",
        "| | lists | where | ms | first ms | GB over the link | GB/s | GB from disk |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in result["rows"]:
        trials = row["trials"] or []
        later = sorted(trials[1:])
        median = later[len(later) // 2] if later else row["median"]
        link = f"{row['link_bytes'] / 1e9:.2f}" if row["link_bytes"] else ""
        rate = f"{row['link_gbps']:.1f}" if row["link_gbps"] else ""
        disk = f"{row['disk_bytes'] / 1e9:.2f}" if row["disk_bytes"] else ""
        first = milliseconds(trials[0]) if trials else ""
        lines.append(f"| {row['kernel']} | {row['layout']} | {row['place']} | {milliseconds(median)} | {first} | {link} | {rate} | {disk} |")
    lines += ["", "The command of each row, in their order:", ""]
    lines += [f"- `{row['command']}`" for row in result["rows"]]
    return lines + [""] + [note + "\n" for note in result.get("notes", [])]
