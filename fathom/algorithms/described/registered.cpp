// The algorithms that describe themselves: one line each.
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/error.hpp"

namespace fathom {

const Algorithm& describe_triangles();
const Algorithm& describe_kcore();
const Algorithm& describe_radius();
const Algorithm& describe_harmonic();

namespace {

std::vector<const Algorithm*>& algorithms() {
  static std::vector<const Algorithm*> all{&describe_triangles(), &describe_kcore(),
                                           &describe_radius(), &describe_harmonic()};
  return all;
}

}  // namespace

std::span<const Algorithm* const> described_algorithms() {
  return algorithms();
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm* its : algorithms())
    if (its->name == name) return its;
  return nullptr;
}

void add_algorithm(const Algorithm& algorithm) {
  if (find_algorithm(algorithm.name))
    throw Error(ErrorCode::Internal, "there are two algorithms " + std::string(algorithm.name));
  algorithms().push_back(&algorithm);
}

}  // namespace fathom
