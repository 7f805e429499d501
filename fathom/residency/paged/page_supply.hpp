// Where pages of edges come from, on the host's side: arrays in memory, or a disk through a buffer
// (the MMBuf of GTS, Algorithm 1). A streaming source says which pages it wants, takes them in the
// order in which they are there, and gives each back.
//
// One thread drives a supply. Reads go on while it does something else. What is in memory anyway is
// there without being asked for: in_memory().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/link_profile.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/encoded/encoded_page.hpp"

namespace fathom {

class HostMemoryReport;

/// A page in host memory, from next() to release(). A page is a range of bytes of its section; of
/// lists in CSR that is targets, and their weights come along when they were asked for.
struct SuppliedPage {
  std::size_t page = 0;
  const std::byte* data = nullptr;
  const std::byte* weight_data = nullptr;  // null: not asked for, or in `data` too
  std::size_t bytes = 0;                   // of data; less than a whole page at the end
  // Null: `data` is there. Else it is not, nor are weights, and this is what they are decoded from.
  const EncodedPage* encoded = nullptr;
  bool encoded_weights = false;  // they were asked for

  const VertexId* targets() const { return reinterpret_cast<const VertexId*>(data); }
  const Weight* weights() const { return reinterpret_cast<const Weight*>(weight_data); }
  std::size_t count() const { return bytes / sizeof(VertexId); }
  std::size_t weight_bytes() const {
    return weight_data || encoded_weights ? count() * sizeof(Weight) : 0;
  }
  /// What is read of it, of weights if they were asked for too.
  std::size_t bytes_moved() const {
    if (!encoded) return bytes + weight_bytes();
    return encoded->bytes() + (encoded_weights ? encoded->weight_bytes() : 0);
  }
};

/// What is supplied: the lists of one direction, in pages of one size.
struct PageShape {
  VertexId vertices = 0;
  EdgeId edges = 0;
  bool weighted = false;
  std::size_t page_bytes = 0;  // a power of two
  std::uint64_t bytes = 0;     // of all pages; the last one may be short
  bool weight_pages = false;   // weights are in pages of their own, one for each of targets

  /// Of lists in CSR.
  static PageShape csr(VertexId vertices, EdgeId edges, bool weighted, std::size_t page_bytes) {
    return {vertices, edges, weighted, page_bytes, edges * sizeof(VertexId), weighted};
  }
};

/// A page of so many bytes of targets has 2^result edges.
/// @throws Error(Usage) for a size that is no power of two between 4 bytes and 4 GiB.
FATHOM_API std::uint32_t page_shift_of(std::size_t page_bytes);

class FATHOM_API PageSupply {
 public:
  virtual ~PageSupply() = default;

  VertexId vertices() const { return shape_.vertices; }
  EdgeId edges() const { return shape_.edges; }
  bool weighted() const { return shape_.weighted; }
  bool weight_pages() const { return shape_.weight_pages; }
  std::size_t page_bytes() const { return shape_.page_bytes; }
  std::size_t pages() const {
    return static_cast<std::size_t>((shape_.bytes + page_bytes() - 1) / page_bytes());
  }
  /// Bytes of a page: less than page_bytes() of the last one.
  std::size_t bytes_of(std::size_t page) const {
    const std::uint64_t first = page * std::uint64_t{page_bytes()};
    return static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes(), shape_.bytes - first));
  }

  /// Shows the offsets (vertices() + 1) piece by piece, ascending: piece(first, offsets).
  /// @throws Error(BadInput), Error(Io), Error(DoesNotFit).
  virtual void for_each_offsets(
      FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) = 0;

  /// Begins to fetch pages (each once), with those of weights if there are any. Those that are in
  /// memory come first, the others as their reads end, started in the order given. Whatever an
  /// earlier start() left is given up.
  /// @throws Error(DoesNotFit) when there is no memory for a page.
  virtual void start(std::span<const std::size_t> pages, bool weights) = 0;

  /// Waits for a page. Nothing: all have been given. Whoever holds all of the memory waits in vain
  /// (Error(Internal)): release pages first.
  /// @throws Error(Io), Error(BadInput): see SectionReads.
  virtual std::optional<SuppliedPage> next() = 0;

  /// A page that is there already, while enough memory is left to read others meanwhile.
  virtual std::optional<SuppliedPage> try_next() = 0;

  /// The page's memory may be used again; it may also stay for a later sweep.
  virtual void release(std::size_t page) = 0;

  /// A page that has been released keeps its place and contents as long as this stays the same.
  virtual std::uint64_t changes() const { return 0; }

  /// Gives up what start() began; pages still held are released.
  virtual void stop() noexcept = 0;

  /// The one block of memory, aligned to 4096 bytes, that pages are in; empty when they are not in
  /// memory of the supply's own. Moves only in start().
  virtual std::span<std::byte> block() const { return {}; }

  /// The block shall not be larger than this (a page at least) from the next start() on, and goes
  /// now if it is.
  virtual void limit_block(std::size_t) {}

  /// The least memory that allows to use a page while another is read.
  virtual std::size_t least_block(bool weights) const {
    (void)weights;
    return 0;
  }

  /// Whether pages are handed out encoded, for who copies them to decode.
  virtual bool encoded() const { return false; }

  /// Whether all pages are in memory and stay there: page() then does without start(), next() and
  /// release().
  virtual bool in_memory() const { return false; }

  /// A page, where in_memory(); from any thread. @throws Error(BadInput): see SlottedLists::check.
  virtual SuppliedPage page(std::size_t page, bool weights) const;

  /// Has GPUs copy the pages, with those of weights, at the link's rate, now or soon; with `whole`,
  /// has their kernels read all of them in place, if that can be. Calls settle() before memory goes
  /// that pages were in. @throws Error(DoesNotFit), Error(Interrupted)
  virtual void make_ready(bool weights, bool whole, FunctionRef<void()> settle) {
    (void)weights, (void)whole, (void)settle;
  }

  /// Of page_memory(), from its beginning: the bytes that kernels of GPUs may read in place now.
  /// None: the supply obtains no memory for GPUs, and who uses it may pin what there is.
  virtual std::optional<std::size_t> reach(bool weights) const {
    (void)weights;
    return std::nullopt;
  }

  /// How memory that GPUs read in place was obtained.
  virtual ZeroCopyWay way() const { return ZeroCopyWay::Register; }

  /// Adds the host memory that make_ready() obtained.
  virtual void report_host_memory(HostMemoryReport&) const {}

  /// Whether other ranks have the same pages, so that each is shown by one of them; otherwise this
  /// rank shows all.
  virtual bool shared_by_ranks() const { return true; }

  /// The lists themselves, when they are host arrays in CSR.
  virtual std::optional<CsrView> arrays() const { return std::nullopt; }

  /// Host memory that pages and offsets are in although no pool owns it: devices must not touch it.
  virtual std::vector<std::span<const std::byte>> host_memory() const { return {}; }

  /// The part of it that pages are in, or those of weights: what devices copy from in every sweep.
  virtual std::span<const std::byte> page_memory(bool weights) const {
    (void)weights;
    return {};
  }

  /// Of the disk and the buffer, so far.
  virtual DiskTraffic traffic() const { return {}; }

 protected:
  /// @throws Error(Usage) for a page size that is no power of two.
  explicit PageSupply(const PageShape& shape);

 private:
  PageShape shape_;
};

/// Gives up what was started, however a sweep ends.
struct StopSupply {
  PageSupply& supply;
  ~StopSupply() { supply.stop(); }
};

}  // namespace fathom
