#include "device_arrays.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/exec/gpu_pointers.hpp"

namespace fathom::python {
namespace {

struct NamedType {
  const char* name;
  ColumnType type;
  std::size_t bytes;
};
constexpr std::array kTypes{
    NamedType{"<i4", ColumnType::Int32, 4},   NamedType{"<u4", ColumnType::UInt32, 4},
    NamedType{"<i8", ColumnType::Int64, 8},   NamedType{"<u8", ColumnType::UInt64, 8},
    NamedType{"<f4", ColumnType::Float32, 4}, NamedType{"<f8", ColumnType::Float64, 8}};

std::size_t bytes_of(ColumnType type) {
  for (const NamedType& its : kTypes)
    if (its.type == type) return its.bytes;
  return 0;
}

ColumnType column_type(const std::string& name, const std::string& type) {
  for (const NamedType& its : kTypes)
    if (type == its.name) return its.type;
  throw Error(ErrorCode::Usage,
              fmt::format("{}: expected integers or floats of 32 or 64 bits in the memory of a "
                          "GPU, found '{}'",
                          name, type));
}

/// A copy of a DeviceColumn.
class HostCopy final : public Column {
 public:
  HostCopy(std::string name, std::vector<std::byte> bytes, ValueColumn its, std::uint64_t size)
      : Column(std::move(name)), bytes_(std::move(bytes)), its_(its), size_(size) {
    its_.values = bytes_.data();
    if (its_.stride < 0) its_.values = bytes_.data() + bytes_.size() - bytes_of(its_.type);
  }
  std::uint64_t size() const override { return size_; }
  bool integers() const override { return its_.is_label_type(); }

  using Column::read;
  void read(std::uint64_t first, std::span<std::uint64_t> into) const override {
    if (!integers()) return Column::read(first, into);
    for (std::size_t i = 0; i < into.size(); ++i)
      if (!its_.label(first + i, into[i]))
        refuse(first + i, "an integer of at least 0",
               fmt::format("{}", static_cast<std::int64_t>(into[i])));
  }
  void read(std::uint64_t first, std::span<double> into) const override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = its_.number(first + i);
  }

 private:
  std::vector<std::byte> bytes_;
  ValueColumn its_;
  std::uint64_t size_;
};

Context context_of(int ordinal) {
  CudaOptions options;
  options.device = ordinal;
  return Context::cuda(options);
}

/// The context by which arrays of a GPU are made and copied; one call at a time. Kept.
struct Transfer {
  explicit Transfer(int ordinal) : context(context_of(ordinal)) {}
  Context context;
  std::mutex mutex;
  const pid_t process = ::getpid();
};

Transfer& transfer_of(int ordinal) {
  static auto* const mutex = new std::mutex;
  static auto* const all = new std::map<int, std::unique_ptr<Transfer>>;
  const std::lock_guard lock(*mutex);
  auto& its = (*all)[ordinal];
  if (!its) its = std::make_unique<Transfer>(ordinal);
  if (its->process != ::getpid())
    throw Error(ErrorCode::Device,
                "a process that was forked after a GPU was used cannot use it: start processes by "
                "multiprocessing's 'spawn'");
  return *its;
}

using HostValues = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Writable = nb::ndarray<nb::numpy, nb::c_contig, nb::device::cpu>;

std::string type_name(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  const char kind = code == Code::Int     ? 'i'
                    : code == Code::UInt  ? 'u'
                    : code == Code::Float ? 'f'
                    : code == Code::Bool  ? 'b'
                                          : '?';
  return fmt::format("{}{}{}", type.bits == 8 ? '|' : '<', kind, type.bits / 8);
}

nb::dlpack::dtype dlpack_type(const std::string& name) {
  using Code = nb::dlpack::dtype_code;
  const Code code = name[1] == 'i'   ? Code::Int
                    : name[1] == 'u' ? Code::UInt
                    : name[1] == 'f' ? Code::Float
                                     : Code::Bool;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * (name[2] - '0')), 1};
}

std::shared_ptr<DeviceArray> to_device(const HostValues& values, int ordinal) {
  auto array = std::make_shared<DeviceArray>();
  for (std::size_t i = 0; i < values.ndim(); ++i) array->shape.push_back(values.shape(i));
  array->type = type_name(values.dtype());
  array->ordinal = ordinal;
  Watched watched;
  call(watched, [&] {
    Transfer& transfer = transfer_of(ordinal);
    const std::lock_guard lock(transfer.mutex);
    const std::size_t bytes = values.nbytes();
    auto memory = std::make_shared<Array<std::byte>>(std::max<std::size_t>(1, bytes),
                                                     transfer.context.devices()[0].memory());
    if (bytes > 0) transfer.context.copy(memory->data(), values.data(), bytes);
    array->values = memory->data();
    array->owner = std::move(memory);
  });
  return array;
}

