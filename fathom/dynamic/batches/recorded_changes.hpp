// What AppliedBatch refers to; nothing for users.
#pragma once

#include <mutex>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/dynamic/batches/applied_batch.hpp"
#include "fathom/exec/context.hpp"

namespace fathom::dynamic {

/// So many of `values` are told, where the graph is, and on the host once they are asked for.
template <class T>
class ToldChanges {
 public:
  Array<T> values;
  VertexId count = 0;

  /// `on_gpu`: the context in whose GPU's memory they are; null: they are on the host.
  std::span<const T> on_host(const Context* on_gpu) const {
    if (!on_gpu) return {values.data(), count};
    std::call_once(copied_, [&] {
      Array<T> copy(count, on_gpu->host_memory());
      on_gpu->copy(copy.data(), values.data(), count * sizeof(T));
      copy_ = std::move(copy);
    });
    return copy_.span();
  }

 private:
  mutable std::once_flag copied_;
  mutable Array<T> copy_;
};

struct RecordedChanges {
  ToldChanges<ChangedEdge> edge;
  ToldChanges<ChangedList> list;
  std::vector<ChangedWeight> weight;
  const Context* on_gpu = nullptr;
};

}  // namespace fathom::dynamic
