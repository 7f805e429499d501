// Graphs over the kept edges of a store.
#include "fathom/residency/filtered/filtered_graph.hpp"

#include <optional>
#include <utility>

#include "fathom/residency/filtered/filtered_source.hpp"
#include "fathom/residency/filtered/filtering_supply.hpp"
#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/ssd/streamed_store.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using detail::BuiltLists;

/// The lists of a store, and which of their edges are kept.
class FilteredStore {
 public:
  FilteredStore(const Context& ctx, std::shared_ptr<store::Store> store, KeptEdges kept,
                const ResidencyOptions& options)
      : ctx_(ctx),
        store_(std::move(store)),
        out_(std::make_shared<const KeptEdges>(std::move(kept))),
        options_(options) {}

  EdgeId edges() const { return out_->kept; }

  std::unique_ptr<EdgeSource> open(bool in) {
    if (options_.kind == Kind::Stream) {
      if (!streamed_) streamed_.emplace(ctx_, store_->path(), options_.paging);
      auto pages = in ? streamed_->in_pages() : streamed_->out_pages();
      return std::make_unique<PagedSource>(
          ctx_, std::make_unique<FilteringSupply>(ctx_, std::move(pages), kept(in)),
          options_.paging);
    }
    if (options_.kind == Kind::Resident || copy_is_small(edges(), store_->header().edges)) {
      const auto lists = std::make_shared<Csr>(copy(in, true));
      return std::make_unique<FlatSource>(ctx_, lists->view(), lists);
    }
    return std::make_unique<FilteredSource>(ctx_, all(in), kept(in), store_);
  }

  /// Of the kept edges, in the context's host memory.
  Csr copy(bool in, bool weights) { return kept_lists(ctx_, *kept(in), all(in), weights); }

  /// Degree-oriented lists and the like.
  std::unique_ptr<EdgeSource> build(BuiltLists which) {
    const store::Header& header = store_->header();
    const bool has_in = header.directed && header.has_in_edges && which != BuiltLists::Reverse;
    if (has_in) kept(true);  // before there is less memory
    const auto mapped = mapped_while(options_.kind == Kind::Stream);
    const Csr out = copy(false, false);
    Csr in;
    CsrView reverse;
    if (has_in) {
      in = copy(true, false);
      reverse = in.view();
    }
    return detail::build_oriented(ctx_, which, out.view(), has_in ? &reverse : nullptr,
                                  header.directed, options_);
  }

 private:
  CsrView all(bool in) {
    return in && store_->header().directed ? *store_->in(ctx_.threads())
                                           : store_->out(ctx_.threads());
  }

  /// An undirected edge has the same types and timestamps both ways.
  std::shared_ptr<const KeptEdges> kept(bool in) {
    if (!in || !store_->header().directed) return out_;
    if (!in_)
      in_ = std::make_shared<const KeptEdges>(
          kept_in_edges(ctx_, store_->path(), *out_, store_->in_offsets(ctx_.threads())));
    return in_;
  }

  /// Mapped lists count against the budget of who streams them, while they are read so.
  std::shared_ptr<const void> mapped_while(bool streamed) const {
    if (!streamed) return nullptr;
    const store::Header& its = store_->header();
    return detail::reserve(ctx_,
                           (its.directed ? 2 : 1) * detail::list_bytes(its.vertices, its.edges));
  }

  const Context& ctx_;
  std::shared_ptr<store::Store> store_;
  std::shared_ptr<const KeptEdges> out_, in_;
  ResidencyOptions options_;
  std::optional<StreamedStore> streamed_;
};

/// GPUs get the kept edges as they would get those of a graph in host memory.
Graph copied_for_gpu(const Context& ctx, FilteredStore& lists, const store::Header& header,
                     const ResidencyOptions& wanted, const std::string& by) {
  if (detail::streams_from_file(wanted.paging))
    throw Error(ErrorCode::Usage,
                "the edges that a filter keeps reach a GPU from host memory, not from the disk");
  struct Copies {
    Csr out, in;
  };
  const auto copies = std::make_shared<Copies>();
  copies->out = lists.copy(false, true);
  CsrView in;
  const bool has_in = header.directed && header.has_in_edges;
  if (has_in) {
    copies->in = lists.copy(true, true);
    in = copies->in.view();
  }
  Graph graph =
      make_graph(ctx, copies->out.view(), has_in ? &in : nullptr, header.directed, wanted, copies);
  graph.state()->reason += by;
  return graph;
}

}  // namespace

std::optional<Graph> detail::filtered_store(const Context& ctx,
                                            const std::shared_ptr<store::Store>& store,
                                            const ResidencyOptions& wanted,
                                            const EdgeFilter& filter) {
  const store::Header& header = store->header();
  auto counts = GraphCounts::of(header);
  KeptEdges kept = kept_edges(ctx, store->path(), filter);
  if (kept.kept == header.edges) return std::nullopt;
  counts.edges = kept.kept;
  const std::string by = "; edges are kept by " + to_string(filter);
  ResidencyOptions options = wanted;
  options.paging.sources = static_cast<std::size_t>(counts.directions());
  if (ctx.on_gpu()) {
    FilteredStore lists(ctx, store, std::move(kept), options);
    return copied_for_gpu(ctx, lists, header, wanted, by);
  }
  const auto size =
      stored_lists(ctx, bytes_of_lists(counts.edges, counts.weighted, counts.directions()),
                   counts.directions(), counts.vertices);
  const Resolved resolved = resolve(ctx, wanted, counts.vertices, size);
  options.kind = resolved.kind;
  auto state = new_state(ctx, counts, options.kind, resolved.reason + by);
  state->mapped = true;
  const auto lists = std::make_shared<FilteredStore>(ctx, store, std::move(kept), options);
  state->open_out = [lists] { return lists->open(false); };
  state->open_in = [lists] { return lists->open(true); };
  state->build_by(ctx, [lists](BuiltLists which) { return lists->build(which); });
  return Graph(std::move(state));
}

Graph filtered(const Graph& graph, const EdgeFilter& filter) {
  if (filter.keeps_all()) return graph;
  if (!graph.state()->filtered)
    throw Error(ErrorCode::Usage,
                "edges are kept by types and timestamps, and those of this graph have none "
                "(`fathom stream --semantic` makes graphs that do)");
  if (auto some = graph.state()->filtered(filter)) return *some;
  return graph;
}

}  // namespace fathom
