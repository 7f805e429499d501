// Labels to dense ids: any labels, in sorted order, within a memory bound.
//
// A dictionary numbers the labels it meets; edges are spooled as pairs of these numbers. When it is
// full, its labels are sorted and written to a run, and a new dictionary begins. At the end the
// runs are merged, which numbers the distinct labels, and every run learns the final id of each of
// its labels. Spooled edges are then translated one dictionary at a time. A sort-join, but of
// labels that are already distinct: cheap where labels repeat, and in memory where they fit.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"

namespace fathom::graph {

struct LabelOptions {
  std::size_t memory = std::size_t{1} << 30;  // bytes for everything the mapper holds
  bool weighted = false;
  std::string temp_directory;
  int threads = 0;
  Task task;
};

class FATHOM_API LabelMapper {
 public:
  explicit LabelMapper(const LabelOptions& options);
  ~LabelMapper();

  /// A vertex exists. Labels are byte strings below 2^32 bytes.
  void add_vertex(std::string_view label);
  void add_edge(std::string_view source, std::string_view target, Weight weight);

  /// No more additions. Calls sink(label) for each distinct label in bytewise order: the n-th one
  /// is vertex n. Returns how many there are.
  /// @throws Error(DoesNotFit) for more labels than VertexId holds; Error(Io); Error(Interrupted).
  VertexId finish(const std::function<void(std::string_view)>& sink);

  /// After finish(): all edges in the order of their arrival, as dense ids. Weights are empty when
  /// unweighted.
  void for_each_edge(
      const std::function<void(std::span<const Edge>, std::span<const Weight>)>& sink);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Integers as labels whose bytewise order is their numeric order.
std::string_view encode_integer(std::uint64_t value, char (&buffer)[8]);
std::uint64_t decode_integer(std::string_view label);

}  // namespace fathom::graph
