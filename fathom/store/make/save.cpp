#include "fathom/store/make/save.hpp"

#include <array>
#include <charconv>

#include "fathom/core/parallel.hpp"
#include "fathom/graph/symmetry.hpp"
#include "fathom/store/field_sections.hpp"

namespace fathom::store {
namespace {

std::uint64_t integer_of(const std::string& label) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  if (error != std::errc{} || end != label.data() + label.size())
    throw Error(ErrorCode::Usage,
                "saving a graph: expected an integer label, found '" + label + "'");
  return value;
}

void write_labels(StoreWriter& writer, VertexId vertices, const SaveOptions& options) {
  for (VertexId v = 0; v < vertices; ++v) {
    if (options.strings) {
      writer.append_label(options.label(v));
    } else {
      const std::array<std::uint64_t, 1> label{integer_of(options.label(v))};
      writer.append_labels(label);
    }
  }
}

void check_fields(const CsrView& lists, const SaveOptions& options) {
  const auto& edges = options.edge_fields;
  const bool right =
      (!edges || (lists.weight && edges->size() == lists.edges)) &&
      (options.vertex_fields.empty() || options.vertex_fields.size() == lists.vertices);
  if (!right)
    throw Error(
        ErrorCode::Usage,
        "saving a graph: it has fields for all weighted edges and for all vertices, or none");
}

}  // namespace

Header save(const CsrView& lists, const std::string& path, const SaveOptions& options) {
  check_fields(lists, options);
  return save(lists, AtomicFile(path), options);
}

Header save(const CsrView& lists, AtomicFile output, const SaveOptions& options) {
  check_fields(lists, options);
  StoreWriter writer(std::move(output));
  Header header;
  header.vertices = lists.vertices;
  header.directed = options.directed;
  header.policies.undirected = !options.directed;
  header.policies.weighted = lists.weight != nullptr;
  header.policies.duplicates = graph::Duplicates::Keep;
  header.policies.in_edges = options.in_edges;
  header.report.input_edges = lists.edges;
  header.symmetric = !options.directed || graph::is_symmetric(lists, worker_count(options.threads));
  header.report.happens_symmetric = header.symmetric;
  header.provenance = options.provenance;
  header.labels = LabelKind::Identity;
  writer.append_lists(Lists::Out, lists);
  if (options.directed && options.in_edges) {
    const Csr in = graph::transpose(lists, options.threads);
    CsrView reverse = in.view();
    if (lists.edges == 0) reverse.weight = lists.weight;  // weights of no edges are weights still
    writer.append_lists(Lists::In, reverse);
  }
  write_fields(writer, options.edge_fields, options.vertex_fields, worker_count(options.threads));
  options.task.check();
  if (options.label) {
    header.labels = options.strings ? LabelKind::Strings : LabelKind::Integers;
    write_labels(writer, lists.vertices, options);
  }
  return writer.commit(header);
}

}  // namespace fathom::store
