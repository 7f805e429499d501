// The graph models behind Generator: each maps edge numbers to edges.
#pragma once

#include <memory>
#include <span>

#include "fathom/generate/generate.hpp"

namespace fathom::generate {

/// Edge i is a pure function of i; fill() may run concurrently.
class EdgeModel {
 public:
  virtual ~EdgeModel() = default;
  virtual EdgeId edges() const = 0;
  virtual void fill(EdgeId first, std::span<Edge> edge) const = 0;
};

/// The model of a spec that has been checked.
std::shared_ptr<const EdgeModel> make_model(const Spec& spec);

std::shared_ptr<const EdgeModel> make_road(const Spec& spec);
std::shared_ptr<const EdgeModel> make_triangulation(const Spec& spec);
std::shared_ptr<const EdgeModel> make_stencil(const Spec& spec);
std::shared_ptr<const EdgeModel> make_random_geometric(const Spec& spec);
std::shared_ptr<const EdgeModel> make_coauthors(const Spec& spec);

}  // namespace fathom::generate
