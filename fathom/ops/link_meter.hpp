// Counts what lane groups ask of the link: what EMOGI's FPGA monitor saw (section 3.2), from
// inside.
//
// A group that has a meter reports each round of reads: one contiguous stretch. A stretch costs a
// request per line it touches, and moves whole sectors. Sectors that a later round finds in a cache
// are counted again, so that these are upper bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/core/lanes.hpp"

namespace fathom {

inline constexpr std::uint32_t kSectorBytes = 32;  // what the link moves at least
inline constexpr std::uint32_t kLineBytes = 128;   // what a request never crosses

/// The counts of one lane. Only addresses in [far, far_end) are behind the link.
struct LinkMeter {
  std::uintptr_t far = 0, far_end = 0;
  std::uint64_t requests = 0, bytes = 0;

  FATHOM_HD void read(std::uintptr_t first, std::uintptr_t last) {
    if (first < far || first >= far_end) return;
    requests += last / kLineBytes - first / kLineBytes + 1;
    bytes += (last / kSectorBytes - first / kSectorBytes + 1) * kSectorBytes;
  }
};

namespace detail {
template <class S>
FATHOM_HD bool has_weights_apart(const S& s) {
  if constexpr (requires { s.weights_apart(); })
    return s.weights_apart();
  else
    return s.weight_at != nullptr;
}
}  // namespace detail

/// Notes the round that starts at `base` lanes after the border `lead` entries before the span.
template <LaneGroup G, class S>
FATHOM_HD void note_round([[maybe_unused]] const G& g, [[maybe_unused]] const S& s,
                          [[maybe_unused]] std::uint32_t base, [[maybe_unused]] std::uint32_t lead,
                          [[maybe_unused]] bool weights) {
  if constexpr (requires { g.meter; }) {
    if (!g.meter || g.rank() != 0) return;
    const std::uint32_t first = base < lead ? 0 : base - lead;
    const std::uint32_t past = base + g.size() - lead;
    const std::uint32_t end = past < s.size ? past : s.size;
    // A lane alone finds the sector of the entry before still there.
    if constexpr (requires { s.address(first); })
      if (g.size() == 1 && first > 0 &&
          s.address(first) / kSectorBytes == s.address(first - 1) / kSectorBytes)
        return;
    if constexpr (requires { s.last_word_byte(); }) {  // of a whole block, before its first round
      if (base == 0 && s.reads_words()) g.meter->read(s.first_word_byte(), s.last_word_byte());
    } else if constexpr (requires { s.last_byte(end); })
      g.meter->read(s.address(first), s.last_byte(end - 1));
    else
      g.meter->read(s.address(first), s.address(end) - 1);
    if constexpr (requires { s.weight_address(first); })
      if (weights && detail::has_weights_apart(s))
        g.meter->read(s.weight_address(first), s.weight_address(end) - 1);
  }
}

#if defined(__CUDACC__)
/// A warp that counts its reads; null: it does not.
struct MeteredWarpLanes : WarpLanes {
  LinkMeter* meter;
  std::uint32_t align_mask;  // 31: reads start at the border of a line; 0: at the list (Merged)
};

/// A thread that walks a list alone: entries of one sector count once, with the first of them.
struct MeteredLane : OneLane {
  LinkMeter* meter;
};
#endif

}  // namespace fathom
