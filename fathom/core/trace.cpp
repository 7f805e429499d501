#include "fathom/core/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fathom {

void Trace::add(const char* lane, std::string what, Clock::time_point from, Clock::time_point to,
                std::uint64_t bytes) {
  auto since = [&](Clock::time_point t) {
    return std::chrono::duration<double, std::micro>(t - start_).count();
  };
  const std::lock_guard lock(mutex_);
  spans_.push_back({lane, std::move(what), since(from), since(to), bytes});
}

std::vector<Trace::Span> Trace::spans() const {
  std::vector<Span> spans;
  {
    const std::lock_guard lock(mutex_);
    spans = spans_;
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.from < b.from; });
  return spans;
}

std::string Trace::json() const {
  // Rows of a lane, as threads of one process: when each is free again, and its number.
  struct Row {
    double free_at;
    int number;
  };
  std::map<std::string, std::vector<Row>> rows;
  int next = 0;
  std::string names, events;
  for (const Span& s : spans()) {
    auto& lane = rows[s.lane];
    auto row =
        std::find_if(lane.begin(), lane.end(), [&](const Row& r) { return r.free_at <= s.from; });
    if (row == lane.end()) {
      names += fmt::format(
          "{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":{},\"args\":{{\"name\":\"{} "
          "{}\"}}}},\n",
          next, s.lane, lane.size());
      row = lane.insert(lane.end(), {0, next++});
    }
    row->free_at = s.to;
    events += fmt::format(
        "{}{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{:.3f},"
        "\"dur\":{:.3f},\"args\":{{\"bytes\":{}}}}}",
        events.empty() ? "" : ",\n", s.what, s.lane, row->number, s.from, s.to - s.from, s.bytes);
  }
  if (events.empty() && !names.empty()) names.resize(names.size() - 2);
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + names + events + "\n]}\n";
}

}  // namespace fathom
