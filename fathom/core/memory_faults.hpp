// For tests of what happens when memory runs out.
#pragma once

#include <atomic>
#include <cstddef>

#include "fathom/core/platform.hpp"

namespace fathom::detail {

/// Asked for each allocation of any MemoryPool, which fails as if the system had nothing left if
/// the answer is true. Null: nobody is asked.
using PoolRefusal = bool (*)(std::size_t bytes) noexcept;
FATHOM_API extern std::atomic<PoolRefusal> pool_refusal;

}  // namespace fathom::detail
