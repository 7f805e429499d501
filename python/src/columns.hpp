// Columns of vertices and of weights, as arrays and tables of Python have them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "call.hpp"
#include "fathom/core/platform.hpp"

namespace fathom::python {

/// Values by position. Reading asks no lock of the interpreter; whoever reads keeps the column.
class Column {
 public:
  explicit Column(std::string name) : name_(std::move(name)) {}
  virtual ~Column() = default;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  const std::string& name() const { return name_; }
  virtual std::uint64_t size() const = 0;
  virtual bool strings() const { return false; }
  /// Whether the values are integers (else floats, or strings).
  virtual bool integers() const = 0;

  // Each reads values [first, first + into.size()).
  /// @throws Error(BadInput) for a negative or missing value, Error(Usage) where there are others.
  virtual void read(std::uint64_t first, std::span<std::uint64_t> into) const;
  virtual void read(std::uint64_t first, std::span<std::string_view> into) const;
  /// Of any numbers, as they are. @throws Error(BadInput) for a missing value.
  virtual void read(std::uint64_t first, std::span<double> into) const;

 protected:
  [[noreturn]] void refuse(std::uint64_t at, const std::string& expected,
                           const std::string& found) const;

 private:
  std::string name_;
};

/// A weight as lists hold it; `rounded` counts those that binary32 does not hold exactly.
/// @throws Error(BadInput) that names the column and the place.
Weight weight_of(double value, const std::string& name, std::uint64_t at, std::uint64_t& rounded);

/// Registers the classes of columns: of NumPy arrays, lists of strings, and Arrow streams.
void add_columns(nb::module_& module);
void add_arrow_columns(nb::module_& module);
/// And what makes Arrow streams of columns.
void add_arrow_export(nb::module_& module);

}  // namespace fathom::python
