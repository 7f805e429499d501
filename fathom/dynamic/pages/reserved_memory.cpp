#include "fathom/dynamic/pages/reserved_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "fathom/core/units.hpp"

namespace fathom::dynamic {

ReservedMemory::ReservedMemory(std::size_t limit, std::shared_ptr<MemoryPool> pool)
    : pool_(std::move(pool)), limit_(pool_ ? std::min(limit, pool_->limit()) : limit) {
  if (limit_ == 0) return;
  void* const mapped = ::mmap(nullptr, limit_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw Error(ErrorCode::DoesNotFit,
                "the system has no " + format_bytes(limit_) +
                    " of addresses left for a graph that changes: a smaller budget for host memory "
                    "asks for fewer");
  data_ = static_cast<std::byte*>(mapped);
}

ReservedMemory::~ReservedMemory() {
  if (!data_) return;
  ::munmap(data_, limit_);
  pool_->unreserve(counted_);
}

void ReservedMemory::grow_to(std::size_t bytes) {
  if (bytes <= counted_) return;
  if (bytes > limit_)
    throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " + format_bytes(limit_) +
                                           " here, and " + format_bytes(bytes) + " are needed");
  const std::size_t more = bytes - counted_;
  const std::size_t ahead = std::min(limit_ - bytes, bytes / 8);
  if (ahead <= pool_->available() && more <= pool_->available() - ahead) {
    pool_->reserve(more + ahead);
    counted_ = bytes + ahead;
  } else {
    pool_->reserve(more);
    counted_ = bytes;
  }
}

void ReservedMemory::shrink_to(std::size_t bytes) noexcept {
  if (bytes >= counted_) return;
  clear(bytes, counted_);
  uncount_to(bytes);
}

void ReservedMemory::uncount_to(std::size_t bytes) noexcept {
  if (bytes >= counted_) return;
  pool_->unreserve(counted_ - bytes);
  counted_ = bytes;
}

void ReservedMemory::clear(std::size_t first, std::size_t end) noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t whole = std::min((first + page - 1) / page * page, end);
  const std::size_t last = std::max(whole, end / page * page);
  std::memset(data_ + first, 0, whole - first);
  std::memset(data_ + last, 0, end - last);
  if (whole == last) return;
  if (::madvise(data_ + whole, last - whole, MADV_DONTNEED) != 0)  // memory that is locked
    std::memset(data_ + whole, 0, last - whole);
}

void ReservedMemory::swap(ReservedMemory& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(limit_, other.limit_);
  std::swap(counted_, other.counted_);
}

}  // namespace fathom::dynamic
