#include "fathom/algorithms/louvain/contraction.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "fathom/core/temp_file.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom::detail {
namespace {

// Edges on their way to be sorted.
constexpr std::size_t kBatch = std::size_t{1} << 16;
// What sorts them, at most.
constexpr std::size_t kMostSorting = std::size_t{512} << 20;

/// Reserved, as much as it may be; null: only what no budget counts.
std::shared_ptr<const void> reserve_if_room(const Context& ctx, std::size_t bytes,
                                            std::size_t beside) {
  const std::size_t room = obtainable(*ctx.host_memory());
  if (room < beside || room - beside < bytes) return nullptr;
  return reserve(ctx, bytes);
}

/// An array that is written from beginning to end, then mapped.
template <class T>
class MappedArray {
 public:
  explicit MappedArray(TempFile file) : file_(std::move(file)) {}
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;
  ~MappedArray() {
    if (data_) ::munmap(data_, bytes());
  }
  void append(std::span<const T> values) { file_.append(std::as_bytes(values)); }
  void map() {
    if (bytes() == 0) return;
    void* const at = ::mmap(nullptr, bytes(), PROT_READ, MAP_SHARED, file_.descriptor(), 0);
    if (at == MAP_FAILED) throw_io_error("(temporary)", "map", errno);
    data_ = at;
  }
  std::size_t size() const { return bytes() / sizeof(T); }
  const T* data() const { return static_cast<const T*>(data_); }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(file_.size()); }
  TempFile file_;
  void* data_ = nullptr;
};

/// Lists with weights, in files.
class ListFiles final : public graph::ListSink {
 public:
  explicit ListFiles(std::shared_ptr<const void> reserved)
      : reserved_(std::move(reserved)), offset_(file()), target_(file()), weight_(file()) {}

  void offsets(std::span<const EdgeId> offset) override { offset_.append(offset); }
  void edges(std::span<const VertexId> target, std::span<const Weight> weight) override {
    target_.append(target);
    weight_.append(weight);
  }
  void finish() override {
    offset_.map();
    target_.map();
    weight_.map();
  }
  CsrView view() const {
    return {static_cast<VertexId>(offset_.size() - 1), target_.size(), offset_.data(),
            target_.data(), weight_.data()};
  }

 private:
  TempFile file() const { return reserved_ ? TempFile::in_memory() : TempFile(""); }

  std::shared_ptr<const void> reserved_;  // null: on a disk
  MappedArray<EdgeId> offset_;
  MappedArray<VertexId> target_;
  MappedArray<Weight> weight_;
};

graph::BuildOptions build_options(const Context& ctx, std::size_t memory) {
  graph::BuildOptions options;
  options.undirected = true;
  options.in_edges = false;
  options.duplicates = graph::Duplicates::Sum;
  options.weighted = true;
  options.threads = ctx.threads();
  options.memory = memory;
  options.task.stop = ctx.task().stop;
  options.task.cancelled = ctx.task().cancelled;
  return options;
}

}  // namespace

Contraction::Contraction(const Context& ctx, Moves& moves, double state)
    : ctx_(ctx), all_(moves.all()), state_(state) {
  {
    const Moves::Found found = moves.end_rounds();
    number(found.community, found.total);
    if (!found.whole.empty()) begin_whole(found.whole);
  }
  inside_ = Array<std::uint64_t>(numbering_.communities, 0, ctx.host_memory());
  const std::size_t sorting = std::min(kMostSorting, obtainable(*ctx.host_memory()) / 4);
  sorting_ = reserve_if_room(ctx, sorting, moves.sweep_memory());
  builder_.emplace(build_options(ctx, sorting_ ? sorting : 0));
  read_lists(moves);
  name_ = {};
  for (std::size_t part = 0; part < whole_.size(); ++part)
    whole_[part] = find(static_cast<VertexId>(part));
}

void Contraction::number(const Array<VertexId>& community, const Array<std::uint64_t>& total) {
  const std::size_t n = community.size();
  Array<VertexId> number(n, kNoVertex, ctx_.host_memory());
  for (std::size_t v = 0; v < n; ++v) {
    // Nobody joins a vertex without edges, and it joins nobody.
    if (total[community[v]] > 0)
      number[community[v]] = 0;
    else
      ++numbering_.alone;
  }
  for (std::size_t c = 0; c < n; ++c)
    if (number[c] == 0) number[c] = numbering_.communities++;
  strength_ = Array<std::uint64_t>(numbering_.communities, ctx_.host_memory());
  for (std::size_t c = 0; c < n; ++c)
    if (number[c] != kNoVertex) strength_[number[c]] = total[c];
  numbering_.of = Array<VertexId>(n, ctx_.host_memory());
  for (std::size_t v = 0; v < n; ++v) numbering_.of[v] = number[community[v]];
}

