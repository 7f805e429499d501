// A breadth-first search by one thread, over lists read one at a time: what certificates compare
// with, and what shares no code with the searches that they check.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

class SerialSearch {
 public:
  SerialSearch(const Context& ctx, EdgeSource& edges)
      : ctx_(ctx),
        lists_(edges.read_lists()),
        depth_(edges.vertices(), ctx.host_memory()),
        queue_(edges.vertices(), ctx.host_memory()) {}

  /// visit(v, depth) for every vertex reached but the first, by ascending depth.
  template <class Visit>
  void run(VertexId from, const Visit& visit) {
    ctx_.task().check();
    std::fill(depth_.begin(), depth_.end(), kNoVertex);
    std::size_t done = 0, found = 0;
    depth_[from] = 0;
    queue_[found++] = from;
    for (; done < found; ++done) {
      const VertexId u = queue_[done];
      if (u != from) visit(u, std::uint64_t{depth_[u]});
      lists_->read(u, [&](const PlainSpan& span) {
        for (std::uint32_t i = 0; i < span.size; ++i) {
          const VertexId v = span.target(i);
          if (depth_[v] != kNoVertex) continue;
          depth_[v] = depth_[u] + 1;
          queue_[found++] = v;
        }
      });
    }
  }

 private:
  const Context& ctx_;
  std::unique_ptr<ListReader> lists_;
  Array<VertexId> depth_, queue_;
};

}  // namespace fathom
