// Graphs from columns of edges and from compressed sparse rows.
#include "make_graph.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cli/machine/probes.hpp"
#include "columns.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/graph/symmetry.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/save.hpp"
#include "graph.hpp"
#include "graph_place.hpp"

namespace fathom::python {

std::shared_ptr<PyGraph> GraphPlace::open() const {
  if (!memory_) return std::make_shared<PyGraph>(path_);
  const auto open_memory = [&](std::uint64_t copied) {
    const int own = ::fcntl(memory_->descriptor(), F_DUPFD_CLOEXEC, 3);
    if (own < 0) throw_io_error("the graph", "open again", errno);
    return std::make_shared<PyGraph>(own, "", copied);
  };
  std::uint64_t copied = 0;
  for (const store::SectionInfo& section : open_memory(0)->store().sections())
    copied += section.bytes;
  return open_memory(copied);
}

namespace {

using Columns = std::shared_ptr<Column>;

/// Edges of columns, as a file's edges.
class ColumnReader final : public io::EdgeReader {
 public:
  ColumnReader(Columns source, Columns target, Columns weight, Columns vertices,
               std::optional<std::uint64_t> declared, const Task& task, std::uint64_t& rounded)
      : source_(std::move(source)),
        target_(std::move(target)),
        weight_(std::move(weight)),
        vertices_(std::move(vertices)),
        task_(task),
        rounded_(rounded) {
    check_sizes();
    // Of no edges the vertices alone say what labels are.
    traits_.string_labels =
        source_->size() > 0 || !vertices_ ? source_->strings() : vertices_->strings();
    traits_.weighted = weight_ != nullptr;
    traits_.declared_vertices = declared;
    traits_.declared_edges = source_->size();
  }

  const io::InputTraits& traits() const override { return traits_; }

  void read(io::EdgeSink sink) override {
    rounded_ = 0;
    if (traits_.string_labels)
      read_all<std::string_view>(sink, &io::EdgeBatch::source_label, &io::EdgeBatch::target_label,
                                 &io::EdgeBatch::vertex_label);
    else
      read_all<std::uint64_t>(sink, &io::EdgeBatch::source, &io::EdgeBatch::target,
                              &io::EdgeBatch::vertex);
  }

 private:
  static constexpr std::uint64_t kBatch = std::uint64_t{1} << 16;

  void check_sizes() const {
    for (const Columns& other : {target_, weight_})
      if (other && other->size() != source_->size())
        throw Error(ErrorCode::Usage, fmt::format("{} has {} values, {} has {}", source_->name(),
                                                  source_->size(), other->name(), other->size()));
    for (const Columns& other : {target_, vertices_})
      if (other && other->size() > 0 && source_->size() > 0 &&
          other->strings() != source_->strings())
        throw Error(ErrorCode::Usage, fmt::format("{} and {} are not both integers or both strings",
                                                  source_->name(), other->name()));
  }

  template <class Label>
  void read_all(io::EdgeSink sink, std::span<const Label> io::EdgeBatch::*source,
                std::span<const Label> io::EdgeBatch::*target,
                std::span<const Label> io::EdgeBatch::*vertex) {
    std::vector<Label> from(kBatch), to(kBatch);
    std::vector<double> numbers(weight_ ? kBatch : 0);
    std::vector<Weight> weights(weight_ ? kBatch : 0);
    const std::uint64_t alone = vertices_ ? vertices_->size() : 0;
    for (std::uint64_t at = 0; at < alone; at += kBatch) {
      const auto n = static_cast<std::size_t>(std::min(kBatch, alone - at));
      vertices_->read(at, std::span(from).first(n));
      io::EdgeBatch batch;
      batch.*vertex = std::span<const Label>(from).first(n);
      sink(std::span<const io::EdgeBatch>(&batch, 1));
    }
    const std::uint64_t edges = source_->size();
    task_.begin("reading edges", edges, "edges");
    for (std::uint64_t at = 0; at < edges; at += kBatch) {
      const auto n = static_cast<std::size_t>(std::min(kBatch, edges - at));
      source_->read(at, std::span(from).first(n));
      target_->read(at, std::span(to).first(n));
      io::EdgeBatch batch;
      batch.*source = std::span<const Label>(from).first(n);
      batch.*target = std::span<const Label>(to).first(n);
      if (weight_) {
        weight_->read(at, std::span(numbers).first(n));
        for (std::size_t i = 0; i < n; ++i)
          weights[i] = weight_of(numbers[i], weight_->name(), at + i, rounded_);
        batch.weight = std::span<const Weight>(weights).first(n);
      }
      sink(std::span<const io::EdgeBatch>(&batch, 1));
      task_.at(at + n);
    }
    task_.end();
  }

