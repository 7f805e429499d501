#include "fathom/algorithms/described/planned.hpp"

namespace fathom {

const Algorithm& describe_walks();

std::vector<const Algorithm*> planned_descriptions() {
  const std::span<const Algorithm* const> described = described_algorithms();
  std::vector<const Algorithm*> all(described.begin(), described.end());
  all.push_back(&describe_walks());
  return all;
}

const Algorithm* find_planned(std::string_view name) {
  for (const Algorithm* const its : planned_descriptions())
    if (its->name == name) return its;
  return nullptr;
}

}  // namespace fathom
