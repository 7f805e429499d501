// Writes packed lists, within a memory bound.
#pragma once

#include <optional>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/packed/pack.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {

class PackWriter {
 public:
  /// `weights`: those of the out-lists; none: weights stay as they are. Memory: 4 MiB per worker.
  PackWriter(StoreWriter& writer, int workers, std::optional<WeightCodes> weights, Task task);

  PackedLayout layout(VertexId vertices) const;
  /// All sections of one direction. @throws what `lists` does; Error(Io), Error(Interrupted).
  void write(StoredLists& lists, Lists which);

  /// The same piece by piece: begin(), offsets and edges in order, end(). `edges`: how many, where
  /// that is known (see StoreWriter).
  void begin(Lists which, VertexId vertices, bool weighted, std::optional<EdgeId> edges);
  void offsets(std::span<const EdgeId> piece) { offsets_->append(piece); }
  void edges(std::span<const VertexId> target, std::span<const Weight> weight);
  void end();

  /// What codes stand for, once.
  void write_values();

 private:
  void write_groups(std::span<const VertexId> ids);
  void write_codes(std::span<const Weight> weights);

  StoreWriter& writer_;
  int workers_;
  std::optional<WeightCodes> weights_;
  std::uint32_t code_bytes_ = 0;
  Task task_;
  std::string path_;  // of what is packed, for messages
  std::uint32_t id_bits_ = 0;
  SectionStream* offsets_ = nullptr;  // of the direction that is being written
  SectionStream* index_ = nullptr;
  SectionStream* words_ = nullptr;
  SectionStream* weights_of_edges_ = nullptr;       // or codes; null: unweighted
  std::vector<VertexId> rest_;                      // less than a group, for the next piece
  packed::GroupPlaces end_;                         // of what was written of this direction
  std::vector<std::vector<std::uint32_t>> groups_;  // of the batch
  std::vector<std::uint64_t> places_;
  std::vector<std::uint32_t> code_;
  std::vector<std::byte> code_bytes_of_batch_;
};

}  // namespace fathom::store
