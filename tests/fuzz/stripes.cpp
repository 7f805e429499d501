// Edits of the stripes of a store: those that open give the store's own lists, block by block, or
// Error(BadInput); never other bytes.
//
// Input: which store; how many edits; edits of three bytes (which stripe and a position; a value),
// their headers sealed again or not; then a length that the last stripe is cut or extended to.
#include "fathom/store/stripes.hpp"

#include <sys/stat.h>

#include <cstring>

#include "fathom/residency/ssd/section_reads.hpp"
#include "tests/fuzz/shared/edited_store.hpp"
#include "tests/fuzz/shared/reads_at_once.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

constexpr std::size_t kStripes = 2;

/// A store and its stripes: whole, and in files that are put right again after each input.
class StripedBase {
 public:
  StripedBase(const fuzzing::BaseStore& base, const std::string& directory) {
    path_ = directory + "/a.fg";
    fuzzing::write_memory(path_, base.image());
    image_ = base.image();
    directories_.assign(kStripes, directory);
    for (const std::string& path : store::write_stripes(path_, directories_)) {
      const auto bytes = fuzzing::memory_at(path);
      stripe_.push_back({path, {bytes.begin(), bytes.end()}});
    }
  }

  void edit(fuzzing::Input& input) {
    const std::size_t edits = input.byte() % 16u;
    const bool seal = (input.byte() & 1u) != 0;
    std::vector<std::vector<std::byte>> content;
    for (const Stripe& s : stripe_) content.push_back(s.image);
    for (auto rest = input.take(3 * edits); rest.size() >= 3; rest = rest.subspan(3)) {
      std::vector<std::byte>& of = content[rest[1] % kStripes];
      // Header fields, its checksum, or the lists.
      const std::size_t at = rest[1] & 2   ? rest[0] % sizeof(store::StripeHeader)
                             : rest[1] & 4 ? store::kPageBytes - 1 - rest[0] % 8
                                           : store::kPageBytes + rest[0] * (rest[1] / 8u);
      of[at % of.size()] = std::byte{rest[2]};
    }
    if (seal)
      for (auto& of : content) {
        const std::uint64_t sum =
            store::checksum(std::span(of).first(store::kPageBytes - sizeof sum));
        std::memcpy(of.data() + store::kPageBytes - sizeof sum, &sum, sizeof sum);
      }
    if (const std::uint8_t cut = input.byte(); cut != 0) {
      std::vector<std::byte>& last = content.back();
      last.resize(cut < 128 ? last.size() - std::min<std::size_t>(last.size(), cut * 64u)
                            : last.size() + cut - 127u);
    }
    for (std::size_t i = 0; i < kStripes; ++i) {
      if (content[i] == stripe_[i].image) continue;
      stripe_[i].changed = true;
      fuzzing::write_memory(stripe_[i].path, content[i]);
    }
  }

  void restore() {
    for (Stripe& s : stripe_)
      if (std::exchange(s.changed, false)) fuzzing::write_memory(s.path, s.image);
  }

  void read() const {
    const store::StoreFile store(path_);
    { const store::StripeFiles files(store, directories_); }
    SectionReads reads(path_, fuzzing::reads_at_once(), nullptr, directories_);
    static std::vector<std::byte> memory(2 * SectionReads::kBlockBytes);
    std::byte* const aligned =
        memory.data() + SectionReads::kAlignment -
        reinterpret_cast<std::uintptr_t>(memory.data()) % SectionReads::kAlignment;
    using enum store::SectionId;
    for (const store::SectionId id :
         {OutTargets, OutWeights, InTargets, InWeights, OrientedTargets, OutPages, InPages,
          OutPacked, OutCodes, InPacked, InCodes, OutEntries, InEntries}) {
      if (!reads.has(id)) continue;
      const std::byte* const whole = image_.data() + reads.section(id).offset;
      reads.for_each_piece(id, {aligned, SectionReads::kBlockBytes}, 1,
                           [&](std::uint64_t first, std::span<const std::byte> part) {
                             require(std::memcmp(part.data(), whole + first, part.size()) == 0);
                           });
    }
  }

 private:
  struct Stripe {
    std::string path;
    std::vector<std::byte> image;
    bool changed = false;
  };
  std::string path_;
  std::vector<std::byte> image_;
  std::vector<std::string> directories_;
  std::vector<Stripe> stripe_;
};

std::vector<std::unique_ptr<StripedBase>>& bases() {
  static std::vector<std::unique_ptr<StripedBase>> made = [] {
    std::vector<std::unique_ptr<StripedBase>> striped;
    for (const fuzzing::BaseStore& base : fuzzing::base_stores())
      striped.push_back(
          std::make_unique<StripedBase>(base, fuzzing::kMemory + std::to_string(striped.size())));
    return striped;
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  StripedBase& base = *bases()[input.byte() % bases().size()];
  base.edit(input);
  fuzzing::accepted([&] { base.read(); });
  base.restore();
  return 0;
}
