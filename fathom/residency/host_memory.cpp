#include "fathom/residency/host_memory.hpp"

#include <algorithm>

#include "fathom/core/units.hpp"
#include "fathom/exec/pinned_pieces.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {
namespace {

void add_new(std::vector<std::string>& to, const std::string& one) {
  if (!one.empty() && std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

}  // namespace

HostMemoryBlock block_of(const PinnedPieces& pieces, std::string way) {
  HostMemoryBlock block;
  block.at = pieces.memory().data();
  block.way = std::move(way);
  block.bytes = pieces.memory().size();
  block.pinned_bytes = pieces.pinned();
  block.background_seconds = pieces.seconds();
  const std::string refusal = pieces.refusal();
  if (!refusal.empty())
    block.note = "the driver pinned " + format_bytes(block.pinned_bytes) + " of " +
                 format_bytes(block.bytes) +
                 ", copies of the rest go through the processor: " + refusal;
  return block;
}

void HostMemoryReport::add(const HostMemoryBlock& block) {
  if (std::find(counted_.begin(), counted_.end(), block.at) != counted_.end()) return;
  counted_.push_back(block.at);
  add_new(ways_, block.way);
  add_new(notes_, block.note);
  sum_.bytes += block.bytes;
  sum_.pinned_bytes += block.pinned_bytes;
  sum_.seconds += block.seconds;
  sum_.background_seconds += block.background_seconds;
}

HostMemoryReport host_memory_of(const Graph& graph) {
  HostMemoryReport report;
  graph.for_each_open(
      [&](const EdgeSource& source, store::Lists) { source.report_host_memory(report); });
  return report;
}

}  // namespace fathom
