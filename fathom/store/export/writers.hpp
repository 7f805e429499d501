// What writes the formats: a function each, of lists in the order of labels.
#pragma once

#include <string>

#include "fathom/io/byte_sink.hpp"
#include "fathom/store/export/edge_pages.hpp"
#include "fathom/store/export/export.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/stored_labels.hpp"

namespace fathom::store {

/// A graph whose ids are in the order of its labels.
struct WrittenGraph {
  const StoreFile& file;
  LabelTable& labels;  // by row
  const Task& task;
  StoredLists& out;

  const Header& header() const { return file.layout().header; }
};

/// All offsets of lists, in pieces. @throws Error(BadInput), Error(Io), Error(Interrupted).
void each_offset_piece(StoredLists& lists, const Task& task,
                       FunctionRef<void(std::span<const EdgeId>)> visit);

/// The fewest digits that read back as the same number.
void append_weight(Weight weight, std::string& out);
void append_integer(std::uint64_t number, std::string& out);

// Each returns the number of edges that it wrote.
std::uint64_t write_edge_list(const WrittenGraph& graph, char separator, io::ByteSink& sink);
std::uint64_t write_matrix_market(const WrittenGraph& graph, io::ByteSink& sink);
std::uint64_t write_npz(const WrittenGraph& graph, io::ByteSink& sink);
std::uint64_t write_gap(const WrittenGraph& graph, bool weighted, io::ByteSink& sink);

}  // namespace fathom::store
