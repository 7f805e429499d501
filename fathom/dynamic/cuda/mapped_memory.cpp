#include "fathom/dynamic/cuda/mapped_memory.hpp"

#include <algorithm>

#include "fathom/core/units.hpp"

namespace fathom::dynamic::gpu {
namespace {

memory::AddressRange reserve_on(const cuda::Gpu& gpu, std::size_t limit) {
  gpu.activate();
  return memory::AddressRange(std::max<std::size_t>(limit, 1));
}

}  // namespace

MappedMemory::MappedMemory(const cuda::Gpu& gpu, std::size_t limit)
    : gpu_(gpu), pool_(gpu.memory()), limit_(limit), range_(reserve_on(gpu, limit)) {}

MappedMemory::~MappedMemory() {
  pool_->unreserve(mapped_);
}

void MappedMemory::grow_to(std::size_t bytes) {
  if (bytes <= usable()) return;
  if (bytes > limit_)
    throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " + format_bytes(limit_) +
                                           " here, and " + format_bytes(bytes) + " are needed");
  const std::size_t step = range_.granularity();
  const auto whole = [&](std::size_t n) {
    return std::min<std::size_t>((n + step - 1) / step * step, range_.bytes());
  };
  const std::size_t least = whole(bytes), ahead = whole(bytes + bytes / 8);
  if (ahead > least && ahead - mapped_ <= pool_->available()) {
    try {
      return map(ahead);
    } catch (const Error&) {
      // The card has less than the budget: what is needed may still be there.
    }
  }
  map(least);
}

void MappedMemory::map(std::size_t end) {
  const std::size_t more = end - mapped_;
  pool_->reserve(more);
  try {
    gpu_.activate();  // the driver's functions need it
    range_.map(mapped_, end);
    cuda::check(cudaMemsetAsync(data() + mapped_, 0, more, gpu_.stream()), "clearing memory");
  } catch (...) {
    pool_->unreserve(more);
    throw;
  }
  mapped_ = end;
}

}  // namespace fathom::dynamic::gpu
