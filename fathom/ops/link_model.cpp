#include "fathom/ops/link_model.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/error.hpp"

namespace fathom {

bool RecordingLanes::finished() const {
  return std::all_of(round_.begin(), round_.end(),
                     [&](const auto& rounds) { return rounds.size() <= next_; });
}

std::span<const std::uint64_t> RecordingLanes::issue() {
  std::size_t loads = 0;
  for (const auto& rounds : round_)
    if (next_ < rounds.size() && rounds[next_] != kNoLoad) issued_[loads++] = rounds[next_];
  ++next_;
  return {issued_.data(), loads};
}

void RecordingLanes::clear() {
  for (auto& rounds : round_) rounds.clear();
  pending_ = no_loads();
  next_ = 0;
}

void RecordingLanes::refuse_collective() {
  throw Error(ErrorCode::Internal,
              "recording lanes run one after the other; they cannot vote or exchange values");
}

LinkModel::LinkModel(const CsrView& lists, const LinkModelOptions& options)
    : lists_(lists), options_(options), coalescer_(options.cache_bytes) {
  if (options.id_bytes != 4 && options.id_bytes != 8)
    throw Error(ErrorCode::Usage,
                "ids have 4 or 8 bytes, found " + std::to_string(options.id_bytes));
  if (options.base % options.id_bytes != 0)
    throw Error(ErrorCode::Usage, "the edge array begins at a multiple of its ids' size, found " +
                                      std::to_string(options.base));
  if (options.resident_warps == 0)
    throw Error(ErrorCode::Usage, "expected at least one resident warp, found none");
  warps_.resize(options.resident_warps);
}

std::size_t LinkModel::next_warp(std::span<const VertexId> active) const {
  if (options_.access != Access::Naive) return 1;
  const auto warp_of = [](VertexId v) { return v / RecordingLanes::kLanes; };
  std::size_t size = 1;
  while (size < active.size() && warp_of(active[size]) == warp_of(active[0])) ++size;
  return size;
}

RequestCounts LinkModel::run(std::span<const VertexId> active, const Record& record) {
  coalescer_.clear_cache();
  for (RecordingLanes& warp : warps_) warp.clear();
  // A warp that has nothing left to issue makes room for the next that has something.
  const auto busy = [&](RecordingLanes& warp) {
    while (warp.finished() && !active.empty()) {
      const std::size_t size = next_warp(active);
      warp.clear();
      record(warp, active.first(size));
      active = active.subspan(size);
    }
    return !warp.finished();
  };
  RequestCounts counts;
  for (bool any = true; any;) {
    any = false;
    for (RecordingLanes& warp : warps_) {
      if (!busy(warp)) continue;
      coalescer_.issue(warp.issue(), counts);
      any = true;
    }
  }
  return counts;
}

}  // namespace fathom
