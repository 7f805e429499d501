// Who wrote papers with whom: every paper ties all of its authors. Papers come in eights, of 2 to 7
// authors each, and bring 16 new authors; the others have written before, most of them chosen in
// proportion to how much, by retracing as in the model of preferential attachment.
#include <array>

#include "fathom/core/random.hpp"
#include "fathom/generate/models.hpp"

namespace fathom::generate {
namespace {

struct Paper {
  std::uint32_t authors, fresh;  // the first ones are new
};
// The mean degree of authors, 6.4, its deviation and its largest values are then near those of
// DIMACS10's coAuthorsDBLP and coAuthorsCiteseer.
constexpr std::array<Paper, 8> kPapers{
    {{2, 1}, {2, 1}, {3, 2}, {3, 1}, {4, 2}, {4, 2}, {5, 3}, {7, 4}}};
constexpr std::uint64_t kChosenAtRandom = 8;  // one of so many, whatever they have written

constexpr std::uint32_t kFresh = [] {
  std::uint32_t n = 0;
  for (const Paper& p : kPapers) n += p.fresh;
  return n;
}();
constexpr std::uint32_t kSlots = [] {
  std::uint32_t n = 0;
  for (const Paper& p : kPapers) n += p.authors;
  return n;
}();
constexpr std::uint32_t kPairs = [] {
  std::uint32_t n = 0;
  for (const Paper& p : kPapers) n += p.authors * (p.authors - 1) / 2;
  return n;
}();
static_assert(kFresh == 16);

/// What the slots of eight papers are, and which of them are tied.
struct Pattern {
  static constexpr std::uint32_t kOld = ~0u;
  std::array<std::uint32_t, kSlots> fresh{};  // which of the new authors, or kOld
  std::array<std::pair<std::uint32_t, std::uint32_t>, kPairs> pair{};
};
constexpr Pattern kPattern = [] {
  Pattern p;
  std::uint32_t slot = 0, fresh = 0, pair = 0;
  for (const Paper& paper : kPapers) {
    for (std::uint32_t i = 0; i < paper.authors; ++i) {
      p.fresh[slot + i] = i < paper.fresh ? fresh++ : Pattern::kOld;
      for (std::uint32_t j = 0; j < i; ++j) {
        p.pair[pair].first = slot + j;
        p.pair[pair++].second = slot + i;
      }
    }
    slot += paper.authors;
  }
  return p;
}();

class Coauthors final : public EdgeModel {
 public:
  explicit Coauthors(const Spec& s)
      : random_(s.seed, 0), edges_((std::uint64_t{1} << s.scale) / kFresh * kPairs) {}

  EdgeId edges() const override { return edges_; }

  void fill(EdgeId first, std::span<Edge> edge) const override {
    for (std::size_t i = 0; i < edge.size(); ++i) {
      const EdgeId e = first + i;
      const auto [a, b] = kPattern.pair[e % kPairs];
      edge[i] = {author(e / kPairs * kSlots + a), author(e / kPairs * kSlots + b)};
    }
  }

 private:
  VertexId author(std::uint64_t slot) const {
    while (true) {
      const std::uint64_t eight = slot / kSlots;
      const std::uint32_t fresh = kPattern.fresh[slot % kSlots];
      if (fresh != Pattern::kOld) return static_cast<VertexId>(eight * kFresh + fresh);
      const std::uint64_t how = random_.at(2 * slot), which = random_.at(2 * slot + 1);
      if (eight == 0) return static_cast<VertexId>(bounded(which, kFresh));
      if (bounded(how, kChosenAtRandom) == 0)
        return static_cast<VertexId>(bounded(which, eight * kFresh));
      slot = bounded(which, eight * kSlots);
    }
  }

  RandomStream random_;
  EdgeId edges_;
};

}  // namespace

std::shared_ptr<const EdgeModel> make_coauthors(const Spec& spec) {
  return std::make_shared<Coauthors>(spec);
}

}  // namespace fathom::generate
