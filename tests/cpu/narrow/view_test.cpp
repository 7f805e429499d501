// Narrow views show the lists that plain ones show, whatever the widths, and read no word that has
// nothing of an entry.
#include "fathom/residency/edge_view.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "fathom/ops/expand.hpp"
#include "fathom/residency/narrow/narrow_words.hpp"
#include "fathom/store/narrow/narrow.hpp"
#include "tests/cpu/engine/sample_graph.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom {
namespace {

using testing::edges_of;

struct Widths {
  std::uint32_t id, code;
  std::uint32_t entry() const { return id + code; }
};
std::ostream& operator<<(std::ostream& out, const Widths& w) {
  return out << w.id << "+" << w.code;
}

/// Words at the end of a page that nothing may be read behind.
class GuardedWords {
 public:
  explicit GuardedWords(std::size_t words) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    bytes_ = (words * 4 + page - 1) / page * page + page;
    map_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(map_ + bytes_ - page, page, PROT_NONE);
    words_ = reinterpret_cast<std::uint32_t*>(map_ + bytes_ - page - words * 4);
  }
  ~GuardedWords() { ::munmap(map_, bytes_); }
  GuardedWords(const GuardedWords&) = delete;
  GuardedWords& operator=(const GuardedWords&) = delete;
  std::uint32_t* data() const { return words_; }

 private:
  std::size_t bytes_;
  std::byte* map_;
  std::uint32_t* words_;
};

constexpr VertexId kVertices = 300;
constexpr std::uint32_t kUnitShift = 5;

class NarrowViews : public ::testing::TestWithParam<Widths> {
 protected:
  NarrowViews() : widths_(GetParam()), words_((csr_.edges() * widths_.entry() + 31) / 32) {
    std::mt19937_64 random(7);
    // Ids use all their bits: a view does not know of the number of vertices.
    const unsigned bits = std::min(widths_.id, kIdBits);
    for (VertexId& v : csr_.target.span())
      v = static_cast<VertexId>(random() & (~std::uint64_t{0} >> (64 - bits)));
    for (std::uint32_t i = 0; i < std::uint32_t{1} << widths_.code; ++i)
      value_.push_back(static_cast<Weight>(i) / 4 - 3);
    for (EdgeId e = 0; e < csr_.edges(); ++e) {
      code_.push_back(static_cast<std::uint32_t>(random() % value_.size()));
      if (widths_.code > 0) csr_.weight[e] = value_[code_[e]];
      put(words_.data(), e, e);
    }
  }

  /// Edge e as entry number `at`, bit by bit.
  void put(std::uint32_t* words, EdgeId at, EdgeId e) const {
    for (std::uint32_t b = 0; b < widths_.entry(); ++b) {
      const bool set = b < widths_.id ? (std::uint64_t{csr_.target[e]} >> b & 1) != 0
                                      : (code_[e] >> (b - widths_.id) & 1) != 0;
      const std::uint64_t bit = at * widths_.entry() + b;
      words[bit / 32] = (words[bit / 32] & ~(1u << bit % 32)) | std::uint32_t{set} << bit % 32;
    }
  }
  NarrowEdges view(EdgeId limit = kWholeList) const {
    return {
        csr_.offset.data(), words_.data(), widths_.code > 0 ? value_.data() : csr_.weight.data(),
        widths_.entry(),    widths_.id,    limit};
  }

  const Widths widths_;
  Csr csr_ = testing::sample_graph(kVertices, 9, 4);
  std::vector<Weight> value_;
  std::vector<std::uint32_t> code_;
  GuardedWords words_;
};

