// Which component is likely to be the largest one.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "fathom/core/random.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom {

/// The most frequent label of a sample of those at [first, last), which are some.
template <class Merge>
VertexId probable_giant(const VertexArray<VertexId, Merge>& label, std::size_t first,
                        std::size_t last) {
  constexpr std::size_t kSamples = 1024;
  const RandomStream random(1, 0);
  std::vector<std::size_t> sample(kSamples);
  for (std::size_t i = 0; i < sample.size(); ++i)
    sample[i] = first + static_cast<std::size_t>(bounded(random.at(i), last - first));
  std::unordered_map<VertexId, int> count;
  VertexId giant = 0;
  for (const VertexId its : label.get(sample))
    if (++count[its] > count[giant]) giant = its;
  return giant;
}
/// Of all of them.
template <class Merge>
VertexId probable_giant(const VertexArray<VertexId, Merge>& label) {
  return probable_giant(label, 0, label.size());
}

}  // namespace fathom
