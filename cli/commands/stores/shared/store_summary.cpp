#include "cli/commands/stores/shared/store_summary.hpp"

#include <fmt/format.h>

#include "cli/shared/console.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/format.hpp"
#include "fathom/store/packed/packed_sections.hpp"
#include "fathom/store/parts/part_store.hpp"

namespace fathom::cli {
namespace {

std::string_view kind_of(store::LabelKind kind) {
  switch (kind) {
    case store::LabelKind::Identity:
    case store::LabelKind::Offset:
      return "consecutive integers";
    case store::LabelKind::Integers:
      return "integers";
    case store::LabelKind::Strings:
      return "strings";
  }
  return "";
}

/// Of the file as it was opened: sections after the header page, then a checksum for each block.
std::uint64_t file_bytes(const store::Store& store) {
  std::uint64_t end = store::kPageBytes, blocks = 0;
  for (const store::SectionInfo& s : store.sections()) {
    end = s.offset + store::padded(s.bytes);
    blocks += s.blocks;
  }
  return end + blocks * sizeof(std::uint64_t);
}

std::string line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<18}{}\n", name, value);
}

std::string direction_line(const store::Header& h) {
  if (!h.directed) return "undirected (every edge is stored both ways)";
  std::string text = "directed";
  if (h.symmetric) text += "; every edge happens to have its reverse (could be --undirected)";
  return text + (h.has_in_edges ? "; in-edges stored" : "; no in-edges");
}

/// The labels of the first and the last vertex, in the order of results.
std::pair<std::string, std::string> label_range(store::Store& store) {
  const store::FirstOrder order = store::first_order(store.path(), MemoryPool::unlimited());
  const VertexId last = store.header().vertices - 1;
  if (order.natural()) return {store.label(0), store.label(last)};
  return {store.label(order.vertex[0]), store.label(order.vertex[last])};
}

std::string label_line(store::Store& store) {
  const store::Header& h = store.header();
  std::string text(kind_of(h.labels));
  if (h.vertices > 0) {
    const auto [first, last] = label_range(store);
    text += fmt::format(", {} to {}", printable(first), printable(last));
  }
  return text;
}

std::string pages_line(const store::SlottedStatistics& s, std::uint64_t page_bytes) {
  return fmt::format("{} small, {} large of {}, {} in all; {} vertices have large ones",
                     format_count(s.small_pages), format_count(s.large_pages),
                     format_bytes(page_bytes), format_bytes(s.bytes),
                     format_count(s.large_vertices));
}

std::uint64_t bytes_of(const store::Store& store, store::SectionId id) {
  for (const store::SectionInfo& s : store.sections())
    if (s.name == store::name_of(id)) return s.bytes;
  return 0;
}

/// Bytes of packed lists: of their ids, where each group begins included; of their weights.
struct PackedSize {
  std::uint64_t ids = 0, weights = 0;
};

PackedSize packed_size(const store::Store& store, bool out) {
  const auto ids = store::PackedSectionIds::of(out);
  return {bytes_of(store, ids.words) + bytes_of(store, ids.index),
          bytes_of(store, ids.codes) + bytes_of(store, ids.weights)};
}

double bits_per_edge(std::uint64_t bytes, const store::Header& h) {
  return static_cast<double>(bytes) * 8 / static_cast<double>(h.edges);
}

std::uint64_t distinct_weights(const store::Store& store) {
  return bytes_of(store, store::SectionId::WeightValues) / sizeof(Weight);
}

std::string packed_line(const store::Store& store, bool out) {
  const store::Header& h = store.header();
  const PackedSize size = packed_size(store, out);
  std::string text = format_bytes(size.ids + size.weights);
  if (h.edges > 0)
    text += fmt::format(", {:.2f} bits per edge", bits_per_edge(size.ids, h)) +
            (h.weighted ? fmt::format(" and {:.2f} of its weight", bits_per_edge(size.weights, h))
                        : "");
  return text;
}

std::string packed_lines(const store::Store& store) {
  const store::Header& h = store.header();
  std::string text = fmt::format("packed; ids of {} bits in differences", h.packed->id_bits);
  if (h.packed->code_bytes > 0)
    text += fmt::format(", weights of {} bits: {} distinct ones", 8 * h.packed->code_bytes,
                        format_count(distinct_weights(store)));
  else if (h.weighted)
    text += ", weights as they are";
  text =
      line("layout", text) + line(h.has_in_edges ? "out lists" : "lists", packed_line(store, true));
  return h.has_in_edges ? text + line("in lists", packed_line(store, false)) : text;
}

