// What the sections of slotted pages must be for a reader to trust them, however it reads them.
#pragma once

#include "fathom/store/slotted/slotted.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

/// The layout that section 'slotted' (of which `format` is the content) and the section table tell.
/// @throws Error(BadInput) for widths that do not exist, and more pages than they can number.
SlottedLayout decode_slotted(const StoreFile& file, std::span<const std::uint32_t> format);

/// @throws Error(BadInput) unless `lists`, of which the pages are not needed, has an RVT that makes
///         sense by itself.
void check_rvt(const StoreFile& file, SectionId rvt, const SlottedLists& lists);

/// @throws Error(BadInput), naming page and bytes, unless the content of page `p` is what a sound
///         RVT says. Does not look at checksums.
void check_page(const StoreFile& file, SectionId pages, const SlottedLists& lists, std::size_t p,
                const std::byte* content);

/// @throws Error(BadInput), naming page and bytes.
[[noreturn]] void throw_bad_page(const StoreFile& file, SectionId pages, std::size_t p,
                                 const std::string& what);

}  // namespace fathom::store
