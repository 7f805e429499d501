// What supplies of packed and of narrow pages are held against: the lists in CSR.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/encoded/encoded_page.hpp"
#include "fathom/residency/paged/page_supply.hpp"

namespace fathom::testing {

inline Csr copy_of(const CsrView& lists) {
  return {Array<EdgeId>::copy_of({lists.offset, lists.vertices + std::size_t{1}}),
          Array<VertexId>::copy_of({lists.target, lists.edges}),
          lists.weight ? Array<Weight>::copy_of({lists.weight, lists.edges}) : Array<Weight>()};
}

/// The page's content, whoever decodes it. `expect_encoded` says more of one that is not decoded.
template <class ExpectEncoded>
void expect_page(const SuppliedPage& page, std::size_t page_bytes, bool weights, const Csr& csr,
                 const ExpectEncoded& expect_encoded) {
  const std::size_t first = page.page * (page_bytes / sizeof(VertexId));
  std::vector<VertexId> target(page.count());
  std::vector<Weight> weight(weights ? page.count() : 0);
  if (page.encoded) {
    EXPECT_EQ(page.encoded_weights, weights);
    expect_encoded(page);
    page.encoded->decode_targets(2, target.data());
    if (weights) page.encoded->decode_weights(2, weight.data());
  } else {
    target.assign(page.targets(), page.targets() + page.count());
    ASSERT_EQ(page.weights() != nullptr, weights);
    if (weights) weight.assign(page.weights(), page.weights() + page.count());
  }
  EXPECT_EQ(page.count(), std::min<std::size_t>(page_bytes / sizeof(VertexId),
                                                static_cast<std::size_t>(csr.edges()) - first));
  const auto at = static_cast<std::ptrdiff_t>(first);
  EXPECT_TRUE(std::equal(target.begin(), target.end(), csr.target.begin() + at));
  if (weights) {
    EXPECT_TRUE(std::equal(weight.begin(), weight.end(), csr.weight.begin() + at));
  }
}

/// Each wanted page comes once, several at a time.
template <class ExpectEncoded>
void expect_pages(PageSupply& supply, const std::vector<std::size_t>& wanted, bool weights,
                  const Csr& csr, const ExpectEncoded& expect_encoded) {
  std::multiset<std::size_t> got;
  supply.start(wanted, weights);
  std::vector<std::size_t> held;
  while (auto page = supply.next()) {
    do {
      expect_page(*page, supply.page_bytes(), weights, csr, expect_encoded);
      got.insert(page->page);
      held.push_back(page->page);
    } while ((page = supply.try_next()));
    for (const std::size_t p : held) supply.release(p);
    held.clear();
  }
  supply.stop();
  EXPECT_EQ(got, std::multiset<std::size_t>(wanted.begin(), wanted.end()));
}

inline void expect_offsets(PageSupply& supply, const Csr& csr) {
  EdgeId offsets = 0;
  supply.for_each_offsets([&](std::size_t first, std::span<const EdgeId> piece) {
    for (std::size_t i = 0; i < piece.size(); ++i) EXPECT_EQ(piece[i], csr.offset[first + i]);
    offsets += piece.size();
  });
  EXPECT_EQ(offsets, csr.offset.size());
}

inline std::vector<std::size_t> all_pages(const PageSupply& supply) {
  std::vector<std::size_t> pages(supply.pages());
  std::iota(pages.begin(), pages.end(), std::size_t{0});
  return pages;
}

}  // namespace fathom::testing