std::string layout_lines(store::Store& store) {
  const store::Header& h = store.header();
  if (h.packed) return packed_lines(store);
  if (h.narrow)
    return line("layout",
                fmt::format("narrow; ids of {} bits", h.narrow->id_bits) +
                    (h.weighted ? fmt::format(", weights of {}: {} distinct ones",
                                              h.narrow->code_bits, format_count(h.narrow->values))
                                : ""));
  if (!h.slotted) return line("layout", "csr");
  std::string text =
      line("layout", fmt::format("slotted; record ids of {} + {} bytes, at most {} pages of {} "
                                 "slots",
                                 h.slotted->pid_bytes, h.slotted->slot_bytes,
                                 format_count(h.slotted->most_pages()),
                                 format_count(h.slotted->most_slots())));
  text += line(h.has_in_edges ? "out pages" : "pages",
               pages_line(*store.slotted_out_statistics(), h.slotted->page_bytes));
  if (h.has_in_edges)
    text += line("in pages", pages_line(*store.slotted_in_statistics(), h.slotted->page_bytes));
  return text;
}

Json json_of(const store::SlottedStatistics& s) {
  return {{"small_pages", s.small_pages},
          {"large_pages", s.large_pages},
          {"bytes", s.bytes},
          {"large_vertices", s.large_vertices},
          {"entries_on_small", s.entries_on_small},
          {"entries_on_large", s.entries_on_large}};
}

Json json_of(const store::PartRange& range) {
  return {{"first_vertex", range.first},
          {"vertices", range.vertices()},
          {"first_edge", range.begin},
          {"edges", range.edges()}};
}

/// Null: it is a whole graph.
const store::PartLayout* part_of(const store::Store& store) {
  const auto* const opened = dynamic_cast<const store::PartStore*>(&store);
  return opened ? opened->part() : nullptr;
}

/// Whose lists a part has.
std::string range_text(const store::PartRange& range, VertexId vertices) {
  if (range.vertices() == 0)
    return fmt::format("those of none of {} vertices", format_count(vertices));
  return fmt::format("those of vertices {} to {}: {} edges from {} on", format_count(range.first),
                     format_count(range.last - 1), format_count(range.edges()),
                     format_count(range.begin));
}

std::string part_lines(const store::PartLayout& part, const store::Header& h) {
  std::string text = line("part", fmt::format("{} of {}", part.index, part.parts));
  text += line(h.has_in_edges ? "out lists" : "lists", range_text(part.out, h.vertices));
  return h.has_in_edges ? text + line("in lists", range_text(part.in, h.vertices)) : text;
}

Json packed_json(const store::Store& store, bool out) {
  const store::Header& h = store.header();
  const PackedSize size = packed_size(store, out);
  const auto bits = [&](std::uint64_t bytes) {
    return h.edges > 0 ? Json(bits_per_edge(bytes, h)) : Json(nullptr);
  };
  return {{"bytes", size.ids + size.weights},
          {"bits_per_edge", bits(size.ids)},
          {"bits_per_weight", bits(size.weights)}};
}

Json packed_json(const store::Store& store) {
  const store::Header& h = store.header();
  Json json = {{"kind", "packed"},
               {"id_bits", h.packed->id_bits},
               {"code_bits", 8 * h.packed->code_bytes},
               {"distinct_weights", distinct_weights(store)},
               {"out", packed_json(store, true)}};
  if (h.has_in_edges) json["in"] = packed_json(store, false);
  return json;
}

Json layout_json(store::Store& store) {
  const store::Header& h = store.header();
  if (h.packed) return packed_json(store);
  if (h.narrow)
    return {{"kind", "narrow"},
            {"id_bits", h.narrow->id_bits},
            {"code_bits", h.narrow->code_bits},
            {"distinct_weights", h.narrow->values}};
  if (!h.slotted) return {{"kind", "csr"}};
  Json json = {{"kind", "slotted"},
               {"page_bytes", h.slotted->page_bytes},
               {"pid_bytes", h.slotted->pid_bytes},
               {"slot_bytes", h.slotted->slot_bytes},
               {"out", json_of(*store.slotted_out_statistics())}};
  if (h.has_in_edges) json["in"] = json_of(*store.slotted_in_statistics());
  return json;
}

}  // namespace

std::string_view name_of(graph::Duplicates policy) {
  switch (policy) {
    case graph::Duplicates::Min:
      return "min";
    case graph::Duplicates::Max:
      return "max";
    case graph::Duplicates::Sum:
      return "sum";
    case graph::Duplicates::First:
      return "first";
    case graph::Duplicates::Keep:
      return "keep";
  }
  return "";
}

std::string_view name_of(graph::Loops policy) {
  return policy == graph::Loops::Keep ? "keep" : "drop";
}

std::string repairs_of(const store::Header& h) {
  const graph::BuildReport& r = h.report;
  std::string text = line("input edges", format_count(r.input_edges));
  text +=
      line("self-loops", fmt::format("{} seen, {} dropped (policy: {})", format_count(r.loops_seen),
                                     format_count(r.loops_dropped), name_of(h.policies.loops)));
  text +=
      line("duplicates", fmt::format("{} merged (policy: {})", format_count(r.duplicates_merged),
                                     name_of(h.policies.duplicates)));
  text += line("reverse edges", fmt::format("{} added", format_count(r.reverse_edges_added)));
  if (h.weighted)
    text += line("missing weights", fmt::format("{} set to 1", format_count(r.missing_weights)));
  return text;
}

