// Pages of narrow lists, from memory and from disk: each wanted one once, what is widened of them
// is what was narrowed, within the budget; damage is named.
#include <gtest/gtest.h>

#include "fathom/generate/generate.hpp"
#include "fathom/residency/encoded/decoding_supply.hpp"
#include "fathom/residency/narrow/host_narrow_supply.hpp"
#include "fathom/residency/ssd/narrow_ssd_supply.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/narrow/narrow_image.hpp"
#include "tests/cpu/narrow/narrow_files.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/faulty_reader.hpp"
#include "tests/suites/supplied_pages.hpp"

namespace fathom {
namespace {

using store::kMi;
using testing::all_pages;
using testing::copy_of;
using testing::expect_error;

class NarrowSupplies : public ::testing::TestWithParam<std::uint32_t> {  // distinct weights
 protected:
  void SetUp() override {
    generate::Spec spec;
    spec.scale = 14;
    spec.edge_factor = 80;  // more entries than a unit has
    if (GetParam() > 0) spec.weights = generate::WeightRange{1, GetParam()};
    store::ConvertOptions keeping;
    keeping.build.duplicates = graph::Duplicates::Keep;
    const std::string plain = directory_.file("plain.fg");
    store::generate(generate::Generator(spec), plain, keeping);
    store::repack(plain, path_, store::to_narrow());
    const auto file = store::Store::open(plain);
    out_ = copy_of(file->out());
    in_ = copy_of(*file->in());
  }

  static Context context(std::size_t host_memory) {
    CpuOptions options;
    options.host_memory = host_memory;
    options.threads = 2;
    return Context::cpu(options);
  }

  std::shared_ptr<PageBuffer> buffer(const Context& ctx, std::size_t page_bytes) const {
    PagingOptions paging;
    paging.page_bytes = page_bytes;
    paging.io.wrap = testing::with_faults({.late = 0.5});  // completions in any order
    return std::make_shared<PageBuffer>(ctx, path_, paging);
  }

  static void expect_all(PageSupply& supply, const std::vector<std::size_t>& wanted, bool weights,
                         const Csr& csr) {
    testing::expect_pages(supply, wanted, weights, csr, [](const SuppliedPage& page) {
      EXPECT_LE(page.bytes_moved(), page.bytes);  // codes come along, wanted or not
    });
  }

  void expect_sweeps(PageSupply& supply, const Csr& csr) const {
    if (GetParam() > 0) {
      for (const bool weights : {false, true, true})
        expect_all(supply, all_pages(supply), weights, csr);
    }
    expect_all(supply, all_pages(supply), false, csr);
    const std::size_t last = supply.pages() - 1;
    ASSERT_GT(last, 1u);
    expect_all(supply, {0, last / 2, last}, GetParam() > 0, csr);
    testing::expect_offsets(supply, csr);
  }

  store::TemporaryDirectory directory_;
  std::string path_ = directory_.file("narrow.fg");
  Csr out_, in_;
};

TEST_P(NarrowSupplies, BringEachWantedPageOnceWhateverFits) {
  for (const auto& [page_bytes, budget] : {std::pair{std::size_t{4096}, 9 * kMi},
                                           {kMi / 4, 9 * kMi},
                                           {kMi, MemoryPool::kUnlimited},
                                           {2 * kMi, 18 * kMi}}) {
    SCOPED_TRACE(page_bytes);
    const Context ctx = context(budget);
    const auto pages = buffer(ctx, page_bytes);
    NarrowSsdSupply out(ctx, pages, true, page_bytes);
    EXPECT_TRUE(out.encoded());
    expect_sweeps(out, out_);
    NarrowSsdSupply in(ctx, pages, false, page_bytes);
    expect_sweeps(in, in_);
    DecodingSupply widened(ctx, std::make_unique<NarrowSsdSupply>(ctx, pages, true, page_bytes));
    EXPECT_FALSE(widened.encoded());
    expect_sweeps(widened, out_);
    EXPECT_LE(ctx.peak_host_bytes(), budget);
    EXPECT_GT(out.traffic().bytes, 0u);
  }
}

TEST_P(NarrowSupplies, OfMemoryHandOutAnyPage) {
  const store::NarrowImage image = store::narrowed(out_.view());
  for (const std::size_t page_bytes : {std::size_t{512}, kMi}) {
    HostNarrowSupply supply(image.lists, nullptr, page_bytes);
    EXPECT_TRUE(supply.in_memory());
    expect_sweeps(supply, out_);
    const Context ctx = context(MemoryPool::kUnlimited);
    DecodingSupply widened(ctx,
                           std::make_unique<HostNarrowSupply>(image.lists, nullptr, page_bytes));
    expect_sweeps(widened, out_);
  }
}

TEST_P(NarrowSupplies, DamageIsNamedWhoeverReadsIt) {
  std::vector<std::byte> file = store::read_file(path_);
  const store::Layout layout = store::decode_header(path_, file, file.size());
  const store::NarrowLayout widths = *store::Store::open(path_)->header().narrow;
  ASSERT_EQ(widths.id_bits, 16);
  std::byte* const entries = file.data() + layout.find(store::SectionId::OutEntries)->offset;
  constexpr std::size_t kBad = 700'000;  // of a unit that is not the first
  entries[kBad * widths.entry_bits() / 8 + 1] = std::byte{0xff};
  store::reseal(file);
  store::write_file(path_, file);
  const Context ctx = context(MemoryPool::kUnlimited);
  DecodingSupply supply(ctx, std::make_unique<NarrowSsdSupply>(ctx, buffer(ctx, kMi), true, kMi));
  supply.start(all_pages(supply), false);
  expect_error(
      ErrorCode::BadInput,
      [&] {
        while (const auto page = supply.next()) supply.release(page->page);
      },
      "section 'out.entries': entry 700000 names vertex 65");
}

INSTANTIATE_TEST_SUITE_P(Weights, NarrowSupplies, ::testing::Values(0u, 3u, 60'000u));

}  // namespace
}  // namespace fathom
