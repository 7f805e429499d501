#include "fathom/dynamic/labels/label_map.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/labels/label_map_gpu.hpp"

namespace fathom {
namespace {

using dynamic::LabelSlot;
using dynamic::LabelTable;

constexpr std::size_t kLabelGrain = 1024;
constexpr std::size_t kLeastSlots = 64;
constexpr std::size_t kStaged = 1 << 13;

}  // namespace

/// Invariant: `taken` slots are not empty, `size` of them have a label.
struct LabelMap::State {
  explicit State(const Context& context)
      : ctx(context), gpu(context.on_gpu() && context.devices().size() == 1) {
    slot = empty_slots(kLeastSlots);
    counter = array<unsigned long long>(1);
    if (gpu) staged = array<std::uint64_t>(kStaged);
  }

  template <class T>
  Array<T> array(std::size_t n) const {
    return Array<T>(n, gpu ? ctx.devices()[0].memory() : ctx.host_memory());
  }
  /// Items of the host where the map is; `kept` has them if they have to be copied.
  template <class T>
  const T* there(std::span<const T> items, Array<T>& kept) const {
    if (!gpu || items.empty()) return items.data();
    kept = array<T>(items.size());
    ctx.copy(kept.data(), items.data(), items.size_bytes());
    return kept.data();
  }
  template <class Step>
  void run(const Step& step, std::size_t n) const {
    if (n == 0) return;
    if (gpu) return dynamic::run_on_gpu(ctx, step, n);
    parallel_for(ctx.threads(), n, kLabelGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) step(i);
    });
  }
  /// Runs what counts, from 0 on.
  template <class Step>
  unsigned long long count(const Step& step, std::size_t n) {
    unsigned long long value = 0;
    ctx.copy(counter.data(), &value, sizeof(value));
    run(step, n);
    ctx.copy(&value, counter.data(), sizeof(value));
    return value;
  }

  LabelTable table() const { return table_of(slot); }
  static LabelTable table_of(const Array<LabelSlot>& slots) {
    return LabelTable::of(const_cast<LabelSlot*>(slots.data()), slots.size());
  }
  Array<LabelSlot> empty_slots(std::size_t n) const {
    Array<LabelSlot> slots = array<LabelSlot>(n);
    run(dynamic::ClearLabels{slots.data()}, n);
    return slots;
  }
  /// A quarter of the slots stay empty when so many labels come.
  void make_room(std::size_t more) {
    if (taken + more <= slot.size() / 4 * 3) return;
    const std::size_t slots = std::max(kLeastSlots, std::bit_ceil((size + more) * 3 / 2 + 1));
    Array<LabelSlot> wider = empty_slots(slots);
    run(dynamic::MoveLabels{slot.data(), table_of(wider)}, slot.size());
    slot = std::move(wider);
    taken = size;
  }

  const Context& ctx;
  bool gpu;
  Array<LabelSlot> slot;
  Array<unsigned long long> counter;
  Array<std::uint64_t> staged;  // labels on their way out, on a GPU
  Array<EdgeUpdate> translated;
  std::size_t size = 0, taken = 0;
};

LabelMap::LabelMap(const Context& ctx) : state_(std::make_unique<State>(ctx)) {}
LabelMap::LabelMap(LabelMap&&) noexcept = default;
LabelMap& LabelMap::operator=(LabelMap&&) noexcept = default;
LabelMap::~LabelMap() = default;

std::size_t LabelMap::size() const {
  return state_->size;
}
bool LabelMap::on_device() const {
  return state_->gpu;
}

LabelNames LabelMap::names() const {
  return {state_->table(), 0, 0};
}

std::size_t LabelMap::insert(std::span<const std::uint64_t> labels,
                             std::span<const VertexId> vertices) {
  if (labels.size() != vertices.size())
    throw Error(ErrorCode::Usage, std::to_string(labels.size()) + " labels are not those of " +
                                      std::to_string(vertices.size()) + " vertices");
  State& s = *state_;
  Array<std::uint64_t> label;
  Array<VertexId> vertex;
  const std::uint64_t* const from = s.there(labels, label);
  const VertexId* const to = s.there(vertices, vertex);
  s.make_room(labels.size());
  const std::size_t added =
      s.count(dynamic::InsertLabels{s.table(), from, to, s.counter.data()}, labels.size());
  s.size += added;
  s.taken += added;
  return added;
}

std::size_t LabelMap::remove(std::span<const std::uint64_t> labels) {
  State& s = *state_;
  std::size_t removed = 0;
  const auto remove_those = [&](const std::uint64_t* which, std::size_t n) {
    removed += s.count(dynamic::RemoveLabels{s.table(), which, s.counter.data()}, n);
  };
  if (!s.gpu) {
    remove_those(labels.data(), labels.size());
  } else {
    for (std::size_t at = 0; at < labels.size(); at += kStaged) {
      const std::size_t n = std::min(kStaged, labels.size() - at);
      s.ctx.copy(s.staged.data(), labels.data() + at, n * sizeof(std::uint64_t));
      remove_those(s.staged.data(), n);
    }
  }
  s.size -= removed;
  return removed;
}

std::vector<VertexId> LabelMap::find(std::span<const std::uint64_t> labels) const {
  const State& s = *state_;
  std::vector<VertexId> vertex(labels.size());
  Array<std::uint64_t> label;
  const std::uint64_t* const which = s.there(labels, label);
  if (!s.gpu) {
    s.run(dynamic::FindLabels{s.table(), which, vertex.data()}, labels.size());
    return vertex;
  }
  Array<VertexId> found = s.array<VertexId>(labels.size());
  s.run(dynamic::FindLabels{s.table(), which, found.data()}, labels.size());
  if (!labels.empty()) s.ctx.copy(vertex.data(), found.data(), labels.size() * sizeof(VertexId));
  return vertex;
}

std::span<const EdgeUpdate> LabelMap::translate(std::span<const LabelledUpdate> updates) {
  State& s = *state_;
  const std::size_t n = updates.size();
  Array<LabelledUpdate> kept;
  const LabelledUpdate* const from = s.there(updates, kept);
  if (s.translated.size() < n) {
    s.translated = {};
    s.translated = s.array<EdgeUpdate>(n + n / 8);
  }
  const auto unknown =
      s.count(dynamic::TranslateUpdates{s.table(), from, s.translated.data(), s.counter.data()}, n);
  if (unknown != 0) {
    const std::size_t i = ~unknown;
    const std::uint64_t ends[] = {updates[i].source, updates[i].target};
    const bool source = find({ends, 1})[0] != kNoVertex;
    throw Error(ErrorCode::Usage, "update " + std::to_string(i) + " names the label " +
                                      std::to_string(ends[source ? 1 : 0]) +
                                      ", which no vertex has");
  }
  return {s.translated.data(), n};
}

}  // namespace fathom
