// What the sections of narrow lists must be for a reader to trust them, however it reads them.
#pragma once

#include "fathom/store/narrow/narrow.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

/// The layout that section 'narrow' (of which `format` is the content) and the section table tell.
/// @throws Error(BadInput) for widths that do not exist, and sections of another size than theirs.
NarrowLayout decode_narrow(const StoreFile& file, std::span<const std::uint32_t> format);

/// @throws Error(BadInput) unless `values` are finite and ascend.
void check_weight_values(const StoreFile& file, std::span<const Weight> values);

/// @throws Error(BadInput) unless what entries leave of their last word, and the word behind it,
/// is zero. `last`: the words from the one that the last entry ends in on, at most two.
void check_entries_end(const StoreFile& file, SectionId entries, const NarrowLayout& layout,
                       EdgeId edges, std::span<const std::uint64_t> last);

/// How many words check_entries_end() takes.
std::size_t end_words(const NarrowLayout& layout, EdgeId edges);

}  // namespace fathom::store
