// The sections of a .fg file in memory, checked when first touched.
//
// Invariant: memory handed out by touch() has matched its checksums, and its indices are in range,
// so that walking lists cannot leave the mapping whatever the file contains.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "fathom/core/task.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

class MappedSections {
 public:
  explicit MappedSections(const std::string& path, Parts parts = Parts::Refused);
  /// What was written to a file without a name; `path` is for messages.
  MappedSections(const TempFile& file, const std::string& path);
  ~MappedSections();

  const StoreFile& file() const { return file_; }
  const Layout& layout() const { return file_.layout(); }

  /// A whole section. The first call checks all of it, in parallel; later ones return at once.
  /// Absent sections are empty. @throws Error(BadInput), Error(Io).
  template <class T>
  std::span<const T> touch(SectionId id, int threads) {
    const std::span<const std::byte> bytes = touch_whole(id, threads);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Elements [first, first + count) of a present section; checks only the blocks they are in, and
  /// not the values. @throws Error(BadInput), also when the range is not inside the section.
  template <class T>
  std::span<const T> touch_range(SectionId id, std::uint64_t first, std::uint64_t count) {
    const std::span<const std::byte> bytes = touch_bytes(id, first * sizeof(T), count * sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// A whole section that somebody else checks. Absent sections are empty.
  std::span<const std::byte> unchecked(SectionId id) const {
    const SectionEntry* entry = layout().find(id);
    return entry ? mapped(*entry) : std::span<const std::byte>();
  }
  /// Has the system read a part of the mapping now. @throws Error(Io).
  void read_ahead(std::span<const std::byte> part) const;

  /// Checks every block of every section again, known or not, and the values.
  void check_all(int threads, const Task& task);

 private:
  struct Section {
    std::once_flag prepared;
    std::vector<std::uint64_t> checksums;
    std::unique_ptr<std::atomic<bool>[]> checked;  // per block
    std::mutex whole_mutex;
    std::atomic<bool> whole{false};
  };

  void map();
  std::span<const std::byte> touch_whole(SectionId, int threads);
  std::span<const std::byte> touch_bytes(SectionId, std::uint64_t first, std::uint64_t bytes);
  Section& prepared(std::size_t index);
  void check_block(std::size_t index, std::uint64_t block);
  std::span<const std::byte> mapped(const SectionEntry& s) const {
    return {map_ + s.offset, static_cast<std::size_t>(s.bytes)};
  }

  StoreFile file_;
  const std::byte* map_ = nullptr;
  bool populated_ = false;
  std::unique_ptr<Section[]> sections_;  // in table order
};

/// Checks the values of bytes [first, last) of a section (multiples of 8): offsets ascend from 0 to
/// the number of targets, targets are vertices.
/// @throws Error(BadInput) naming section and element.
void check_values(const StoreFile&, const SectionEntry&, std::span<const std::byte> section,
                  std::uint64_t first, std::uint64_t last);

/// Checks the ids in a part of a section that starts at its byte `first` (a multiple of 8): they
/// are vertices. Sections without ids pass. @throws Error(BadInput) naming section and element.
void check_ids(const StoreFile&, const SectionEntry&, std::span<const std::byte> part,
               std::uint64_t first);

}  // namespace fathom::store
