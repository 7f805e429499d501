// One set of lists on its way into a .fg file, and back out of the unfinished file.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "fathom/graph/stream_build.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {

/// Writes a set of lists to its sections. The number of edges is worth knowing (see StoreWriter).
class ListSections final : public graph::ListSink {
 public:
  /// `workers` of them write what comes in parts.
  ListSections(StoreWriter& writer, Lists lists, VertexId vertices, bool weighted, int workers = 1);
  /// Before the first call of the others.
  void announce(EdgeId edges) { edges_ = edges; }

  void offsets(std::span<const EdgeId> offset) override;
  void edges(std::span<const VertexId> target, std::span<const Weight> weight) override;
  void parts(std::span<const graph::EdgePart> parts) override;
  void finish() override;

  /// Edges [0, n), made by targets(first, into) and weights(first, into) as append_made() asks.
  template <class Targets, class Weights>
  void make_edges(EdgeId n, int workers, const Targets& targets, const Weights& weights) {
    open();
    target_->append_made<VertexId>(n, workers, targets);
    if (weight_) weight_->append_made<Weight>(n, workers, weights);
    written_ += n;
  }

  EdgeId edges_written() const { return written_; }

 private:
  void open();

  StoreWriter& writer_;
  Lists lists_;
  VertexId vertices_;
  bool weighted_;
  int workers_;
  std::optional<EdgeId> edges_;
  EdgeId written_ = 0;
  SectionStream* offset_ = nullptr;
  SectionStream* target_ = nullptr;
  SectionStream* weight_ = nullptr;
};

/// Reads finished out-lists back in order: edge(source, target) for each.
template <class F>
void each_out_edge(StoreWriter& writer, const F& edge) {
  constexpr std::size_t kPiece = std::size_t{1} << 15;
  const SectionStream& offsets = writer.section(SectionId::OutOffsets);
  const SectionStream& targets = writer.section(SectionId::OutTargets);
  const std::uint64_t vertices = offsets.bytes() / sizeof(EdgeId) - 1;
  std::vector<EdgeId> offset;
  std::vector<VertexId> target;
  EdgeId read = 0, at = 0;  // edges read into `target`, edges given
  for (std::uint64_t first = 0; first < vertices; first += kPiece) {
    offset.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, vertices - first)));
    offsets.read((first + 1) * sizeof(EdgeId), std::as_writable_bytes(std::span(offset)));
    for (std::size_t i = 0; i < offset.size(); ++i) {
      for (; at < offset[i]; ++at) {
        if (at == read) {
          const EdgeId left = targets.bytes() / sizeof(VertexId) - read;
          target.resize(static_cast<std::size_t>(std::min<EdgeId>(kPiece, left)));
          targets.read(read * sizeof(VertexId), std::as_writable_bytes(std::span(target)));
          read += target.size();
        }
        edge(static_cast<VertexId>(first + i), target[target.size() - (read - at)]);
      }
    }
  }
}

/// Writes the degree-oriented lists (see graph::orient_by_degree) from the finished out-lists;
/// `symmetric`: each edge is in the lists of both its ends. Sorts in `options.memory` bytes.
/// @throws Error(DoesNotFit) when that is less than 8 bytes per vertex; Error(Io);
///         Error(Interrupted).
void write_oriented_lists(StoreWriter& writer, VertexId vertices, bool symmetric,
                          const graph::BuildOptions& options);

}  // namespace fathom::store
