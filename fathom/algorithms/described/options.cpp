#include "fathom/algorithms/described/options.hpp"

#include <utility>

#include "fathom/core/error.hpp"

namespace fathom {

OptionValues::OptionValues(std::span<const OptionInfo> options) {
  using enum OptionInfo::Kind;
  for (const OptionInfo& option : options) {
    Value value;
    switch (option.kind) {
      case Flag:
        value = false;
        break;
      case Count:
        value = option.count;
        break;
      case Real:
        value = option.real;
        break;
      case Mode:
        value = std::string(option.mode);
        break;
      case Vertex:
      case Vertices:
        value = ChosenVertices{};
        break;
      case Masses:
        value = std::vector<double>{};
        break;
      case Pairs:
        value = std::optional<VertexPairs>();
        break;
      case Table:
        continue;  // the caller's, who writes it
    }
    values_.emplace(option.name, std::move(value));
  }
}

template <class T>
const T& OptionValues::get(std::string_view name) const {
  const auto found = values_.find(name);
  const T* const value = found == values_.end() ? nullptr : std::get_if<T>(&found->second);
  if (!value)
    throw Error(ErrorCode::Internal, "there is no option " + std::string(name) + " of this kind");
  return *value;
}

template <class T>
void OptionValues::set(std::string_view name, T value) {
  get<T>(name);  // it is there, and of this kind
  values_.find(name)->second = std::move(value);
}

void OptionValues::set_flag(std::string_view name, bool value) {
  set(name, value);
}
void OptionValues::set_count(std::string_view name, std::uint64_t value) {
  set(name, value);
}
void OptionValues::set_real(std::string_view name, double value) {
  set(name, value);
}
void OptionValues::set_mode(std::string_view name, std::string value) {
  set(name, std::move(value));
}
void OptionValues::set_vertices(std::string_view name, ChosenVertices value) {
  set(name, std::move(value));
}
void OptionValues::set_masses(std::string_view name, std::vector<double> value) {
  set(name, std::move(value));
}
void OptionValues::set_pairs(std::string_view name, VertexPairs value) {
  set(name, std::optional(std::move(value)));
}
void OptionValues::set_as_in(const OptionValues& others, std::string_view name) {
  const auto theirs = others.values_.find(name);
  const auto ours = values_.find(name);
  if (theirs == others.values_.end() || ours == values_.end() ||
      theirs->second.index() != ours->second.index())
    throw Error(ErrorCode::Internal, "there is no option " + std::string(name) + " of one kind");
  ours->second = theirs->second;
}

bool OptionValues::flag(std::string_view name) const {
  return get<bool>(name);
}
std::uint64_t OptionValues::count(std::string_view name) const {
  return get<std::uint64_t>(name);
}
double OptionValues::real(std::string_view name) const {
  return get<double>(name);
}
const std::string& OptionValues::mode(std::string_view name) const {
  return get<std::string>(name);
}
const ChosenVertices& OptionValues::vertices(std::string_view name) const {
  return get<ChosenVertices>(name);
}
std::span<const double> OptionValues::masses(std::string_view name) const {
  return get<std::vector<double>>(name);
}
bool OptionValues::given(std::string_view name) const {
  return get<std::optional<VertexPairs>>(name).has_value();
}
const VertexPairs& OptionValues::pairs(std::string_view name) const {
  static const VertexPairs none;
  const auto& value = get<std::optional<VertexPairs>>(name);
  return value ? *value : none;
}

}  // namespace fathom
