#!/usr/bin/env python3
"""Times batches of updates beside faimGraph and ouroGraph, and allocations beside Ouroboros and Gallatin, on one GPU, in turn.

All are built outside this repository, for the GPU at hand, into the folder that --peers names: faim (faimGraph's main), ouro_sp,
ouro_sc and ouro_vap (ouroGraph's main), alloc_sp ... alloc_vlc and alloc_gallatin (bench/peers/peer_heaps.cu says how).

    bench/peers/compare_changing.py --peers DIR --fathom build/cuda/fathom --graphs /tmp/graphs --rounds 3 \
        -o bench/results/h200/changing_peers.json

A round runs each program once, one after the other. Every program times itself: faimGraph and ouroGraph with events around
insertions and deletions whose updates lie in host memory, 20 batches, of which faimGraph tells the mean and ouroGraph the
median; Fathom likewise, of 7. Graphs are those of `fathom bench dynamic`, of one edge each way, unweighted. The peers insert
and delete edges one way, as Fathom does here. Of a peer's variants the table has the fastest.
"""
import argparse
import array
import json
import os
import re
import statistics
import struct
import subprocess
import sys

from machine import machine

GRAPHS = {"uniform20": ["uniform", "--scale", "20", "--edge-factor", "4"], "rmat20": ["rmat", "--scale", "20", "--edge-factor", "8"],
          "road22": ["road", "--scale", "22"]}
BATCHES = (100_000, 1_000_000)
FAIM = {"standard": 256, "warpsized": 32, "vertexcentric": 256}  # strategy -> threads of a block
OURO = ("sp", "sc", "vap")
HEAPS = ("sp", "vap", "vlp", "sc", "vlc", "gallatin")  # VA-C of Ouroboros ends in illegal accesses on an H200
MANAGERS = {"S-P": "sp", "VA-P": "vap", "VL-P": "vlp", "S-C": "sc", "VA-C": "vac", "VL-C": "vlc"}
XML = """<aimGraph><global><deviceID>0</deviceID><devicememsize>12.0</devicememsize></global><testrun><configuration>
<memorylayout>AOS</memorylayout><graphmode>simple</graphmode><updatevariant>{variant}</updatevariant><rounds>2</rounds>
<updaterounds>10</updaterounds><pagesize>64</pagesize><initlaunchblocksize>256</initlaunchblocksize>
<insertlaunchblocksize>{block}</insertlaunchblocksize><deletelaunchblocksize>{block}</deletelaunchblocksize>
<deletionvariation>compaction</deletionvariation><verification>false</verification><performanceoutput>stdout</performanceoutput>
<memoryoverallocation>1.0</memoryoverallocation><stacksize>200000000</stacksize><queuesize>4000000</queuesize>
<directionality>undirected</directionality></configuration><graphs><filename>{graph}.mtx</filename></graphs>
<batches><batchsize>{batch}</batchsize></batches></testrun></aimGraph>
"""


def output_of(*command, cwd=None, timeout=120):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace", check=False, cwd=cwd, timeout=timeout)
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(command)} takes longer than {timeout} seconds")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}")
    return done.stdout


def write_csr(serialized, path):
    """GAP's serialized graph as what both graphs load: a header, weights (none of use), targets, offsets."""
    with open(serialized, "rb") as f:
        _, _, vertices = struct.unpack("<?qq", f.read(17))
        offset = array.array("q")
        offset.fromfile(f, vertices + 1)
        targets = f.read(4 * offset[vertices])
    with open(path, "wb") as f:
        f.write(b"Hi\x01Compsd".ljust(16, b"\0") + struct.pack("<8Q", 4, 0, 4, 0, 4, vertices, vertices, offset[vertices]))
        f.write(struct.pack("<f?3x", 1.0, False) + bytes(len(targets)) + targets)
        array.array("I", offset).tofile(f)


def make(args, name, options):
    path = os.path.join(args.graphs, name)
    if not os.path.exists(path + ".csr"):
        output_of(args.fathom, "generate", *options, "--simple", "-q", "-o", path + ".fg")
        output_of(args.fathom, "convert", path + ".fg", "-o", path + ".sg", "-q")
        write_csr(path + ".sg", path + ".csr")
        os.symlink(name + ".csr", path + ".mtx.csr")


def faim_graph(args, name, variant, batch):
    config = os.path.join(args.graphs, "faim.xml")
    with open(config, "w", encoding="utf-8") as f:
        f.write(XML.format(variant=variant, block=FAIM[variant], graph=name, batch=batch))
    output = output_of(os.path.join(args.peers, "faim"), "faim.xml", cwd=args.graphs)
    return [float(re.search(rf"{what}: +([0-9.e-]+) ms", output)[1]) for what in ("edge insertion", "edge deletion")]


