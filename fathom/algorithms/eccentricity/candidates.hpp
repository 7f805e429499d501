// Which vertices to search from next, by the bounds of all: kept on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/algorithms/multi_search/search_set.hpp"
#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

class Candidates {
 public:
  /// `label`: of each vertex its component, by the component's first vertex. `extremes`: only
  /// diameter and radius of the largest component have to be known.
  Candidates(const Context& ctx, Array<VertexId> label, bool extremes);

  /// Components of up to 64 vertices that are to be searched from everywhere, one after the other.
  struct Everywhere {
    std::vector<VertexId> vertex;
    std::vector<SearchSet> search;  // which of its component each is
  };
  /// The next of them, about `most` vertices together; none: there are no more.
  Everywhere everywhere(std::size_t most);

  /// At most `most` vertices to search from, ascending; none: all is known that has to be. Cost:
  /// five looks at all vertices, by all threads unless there are hundreds of components.
  std::vector<VertexId> next(std::size_t most);
  /// What is known of all vertices: to be brought up to date before next().
  Array<std::uint32_t> lower, upper, sum;

  /// No search that is still to come goes farther.
  std::uint32_t farthest() const;
  /// Whether v belongs to the component that summaries are about.
  bool in_largest(VertexId v) const { return in_largest_[v]; }
  /// Whether the bounds of v differ at the end.
  bool left_open(VertexId v) const { return part_[v] != kNoVertex && lower[v] != upper[v]; }

 private:
  // Of a component that is searched from here and there.
  struct Part {
    VertexId first = 0;
    bool begun = false;
    std::uint32_t unsearched = ~std::uint32_t{0};  // the largest upper bound of these
    std::uint32_t diameter = 0, radius = 0;        // at least, at most
    std::uint32_t top = 0;                         // the largest upper bound of open vertices
    std::size_t open = 0;                          // vertices whose bounds have to meet yet
    std::size_t above = 0;                         // not searched from, upper bound at least top
  };
  class Picks;

  void sort_small(const Array<VertexId>& label);
  void begin(std::size_t most, std::vector<VertexId>& picked);
  void cap();
  void count_open();
  bool open(VertexId v) const;
  void pick(std::size_t most, std::vector<VertexId>& picked);

  int threads_;
  bool extremes_;
  Array<VertexId> part_;  // [vertices]; kNoVertex: of none
  std::vector<Part> parts_;
  std::vector<bool> searched_, in_largest_;
  std::vector<VertexId> small_;       // vertices of small components, by component
  std::vector<std::uint8_t> search_;  // [small_]: which of its component each is
  std::size_t done_ = 0;              // of small_
};

}  // namespace fathom
