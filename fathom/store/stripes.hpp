// Stripes: the lists of a .fg file once more, dealt in turn to several files, so that as many disks
// read one graph together (GTS, section 3.4: page j is on SSD g(j) = j mod n). docs/formats.md
// specifies them.
//
// The store itself stays what it is; its offsets, labels and checksums are read, and the checksums
// vouch for what is in the stripes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

inline constexpr std::uint32_t kStripeVersion = 1;
inline constexpr char kStripeMagic[8] = {'\x89', 'F', 'S', '\r', '\n', '\x1a', '\n', '\0'};
inline constexpr std::size_t kMostStripes = 64;

/// The fixed part of a stripe's header page, whose last 8 bytes are its checksum.
struct StripeHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  // kPageBytes
  std::uint64_t file_bytes;
  std::uint64_t fingerprint;   // of the graph
  std::uint64_t store;         // checksum of the store's header page: which file this is a part of
  std::uint32_t index, count;  // this is stripe `index` of `count`, from 0
  std::uint64_t unit_bytes;    // what is dealt in turn
  friend bool operator==(const StripeHeader&, const StripeHeader&) = default;
};
static_assert(sizeof(StripeHeader) == 56);

/// The name of stripe `index` (from 0) of `count` of a store, in a directory.
FATHOM_API std::string stripe_path(const std::string& store, const std::string& directory,
                                   std::size_t index, std::size_t count);

/// Which stripe has what. Cheap to make: everything follows from the section table.
class FATHOM_API StripePlan {
 public:
  struct Place {
    std::size_t stripe;
    std::uint64_t offset;  // in its file
    std::uint64_t bytes;   // of the section that follow each other there
  };

  /// `store` outlives the plan. @throws Error(Usage) for 0 and more than kMostStripes stripes.
  StripePlan(const Layout& store, std::size_t count);

  std::size_t count() const { return count_; }
  std::uint64_t unit_bytes() const { return unit_bytes_; }
  std::uint64_t file_bytes(std::size_t stripe) const { return end_[stripe]; }

  /// Whether a section of the store is in the stripes: lists without their offsets.
  bool covers(const SectionEntry& section) const { return bases(section) != nullptr; }
  /// Where a section's byte `at` is, padding included. The section is covered.
  Place place(const SectionEntry& section, std::uint64_t at) const;

 private:
  struct Striped {
    const SectionEntry* section;
    std::vector<std::uint64_t> base;  // [count]: where its part begins
  };
  const std::vector<std::uint64_t>* bases(const SectionEntry& section) const;

  std::size_t count_;
  std::uint64_t unit_bytes_;  // a checksum block, or a slotted page that is larger
  std::vector<Striped> striped_;
  std::vector<std::uint64_t> end_;  // [count]
};

/// Deals the lists of a store to stripes in `directories`, one each; a directory may be named
/// again. Stripes appear when all of them are whole; what is there under their names is replaced.
/// Cost: reads the lists once. Returns the paths.
/// @throws Error(BadInput) when the store is damaged; Error(Io), Error(Usage), Error(Interrupted).
FATHOM_API std::vector<std::string> write_stripes(const std::string& store,
                                                  std::span<const std::string> directories,
                                                  const Task& task = {});

/// The stripes of an open store, open.
class FATHOM_API StripeFiles {
 public:
  /// Reads the header pages. `store` outlives this.
  /// @throws Error(BadInput) naming the stripe that is of another store, is another stripe, is
  ///         truncated or damaged; Error(Io) naming the one that is missing; Error(Usage).
  StripeFiles(const StoreFile& store, std::span<const std::string> directories);
  ~StripeFiles();
  StripeFiles(const StripeFiles&) = delete;
  StripeFiles& operator=(const StripeFiles&) = delete;

  const StripePlan& plan() const { return plan_; }
  const std::string& path(std::size_t stripe) const { return file_[stripe].path; }
  int descriptor(std::size_t stripe) const { return file_[stripe].descriptor; }

 private:
  struct File {
    std::string path;
    int descriptor = -1;
  };
  void open(const StoreFile& store, File& file, std::size_t index) const;
  void close() noexcept;

  StripePlan plan_;
  std::vector<File> file_;
};

}  // namespace fathom::store
