// Graphs in CSR and as narrow lists, in files of a temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "fathom/store/make/repack.hpp"
#include "tests/cpu/store/sample.hpp"

namespace fathom::store {

inline RepackOptions to_narrow() {
  RepackOptions options;
  options.narrow = true;
  options.provenance = "narrowed";
  options.threads = 2;
  return options;
}

class NarrowStore : public ::testing::Test {
 protected:
  /// The lists of a store in CSR, and what its file says of itself.
  static void expect_same_graph(Store& csr, Store& narrow) {
    const Header &a = csr.header(), &b = narrow.header();
    EXPECT_EQ(a.fingerprint, b.fingerprint);
    EXPECT_EQ(a.vertices, b.vertices);
    EXPECT_EQ(a.edges, b.edges);
    EXPECT_EQ(a.weighted, b.weighted);
    EXPECT_EQ(a.directed, b.directed);
    EXPECT_EQ(a.has_in_edges, b.has_in_edges);
    EXPECT_EQ(csr.out_degrees(), narrow.out_degrees());
    EXPECT_EQ(csr.in_degrees(), narrow.in_degrees());
    expect_same_lists(csr.out(), *narrow.narrow_out());
    if (a.has_in_edges) expect_same_lists(*csr.in(), *narrow.narrow_in());
    for (VertexId v = 0; v < a.vertices; v += 1 + a.vertices / 50)
      EXPECT_EQ(csr.label(v), narrow.label(v));
  }
  static void expect_same_lists(const CsrView& csr, const NarrowLists& lists) {
    ASSERT_EQ(lists.edges, csr.edges);
    EXPECT_TRUE(std::equal(lists.offset, lists.offset + lists.vertices + 1, csr.offset));
    const WidenedLists wide = widen(lists, MemoryPool::unlimited(), 3);
    EXPECT_TRUE(std::equal(wide.target.begin(), wide.target.end(), csr.target));
    ASSERT_EQ(wide.weight.size(), csr.weight ? csr.edges : 0);
    // Bit by bit: -0 stays what it is.
    EXPECT_EQ(csr.weight ? std::memcmp(wide.weight.data(), csr.weight, csr.edges * 4) : 0, 0);
    EXPECT_TRUE(widen(lists, MemoryPool::unlimited(), 1, false).weight.empty());
  }

  void expect_there_and_back(const Sample& sample) {
    write_sample(csr_, sample);
    const auto before = Store::open(csr_);
    const Header header = repack(csr_, narrow_, to_narrow());
    ASSERT_TRUE(header.narrow.has_value());
    EXPECT_EQ(header.version, kFormatVersionCoded);
    const auto store = Store::open(narrow_);
    EXPECT_EQ(store->header().narrow, header.narrow);
    EXPECT_EQ(store->header().version, kFormatVersionCoded);
    EXPECT_EQ(store->header().provenance, "narrowed");
    store->verify(2, {});
    expect_same_graph(*before, *store);
    RepackOptions to_csr;
    to_csr.provenance = sample.provenance;
    to_csr.interleave_weights = sample.pairs;
    repack(narrow_, back_, to_csr);
    EXPECT_EQ(Store::open(back_)->header().version, kFormatVersion);
    Store::open(back_)->verify(2, {});
    if (!sample.vertex_fields) {
      EXPECT_EQ(read_file(back_), read_file(csr_with_order_of(back_)));
    }
    expect_same_graph(*Store::open(back_), *store);
    RepackOptions pages;
    pages.slotted = SlottedOptions{64 * kKi, 3, 3};
    repack(narrow_, back_, pages);
    Store::open(back_)->verify(2, {});
    EXPECT_EQ(Store::open(back_)->header().fingerprint, header.fingerprint);
    repack(back_, csr_, to_narrow());
    expect_same_graph(*before, *Store::open(csr_));
  }
  // What repacking the plain file as plain gives.
  std::string csr_with_order_of(const std::string& back) {
    RepackOptions plain;
    const auto store = Store::open(back);
    plain.provenance = store->header().provenance;
    plain.interleave_weights = !store->interleaved().empty();
    repack(csr_, plain_, plain);
    return plain_;
  }

  TemporaryDirectory directory_;
  std::string csr_ = directory_.file("csr.fg"), narrow_ = directory_.file("narrow.fg"),
              back_ = directory_.file("back.fg"), plain_ = directory_.file("plain.fg");
};

}  // namespace fathom::store
