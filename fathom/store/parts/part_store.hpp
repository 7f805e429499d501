// A .fg file opened for reading, which may be a part of a graph.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fathom/store/parts/part_layout.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

/// Of a part, counts, degrees, labels and the fingerprint are those of the whole graph; out() and
/// in() throw Error(Usage), and verify() checks what is there.
class FATHOM_API PartStore : public Store {
 public:
  /// What Store::open() opens, and parts, which it refuses. @throws as that does
  static std::shared_ptr<PartStore> open(const std::string& path);

  /// Null: it is a whole graph.
  virtual const PartLayout* part() const = 0;
  /// The lists of a part; part_in() equals part_out() when symmetric, and is absent without
  /// in-edges. The first call of each checks them.
  /// @throws Error(BadInput); Error(Internal) for a whole graph.
  virtual PartLists part_out(int threads = 0) = 0;
  virtual std::optional<PartLists> part_in(int threads = 0) = 0;
};

}  // namespace fathom::store
