#include "fathom/dynamic/updates/update_batch.hpp"

#include <algorithm>
#include <atomic>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/updates/update_text.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kLookUpGrain = std::size_t{1} << 12;
constexpr std::size_t kLeastNext = 64;

/// The integer that a label is.
std::uint64_t integer_label(std::string_view label) {
  std::uint64_t value = 0;
  if (io::parse_id(label, value) != io::IdText::Id)
    throw io::LineError{"an integer, as the labels of this graph are", std::string(label), ""};
  return value;
}

/// Whether it is an integer as it would be printed.
bool printed_integer(std::string_view label) {
  std::uint64_t value = 0;
  return io::parse_id(label, value) == io::IdText::Id && std::to_string(value) == label;
}

}  // namespace

std::optional<VertexId> UpdateBatch::find(const std::string& label) const {
  if (const auto at = now_.find(label); at != now_.end())
    return at->second == kNoVertex ? std::nullopt : std::optional(at->second);
  return labels_.find(label);
}

std::optional<VertexId> UpdateBatch::find(std::uint64_t label) const {
  if (const auto there = came_.find(label)) return there;
  if (went_.find(label)) return std::nullopt;
  return labels_.find_integer(label);
}

void UpdateBatch::call(VertexId v, const std::string& label) {
  fresh_label_.push_back(&now_.insert_or_assign(label, v).first->first);
}

void UpdateBatch::call(VertexId v, std::uint64_t label) {
  fresh_integer_.push_back(label);
  came_.insert(label, v);
}

void UpdateBatch::let_go(const std::string& label) {
  now_[label] = kNoVertex;
}

void UpdateBatch::let_go(std::uint64_t label) {
  if (came_.remove(label)) return;
  went_.insert(label, 0);
  gone_integer_.push_back(label);
}

template <class Label>
VertexId UpdateBatch::find_or_make(const Label& label) {
  if (const auto there = find(label)) return *there;
  // Twice as many as there are now: asking costs as much as the answer is long.
  if (next_.size() == fresh_.size())
    next_ = graph_.next_vertices(
        static_cast<VertexId>(std::max<std::size_t>(kLeastNext, 2 * next_.size())));
  const VertexId v = next_[fresh_.size()];
  fresh_.push_back(v);
  call(v, label);
  return v;
}

template <class Label>
void UpdateBatch::insert(const Label& label, const VertexFields* fields) {
  const bool there = find(label).has_value();
  const bool overwrites = graph_.state()->options.duplicates == DuplicatePolicy::Overwrite;
  if (there && !(fields && overwrites)) {
    ++without_effect_;
    return;
  }
  const VertexId v = find_or_make(label);
  if (fields) said_.push_back({v, *fields});
}

template <class Label>
void UpdateBatch::remove(const Label& label) {
  if (const auto there = find(label)) {
    gone_.push_back(*there);
    let_go(label);
  } else {
    ++without_effect_;
  }
}

/// Gives an edge its vertices; false for a deletion that has no effect.
template <class Label>
bool UpdateBatch::name_ends(const Label& source, const Label& target, EdgeUpdate& e) {
  if (!e.deletion) {
    e.source = find_or_make(source);
    e.target = find_or_make(target);
    return true;
  }
  const auto u = find(source), v = find(target);
  if (!u || !v) {
    ++without_effect_;
    return false;
  }
  e.source = *u;
  e.target = *v;
  return true;
}

template <class Label>
void UpdateBatch::add_edge(const Label& source, const Label& target, const EdgeUpdate& update,
                           const EdgeFields& fields) {
  EdgeUpdate e = update;
  if (!name_ends(source, target, e)) return;
  edge_.push_back(e);
  if (graph_.semantic()) fields_.push_back(fields);
}

void UpdateBatch::insert_vertex(std::uint64_t label, const VertexFields* fields) {
  if (labels_.strings())
    insert(std::to_string(label), fields);
  else
    insert(label, fields);
  ++updates_;
}

void UpdateBatch::remove_vertex(std::uint64_t label) {
  if (labels_.strings())
    remove(std::to_string(label));
  else
    remove(label);
  ++updates_;
}

void UpdateBatch::add(std::string_view line) {
  const auto update = parse_update(line, graph_.weighted(), graph_.semantic());
  if (!update) return;
  const VertexFields* const said = update->vertex_fields ? &*update->vertex_fields : nullptr;
  const auto take = [&](const auto& source, const auto& target) {
    if (!update->vertex)
      add_edge(source, target, {0, 0, update->weight, update->deletion}, update->fields);
    else if (update->deletion)
      remove(source);
    else
      insert(source, said);
  };
  if (labels_.may_become_strings() &&
      !(printed_integer(update->source) && (update->vertex || printed_integer(update->target))))
    become_strings();
  if (labels_.strings()) {
    take(std::string(update->source), std::string(update->target));
  } else {  // integers have one value, so that 07 is 7
    const std::uint64_t source = integer_label(update->source);
    take(source, update->vertex ? 0 : integer_label(update->target));
  }
  ++updates_;
}