  Columns source_, target_, weight_, vertices_;
  Task task_;
  std::uint64_t& rounded_;
  io::InputTraits traits_;
};

template <class T>
T one_of(const std::map<std::string, T>& all, const std::string& what, const std::string& word) {
  if (const auto found = all.find(word); found != all.end()) return found->second;
  std::vector<std::string> words;
  for (const auto& [name, value] : all) words.push_back(name);
  throw Error(ErrorCode::Usage, fmt::format("{}: expected one of '{}', found '{}'", what,
                                            fmt::join(words, "', '"), word));
}

graph::Duplicates duplicates_named(const std::string& word) {
  using enum graph::Duplicates;
  return one_of<graph::Duplicates>(
      {{"min", Min}, {"max", Max}, {"sum", Sum}, {"first", First}, {"keep", Keep}}, "duplicates",
      word);
}

/// The graph, and how many weights binary32 did not hold exactly.
nb::tuple from_columns(Columns source, Columns target, Columns weight, Columns vertices,
                       std::optional<std::uint64_t> declared, bool directed,
                       const std::string& duplicates, const std::string& loops, bool in_edges,
                       std::size_t memory, int threads, const std::string& path,
                       const std::string& provenance) {
  store::ConvertOptions options;
  options.undirected = !directed;
  options.build.duplicates = duplicates_named(duplicates);
  options.build.loops = one_of<graph::Loops>(
      {{"keep", graph::Loops::Keep}, {"drop", graph::Loops::Drop}}, "loops", loops);
  options.build.in_edges = in_edges;
  options.build.threads = threads;
  options.build.memory = memory > 0 ? memory : static_cast<std::size_t>(cli::spare_memory());
  options.provenance = provenance;
  GraphPlace place(path);
  std::uint64_t rounded = 0;
  Watched watched;
  call(watched, [&] {
    options.build.task = watched.task();
    store::convert(std::make_unique<ColumnReader>(source, target, weight, vertices, declared,
                                                  watched.task(), rounded),
                   "the edges", place.file(), options);
  });
  return nb::make_tuple(place.open(), rounded);
}

// Compressed sparse rows.

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Values<T>& values) {
  return {values.data(), values.size()};
}

/// Whether lists are what a store keeps as it is: ascending targets in range, none twice.
template <class Index>
bool canonical(std::span<const Index> offset, std::span<const Index> target, std::uint64_t vertices,
               int threads) {
  if (offset.size() != vertices + 1 || offset[0] != 0 ||
      static_cast<std::uint64_t>(offset[vertices]) != target.size())
    return false;
  const auto list_ok = [&](std::uint64_t v) {
    const Index first = offset[v], last = offset[v + 1];
    if (last < first || static_cast<std::uint64_t>(last) > target.size()) return false;
    for (Index e = first; e < last; ++e)
      if (target[e] < 0 || static_cast<std::uint64_t>(target[e]) >= vertices ||
          (e > first && target[e] <= target[e - 1]))
        return false;
    return true;
  };
  return parallel_reduce(
      worker_count(threads), vertices, 4096, true,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
          if (!list_ok(v)) return false;
        return true;
      },
      [](bool a, bool b) { return a && b; });
}

