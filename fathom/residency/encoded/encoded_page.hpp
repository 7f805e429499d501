// A page of lists that are not stored as kernels read them, packed or narrow ones, on its way: what
// a supply hands out instead of targets, and who copies the page decodes.
#pragma once

#include <cstddef>

#include "fathom/core/platform.hpp"

namespace fathom {

class FATHOM_API EncodedPage {
 public:
  virtual ~EncodedPage() = default;

  /// Writes the page's targets, its weights, with so many threads: all of its entries. What memory
  /// the page refers to is only read. @throws Error(BadInput) naming what cannot be.
  virtual void decode_targets(int threads, VertexId* into) const = 0;
  virtual void decode_weights(int threads, Weight* into) const = 0;

  /// What is read to decode targets; and what more for weights.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t weight_bytes() const = 0;
};

}  // namespace fathom
