// Packed lists of a few random edges whose ids have any number of bits, and the view of them that a
// GPU has, all in host memory. Arrays end where their content does, so that sanitizers see what is
// read behind it.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "fathom/residency/packed/packed_places.hpp"
#include "fathom/store/packed/pack.hpp"

namespace fathom::testing {

struct PackedCase {
  std::vector<EdgeId> offset;
  std::vector<VertexId> target;
  std::vector<Weight> weight;  // empty: unweighted
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> index;
  std::vector<std::byte> codes;
  std::vector<Weight> values;
  store::PackedLists lists;
  // What a device has.
  std::vector<std::uint32_t> block;
  std::vector<std::uint64_t> place;
  std::vector<std::uint32_t> near;

  PackedCase() = default;
  PackedCase(const PackedCase&) = delete;
  PackedCase& operator=(const PackedCase&) = delete;

  std::size_t count() const { return offset.size() - 1; }

  /// Lists of up to 3 or, now and then, `longest` edges until there are so many, whose ids have
  /// `id_bits`; and what finds their blocks.
  void make(std::uint64_t seed, std::uint32_t id_bits, std::size_t edges, std::size_t longest) {
    std::mt19937_64 random(seed);
    lists.layout.id_bits = id_bits;
    lists.vertices = static_cast<VertexId>(
        std::min<std::uint64_t>(std::uint64_t{1} << std::min(id_bits, 62u), kNoVertex));
    offset.push_back(0);
    while (target.size() < edges) {
      const std::size_t length = std::min<std::size_t>(
          random() % (random() % 4 == 0 ? longest + 1 : 4), edges - target.size());
      add_list(random, length);
    }
    pack();
  }
  /// These lists.
  void hold(std::vector<EdgeId> offsets, std::vector<VertexId> targets) {
    lists.vertices = static_cast<VertexId>(offsets.size() - 1);
    lists.layout.id_bits = store::packed::id_bits_of(lists.vertices);
    offset = std::move(offsets);
    target = std::move(targets);
    pack();
    locate();
  }
  /// Weights as they are, or codes of so many bytes for `distinct` ones.
  void weigh(std::uint64_t seed, std::uint32_t code_bytes, std::size_t distinct) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < distinct; ++i) values.push_back(static_cast<Weight>(i) + .5f);
    std::vector<std::uint32_t> code;
    for (std::size_t e = 0; e < target.size(); ++e) {
      code.push_back(static_cast<std::uint32_t>(random() % distinct));
      weight.push_back(values[code.back()]);
    }
    codes.resize(target.size() * (code_bytes > 0 ? code_bytes : sizeof(Weight)));
    if (code_bytes == 0)
      std::memcpy(codes.data(), weight.data(), codes.size());
    else
      store::pack_codes(code, code_bytes, codes.data());
    lists.layout.code_bytes = code_bytes;
    lists.weights = {codes.data(), code_bytes,
                     code_bytes > 0 ? std::span<const Weight>(values) : std::span<const Weight>()};
  }
  void locate() {
    const std::uint64_t groups = lists.groups();
    block.resize(blocks_before(groups, lists.edges));
    locate_blocks(lists, 0, groups, 1, block);
    place.assign(index.begin(), index.end() - 1);
    words.resize(words.size() - store::packed::kPadWords);  // which views need not
    words.shrink_to_fit();
    lists.words = words.data();
  }
  /// Groups of which pick(g) is true are copied nearer; their words and weights are spoiled where
  /// they were.
  template <class Pick>
  void bring_near(const Pick& pick, bool weights) {
    const std::uint64_t ahead = words_of_weights(lists.weights, weights);
    for (std::uint64_t g = 0; g < lists.groups(); ++g) {
      if (!pick(g)) continue;
      const std::size_t at = near.size(), count = index[g + 1] - index[g];
      near.resize(at + ahead + count, 0xabababab);
      if (ahead > 0) {
        const std::size_t each = lists.weights.entry_bytes();
        const std::size_t bytes = lists.entries_of(g) * each;
        std::byte* const from = codes.data() + g * store::packed::kGroup * each;
        std::memcpy(near.data() + at, from, bytes);
        std::memset(from, 0xff, bytes);
      }
      std::uint32_t* const from = words.data() + index[g];
      std::copy_n(from, count, near.data() + at + ahead);
      std::fill_n(from, count, ~0u);
      place[g] = PackedEdges::kNear | (at + ahead);
    }
    near.shrink_to_fit();
  }
  PackedEdges view(bool weights = true, EdgeId limit = kWholeList,
                   bool near_weights = false) const {
    PackedEdges edges;
    edges.offset = offset.data();
    edges.words = words.data();
    edges.near = near.data();
    edges.place = place.data();
    edges.block = block.data();
    if (weights && lists.weights) {
      edges.weight = lists.weights.at;
      edges.values = lists.weights.values.data();
    }
    edges.edges = lists.edges;
    edges.id_bits = lists.layout.id_bits;
    edges.code_bytes = static_cast<std::uint8_t>(lists.layout.code_bytes);
    edges.near_weights = near_weights;
    edges.limit = limit;
    return edges;
  }

 private:
  /// Ascending ids: scattered, close together, or with a leap or two; of every 500 edges the last
  /// 200 near each other, whichever list they belong to.
  void add_list(std::mt19937_64& random, std::size_t length) {
    const bool local = target.size() % 500 >= 300;
    const std::uint64_t vertices = lists.vertices, kind = local ? 2 : random() % 3;
    std::vector<VertexId> ids;
    const std::uint64_t base = local ? vertices / 2 : random() % vertices;
    const std::uint64_t spread = 1 + random() % (local ? 9 : 60);
    for (std::size_t i = 0; i < length; ++i)
      ids.push_back(static_cast<VertexId>(
          kind == 0 || (kind == 1 && random() % 20 == 0)
              ? random() % vertices
              : std::min(vertices - 1, base + random() % (spread * (1 + length)))));
    std::sort(ids.begin(), ids.end());
    target.insert(target.end(), ids.begin(), ids.end());
    offset.push_back(target.size());
  }
  void pack() {
    store::packed::GroupPlaces places;
    for (std::size_t first = 0; first < target.size(); first += store::packed::kGroup) {
      std::vector<std::uint32_t> group;
      const std::size_t size = std::min<std::size_t>(store::packed::kGroup, target.size() - first);
      store::packed::pack_group(std::span(target).subspan(first, size), lists.layout.id_bits,
                                group);
      index.push_back(places.add(group.size()));
      words.resize(index.back(), 0);
      words.insert(words.end(), group.begin(), group.end());
    }
    index.push_back(places.end());
    words.resize(words.size() + store::packed::kPadWords, 0);
    lists.edges = target.size();
    lists.offset = offset.data();
    lists.index = index;
    lists.words = words.data();
    lists.name = "case";
  }
};

}  // namespace fathom::testing
