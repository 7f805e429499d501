#include "cli/shared/loaded_graph.hpp"

#include <fmt/format.h>

#include <chrono>

#include "fathom/core/random.hpp"
#include "fathom/residency/filtered/filtered_graph.hpp"
#include "fathom/residency/parts/part_graph.hpp"
#include "fathom/store/field_sections.hpp"

namespace fathom::cli {
namespace {

/// The labels around the place where a string would stand in the sorted table.
std::string neighbours(const LoadedGraph& graph, const std::string& label) {
  const VertexId n = graph.store().header().vertices;
  const auto label_of = [&](VertexId row) { return graph.label(graph.vertex(row)); };
  VertexId first = 0, last = n;
  while (first < last) {
    const VertexId middle = first + (last - first) / 2;
    if (label_of(middle) < label)
      first = middle + 1;
    else
      last = middle;
  }
  std::string shown;
  if (first > 0) shown = fmt::format("'{}'", label_of(first - 1));
  if (first < n) shown += fmt::format("{}'{}'", shown.empty() ? "" : " and ", label_of(first));
  return shown;
}

/// Parts are analysed by processors.
ExecutionOptions options_for(ExecutionOptions options, const store::Store& store) {
  check_layout_options(options, store);
  const auto* const part = dynamic_cast<const store::PartStore*>(&store);
  if (part && part->part() && options.device == "auto") options.device = "cpu";
  return options;
}

/// The graph of a store, or what the options keep of it.
Graph open_filtered(const Context& ctx, const std::shared_ptr<store::Store>& store,
                    const ResidencyOptions& residency, const EdgeFilter& filter) {
  check_filter(filter, *store);
  return filtered(make_graph(ctx, store, residency), filter);
}

std::string known_labels(const LoadedGraph& graph, const std::string& label) {
  const store::Header& header = graph.store().header();
  if (header.vertices == 0) return "it has no vertices";
  if (header.labels == store::LabelKind::Strings)
    return "the nearest in sorted order: " + neighbours(graph, label);
  return fmt::format(
      "its vertices are {} from {} to {}",
      header.labels == store::LabelKind::Integers ? "some of the integers" : "the integers",
      graph.label(graph.vertex(0)), graph.label(graph.vertex(header.vertices - 1)));
}

}  // namespace

void check_layout_options(const ExecutionOptions& options, const store::Store& store) {
  const store::Header& header = store.header();
  if (!header.packed && !options.packed.empty())
    throw Error(ErrorCode::Usage, fmt::format("--packed has no effect on {}, whose lists are not "
                                              "packed (fathom convert --pack)",
                                              store.path()));
  if (!options.id_bits.empty() && (header.packed || header.narrow || header.slotted))
    throw Error(ErrorCode::Usage,
                fmt::format("--id-bits has no effect on {}, whose lists are {}", store.path(),
                            header.packed   ? "packed"
                            : header.narrow ? "narrow as they are"
                                            : "in slotted pages"));
}

void check_filter(const EdgeFilter& filter, const store::Store& store) {
  if (filter.keeps_all() || store.header().semantic) return;
  throw Error(ErrorCode::Usage,
              fmt::format("{}: its edges have no types and timestamps, which --since, --until, "
                          "--at and --types ask for; `fathom stream --semantic` writes graphs "
                          "that have them",
                          store.path()));
}

LoadedGraph::LoadedGraph(const std::string& path, const ExecutionOptions& options, const Task& task,
                         Opens opens)
    : LoadedGraph(open_graph(*options.group, path), options, task, opens) {
  path_ = path;
}

LoadedGraph::LoadedGraph(std::shared_ptr<store::Store> store, const ExecutionOptions& options,
                         const Task& task, Opens opens)
    : store_(std::move(store)),
      path_(store_->path()),
      filter_(filter_of(options)),
      context_(make_context(options_for(options, *store_), store_->header().edges, task)),
      graph_(nullptr) {
  if (store_->header().slotted && options.page_bytes > 0)
    throw Error(ErrorCode::Usage, "--page-size has no effect on slotted pages, which have theirs");
  const ResidencyOptions residency = residency_options(options, context_);
  trace_ = residency.paging.trace;
  const auto start = std::chrono::steady_clock::now();
  graph_ = open_filtered(context_, store_, residency, filter_);
  if (opens == Opens::OutLists) graph_.out();
  load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool LoadedGraph::apart() const {
  return context_.on_gpu() || graph_.split();
}

const Context& LoadedGraph::checking_context() const {
  if (!apart()) return context_;
  if (!checking_context_)
    checking_context_.emplace(Context::cpu(
        {context_.threads(), MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, context_.task()}));
  return *checking_context_;
}

const Graph& LoadedGraph::checking_graph() const {
  if (!apart()) return graph_;
  if (!checking_graph_)
    checking_graph_.emplace(open_filtered(checking_context(), store_, {}, filter_));
  return *checking_graph_;
}

std::uint64_t LoadedGraph::identity() const {
  std::uint64_t of_both = store_->header().fingerprint;
  if (filter_.keeps_all()) return of_both;
  of_both = mix64(of_both + store::identity_of_fields(store::StoreFile(store_->path())));
  for (const char c : to_string(filter_)) of_both = mix64(of_both + static_cast<unsigned char>(c));
  return of_both;
}

const store::FirstOrder& LoadedGraph::rows() const {
  if (!rows_) rows_ = store::first_order(store_->path(), context_.host_memory());
  return *rows_;
}

VertexId LoadedGraph::find(const std::string& label) const {
  if (const auto v = store_->find(label)) return *v;
  throw Error(ErrorCode::Usage,
              fmt::format("{} has no vertex '{}'; {}", path_, label, known_labels(*this, label)));
}

std::vector<VertexId> LoadedGraph::find(const std::vector<std::string>& labels) const {
  std::vector<VertexId> found;
  found.reserve(labels.size());
  for (const std::string& label : labels) found.push_back(find(label));
  return found;
}

}  // namespace fathom::cli
