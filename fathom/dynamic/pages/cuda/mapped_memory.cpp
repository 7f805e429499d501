#include "fathom/dynamic/pages/cuda/mapped_memory.hpp"

#include <algorithm>

#include "fathom/core/units.hpp"

namespace fathom::dynamic::gpu {
namespace {

memory::AddressRange reserve_on(const cuda::Gpu& gpu, std::size_t limit) {
  gpu.activate();
  return memory::AddressRange(std::max<std::size_t>(limit, 1));
}

}  // namespace

MappedMemory::MappedMemory(const cuda::Gpu& gpu, std::size_t limit, std::size_t addresses)
    : gpu_(gpu),
      pool_(gpu.memory()),
      limit_(limit),
      range_(reserve_on(gpu, addresses == 0 ? limit : addresses)) {}

MappedMemory::~MappedMemory() {
  pool_->unreserve(mapped());
}

void MappedMemory::grow_to(std::size_t bytes) {
  if (bytes <= usable()) return;
  if (bytes > limit_)
    throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " + format_bytes(limit_) +
                                           " here, and " + format_bytes(bytes) + " are needed");
  const std::size_t step = range_.granularity();
  const auto whole = [&](std::size_t n) { return (n + step - 1) / step * step; };
  const std::size_t least = whole(bytes), ahead = whole(std::min(bytes + bytes / 8, limit_));
  if (ahead > least && ahead - mapped_ <= pool_->available()) {
    try {
      map(mapped_, ahead);
      mapped_ = ahead;
      return;
    } catch (const Error&) {
      // The card has less than the budget: what is needed may still be there.
    }
  }
  map(mapped_, least);
  mapped_ = least;
}

void MappedMemory::map(std::size_t begin, std::size_t end) {
  const std::size_t more = end - begin;
  pool_->reserve(more);
  try {
    gpu_.activate();  // the driver's functions need it
    range_.map(begin, end);
    cuda::check(cudaMemsetAsync(data() + begin, 0, more, gpu_.stream()), "clearing memory");
  } catch (...) {
    pool_->unreserve(more);
    throw;
  }
}

}  // namespace fathom::dynamic::gpu
