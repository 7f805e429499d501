#include "fathom/algorithms/described/algorithm.hpp"

#include "fathom/core/error.hpp"

namespace fathom {

OptionValues::OptionValues(std::span<const OptionInfo> options) {
  for (const OptionInfo& option : options) {
    Value& value = values_[std::string(option.name)];
    if (option.kind == OptionInfo::Kind::Flag) value = false;
    if (option.kind == OptionInfo::Kind::Count) value = option.count;
    if (option.kind == OptionInfo::Kind::Real) value = option.real;
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
  values_.find(name)->second = value;
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

bool OptionValues::flag(std::string_view name) const {
  return get<bool>(name);
}
std::uint64_t OptionValues::count(std::string_view name) const {
  return get<std::uint64_t>(name);
}
double OptionValues::real(std::string_view name) const {
  return get<double>(name);
}

}  // namespace fathom
