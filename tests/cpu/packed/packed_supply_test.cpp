// Pages of packed lists, from memory and from disk: each wanted one once, what is unpacked of them
// is what was packed, within the budget; damage is named.
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "fathom/generate/generate.hpp"
#include "fathom/residency/encoded/decoding_supply.hpp"
#include "fathom/residency/packed/host_packed_supply.hpp"
#include "fathom/residency/ssd/packed_ssd_supply.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/packed/packed_image.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/faulty_reader.hpp"
#include "tests/suites/supplied_pages.hpp"

namespace fathom {
namespace {

using store::kMi;
using testing::all_pages;
using testing::copy_of;
using testing::expect_error;

class PackedSupplies : public ::testing::TestWithParam<std::size_t> {  // distinct weights
 protected:
  void SetUp() override {
    generate::Spec spec;
    spec.scale = 14;
    spec.edge_factor = 80;  // more words than a unit has
    spec.weights = generate::WeightRange{1, static_cast<std::uint32_t>(GetParam())};
    const std::string plain = directory_.file("plain.fg");
    store::generate(generate::Generator(spec), plain, keeping());
    path_ = directory_.file("packed.fg");
    store::RepackOptions options;
    options.packed = true;
    store::repack(plain, path_, options);
    const auto file = store::Store::open(plain);
    out_ = copy_of(file->out());
    in_ = copy_of(*file->in());
  }

  static store::ConvertOptions keeping() {
    store::ConvertOptions options;
    options.build.duplicates = graph::Duplicates::Keep;
    return options;
  }

  static Context context(std::size_t host_memory) {
    CpuOptions options;
    options.host_memory = host_memory;
    options.threads = 2;
    return Context::cpu(options);
  }

  std::shared_ptr<PageBuffer> buffer(const Context& ctx, std::size_t page_bytes,
                                     PageCache cache = PageCache::Lru) const {
    PagingOptions paging;
    paging.page_bytes = page_bytes;
    paging.cache = cache;
    paging.io.wrap = testing::with_faults({.late = 0.5});  // completions in any order
    return std::make_shared<PageBuffer>(ctx, path_, paging);
  }

  static void expect_all(PageSupply& supply, const std::vector<std::size_t>& wanted, bool weights,
                         const Csr& csr) {
    testing::expect_pages(supply, wanted, weights, csr, [](const SuppliedPage& page) {
      EXPECT_LT(page.encoded->bytes(), page.bytes);
    });
  }

  void expect_sweeps(PageSupply& supply, const Csr& csr) const {
    for (const bool weights : {false, true, true, false})
      expect_all(supply, all_pages(supply), weights, csr);
    const std::size_t last = supply.pages() - 1;
    ASSERT_GT(last, 1u);
    expect_all(supply, {0, last / 2, last}, true, csr);
    expect_all(supply, {last}, false, csr);
    testing::expect_offsets(supply, csr);
  }

  store::TemporaryDirectory directory_;
  std::string path_;
  Csr out_, in_;
};

TEST_P(PackedSupplies, BringEachWantedPageOnceWhateverFits) {
  struct Case {
    std::size_t page_bytes, budget;
    PageCache cache;
  };
  constexpr std::size_t kLeastPage = store::packed::kGroup * sizeof(VertexId);
  for (const auto& [page_bytes, budget, cache] :
       {Case{kLeastPage, 14 * kMi, PageCache::Lru}, Case{kMi / 4, 14 * kMi, PageCache::Lru},
        Case{kMi, MemoryPool::kUnlimited, PageCache::Lru}, Case{kMi, 14 * kMi, PageCache::None},
        Case{2 * kMi, 20 * kMi, PageCache::Lru}}) {
    const Context ctx = context(budget);
    const auto pages = buffer(ctx, page_bytes, cache);
    PackedSsdSupply out(ctx, pages, true, page_bytes);
    EXPECT_TRUE(out.encoded());
    expect_sweeps(out, out_);
    PackedSsdSupply in(ctx, pages, false, page_bytes);
    expect_sweeps(in, in_);
    DecodingSupply unpacked(ctx, std::make_unique<PackedSsdSupply>(ctx, pages, true, page_bytes));
    EXPECT_FALSE(unpacked.encoded());
    expect_sweeps(unpacked, out_);
    EXPECT_LE(ctx.peak_host_bytes(), budget);
    EXPECT_GT(out.traffic().bytes, 0u);
  }
}

TEST_P(PackedSupplies, OfMemoryHandOutAnyPage) {
  const store::PackedImage image = store::pack(out_.view());
  for (const std::size_t page_bytes : {std::size_t{4096} * (sizeof(VertexId) / 4), kMi}) {
    HostPackedSupply supply(image.lists, nullptr, page_bytes);
    EXPECT_TRUE(supply.in_memory());
    expect_sweeps(supply, out_);
    const Context ctx = context(MemoryPool::kUnlimited);
    DecodingSupply unpacked(ctx,
                            std::make_unique<HostPackedSupply>(image.lists, nullptr, page_bytes));
    expect_sweeps(unpacked, out_);
  }
  expect_error(
      ErrorCode::Usage, [&] { HostPackedSupply(image.lists, nullptr, 512); }, "pages of");
}

TEST_P(PackedSupplies, ASlotSetAsideGivesWay) {
  const Context ctx = context(40 * kMi);
  DecodingSupply supply(ctx, std::make_unique<PackedSsdSupply>(ctx, buffer(ctx, kMi), true, kMi));
  expect_all(supply, all_pages(supply), true, out_);
  const std::uint64_t before = supply.changes();
  {
    const Array<std::byte> most(39 * kMi, ctx.host_memory());  // no room for a slot beside it
    EXPECT_GT(supply.changes(), before);
  }
  expect_all(supply, all_pages(supply), true, out_);
}

TEST_P(PackedSupplies, DamageIsNamedWhoeverReadsIt) {
  // The header of the first group.
  const store::StoreFile file(path_);
  const auto& words = *file.layout().find(store::SectionId::OutPacked);
  std::fstream edit(path_, std::ios::binary | std::ios::in | std::ios::out);
  edit.seekp(static_cast<std::streamoff>(words.offset));
  const std::uint32_t none = ~0u;
  edit.write(reinterpret_cast<const char*>(&none), sizeof none);
  edit.close();
  const Context ctx = context(MemoryPool::kUnlimited);
  DecodingSupply supply(ctx, std::make_unique<PackedSsdSupply>(ctx, buffer(ctx, kMi), true, kMi));
  supply.start(all_pages(supply), false);
  expect_error(
      ErrorCode::BadInput,
      [&] {
        while (supply.next()) supply.stop();
      },
      "out.packed");
}

INSTANTIATE_TEST_SUITE_P(Weights, PackedSupplies, ::testing::Values(3u, 100'000u));

}  // namespace
}  // namespace fathom
