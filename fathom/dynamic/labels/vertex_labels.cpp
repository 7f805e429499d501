#include "fathom/dynamic/labels/vertex_labels.hpp"

#include <algorithm>

#include "fathom/core/error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::dynamic {
namespace {

std::optional<std::uint64_t> integer_of(std::string_view label) {
  std::uint64_t value = 0;
  if (io::parse_id(label, value) != io::IdText::Id) return std::nullopt;
  return value;
}

}  // namespace

VertexLabels::VertexLabels(store::Store& store, bool any)
    : strings_(any || store.header().labels == store::LabelKind::Strings) {
  for (VertexId v = 0; v < store.header().vertices; ++v) set(v, store.label(v));
}

bool VertexLabels::acceptable(std::string_view label) const {
  return strings_ || integer_of(label).has_value();
}

std::optional<VertexId> VertexLabels::find(std::string_view label) const {
  if (strings_) {
    const auto at = of_string_.find(std::string(label));
    return at == of_string_.end() ? std::nullopt : std::optional(at->second);
  }
  const auto value = integer_of(label);
  return value ? find_integer(*value) : std::nullopt;
}

std::optional<VertexId> VertexLabels::find_integer(std::uint64_t label) const {
  const auto at = of_integer_.find(label);
  return at == of_integer_.end() ? std::nullopt : std::optional(at->second);
}

std::string VertexLabels::label(VertexId v) const {
  return strings_ ? string_[v] : std::to_string(integer_[v]);
}

void VertexLabels::set(VertexId v, std::string_view label) {
  const std::size_t size = std::max<std::size_t>(known_.size(), std::size_t{v} + 1);
  known_.resize(size, false);
  if (strings_) {
    string_.resize(size);
    string_[v] = label;
    of_string_.emplace(label, v);
  } else {
    const auto value = integer_of(label);
    if (!value) throw Error(ErrorCode::Internal, "a label is no integer where integers are");
    integer_.resize(size);
    integer_[v] = *value;
    of_integer_.emplace(*value, v);
  }
  known_[v] = true;
}

void VertexLabels::remove(VertexId v) {
  if (!has(v)) return;
  if (strings_)
    of_string_.erase(string_[v]);
  else
    of_integer_.erase(integer_[v]);
  known_[v] = false;
}

bool VertexLabels::all_integers() const {
  if (!strings_) return true;
  return std::all_of(of_string_.begin(), of_string_.end(), [](const auto& entry) {
    const auto value = integer_of(entry.first);
    return value && std::to_string(*value) == entry.first;
  });
}

std::vector<VertexId> VertexLabels::ordered() const {
  std::vector<VertexId> order;
  order.reserve(size());
  for (std::size_t v = 0; v < known_.size(); ++v)
    if (known_[v]) order.push_back(static_cast<VertexId>(v));
  const bool by_value = strings_ && all_integers();
  std::sort(order.begin(), order.end(), [&](VertexId a, VertexId b) {
    if (!strings_) return integer_[a] < integer_[b];
    // Without leading zeros, the longer one is the larger one.
    if (by_value && string_[a].size() != string_[b].size())
      return string_[a].size() < string_[b].size();
    return string_[a] < string_[b];
  });
  return order;
}

}  // namespace fathom::dynamic
