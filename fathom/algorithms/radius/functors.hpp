// What estimating radii does on an edge and a vertex, for any executor.
//
// A vertex has a row of words, each of two 32-bit masks. Rounds are synchronous: `now` is what was
// known a round ago, `next` what is known now, so that results do not depend on any order.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/bits.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// The mask in which a vertex marks itself: bit i with probability 2^-(i+1).
FATHOM_HD std::uint32_t sketch_mark(const RandomStream& random, VertexId v, std::uint32_t sketch) {
  const std::uint64_t word = random.at(v, sketch);
  for (std::uint32_t bit = 0; bit < 31; ++bit)
    if ((word >> bit & 1) != 0) return std::uint32_t{1} << bit;
  return std::uint32_t{1} << 31;
}

/// The ones below the lowest zero of both masks: what estimates are made of.
FATHOM_HD std::uint32_t sketch_score(std::uint64_t masks) {
  std::uint32_t score = 0;
  for (int half = 0; half < 2; ++half, masks >>= 32) {
    const auto mask = static_cast<std::uint32_t>(masks);
    const std::uint32_t ones = mask & ~(mask + 1);
    score += count_bits(ones);
  }
  return score;
}

struct SketchRows {
  std::uint64_t* now;
  std::uint64_t* next;
  std::uint32_t words;  // per row

  /// Unites the row of `from` into that of `to`; whether this made it grow.
  FATHOM_HD bool learn(VertexId to, VertexId from) const {
    std::uint64_t* const into = next + static_cast<std::size_t>(to) * words;
    const std::uint64_t* const other = now + static_cast<std::size_t>(from) * words;
    bool grew = false;
    for (std::uint32_t i = 0; i < words; ++i) {
      const AtomicRef word(into[i]);
      const std::uint64_t more = other[i] & ~word.load();
      if (more != 0) grew = (more & ~word.fetch_or(more)) != 0 || grew;
    }
    return grew;
  }
};

/// Over in-lists of the vertices whose rows grew: who has an edge to them learns.
struct TellSketch {
  static constexpr bool kDeviceCode = true;
  SketchRows rows;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const { return rows.learn(v, u); }
};

/// Over all out-lists: everyone asks the neighbours whose rows grew.
struct AskSketches {
  static constexpr bool kDeviceCode = true;
  SketchRows rows;
  const std::uint64_t* grown;  // a bit per vertex

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return (grown[v >> 6] >> (v & 63) & 1) != 0 && rows.learn(u, v) ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool commit(VertexId, Value grew) const { return grew != 0; }
};

/// What is remembered of the rounds: hop_at[j] is the first at which the score was at least
/// score - j, for j below `window`.
struct RadiusState {
  std::uint32_t* score;
  std::uint32_t* hop_at;  // [vertices * window]
  std::uint32_t window;
  std::uint32_t* farthest;
};

struct StartSketches {
  static constexpr bool kDeviceCode = true;
  SketchRows rows;
  RadiusState state;
  RandomStream random;

  FATHOM_HD void operator()(VertexId v) const {
    const std::size_t row = static_cast<std::size_t>(v) * rows.words;
    std::uint32_t score = 0;
    for (std::uint32_t i = 0; i < rows.words; ++i) {
      const std::uint64_t masks =
          sketch_mark(random, v, 2 * i) | std::uint64_t{sketch_mark(random, v, 2 * i + 1)} << 32;
      rows.now[row + i] = rows.next[row + i] = masks;
      score += sketch_score(masks);
    }
    state.score[v] = score;
    state.farthest[v] = 0;
    for (std::uint32_t j = 0; j < state.window; ++j)
      state.hop_at[static_cast<std::size_t>(v) * state.window + j] = 0;
  }
};

/// Whose rows grew in a round, once it is settled.
struct GrewAt {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* farthest;
  std::uint32_t hop;
  FATHOM_HD bool operator()(VertexId v) const { return farthest[v] == hop; }
};

/// Between two rounds there is one row.
struct RestoreSketches {
  static constexpr bool kDeviceCode = true;
  SketchRows rows;
  FATHOM_HD void operator()(VertexId v) const {
    const std::size_t row = static_cast<std::size_t>(v) * rows.words;
    for (std::uint32_t i = 0; i < rows.words; ++i) rows.next[row + i] = rows.now[row + i];
  }
};

/// After a round, for the vertices whose rows grew.
struct SettleSketches {
  static constexpr bool kDeviceCode = true;
  SketchRows rows;
  RadiusState state;
  std::uint32_t hop;

  FATHOM_HD void operator()(VertexId v) const {
    const std::size_t row = static_cast<std::size_t>(v) * rows.words;
    std::uint32_t score = 0;
    for (std::uint32_t i = 0; i < rows.words; ++i) {
      rows.now[row + i] = rows.next[row + i];
      score += sketch_score(rows.now[row + i]);
    }
    state.farthest[v] = hop;
    const std::uint32_t gain = score - state.score[v];
    if (gain == 0) return;
    state.score[v] = score;
    std::uint32_t* const hop_at = state.hop_at + static_cast<std::size_t>(v) * state.window;
    for (std::uint32_t j = state.window; j-- > 0;) hop_at[j] = j >= gain ? hop_at[j - gain] : hop;
  }
};

/// A sum of fixed-point numbers with 16 bits of fraction, exact for as many vertices as there can
/// be: low and high words are added up apart.
struct PairSum {
  std::uint64_t low = 0, high = 0;
  FATHOM_HD PairSum operator+(const PairSum& o) const { return {low + o.low, high + o.high}; }
};

/// How many vertices v reaches, by its score.
struct EstimateReached {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* score;
  const std::uint64_t* estimate;  // [scores], fixed-point
  FATHOM_HD PairSum operator()(VertexId v) const {
    const std::uint64_t reached = estimate[score[v]];
    return {reached & 0xffffffff, reached >> 32};
  }
};

}  // namespace fathom
