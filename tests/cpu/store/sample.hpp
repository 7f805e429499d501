// Small stores for the tests: a directory that cleans up, files as bytes, and a writer of samples.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "fathom/store/field_sections.hpp"
#include "tests/suites/sizes.hpp"

namespace fathom::store {

using testing::kKi;
using testing::kMi;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fathom-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

/// No file of this process can grow beyond `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);  // write() then fails with EFBIG
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

/// A graph as a list of edges, and what its file shall contain.
struct Sample {
  struct WeightedEdge {
    VertexId u, v;
    Weight w = 1;
  };
  VertexId vertices = 0;
  std::vector<WeightedEdge> edges;
  bool weighted = false;
  bool in_edges = false;
  bool symmetric = false;
  bool undirected = false;
  bool pairs = false;
  bool edge_fields = false;  // types and timestamps
  bool vertex_fields = false;
  std::vector<VertexId> permutation;
  std::vector<Edge> oriented;  // the degree-oriented lists, when not empty
  LabelKind labels = LabelKind::Identity;
  std::uint64_t label_base = 0;
  std::vector<std::uint64_t> integers;
  std::vector<std::string> strings;
  std::string provenance = "a test";
};

inline Csr csr_of(VertexId vertices, std::vector<Sample::WeightedEdge> edges, bool weighted) {
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    return std::tie(a.u, a.v, a.w) < std::tie(b.u, b.v, b.w);
  });
  Csr csr{Array<EdgeId>(std::size_t{vertices} + 1, EdgeId{0}), Array<VertexId>(edges.size()),
          Array<Weight>(weighted ? edges.size() : 0)};
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ++csr.offset[edges[e].u + 1];
    csr.target[e] = edges[e].v;
    if (weighted) csr.weight[e] = edges[e].w;
  }
  for (std::size_t v = 0; v < vertices; ++v) csr.offset[v + 1] += csr.offset[v];
  return csr;
}

inline Csr out_of(const Sample& s) {
  return csr_of(s.vertices, s.edges, s.weighted);
}
inline Csr in_of(const Sample& s) {
  std::vector<Sample::WeightedEdge> reversed;
  for (const auto& e : s.edges) reversed.push_back({e.v, e.u, e.w});
  return csr_of(s.vertices, reversed, s.weighted);
}

inline std::vector<EdgeFields> edge_fields_of(const Sample& s) {
  std::vector<EdgeFields> fields;
  for (std::uint32_t e = 0; e < s.edges.size(); ++e)
    fields.push_back({e * 0x10001, e * std::uint64_t{0x100000001}, ~std::uint64_t{e}});
  return fields;
}
inline std::vector<VertexFields> vertex_fields_of(const Sample& s) {
  std::vector<VertexFields> fields;
  for (VertexId v = 0; v < s.vertices; ++v)
    fields.push_back({static_cast<Weight>(v) + 0.5f, ~static_cast<std::uint32_t>(v)});
  return fields;
}

inline Header write_sample(const std::string& path, const Sample& s) {
  StoreWriter writer(path);
  writer.append_lists(Lists::Out, out_of(s).view());
  if (s.in_edges) writer.append_lists(Lists::In, in_of(s).view());
  if (!s.oriented.empty()) {
    std::vector<Sample::WeightedEdge> edges;
    for (const Edge& e : s.oriented) edges.push_back({e.source, e.target});
    writer.append_lists(Lists::Oriented, csr_of(s.vertices, edges, false).view());
  }
  if (s.pairs) writer.append_pairs();
  if (s.edge_fields) write_fields(writer, edge_fields_of(s), {}, 2);
  if (s.vertex_fields) write_fields(writer, {}, vertex_fields_of(s), 2);
  if (!s.permutation.empty()) writer.section(SectionId::Permutation).append(s.permutation);
  if (!s.integers.empty()) writer.append_labels(s.integers);
  for (const std::string& label : s.strings) writer.append_label(label);
  Header header;
  header.vertices = s.vertices;
  header.directed = !s.undirected;
  header.symmetric = s.symmetric || s.undirected;
  header.labels = s.labels;
  header.label_base = s.label_base;
  header.provenance = s.provenance;
  header.policies.duplicates = graph::Duplicates::Keep;
  header.report.input_edges = s.edges.size();
  return writer.commit(header);
}

/// The same as slotted pages; of 4096 bytes or more, smaller than conversions make them.
inline Header write_slotted_sample(const std::string& path, const Sample& s,
                                   const SlottedOptions& options) {
  Header header = write_sample(path, s);  // for its fingerprint
  StoreWriter writer(path);
  auto put = [&](const Csr& csr, SectionId offsets, SectionId rvt, SectionId pages) {
    const SlottedImage image = paginate(csr.view(), options);
    header.slotted = image.lists.layout;
    writer.section(offsets).append(image.offset);
    SectionStream& stream = writer.section(pages);
    stream.set_element_bytes(image.lists.layout.page_bytes);
    stream.append(image.pages);
    writer.section(rvt).append(image.rvt);
  };
  put(out_of(s), SectionId::OutOffsets, SectionId::OutRvt, SectionId::OutPages);
  if (s.in_edges) put(in_of(s), SectionId::InOffsets, SectionId::InRvt, SectionId::InPages);
  for (const std::string& label : s.strings) writer.append_label(label);
  return writer.commit(header);
}

/// Every kind of section in a few kilobytes.
inline Sample sample_with_everything() {
  Sample s;
  s.vertices = 5;
  s.edges = {{0, 1, 0.5f}, {0, 2, 2}, {2, 0, 1}, {1, 2, 3}, {3, 3, 4}, {0, 2, 7}, {2, 1, -1}};
  s.weighted = s.in_edges = s.pairs = s.edge_fields = s.vertex_fields = true;
  s.permutation = {4, 2, 0, 1, 3};
  s.oriented = {{0, 1}, {0, 2}, {1, 2}};
  s.labels = LabelKind::Strings;
  s.strings = {"", "a", "ab", "b\xc3\xa9", "zz top"};
  return s;
}

/// The same without types and timestamps of edges, for which no layout but CSR has a place.
inline Sample sample_without_edge_fields() {
  Sample s = sample_with_everything();
  s.edge_fields = false;
  return s;
}

/// Pseudo-random, with hubs, loops and several edges between the same vertices.
inline Sample random_sample(VertexId vertices, std::size_t edges, bool weighted) {
  Sample s;
  s.vertices = vertices;
  s.weighted = weighted;
  std::mt19937 random(7);
  for (std::size_t i = 0; i < edges; ++i) {
    const auto u = static_cast<VertexId>(random() % vertices);
    const auto v = static_cast<VertexId>(random() % (1 + random() % vertices));
    s.edges.push_back({u, v, static_cast<Weight>(random() % 100)});
  }
  return s;
}

}  // namespace fathom::store
