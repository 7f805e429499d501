#include "fathom/dynamic/pages/cuda/mapped_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "fathom/core/units.hpp"

namespace fathom::dynamic::gpu {
namespace {

memory::AddressRange reserve_on(const cuda::Gpu& gpu, std::size_t limit) {
  gpu.activate();
  return memory::AddressRange(std::max<std::size_t>(limit, 1));
}

/// By all memories of the process.
std::atomic<std::size_t> all_pinned{0};

/// Pinned memory cannot be paged out: a part is left to everybody else, whatever the budget.
std::size_t most_pinned() {
  const auto pages = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  return pages / 4 * 3 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

MappedMemory::MappedMemory(const cuda::Gpu& gpu, std::size_t limit, std::size_t addresses,
                           HostShare host, int byte)
    : gpu_(gpu),
      pool_(gpu.memory()),
      host_(std::move(host)),
      limit_(limit),
      byte_(byte),
      range_(reserve_on(gpu, addresses == 0 ? limit : addresses)),
      far_begin_(range_.bytes()) {
  if (!range_.reaches_host()) host_ = {};
}

MappedMemory::~MappedMemory() {
  pool_->unreserve(device_bytes());
  if (host_.pool) host_.pool->unreserve(host_bytes_);
  all_pinned -= host_bytes_;
}

std::size_t MappedMemory::device_room() const {
  const std::size_t available = pool_->available();
  return available < host_.kept ? 0 : (available - host_.kept) / step() * step();
}

std::size_t MappedMemory::host_room_for(std::size_t bytes) const {
  const std::size_t room = device_room();
  return host_.pool && bytes > room ? bytes - room : 0;
}

void MappedMemory::refuse(std::size_t bytes) const {
  throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " + format_bytes(limit_) +
                                         " here, and " + format_bytes(bytes) + " are needed");
}

void MappedMemory::grow_to(std::size_t bytes) {
  if (bytes <= usable()) return;
  if (bytes > std::min(limit_, far_begin_)) refuse(bytes + (range_.bytes() - far_begin_));
  const std::size_t least = whole(bytes);
  const std::size_t ahead = std::min(whole(std::min(bytes + bytes / 8, limit_)), far_begin_);
  if (ahead > least && ahead - mapped_ <= device_room()) {
    try {
      map(mapped_, ahead, 0);
      mapped_ = ahead;
      return;
    } catch (const Error&) {
      // The card has less than the budget: what is needed may still be there.
    }
  }
  map_anywhere(mapped_, least);
  mapped_ = least;
}

void MappedMemory::map_anywhere(std::size_t begin, std::size_t end) {
  const std::size_t bytes = end - begin, of_host = host_room_for(bytes);
  try {
    map(begin, end, of_host);
  } catch (const Error& e) {
    // The card may have less than the budget.
    if (e.code() != ErrorCode::DoesNotFit || !host_.pool || of_host == bytes) throw;
    map(begin, end, bytes);
  }
}

void MappedMemory::grow_from_end(std::size_t more) {
  // Of the last step only what lies below the limit can be used.
  const std::size_t beyond = far_begin_ > limit_ ? far_begin_ - limit_ : 0;
  const std::size_t least = whole(more + beyond), room = far_begin_ - mapped_;
  if (least > room) refuse(mapped_ + (range_.bytes() - far_begin_) + more);
  const std::size_t ahead = std::min(least + whole(host_bytes_ / 8), room / step() * step());
  std::size_t bytes = least;
  if (ahead > least && ahead <= host_.pool->available() && all_pinned + ahead <= most_pinned())
    bytes = ahead;
  map(far_begin_ - bytes, far_begin_, bytes);
  far_begin_ -= bytes;
  behind_ += bytes;
}

void MappedMemory::map(std::size_t begin, std::size_t end, std::size_t of_host) {
  const std::size_t of_device = end - begin - of_host, border = end - of_host;
  if (all_pinned + of_host > most_pinned())
    throw Error(ErrorCode::DoesNotFit,
                "graphs that change have " + format_bytes(all_pinned) +
                    " of pinned host memory, and " + format_bytes(of_host) +
                    " more, which are needed, come to more than three quarters of all there is");
  if (of_host != 0) host_.pool->reserve(of_host);
  int mapped = 0;
  bool counted = false;
  try {
    pool_->reserve(of_device);
    counted = true;
    gpu_.activate();  // the driver's functions need it
    range_.map(begin, border);
    mapped += of_device != 0 ? 1 : 0;
    range_.map(border, end, memory::AddressRange::Place::Host);
    mapped += of_host != 0 ? 1 : 0;
    cuda::check(cudaMemsetAsync(data() + begin, byte_, end - begin, gpu_.stream()),
                "clearing memory");
  } catch (...) {
    for (; mapped != 0; --mapped) range_.unmap_last();
    if (counted) pool_->unreserve(of_device);
    if (of_host != 0) host_.pool->unreserve(of_host);
    throw;
  }
  host_bytes_ += of_host;
  all_pinned += of_host;
}

}  // namespace fathom::dynamic::gpu
