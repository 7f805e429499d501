// Caches are asked to give way one after the other, and no more of them than it takes.
#include "fathom/core/memory_pool.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "fathom/core/array.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

TEST(MemoryPool, AsksNoMoreCachesThanAnAllocationNeeds) {
  const auto pool = std::make_shared<MemoryPool>("a pool", 1000);
  Array<std::byte> first(300, pool), second(300, pool), third(300, pool);
  int asked = 0;
  for (Array<std::byte>* its : {&first, &second, &third})
    pool->register_cache([&asked, its](std::size_t) {
      ++asked;
      *its = {};
    });
  const Array<std::byte> small(100, pool);
  EXPECT_EQ(asked, 0);
  const Array<std::byte> larger(400, pool);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(third.size(), 300u);
  testing::expect_error(ErrorCode::DoesNotFit, [&] { const Array<std::byte> all(501, pool); });
  EXPECT_EQ(third.size(), 0u);
  EXPECT_EQ(pool->used(), 500u);
}

}  // namespace
}  // namespace fathom