template <class E>
std::vector<testing::SeenEdge> shown_by(const E& view) {
  std::vector<testing::SeenEdge> edges;
  for (VertexId u = 0; u < kVertices; ++u) {
    auto cursor = view.begin(u);
    typename E::Span s;
    while (view.next(cursor, s))
      for (std::uint32_t i = 0; i < s.size; ++i) edges.push_back({u, s.target(i), s.weight(i)});
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::vector<VertexId> everyone() {
  std::vector<VertexId> all;
  for (VertexId v = 0; v < kVertices; ++v) all.push_back(v);
  return all;
}

TEST_P(NarrowViews, ShowWhatPlainListsShow) {
  for (const EdgeId limit : {kWholeList, EdgeId{0}, EdgeId{1}, EdgeId{2}, EdgeId{40}})
    EXPECT_EQ(shown_by(view(limit)), edges_of(csr_.view(), everyone(), limit)) << limit;
}

TEST_P(NarrowViews, ShowSpansThatBeginAnywhere) {
  std::mt19937_64 random(11);
  const NarrowEdges edges = view();
  for (int k = 0; k < 2000; ++k) {
    EdgeCursor piece{random() % csr_.edges(), 0};
    piece.end = piece.pos + random() % std::min<EdgeId>(70, csr_.edges() - piece.pos + 1);
    const EdgeId first = piece.pos, size = piece.end - piece.pos;
    NarrowSpan s;
    ASSERT_EQ(edges.next(piece, s), size > 0);
    if (size == 0) continue;
    ASSERT_EQ(s.size, size);
    EXPECT_EQ(piece.pos, piece.end);
    for (std::uint32_t i = 0; i < s.size; ++i) {
      ASSERT_EQ(s.target(i), csr_.target[first + i]);
      ASSERT_EQ(s.weight(i), csr_.weight[first + i]);
      const std::uint64_t bit = (first + i) * widths_.entry();
      const auto begin = reinterpret_cast<std::uintptr_t>(words_.data());
      ASSERT_EQ(s.address(i), begin + bit / 8);
      ASSERT_EQ(s.last_byte(i), begin + (bit + widths_.entry() - 1) / 8);
    }
    // Earlier by so many entries, reads are aligned to groups that begin with a word.
    EXPECT_EQ((first - s.lead()) * widths_.entry() % (widths_.entry() == 64 ? 1024u : 32u), 0u);
    EXPECT_LT(s.lead(), 32u);
  }
}

TEST_P(NarrowViews, HaveWeightOneWithoutWeights) {
  NarrowEdges edges = view();
  edges.weight = nullptr;
  auto cursor = edges.begin(0);
  NarrowSpan s;
  ASSERT_TRUE(edges.next(cursor, s));
  EXPECT_EQ(s.weight(s.size - 1), Weight{1});
  EXPECT_EQ(s.target(s.size - 1), csr_.target[s.size - 1]);
  EXPECT_FALSE(s.weights_apart());
}

TEST_P(NarrowViews, ShowNearCopiesOfListsAndTheOthersFromAfar) {
  if (widths_.code == 0) GTEST_SKIP() << "caches hold no weights apart";
  std::vector<std::uint32_t> near_at;
  std::vector<std::pair<EdgeId, EdgeId>> copies;  // where to, and of which edge
  EdgeId end = 0;
  for (VertexId v = 0; v < kVertices; ++v) {
    near_at.push_back(CachedEdges<NarrowEdges>::kNotCached);
    if (v % 3 != 0) continue;
    near_at.back() = static_cast<std::uint32_t>(end >> kUnitShift);
    for (EdgeId e = csr_.offset[v]; e < csr_.offset[v + 1]; ++e)
      copies.emplace_back(end + e - csr_.offset[v], e);
    end += (csr_.view().degree(v) + 31) / 32 * 32;
  }
  const GuardedWords near(end * widths_.entry() / 32);
  for (const auto& [at, e] : copies) put(near.data(), at, e);
  const auto expected = edges_of(csr_.view(), everyone());
  NarrowEdges copy = view();
  copy.offset = nullptr;
  copy.words = near.data();
  EXPECT_EQ(shown_by(CachedEdges<NarrowEdges>{view(), copy, near_at.data(), kUnitShift}), expected);
  // Lists with a copy are not read from afar.
  for (VertexId v = 0; v < kVertices; v += 3)
    for (EdgeId e = csr_.offset[v]; e < csr_.offset[v + 1]; ++e) {
      const VertexId kept = csr_.target[e];
      csr_.target[e] = 0;
      put(words_.data(), e, e);
      csr_.target[e] = kept;
    }
  EXPECT_EQ(shown_by(CachedEdges<NarrowEdges>{view(), copy, near_at.data(), kUnitShift}), expected);
  EXPECT_NE(shown_by(view()), expected);
}

TEST_P(NarrowViews, AreCopiedWordByWord) {
  const std::uint32_t shift = unit_shift_of(widths_.entry());
  EXPECT_EQ((widths_.entry() << shift) % 32, 0u);
  EXPECT_TRUE(shift == 0 || (widths_.entry() << (shift - 1)) % 32 != 0);
  std::vector<std::uint32_t> near_at;
  EdgeId end = 0;  // in units
  for (VertexId v = 0; v < kVertices; ++v) {
    near_at.push_back(static_cast<std::uint32_t>(end));
    end += (csr_.view().degree(v) + (EdgeId{1} << shift) - 1) >> shift;
  }
  const GuardedWords near((end << shift) * widths_.entry() / 32);
  const NarrowEdges edges = view();
  for (VertexId v = 0; v < kVertices; ++v) {
    const NarrowBits list(edges, edges.begin(v));
    const EdgeId at = EdgeId{near_at[v]} << shift;
    for (std::uint64_t i = 0; i < list.words(); ++i)
      near.data()[at * widths_.entry() / 32 + i] = list.word(edges.words, i);
  }
  NarrowEdges copy = edges;
  copy.offset = nullptr;
  copy.words = near.data();
  if (widths_.code == 0) copy.weight = nullptr;  // apart, at other positions
  NarrowEdges far = edges;
  if (widths_.code == 0) far.weight = nullptr;
  EXPECT_EQ(shown_by(CachedEdges<NarrowEdges>{far, copy, near_at.data(), shift}), shown_by(far));
}

struct SumEdges {
  std::uint64_t* sum;
  bool visit(VertexId u, VertexId v, Weight w) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &w, sizeof bits);
    __atomic_fetch_add(sum, (u + 1) * (std::uint64_t{v} * 31 + bits), __ATOMIC_RELAXED);
    return false;
  }
};

