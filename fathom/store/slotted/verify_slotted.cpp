#include "fathom/store/slotted/verify_slotted.hpp"

#include <fmt/format.h>

#include <cmath>

#include "fathom/core/parallel.hpp"
#include "fathom/store/section_hash.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"

namespace fathom::store {
namespace {

class SlottedVerifier {
 public:
  SlottedVerifier(const std::string& path, const std::string& name, const SlottedLists& lists)
      : path_(path), name_(name), lists_(lists) {}

  ListsContent run(int threads, const Task& task) {
    const int workers = worker_count(threads);
    const std::size_t batch = 4 * static_cast<std::size_t>(workers);
    const std::size_t pages = lists_.rvt.size();
    ListsContent content;
    SectionHash targets, weights;
    task.begin(name_, pages, "pages");
    for (std::size_t first = 0; first < pages; first += batch) {
      const std::size_t count = std::min(batch, pages - first);
      at_.assign(count + 1, 1);  // entry 0 is the one before the batch
      for (std::size_t i = 0; i < count; ++i) at_[i + 1] = at_[i] + lists_.rvt[first + i].entries;
      target_.resize(at_[count]);
      weight_.resize(lists_.weighted() ? at_[count] : 0);
      parallel_for(workers, count, 1, [&](std::size_t i, std::size_t, int) { read(first, i); });
      content.sums = content.sums + parallel_reduce(
                                        workers, count, 1, EdgeSums{},
                                        [&](std::size_t i, std::size_t) { return walk(first, i); },
                                        [](EdgeSums a, EdgeSums b) { return a + b; });
      targets.append(std::as_bytes(std::span(target_).subspan(1)));
      target_[0] = target_.back();
      if (lists_.weighted()) {
        weights.append(std::as_bytes(std::span(weight_).subspan(1)));
        weight_[0] = weight_.back();
      }
      task.at(first + count);
    }
    task.end();
    content.targets_hash = targets.finish();
    if (lists_.weighted()) content.weights_hash = weights.finish();
    return content;
  }

 private:
  void read(std::size_t first, std::size_t i) {
    const std::size_t p = first + i;
    const std::byte* page = lists_.page(p);
    if (checksum({page, lists_.layout.page_bytes}) != lists_.rvt[p].checksum)
      fail(p, "does not match its checksum");
    if (const std::string fault = fault_of_page(lists_, p, page); !fault.empty()) fail(p, fault);
    const std::size_t n = at_[i + 1] - at_[i];
    decode_page(lists_.layout, lists_.rvt, p, page, std::span(target_).subspan(at_[i], n),
                weight_.empty() ? std::span<Weight>() : std::span(weight_).subspan(at_[i], n));
  }

  EdgeSums walk(std::size_t first, std::size_t i) const {
    const std::size_t p = first + i;
    const RvtEntry& e = lists_.rvt[p];
    const auto v = static_cast<VertexId>(e.start_vid);
    if (e.lp_count != 0) {
      const EdgeId before = EdgeId{e.lp_index} * lists_.layout.capacity();
      const EdgeId degree = lists_.offset[v + 1] - lists_.offset[v];
      const bool last = e.lp_index + 1 == e.lp_count;
      if (before + e.entries > degree || (last && before + e.entries < degree))
        fail(p, fmt::format("vertex {} has {} edges", v, degree));
      return list(p, v, at_[i], e.entries, e.lp_index > 0);
    }
    EdgeSums sums;
    std::size_t at = at_[i];
    const std::uint64_t slots = slots_of(lists_.rvt, p, lists_.vertices);
    const std::byte* record = lists_.page(p);
    for (std::uint64_t k = 0; k < slots; ++k) {
      const auto u = static_cast<VertexId>(v + k);
      const std::uint32_t size = slotted::load_u32(slotted::halves(record));
      if (size != lists_.offset[u + 1] - lists_.offset[u])
        fail(p, fmt::format("record {} has {} entries, vertex {} has {} edges", k, size, u,
                            lists_.offset[u + 1] - lists_.offset[u]));
      sums = sums + list(p, u, at, size, false);
      at += size;
      record += lists_.layout.record_bytes(size);
    }
    return sums;
  }

  // `follows`: the entry before is of the same list.
  EdgeSums list(std::size_t p, VertexId u, std::size_t at, std::size_t size, bool follows) const {
    EdgeSums sums;
    for (std::size_t k = at; k < at + size; ++k) {
      const VertexId v = target_[k];
      const Weight w = weight_.empty() ? 1 : weight_[k];
      if (!std::isfinite(w)) fail(p, fmt::format("a weight of vertex {} is not finite", u));
      if ((k > at || follows) &&
          (target_[k - 1] > v || (target_[k - 1] == v && !weight_.empty() && weight_[k - 1] > w)))
        fail(p, fmt::format("the list of vertex {} is not sorted", u));
      sums.forward += edge_hash(u, v, w);
      sums.backward += edge_hash(v, u, w);
    }
    return sums;
  }

  [[noreturn]] void fail(std::size_t page, const std::string& what) const {
    throw_bad_store(path_, fmt::format("{}: page {}: {}", name_, page, what));
  }

  const std::string& path_;
  const std::string& name_;
  const SlottedLists& lists_;
  std::vector<std::size_t> at_;  // where each page's entries begin
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

}  // namespace

ListsContent verify_slotted(const std::string& path, const std::string& name,
                            const SlottedLists& lists, int threads, const Task& task) {
  return SlottedVerifier(path, name, lists).run(threads, task);
}

}  // namespace fathom::store
