// The variants under fibers: at every marked point, and where threads wait, another lane may go on.
#pragma once

#include "tests/cpu/memory/variants.hpp"
#include "tests/suites/fiber_lanes.hpp"

namespace fathom::memory {

struct Interleaved : CheckedTraits {
  static void mark(Point) { testing::Fibers::interleave(); }
  static void pause() { testing::Fibers::wait(); }
};
template <class V>
using Shared = Ouroboros<V, V, Interleaved>;
using InterleavedVariants =
    ::testing::Types<Shared<SP>, Shared<SC>, Shared<VAP>, Shared<VAC>, Shared<VLP>, Shared<VLC>,
                     Ouroboros<VLP, SC, Interleaved>>;

/// Skipped where the sanitizers cannot follow fibers.
template <class Manager>
class FiberTest : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  }
};

}  // namespace fathom::memory
