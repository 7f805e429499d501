// Batches of a graph that changes, from columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dynamic.hpp"
#include "dynamic_device.hpp"
#include "dynamic_following.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom::python {

void check_sizes(const EdgeColumns& edges) {
  if (!edges.source) return;
  for (const ColumnRef& other : {edges.target, edges.weight})
    if (other && other->size() != edges.source->size())
      throw Error(ErrorCode::Usage, fmt::format("{} has {} values, {} has {}", edges.source->name(),
                                                edges.size(), other->name(), other->size()));
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
                         const ColumnRef& vertices, const ColumnRef& gone) {
  check_sizes(remove);
  check_sizes(insert);
  Applied applied;
  alone([&] { applied = apply_alone(remove, insert, vertices, gone); });
  return applied;
}

Applied PyDynamic::apply_alone(EdgeColumns remove, EdgeColumns insert, ColumnRef vertices,
                               ColumnRef gone) {
  const auto check = [this] { context_->task().check(); };
  check();
  const std::vector<std::shared_ptr<Following>> following = this->following();
  Applied applied;
  AppliedBatch changes;
  std::vector<VertexId> gone_vertices;
  std::vector<EdgeUpdate> updates;
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
    if (vertices) {
      const std::array<const Column*, 1> column{vertices.get()};
      labels_->coming(column, *graph_);
      applied.without_effect += vertices->size() - labels_->new_vertices();
    }
    check();
    on_device = updates_on_device(*context_, *labels_, remove, insert);
    if (on_device) {
      applied.rounded_weights = on_device->rounded_weights;
    } else {
      updates = updates_of(on_host(*context_, remove), on_host(*context_, insert), applied);
    }
    if (gone) {
      gone_vertices = known_once(labels_->find(*gone));
      applied.without_effect += gone->size() - gone_vertices.size();
    }
    applied.new_vertices = labels_->new_vertices();
    applied.gone_vertices = gone_vertices.size();
    labels_->prepare(gone_vertices);
    check();  // the last time: what begins now is done
    GraphBatch batch{labels_->new_vertices(), updates, gone_vertices};
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

std::vector<EdgeUpdate> PyDynamic::updates_of(const EdgeColumns& remove, const EdgeColumns& insert,
                                              Applied& applied) {
  std::vector<EdgeUpdate> updates;
  if (remove.source) {
    updates = deletions(labels_->find(*remove.source), labels_->find(*remove.target));
    applied.without_effect += remove.size() - updates.size();
  }
  if (!insert.source) return updates;
  const std::array<const Column*, 2> columns{insert.source.get(), insert.target.get()};
  const auto ends = labels_->coming(columns, *graph_);
  const std::size_t first = updates.size();
  updates.resize(first + ends[0].size());
  applied.rounded_weights = fill_insertions(std::span(updates).subspan(first), ends[0], ends[1],
                                            insert.weight.get(), context_->threads());
  return updates;
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
