#include "fathom/store/mapped_sections.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "fathom/core/parallel.hpp"

namespace fathom::store {
namespace {

// Maps the pages of a block at once: one system call instead of a fault per 64 KiB, and a bad disk
// sector is an error code instead of SIGBUS. Linux before 5.14 does not know it and faults.
void populate(const StoreFile& file, const std::byte* first, std::size_t bytes) {
#ifdef MADV_POPULATE_READ
  constexpr int kAdvice = MADV_POPULATE_READ;
#else
  constexpr int kAdvice = 22;
#endif
  if (::madvise(const_cast<std::byte*>(first), bytes, kAdvice) != 0 && errno != EINVAL &&
      errno != EAGAIN && errno != EINTR)
    throw_io_error(file.path(), "read", errno == EFAULT ? EIO : errno);
}

}  // namespace

MappedSections::MappedSections(const std::string& path, Parts parts)
    : file_(path, parts), sections_(new Section[file_.layout().sections.size()]) {
  map();
}

MappedSections::MappedSections(const TempFile& file, const std::string& path)
    : file_(file, path), sections_(new Section[file_.layout().sections.size()]) {
  map();
}

void MappedSections::map() {
  void* map = ::mmap(nullptr, static_cast<std::size_t>(layout().file_bytes), PROT_READ, MAP_SHARED,
                     file_.descriptor(), 0);
  if (map == MAP_FAILED) throw_io_error(file_.path(), "map", errno);
  map_ = static_cast<const std::byte*>(map);
  if (layout().file_bytes > kBlockBytes) return;
  try {  // a small file at once: a call for each section would cost more than they do
    populate(file_, map_, static_cast<std::size_t>(layout().file_bytes));
  } catch (...) {
    ::munmap(map, static_cast<std::size_t>(layout().file_bytes));
    throw;
  }
  populated_ = true;
}

MappedSections::~MappedSections() {
  ::munmap(const_cast<std::byte*>(map_), static_cast<std::size_t>(layout().file_bytes));
}

void MappedSections::read_ahead(std::span<const std::byte> part) const {
  if (populated_) return;
  const auto first = static_cast<std::size_t>(part.data() - map_) / kPageBytes * kPageBytes;
  populate(file_, map_ + first, static_cast<std::size_t>(part.data() - map_) + part.size() - first);
}

MappedSections::Section& MappedSections::prepared(std::size_t index) {
  Section& section = sections_[index];
  std::call_once(section.prepared, [&] {
    section.checksums = file_.checksums(layout().sections[index]);
    section.checked = std::make_unique<std::atomic<bool>[]>(section.checksums.size());
  });
  return section;
}

void MappedSections::check_block(std::size_t index, std::uint64_t block) {
  const SectionEntry& entry = layout().sections[index];
  const std::byte* first = map_ + entry.offset + block * kBlockBytes;
  const std::size_t bytes = block_bytes(entry, block);
  if (!populated_) populate(file_, first, bytes);
  file_.check_block(entry, block, {first, bytes}, sections_[index].checksums[block]);
}

std::span<const std::byte> MappedSections::touch_whole(SectionId id, int threads) {
  const SectionEntry* entry = layout().find(id);
  if (!entry) return {};
  const std::size_t index = static_cast<std::size_t>(entry - layout().sections.data());
  // Acquire pairs with the release below: whoever sees true also sees that the checks are done.
  if (!sections_[index].whole.load(std::memory_order_acquire)) {
    Section& section = prepared(index);
    const std::lock_guard lock(section.whole_mutex);
    if (!section.whole.load(std::memory_order_relaxed)) {
      parallel_for(worker_count(threads), section.checksums.size(), 1,
                   [&](std::size_t block, std::size_t, int) {
                     check_block(index, block);
                     check_values(file_, *entry, mapped(*entry), block * kBlockBytes,
                                  std::min<std::uint64_t>(entry->bytes, (block + 1) * kBlockBytes));
                   });
      section.whole.store(true, std::memory_order_release);
    }
  }
  return mapped(*entry);
}

std::span<const std::byte> MappedSections::touch_bytes(SectionId id, std::uint64_t first,
                                                       std::uint64_t bytes) {
  const SectionEntry* entry = layout().find(id);
  if (!entry || first > entry->bytes || bytes > entry->bytes - first)
    throw_bad_store(file_.path(), fmt::format("section '{}': no bytes {} to {}", name_of(id), first,
                                              first + bytes));
  if (bytes == 0) return {};
  const std::size_t index = static_cast<std::size_t>(entry - layout().sections.data());
  Section& section = prepared(index);
  for (std::uint64_t b = first / kBlockBytes; b <= (first + bytes - 1) / kBlockBytes; ++b) {
    if (section.checked[b].load(std::memory_order_relaxed)) continue;
    check_block(index, b);  // two threads may both do it, with the same outcome
    section.checked[b].store(true, std::memory_order_relaxed);
  }
  return mapped(*entry).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(bytes));
}

