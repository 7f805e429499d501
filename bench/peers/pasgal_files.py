"""Graphs in PASGAL's formats: lists in CSR, in binary without lengths, and in PBBS's text with them."""
import numpy


def write_binary(path, offset, target):
    with open(path, "wb") as f:
        counts = (len(offset) - 1, len(target), 24 + 8 * len(offset) + 4 * len(target))
        for part in (numpy.array(counts, "<u8"), offset.astype("<u8"), target.astype("<u4")):
            part.tofile(f)


def write_weighted(path, offset, target, length):
    with open(path, "w", encoding="ascii") as f:
        f.write(f"WeightedAdjacencyGraph\n{len(offset) - 1}\n{len(target)}\n")
        for part in (offset[:-1], target, length):
            for first in range(0, len(part), 1 << 20):
                f.write("\n".join(map(str, part[first:first + (1 << 20)].tolist())) + "\n")
