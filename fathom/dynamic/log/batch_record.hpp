// A batch as a log has it: what it does, by the labels of vertices, so that it means the same to
// the same graph whatever its vertices' indices are (docs/formats.md, "Logs of updates", payload).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/dynamic/labels/vertex_labels.hpp"
#include "fathom/dynamic/log/log_format.hpp"
#include "fathom/dynamic/updates/update_batch.hpp"

namespace fathom::dynamic {

/// Bytes that grow at their end.
class RecordBytes {
 public:
  void clear() { size_ = 0; }
  void number(std::uint64_t value);  // LEB128
  void text(std::string_view value);
  template <class T>
  void fixed(T value);
  std::span<const std::byte> all() const { return {bytes_.data(), size_}; }

 private:
  std::byte* room(std::size_t most);

  std::vector<std::byte> bytes_;
  std::size_t size_ = 0;
};

/// Makes payloads of batches. Keeps 4 bytes per vertex of the graph.
class FATHOM_API BatchEncoder {
 public:
  /// The payload of a batch that is not applied yet, valid until the next one. `at`: behind its
  /// last line; `labels`: of the graph. Cost: two passes over the batch.
  std::span<const std::byte> encode(const LogKind& kind, const NamedBatch& named,
                                    const VertexLabels& labels, const UpdatePosition& at);

 private:
  void name(VertexId v);
  std::uint64_t place(VertexId v) const { return place_[v]; }
  void put_labels(const NamedBatch& named, const VertexLabels& labels);
  void put_edges(const LogKind& kind, const GraphBatch& batch);

  RecordBytes bytes_;
  // A set of vertices in the order in which they were named (Briggs and Torczon, "An Efficient
  // Representation for Sparse Sets", 1993): v is in it if named_[place_[v]] is v.
  std::vector<VertexId> named_;
  std::vector<std::uint32_t> place_;
};

/// A batch that was read from a payload, whose bytes have to live as long.
class FATHOM_API LoggedBatch {
 public:
  /// @throws Error(BadInput), without a place, for bytes that are no payload.
  LoggedBatch(const LogKind& kind, std::span<const std::byte> payload);

  std::uint64_t updates() const { return updates_; }            // lines that were updates
  const UpdatePosition& position() const { return position_; }  // behind its last line

  /// Applies it to the graph and the labels that all earlier batches were applied to.
  /// @throws Error(BadInput), without a place, where they do not go with it, what
  ///         DynamicGraph::apply() does otherwise; labels and graph are of no use then.
  BatchReport apply(DynamicGraph& graph, VertexLabels& labels) const;

 private:
  struct Label {
    std::uint64_t integer = 0;
    std::string_view text;
  };
  struct PlacedEdge {
    std::uint32_t source = 0, target = 0;
    Weight weight = 1;
    bool deletion = false;
  };
  struct PlacedFields {
    std::uint32_t vertex = 0;
    VertexFields fields;
  };
  std::optional<VertexId> find(const VertexLabels& labels, const Label& label) const;
  std::vector<VertexId> indices(const DynamicGraph& graph, const VertexLabels& labels) const;
  std::string shown(const Label& label) const;

  LogKind kind_;
  std::uint64_t updates_ = 0;
  UpdatePosition position_;
  std::size_t new_vertices_ = 0;
  std::vector<Label> label_;  // by place
  std::vector<PlacedEdge> edge_;
  std::vector<EdgeFields> fields_;  // of edge_, in a semantic graph
  std::vector<std::uint32_t> gone_;
  std::vector<PlacedFields> said_;
};

}  // namespace fathom::dynamic
