// Arrays in the memory of GPUs: those of others, as columns, and those that results are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "columns.hpp"
#include "fathom/dynamic/labels/label_columns.hpp"
#include "fathom/exec/context.hpp"

namespace fathom::python {

/// A column in the memory of a GPU. Cannot be read from the host: on_host() makes one that can.
class DeviceColumn final : public Column {
 public:
  /// `type`: as NumPy spells it ("<i8"). `owner` keeps the values. @throws Error(Usage)
  DeviceColumn(std::string name, std::uint64_t pointer, std::uint64_t size, std::int64_t stride,
               const std::string& type, nb::object owner);

  std::uint64_t size() const override { return size_; }
  bool integers() const override { return its_.is_label_type(); }
  const ValueColumn& its() const { return its_; }

  using Column::read;
  void read(std::uint64_t first, std::span<std::uint64_t> into) const override;
  void read(std::uint64_t first, std::span<double> into) const override;

  /// Once what writes it is done. @throws Error(Usage) where it is not in the memory of the GPU of
  /// `ctx`
  void check_place(const Context& ctx) const;
  /// A copy, with the same name.
  std::shared_ptr<Column> on_host(const Context& ctx) const;

 private:
  [[noreturn]] void refuse_place(const std::string& where) const;

  ValueColumn its_;
  std::uint64_t size_;
  nb::object owner_;
};

/// An array in the memory of a GPU, whole and written; `owner` has the memory.
struct DeviceArray {
  std::shared_ptr<const void> owner;
  void* values = nullptr;
  std::vector<std::size_t> shape;
  std::string type;  // as NumPy spells it
  int ordinal = 0;
};

/// Waits for what anybody has started on the GPU of `ctx`, which may write such arrays.
void wait_for_writers(const Context& ctx);

void add_device_arrays(nb::module_& module);

}  // namespace fathom::python
