// Any bytes as a .fg file, or edits of a whole one, given to what writes another: the other layout,
// or another order. What is written has as many vertices and edges, and verifies if the file did.
//
// The first byte says into what, the rest is as in store.cpp.
#include <numeric>

#include "fathom/store/make/permute.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/store_file.hpp"
#include "tests/fuzz/shared/edited_store.hpp"

namespace {

using namespace fathom;

constexpr std::size_t kMemoryBound = std::size_t{32} << 20;  // less is refused, whatever the file

const std::string& output_path() {
  static const std::string path = fuzzing::kMemory + std::string("out.fg");
  return path;
}

void repack(const std::string& path, unsigned how) {
  store::RepackOptions options;
  if ((how & 1u) != 0) options.slotted = store::SlottedOptions{store::kBlockBytes / 16, 2, 2};
  options.in_edges = (how & 2u) != 0;
  options.interleave_weights = (how & 4u) != 0;
  options.narrow = (how & 8u) != 0;
  options.packed = (how & 16u) != 0;
  options.memory = kMemoryBound;
  options.threads = 1;
  store::repack(path, output_path(), options);
}

void permute(const std::string& path) {
  const VertexId vertices = store::Store::open(path)->header().vertices;
  std::vector<VertexId> position(std::min<std::size_t>(vertices, 4096));
  std::iota(position.rbegin(), position.rend(), VertexId{0});
  store::PermuteOptions options;
  options.memory = kMemoryBound;
  options.threads = 1;
  store::permute(path, output_path(), position, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzzing::MemoryFile file;
  fuzzing::Input input(data, size);
  const unsigned how = input.byte();
  file.hold(fuzzing::store_of(input));
  const fuzzing::Removed output(output_path());
  const bool written = fuzzing::accepted(
      [&] {
        if (how % 3 == 0)
          permute(file.path());
        else
          repack(file.path(), how / 3u);
      },
      {ErrorCode::BadInput, ErrorCode::Usage, ErrorCode::DoesNotFit});
  if (!written) return 0;
  const auto after = store::Store::open(output_path());
  const auto verify = [&] { after->verify(1, {}); };
  // What makes no sense in spite of its checksums may be handed on, to be refused again.
  if (fuzzing::accepted([&] { store::Store::open(file.path())->verify(1, {}); }))
    verify();
  else
    fuzzing::accepted(verify);
  const store::StoreFile before(file.path());
  fuzzing::require(after->header().vertices == before.layout().header.vertices);
  fuzzing::require(after->header().edges == before.layout().header.edges);
  return 0;
}
