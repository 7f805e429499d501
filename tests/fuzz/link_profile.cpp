// Any bytes as a link profile. What is accepted, written and read again is the same, and all
// questions about it have answers that are numbers.
#include <cmath>

#include "fathom/exec/link_profile.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

void require_rate(double rate) {
  require(std::isfinite(rate) && rate > 0);
}

void ask(const LinkProfile& profile) {
  constexpr std::uint64_t kRegions[] = {1, std::uint64_t{1} << 30, ~std::uint64_t{0}};
  best_way(profile);
  for (const std::uint64_t region : kRegions) {
    best_way(profile, region);
    const double cost = copy_cost(profile, region);
    require(std::isfinite(cost) && cost >= 0);
    if (profile.reach.empty()) continue;
    for (const ZeroCopyWay way : kZeroCopyWays) {
      require_rate(zero_copy_ceiling(profile, way, region));
      for (const std::uint32_t stride : {1u, 2u, 100u, 1000u})
        require_rate(sweep_ceiling(profile, way, region, stride));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzzing::Input input(data, size);
  LinkProfile profile;
  if (!fuzzing::accepted([&] { profile = link_profile_from_json(input.text(), "f"); })) return 0;
  const std::string written = to_json(profile);
  require(to_json(link_profile_from_json(written, "g")) == written);
  ask(profile);
  return 0;
}
