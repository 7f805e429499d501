// Any bytes as a .fg file: open, walk, look up, verify; nothing but Error may come of it.
//
// The first byte of the input chooses what is put right before opening, since random bytes never
// match their checksums: nothing, the header's checksum, or all of them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fathom/store/store.hpp"
#include "tests/store_format/reseal.hpp"

namespace {

using fathom::store::Store;

std::uint64_t walk(const fathom::CsrView& lists) {
  std::uint64_t sum = 0;
  for (fathom::VertexId v = 0; v < lists.vertices; ++v)
    for (fathom::EdgeId e = lists.offset[v]; e < lists.offset[v + 1]; ++e)
      sum += lists.degree(lists.target[e]);
  return sum;
}

void use(const std::string& path) {
  const auto store = Store::open(path);
  auto attempt = [](const auto& action) {
    try {
      action();
    } catch (const fathom::Error& e) {
      if (e.code() != fathom::ErrorCode::BadInput && e.code() != fathom::ErrorCode::Usage) throw;
    }
  };
  attempt([&] { walk(store->out(1)); });
  attempt([&] {
    if (const auto in = store->in(1)) walk(*in);
  });
  attempt([&] {
    if (const auto oriented = store->oriented(1)) walk(*oriented);
  });
  attempt([&] {
    for (const auto& pair : store->interleaved(1)) store->out(1).degree(pair.target);
  });
  attempt([&] { store->find("17"); });
  attempt([&] { store->find(store->label(1)); });
  attempt([&] { store->out_degrees(); });
  attempt([&] { store->verify(1, {}); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int descriptor = ::memfd_create("fuzz_store", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  if (size == 0) return 0;
  std::vector<std::byte> file(size - 1);
  for (std::size_t i = 0; i < file.size(); ++i) file[i] = std::byte{data[i + 1]};
  if (data[0] % 3 == 1) fathom::store::reseal_header(file);
  if (data[0] % 3 == 2) fathom::store::reseal(file);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, file.data(), file.size(), 0) != static_cast<ssize_t>(file.size()))
    std::abort();
  try {
    use(path);
  } catch (const fathom::Error& e) {
    if (e.code() != fathom::ErrorCode::BadInput) throw;
  }
  return 0;
}
