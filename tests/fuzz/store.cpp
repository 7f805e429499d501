// Any bytes as a .fg file: open, walk, look up, verify; nothing but Error may come of it.
//
// The first byte of the input says how the rest is used: as the file itself, or as edits (position,
// value) of a small whole file, of which the checksums are put right afterwards, since random bytes
// never match them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fathom/residency/slotted_edges.hpp"
#include "fathom/store/store.hpp"
#include "tests/cpu/store/sample.hpp"
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

std::uint64_t walk(const fathom::store::SlottedLists& lists) {
  lists.check(0, lists.rvt.size());
  const fathom::store::RvtTables tables(lists.rvt, lists.vertices);
  std::vector<const std::byte*> page_at;
  for (std::size_t p = 0; p < lists.rvt.size(); ++p) page_at.push_back(lists.page(p));
  const auto edges = fathom::slotted_edges(page_at.data(), tables.view(), lists.layout);
  std::uint64_t sum = 0;
  for (fathom::VertexId v = 0; v < lists.vertices; ++v) {
    auto cursor = edges.begin(v);
    fathom::SlottedSpan s;
    while (edges.next(cursor, s))
      for (std::uint32_t i = 0; i < s.size; ++i)
        sum += lists.offset[s.target(i) + 1] + static_cast<std::uint64_t>(s.weight(i) > 0);
  }
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
  attempt([&] {
    if (const auto pages = store->slotted_out(1)) walk(*pages);
  });
  attempt([&] {
    if (const auto pages = store->slotted_in(1)) walk(*pages);
  });
  attempt([&] { store->find("17"); });
  attempt([&] { store->find(store->label(1)); });
  attempt([&] { store->out_degrees(); });
  attempt([&] { store->verify(1, {}); });
}

// Whole files to start from, and where they have bytes that are not padding.
struct Base {
  explicit Base(const fathom::store::Sample& sample, bool slotted = false) {
    const fathom::store::TemporaryDirectory directory;
    if (slotted)
      write_slotted_sample(directory.file("a.fg"), sample, {4096, 3, 3});
    else
      write_sample(directory.file("a.fg"), sample);
    image = fathom::store::read_file(directory.file("a.fg"));
    const auto layout = fathom::store::decode_header("a.fg", image, image.size());
    auto add = [&](std::size_t first, std::size_t bytes) {
      for (std::size_t i = first; i < first + bytes; ++i) position.push_back(i);
    };
    add(0, sizeof(fathom::store::DiskHeader) +
               layout.sections.size() * sizeof(fathom::store::SectionEntry));
    for (const auto& s : layout.sections) add(s.offset, s.bytes);
  }
  std::vector<std::byte> image;
  std::vector<std::size_t> position;
};

std::vector<Base> make_bases() {
  fathom::store::Sample undirected;
  undirected.vertices = 3;
  undirected.edges = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}};
  undirected.undirected = true;
  undirected.labels = fathom::store::LabelKind::Integers;
  undirected.integers = {3, 17, 90};
  undirected.oriented = {{0, 1}, {2, 1}};
  fathom::store::Sample pages = fathom::store::random_sample(60, 200, true);
  for (fathom::VertexId v = 0; v < 500; ++v) pages.edges.push_back({7, v % 60, 2});
  pages.in_edges = true;
  return {Base({}), Base(fathom::store::sample_with_everything()), Base(undirected),
          Base(pages, true)};
}

std::vector<std::byte> file_of(std::span<const std::uint8_t> input) {
  static const std::vector<Base> bases = make_bases();
  const std::size_t mode =
      input[0] % 9;  // 0: raw; 1, 2: edits of base 0, sealed partly, fully; ...
  input = input.subspan(1);
  if (mode == 0) {
    const auto bytes = std::as_bytes(input);
    return {bytes.begin(), bytes.end()};
  }
  const Base& base = bases[(mode - 1) / 2];
  std::vector<std::byte> file = base.image;
  for (; input.size() >= 3; input = input.subspan(3)) {
    const std::size_t at = input[0] + std::size_t{256} * input[1];
    file[base.position[at % base.position.size()]] = std::byte{input[2]};
  }
  if (mode % 2 == 0)
    fathom::store::reseal(file);
  else
    fathom::store::reseal_header(file);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int descriptor = ::memfd_create("fuzz_store", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  if (size == 0) return 0;
  const std::vector<std::byte> file = file_of({data, size});
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
