// Any bytes as what `fathom doctor --measure` keeps. What is accepted, written and read again is
// the same, and every prediction from it is a number.
#include <cmath>

#include "fathom/plan/rates.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  using fuzzing::require;
  const fuzzing::Input input(data, size);
  plan::MachineRates rates;
  if (!fuzzing::accepted([&] { rates = plan::rates_from_json(input.text(), "f"); })) return 0;
  const std::string written = plan::to_json(rates);
  require(plan::to_json(plan::rates_from_json(written, "g")) == written);
  for (const plan::WorkRate& row : rates.work)
    for (const std::uint64_t vertices :
         {std::uint64_t{0}, std::uint64_t{1}, row.vertices, row.vertices * 3, ~std::uint64_t{0}}) {
      plan::GraphShape shape;
      shape.vertices = vertices;
      shape.edges = row.edges;
      const auto range = rates.seconds_per_edge(row.algorithm, row.streamed, shape);
      require(range && std::isfinite(range->low) && std::isfinite(range->high));
      require(range->low > 0 && range->low <= range->high);
      for (const auto& other : {rates.seconds_per_two_path(row.algorithm, row.streamed, shape),
                                rates.supersteps(row.algorithm, row.streamed, shape)})
        require(!other || (std::isfinite(other->high) && other->low > 0));
    }
  return 0;
}
