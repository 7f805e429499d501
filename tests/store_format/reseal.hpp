// Makes every checksum of a tampered .fg image right again, so that tests and fuzzing reach what
// lies behind the checksums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "fathom/store/format.hpp"

namespace fathom::store {

/// Recomputes the checksum of the header page alone.
inline void reseal_header(std::span<std::byte> file) {
  if (file.size() < kPageBytes) return;
  const std::uint64_t sum = checksum(file.first(kPageBytes - sizeof(std::uint64_t)));
  std::memcpy(file.data() + kPageBytes - sizeof sum, &sum, sizeof sum);
}

/// Recomputes the checksums that RVTs keep of their pages, as far as the sections make sense.
inline void reseal_pages(std::span<std::byte> file, const Layout& layout) {
  for (const auto& [rvt_id, pages_id] : {std::pair(SectionId::OutRvt, SectionId::OutPages),
                                         std::pair(SectionId::InRvt, SectionId::InPages)}) {
    const SectionEntry* rvt = layout.find(rvt_id);
    const SectionEntry* pages = layout.find(pages_id);
    if (!rvt || !pages || pages->element_bytes == 0) continue;
    for (const SectionEntry* s : {rvt, pages})
      if (s->offset > file.size() || s->bytes > file.size() - s->offset) return;
    const std::uint64_t count =
        std::min(rvt->bytes / sizeof(RvtEntry), pages->bytes / pages->element_bytes);
    for (std::uint64_t p = 0; p < count; ++p) {
      const std::uint64_t sum =
          checksum(file.subspan(pages->offset + p * pages->element_bytes, pages->element_bytes));
      std::memcpy(file.data() + rvt->offset + p * sizeof(RvtEntry) + offsetof(RvtEntry, checksum),
                  &sum, sizeof sum);
    }
  }
}

/// Recomputes page and block checksums, their hashes, the fingerprint and the header's checksum, as
/// far as the section table makes sense. `only`: of a file whose other sections (by their place in
/// the table) are as they were when it was sealed, and whose table is.
inline void reseal(std::span<std::byte> file, const std::vector<bool>& only = {}) {
  if (file.size() < kPageBytes) return;
  DiskHeader disk;
  std::memcpy(&disk, file.data(), sizeof disk);
  Layout layout;
  layout.header.vertices = static_cast<VertexId>(disk.vertices);
  layout.header.edges = disk.edges;
  const std::size_t count = std::min<std::size_t>(disk.section_count, kMaxSections);
  Layout as_found;
  as_found.sections.resize(count);
  if (count > 0)
    std::memcpy(as_found.sections.data(), file.data() + sizeof disk, count * sizeof(SectionEntry));
  if (only.empty() || as_found.slotted()) reseal_pages(file, as_found);
  for (std::size_t i = 0; i < count; ++i) {
    SectionEntry s;
    std::byte* at = file.data() + sizeof disk + i * sizeof s;
    std::memcpy(&s, at, sizeof s);
    const std::uint64_t size = file.size();
    const bool whole = !only.empty() && !only[i] && !as_found.slotted();
    if (!whole && s.offset <= size && s.bytes <= size && padded(s.bytes) <= size - s.offset &&
        disk.checksums_offset <= size && s.first_checksum <= size / 8 &&
        blocks_of(s.bytes) * 8 + s.first_checksum * 8 <= size - disk.checksums_offset) {
      const std::span<std::byte> sums =
          file.subspan(disk.checksums_offset + s.first_checksum * 8, blocks_of(s.bytes) * 8);
      for (std::uint64_t b = 0; b < blocks_of(s.bytes); ++b) {
        const std::uint64_t first = b * kBlockBytes;
        const std::uint64_t sum = checksum(file.subspan(
            s.offset + first, std::min<std::uint64_t>(kBlockBytes, padded(s.bytes) - first)));
        std::memcpy(sums.data() + b * 8, &sum, sizeof sum);
      }
      s.checksum_hash = checksum(sums);
      std::memcpy(at, &s, sizeof s);
    }
    layout.sections.push_back(s);
  }
  if (!layout.slotted() && !layout.narrow() && !layout.is_part())
    disk.fingerprint = fingerprint_of(layout);
  std::memcpy(file.data(), &disk, sizeof disk);
  reseal_header(file);
}

}  // namespace fathom::store
