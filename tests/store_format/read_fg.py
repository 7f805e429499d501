#!/usr/bin/env python3
"""Reads a .fg file by docs/formats.md alone and prints it as text; shares nothing with Fathom."""

import array
import struct
import sys

MAGIC = bytes.fromhex("89 46 47 0D 0A 1A 0A 00")


def fail(what):
    sys.exit(f"{sys.argv[1]}: {what}")


class Graph:
    def __init__(self, data):
        self.data = data
        if data[:8] != MAGIC:
            fail("not a .fg file")
        (version, header_bytes, file_bytes, id_bits, count, self.vertices, self.edges, self.flags,
         self.label_kind, self.label_base, self.fingerprint, _, _, checksums) = struct.unpack_from(
             "<IIQIIQQIIQQIIQ", data, 8)
        self.id = {32: "I", 64: "Q"}.get(id_bits)
        if header_bytes != 4096 or not self.id or file_bytes != len(data):
            fail("another width or size")
        self.section, self.element = {}, {}
        blocks = 0
        expected = 4096
        for i in range(count):
            name, offset, size, element, reserved, first, _ = struct.unpack_from(
                "<24sQQIIQQ", data, 136 + 64 * i)
            padded = -(-size // 4096) * 4096
            if offset != expected or reserved != 0 or first != blocks or size % element != 0:
                fail("section table")
            if any(data[offset + size:offset + padded]):
                fail("padding")
            expected += padded
            blocks += -(-padded // 1048576)
            name = name.rstrip(b"\0").decode()
            self.section[name] = (offset, size)
            self.element[name] = element
        if expected != checksums or checksums + 8 * blocks != len(data):
            fail("checksum table")
        if version != (3 if "part" in self.section else 2 if {"packed", "narrow"} & set(self.section) else 1):
            fail("another version")

    def values(self, name, code):
        offset, size = self.section[name]
        values = array.array(code)
        values.frombytes(self.data[offset:offset + size])
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def rows(self, name, fields):
        offset, size = self.section[name]
        return list(struct.iter_unpack("<" + fields, self.data[offset:offset + size]))

    def print_pages(self, prefix):
        """Vertex after vertex by the RVT; every target is looked up in its own slot."""
        (p,), (q,), (vid,), (zero,) = self.rows("slotted", "I")
        if (p, q) not in ((2, 2), (3, 3), (2, 4), (4, 2)) or (vid, zero) != (6, 0):
            fail("widths")
        rvt = self.rows(prefix + ".rvt", "QIIIIQ")
        start, size = self.section[prefix + ".pages"]
        page_bytes = self.element[prefix + ".pages"]
        if size != len(rvt) * page_bytes or len(rvt) > 1 << 8 * p:
            fail("number of pages")
        weighted = bool(self.flags & 2)

        def number(at, count):
            return int.from_bytes(self.data[at:at + count], "little")

        def vid_of(page, slot):
            vertex = number(start + (page + 1) * page_bytes - 10 * (slot + 1), 6)
            if vertex != rvt[page][0] + slot:
                fail("record id")
            return vertex

        listed = 0
        for page, (first, index, count, entries, _, _) in enumerate(rvt):
            base = start + page * page_bytes
            end = rvt[page + 1][0] if page + 1 < len(rvt) else self.vertices
            found = 0
            for slot in range(1 if count else end - first):
                at = base + number(base + page_bytes - 10 * slot - 4, 4)
                for _ in range(number(at, 4)):
                    target = vid_of(number(at + 4, p), number(at + 4 + p, q))
                    at += p + q
                    weight = ""
                    if weighted:
                        weight = f" {struct.unpack_from('<f', self.data, at + 4)[0]:g}"
                        at += 4
                    print(f"{prefix} {vid_of(page, slot)} {target}{weight}")
                    found += 1
            listed += found
            if found != entries or (count and index >= count):
                fail("entries")
        if listed != self.edges:
            fail("edges")

    def print_entries(self, prefix):
        """The lists as one number, of which each entry takes as many bits."""
        (id_bits,), (code_bits,), (count,), (zero,) = self.rows("narrow", "I")
        widths = (16, 20, 24, 28, 32) + (tuple(range(33, 41)) if self.id == "Q" else ())
        values = self.values("weights.values", "f") if self.flags & 2 else []
        codes = 0 if not self.flags & 2 else 8 if count <= 256 else 16
        if id_bits not in widths or zero != 0 or code_bits != codes or count != len(values):
            fail("widths")
        step = id_bits + code_bits
        start, size = self.section[prefix + ".entries"]
        if size != 8 * (-(-self.edges * step // 64) + 1):
            fail("size of entries")
        bits = int.from_bytes(self.data[start:start + size], "little")
        if bits >> self.edges * step:
            fail("what follows the entries")
        offsets = self.values(prefix + ".offsets", "Q")
        for v in range(self.vertices):
            for e in range(offsets[v], offsets[v + 1]):
                entry = bits >> e * step & (1 << step) - 1
                weight = f" {values[entry >> id_bits]:g}" if code_bits else ""
                print(f"{prefix} {v} {entry & (1 << id_bits) - 1}{weight}")

    def unpacked(self, prefix):
        """The ids of all groups, one after the other."""
        (id_bits,), (per_block,), (per_group,), (code_bytes,) = self.rows("packed", "I")
        bits_needed = max(1, (self.vertices - 1).bit_length() if self.vertices else 1)
        if (id_bits, per_block, per_group) != (bits_needed, 64, 1024):
            fail("widths")
        if code_bytes != self.element.get(prefix + ".codes", 0) or code_bytes > 2:
            fail("width of codes")
        words = self.values(prefix + ".packed", "I")
        index = self.values(prefix + ".packed.index", "Q")
        groups = -(-self.edges // 1024)
        if len(index) != groups + 1 or index[0] != 0 or index[groups] != len(words) - 2:
            fail("index")
        if any(words[-2:]):
            fail("what follows the groups")
        most, border = 9 + 32 * id_bits, 1 << 18
        ids = []
        for g in range(groups):
            first, last = index[g], index[g + 1]
            if last <= first or (last - 1) // border != first // border:
                fail("a group across a border")
            if last - first > (most if last % border else 2 * most):
                fail("size of a group")
            bits = int.from_bytes(words[first:last].tobytes(), sys.byteorder)
            if sys.byteorder == "big":
                bits = sum(word << 32 * i for i, word in enumerate(words[first:last]))
            ids += self.ids_of_group(bits, 32 * (last - first), id_bits,
                                     min(1024, self.edges - 1024 * g))
        return ids

    def ids_of_group(self, bits, size, id_bits, entries):
        blocks = -(-entries // 64)
        at = 32 * -(-blocks // 2)
        if bits >> 16 * blocks & (1 << at - 16 * blocks) - 1:
            fail("half a word behind a header")

        def take(width):
            nonlocal at
            value = bits >> at & (1 << width) - 1
            at += width
            return value

        ids = []
        for block in range(blocks):
            code = bits >> 16 * block & 0xFFFF
            width, exceptions, offsets, spared = code & 63, code >> 6 & 63, code >> 12 & 1, code >> 13
            count = min(64, entries - 64 * block)
            begin = at
            if (width > id_bits or exceptions >= count or (exceptions == 0 and spared)
                    or (exceptions and (offsets or width + spared >= id_bits))):
                fail("code of a block")
            base = take(id_bits)
            fields = [take(width) for _ in range(count if offsets else count - 1)]
            place = 0
            for _ in range(exceptions):
                before, place = place, take(6)
                if not before < place < count:
                    fail("place of an exception")
                fields[place - 1] += take(id_bits - spared - width) << width
            if at - begin > count * id_bits or at > size:
                fail("size of a block")
            if offsets:
                its = [(base + field) % (1 << id_bits) for field in fields]
            else:
                its = [base]
                for difference in fields:
                    its.append((its[-1] + difference) % (1 << id_bits))
            if max(its) >= self.vertices:
                fail("an id")
            ids += its
        if bits >> at:
            fail("what follows the last block")
        return ids

    def print_packed(self, prefix):
        ids = self.unpacked(prefix)
        weights = None
        if prefix + ".codes" in self.section:
            values = self.values("weights.values", "f")
            width = self.element[prefix + ".codes"]
            if len(values) > 256 ** width:
                fail("more values than codes")
            weights = [values[c] for c in self.values(prefix + ".codes", {1: "B", 2: "H"}[width])]
        elif self.flags & 2:
            weights = self.values(prefix + ".weights", "f")
        self.print_csr(prefix, ids, weights)

    def print_lists(self, prefix):
        if prefix + ".packed" in self.section:
            return self.print_packed(prefix)
        if prefix + ".pages" in self.section:
            return self.print_pages(prefix)
        if prefix + ".entries" in self.section:
            return self.print_entries(prefix)
        if prefix + ".offsets" not in self.section:
            return None
        targets = self.values(prefix + ".targets", self.id)
        weights = None
        if prefix + ".weights" in self.section:
            weights = self.values(prefix + ".weights", "f")
        return self.print_csr(prefix, targets, weights)

    def print_csr(self, prefix, targets, weights):
        offsets = self.values(prefix + ".offsets", "Q")
        first, last, begin, end = 0, self.vertices, 0, offsets[self.vertices]
        if "part" in self.section:
            at = 2 if prefix == "out" else 6
            first, last, begin, end = self.values("part", "Q")[at:at + 4]
        if (offsets[first], offsets[last]) != (begin, end) or len(targets) != end - begin:
            fail("the lists that are there")
        for v in range(first, last):
            for e in range(offsets[v] - begin, offsets[v + 1] - begin):
                weight = "" if weights is None else f" {weights[e]:g}"
                print(f"{prefix} {v} {targets[e]}{weight}")

    def print_labels(self):
        if self.label_kind == 3:
            offsets = self.values("labels.offsets", "Q")
            start, _ = self.section["labels.bytes"]
            labels = [self.data[start + offsets[v]:start + offsets[v + 1]].hex()
                      for v in range(self.vertices)]
        elif self.label_kind == 2:
            labels = self.values("labels.integers", "Q")
        else:
            base = self.label_base if self.label_kind == 1 else 0
            labels = range(base, base + self.vertices)
        rows = range(self.vertices)
        if "permutation" in self.section:
            rows = self.values("permutation", self.id)
        for v, row in enumerate(rows):
            print(f"label {v} {labels[row]}")

    def print_fields(self):
        """Types and timestamps of out edges, by their position; weights and types of vertices."""
        if "out.types" in self.section:
            types = self.values("out.types", "I")
            for e, (t1, t2) in enumerate(self.rows("out.times", "QQ")):
                print(f"fields {e} {types[e]} {t1} {t2}")
        if "vertices.weights" in self.section:
            types = self.values("vertices.types", "I")
            for v, weight in enumerate(self.values("vertices.weights", "f")):
                print(f"vertex {v} {weight:g} {types[v]}")


def main():
    with open(sys.argv[1], "rb") as file:
        graph = Graph(file.read())
    print(f"vertices {graph.vertices} edges {graph.edges} flags {graph.flags & 15}"
          f" fingerprint {graph.fingerprint:016x}")
    for prefix in ("out", "in", "oriented"):
        graph.print_lists(prefix)
    graph.print_labels()
    graph.print_fields()
    degrees = graph.values("degrees", "Q")
    print(f"largest degree {degrees[2]}")
    if "provenance" in graph.section:
        offset, size = graph.section["provenance"]
        print("provenance " + graph.data[offset:offset + size].decode())


main()