void to_host(const DeviceArray& array, const Writable& into) {
  Watched watched;
  call(watched, [&] {
    if (into.nbytes() == 0) return;
    Transfer& transfer = transfer_of(array.ordinal);
    const std::lock_guard lock(transfer.mutex);
    transfer.context.copy(into.data(), array.values, into.nbytes());
  });
}

/// What exports it by DLPack.
nb::object exported(const std::shared_ptr<DeviceArray>& array) {
  auto* const kept = new std::shared_ptr<DeviceArray>(array);
  const nb::capsule capsule(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<DeviceArray>*>(p); });
  return nb::cast(nb::ndarray<nb::array_api, nb::device::cuda>(
      array->values, array->shape.size(), array->shape.data(), capsule, nullptr,
      dlpack_type(array->type), nb::device::cuda::value, array->ordinal));
}

/// (pointer, shape, strides, type, ordinal, what keeps it) of what comes by DLPack.
nb::tuple imported(const nb::ndarray<nb::ro, nb::device::cuda>& values) {
  nb::list shape, strides;
  for (std::size_t i = 0; i < values.ndim(); ++i) {
    shape.append(values.shape(i));
    strides.append(values.stride(i));
  }
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(values.data()), shape, strides,
                        type_name(values.dtype()), values.device_id(), nb::cast(values));
}

}  // namespace

DeviceColumn::DeviceColumn(std::string name, std::uint64_t pointer, std::uint64_t size,
                           std::int64_t stride, const std::string& type, nb::object owner)
    : Column(std::move(name)), size_(size), owner_(std::move(owner)) {
  its_ = {reinterpret_cast<const void*>(pointer), stride, column_type(this->name(), type)};
}

void DeviceColumn::refuse_place(const std::string& where) const {
  throw Error(ErrorCode::Usage,
              fmt::format("{}: the array is in the memory of a GPU, and the graph {}: copy it to "
                          "the host, or make the graph where the array is",
                          name(), where));
}

void DeviceColumn::read(std::uint64_t, std::span<std::uint64_t>) const {
  refuse_place("in that of the host");
}
void DeviceColumn::read(std::uint64_t, std::span<double>) const {
  refuse_place("in that of the host");
}

void DeviceColumn::check_place(const Context& ctx) const {
  if (!ctx.on_gpu()) refuse_place("in that of the host");
  if (size_ == 0) return;
  const int ordinal = gpu_of_pointer(its_.values);
  if (ordinal != ctx.devices()[0].ordinal())
    refuse_place(fmt::format("in that of GPU {}", ctx.devices()[0].ordinal()));
}

std::shared_ptr<Column> DeviceColumn::on_host(const Context& ctx) const {
  const std::size_t width = bytes_of(its_.type);
  std::vector<std::byte> bytes;
  if (size_ > 0) {
    const auto apart = static_cast<std::size_t>(std::abs(its_.stride)) * (size_ - 1);
    bytes.resize((apart + 1) * width);
    const auto* first = static_cast<const std::byte*>(its_.values);
    if (its_.stride < 0) first -= apart * width;
    ctx.copy(bytes.data(), first, bytes.size());
  }
  return std::make_shared<HostCopy>(name(), std::move(bytes), its_, size_);
}

void wait_for_writers(const Context& ctx) {
  wait_for_gpu(ctx.devices()[0].ordinal());
}

void add_device_arrays(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray")
      .def_prop_ro("pointer",
                   [](const DeviceArray& a) { return reinterpret_cast<std::uintptr_t>(a.values); })
      .def_prop_ro("shape", [](const DeviceArray& a) { return nb::tuple(nb::cast(a.shape)); })
      .def_ro("type", &DeviceArray::type)
      .def_ro("device", &DeviceArray::ordinal)
      .def("to_host", to_host, nb::arg("into").noconvert(),
           nb::sig("def to_host(self, into: NDArray[Any]) -> None"))
      .def("exported", [](const std::shared_ptr<DeviceArray>& a) { return exported(a); });
  module.def("to_device", to_device, nb::arg("values").noconvert(), nb::arg("device"),
             nb::sig("def to_device(values: NDArray[Any], device: int) -> DeviceArray"));
  module.def("imported", imported, nb::arg("values").noconvert(),
             nb::sig("def imported(values: Any) -> tuple[Any, ...]"),
             "(pointer, shape, strides in values, type, device, what keeps it) of an array that\n"
             "comes by DLPack from a GPU.");
  module.def(
      "device_column",
      [](const std::string& name, std::uint64_t pointer, std::uint64_t size, std::int64_t stride,
         const std::string& type, nb::object owner) -> std::shared_ptr<Column> {
        return std::make_shared<DeviceColumn>(name, pointer, size, stride, type, std::move(owner));
      },
      nb::arg("name"), nb::arg("pointer"), nb::arg("size"), nb::arg("stride"), nb::arg("type"),
      nb::arg("owner"), "A column in the memory of a GPU, which `owner` keeps.");
}

}  // namespace fathom::python