/// What another type holds, as the lists have it; nothing where the bytes are the same.
template <class To, class From>
std::span<const To> as(std::span<const From> from, std::vector<To>& kept, std::uint64_t& copied) {
  if constexpr (sizeof(To) == sizeof(From) && std::is_integral_v<From> && std::is_integral_v<To>) {
    return {reinterpret_cast<const To*>(from.data()), from.size()};
  } else {
    kept.resize(from.size());
    std::transform(from.begin(), from.end(), kept.begin(),
                   [](From value) { return static_cast<To>(value); });
    copied += kept.size() * sizeof(To);
    return kept;
  }
}

/// (graph, rounded weights); None where the lists are not canonical.
template <class Index>
nb::object from_csr(std::uint64_t vertices, Values<Index> offset, Values<Index> target,
                    Columns weight, bool directed, bool in_edges, int threads,
                    const std::string& path, const std::string& provenance) {
  if (vertices >= kNoVertex)
    throw Error(ErrorCode::DoesNotFit,
                fmt::format("{} vertices are more than this build of Fathom can hold", vertices));
  GraphPlace place(path);
  Watched watched;
  bool done = false;
  std::uint64_t rounded = 0;
  call(watched, [&] {
    if (!canonical(span_of(offset), span_of(target), vertices, threads)) return;
    if (weight && weight->size() != target.size()) return;
    std::vector<EdgeId> offsets;
    std::vector<VertexId> targets;
    std::vector<Weight> weights;
    std::uint64_t copied = 0;
    CsrView lists;
    lists.vertices = static_cast<VertexId>(vertices);
    lists.edges = target.size();
    lists.offset = as(span_of(offset), offsets, copied).data();
    lists.target = as(span_of(target), targets, copied).data();
    if (weight) {
      constexpr std::size_t kPiece = 8192;
      std::vector<double> piece(kPiece);
      weights.resize(std::max<std::size_t>(1, target.size()));
      for (std::size_t at = 0; at < target.size(); at += kPiece) {
        const std::size_t n = std::min(kPiece, target.size() - at);
        weight->read(at, std::span(piece).first(n));
        for (std::size_t i = 0; i < n; ++i)
          weights[at + i] = weight_of(piece[i], weight->name(), at + i, rounded);
      }
      lists.weight = weights.data();
    }
    if (!directed && !graph::is_symmetric(lists, worker_count(threads)))
      throw Error(ErrorCode::BadInput,
                  "the matrix is not symmetric, as that of an undirected graph is");
    store::SaveOptions options;
    options.directed = directed;
    options.in_edges = in_edges;
    options.threads = threads;
    options.provenance = provenance;
    options.task = watched.task();
    store::save(lists, place.file(), options);
    done = true;
  });
  if (!done) return nb::none();
  return nb::make_tuple(place.open(), rounded);
}

template <class Index>
void add_csr(nb::module_& module) {
  module.def("from_csr", from_csr<Index>, nb::arg("vertices"), nb::arg("offset").noconvert(),
             nb::arg("target").noconvert(), nb::arg("weight").none(), nb::arg("directed"),
             nb::arg("in_edges"), nb::arg("threads"), nb::arg("path"), nb::arg("provenance"));
}

}  // namespace

void add_make_graph(nb::module_& module) {
  module.def("from_columns", from_columns, nb::arg("source"), nb::arg("target"),
             nb::arg("weight").none(), nb::arg("vertices").none(), nb::arg("declared").none(),
             nb::arg("directed"), nb::arg("duplicates"), nb::arg("loops"), nb::arg("in_edges"),
             nb::arg("memory"), nb::arg("threads"), nb::arg("path"), nb::arg("provenance"));
  add_csr<std::int32_t>(module);
  add_csr<std::int64_t>(module);
}

}  // namespace fathom::python