def ouro_graph(args, name, variant, batch):
    with open(os.path.join(args.graphs, "ouro.json"), "w", encoding="utf-8") as f:
        json.dump({"device": 0, "iterations": 2, "update_iterations": 10, "batch_size": batch, "range": 0, "verify": False,
                   "realistic_deletion": False, "write_csv": False, "graphs": [{"filename": name}]}, f)
    output = output_of(os.path.join(args.peers, f"ouro_{variant}"), "ouro.json", cwd=args.graphs)
    return [float(re.search(rf"{what} Timing: .*Median: ([0-9.e-]+)", output)[1]) for what in ("Insert", "Delete")]


def fathom_updates(args, times, graphs=GRAPHS, batches=BATCHES, device="cuda", parts=("updates",), timeout=120):
    report = json.loads(output_of(
        args.fathom, "bench", "dynamic", "--device", device, "--batches", *map(str, batches), "--trials", "7",
        "--strategies", "auto",
        "--graphs", *(f"{name.rstrip('0123456789')}:{name.lstrip('abcdefghijklmnopqrstuvwxyz')}" for name in graphs),
        "--only", *parts, "--sources", "uniform", "--layouts", "ouro", "faim", "--json", "-q", timeout=timeout))
    for row in report["updates"]:
        pair = [1e3 * row[f"{what}_seconds"]["median"] for what in ("insert", "delete")]
        times.setdefault((row["graph"], row["batch"], f"fathom {row['layout']} {row['from']}"), []).append(pair)
    return report


def allocations(args, times):
    for heap in HEAPS:
        for line in output_of(os.path.join(args.peers, f"alloc_{heap}")).splitlines():
            match = re.fullmatch(r"sizes (\d+) (\d+) cold ([0-9.]+) warm ([0-9.]+) free ([0-9.]+) failed (\d+)", line)
            if match:
                if match[6] != "0":
                    sys.exit(f"alloc_{heap}: {match[6]} allocations of {match[1]} to {match[2]} bytes failed")
                who = heap if heap == "gallatin" else f"ouroboros {heap}"
                times.setdefault((int(match[1]), int(match[2]), who), []).append([float(match[k]) for k in (3, 4, 5)])
    report = json.loads(output_of(args.fathom, "bench", "memory", "--device", "cuda", "--only", "thread", "mixed", "--sizes", "16",
                                  "64", "256", "1024", "8192", "--allocations", "100000", "--trials", "5", "--json", "-q"))
    for manager in report["allocators"]:
        if manager["allocator"] not in MANAGERS:
            continue
        for row in manager["thread"] + manager["mixed"]:
            times.setdefault((row["low"], row["high"], f"fathom {MANAGERS[manager['allocator']]}"), []).append(
                [row["cold_ms"], row["warm_ms"], row["free_ms"]])


def medians(times):
    return [statistics.median(column) for column in zip(*times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--peers", required=True)
    parser.add_argument("--fathom", default="build/cuda/fathom")
    parser.add_argument("--graphs", default="/tmp/fathom-graphs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    args.peers, args.fathom = os.path.abspath(args.peers), os.path.abspath(args.fathom)
    os.makedirs(args.graphs, exist_ok=True)
    for name, options in GRAPHS.items():
        make(args, name, options)
    updates, allocated = {}, {}
    for number in range(args.rounds):
        for name in GRAPHS:
            for batch in BATCHES:
                for variant in FAIM:
                    updates.setdefault((name, batch, f"faimGraph {variant}"), []).append(faim_graph(args, name, variant, batch))
                for variant in OURO:
                    updates.setdefault((name, batch, f"ouroGraph {variant}"), []).append(ouro_graph(args, name, variant, batch))
        fathom_updates(args, updates)
        allocations(args, allocated)
        print(f"round {number + 1} of {args.rounds}", flush=True)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True,
                         check=False).stdout.strip()
    with open(args.output, "w", encoding="utf-8") as f:
        json.dump({"benchmark": "changing_peers", "command": f"bench/peers/compare_changing.py --rounds {args.rounds}",
                   "machine": machine(), "gpu": gpu,
                   "updates": [{"graph": g, "batch": b, "who": who, "ms": medians(t), "trials": t} for (g, b, who), t in updates.items()],
                   "allocations": [{"low": low, "high": high, "who": who, "ms": medians(t), "trials": t}
                                   for (low, high, who), t in allocated.items()]}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
