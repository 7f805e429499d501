// Any bytes as a .fg file, or edits of a whole one, given to what writes another: the other layout,
// or another order. What is written verifies, and has as many vertices and edges.
//
// The first byte says into what, the rest is as in store.cpp.
#include <numeric>

#include "fathom/store/permute.hpp"
#include "fathom/store/repack.hpp"
#include "tests/fuzz/shared/edited_store.hpp"

namespace {

using namespace fathom;

const std::string& output_path() {
  static const std::string path = fuzzing::kMemory + std::string("out.fg");
  return path;
}

void repack(const std::string& path, unsigned how) {
  store::RepackOptions options;
  if ((how & 1u) != 0) options.slotted = store::SlottedOptions{store::kBlockBytes / 16, 2, 2};
  options.in_edges = (how & 2u) != 0;
  options.interleave_weights = (how & 4u) != 0;
  options.memory = std::size_t{16} << 20;
  options.threads = 1;
  store::repack(path, output_path(), options);
}

void permute(const std::string& path) {
  const VertexId vertices = store::Store::open(path)->header().vertices;
  std::vector<VertexId> position(std::min<std::size_t>(vertices, 4096));
  std::iota(position.rbegin(), position.rend(), VertexId{0});
  store::PermuteOptions options;
  options.memory = std::size_t{16} << 20;
  options.threads = 1;
  store::permute(path, output_path(), position, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzzing::MemoryFile file;
  fuzzing::Input input(data, size);
  const unsigned how = input.byte();
  file.hold(fuzzing::store_of(input));
  fuzzing::remove_memory(output_path());  // to replace a file takes several calls more
  const bool written = fuzzing::accepted(
      [&] {
        if (how % 3 == 0)
          permute(file.path());
        else
          repack(file.path(), how / 3u);
      },
      {ErrorCode::BadInput, ErrorCode::Usage, ErrorCode::DoesNotFit});
  if (!written) return 0;
  const auto before = store::Store::open(file.path()), after = store::Store::open(output_path());
  after->verify(1, {});
  fuzzing::require(after->header().vertices == before->header().vertices);
  fuzzing::require(after->header().edges == before->header().edges);
  return 0;
}
