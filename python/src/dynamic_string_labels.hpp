// Labels that are strings, of a graph that changes.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamic_labels.hpp"

namespace fathom::python {

class StringLabels final : public DynamicLabels {
 public:
  explicit StringLabels(int threads);
  void start(store::Store& store);

  std::vector<VertexId> find(const Column& column) const override;
  void prepare(std::span<const VertexId> gone) override;
  void commit(std::span<const VertexId> gone) override;
  void take_back() override;

 private:
  void make(std::span<const Column* const> columns, std::span<std::vector<VertexId>> vertices,
            const DynamicGraph& graph) override;
  /// Copies the strings that are in use, once those that are not take more.
  void clear_arena();
  void forget_batch();

  std::unordered_map<std::string_view, VertexId> vertex_;  // its strings are in the arena
  std::vector<std::string_view> label_;                    // of fresh_, in the arena
  std::size_t dead_ = 0;                                   // bytes of strings that are gone
};

}  // namespace fathom::python
