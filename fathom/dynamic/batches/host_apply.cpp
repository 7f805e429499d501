// How a batch is applied to lists in host memory: the lists of each direction are a part, in the
// states of batch_state.hpp. What a part lacks it finds, or refuses, when it is planned.
#include <span>
#include <utility>
#include <vector>

#include "fathom/dynamic/batches/batch_changes.hpp"
#include "fathom/dynamic/batches/batch_state.hpp"

namespace fathom::dynamic {
namespace {

/// What the directions of a batch share.
struct SharedByDirections {
  DynamicGraph::State& graph;
  const ListBatch& batch;
  UpdateData data;
  std::size_t leaving = 0;  // pages that lists leave, of the directions that have counted theirs
  BatchReport report;
};

/// A batch on its way into the lists of a direction.
class Changing {
 public:
  Changing(SharedByDirections& shared, DynamicLists& lists, Array<Change>& change, bool reports)
      : shared_(shared), lists_(lists), change_(change), reports_(reports) {}

  void plan() {
    const DynamicGraph::State& graph = shared_.graph;
    planned_ = lists_.plan(std::move(change_), shared_.data, graph.options.duplicates,
                           graph.options.strategy, shared_.batch.pinned, graph.threads());
  }
  void attempt() {
    DynamicGraph::State& graph = shared_.graph;
    if (reports_) shared_.report = report_of(planned_, graph.options.directed, graph.threads());
    shared_.leaving += planned_.old.size();
    reserve_more(graph.retired, shared_.leaving);
  }
  static BatchFinding found() { return BatchFinding::Fits; }
  static void make_room() {}
  static void refuse() {}
  void commit() noexcept {
    shared_.report.lists += planned_.touched.size();
    shared_.report.moved += planned_.moved;
    lists_.commit(planned_, shared_.batch.epoch, shared_.batch.pinned, shared_.graph.retired,
                  shared_.graph.threads());
    lists_.set_vertices(shared_.batch.vertices);
  }
  void give_up() noexcept { lists_.discard(planned_, shared_.graph.threads()); }

 private:
  SharedByDirections& shared_;
  DynamicLists& lists_;
  Array<Change>& change_;
  bool reports_;  // what the changes come to
  PlannedBatch planned_;
};

}  // namespace

BatchReport apply_on_host(DynamicGraph::State& s, const GraphBatch& batch, const ListBatch& lists) {
  HostGrowth growth(s);
  s.out.reserve_vertices(lists.vertices);
  if (s.in) s.in->reserve_vertices(lists.vertices);
  s.out.tell_pages_apart(lists.pinned);
  if (s.in) s.in->tell_pages_apart(lists.pinned);
  BatchChanges changes = changes_of(s, batch);
  SharedByDirections shared{s, lists, changes.data, 0, {}};
  std::vector<Changing> parts;
  parts.reserve(2);
  parts.emplace_back(shared, s.out, changes.out, true);
  if (s.in) parts.emplace_back(shared, *s.in, changes.in, false);
  apply_to_all(std::span(parts));
  growth.stay();
  return shared.report;
}

}  // namespace fathom::dynamic
