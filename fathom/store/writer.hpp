// Writing a .fg file: sections are appended to, several at a time, and the file appears whole.
//
// Sections follow each other without gaps, and most sizes are known only at the end. One section
// grows at the end of the new file; the others grow in files without a name that commit()
// copies in. A section whose size is announced gets its place at once when the end is free:
// announce sizes, and open the largest section of unknown size first, to save the copies.
//
// Memory: 1 MiB per open section, 8 bytes per MiB written.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/store/degree_summary.hpp"
#include "fathom/store/format.hpp"

namespace fathom::store {

class StoreWriter;

/// One section being written. Different sections may be appended to by different threads.
class FATHOM_API SectionStream {
 public:
  /// @throws Error(Io), e.g. when the disk is full.
  void append(std::span<const std::byte> bytes);
  /// The elements of a vector, array or span.
  template <std::ranges::contiguous_range R>
  void append(const R& values) {
    append(std::span<const std::byte>(std::as_bytes(std::span(values))));
  }

  /// Appends `n` elements that make(first, into) writes: the elements from `first` on. It is called
  /// concurrently by `workers` threads, for parts of at most 1 MiB. Not for offsets.
  template <class T, class Make>
  void append_made(std::uint64_t n, int workers, const Make& make) {
    append_bytes(n * sizeof(T), workers, [&](std::uint64_t first, std::span<std::byte> into) {
      make(first / sizeof(T),
           std::span(reinterpret_cast<T*>(into.data()), into.size() / sizeof(T)));
    });
  }

  /// For sections whose elements' size is not that of every file: slotted pages.
  void set_element_bytes(std::uint32_t bytes) { element_bytes_ = bytes; }

  /// Nothing can be appended any more; frees the buffer. commit() does it for sections left open.
  void finish();

  /// Bytes appended so far.
  std::uint64_t bytes() const { return bytes_; }
  /// Reads back a finished section. @throws Error(Io), Error(Internal) beyond its end.
  void read(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  friend class StoreWriter;
  SectionStream(StoreWriter& writer, SectionId id, std::optional<std::uint64_t> announced);
  using MakeBytes = FunctionRef<void(std::uint64_t first, std::span<std::byte> into)>;
  void append_bytes(std::uint64_t bytes, int workers, MakeBytes make);
  void count(std::uint64_t bytes);
  void write_block(std::span<const std::byte> block);
  void put(std::uint64_t offset, std::span<const std::byte> block);

  StoreWriter& writer_;
  SectionId id_;
  std::uint32_t element_bytes_;
  std::optional<std::uint64_t> announced_;
  std::uint64_t offset_ = 0;  // in the new file, when place_known_
  bool place_known_ = false;
  std::optional<TempFile> spool_;  // unset: in place
  std::vector<std::byte> buffer_;  // grows with what there is, up to kBlockBytes
  std::uint64_t bytes_ = 0, written_ = 0;
  bool finished_ = false;
  std::vector<std::uint64_t> checksums_;
  std::optional<DegreeAccumulator> degrees_;
};

/// What the checksum_hash of out.targets and out.weights (0: none) would be in CSR.
struct ContentHashes {
  std::uint64_t targets = 0, weights = 0;
};

/// The three sets of lists a file can have.
enum class Lists { Out, In, Oriented };

class FATHOM_API StoreWriter {
 public:
  /// Makes a file that appears with commit(). @throws Error(Usage), Error(Io).
  explicit StoreWriter(const std::string& path);
  explicit StoreWriter(AtomicFile file);
  /// Without commit(): removes everything.
  ~StoreWriter();

  /// Opens a section, or returns the one already opened. `bytes`: its size, when it is known.
  SectionStream& section(SectionId id, std::optional<std::uint64_t> bytes = {});

  /// Appends all lists of a CSR at once.
  void append_lists(Lists which, const CsrView& lists);
  /// Adds the interleaved {target, weight} pairs, from the finished out.targets and out.weights;
  /// 2 MiB per worker.
  void append_pairs(int workers = 1);

  /// The label of the next vertex: ascending integers, or strings ascending bytewise.
  /// Writes the label index too. @throws Error(Internal) when not ascending.
  void append_label(std::string_view label);
  void append_labels(std::span<const std::uint64_t> labels);

  /// Writes header, section table and checksums, makes the file durable and visible. Needs of
  /// `header`: vertices, directed, symmetric, labels, label_base, policies, report, provenance, and
  /// when lists are not in CSR, the layout, the fingerprint and whether there are weights; the rest
  /// follows from the sections.
  /// Returns the complete header.
  /// @throws Error(Io); Error(Internal) when the sections contradict the header.
  /// `content`: of lists that are not in CSR, where the header has no fingerprint yet. `part`: the
  /// lists are those of a part; the header has the fingerprint of the whole graph.
  Header commit(const Header& header, const ContentHashes* content = nullptr,
                const PartLayout* part = nullptr);

 private:
  friend class SectionStream;
  SectionStream* find(SectionId id) const;
  void copy_in(SectionStream& section);
  void append_degrees();
  Layout layout_of(const Header& header, const ContentHashes* content, const PartLayout* part,
                   std::vector<std::uint64_t>& checksums) const;

  AtomicFile file_;
  std::mutex mutex_;                                      // guards the next three
  std::vector<std::unique_ptr<SectionStream>> sections_;  // in the order of their opening
  std::uint64_t end_ = kPageBytes;                        // where the next section can be placed
  const SectionStream* growing_ = nullptr;                // the section at the end, of unknown size
  std::string last_label_;
  std::optional<std::uint64_t> last_integer_;
  VertexId labels_ = 0;
};

}  // namespace fathom::store
