// How lists in CSR become narrow ones, a piece at a time.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/store/narrow/narrow.hpp"
#include "fathom/store/narrow/weight_codes.hpp"

namespace fathom::store {

/// The narrowest layout of such lists, whatever their weights are; `id_bits` 0: as few as they
/// take.
/// @throws Error(Usage) for a width that there is not, or that does not number the vertices.
FATHOM_API NarrowLayout bound_of_layout(VertexId vertices, bool weighted, int id_bits);

/// The layout of narrow lists that are made of others, and the codes of their weights.
class Narrowing {
 public:
  /// Of ids of so many bits; 0: as few as they take. Reads all weights, in parallel; 2 MiB for each
  /// thread meanwhile. @throws Error(Usage) as bound_of_layout(), and for more distinct weights
  /// than kMostNarrowWeights.
  FATHOM_API Narrowing(const CsrView& csr, int id_bits, int threads);

  const NarrowLayout& layout() const { return layout_; }
  /// What codes stand for; ascending.
  std::span<const Weight> values() const { return codes_.values(); }

  /// Words [first, first + words.size()) of those that the lists take, as narrow files have them.
  /// From several threads at once.
  FATHOM_API void write(const CsrView& csr, std::uint64_t first,
                        std::span<std::uint64_t> words) const;

 private:
  NarrowLayout layout_;
  WeightCodes codes_;
};

}  // namespace fathom::store
