// What the tests of graphs that change in the memory of a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "fathom/fathom.hpp"
#include "tests/cuda/configurations.hpp"

namespace fathom::testing {

inline Context small_gpu() {
  CudaOptions options;
  options.device_memory = std::size_t{4} << 30;
  return Context::cuda(options);
}

inline DynamicGraphOptions small(DynamicGraphOptions options = {}) {
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 1u << 20;
  return options;
}

inline std::string name_of_layout(DynamicLayoutKind layout) {
  return layout == DynamicLayoutKind::Ouro   ? "ouro"
         : layout == DynamicLayoutKind::Faim ? "faim"
                                             : "aim";
}

inline std::string name_of_allocator(PageAllocator allocator) {
  std::string name(name_of(allocator));
  std::erase(name, '-');
  return name;
}

inline void expect_same_report(const BatchReport& a, const BatchReport& b) {
  EXPECT_EQ(a.inserted, b.inserted);
  EXPECT_EQ(a.overwritten, b.overwritten);
  EXPECT_EQ(a.ignored, b.ignored);
  EXPECT_EQ(a.removed, b.removed);
  EXPECT_EQ(a.missing, b.missing);
  EXPECT_EQ(a.superseded, b.superseded);
  EXPECT_EQ(a.lists, b.lists);
  EXPECT_EQ(a.moved, b.moved);
}

inline void expect_equal(const Csr& a, const Csr& b) {
  EXPECT_TRUE(std::ranges::equal(a.offset, b.offset));
  EXPECT_TRUE(std::ranges::equal(a.target, b.target));
  EXPECT_TRUE(std::ranges::equal(a.weight, b.weight));
}

/// Instantiated for every layout in dynamic_test.cpp.
class GpuDynamic : public ::testing::TestWithParam<DynamicLayoutKind> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(small_gpu());
  }
  const Context& ctx() const { return *ctx_; }
  static DynamicGraphOptions options() {
    DynamicGraphOptions wanted = small();
    wanted.layout = GetParam();
    return wanted;
  }

 private:
  std::optional<Context> ctx_;
};

}  // namespace fathom::testing
