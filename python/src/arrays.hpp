// NumPy arrays over memory that C++ owns.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fathom::python {

namespace nb = nanobind;

/// A read-only array that keeps `owner` alive; nothing is copied.
template <class T>
nb::object shared_array(std::span<const T> values, std::shared_ptr<const void> owner) {
  auto* const kept = new std::shared_ptr<const void>(std::move(owner));
  const nb::capsule capsule(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  static const T nothing{};
  const T* const data = values.empty() ? &nothing : values.data();
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {values.size()}, capsule));
}

/// An array of what a vector held.
template <class T>
nb::object owned_array(std::vector<T>&& values) {
  const auto kept = std::make_shared<std::vector<T>>(std::move(values));
  auto* const owner = new std::shared_ptr<std::vector<T>>(kept);
  const nb::capsule capsule(
      owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<std::vector<T>>*>(p); });
  static T nothing{};
  T* const data = kept->empty() ? &nothing : kept->data();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {kept->size()}, capsule));
}

}  // namespace fathom::python
