// What edges and vertices may carry beside a weight: the fields of the semantic graphs of aimGraph
// and faimGraph (sections 3.2 and 4.2 of Winter's thesis), with timestamps of 64 bits.
#pragma once

#include <compare>
#include <cstdint>

#include "fathom/core/platform.hpp"

namespace fathom {

/// Numbers that are kept as they are given: what they mean is the caller's.
struct EdgeFields {
  std::uint32_t type = 0;
  std::uint64_t t1 = 0, t2 = 0;  // timestamps

  // The checker reads the 0 in what is generated as a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const EdgeFields&, const EdgeFields&) = default;
};

struct VertexFields {
  Weight weight = 1;
  std::uint32_t type = 0;

  friend bool operator==(const VertexFields&, const VertexFields&) = default;
};

/// The words of 4 bytes that an edge's fields take where they are stored: type, then t1 and t2,
/// the lower half first.
inline constexpr std::uint32_t kFieldWords = 5;

FATHOM_HD constexpr std::uint32_t field_word(const EdgeFields& f, std::uint32_t i) {
  if (i == 0) return f.type;
  const std::uint64_t t = i < 3 ? f.t1 : f.t2;
  return static_cast<std::uint32_t>(i % 2 != 0 ? t : t >> 32);
}

/// The inverse: word(i) for each of them.
template <class Word>
FATHOM_HD constexpr EdgeFields fields_of_words(const Word& word) {
  const auto wide = [&](std::uint32_t i) {
    return static_cast<std::uint64_t>(word(i + 1)) << 32 | word(i);
  };
  return {word(0), wide(1), wide(3)};
}

}  // namespace fathom
