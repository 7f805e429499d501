// The numbers in the text of HALO (Gera et al., PVLDB 13(7), 2020), and means over graphs to set
// beside them. Its graphs exceed a Titan Xp's 12 GB; ids have 64 bits there.
#include <array>
#include <cmath>
#include <map>

#include "bench/papers/halo/halo.hpp"

namespace fathom::cli::halo {
namespace {

struct Statement {
  const char* figure;
  const char* method;  // or ""
  const char* measure;
  double value;
  const char* where;
};

// A slowdown of .65 is "65 %": the paper does not say of what.
constexpr std::array kPaper{
    Statement{"1", "natural", "gteps", .24, "section 2"},
    Statement{"1", "", "gteps of the link's peak", 1.51, "section 2"},
    Statement{"3a", "natural", "amplification", 2.3, "section 6.1"},
    Statement{"3b", "natural", "time without the driver's prefetcher", 4.15, "section 6.2"},
    Statement{"3b", "natural", "bytes without the driver's prefetcher", .65, "section 6.2"},
    Statement{"6", "random", "slowdown", .65, "section 10"},
    Statement{"6", "degree", "slowdown", .31, "section 10"},
    Statement{"6", "indegree-neighbors", "speedup", 1.1, "section 10"},
    Statement{"6", "rcm", "speedup", 1.25, "section 10"},
    Statement{"6", "bp", "speedup", 1.26, "section 10"},
    Statement{"6", "bfs-bp", "speedup", 1.27, "section 10"},
    Statement{"6", "halo1", "speedup", 1.38, "section 10"},
    Statement{"6", "halo2", "speedup", 1.54, "section 10"},
    Statement{"7", "bfs-bp", "speedup", 1.42, "section 10"},
    Statement{"7", "halo1", "speedup", 1.55, "section 10"},
    Statement{"7", "halo2", "speedup", 1.7, "section 10"},
    Statement{"9", "natural", "amplification", 2.31, "section 10.1"},
    Statement{"9", "rcm", "amplification", 1.8, "section 10.1"},
    Statement{"9", "bfs-bp", "amplification", 1.72, "section 10.1"},
    Statement{"9", "halo2", "amplification", 1.42, "section 10.1"},
    Statement{"11", "halo2", "samples from which on it gains no more", 32, "section 10.2"},
    Statement{"12", "halo2", "least speedup", 1.8, "section 10.3"},
    Statement{"12", "halo2", "largest speedup", 1.9, "section 10.3"},
    Statement{"13", "natural", "speedup", 1.85, "section 10.4"},
    Statement{"13", "halo2", "speedup", 2.84, "section 10.4"},
};

Json stated(const std::string& figure, const std::string& method, const std::string& measure) {
  for (const Statement& s : kPaper)
    if (figure == s.figure && method == s.method && measure == s.measure) return s.value;
  return nullptr;
}

/// A mean, geometric if asked for, of what some rows lack.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  int count() const { return count_; }
  Json arithmetic() const { return count_ > 0 ? Json(sum_ / count_) : Json(nullptr); }
  Json geometric() const { return count_ > 0 ? Json(std::exp(sum_ / count_)) : Json(nullptr); }

 private:
  double sum_ = 0;  // geometric: of logarithms
  int count_ = 0;
};

struct Means {
  Mean speedup, amplification, log_gap;

  void add(const Json& row) {
    speedup.add(std::log(row["speedup"].get<double>()));
    if (!row["amplification"].is_null() && row["amplification"] > 0)
      amplification.add(std::log(row["amplification"].get<double>()));
    if (!row["log_gap"].is_null()) log_gap.add(row["log_gap"].get<double>());
  }
};

}  // namespace

Json paper_json() {
  Json all = Json::array();
  for (const Statement& s : kPaper)
    all.push_back({{"figure", s.figure},
                   {"method", s.method[0] ? Json(s.method) : Json(nullptr)},
                   {"measure", s.measure},
                   {"value", s.value},
                   {"where", s.where}});
  return all;
}

Json means_of(const Json& rows, const char* figure) {
  std::vector<std::pair<std::string, std::string>> order;  // as they come
  std::map<std::pair<std::string, std::string>, Means> all;
  for (const Json& row : rows) {
    const std::pair<std::string, std::string> key{row["residency"].get<std::string>(),
                                                  row["method"].get<std::string>()};
    if (!all.contains(key)) order.push_back(key);
    all[key].add(row);
  }
  Json out = Json::array();
  const bool alone = std::string(figure) == "6";
  for (const auto& key : order) {
    const Means& means = all[key];
    const std::string& method = key.second;
    out.push_back(
        {{"residency", key.first},
         {"method", method},
         {"graphs", means.speedup.count()},
         {"speedup", means.speedup.geometric()},
         {"amplification", means.amplification.geometric()},
         {"log_gap", means.log_gap.arithmetic()},
         {"paper",
          {{"speedup", stated(figure, method, "speedup")},
           {"slowdown", stated(figure, method, "slowdown")},
           {"amplification", alone ? stated("9", method, "amplification") : Json(nullptr)}}}});
  }
  return out;
}

}  // namespace fathom::cli::halo