void Contraction::begin_whole(const Array<VertexId>& whole) {
  name_ = Array<VertexId>(numbering_.communities, ctx_.host_memory());
  whole_ = Array<VertexId>(numbering_.communities, ctx_.host_memory());
  for (std::size_t v = 0; v < whole.size(); ++v)
    if (const VertexId part = numbering_.of[v]; part != kNoVertex) name_[part] = whole[v];
  for (std::size_t part = 0; part < whole_.size(); ++part)
    whole_[part] = static_cast<VertexId>(part);
}

/// The first part that is known to be connected with it.
VertexId Contraction::find(VertexId part) {
  while (whole_[part] != part) part = whole_[part] = whole_[whole_[part]];
  return part;
}

void Contraction::unite(VertexId a, VertexId b) {
  a = find(a);
  b = find(b);
  whole_[std::max(a, b)] = std::min(a, b);
}

/// Each edge once: from the smaller end where both are in a community, else from that in the first.
void Contraction::read_lists(Moves& moves) {
  const WeightUnits units = moves.units();
  const Array<VertexId>& of = numbering_.of;
  moves.for_each_list(
      [&](VertexId u, std::span<const VertexId> target, std::span<const Weight> weight) {
        const VertexId a = of[u];
        if (a == kNoVertex) return;  // its edges weigh nothing
        for (std::size_t i = 0; i < target.size(); ++i) {
          const VertexId v = target[i], b = of[v];
          const std::uint64_t its = units.of(weight[i]);
          if (a == b) inside_[a] += u <= v ? its : 0;
          if (a >= b || b == kNoVertex || its == 0) continue;
          if (!whole_.empty() && name_[a] == name_[b]) {
            between_parts_ += its;
            unite(a, b);
          }
          edge_.push_back({a, b});
          weight_.push_back(static_cast<Weight>(static_cast<double>(its) * kCoarseWeight));
          if (edge_.size() == kBatch) push();
        }
      });
}

void Contraction::push() {
  builder_->push(edge_, weight_);
  edge_.clear();
  weight_.clear();
}

Modularity Contraction::modularity(double resolution) const {
  const auto all = static_cast<double>(std::max<std::uint64_t>(all_, 1));
  Modularity sum;
  std::uint64_t inside = 2 * between_parts_;
  for (const std::uint64_t its : inside_) inside += 2 * its;
  const auto add_share = [&](std::uint64_t strength) {
    const double share = static_cast<double>(strength) / all;
    sum.expected += share * share;
  };
  if (whole_.empty()) {
    for (const std::uint64_t its : strength_) add_share(its);
  } else {
    Array<std::uint64_t> of_whole(whole_.size(), 0, ctx_.host_memory());
    for (std::size_t part = 0; part < whole_.size(); ++part)
      of_whole[whole_[part]] += strength_[part];
    for (const std::uint64_t its : of_whole) add_share(its);
  }
  sum.expected *= resolution;
  sum.inside = static_cast<double>(inside) / all;
  return sum;
}

Graph Contraction::graph() {
  for (VertexId c = 0; c < numbering_.communities; ++c) {
    if (inside_[c] == 0) continue;
    edge_.push_back({c, c});
    weight_.push_back(static_cast<Weight>(static_cast<double>(inside_[c]) * kCoarseWeight));
    if (edge_.size() == kBatch) push();
  }
  push();
  inside_ = {};
  const VertexId n = numbering_.communities;
  const std::size_t bytes =
      list_bytes(n, builder_->records()) + builder_->records() * sizeof(Weight);
  // A level's state is made beside them where all are in the host's memory.
  const double state = state_ * static_cast<double>(n);
  const auto lists = std::make_shared<ListFiles>(
      reserve_if_room(ctx_, bytes, ctx_.separate() ? 0 : static_cast<std::size_t>(state)));
  builder_->finish(n, *lists, nullptr);
  builder_.reset();
  sorting_.reset();
  const CsrView view = lists->view();
  ResidencyOptions options;
  const std::size_t page = view.edges * sizeof(VertexId) / 64;
  options.paging.page_bytes =
      std::clamp(std::bit_floor(page), std::size_t{1} << 12, options.paging.page_bytes);
  return make_graph(ctx_, view, nullptr, false, options, lists);
}

}  // namespace fathom::detail
