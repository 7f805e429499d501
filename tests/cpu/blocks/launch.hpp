// Kernels on fibers: what a test needs to launch one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/suites/fiber_block.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

struct Grid {
  std::uint32_t blocks = 1, threads = 32;
};
/// Of several shapes in turn.
inline Grid grid_of(std::uint64_t seed) {
  constexpr Grid kGrids[] = {{1, 32}, {1, 256}, {3, 64}, {2, 128}, {4, 32}, {1, 96}, {2, 256}};
  return kGrids[seed % std::size(kGrids)];
}

/// Runs a kernel to its end.
template <class Kernel>
void launch(const Grid& grid, std::uint64_t seed, const Kernel& kernel) {
  ASSERT_EQ(FiberGrid(seed).run(grid.blocks, grid.threads, kernel), "");
}

/// Numbers [first, first + n) that were given out.
using Given = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
/// They lie apart, and are all numbers below `total`.
inline void expect_cover(Given given, std::uint64_t total) {
  std::erase_if(given, [](const auto& g) { return g.second == 0; });
  std::sort(given.begin(), given.end());
  std::uint64_t at = 0;
  for (const auto& [first, n] : given) {
    ASSERT_EQ(first, at);
    at += n;
  }
  ASSERT_EQ(at, total);
}

/// An array that notices what is written behind its end.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t n, const T& value = T{}) : size_(n), all_(n + kGuard, value) {
    std::fill_n(guard(), kGuard * sizeof(T), kMark);
  }
  ~Guarded() {
    EXPECT_TRUE(std::all_of(guard(), guard() + kGuard * sizeof(T), [](unsigned char c) {
      return c == kMark;
    })) << "written behind the end";
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  T* data() { return all_.data(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return all_[i]; }
  const T& operator[](std::size_t i) const { return all_[i]; }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr unsigned char kMark = 0xa5;
  unsigned char* guard() { return reinterpret_cast<unsigned char*>(all_.data() + size_); }

  std::size_t size_;
  std::vector<T> all_;
};

}  // namespace fathom::testing
