// Writes packed lists, within a memory bound.
#pragma once

#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {

/// The distinct weights of lists, ascending, if codes of 16 bits can name them; else none. Cost: a
/// read of the lists, up to where there are too many.
std::vector<Weight> few_weights(StoredLists& lists, const Task& task);

class PackWriter {
 public:
  /// `values`: what few_weights() said. Memory: 4 MiB per worker.
  PackWriter(StoreWriter& writer, int workers, std::vector<Weight> values, Task task);

  PackedLayout layout(VertexId vertices) const;
  /// All sections of one direction. @throws what `lists` does; Error(Io), Error(Interrupted).
  void write(StoredLists& lists, Lists which);
  /// What codes stand for, once.
  void write_values();

 private:
  void write_offsets(StoredLists& lists, SectionId id);
  void write_batch(std::span<const VertexId> ids, SectionStream& words, SectionStream& index);
  void write_codes(std::span<const Weight> weights, SectionStream& codes);

  StoreWriter& writer_;
  int workers_;
  std::vector<Weight> values_;
  std::uint32_t code_bytes_;
  Task task_;
  std::uint32_t id_bits_ = 0;
  std::uint64_t at_ = 0;                            // words written of this direction
  std::vector<std::vector<std::uint32_t>> groups_;  // of the batch
  std::vector<std::uint64_t> places_;
  std::vector<std::byte> codes_;
};

}  // namespace fathom::store
