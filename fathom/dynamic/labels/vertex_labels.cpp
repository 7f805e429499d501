#include "fathom/dynamic/labels/vertex_labels.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::dynamic {
namespace {

std::optional<std::uint64_t> integer_of(std::string_view label) {
  std::uint64_t value = 0;
  if (io::parse_id(label, value) != io::IdText::Id) return std::nullopt;
  return value;
}

constexpr std::size_t kLeastSlots = 64;

}  // namespace

std::optional<VertexId> IntegerTable::find(std::uint64_t label) const {
  if (slot_.empty()) return std::nullopt;
  const std::uint64_t its = table().find(label);
  return its == LabelSlot::kEmpty ? std::nullopt : std::optional(static_cast<VertexId>(its));
}

void IntegerTable::insert(std::uint64_t label, VertexId v) {
  make_room();
  table().insert(label, v);
  ++taken_;
  ++size_;
}

bool IntegerTable::remove(std::uint64_t label) {
  if (slot_.empty() || !table().remove(label)) return false;
  --size_;
  return true;
}

/// A quarter of the slots stay empty when one is taken.
void IntegerTable::make_room() {
  if (taken_ + 1 <= slot_.size() / 4 * 3) return;
  const std::vector<LabelSlot> before = std::exchange(
      slot_, std::vector<LabelSlot>(std::max(kLeastSlots, std::bit_ceil(2 * size_ + 2))));
  const MoveLabels move{before.data(), table()};
  for (std::size_t i = 0; i < before.size(); ++i) move(i);
  taken_ = size_;
}

VertexLabels VertexLabels::of_any() {
  VertexLabels labels(false);
  labels.any_ = true;
  return labels;
}

VertexLabels::VertexLabels(store::Store& store, bool any)
    : strings_(store.header().labels == store::LabelKind::Strings), any_(any) {
  for (VertexId v = 0; v < store.header().vertices; ++v) set(v, store.label(v));
}

void VertexLabels::become_strings() {
  if (strings_) return;
  VertexLabels text(true);
  text.any_ = any_;
  for (std::size_t v = 0; v < known_.size(); ++v)
    if (known_[v]) text.set(static_cast<VertexId>(v), label(static_cast<VertexId>(v)));
  *this = std::move(text);
}

std::optional<VertexId> VertexLabels::find(std::string_view label) const {
  if (strings_) {
    const auto at = of_string_.find(std::string(label));
    return at == of_string_.end() ? std::nullopt : std::optional(at->second);
  }
  const auto value = integer_of(label);
  if (!value || (any_ && std::to_string(*value) != label)) return std::nullopt;
  return find_integer(*value);
}

std::string VertexLabels::label(VertexId v) const {
  return strings_ ? string_[v] : std::to_string(integer(v));
}

void VertexLabels::know(VertexId v) {
  const std::size_t size = std::max<std::size_t>(known_.size(), std::size_t{v} + 1);
  known_.resize(size, false);
  known_[v] = true;
  ++size_;
}

void VertexLabels::set(VertexId v, std::string_view label) {
  if (!strings_) {
    const auto value = integer_of(label);
    if (!value) throw Error(ErrorCode::Internal, "a label is no integer where integers are");
    return set_integer(v, *value);
  }
  know(v);
  string_.resize(known_.size());
  string_[v] = label;
  of_string_.emplace(label, v);
}

void VertexLabels::set_integer(VertexId v, std::uint64_t label) {
  if (of_integer_.empty()) {
    if (label == v) return know(v);
    leave_indices();
  }
  know(v);
  integer_.resize(known_.size());
  integer_[v] = label;
  of_integer_.insert(label, v);
}

/// Writes down the labels that there are: one comes that is not its vertex's index.
void VertexLabels::leave_indices() {
  integer_.resize(known_.size());
  for (std::size_t v = 0; v < known_.size(); ++v) {
    if (!known_[v]) continue;
    integer_[v] = v;
    of_integer_.insert(v, static_cast<VertexId>(v));
  }
}

void VertexLabels::remove(VertexId v) {
  if (!has(v)) return;
  if (strings_)
    of_string_.erase(string_[v]);
  else if (!of_integer_.empty())
    of_integer_.remove(integer_[v]);
  known_[v] = false;
  --size_;
}

bool VertexLabels::stored_as_strings() const {
  if (!strings_ || !any_) return strings_;
  return !std::all_of(of_string_.begin(), of_string_.end(), [](const auto& entry) {
    const auto value = integer_of(entry.first);
    return value && std::to_string(*value) == entry.first;
  });
}

std::vector<VertexId> VertexLabels::ordered() const {
  std::vector<VertexId> order;
  order.reserve(size());
  for (std::size_t v = 0; v < known_.size(); ++v)
    if (known_[v]) order.push_back(static_cast<VertexId>(v));
  const bool by_value = strings_ && !stored_as_strings();
  std::sort(order.begin(), order.end(), [&](VertexId a, VertexId b) {
    if (!strings_) return integer(a) < integer(b);
    // Without leading zeros, the longer one is the larger one.
    if (by_value && string_[a].size() != string_[b].size())
      return string_[a].size() < string_[b].size();
    return string_[a] < string_[b];
  });
  return order;
}

}  // namespace fathom::dynamic
