#include "fathom/ops/page_model.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

std::uint32_t pages_of(std::uint64_t bytes, std::uint64_t page_bytes) {
  if (page_bytes == 0) throw Error(ErrorCode::Usage, "a page has at least one byte");
  const std::uint64_t pages = (bytes + page_bytes - 1) / page_bytes;
  if (pages >= ~std::uint32_t{0})
    throw Error(ErrorCode::DoesNotFit,
                "the page model holds 2^32 - 2 pages, found " + std::to_string(pages));
  return static_cast<std::uint32_t>(pages);
}

}  // namespace

PageModel::PageModel(std::uint64_t array_bytes, std::uint64_t cache_bytes, std::uint64_t page_bytes)
    : array_bytes_(array_bytes),
      page_bytes_(page_bytes),
      pages_(pages_of(array_bytes, page_bytes)),
      capacity_(std::max<std::uint64_t>(1, cache_bytes / page_bytes)),
      links_(std::size_t{pages_} + 1, {kAbsent, kAbsent}),
      moves_(pages_, 0) {
  links_[pages_] = {pages_, pages_};
}

void PageModel::touch(std::uint64_t first, std::uint64_t last) {
  if (first > last || last > array_bytes_)
    throw Error(ErrorCode::Usage, "read of bytes " + std::to_string(first) + " to " +
                                      std::to_string(last) + " of an array of " +
                                      std::to_string(array_bytes_));
  if (first == last) return;
  for (std::uint64_t p = first / page_bytes_; p <= (last - 1) / page_bytes_; ++p) {
    const auto page = static_cast<std::uint32_t>(p);
    if (links_[page].newer != kAbsent) {
      unlink(page);
    } else {
      ++faults_;
      ++moves_[page];
      if (resident_ == capacity_)
        unlink(links_[pages_].newer);  // beyond the newest lies, around the ring, the oldest
      else
        ++resident_;
    }
    link_newest(page);
  }
}

void PageModel::unlink(std::uint32_t page) {
  const Links at = links_[page];
  links_[at.newer].older = at.older;
  links_[at.older].newer = at.newer;
  links_[page] = {kAbsent, kAbsent};
}

void PageModel::link_newest(std::uint32_t page) {
  const std::uint32_t newest = links_[pages_].older;
  links_[page] = {pages_, newest};
  links_[newest].newer = page;
  links_[pages_].older = page;
}

}  // namespace fathom
