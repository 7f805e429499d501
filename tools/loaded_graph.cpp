#include "loaded_graph.hpp"

#include <fmt/format.h>

#include <chrono>

#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

/// The labels around the place where a string would stand in the sorted table.
std::string neighbours(store::Store& store, const std::string& label) {
  VertexId first = 0, last = store.header().vertices;
  while (first < last) {
    const VertexId middle = first + (last - first) / 2;
    if (store.label(middle) < label)
      first = middle + 1;
    else
      last = middle;
  }
  std::string shown;
  if (first > 0) shown = fmt::format("'{}'", store.label(first - 1));
  if (first < store.header().vertices)
    shown += fmt::format("{}'{}'", shown.empty() ? "" : " and ", store.label(first));
  return shown;
}

std::string known_labels(store::Store& store, const std::string& label) {
  const store::Header& header = store.header();
  if (header.vertices == 0) return "it has no vertices";
  if (header.labels == store::LabelKind::Strings)
    return "the nearest in sorted order: " + neighbours(store, label);
  return fmt::format(
      "its vertices are {} from {} to {}",
      header.labels == store::LabelKind::Integers ? "some of the integers" : "the integers",
      store.label(0), store.label(header.vertices - 1));
}

}  // namespace

LoadedGraph::LoadedGraph(const std::string& path, const ExecutionOptions& options, const Task& task)
    : context_(Context::cpu(cpu_options(options, task))), graph_(nullptr) {
  const ResidencyOptions residency = residency_options(options);
  const auto start = std::chrono::steady_clock::now();
  store_ = store::Store::open(path);
  graph_ = make_graph(context_, store_, residency);
  graph_.out();
  load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

VertexId LoadedGraph::find(const std::string& label) const {
  if (const auto v = store_->find(label)) return *v;
  throw Error(ErrorCode::Usage, fmt::format("{} has no vertex '{}'; {}", store_->path(), label,
                                            known_labels(*store_, label)));
}

std::vector<VertexId> LoadedGraph::find(const std::vector<std::string>& labels) const {
  std::vector<VertexId> found;
  found.reserve(labels.size());
  for (const std::string& label : labels) found.push_back(find(label));
  return found;
}

}  // namespace fathom::cli
