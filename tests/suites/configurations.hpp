// Where an algorithm can run without a GPU: each executor and residency the suites are instantiated
// for. A configuration makes its context and places a built graph.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "fathom/residency/graph.hpp"
#include "fathom/residency/narrow/narrow_graph.hpp"
#include "fathom/residency/packed/packed_graph.hpp"
#include "fathom/store/narrow/narrow_image.hpp"
#include "fathom/store/packed/packed_image.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::testing {

struct Configuration {
  std::string name;
  CpuOptions cpu;
  ResidencyOptions residency;
  bool tenth_of_pages = false;  // frames for 10 % of the pages of the out lists
  bool room_for_pairs = false;  // and for two of the longest degree-oriented lists there can be
  bool slotted = false;         // lists are slotted pages of the residency's page size
  bool packed = false;          // lists are packed
  bool narrow = false;          // lists are narrow

  Context context() const { return Context::cpu(cpu); }

  /// Lists where this configuration puts them; `in` may be null.
  Graph place(const Context& ctx, const CsrView& out, const CsrView* in, bool directed) const {
    const ResidencyOptions options = residency_for(out.edges);
    if (packed)
      return place_coded<store::PackedImage>(ctx, out, in, directed, options, store::pack);
    if (narrow)
      return place_coded<store::NarrowImage>(ctx, out, in, directed, options, store::narrowed);
    if (!slotted) return make_graph(ctx, out, in, directed, options);
    struct Pages {
      store::SlottedImage out, in;
    };
    auto pages = std::make_shared<Pages>();
    const store::SlottedOptions cut{residency.paging.page_bytes, 3, 3};
    pages->out = store::paginate(out, cut);
    if (in) pages->in = store::paginate(*in, cut);
    return make_graph(ctx, pages->out.lists, in ? &pages->in.lists : nullptr, directed, options,
                      pages);
  }

  ResidencyOptions residency_for(EdgeId edges) const {
    ResidencyOptions options = residency;
    if (tenth_of_pages) {
      const std::size_t pages = edges * sizeof(VertexId) / options.paging.page_bytes + 1;
      options.paging.frames = std::max(pages / 10 + 1, room_for_pairs ? pages_of_pair(edges) : 0);
    }
    return options;
  }

 private:
  template <class Image>
  static Graph place_coded(const Context& ctx, const CsrView& out, const CsrView* in, bool directed,
                           const ResidencyOptions& options, Image (*coded)(const CsrView&)) {
    struct Lists {
      Image out, in;
    };
    auto lists = std::make_shared<Lists>();
    lists->out = coded(out);
    if (in) lists->in = coded(*in);
    return make_graph(ctx, lists->out.lists, in ? &lists->in.lists : nullptr, directed, options,
                      lists);
  }

  /// A degree-oriented list has no more entries than sqrt(2 * edges).
  std::size_t pages_of_pair(EdgeId edges) const {
    std::size_t longest = 1;
    while (longest * longest < 2 * edges) ++longest;
    return 2 * longest * sizeof(VertexId) / residency.paging.page_bytes + 2;
  }
};

inline void PrintTo(const Configuration& c, std::ostream* out) {
  *out << c.name;
}

/// For INSTANTIATE_TEST_SUITE_P.
inline std::string configuration_name(const ::testing::TestParamInfo<Configuration>& info) {
  return info.param.name;
}

/// A link on which copying a page of so many bytes takes as long as reading half of its lines.
inline std::shared_ptr<const LinkProfile> link_for_pages_of(std::size_t page_bytes) {
  LinkProfile link;
  link.copies.to_device = 20;
  link.copies.chunked = {{page_bytes, 20}};
  link.in_order = {{ZeroCopyWay::Register, 10, 10, 10}};
  link.reach = {{ZeroCopyWay::Register, std::uint64_t{1} << 30, 2, {10, 10, 10, 10}}};
  return std::make_shared<LinkProfile>(link);
}

/// Small pages, so that lists cross pages and passes on graphs of a few hundred edges.
inline std::vector<Configuration> cpu_configurations() {
  using Kind = ResidencyOptions::Kind;
  auto make = [](std::string name, int threads, int devices, Kind kind, bool tenth,
                 bool slotted = false) {
    Configuration c;
    c.name = std::move(name);
    c.cpu.threads = threads;
    c.cpu.devices = devices;
    if (devices > 0) c.cpu.device_memory = std::size_t{64} << 20;
    c.residency.kind = kind;
    c.residency.paging.page_bytes = 64;
    c.tenth_of_pages = tenth;
    c.slotted = slotted;
    return c;
  };
  auto choosing = [](Configuration c) {  // which pages to copy, and which to read in place
    c.residency.paging.emulated_link = link_for_pages_of(c.residency.paging.page_bytes);
    return c;
  };
  auto packed = [](Configuration c) {  // in pages of whole groups
    c.packed = true;
    c.residency.paging.page_bytes = store::packed::kGroup * sizeof(VertexId);
    return c;
  };
  auto narrow = [](Configuration c) {  // 16 entries a page, of which few begin with words
    c.narrow = true;
    return c;
  };
  auto brought = [](Configuration c) {  // page by page, as from a disk
    c.residency.paging.from_disk = true;
    return c;
  };
  return {make("host", 1, 0, Kind::Auto, false),
          make("host_three_threads", 3, 0, Kind::Auto, false),
          make("host_streamed", 2, 0, Kind::Stream, true),
          make("one_device_streamed", 2, 1, Kind::Stream, true),
          make("two_devices_streamed", 2, 2, Kind::Stream, true),
          brought(choosing(make("two_devices_brought", 2, 2, Kind::Stream, true))),
          make("host_slotted", 2, 0, Kind::Auto, false, true),
          make("host_slotted_streamed", 2, 0, Kind::Stream, true, true),
          make("two_devices_slotted", 2, 2, Kind::Stream, true, true),
          choosing(make("two_devices_choosing", 2, 2, Kind::Stream, true, true)),
          packed(make("host_packed_streamed", 2, 0, Kind::Stream, true)),
          packed(make("two_devices_packed", 2, 2, Kind::Stream, true)),
          narrow(make("host_narrow_streamed", 2, 0, Kind::Stream, true)),
          brought(narrow(make("two_devices_narrow", 2, 2, Kind::Stream, true)))};
}

}  // namespace fathom::testing
