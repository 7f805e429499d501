// A memory pool whose blocks can be fenced off: under the address sanitizer a fenced block is
// poisoned, so that any access which is not an explicit copy is reported at once.
//
// This is what makes an emulated device honest: its memory exists only while one of its kernels
// runs, and host memory only while none does.
#pragma once

#include <map>
#include <mutex>

#include "fathom/core/memory_pool.hpp"

namespace fathom::cpu {

/// Invariants: blocks_ holds every live block; a block is poisoned exactly while fenced_ is true,
/// but for the parts in open_.
class FATHOM_API GuardedPool final : public MemoryPool {
 public:
  GuardedPool(std::string name, std::size_t limit, bool fenced)
      : MemoryPool(std::move(name), limit), fenced_(fenced) {}

  /// Poisons (true) or opens (false) every live block and those to come. Not concurrent with
  /// accesses to the blocks.
  void fence(bool on);

  /// Fences memory that the pool does not own (a mapped file, a caller's array) along with its own.
  void adopt(const void* p, std::size_t bytes);
  void disown(const void* p) noexcept;

  /// Leaves part of what is fenced open, until closed: mapped memory, which kernels may read.
  void open(const void* p, std::size_t bytes);
  void close(const void* p) noexcept;

 protected:
  void* obtain(std::size_t bytes) override;
  void give_back(void* p, std::size_t bytes) noexcept override;

 private:
  std::mutex mutex_;
  std::map<const void*, std::size_t> blocks_;
  std::map<const void*, std::size_t> open_;
  bool fenced_;
};

/// memcpy between any two memories, fenced or not: the explicit copy.
FATHOM_API void copy_across(void* to, const void* from, std::size_t bytes);

}  // namespace fathom::cpu
