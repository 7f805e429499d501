// Batches of a graph that changes, from columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dynamic.hpp"
#include "dynamic_device.hpp"
#include "dynamic_fields.hpp"
#include "dynamic_following.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom::python {

namespace {

void check_size(const Column& first, const ColumnRef& other) {
  if (other && other->size() != first.size())
    throw Error(ErrorCode::Usage, fmt::format("{} has {} values, {} has {}", first.name(),
                                              first.size(), other->name(), other->size()));
}

}  // namespace

void check_sizes(const EdgeColumns& edges) {
  if (!edges.source) return;
  for (const ColumnRef& other : {edges.target, edges.weight, edges.type, edges.t1, edges.t2})
    check_size(*edges.source, other);
}

void check_sizes(const VertexColumns& vertices) {
  if (!vertices.label) return;
  for (const ColumnRef& other : {vertices.weight, vertices.type})
    check_size(*vertices.label, other);
}

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 14;

/// Insertions; without a column of weights they are 1. Returns how many weights were rounded.
std::uint64_t fill_insertions(std::span<EdgeUpdate> updates, std::span<const VertexId> source,
                              std::span<const VertexId> target, const Column* weight, int threads) {
  std::atomic<std::uint64_t> rounded{0};
  parallel_for(threads, updates.size(), kChunk, [&](std::size_t a, std::size_t b, int) {
    std::vector<double> weights(weight ? b - a : 0);
    if (weight) weight->read(a, weights);
    std::uint64_t inexact = 0;
    for (std::size_t i = a; i < b; ++i)
      updates[i] = EdgeUpdate::insert(
          source[i], target[i], weight ? weight_of(weights[i - a], weight->name(), i, inexact) : 1);
    rounded += inexact;
  });
  return rounded;
}

/// Deletions between vertices that there are.
std::vector<EdgeUpdate> deletions(std::span<const VertexId> source,
                                  std::span<const VertexId> target) {
  std::vector<EdgeUpdate> updates;
  updates.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i] != kNoVertex && target[i] != kNoVertex)
      updates.push_back(EdgeUpdate::remove(source[i], target[i]));
  return updates;
}

/// Each once, without unknown ones.
std::vector<VertexId> known_once(std::vector<VertexId> vertices) {
  std::erase(vertices, kNoVertex);
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace

Applied PyDynamic::apply(const EdgeColumns& remove, const EdgeColumns& insert,
                         const VertexColumns& vertices, const ColumnRef& gone) {
  check_sizes(remove);
  check_sizes(insert);
  check_sizes(vertices);
  Applied applied;
  alone([&] { applied = apply_alone(remove, insert, vertices, gone); });
  return applied;
}

Applied PyDynamic::apply_alone(EdgeColumns remove, EdgeColumns insert, VertexColumns vertices,
                               ColumnRef gone) {
  const auto check = [this] { context_->task().check(); };
  check();
  const std::vector<std::shared_ptr<Following>> following = this->following();
  Applied applied;
  AppliedBatch changes;
  std::vector<VertexId> gone_vertices;
  Said said;
  std::optional<DeviceUpdates> on_device;
  if (any_on_device(remove) || any_on_device(insert) || any_on_device(vertices) ||
      any_on_device(gone)) {
    check_places(*context_, remove);
    check_places(*context_, insert);
    check_places(*context_, vertices);
    check_places(*context_, gone);
    wait_for_writers(*context_);
    vertices = on_host(*context_, vertices);
    gone = on_host(*context_, gone);
  }
  try {
    if (vertices.label) add_vertices(vertices, said, applied);
    check();
    on_device = updates_on_device(*context_, *labels_, remove, insert);
    if (on_device)
      applied.rounded_weights += on_device->rounded_weights;
    else
      add_edges(on_host(*context_, remove), on_host(*context_, insert), said, applied);
    if (gone) {
      gone_vertices = known_once(labels_->find(*gone));
      applied.without_effect += gone->size() - gone_vertices.size();
    }
    applied.new_vertices = labels_->new_vertices();
    applied.gone_vertices = gone_vertices.size();
    labels_->prepare(gone_vertices);
    check();  // the last time: what begins now is done
    GraphBatch batch{labels_->new_vertices(), said.edges, gone_vertices};
    batch.fields = said.fields;
    batch.vertex_updates = said.vertices;
    if (on_device) {
      batch.edges = {on_device->edges.data(), remove.size() + insert.size()};
      batch.edges_on_device = true;
    }
    if (following.empty())
      changes.report = graph_->apply(batch);
    else
      changes = graph_->apply_recorded(batch);
  } catch (...) {
    labels_->take_back();
    throw;
  }
  labels_->commit(gone_vertices);
  for (const std::shared_ptr<Following>& one : following) one->update(changes);
  applied.report = changes.report;
  return applied;
}

void PyDynamic::add_vertices(const VertexColumns& vertices, Said& said, Applied& applied) {
  const std::array<const Column*, 1> column{vertices.label.get()};
  const std::vector<VertexId> its = std::move(labels_->coming(column, *graph_)[0]);
  if (!vertices.has_fields()) {
    applied.without_effect += its.size() - labels_->new_vertices();
    return;
  }
  const std::vector<VertexFields> fields =
      read_fields(vertices, context_->threads(), applied.rounded_weights);
  for (std::size_t i = 0; i < its.size(); ++i) said.vertices.push_back({its[i], fields[i]});
  if (duplicates_ == DuplicatePolicy::Overwrite) return;
  // What is there keeps what it has; of several that come the first counts, and the graph takes the
  // last.
  std::erase_if(said.vertices, [&](const VertexUpdate& one) { return graph_->exists(one.vertex); });
  std::reverse(said.vertices.begin(), said.vertices.end());
  applied.without_effect += its.size() - labels_->new_vertices();
}

void PyDynamic::add_edges(const EdgeColumns& remove, const EdgeColumns& insert, Said& said,
                          Applied& applied) {
  std::vector<EdgeUpdate>& updates = said.edges;
  if (remove.source) {
    updates = deletions(labels_->find(*remove.source), labels_->find(*remove.target));
    applied.without_effect += remove.size() - updates.size();
  }
  if (!insert.source) return;
  const std::array<const Column*, 2> columns{insert.source.get(), insert.target.get()};
  const auto ends = labels_->coming(columns, *graph_);
  const std::size_t first = updates.size();
  updates.resize(first + ends[0].size());
  applied.rounded_weights += fill_insertions(std::span(updates).subspan(first), ends[0], ends[1],
                                             insert.weight.get(), context_->threads());
  if (!insert.has_fields()) return;
  said.fields.resize(updates.size());
  read_fields(insert, std::span(said.fields).subspan(first), context_->threads());
}

std::vector<std::shared_ptr<Following>> PyDynamic::following() {
  std::vector<std::shared_ptr<Following>> all;
  for (const std::weak_ptr<Following>& one : following_)
    if (auto its = one.lock()) all.push_back(std::move(its));
  std::erase_if(following_, [](const auto& one) { return one.expired(); });
  return all;
}

void PyDynamic::follow(const std::shared_ptr<Following>& following) {
  following_.push_back(following);
}

}  // namespace fathom::python
