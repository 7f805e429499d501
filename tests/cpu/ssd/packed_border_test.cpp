// Memory of a run may end where its last group does: nothing behind it is read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "fathom/residency/packed/packed_page.hpp"
#include "fathom/store/packed/pack.hpp"

namespace fathom {
namespace {

using namespace store::packed;

/// Words that end with a page of memory, behind which none can be read.
class FencedWords {
 public:
  explicit FencedWords(std::span<const std::uint32_t> words) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    room_ = (words.size_bytes() + page - 1) / page * page;
    mapped_ =
        ::mmap(nullptr, room_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::mprotect(static_cast<std::byte*>(mapped_) + room_, page, PROT_NONE);
    mapped_bytes_ = room_ + page;
    at_ = static_cast<std::byte*>(mapped_) + room_ - words.size_bytes();
    std::memcpy(at_, words.data(), words.size_bytes());
  }
  ~FencedWords() { ::munmap(mapped_, mapped_bytes_); }
  FencedWords(const FencedWords&) = delete;
  FencedWords& operator=(const FencedWords&) = delete;
  const std::uint32_t* data() const { return reinterpret_cast<const std::uint32_t*>(at_); }

 private:
  void* mapped_ = nullptr;
  std::byte* at_ = nullptr;
  std::size_t room_ = 0, mapped_bytes_ = 0;
};

TEST(PackedBorder, NothingBehindTheMemoryOfARunIsRead) {
  constexpr std::uint32_t kBits = 20;
  std::vector<VertexId> ids;
  for (VertexId i = 0; i < 2 * kGroup; ++i) ids.push_back(i * 37 % 1000000);
  std::vector<std::uint32_t> words;
  pack_group(std::span(ids).first(kGroup), kBits, words);
  const std::size_t second = words.size();
  pack_group(std::span(ids).last(kGroup), kBits, words);
  for (std::uint32_t gap = 0; gap < 3; ++gap, words.push_back(0)) {
    const FencedWords memory(words);
    const std::uint64_t first = 5 * std::uint64_t{kBorderWords} - words.size();
    const std::uint64_t index[] = {first, first + second, first + words.size()};
    const PackedRun run{memory.data(), first, 2};
    const std::string name = "a.fg";
    PackedPage page;
    page.id_bits = kBits;
    page.vertices = 1000000;
    page.entries = ids.size();
    page.index = index;
    page.runs = {&run, 1};
    page.name = &name;
    std::vector<VertexId> unpacked(ids.size());
    page.decode_targets(1, unpacked.data());
    EXPECT_EQ(unpacked, ids) << gap;
  }
}

}  // namespace
}  // namespace fathom
