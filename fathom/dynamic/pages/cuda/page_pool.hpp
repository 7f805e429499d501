// The owner of a BulkPool's pages on a GPU.
#pragma once

#include <array>

#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/pages/cuda/mapped_memory.hpp"

namespace fathom::dynamic::gpu {

// 2^32 units less one, whose number means that there is no page.
inline constexpr std::size_t kMostPageBytes = (std::size_t{kNoPage} - 1) * kDynamicUnit;

/// Pages of at least 2^`least` units, at the beginning of a memory, and what all pages of a graph
/// count. Invariant: page_[k] has room for free_[k] + kSlack pages, free_[k] at least
/// as many as are free.
class PagePool {
 public:
  PagePool(cuda::Gpu& gpu, MappedMemory& memory, int least);

  BulkPoolRef ref() const;
  BulkPlan* plan() const { return const_cast<BulkPlan*>(plan_.data()); }

  /// Free pages of each size that there is room for.
  void rooms(std::uint32_t* free) const;
  /// Has memory for `missing` bytes behind the border, or, once the device has no more, before that
  /// of the pages in host memory. @throws Error(DoesNotFit)
  void grow(std::uint64_t border, std::uint64_t missing);
  /// The same, all behind the border.
  void grow_behind(std::uint64_t border, std::uint64_t missing) {
    const std::uint64_t taken = border * kDynamicUnit;
    memory_.grow_to(missing > ~taken ? missing : taken + missing);
  }
  /// Before `bytes` in pages of each size are asked for: where the device has no room for all,
  /// makes some in host memory, and has the largest pages taken from there first.
  /// @throws Error(DoesNotFit)
  void expect(const std::uint64_t* bytes);
  /// Makes room for free pages: `free`, and `more`. Nothing is done for what is within rooms().
  /// @throws Error(DoesNotFit)
  void make_rooms(const std::uint32_t* free, const std::uint32_t* more);
  /// Makes room for what a batch of so many changes gives back, but for lists that give back
  /// several pages each. @throws Error(DoesNotFit)
  void make_rooms_for(std::uint64_t changes);
  /// Besides, counts them as those that may be free. @throws Error(DoesNotFit)
  void expect_free(const std::uint32_t* free, const std::uint32_t* more);
  /// The same, where `more` come on top of all that may be free. @throws Error(DoesNotFit)
  void expect_more(const std::uint32_t* more) { expect_free(free_.data(), more); }
  /// Counts pages of each size as handed out or taken back.
  void count(const std::uint32_t* wanted, const std::uint32_t* returned);

  int least() const { return least_; }
  std::size_t used() const { return used_; }
  std::uint64_t pages() const { return pages_; }

 private:
  static constexpr std::uint32_t kSlack = 256;  // more than divide() can leave of a size

  cuda::Gpu& gpu_;
  MappedMemory& memory_;
  int least_;
  Array<BulkPoolState> state_;
  Array<BulkPlan> plan_;
  std::array<Array<std::uint32_t>, kPageSizes> page_;
  std::array<std::uint32_t, kPageSizes> free_{};
  std::array<std::uint32_t, kPageSizes> handed_out_{};
  int far_from_ = kPageSizes;
  std::size_t used_ = 0;
  std::uint64_t pages_ = 0;
};

}  // namespace fathom::dynamic::gpu
