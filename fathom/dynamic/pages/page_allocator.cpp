#include "fathom/dynamic/pages/page_allocator.hpp"

#include <array>
#include <string>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/pages/host_pages.hpp"
#include "fathom/dynamic/pages/manager_pages.hpp"

namespace fathom {
namespace {

constexpr std::array<PageAllocator, 8> kAllocators{
    PageAllocator::Pool, PageAllocator::SP,  PageAllocator::SC,  PageAllocator::VAP,
    PageAllocator::VAC,  PageAllocator::VLP, PageAllocator::VLC, PageAllocator::Cuda};
constexpr std::array<std::string_view, 8> kAllocatorNames{"pool", "s-p",  "s-c",  "va-p",
                                                          "va-c", "vl-p", "vl-c", "cuda"};

}  // namespace

std::span<const PageAllocator> page_allocators() {
  return kAllocators;
}

std::string_view name_of(PageAllocator allocator) {
  return kAllocatorNames[static_cast<std::size_t>(allocator)];
}

PageAllocator page_allocator(std::string_view name) {
  for (const PageAllocator a : kAllocators)
    if (name_of(a) == name) return a;
  std::string names;
  for (const std::string_view n : kAllocatorNames)
    names += (names.empty() ? "" : ", ") + std::string(n);
  throw Error(ErrorCode::Usage,
              "pages come from one of " + names + ", not '" + std::string(name) + "'");
}

namespace dynamic {

std::unique_ptr<PageStore> make_host_pages(PageAllocator allocator, std::size_t limit,
                                           const std::shared_ptr<MemoryPool>& pool) {
  using namespace memory;
  switch (allocator) {
    case PageAllocator::Pool:
      return std::make_unique<HostPages>(limit, pool);
    case PageAllocator::SP:
      return std::make_unique<ManagerPages<Ouroboros<SP>>>(limit, pool);
    case PageAllocator::SC:
      return std::make_unique<ManagerPages<Ouroboros<SC>>>(limit, pool);
    case PageAllocator::VAP:
      return std::make_unique<ManagerPages<Ouroboros<VAP>>>(limit, pool);
    case PageAllocator::VAC:
      return std::make_unique<ManagerPages<Ouroboros<VAC>>>(limit, pool);
    case PageAllocator::VLP:
      return std::make_unique<ManagerPages<Ouroboros<VLP>>>(limit, pool);
    case PageAllocator::VLC:
      return std::make_unique<ManagerPages<Ouroboros<VLC>>>(limit, pool);
    case PageAllocator::Cuda:
      break;
  }
  throw Error(
      ErrorCode::Usage,
      "the allocator cuda is the one of GPUs: a graph in host memory takes its pages from pool, "
      "s-p, s-c, va-p, va-c, vl-p or vl-c");
}

}  // namespace dynamic
}  // namespace fathom
