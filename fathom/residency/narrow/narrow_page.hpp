// A page of narrow lists on its way.
#pragma once

#include <span>
#include <string>

#include "fathom/residency/encoded/encoded_page.hpp"
#include "fathom/store/narrow/narrow.hpp"

namespace fathom {

/// Words that follow each other in memory as in their section.
struct NarrowRun {
  const std::uint64_t* words = nullptr;
  std::uint64_t first_word = 0;  // its place in the section
  std::uint64_t count = 0;
};

/// Entries do not begin or end with words, nor with runs: what they have in the last word of a run
/// is read together with the first word of the next one.
struct FATHOM_API NarrowPage : EncodedPage {
  store::NarrowLayout layout;
  VertexId vertices = 0;
  EdgeId first = 0;                   // entry, of the section
  std::size_t entries = 0;            // of the page
  std::span<const NarrowRun> runs;    // without gaps, all that the entries are in
  std::span<const Weight> values;     // what codes stand for
  const std::string* name = nullptr;  // the file and section, for messages

  void decode_targets(int threads, VertexId* into) const override;
  void decode_weights(int threads, Weight* into) const override;
  /// Codes come along with ids.
  std::size_t bytes() const override;
  std::size_t weight_bytes() const override { return 0; }

 private:
  void read(EdgeId entry, std::span<VertexId> target, std::span<std::uint32_t> code) const;
};

}  // namespace fathom