void MappedSections::check_all(int threads, const Task& task) {
  constexpr std::size_t kStride = 64;  // blocks between two reports
  const int workers = worker_count(threads);
  task.begin("checksums", layout().checksums_offset, "B");
  for (std::size_t i = 0; i < layout().sections.size(); ++i) {
    const SectionEntry& entry = layout().sections[i];
    const std::size_t blocks = prepared(i).checksums.size();
    for (std::size_t from = 0; from < blocks; from += kStride) {
      parallel_for(workers, std::min(kStride, blocks - from), 1,
                   [&](std::size_t k, std::size_t, int) {
                     const std::uint64_t block = from + k;
                     check_block(i, block);
                     check_values(file_, entry, mapped(entry), block * kBlockBytes,
                                  std::min<std::uint64_t>(entry.bytes, (block + 1) * kBlockBytes));
                   });
      task.at(std::min(entry.offset + (from + kStride) * kBlockBytes,
                       entry.offset + padded(entry.bytes)));
    }
    // The checksums may have been read long ago; read what the disk holds now.
    file_.checksums(entry);
  }
  task.end();
}

void check_values(const StoreFile& file, const SectionEntry& entry,
                  std::span<const std::byte> section, std::uint64_t first, std::uint64_t last) {
  const Layout& layout = file.layout();
  const std::string name = name_of(entry);
  auto fail = [&](std::uint64_t element, const std::string& what) {
    throw_bad_store(file.path(), fmt::format("section '{}': element {} {}", name, element, what));
  };
  auto check_offsets = [&](SectionId targets) {
    const std::uint64_t* offset = reinterpret_cast<const std::uint64_t*>(section.data());
    const std::uint64_t entries = entry.bytes / sizeof(EdgeId);
    const SectionEntry* list = layout.find(targets);  // slotted graphs have none, parts some
    const std::uint64_t end =
        list && !layout.part ? list->bytes / element_bytes(targets) : layout.header.edges;
    const std::uint64_t from = first / sizeof(EdgeId), to = last / sizeof(EdgeId);
    if (from == 0 && offset[0] != 0) fail(0, "is not 0");
    for (std::uint64_t i = std::max<std::uint64_t>(from, 1); i < to; ++i)
      if (offset[i] < offset[i - 1]) fail(i, "is smaller than its predecessor");
    if (to == entries && offset[entries - 1] != end)
      fail(entries - 1, fmt::format("is not the number of elements, {}", end));
    if (!layout.part) return;
    const PartRange& range = targets == SectionId::OutTargets ? layout.part->out : layout.part->in;
    for (const auto& [vertex, edge] :
         {std::pair<std::uint64_t, EdgeId>(range.first, range.begin), {range.last, range.end}})
      if (vertex >= from && vertex < to && offset[vertex] != edge)
        fail(vertex, fmt::format("is {}, not {} as the section 'part' says", offset[vertex], edge));
  };
  if (name == name_of(SectionId::OutOffsets)) return check_offsets(SectionId::OutTargets);
  if (name == name_of(SectionId::InOffsets)) return check_offsets(SectionId::InTargets);
  if (name == name_of(SectionId::OrientedOffsets)) return check_offsets(SectionId::OrientedTargets);
  check_ids(file, entry, section.subspan(first, last - first), first);
}

void check_ids(const StoreFile& file, const SectionEntry& entry, std::span<const std::byte> part,
               std::uint64_t first) {
  const std::string name = name_of(entry);
  const bool pairs = name == name_of(SectionId::OutPairs);
  if (!pairs && name != name_of(SectionId::OutTargets) && name != name_of(SectionId::InTargets) &&
      name != name_of(SectionId::OrientedTargets) && name != name_of(SectionId::Permutation))
    return;
  const std::size_t step = pairs ? 2 : 1;  // skips the weights of pairs
  const std::span<const VertexId> id{reinterpret_cast<const VertexId*>(part.data()),
                                     part.size() / sizeof(VertexId)};
  VertexId largest = 0;
  for (std::size_t i = 0; i < id.size(); i += step) largest = std::max(largest, id[i]);
  const VertexId vertices = file.layout().header.vertices;
  if (id.empty() || largest < vertices) return;
  for (std::size_t i = 0; i < id.size(); i += step)
    if (id[i] >= vertices)
      throw_bad_store(file.path(), fmt::format("section '{}': element {} names vertex {}", name,
                                               (first / sizeof(VertexId) + i) / step, id[i]));
}

}  // namespace fathom::store
