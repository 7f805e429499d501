#include "fathom/store/narrow/verify_narrow.hpp"

#include "fathom/store/verify_positions.hpp"

namespace fathom::store {

ListsContent verify_narrow(const std::string& path, const std::string& name,
                           const NarrowLists& lists, int threads, const Task& task) {
  constexpr std::size_t kPart = std::size_t{1} << 14;  // edges that a worker takes at once
  const auto read = [&](EdgeId first, std::span<VertexId> target, std::span<Weight> weight) {
    std::vector<std::uint32_t> code(weight.size());
    read_entries(lists.layout, lists.words, first, target, code);
    for (std::size_t i = 0; i < code.size(); ++i) weight[i] = lists.values[code[i]];
  };
  return verify_positions({path, name, lists.vertices, lists.edges, lists.offset, lists.weighted()},
                          kPart, threads, task, read);
}

}  // namespace fathom::store
