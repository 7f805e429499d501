// Any bytes as a stream of updates, lines or records: in batches of any size they come to the same
// graph, or are refused with the same words.
//
// The first two bytes say what graph it is and how many updates a batch has.
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/updates/update_input.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"
#include "tests/suites/logged_graphs.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

struct Outcome {
  std::vector<std::string> graph;
  std::string refused;  // in which words
  std::uint64_t taken = 0;
};

Outcome streamed(const std::string& path, std::uint8_t kind, std::size_t most, int threads) {
  const dynamic::LoggedGraph& its_kind = dynamic::kLoggedGraphs[kind % 4];
  DynamicGraphOptions options = dynamic::logged_options(its_kind);
  options.edges = static_cast<EdgeKind>((kind >> 2) % 3);
  dynamic::ChangingGraph its{
      DynamicGraph(dynamic::logged_context(), options),
      its_kind.strings ? dynamic::VertexLabels::of_any() : dynamic::VertexLabels(false)};
  Outcome outcome;
  std::uint64_t items = 0;
  dynamic::UpdateBatch batch(its.graph, its.labels, threads);
  try {
    dynamic::UpdateInput input(path, Task(), threads == 1 ? dynamic::UpdateInput::kLeastPiece : 24);
    const auto take = [&](std::string_view) { ++items; };
    for (bool more = true; more;) {
      batch.clear();
      more = most == 1 ? input.fill(batch, most) : input.fill(batch, most, take);
      require(batch.updates() <= most);
      if (most != 1) require(items == input.number());
      if (batch.updates() > 0) batch.apply();
      outcome.taken = input.number();
    }
  } catch (const Error& e) {
    require(e.code() == ErrorCode::BadInput || e.code() == ErrorCode::Usage ||
            e.code() == ErrorCode::DoesNotFit);
    outcome.refused = e.what();
    // What stands before it in the same batch was not applied.
    return outcome;
  }
  outcome.graph = dynamic::described(its);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 4096) return 0;
  static fuzzing::MemoryFile file;
  file.hold(data + 2, size - 2);
  const Outcome one = streamed(file.path(), data[0], 1, 1);
  const Outcome many = streamed(file.path(), data[0], 2 + data[1], 3);
  // A batch that does not fit may be the smaller one's, or not.
  if (one.refused.find("fit") != std::string::npos || many.refused.find("fit") != std::string::npos)
    return 0;
  require(one.refused == many.refused);
  require(one.graph == many.graph);
  require(!one.refused.empty() || one.taken == many.taken);
  return 0;
}
