// Blocks of a .fg file's sections, read past the page cache into the caller's memory and checked.
//
// What is handed out has matched its checksums, and ids in it exist. A short read is
// resumed; an error of the disk is retried three times; a block that does not match its checksum is
// read once more. What is still wrong then is an error that names the section and the bytes: never
// a partial answer.
//
// Lists that were dealt to several disks are read there (StripeFiles), from all of them at once.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/core/trace.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/ssd/block_reader.hpp"
#include "fathom/store/store_file.hpp"
#include "fathom/store/stripes.hpp"

namespace fathom {

class FATHOM_API SectionReads {
 public:
  static constexpr std::size_t kAlignment = store::kPageBytes;
  static constexpr std::size_t kBlockBytes = store::kBlockBytes;
  static constexpr int kRetries = 3;

  /// Costs the header; checksums (8 bytes per MiB) are read with a section's first block.
  /// @throws Error(BadInput) when the file is damaged; Error(Io).
  /// `trace` gets a span for each read, to where its end was noticed. `ssd`: the directories that
  /// the file's stripes are in, if they shall be read.
  SectionReads(const std::string& path, const IoOptions& options,
               std::shared_ptr<Trace> trace = nullptr, std::span<const std::string> ssd = {});
  /// Waits for reads under way.
  ~SectionReads();

  const store::StoreFile& file() const { return file_; }
  bool has(store::SectionId id) const { return file_.layout().find(id) != nullptr; }
  /// @throws Error(BadInput) when there is none.
  const store::SectionEntry& section(store::SectionId id) const;

  /// Looks at the values of a section: throws Error(BadInput) unless they make sense. Called on any
  /// thread, until it let a part pass, for parts of `part_bytes` (a power of two) that have matched
  /// their checksums; the section's last one may be short.
  using CheckValues = std::function<void(std::uint64_t first, std::span<const std::byte> part)>;
  /// Without, ids must be vertices. From then on reads begin and end at borders of parts.
  void check_values_with(store::SectionId id, std::size_t part_bytes, CheckValues check);

  /// Memory that blocks [first, first + blocks) of a section take; the last one may be short.
  static std::size_t bytes_of(const store::SectionEntry& section, std::uint64_t first,
                              std::uint64_t blocks);

  /// Starts to read blocks [first, first + blocks) of a section. `into` is aligned to kAlignment,
  /// has bytes_of() bytes and stays until `tag` was collected. There must be room().
  void start(store::SectionId id, std::uint64_t first, std::uint64_t blocks, std::byte* into,
             std::uint64_t tag);
  bool room() const { return under_way_ < reads_.size(); }
  /// Reads that can be under way: IoOptions::depth of each disk.
  std::size_t depth() const { return reads_.size(); }
  std::size_t under_way() const { return under_way_; }

  /// Appends the tags of reads that are complete and checked, with up to `threads` threads; with
  /// `wait`, at least one of those under way (if there are any).
  /// @throws Error(Io) when the disk fails for good; Error(BadInput) for damage and a file that
  ///         ends early. The other reads stay under way.
  void collect(std::vector<std::uint64_t>& ready, bool wait, int threads);

  /// Waits for what is under way, and forgets it.
  void cancel() noexcept;

  /// Memory that most reads will go to (see BlockReader::adopt). Nothing is under way.
  void adopt(std::span<std::byte> memory) { reader_->adopt(memory); }

  /// Reads a whole section piece by piece: piece(first, bytes), ascending, `first` in bytes.
  /// `memory` is aligned to kAlignment and holds at least a block; more are read side by side.
  /// Nothing else is under way. @throws as collect().
  void for_each_piece(store::SectionId id, std::span<std::byte> memory, int threads,
                      FunctionRef<void(std::uint64_t first, std::span<const std::byte>)> piece);

  std::string reader_name() const { return reader_->name(); }
  // Since the beginning: bytes and reads of the disk, and how long collect() waited for it.
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t requests() const { return requests_; }
  double seconds_waited() const { return seconds_waited_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Read {
    const store::SectionEntry* section = nullptr;  // null: a free place
    std::uint64_t first = 0, blocks = 0;
    std::byte* into = nullptr;
    std::uint64_t tag = 0;
    Trace::Clock::time_point started;
    std::size_t at = 0, end = 0;   // bytes still to be read, of `into`
    std::uint64_t checked = 0;     // so many blocks are as they should be
    std::uint64_t reread = kNone;  // the last block that was read once more
    int failures = 0;              // in a row, without progress
    bool buffered = false;         // through the page cache
    bool mismatch = false;         // found by check(): in block first + checked; or worse:
    std::exception_ptr error;
  };
  struct Section {
    std::vector<std::uint64_t> checksums;
    std::vector<std::uint8_t> values_known;  // per block: values were checked
    std::size_t part_bytes = kBlockBytes;    // for check
    CheckValues check;                       // empty: check_ids
  };
  /// Where the next bytes of a read are.
  struct Place {
    const std::string& path;
    int buffered, direct;  // descriptors; direct -1: refused
    std::uint64_t offset;
    std::uint64_t bytes;  // that follow each other there; no end: as many as are wanted
  };
  Place place_of(const store::SectionEntry& section, std::uint64_t at) const;
  Section& prepared(const store::SectionEntry& entry);
  void submit(std::uint32_t place);
  bool advance(Read& read, std::int64_t result);
  void check(Read& read);
  void check_values(const Read& read, Section& section);
  void finish(Read& read);
  std::exception_ptr disk_failed(const Read& read, std::int64_t result) const;
  std::exception_ptr damaged(const Read& read) const;

  store::StoreFile file_;
  std::optional<store::StripeFiles> stripes_;
  std::vector<int> direct_;  // descriptors opened with O_DIRECT: the file's, then the stripes'
  std::vector<Section> sections_;  // in table order
  std::vector<Read> reads_;        // [depth()]
  std::size_t under_way_ = 0;
  std::vector<BlockDone> done_;
  std::shared_ptr<Trace> trace_;
  std::uint64_t bytes_ = 0, requests_ = 0;
  double seconds_waited_ = 0;
  std::unique_ptr<BlockReader> reader_;  // last: waits before the rest goes
};

/// The same as for_each_piece() with memory of the context's own.
/// @throws as it does; Error(DoesNotFit).
void read_section(const Context& ctx, SectionReads& reads, store::SectionId id,
                  FunctionRef<void(std::uint64_t first, std::span<const std::byte>)> piece);

/// A whole section in memory of the context's own. @throws as above.
template <class T>
Array<T> read_array(const Context& ctx, SectionReads& reads, store::SectionId id) {
  Array<T> into(reads.section(id).bytes / sizeof(T), ctx.host_memory());
  read_section(ctx, reads, id, [&](std::uint64_t first, std::span<const std::byte> part) {
    std::copy(part.begin(), part.end(), reinterpret_cast<std::byte*>(into.data()) + first);
  });
  return into;
}

/// Reads a section of offsets, `vertices` + 1 that ascend from 0 to `edges`, as PageSupply shows
/// them. @throws as read_section().
void read_offsets(const Context& ctx, SectionReads& reads, store::SectionId id, VertexId vertices,
                  EdgeId edges,
                  FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece);

}  // namespace fathom