TEST_P(NarrowViews, AreExpandedByAnyNumberOfLanes) {
  std::uint64_t expected = 0;
  const FlatEdges flat{csr_.offset.data(), csr_.target.data(), csr_.weight.data()};
  for (VertexId u = 0; u < 100; ++u)
    expand(OneLane{}, flat, u, SumEdges{&expected}, [](const auto&, VertexId, bool) {});
  for (const std::uint32_t lanes : {1u, 8u, 32u}) {
    std::uint64_t sum = 0;
    testing::LaneTeam team(lanes);
    team.run([&](const testing::LaneTeam::Lane& lane) {
      for (VertexId u = 0; u < 100; ++u)
        expand(lane, view(), u, SumEdges{&sum}, [](const auto&, VertexId, bool) {});
    });
    EXPECT_EQ(sum, expected) << lanes;
  }
}

TEST_P(NarrowViews, AreWhatTheStoreWrites) {
  if (widths_.entry() > 56) GTEST_SKIP() << "not stored";
  store::NarrowLayout layout;
  layout.id_bits = static_cast<std::uint8_t>(widths_.id);
  layout.code_bits = static_cast<std::uint8_t>(widths_.code);
  const std::span<const std::uint32_t> codes =
      widths_.code > 0 ? std::span<const std::uint32_t>(code_) : std::span<const std::uint32_t>();
  std::vector<std::uint64_t> words(layout.words(csr_.edges()));
  store::write_entries(layout, csr_.target.span(), codes, std::span(words).first(words.size() - 1));
  EXPECT_EQ(std::memcmp(words.data(), words_.data(), (csr_.edges() * widths_.entry() + 7) / 8 - 1),
            0);
  std::mt19937_64 random(3);
  for (int k = 0; k < 300; ++k) {
    const EdgeId first = random() % csr_.edges();
    const auto n = static_cast<std::size_t>(random() % (csr_.edges() - first + 1));
    std::vector<VertexId> target(n);
    std::vector<std::uint32_t> code(widths_.code > 0 ? n : 0);
    store::read_entries(layout, words, first, target, code);
    ASSERT_TRUE(std::equal(target.begin(), target.end(), csr_.target.data() + first));
    ASSERT_TRUE(std::equal(code.begin(), code.end(), code_.data() + first));
  }
}

std::vector<Widths> every_width() {
  std::vector<Widths> all;
  for (const std::uint32_t id : {16u, 20u, 24u, 28u, 32u, 33u, 36u, 37u, 40u, 64u})
    for (const std::uint32_t code : {0u, 8u, 16u})
      if (id + code <= 64) all.push_back({id, code});
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, NarrowViews, ::testing::ValuesIn(every_width()),
                         [](const auto& p) {
                           return std::to_string(p.param.id) + "And" + std::to_string(p.param.code);
                         });

}  // namespace
}  // namespace fathom
