#include "fathom/store/packed/packed_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/store/packed/pack.hpp"

namespace fathom::store {
namespace {

template <class Code>
bool decode(const std::byte* from, std::span<const Weight> values, std::span<Weight> into) {
  bool known = true;
  for (std::size_t i = 0; i < into.size(); ++i) {
    Code code;
    std::memcpy(&code, from + i * sizeof(Code), sizeof(Code));
    const bool is_value = code < values.size();
    known = known && is_value;
    into[i] = values[is_value ? code : 0];
  }
  return known;
}

std::span<const std::uint32_t> words_of(const PackedLists& lists, std::uint64_t group) {
  const std::uint64_t first = lists.index[group];
  return {lists.words + first,
          static_cast<std::size_t>(packed::end_of_group(first, lists.index[group + 1]) - first)};
}

void unpack_group_of(const PackedLists& lists, std::uint64_t group, std::span<VertexId> ids) {
  if (!packed::unpack_group(words_of(lists, group), lists.layout.id_bits, lists.vertices, ids))
    throw_bad_group(lists.name, group);
}

}  // namespace

bool unpack_weights(const PackedWeights& weights, std::size_t first, std::span<Weight> into) {
  if (into.empty()) return true;
  const std::byte* const from = weights.at + first * weights.entry_bytes();
  if (weights.code_bytes == 0) {
    std::memcpy(into.data(), from, into.size_bytes());
    return true;
  }
  if (weights.values.empty()) return false;
  return weights.code_bytes == 1 ? decode<std::uint8_t>(from, weights.values, into)
                                 : decode<std::uint16_t>(from, weights.values, into);
}

void pack_codes(std::span<const std::uint32_t> codes, std::uint32_t code_bytes, std::byte* into) {
  for (std::size_t i = 0; i < codes.size(); ++i)  // little-endian
    std::memcpy(into + i * code_bytes, &codes[i], code_bytes);
}

std::string fault_of_index(std::span<const std::uint64_t> index, EdgeId edges,
                           std::uint32_t id_bits, std::uint64_t words) {
  const std::uint64_t groups = packed::groups_of(edges);
  if (index.size() != groups + 1)
    return fmt::format("{} groups, expected {}", index.size(), groups + 1);
  if (index[0] != 0) return "element 0 is not 0";
  const std::uint64_t most = packed::most_words(id_bits);
  for (std::uint64_t g = 0; g < groups; ++g) {
    if (index[g + 1] <= index[g]) return fmt::format("element {} does not ascend", g + 1);
    const std::uint64_t end = packed::end_of_group(index[g], index[g + 1]);
    const std::uint64_t its = end - index[g];
    const bool at_border = end % packed::kBorderWords == 0;
    if (index[g + 1] != end || its > (at_border ? 2 * most : most))
      return fmt::format("element {} is too far behind its predecessor", g + 1);
  }
  if (index[groups] > words || words - index[groups] != packed::kPadWords)
    return fmt::format("element {} is not {} words before the end of the words", groups,
                       packed::kPadWords);
  return {};
}

void unpack_edges(const PackedLists& lists, EdgeId first, std::span<VertexId> target,
                  std::span<Weight> weight) {
  std::array<VertexId, packed::kGroup> part;
  for (std::size_t done = 0; done < target.size();) {
    const EdgeId at = first + done;
    const std::uint64_t group = at / packed::kGroup;
    const auto from = static_cast<std::size_t>(at % packed::kGroup);
    const std::uint32_t entries = lists.entries_of(group);
    const std::size_t n = std::min<std::size_t>(entries - from, target.size() - done);
    if (n == entries) {
      unpack_group_of(lists, group, target.subspan(done, n));
    } else {
      unpack_group_of(lists, group, std::span(part).first(entries));
      std::copy_n(part.data() + from, n, target.data() + done);
    }
    done += n;
  }
  if (weight.empty()) return;
  if (!unpack_weights(lists.weights, static_cast<std::size_t>(first), weight))
    throw_bad_code(lists.name, first, first + weight.size());
}

void unpack_all(const PackedLists& lists, int threads, std::span<VertexId> target,
                std::span<Weight> weight) {
  constexpr std::size_t kGrain = 16 * packed::kGroup;
  parallel_for(worker_count(threads), target.size(), kGrain,
               [&](std::size_t first, std::size_t last, int) {
                 unpack_edges(lists, first, target.subspan(first, last - first),
                              weight.empty() ? weight : weight.subspan(first, last - first));
               });
}

Csr unpack(const PackedLists& lists, int threads, const std::shared_ptr<MemoryPool>& pool) {
  Csr csr;
  csr.offset = Array<EdgeId>::copy_of({lists.offset, lists.vertices + std::size_t{1}}, pool);
  csr.target = Array<VertexId>(static_cast<std::size_t>(lists.edges), pool);
  if (lists.weights) csr.weight = Array<Weight>(static_cast<std::size_t>(lists.edges), pool);
  unpack_all(lists, threads, csr.target.span(), csr.weight.span());
  return csr;
}

void throw_bad_group(const std::string& name, std::uint64_t group) {
  throw Error(ErrorCode::BadInput, printable(fmt::format("{}: group {} (edges {} to {}) cannot be "
                                                         "unpacked",
                                                         name, group, group * packed::kGroup,
                                                         (group + 1) * packed::kGroup - 1)));
}

void throw_bad_code(const std::string& name, EdgeId first, EdgeId last) {
  throw Error(ErrorCode::BadInput,
              printable(fmt::format("{}: the weight of one of edges {} to {} has no value", name,
                                    first, last - 1)));
}

}  // namespace fathom::store
