// Labels of a .fg file, looked up without loading them: only the blocks a search meets are read.
//
// Tables ascend in the order of rows: the order of the vertices before any reordering. A file that
// was reordered says which vertex has which row.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/store/first_order.hpp"
#include "fathom/store/mapped_sections.hpp"

namespace fathom::store {

class LabelTable {
 public:
  explicit LabelTable(MappedSections& sections) : sections_(sections) {}

  /// @throws Error(Usage) when v is not a vertex; Error(BadInput) for a damaged file.
  std::string label(VertexId v);
  /// Appends the label of a row, which there has to be. @throws Error(BadInput) likewise.
  void append_of_row(VertexId row, std::string& out);
  /// Binary search: O(log n) page touches. In a reordered file the first call also reads which row
  /// every vertex has, and keeps 8 bytes per vertex.
  std::optional<VertexId> find(std::string_view label);

  /// Checks that labels ascend and the index agrees with them.
  /// @throws Error(BadInput) naming the first vertex where they do not.
  void verify(const Task& task);

 private:
  const Header& header() const { return sections_.layout().header; }
  std::string_view string_at(SectionId offsets, SectionId bytes, std::uint64_t i);
  VertexId row_of(VertexId v);
  VertexId vertex_of(VertexId row);
  std::uint64_t integer(VertexId row) {
    return sections_.touch_range<std::uint64_t>(SectionId::LabelIntegers, row, 1)[0];
  }
  std::string_view string(VertexId row) {
    return string_at(SectionId::LabelOffsets, SectionId::LabelBytes, row);
  }
  /// @throws Error(BadInput) where it is not the label of row k * kLabelIndexStride.
  std::string_view index_string(std::uint64_t k);
  // Rows.
  std::optional<VertexId> find_row(std::string_view label);
  std::optional<VertexId> find_integer(std::uint64_t label);
  std::optional<VertexId> find_string(std::string_view label);

  MappedSections& sections_;
  std::once_flag order_read_;
  FirstOrder order_;
};

}  // namespace fathom::store
