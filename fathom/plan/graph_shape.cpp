#include "fathom/plan/graph_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fathom/core/error.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/narrow/narrowing.hpp"

namespace fathom::plan {

namespace {

constexpr std::size_t kSampled = std::size_t{1} << 16;

/// The i-th of so many vertices, evenly spread.
std::size_t sampled(std::size_t i, std::size_t count, std::size_t vertices) {
  return vertices / count * i + vertices % count * i / count;
}

/// Of vertices that so many random ends are expected at: 1 / (degree + 1) is below all neighbours.
VertexShares shares_at(double ends) {
  const double some = -std::expm1(-ends);
  return {some, ends > 0 ? some / ends - (1 - some) : 0};
}

/// Of R-MAT: a vertex whose id has k ones is an end of an edge with probability
/// (a + b)^(scale - k) (c + d)^k.
VertexShares shares_of_rmat(const generate::Spec& spec, bool directed) {
  const double zero = spec.a + spec.b, one = 1 - zero;
  const double ends = std::exp2(spec.scale) * spec.edge_factor * (directed ? 1 : 2);
  VertexShares all;
  double choose = std::exp2(-spec.scale);  // of the vertices, those with k ones
  for (int k = 0; k <= spec.scale; ++k) {
    const VertexShares its = shares_at(ends * std::pow(zero, spec.scale - k) * std::pow(one, k));
    all.with_edges += choose * its.with_edges;
    all.lowest += choose * its.lowest;
    choose *= static_cast<double>(spec.scale - k) / (k + 1);
  }
  return all;
}

}  // namespace

std::optional<Likeness> likeness_of(std::span<const EdgeId> offsets) {
  // Edges drawn at random give degrees whose variance is their mean (Poisson).
  constexpr double kMostOfGrid = .5, kMostOfUniform = 3;
  if (offsets.size() < 2) return std::nullopt;
  const std::size_t vertices = offsets.size() - 1, count = std::min(vertices, kSampled);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t v = sampled(i, count, vertices);
    const auto degree = static_cast<double>(offsets[v + 1] - offsets[v]);
    sum += degree;
    squares += degree * degree;
  }
  if (sum == 0) return std::nullopt;
  const double mean = sum / static_cast<double>(count);
  const double dispersion = (squares / static_cast<double>(count) - mean * mean) / mean;
  if (dispersion < kMostOfGrid) return Likeness::Grid;
  return dispersion < kMostOfUniform ? Likeness::Uniform : Likeness::Rmat;
}

std::optional<VertexShares> shares_of(std::span<const EdgeId> offsets) {
  if (offsets.size() < 2) return std::nullopt;
  const std::size_t vertices = offsets.size() - 1, count = std::min(vertices, kSampled);
  VertexShares sum;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t v = sampled(i, count, vertices);
    const EdgeId degree = offsets[v + 1] - offsets[v];
    if (degree == 0) continue;
    sum.with_edges += 1;
    sum.lowest += 1 / (static_cast<double>(degree) + 1);
  }
  return VertexShares{sum.with_edges / static_cast<double>(count),
                      sum.lowest / static_cast<double>(count)};
}

double two_paths_of(std::span<const EdgeId> out, std::span<const EdgeId> in) {
  if (in.empty()) in = out;
  double paths = 0;
  for (std::size_t v = 0; v + 1 < out.size(); ++v)
    paths += static_cast<double>(out[v + 1] - out[v]) * static_cast<double>(in[v + 1] - in[v]);
  return paths;
}

std::uint64_t GraphShape::pages_of_slotted() const {
  if (slotted_pages > 0 || page_bytes == 0) return slotted_pages;
  const std::uint64_t bytes = edges * (id_bytes + (weighted ? 4 : 0)) +
                              vertices * (store::slotted::kSizeBytes + store::slotted::kSlotBytes);
  return (bytes + page_bytes - 1) / page_bytes;
}

