#include "fathom/store/packed/verify_packed.hpp"

#include "fathom/store/packed/pack.hpp"
#include "fathom/store/verify_positions.hpp"

namespace fathom::store {

ListsContent verify_packed(const std::string& path, const std::string& name,
                           const PackedLists& lists, int threads, const Task& task) {
  const auto fail = [&](const std::string& what) {
    throw_bad_store(path, fmt::format("{}: {}", name, what));
  };
  const auto read = [&](EdgeId first, std::span<VertexId> target, std::span<Weight> weight) {
    unpack_edges(lists, first, target, weight);
    const std::uint64_t group = first / packed::kGroup;
    const std::uint64_t begin = lists.index[group], next = lists.index[group + 1];
    const std::span words(lists.words + begin, static_cast<std::size_t>(next - begin));
    if (!packed::is_padded_with_zeros(words, lists.layout.id_bits, lists.entries_of(group)))
      fail(fmt::format("group {}: there is something behind its last block", group));
  };
  const ListsContent content = verify_positions(
      {path, name, lists.vertices, lists.edges, lists.offset, static_cast<bool>(lists.weights)},
      packed::kGroup, threads, task, read);
  const std::uint32_t* const end = lists.words + lists.index.back();
  if (std::any_of(end, end + packed::kPadWords, [](std::uint32_t word) { return word != 0; }))
    fail("there is something behind the last group");
  return content;
}

}  // namespace fathom::store
