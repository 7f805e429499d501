// Edge lists and Matrix Market. Of an undirected graph each edge is written once.
#include <fmt/format.h>

#include "fathom/io/table_writer.hpp"
#include "fathom/store/export/writers.hpp"

namespace fathom::store {
namespace {

/// Calls write(source, target, weight) for every edge. Of an undirected graph's, `once` takes those
/// of one direction.
template <class Once, class Write>
std::uint64_t write_edges(const WrittenGraph& graph, io::SinkBuffer& out, const Once& once,
                          const Write& write) {
  const bool directed = graph.header().directed;
  std::uint64_t written = 0;
  graph.task.begin("writing", graph.header().edges, "edges");
  EdgePages pages(graph.out);
  while (pages.next()) {
    for (std::size_t i = 0; i < pages.target.size(); ++i) {
      if (!directed && !once(pages.source[i], pages.target[i])) continue;
      write(pages.source[i], pages.target[i], pages.weight.empty() ? 1 : pages.weight[i]);
      ++written;
      out.flush_if_full();
    }
    graph.task.at(pages.past());
  }
  graph.task.end();
  return written;
}

/// The entries that a file of the graph has: of an undirected one's, pairs once and loops.
std::uint64_t count_entries(const WrittenGraph& graph) {
  const Header& header = graph.header();
  if (header.directed) return header.edges;
  graph.task.begin("counting", header.edges, "edges");
  std::uint64_t loops = 0;
  EdgePages pages(graph.out);
  while (pages.next()) {
    for (std::size_t i = 0; i < pages.target.size(); ++i)
      loops += pages.source[i] == pages.target[i] ? 1 : 0;
    graph.task.at(pages.past());
  }
  graph.task.end();
  return (header.edges - loops) / 2 + loops;
}

}  // namespace

std::uint64_t write_edge_list(const WrittenGraph& graph, char separator, io::ByteSink& sink) {
  const bool weighted = graph.header().weighted;
  io::SinkBuffer buffered(sink);
  std::string& out = buffered.buffer();
  out += fmt::format("source{}target", separator);
  if (weighted) out += fmt::format("{}weight", separator);
  out += '\n';
  const auto append_label = [&](VertexId v) {
    const std::size_t first = out.size();
    graph.labels.append_of_row(v, out);
    if (graph.header().labels == LabelKind::Strings) io::quote_if_needed(out, first, separator);
  };
  const std::uint64_t written = write_edges(
      graph, buffered, [](VertexId u, VertexId v) { return u <= v; },
      [&](VertexId u, VertexId v, Weight w) {
        append_label(u);
        out += separator;
        append_label(v);
        if (weighted) {
          out += separator;
          append_weight(w, out);
        }
        out += '\n';
      });
  buffered.flush();
  return written;
}

std::uint64_t write_matrix_market(const WrittenGraph& graph, io::ByteSink& sink) {
  const Header& header = graph.header();
  io::SinkBuffer buffered(sink);
  std::string& out = buffered.buffer();
  out +=
      fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n",
                  header.weighted ? "real" : "pattern", header.directed ? "general" : "symmetric",
                  header.vertices, header.vertices, count_entries(graph));
  // A symmetric matrix is given by its lower triangle.
  const std::uint64_t written = write_edges(
      graph, buffered, [](VertexId u, VertexId v) { return u >= v; },
      [&](VertexId u, VertexId v, Weight w) {
        append_integer(std::uint64_t{u} + 1, out);
        out += ' ';
        append_integer(std::uint64_t{v} + 1, out);
        if (header.weighted) {
          out += ' ';
          append_weight(w, out);
        }
        out += '\n';
      });
  buffered.flush();
  return written;
}

}  // namespace fathom::store
