#include "fathom/residency/cuda/entries.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"

namespace fathom::detail {

Array<std::byte> Entries::on_device(const Context& ctx, const Device& device, std::size_t begin,
                                    std::size_t end) const {
  constexpr std::size_t kStaging = std::size_t{64} << 20, kGrain = std::size_t{1} << 20;
  Array<std::byte> made(end - begin, device.memory());
  Array<std::byte> staging(std::min(end - begin, kStaging), ctx.host_memory());
  for (std::size_t first = begin; first < end; first += kStaging) {
    ctx.task().check();
    const std::size_t count = std::min(kStaging, end - first);
    parallel_for(ctx.threads(), count, kGrain, [&](std::size_t a, std::size_t b, int) {
      write(first + a, first + b, staging.data() + a);
    });
    ctx.copy(made.data() + (first - begin), staging.data(), count);
  }
  return made;
}

}  // namespace fathom::detail