GraphShape shape_of(const store::Store& store) {
  const store::Header& header = store.header();
  GraphShape shape;
  shape.name = store.path();
  shape.vertices = header.vertices;
  shape.edges = header.edges;
  shape.oriented = header.directed ? header.edges : header.edges / 2;
  shape.directed = header.directed;
  shape.weighted = header.weighted;
  shape.has_in = !header.directed || header.has_in_edges;
  const auto& sections = store.sections();
  const auto has = [&](std::string_view beginning) {
    return std::ranges::any_of(
        sections, [&](const auto& section) { return section.name.starts_with(beginning); });
  };
  shape.has_oriented = has("oriented");
  shape.reordered = store::is_reordered(store);
  if (header.narrow) shape.narrow_bits = header.narrow->entry_bits();
  for (const auto& section : sections)
    if (section.name == "weights.values") shape.weight_values = section.bytes / sizeof(Weight);
  if (header.packed && header.edges > 0) {
    std::uint64_t bytes = 0;
    for (const auto& section : sections)
      if (section.name == "out.packed" || section.name == "out.packed.index")
        bytes += section.bytes;
    shape.packed_bits = static_cast<double>(bytes) * 8 / static_cast<double>(header.edges);
    const std::uint32_t coded = header.packed->code_bytes;
    if (header.weighted) shape.code_bits = 8. * (coded > 0 ? coded : sizeof(Weight));
  }
  shape.slotted = header.slotted.has_value();
  if (shape.slotted) {
    shape.page_bytes = header.slotted->page_bytes;
    shape.id_bytes = header.slotted->pid_bytes + header.slotted->slot_bytes;
    for (const auto& section : sections)
      if (section.name == "out.pages" || section.name == "in.pages")
        shape.slotted_pages = std::max(shape.slotted_pages, section.bytes / shape.page_bytes);
  }
  return shape;
}

GraphShape filtered_shape(GraphShape shape, std::uint64_t kept) {
  shape.looked_at = shape.edges;
  if (kept == shape.edges) return shape;
  shape.filtered_of = shape.edges;
  shape.edges = kept;
  shape.oriented = shape.directed ? kept : kept / 2;
  shape.has_oriented = false;  // those that are stored are of all edges
  return shape;
}

GraphShape narrowed_shape(GraphShape shape, int id_bits) {
  const auto most = std::numeric_limits<VertexId>::max();
  const auto numbered = static_cast<VertexId>(std::min<std::uint64_t>(shape.vertices, most));
  shape.narrow_bits = store::bound_of_layout(numbered, shape.weighted, id_bits).entry_bits();
  shape.narrowed = true;
  return shape;
}

GraphShape shape_of(const generate::Spec& spec, bool directed) {
  using generate::Kind;
  if (spec.kind != Kind::Rmat && spec.kind != Kind::Uniform &&
      spec.kind != Kind::PreferentialAttachment && spec.kind != Kind::WattsStrogatz)
    throw Error(ErrorCode::Usage,
                "a plan by scale is of a model that takes an edge factor, such as rmat");
  constexpr int kMostScale = 40;
  if (spec.scale < 0 || spec.scale > kMostScale)
    throw Error(ErrorCode::Usage, "a plan by scale: expected one from 0 to " +
                                      std::to_string(kMostScale) + ", found " +
                                      std::to_string(spec.scale));
  GraphShape shape;
  shape.name = std::string(name_of(spec.kind)) + " of scale " + std::to_string(spec.scale);
  shape.vertices = std::uint64_t{1} << spec.scale;
  const std::uint64_t generated = shape.vertices * spec.edge_factor;
  shape.edges = directed ? generated : generated * 2;
  shape.oriented = generated;
  shape.id_bytes = shape.vertex_bytes();
  shape.directed = directed;
  shape.weighted = spec.weights.has_value();
  if (spec.kind == Kind::Rmat || spec.kind == Kind::PreferentialAttachment)
    shape.likeness = Likeness::Rmat;
  else if (spec.kind == Kind::Uniform)
    shape.likeness = Likeness::Uniform;
  if (spec.kind == Kind::Rmat)
    shape.shares = shares_of_rmat(spec, directed);
  else if (spec.kind == Kind::Uniform)
    shape.shares =
        shares_at(static_cast<double>(shape.edges) / static_cast<double>(shape.vertices));
  return shape;
}

}  // namespace fathom::plan
