// Any bytes as a .fg file, or edits of a whole one: open, walk, look up, verify; nothing but Error
// may come of it.
#include <cstring>
#include <string>
#include <vector>

#include "fathom/residency/slotted/slotted_edges.hpp"
#include "fathom/store/packed/packed_lists.hpp"
#include "fathom/store/store.hpp"
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

void use(const std::string& path) {
  const auto store = Store::open(path);
  const auto attempt = [](const auto& action) {
    fathom::fuzzing::accepted(action, {fathom::ErrorCode::BadInput, fathom::ErrorCode::Usage});
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fathom::fuzzing::MemoryFile file;
  fathom::fuzzing::Input input(data, size);
  file.hold(fathom::fuzzing::store_of(input));
  fathom::fuzzing::accepted([&] { use(file.path()); });
  return 0;
}
