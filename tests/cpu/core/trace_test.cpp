// Timelines: spans that overlap get rows of their own.
#include "fathom/core/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fathom {
namespace {

using Json = nlohmann::json;

TEST(Trace, PutsOverlappingSpansOfALaneInRowsOfTheirOwn) {
  Trace trace;
  const auto start = Trace::Clock::now();
  auto at = [&](int milliseconds) { return start + std::chrono::milliseconds(milliseconds); };
  trace.add("disk", "b", at(5), at(20), 7);  // not in the order of their beginnings
  trace.add("disk", "a", at(0), at(10));
  trace.add("disk", "c", at(12), at(14));
  trace.add("kernels", "k", at(1), at(2));
  const Json events = Json::parse(trace.json())["traceEvents"];
  std::map<std::string, int> row;
  std::map<int, std::string> name;
  for (const Json& e : events) {
    if (e["ph"] == "X") row[e["name"]] = e["tid"];
    if (e["ph"] == "M") name[e["tid"]] = e["args"]["name"];
    if (e["name"] == "b") {
      EXPECT_NEAR(e["dur"].get<double>(), 15000, 1);
      EXPECT_EQ(e["args"]["bytes"], 7);
    }
  }
  EXPECT_EQ(row["a"], row["c"]);
  EXPECT_NE(row["a"], row["b"]);
  EXPECT_EQ(name[row["a"]], "disk 0");
  EXPECT_EQ(name[row["b"]], "disk 1");
  EXPECT_EQ(name[row["k"]], "kernels 0");
}

TEST(Trace, IsValidWithoutSpans) {
  EXPECT_TRUE(Json::parse(Trace().json())["traceEvents"].empty());
}

}  // namespace
}  // namespace fathom
