// EMOGI's traffic monitor in software (sections 3.2 and 3.3): 32 lanes in lock step run the shared
// traversal body and record what they load from the edge array; the coalescer model counts the
// requests that this makes over the link. Deterministic, and needs no GPU.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/lanes.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/ops/coalescer.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/residency/access.hpp"

namespace fathom {

/// The loads of a warp, instruction by instruction.
///
/// Lanes run one after the other, each from beginning to end; a lane's n-th round is the n-th
/// instruction of the warp, as if all had run in lock step. That holds for bodies whose control
/// flow does not depend on what other lanes find, such as expand(); a lane that votes is refused.
class FATHOM_API RecordingLanes {
 public:
  static constexpr std::uint32_t kLanes = 32;

  /// A lane group of 32, seen from one of its lanes.
  class Lane {
   public:
    explicit Lane(std::uint32_t rank) : rank_(rank) {}
    std::uint32_t rank() const { return rank_; }
    std::uint32_t size() const { return kLanes; }
    std::uint32_t ballot(bool) const { refuse_collective(); }
    std::uint32_t shfl(std::uint32_t, std::uint32_t) const { refuse_collective(); }

   private:
    std::uint32_t rank_;
  };

  /// What a lane does in its current round: at most one load.
  void load(std::uint32_t lane, std::uint64_t address) { pending_[lane] = address; }
  void end_round(std::uint32_t lane) {
    round_[lane].push_back(pending_[lane]);
    pending_[lane] = kNoLoad;
  }

  /// Whether every recorded instruction has been issued.
  bool finished() const;
  /// The addresses that the lanes load in the next instruction; valid until the next call.
  std::span<const std::uint64_t> issue();
  void clear();

 private:
  static constexpr std::uint64_t kNoLoad = ~std::uint64_t{0};
  [[noreturn]] static void refuse_collective();

  std::array<std::vector<std::uint64_t>, kLanes> round_;  // address per round, or kNoLoad
  std::array<std::uint64_t, kLanes> pending_ = no_loads();
  std::array<std::uint64_t, kLanes> issued_{};
  std::size_t next_ = 0;

  static constexpr std::array<std::uint64_t, kLanes> no_loads() {
    std::array<std::uint64_t, kLanes> none{};
    none.fill(kNoLoad);
    return none;
  }
};
static_assert(LaneGroup<RecordingLanes::Lane>);

/// Flat edges whose targets report where they would be loaded from: entry p of an array of ids of
/// `id_bytes` at address `base`. Weights are another array and not recorded.
struct RecordedEdges {
  FlatEdges edges;
  std::uint64_t base = 0;
  std::uint32_t id_bytes = sizeof(VertexId);
  Access access = Access::Aligned;
  std::uint32_t lane = 0;
  RecordingLanes* lanes = nullptr;

  using Cursor = EdgeCursor;
  struct Span {
    PlainSpan plain;
    std::uint64_t address = 0;
    std::uint32_t id_bytes = sizeof(VertexId);
    Access access = Access::Aligned;
    std::uint32_t lane = 0;
    RecordingLanes* lanes = nullptr;
    std::uint32_t size = 0;

    VertexId target(std::size_t i) const {
      lanes->load(lane, address + i * id_bytes);
      return plain.target(i);
    }
    Weight weight(std::size_t i) const { return plain.weight(i); }
    std::uint32_t lead() const {
      return access == Access::Aligned ? static_cast<std::uint32_t>(address % kLineBytes / id_bytes)
                                       : 0;
    }
  };

  Cursor begin(VertexId v) const { return edges.begin(v); }
  bool next(Cursor& c, Span& s) const {
    const std::uint64_t address = base + (c.pos - edges.base) * id_bytes;
    if (!edges.next(c, s.plain)) return false;
    s = {s.plain, address, id_bytes, access, lane, lanes, s.plain.size};
    return true;
  }
};
static_assert(EdgeView<RecordedEdges>);

/// One streaming multiprocessor, through which all warps pass; the others would behave alike.
struct LinkModelOptions {
  Access access = Access::Aligned;
  std::uint32_t id_bytes = sizeof(VertexId);  // 4 or 8; 8 is EMOGI's (section 5.2)
  std::uint64_t base = 0;  // bytes from a 128-byte border to the edge array; a multiple of id_bytes
  /// Warps that take turns, an instruction each: 2048 threads, full occupancy since Volta.
  std::uint32_t resident_warps = 64;
  /// What keeps a sector until its next use: the L1 of a V100. 2048 lanes with a line each do not
  /// fit its 1024 lines, so lanes that walk lists of their own lose sectors before they have read
  /// them out: EMOGI's naive pattern moves more bytes than there are (section 3.3). The L2 is left
  /// out: all multiprocessors share it with the vertices' state, and it adds less per lane than the
  /// L1.
  std::size_t cache_bytes = 128u << 10;
};

/// Walks lists as a GPU would and counts requests. Memory: 8 bytes per edge of the resident warps'
/// lists, rounded up to whole instructions of 32 lanes.
class FATHOM_API LinkModel {
 public:
  /// The lists outlive the model.
  /// @throws Error(Usage) for an id size other than 4 and 8, an odd base, or no warps.
  LinkModel(const CsrView& lists, const LinkModelOptions& options);

  /// Calls f.visit() for every edge of the active vertices, each list once; `active` ascends. The
  /// cache starts out empty, as after a kernel launch. Naive: lane v % 32 of warp v / 32 walks the
  /// list of v (Listing 1); otherwise a warp per active vertex.
  template <EdgeFunctor F>
  RequestCounts superstep(std::span<const VertexId> active, const F& f) {
    return run(active, [&](RecordingLanes& lanes, std::span<const VertexId> vertices) {
      if (options_.access == Access::Naive)
        record_alone(lanes, vertices, f);
      else
        record_together(lanes, vertices.front(), f);
    });
  }

 private:
  using Record = FunctionRef<void(RecordingLanes&, std::span<const VertexId>)>;
  RequestCounts run(std::span<const VertexId> active, const Record& record);
  std::size_t next_warp(std::span<const VertexId> active) const;

  RecordedEdges view(RecordingLanes& lanes, std::uint32_t lane) const {
    const FlatEdges edges{lists_.offset, lists_.target, lists_.weight};
    return {edges, options_.base, options_.id_bytes, options_.access, lane, &lanes};
  }

  template <EdgeFunctor F>
  void record_alone(RecordingLanes& lanes, std::span<const VertexId> vertices, const F& f) const {
    for (const VertexId u : vertices) {
      const std::uint32_t lane = u % RecordingLanes::kLanes;
      expand(OneLane{}, view(lanes, lane), u, f,
             [&](const OneLane&, VertexId, bool) { lanes.end_round(lane); });
    }
  }

  template <EdgeFunctor F>
  void record_together(RecordingLanes& lanes, VertexId u, const F& f) const {
    for (std::uint32_t lane = 0; lane < RecordingLanes::kLanes; ++lane)
      expand(RecordingLanes::Lane(lane), view(lanes, lane), u, f,
             [&](const RecordingLanes::Lane&, VertexId, bool) { lanes.end_round(lane); });
  }

  CsrView lists_;
  LinkModelOptions options_;
  Coalescer coalescer_;
  std::vector<RecordingLanes> warps_;
};

}  // namespace fathom
