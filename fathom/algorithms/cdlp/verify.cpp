// The certificate of label propagation.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fathom/algorithms/cdlp/cdlp.hpp"
#include "fathom/algorithms/in_lists.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

using Ids = std::vector<VertexId>;

constexpr const char* kName = "cdlp";

void check_label_numbers(const Graph& graph, const CdlpOptions& options, const CdlpResult& result) {
  const VertexId n = graph.vertices();
  const bool keeps = !options.async && !result.stable && result.iterations > 0;
  if (result.label.size() != n) refute(kName, "not one label per vertex");
  if (result.before.size() != (keeps ? n : 0)) refute(kName, "not one label per vertex before");
  std::vector<bool> met(n);
  for (std::size_t v = 0; v < n; ++v) {
    if (result.label[v] >= n || (keeps && result.before[v] >= n))
      refute_vertex(kName, v, "has a label that is no vertex");
    met[result.label[v]] = true;
  }
  const auto communities = std::count(met.begin(), met.end(), true);
  if (static_cast<std::uint64_t>(communities) != result.communities)
    refute(kName, "there are " + std::to_string(communities) + " communities, not " +
                      std::to_string(result.communities));
  if (result.iterations > options.iterations ||
      (!result.stable && result.iterations != options.iterations))
    refute(kName, std::to_string(result.iterations) + " iterations, " +
                      (result.stable ? "" : "labels not stable, ") + "where " +
                      std::to_string(options.iterations) + " were asked for");
}

/// The first labels are the vertices themselves.
void check_first_labels(const Array<VertexId>& labels) {
  for (std::size_t v = 0; v < labels.size(); ++v)
    if (labels[v] != v) refute_vertex(kName, v, "does not start with itself as its label");
}

/// Sorts labels, which are rows, and finds the first one of those that there are most of; `kept`,
/// if it is one of these.
VertexId most_of_sorted(Ids& rows, VertexId kept) {
  std::sort(rows.begin(), rows.end());
  VertexId best = rows.front();
  std::ptrdiff_t most = 0;
  for (auto at = rows.begin(); at != rows.end();) {
    const auto next = std::upper_bound(at, rows.end(), *at);
    if (next - at > most || (next - at == most && *at == kept)) {
      most = next - at;
      best = *at;
    }
    at = next;
  }
  return best;
}

class LastIteration {
 public:
  LastIteration(const Context& ctx, const Graph& graph, const CdlpOptions& options)
      : task_(ctx.task()),
        n_(graph.vertices()),
        async_(options.async),
        row_(options.row),
        in_lists_(graph),
        out_(graph.out().read_lists()) {
    in_lists_.check(kName);
    if (in_lists_.get()) in_ = in_lists_.get()->read_lists();
  }

  void check(const Array<VertexId>& before, const Array<VertexId>& label) {
    Ids rows;
    for (VertexId v = 0; v < n_; ++v) {
      rows.clear();
      for (ListReader* const lists : {out_.get(), in_.get()})
        if (lists)
          lists->read(v, [&](const PlainSpan& span) {
            for (std::uint32_t i = 0; i < span.size; ++i)
              rows.push_back(row_of(before[span.target(i)]));
          });
      if (rows.empty() && (label[v] != v || before[v] != v))
        refute_vertex(kName, v, "has no neighbours, but another label than itself");
      const VertexId its = row_of(label[v]);
      if (!rows.empty() && most_of_sorted(rows, async_ ? its : kNoVertex) != its)
        refute_vertex(kName, v,
                      "has the label " + std::to_string(label[v]) + ", which is not " +
                          (async_ ? "one" : "the first") +
                          " of the most frequent ones of its neighbours");
      if (v % 4096 == 0) task_.check();
    }
  }

 private:
  VertexId row_of(VertexId v) const { return row_.empty() ? v : row_[v]; }

  const Task& task_;
  const VertexId n_;
  const bool async_;
  const std::span<const VertexId> row_;
  const detail::InLists in_lists_;
  std::unique_ptr<ListReader> out_, in_;
};

}  // namespace

void verify_cdlp(const Context& ctx, const Graph& graph, const CdlpOptions& options,
                 const CdlpResult& result) {
  check_label_numbers(graph, options, result);
  if (options.async && !result.stable) return;
  const Array<VertexId>& before =
      result.stable || result.iterations == 0 ? result.label : result.before;
  if (result.iterations < 2 && !options.async) check_first_labels(before);
  if (result.iterations > 0) LastIteration(ctx, graph, options).check(before, result.label);
}

}  // namespace fathom
