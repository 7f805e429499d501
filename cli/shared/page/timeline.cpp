#include "cli/shared/page/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace fathom::cli {
namespace {

struct Lane {
  std::uint64_t spans = 0, bytes = 0;
  double busy = 0, busy_until = 0;  // microseconds
  std::vector<double> active = std::vector<double>(kTimelineBins, 0);

  void add(const Trace::Span& span, double bin) {
    const double began = std::max(0., span.from);  // a GPU's clock is not quite the host's
    ++spans;
    bytes += span.bytes;
    busy += std::max(0., span.to - std::max(began, busy_until));
    busy_until = std::max(busy_until, span.to);
    const auto first = std::min(kTimelineBins - 1, static_cast<std::size_t>(began / bin));
    for (std::size_t i = first; i < kTimelineBins && static_cast<double>(i) * bin < span.to; ++i) {
      const double from = std::max(began, static_cast<double>(i) * bin);
      active[i] += std::max(0., std::min(span.to, static_cast<double>(i + 1) * bin) - from) / bin;
    }
  }
};

}  // namespace

Json timeline(const Trace& trace) {
  const std::vector<Trace::Span> spans = trace.spans();
  double end = 0;
  for (const Trace::Span& span : spans) end = std::max(end, span.to);
  if (!(end > 0)) return nullptr;
  std::map<std::string, Lane> lanes;
  for (const Trace::Span& span : spans)
    lanes[span.lane].add(span, end / static_cast<double>(kTimelineBins));
  Json json{{"seconds", end / 1e6}, {"lanes", Json::array()}};
  for (auto& [name, lane] : lanes) {
    for (double& value : lane.active) value = std::round(value * 1000) / 1000;
    json["lanes"].push_back({{"name", name},
                             {"spans", lane.spans},
                             {"busy_seconds", lane.busy / 1e6},
                             {"bytes", lane.bytes},
                             {"active", lane.active}});
  }
  return json;
}

}  // namespace fathom::cli
