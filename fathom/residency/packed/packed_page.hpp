// A page of packed lists on its way.
#pragma once

#include <span>
#include <string>

#include "fathom/residency/encoded/encoded_page.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom {

/// Groups that follow each other, and whose words do so in memory.
struct PackedRun {
  const std::uint32_t* words = nullptr;  // of the first group
  std::uint64_t first_word = 0;          // its place, as the index tells it
  std::uint32_t groups = 0;
};

struct FATHOM_API PackedPage : EncodedPage {
  std::uint32_t id_bits = 0;
  VertexId vertices = 0;
  std::size_t entries = 0;               // of the page
  std::uint64_t first_group = 0;         // of the section, for messages
  const std::uint64_t* index = nullptr;  // [groups + 1] of the page, in words of the section
  std::span<const std::uint64_t> whole_index{};  // of all pages
  std::span<const PackedRun> runs;
  store::PackedWeights weights;       // of the page's entries; not wanted: none
  const std::string* name = nullptr;  // the file and section, for messages

  /// Without runs and weights. `first`: its first group.
  static PackedPage at(std::uint32_t id_bits, VertexId vertices,
                       std::span<const std::uint64_t> index, std::uint64_t first,
                       std::size_t entries, const std::string& name) {
    PackedPage page;
    page.id_bits = id_bits;
    page.vertices = vertices;
    page.entries = entries;
    page.first_group = first;
    page.index = index.data() + first;
    page.whole_index = index;
    page.name = &name;
    return page;
  }

  std::uint64_t groups() const { return store::packed::groups_of(entries); }
  std::uint32_t entries_of(std::uint64_t group) const {
    const std::size_t left = entries - static_cast<std::size_t>(group) * store::packed::kGroup;
    return left < store::packed::kGroup ? static_cast<std::uint32_t>(left) : store::packed::kGroup;
  }
  void decode_targets(int threads, VertexId* into) const override;
  void decode_weights(int threads, Weight* into) const override;
  /// Words and index.
  std::size_t bytes() const override {
    return static_cast<std::size_t>(index[groups()] - index[0]) * sizeof(std::uint32_t) +
           static_cast<std::size_t>(groups()) * sizeof(std::uint64_t);
  }
  std::size_t weight_bytes() const override {
    return weights ? entries * weights.entry_bytes() : 0;
  }
};

/// Where the groups of a page lie when all words of a section are at `words`.
inline PackedRun whole_run(const std::uint32_t* words, const PackedPage& page) {
  return {words + page.index[0], page.index[0], static_cast<std::uint32_t>(page.groups())};
}

}  // namespace fathom
