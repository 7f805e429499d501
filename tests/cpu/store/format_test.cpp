// docs/formats.md suffices to read a file: an independent reader sees what Fathom sees.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include "fathom/store/make/repack.hpp"
#include "fathom/store/store.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/source_file.hpp"

namespace fathom::store {
namespace {

std::string lists_as_text(const char* name, const CsrView& g) {
  std::string text;
  for (VertexId v = 0; v < g.vertices; ++v)
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e) {
      text += fmt::format("{} {} {}", name, v, g.target[e]);
      text += g.weight ? fmt::format(" {:g}\n", g.weight[e]) : "\n";
    }
  return text;
}

std::string fields_as_text(Store& store) {
  const StoredFields fields = read_fields(store, 1, std::make_shared<MemoryPool>("host", kMi));
  std::string text;
  for (std::size_t e = 0; e < fields.edges.size(); ++e) {
    const EdgeFields& f = fields.edges[e];
    text += fmt::format("fields {} {} {} {}\n", e, f.type, f.t1, f.t2);
  }
  for (std::size_t v = 0; v < fields.vertices.size(); ++v)
    text +=
        fmt::format("vertex {} {:g} {}\n", v, fields.vertices[v].weight, fields.vertices[v].type);
  return text;
}

std::string as_text(const std::string& path) {
  const auto store = Store::open(path);
  const Header& h = store->header();
  std::string text = fmt::format(
      "vertices {} edges {} flags {} fingerprint {:016x}\n", h.vertices, h.edges,
      int{h.directed} + 2 * int{h.weighted} + 4 * int{h.symmetric} + 8 * int{h.has_in_edges},
      h.fingerprint);
  if (h.slotted) {
    text += lists_as_text("out", unpack(*store->slotted_out()).view());
    if (h.has_in_edges) text += lists_as_text("in", unpack(*store->slotted_in()).view());
  } else {
    text += lists_as_text("out", store->out());
    if (h.has_in_edges) text += lists_as_text("in", *store->in());
  }
  if (const auto oriented = store->oriented()) text += lists_as_text("oriented", *oriented);
  for (VertexId v = 0; v < h.vertices; ++v) {
    std::string label = store->label(v);
    if (h.labels == LabelKind::Strings) {
      std::string hex;
      for (char c : label) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
      label = hex;
    }
    text += fmt::format("label {} {}\n", v, label);
  }
  text += fields_as_text(*store);
  text += fmt::format("largest degree {}\n", store->out_degrees().maximum);
  if (!h.provenance.empty()) text += "provenance " + h.provenance + "\n";
  return text;
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t n = ::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0);
  return text;
}

TEST(StoreFormat, IsReadByAnIndependentReaderWrittenFromTheDocumentation) {
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/python3";
  std::vector<Sample> samples(6);
  samples[1] = sample_with_everything();
  samples[2] = random_sample(140'000, 30'000, true);  // offsets of two blocks
  samples[2].in_edges = true;
  samples[3].vertices = 3;
  samples[3].labels = LabelKind::Integers;
  samples[3].integers = {5, 7, 18'446'744'073'709'551'615u};
  samples[4].vertices = 2;
  samples[4].edges = {{0, 1}, {1, 0}};
  samples[4].undirected = true;
  samples[4].labels = LabelKind::Offset;
  samples[4].label_base = 1;
  samples[5].labels = LabelKind::Strings;
  samples[5].provenance = "";
  samples.push_back(random_sample(900, 500, true));
  for (VertexId v = 0; v < 20'000; ++v) samples[6].edges.push_back({300, v % 900, 2.5f});
  samples[6].in_edges = true;
  const TemporaryDirectory directory;
  for (const Sample& sample : samples) {
    const std::string path = directory.file("a.fg");
    write_sample(path, sample);
    const std::string reader =
        "/usr/bin/python3 " + source_file("tests/store_format/read_fg.py") + " ";
    EXPECT_EQ(output_of(reader + path), as_text(path));
    if (sample.edge_fields) {  // for which the other layouts have no place
      Sample less = sample;
      less.edge_fields = false;
      write_sample(path, less);
    }
    // As slotted pages, with large ones where there is a hub.
    const std::string pages = directory.file("pages.fg");
    for (const SlottedOptions& o :
         {SlottedOptions{65536, 3, 3}, {65536, 2, 2}, {65536, 4, 2}, {131072, 2, 4}}) {
      RepackOptions options;
      options.slotted = o;
      options.provenance = sample.provenance;
      repack(path, pages, options);
      const std::string text = output_of(reader + pages);
      EXPECT_EQ(text, as_text(pages));
      EXPECT_EQ(text, as_text(path));
    }
    RepackOptions narrow;
    narrow.narrow = true;
    narrow.provenance = sample.provenance;
    repack(path, pages, narrow);
    EXPECT_EQ(output_of(reader + pages), as_text(path));
  }
}

}  // namespace
}  // namespace fathom::store
