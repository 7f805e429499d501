// Queries: sets of vertices that shall lie together in an order, as recursive bisection sees them:
// for each vertex those it is in. The neighbours of a vertex are one (BP), or a level of a sampled
// search (BFS-BP).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

/// Calls list(u, targets) for each vertex with edges, ascending; parallel edges once, ascending.
/// Cost: one read of each edge, one list after the other.
void each_list(const Context& ctx, const Graph& graph,
               FunctionRef<void(VertexId, std::span<const VertexId>)> list);

/// Of queries of neighbours: the lists, parallel edges counted once.
struct QueryCounts {
  Array<VertexId> of;       // [v]: how many v is in, its in-degree
  std::size_t longest = 0;  // query
};

QueryCounts count_queries(const Context& ctx, const Graph& graph);

/// For each of some vertices the queries of neighbours that it is in, ascending: the vertices with
/// an edge to it.
class NeighbourQueries {
 public:
  /// @param members  different vertices; number i is called slot i here.
  /// @param counts   of all vertices.
  /// Cost: one read of each edge; 4 bytes per entry, 8 per member, and 4 per vertex while it runs.
  NeighbourQueries(const Context& ctx, const Graph& graph, std::span<const VertexId> members,
                   std::span<const VertexId> counts);
  static std::size_t bytes(std::size_t members, EdgeId entries) {
    return (members + 2) * sizeof(EdgeId) + entries * sizeof(VertexId);
  }

  std::size_t members() const { return offset_.size() - 2; }
  /// Ids of queries are below this.
  std::size_t queries() const { return queries_; }
  EdgeId entries(VertexId slot) const { return offset_[slot + 1] - offset_[slot]; }

  template <class Visit>
  void each(VertexId slot, const Visit& visit) const {
    for (EdgeId e = offset_[slot]; e < offset_[slot + std::size_t{1}]; ++e) visit(query_[e]);
  }

  /// Calls the queries of some members 0, 1, ... in their order, for these members alone: what is
  /// kept per query is then small and close together. Returns how many there are. Concurrent calls
  /// are for different members.
  std::size_t rename(std::span<const VertexId> slots, const std::shared_ptr<MemoryPool>& pool);
  static std::size_t rename_bytes(std::size_t queries) {
    return (queries / 64 + 1) * (sizeof(std::uint64_t) + sizeof(VertexId));
  }
  /// No more than this are left of so many, of members with so many entries.
  static std::size_t renamed(std::size_t queries, EdgeId entries) {
    return static_cast<std::size_t>(std::min<EdgeId>(queries, entries));
  }

 private:
  Array<EdgeId> offset_;  // [members + 2], the last one unused once filled
  Array<VertexId> query_;
  std::size_t queries_;
};

/// For each vertex its level in each of some searches, in words as narrow as the levels allow.
class LevelQueries {
 public:
  /// Cost: a MultiSearch for as many of the sources at once as fit (at most 64); 1 byte per vertex
  /// and source, or 2 or 4 where levels are deeper than 254 or 65534.
  LevelQueries(const Context& ctx, const Graph& graph, std::span<const VertexId> sources);

  /// Word is an unsigned integer of width() bytes.
  template <class Word>
  class View {
   public:
    explicit View(const LevelQueries& all)
        : level_(reinterpret_cast<const Word*>(all.level_.data())),
          first_(all.first_),
          queries_(all.queries_) {}

    std::size_t queries() const { return queries_; }
    EdgeId entries(VertexId) const { return first_.size(); }

    template <class Visit>
    void each(VertexId v, const Visit& visit) const {
      const Word* const level = level_ + v * first_.size();
      for (std::size_t s = 0; s < first_.size(); ++s)
        if (level[s] != kNowhere) visit(first_[s] + level[s]);
    }

    /// They are few as they are.
    std::size_t rename(std::span<const VertexId>, const std::shared_ptr<MemoryPool>&) {
      return queries_;
    }
    static std::size_t rename_bytes(std::size_t) { return 0; }
    static std::size_t renamed(std::size_t queries, EdgeId) { return queries; }

   private:
    static constexpr Word kNowhere = static_cast<Word>(~Word{0});

    const Word* level_;  // [vertices x sources]
    std::span<const VertexId> first_;
    std::size_t queries_;
  };

  std::size_t width() const { return width_; }
  /// use(View of the words these are).
  template <class Use>
  void view(const Use& use) const {
    with_word(width_, [&]<class Word>(Word) { use(View<Word>(*this)); });
  }

 private:
  /// use(an unsigned integer of so many bytes).
  template <class Use>
  static void with_word(std::size_t width, const Use& use) {
    if (width == 1)
      use(std::uint8_t{});
    else if (width == 2)
      use(std::uint16_t{});
    else
      use(std::uint32_t{});
  }
  /// Keeps the first `done` of all sources.
  void widen(std::size_t width, std::size_t done, std::size_t all);

  std::shared_ptr<MemoryPool> pool_;
  std::size_t width_ = 1;
  std::size_t vertices_;
  Array<std::byte> level_;
  std::vector<VertexId> first_;  // [source]: the query of its level 0
  VertexId queries_ = 0;
};

}  // namespace fathom::reorder
