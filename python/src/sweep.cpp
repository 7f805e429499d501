#include "sweep.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <future>
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "fathom/store/export/edge_pages.hpp"
#include "graph.hpp"

namespace fathom::python {
namespace {

/// Reads a page ahead while the caller works on one. Memory: two pages and the offsets of one.
class Sweep {
 public:
  Sweep(std::shared_ptr<PyGraph> graph, bool in_edges, std::uint64_t page_edges)
      : graph_(std::move(graph)),
        file_(graph_->path()),
        lists_(store::StoredLists::open(file_, in_edges ? store::Lists::In : store::Lists::Out)),
        pages_(*lists_, page_edges) {
    graph_->order();
    read_ahead();
  }

  /// (source, target, weight or None); None at the end.
  nb::object next() {
    if (!ahead_.valid()) return nb::none();
    bool there = false;
    std::vector<VertexId> source, target;
    std::vector<Weight> weight;
    {
      const Released released;
      there = ahead_.get();
      if (there) {
        source = std::move(pages_.source);
        target = std::move(pages_.target);
        weight = std::move(pages_.weight);
        read_ahead();
      }
    }
    if (!there) return nb::none();
    nb::object weights = nb::none();
    if (lists_->weighted()) weights = owned_array(std::move(weight));
    return nb::make_tuple(owned_array(std::move(source)), owned_array(std::move(target)), weights);
  }

 private:
  void read_ahead() {
    ahead_ = std::async(std::launch::async, [this] { return read(); });
  }
  bool read() {
    if (!pages_.next()) return false;
    const store::FirstOrder& order = graph_->order();
    if (!order.natural())
      for (std::vector<VertexId>* const ids : {&pages_.source, &pages_.target})
        for (VertexId& v : *ids) v = order.row[v];
    return true;
  }

  std::shared_ptr<PyGraph> graph_;
  store::StoreFile file_;
  std::unique_ptr<store::StoredLists> lists_;
  store::EdgePages pages_;
  std::future<bool> ahead_;  // last: it ends before what it reads
};

}  // namespace

void add_sweep(nb::module_& module) {
  nb::class_<Sweep>(module, "Sweep")
      .def(nb::init<std::shared_ptr<PyGraph>, bool, std::uint64_t>(), nb::arg("graph"),
           nb::arg("in_edges"), nb::arg("page_edges"))
      .def("next", &Sweep::next);
}

}  // namespace fathom::python