void UpdateBatch::become_strings() {
  labels_.become_strings();
  for (const std::uint64_t label : gone_integer_) now_[std::to_string(label)] = kNoVertex;
  for (std::size_t i = 0; i < fresh_integer_.size(); ++i) {
    const std::uint64_t label = fresh_integer_[i];
    call(fresh_[i], std::to_string(label));
    if (!came_.find(label)) let_go(std::to_string(label));
  }
  fresh_integer_.clear();
  came_ = {};
  went_ = {};
  gone_integer_.clear();
}

/// The vertices of all edges as they were before the batch; whether one is not there.
bool UpdateBatch::look_up(const UpdateRun& run, EdgeUpdate* into) const {
  std::atomic<bool> unknown = false;
  parallel_for(threads_, run.edges.size(), kLookUpGrain,
               [&](std::size_t first, std::size_t last, int) {
                 bool all = true;
                 for (std::size_t i = first; i < last; ++i) {
                   const LabelledUpdate& e = run.edges[i];
                   const VertexId u = labels_.find_integer(e.source).value_or(kNoVertex);
                   const VertexId v = labels_.find_integer(e.target).value_or(kNoVertex);
                   all = all && u != kNoVertex && v != kNoVertex;
                   into[i] = {u, v, e.weight, e.deletion};
                 }
                 if (!all) unknown.store(true, std::memory_order_relaxed);
               });
  return unknown.load(std::memory_order_relaxed);
}

/// Gives the edges from `first` on, those of the run, the vertices that are not there yet, and
/// leaves out deletions that have no effect.
void UpdateBatch::settle(const UpdateRun& run, std::size_t first) {
  std::size_t kept = first;
  for (std::size_t i = 0; i < run.edges.size(); ++i) {
    const LabelledUpdate& its = run.edges[i];
    EdgeUpdate e = edge_.data()[first + i];
    const bool known = e.source != kNoVertex && e.target != kNoVertex;
    if (!known && !name_ends(its.source, its.target, e)) continue;
    if (graph_.semantic()) fields_.data()[kept] = fields_.data()[first + i];
    edge_.data()[kept++] = e;
  }
  edge_.shrink(kept);
  if (graph_.semantic()) fields_.shrink(kept);
}

void UpdateBatch::add(const UpdateRun& run) {
  updates_ += run.edges.size();
  const auto fields_at = [&](std::size_t i) {
    return run.fields.empty() ? EdgeFields{} : run.fields[i];
  };
  // What went in this batch is still among the labels.
  if (labels_.strings() || !gone_.empty()) {
    for (std::size_t i = 0; i < run.edges.size(); ++i) {
      const LabelledUpdate& e = run.edges[i];
      const EdgeUpdate update{0, 0, e.weight, e.deletion};
      if (labels_.strings())
        add_edge(std::to_string(e.source), std::to_string(e.target), update, fields_at(i));
      else
        add_edge(e.source, e.target, update, fields_at(i));
    }
    return;
  }
  const std::size_t first = edge_.size();
  const bool unknown = look_up(run, edge_.more(run.edges.size()));
  if (graph_.semantic()) {
    EdgeFields* const to = fields_.more(run.edges.size());
    for (std::size_t i = 0; i < run.edges.size(); ++i) to[i] = fields_at(i);
  }
  if (unknown) settle(run, first);
}

void UpdateBatch::clear() {
  updates_ = 0;
  without_effect_ = 0;
  edge_.clear();
  fields_.clear();
  said_.clear();
  next_.clear();
  fresh_.clear();
  gone_.clear();
  fresh_label_.clear();
  fresh_integer_.clear();
  now_.clear();
  came_ = {};
  went_ = {};
  gone_integer_.clear();
}

BatchReport UpdateBatch::apply() const {
  const BatchReport report = graph_.apply(batch());
  change_labels();
  return report;
}

AppliedBatch UpdateBatch::apply_recorded() const {
  AppliedBatch applied = graph_.apply_recorded(batch());
  change_labels();
  return applied;
}

void UpdateBatch::change_labels() const {
  for (const VertexId v : gone_) labels_.remove(v);
  for (const auto& [label, v] : now_)
    if (v != kNoVertex && !labels_.has(v)) labels_.set(v, label);
  // In their order: labels that count from 0 on need no table.
  for (std::size_t i = 0; i < fresh_integer_.size(); ++i) {
    const std::uint64_t label = fresh_integer_[i];
    if (came_.find(label) == fresh_[i]) labels_.set_integer(fresh_[i], label);
  }
}

}  // namespace fathom::dynamic