std::string summary_of(store::Store& store) {
  const store::Header& h = store.header();
  std::string text = fmt::format("{}\n", printable(store.path()));
  text += line("vertices", format_count(h.vertices));
  text += line("edges", format_count(h.edges) + (h.directed ? "" : " (both directions counted)"));
  text += line("direction", direction_line(h));
  text += line("weights", h.weighted ? "yes" : "none (every weight is 1)");
  if (h.semantic) text += line("edges have", "weight, type and two timestamps");
  if (h.vertex_fields) text += line("vertices have", "weight and type");
  text += line("labels", label_line(store));
  text += layout_lines(store);
  if (const store::PartLayout* const part = part_of(store)) text += part_lines(*part, h);
  text += repairs_of(h);
  text += line("fingerprint", hex(h.fingerprint));
  text += line("file", fmt::format("{}, format {}", format_bytes(file_bytes(store)), h.version));
  if (!h.provenance.empty()) text += line("made by", printable(h.provenance));
  text += fmt::format("  {:<18}{:>14}{:>14}{:>9}\n", "section", "offset", "size", "blocks");
  for (const store::SectionInfo& s : store.sections())
    text += fmt::format("  {:<18}{:>14}{:>14}{:>9}\n", s.name, s.offset, format_bytes(s.bytes),
                        format_count(s.blocks));
  return text;
}

Json json_of(store::Store& store, std::optional<double> seconds) {
  const store::Header& h = store.header();
  const graph::BuildReport& r = h.report;
  Json json;
  json["schema"] = "fathom.info/1";
  json["graph"] = graph_json(h, store.path());
  json["symmetric"] = h.symmetric;
  json["in_edges"] = h.has_in_edges;
  json["fields"] = {{"edges", h.semantic}, {"vertices", h.vertex_fields}};
  json["layout"] = layout_json(store);
  const store::PartLayout* const part = part_of(store);
  json["part"] = part ? json_of(*part) : Json(nullptr);
  json["labels"] = {{"kind", kind_of(h.labels)}, {"first", nullptr}, {"last", nullptr}};
  if (h.vertices > 0) {
    const auto [first, last] = label_range(store);
    json["labels"]["first"] = first;
    json["labels"]["last"] = last;
  }
  json["policies"] = {{"undirected", h.policies.undirected},
                      {"in_edges", h.policies.in_edges},
                      {"duplicates", name_of(h.policies.duplicates)},
                      {"loops", name_of(h.policies.loops)}};
  json["repairs"] = {{"input_edges", r.input_edges},
                     {"loops_seen", r.loops_seen},
                     {"loops_dropped", r.loops_dropped},
                     {"duplicates_merged", r.duplicates_merged},
                     {"reverse_edges_added", r.reverse_edges_added},
                     {"missing_weights", r.missing_weights}};
  json["file"] = {{"bytes", file_bytes(store)}, {"format", h.version}};
  json["provenance"] = h.provenance;
  json["seconds"] = seconds ? Json(*seconds) : Json(nullptr);
  json["sections"] = Json::array();
  for (const store::SectionInfo& s : store.sections())
    json["sections"].push_back({{"name", s.name},
                                {"offset", s.offset},
                                {"bytes", s.bytes},
                                {"checksum_blocks", s.blocks}});
  return json;
}

Json json_of(const store::PartLayout& part) {
  return {{"index", part.index},
          {"parts", part.parts},
          {"out", json_of(part.out)},
          {"in", json_of(part.in)}};
}

std::string summary_of(const store::DegreeSummary& d, const std::string& direction) {
  std::string text = fmt::format("{} degrees: mean {:.2f}, median {}, largest {}\n", direction,
                                 d.mean(), format_count(d.percentile[0]), format_count(d.maximum));
  text += line("90 / 99 / 99.9 %",
               fmt::format("{} / {} / {} or less", format_count(d.percentile[1]),
                           format_count(d.percentile[2]), format_count(d.percentile[3])));
  for (std::size_t i = 0; i < d.histogram.size(); ++i) {
    if (d.histogram[i] == 0) continue;
    const std::uint64_t low = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    const std::uint64_t high = i == 0 ? 0 : low * 2 - 1;
    const std::string range =
        low == high ? format_count(low) : format_count(low) + "-" + format_count(high);
    text +=
        fmt::format("  {:>25}  {:>15}  {:5.1f} %\n", range, format_count(d.histogram[i]),
                    100.0 * static_cast<double>(d.histogram[i]) / static_cast<double>(d.vertices));
  }
  return text;
}

}  // namespace fathom::cli
