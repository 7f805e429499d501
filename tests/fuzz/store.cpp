// Any bytes as a .fg file, or edits of a whole one: open, walk, look up, verify; nothing but Error
// may come of it.
#include <cstring>
#include <string>
#include <vector>

#include "fathom/residency/slotted/slotted_edges.hpp"
#include "fathom/store/packed/packed_lists.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/part_store.hpp"
#include "fathom/store/parts/partition.hpp"
#include "tests/fuzz/shared/edited_store.hpp"

namespace {

using fathom::store::Store;

// What lies behind a section of a mapped file can be read, and would go unseen.
fathom::VertexId target_in(fathom::VertexId vertices, fathom::VertexId v) {
  fathom::fuzzing::require(v < vertices);
  return v;
}

std::uint64_t walk(const fathom::CsrView& lists) {
  std::uint64_t sum = 0;
  for (fathom::VertexId v = 0; v < lists.vertices; ++v)
    for (fathom::EdgeId e = lists.offset[v]; e < lists.offset[v + 1]; ++e)
      sum += lists.degree(target_in(lists.vertices, lists.target[e]));
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
        sum += lists.offset[target_in(lists.vertices, s.target(i)) + 1] +
               static_cast<std::uint64_t>(s.weight(i) > 0);
  }
  return sum;
}

std::uint64_t walk(const fathom::store::NarrowLists& lists) {
  std::vector<fathom::VertexId> target(lists.edges);
  std::vector<std::uint32_t> code(lists.weighted() ? lists.edges : 0);
  fathom::store::read_entries(lists.layout, lists.words, 0, target, code);
  std::uint64_t sum = 0;
  for (const fathom::VertexId v : target) sum += lists.offset[target_in(lists.vertices, v) + 1];
  for (const std::uint32_t c : code) {
    fathom::fuzzing::require(c < lists.values.size());
    sum += static_cast<std::uint64_t>(lists.values[c] > 0);
  }
  return sum;
}

std::uint64_t walk(const Store& store, std::string_view section,
                   const fathom::store::PackedLists& lists) {
  for (const fathom::store::SectionInfo& s : store.sections())
    if (s.name == section)
      fathom::fuzzing::require((lists.index.back() + fathom::store::packed::kPadWords) *
                                   sizeof(std::uint32_t) ==
                               s.bytes);
  std::vector<fathom::VertexId> target(lists.edges);
  std::vector<fathom::Weight> weight(lists.weights ? lists.edges : 0);
  fathom::store::unpack_all(lists, 1, target, weight);
  std::uint64_t sum = 0;
  for (const fathom::VertexId v : target) sum += lists.offset[target_in(lists.vertices, v) + 1];
  for (const fathom::Weight w : weight) sum += static_cast<std::uint64_t>(w > 0);
  const fathom::store::PackedWeights& codes = lists.weights;
  for (std::size_t e = 0; codes.code_bytes > 0 && e < weight.size(); ++e) {
    std::uint32_t code = 0;
    std::memcpy(&code, codes.at + e * codes.code_bytes, codes.code_bytes);
    fathom::fuzzing::require(code < codes.values.size());
  }
  return sum;
}

std::uint64_t walk(const fathom::store::PartLists& lists) {
  const auto& range = lists.range;
  fathom::fuzzing::require(range.first <= range.last && range.last <= lists.vertices);
  std::uint64_t sum = 0;
  for (fathom::VertexId v = range.first; v < range.last; ++v) {
    fathom::fuzzing::require(lists.offset[v] >= range.begin && lists.offset[v + 1] <= range.end);
    for (fathom::EdgeId p = lists.offset[v]; p < lists.offset[v + 1]; ++p) {
      sum += lists.offset[target_in(lists.vertices, lists.target[p - range.begin])];
      if (lists.weight) sum += static_cast<std::uint64_t>(lists.weight[p - range.begin] > 0);
    }
  }
  return sum;
}

void use(const std::string& path) {
  const auto store = fathom::store::PartStore::open(path);
  const auto attempt = [](const auto& action) {
    fathom::fuzzing::accepted(action, {fathom::ErrorCode::BadInput, fathom::ErrorCode::Usage});
  };
  attempt([&] {
    if (store->part()) walk(store->part_out(1));
  });
  attempt([&] {
    if (!store->part()) return;
    if (const auto in = store->part_in(1)) walk(*in);
  });
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
  attempt([&] {
    if (const auto narrow = store->narrow_out(1)) walk(*narrow);
  });
  attempt([&] {
    if (const auto narrow = store->narrow_in(1)) walk(*narrow);
  });
  attempt([&] {
    if (const auto packed = store->packed_out(1)) walk(*store, "out.packed", *packed);
  });
  attempt([&] {
    if (const auto packed = store->packed_in(1))
      walk(*store, store->header().symmetric ? "out.packed" : "in.packed", *packed);
  });
  attempt([&] { store->find("17"); });
  attempt([&] { store->find(store->label(1)); });
  attempt([&] { store->out_degrees(); });
  attempt([&] { store->verify(1, {}); });
}

/// The second of two parts, of which modes of store_of() have none: other targets refuse parts.
const fathom::fuzzing::BaseStore& part() {
  static const fathom::fuzzing::BaseStore base = [] {
    const fathom::store::TemporaryDirectory directory;
    write_sample(directory.file("a.fg"), fathom::store::sample_with_everything());
    fathom::store::PartitionOptions options;
    options.parts = 2;
    const std::string parts = directory.file("parts");
    partition(directory.file("a.fg"), parts, options);
    return fathom::fuzzing::BaseStore(
        fathom::store::read_file(fathom::store::part_path(parts, 1, 2)));
  }();
  return base;
}
constexpr std::uint8_t kEditsOfPart = 255;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fathom::fuzzing::MemoryFile file;
  fathom::fuzzing::Input input(data, size);
  if (size > 0 && data[0] == kEditsOfPart) {
    input.byte();
    file.hold(part().edited(input.rest(), fathom::fuzzing::Seal::All));
  } else {
    file.hold(fathom::fuzzing::store_of(input));
  }
  fathom::fuzzing::accepted([&] { use(file.path()); });
  return 0;
}
