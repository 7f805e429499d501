#include "columns.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "fathom/core/error.hpp"

namespace fathom::python {
namespace {

/// A NumPy array, of any stride.
template <class T>
class NumberColumn final : public Column {
 public:
  using Values = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

  NumberColumn(std::string name, Values values)
      : Column(std::move(name)), values_(std::move(values)) {}

  std::uint64_t size() const override { return values_.size(); }
  bool integers() const override { return std::is_integral_v<T>; }

  using Column::read;
  void read(std::uint64_t first, std::span<std::uint64_t> into) const override {
    if constexpr (std::is_integral_v<T>) {
      for (std::size_t i = 0; i < into.size(); ++i) {
        const T value = at(first + i);
        if (std::is_signed_v<T> && value < 0)
          refuse(first + i, "an integer of at least 0", fmt::format("{}", value));
        into[i] = static_cast<std::uint64_t>(value);
      }
    } else {
      Column::read(first, into);
    }
  }
  void read(std::uint64_t first, std::span<double> into) const override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<double>(at(first + i));
  }

 private:
  T at(std::uint64_t i) const {
    return values_.data()[static_cast<std::int64_t>(i) * values_.stride(0)];
  }
  Values values_;
};

/// A list of str, or of bytes; their bytes are those of the objects.
class TextColumn final : public Column {
 public:
  TextColumn(std::string name, nb::list values)
      : Column(std::move(name)), values_(std::move(values)) {
    views_.reserve(nb::len(values_));
    for (const nb::handle value : values_) views_.push_back(view_of(value));
  }

  std::uint64_t size() const override { return views_.size(); }
  bool strings() const override { return true; }
  bool integers() const override { return false; }

  using Column::read;
  void read(std::uint64_t first, std::span<std::string_view> into) const override {
    std::copy_n(views_.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  }

 private:
  std::string_view view_of(nb::handle value) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyUnicode_Check(value.ptr())) {
      if (const char* const utf8 = PyUnicode_AsUTF8AndSize(value.ptr(), &size))
        return {utf8, static_cast<std::size_t>(size)};
      PyErr_Clear();  // bytes that are no UTF-8
      encoded_.push_back(
          nb::steal(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape")));
      if (!encoded_.back().is_valid()) {
        PyErr_Clear();  // nor anything else that bytes could have been
        refuse(views_.size(), "a string that UTF-8 can spell", nb::repr(value).c_str());
      }
      value = encoded_.back();
    }
    if (!PyBytes_Check(value.ptr())) refuse(views_.size(), "a string", nb::repr(value).c_str());
    if (PyBytes_AsStringAndSize(value.ptr(), &data, &size) != 0) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
  }

  nb::list values_;  // keeps the bytes
  std::vector<nb::object> encoded_;
  std::vector<std::string_view> views_;
};

template <class T>
void add_numbers(nb::module_& module) {
  module.def(
      "number_column",
      [](const std::string& name,
         typename NumberColumn<T>::Values values) -> std::shared_ptr<Column> {
        return std::make_shared<NumberColumn<T>>(name, std::move(values));
      },
      nb::arg("name"), nb::arg("values").noconvert());
}

}  // namespace

void Column::read(std::uint64_t, std::span<std::uint64_t>) const {
  throw Error(ErrorCode::Usage, fmt::format("{}: expected integers, found {}", name_,
                                            strings() ? "strings" : "floating point numbers"));
}

void Column::read(std::uint64_t, std::span<std::string_view>) const {
  throw Error(ErrorCode::Usage, fmt::format("{}: expected strings, found numbers", name_));
}

void Column::read(std::uint64_t, std::span<double>) const {
  throw Error(ErrorCode::Usage, fmt::format("{}: expected numbers, found strings", name_));
}

void Column::refuse(std::uint64_t at, const std::string& expected, const std::string& found) const {
  throw Error(ErrorCode::BadInput,
              fmt::format("{}[{}]: expected {}, found {}", name_, at, expected, found));
}

Weight weight_of(double value, const std::string& name, std::uint64_t at, std::uint64_t& rounded) {
  const auto weight = static_cast<Weight>(value);
  if (!std::isfinite(weight))
    throw Error(ErrorCode::BadInput,
                fmt::format("{}[{}]: expected a finite number that binary32 holds, found {}", name,
                            at, value));
  if (static_cast<double>(weight) != value) ++rounded;
  return weight;
}

void add_columns(nb::module_& module) {
  nb::class_<Column>(module, "Column")
      .def_prop_ro("size", &Column::size)
      .def_prop_ro("strings", &Column::strings)
      .def_prop_ro("integers", &Column::integers);
  add_numbers<std::int64_t>(module);
  add_numbers<std::int32_t>(module);
  add_numbers<std::uint64_t>(module);
  add_numbers<std::uint32_t>(module);
  add_numbers<double>(module);
  add_numbers<float>(module);
  module.def(
      "text_column",
      [](const std::string& name, nb::list values) -> std::shared_ptr<Column> {
        return std::make_shared<TextColumn>(name, std::move(values));
      },
      nb::arg("name"), nb::arg("values"));
}

}  // namespace fathom::python
