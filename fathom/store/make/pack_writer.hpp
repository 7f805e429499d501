// Writes packed lists, within a memory bound.
#pragma once

#include <optional>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/narrow/weight_codes.hpp"
#include "fathom/store/packed/pack.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {

/// The distinct weights of lists, if there are few enough for codes. Cost: a read of the lists, up
/// to where there are too many.
std::optional<WeightCodes> few_weights(StoredLists& lists, const Task& task);

class PackWriter {
 public:
  /// `weights`: what few_weights() said of the out-lists. Memory: 4 MiB per worker.
  PackWriter(StoreWriter& writer, int workers, std::optional<WeightCodes> weights, Task task);

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
  std::optional<WeightCodes> weights_;
  std::uint32_t code_bytes_ = 0;
  Task task_;
  std::uint32_t id_bits_ = 0;
  packed::GroupPlaces end_;                         // of what was written of this direction
  std::vector<std::vector<std::uint32_t>> groups_;  // of the batch
  std::vector<std::uint64_t> places_;
  std::vector<std::uint32_t> code_;
  std::vector<std::byte> code_bytes_of_batch_;
};

}  // namespace fathom::store
