#include "fathom/residency/ssd/section_reads.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "fathom/core/parallel.hpp"
#include "fathom/store/mapped_sections.hpp"

namespace fathom {

using store::SectionEntry;
using store::SectionId;

SectionReads::SectionReads(const std::string& path, const IoOptions& options,
                           std::shared_ptr<Trace> trace, std::span<const std::string> ssd)
    : file_(path, store::Parts::Allowed),
      sections_(file_.layout().sections.size()),
      trace_(std::move(trace)) {
  if (!ssd.empty()) stripes_.emplace(file_, ssd);
  const std::size_t disks = std::max<std::size_t>(ssd.size(), 1);
  reader_ = make_block_reader(options, static_cast<std::uint32_t>(disks));
  reads_.resize(options.depth * disks);
  direct_.assign(1 + ssd.size(), -1);
  if (!options.direct) return;
  for (std::size_t i = 0; i < direct_.size(); ++i)
    direct_[i] =
        ::open((i == 0 ? path : stripes_->path(i - 1)).c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
}

SectionReads::~SectionReads() {
  reader_.reset();
  for (const int descriptor : direct_)
    if (descriptor >= 0) ::close(descriptor);
}

SectionReads::Place SectionReads::place_of(const SectionEntry& section, std::uint64_t at) const {
  if (!stripes_ || !stripes_->plan().covers(section))
    return {file_.path(), file_.descriptor(), direct_[0], section.offset + at, ~std::uint64_t{0}};
  const auto [stripe, offset, bytes] = stripes_->plan().place(section, at);
  return {stripes_->path(stripe), stripes_->descriptor(stripe), direct_[stripe + 1], offset, bytes};
}

const SectionEntry& SectionReads::section(SectionId id) const {
  const SectionEntry* entry = file_.layout().find(id);
  if (!entry)
    store::throw_bad_store(file_.path(), fmt::format("has no section '{}'", store::name_of(id)));
  return *entry;
}

std::size_t SectionReads::bytes_of(const SectionEntry& section, std::uint64_t first,
                                   std::uint64_t blocks) {
  return static_cast<std::size_t>(
      std::min(store::padded(section.bytes), (first + blocks) * kBlockBytes) - first * kBlockBytes);
}

SectionReads::Section& SectionReads::prepared(const SectionEntry& entry) {
  Section& section = sections_[static_cast<std::size_t>(&entry - file_.layout().sections.data())];
  if (section.checksums.empty()) {
    std::vector<std::uint64_t> checksums = file_.checksums(entry);
    section.values_known.assign(checksums.size(), 0);
    section.checksums = std::move(checksums);
  }
  return section;
}

void SectionReads::check_values_with(SectionId id, std::size_t part_bytes, CheckValues check) {
  Section& section = prepared(this->section(id));
  section.part_bytes = part_bytes;
  section.check = std::move(check);
}

void SectionReads::start(SectionId id, std::uint64_t first, std::uint64_t blocks, std::byte* into,
                         std::uint64_t tag) {
  const SectionEntry& entry = section(id);
  prepared(entry);
  const auto place =
      std::find_if(reads_.begin(), reads_.end(), [](const Read& r) { return !r.section; });
  if (place == reads_.end())
    throw Error(ErrorCode::Internal, "more reads were started than there is room for");
  *place = {};
  place->section = &entry;
  place->first = first;
  place->blocks = blocks;
  place->into = into;
  place->end = bytes_of(entry, first, blocks);
  place->tag = tag;
  if (trace_) place->started = Trace::Clock::now();
  try {
    submit(static_cast<std::uint32_t>(place - reads_.begin()));
  } catch (...) {
    *place = {};
    throw;
  }
  ++under_way_;
}

void SectionReads::submit(std::uint32_t place) {
  const Read& read = reads_[place];
  const Place from = place_of(*read.section, read.first * kBlockBytes + read.at);
  const std::uint64_t bytes = std::min<std::uint64_t>(read.end - read.at, from.bytes);
  ++requests_;
  reader_->start({from.direct >= 0 && !read.buffered ? from.direct : from.buffered,
                  from.offset,
                  {read.into + read.at, static_cast<std::size_t>(bytes)},
                  place});
}

void SectionReads::collect(std::vector<std::uint64_t>& ready, bool wait, int threads) {
  using Clock = std::chrono::steady_clock;
  const std::size_t before = ready.size();
  std::vector<Read*> whole;
  std::exception_ptr error;
  do {
    done_.clear();
    whole.clear();
    const auto start = Clock::now();
    reader_->collect(done_, wait);
    if (wait) seconds_waited_ += std::chrono::duration<double>(Clock::now() - start).count();
    for (const BlockDone& done : done_) {
      Read& read = reads_[done.tag];
      if (advance(read, done.result)) {
        whole.push_back(&read);
      } else if (done.result == 0 || read.failures > kRetries) {
        if (!error) error = disk_failed(read, done.result);
        finish(read);
      } else {
        submit(static_cast<std::uint32_t>(done.tag));
      }
    }
    parallel_for(threads, whole.size(), 1,
                 [&](std::size_t i, std::size_t, int) { check(*whole[i]); });
    for (Read* read : whole) {
      const std::uint64_t block = read->first + read->checked;
      if (read->mismatch && read->reread != block) {
        read->reread = block;
        read->at = static_cast<std::size_t>(read->checked * kBlockBytes);
        read->end = read->at + store::block_bytes(*read->section, block);
        submit(static_cast<std::uint32_t>(read - reads_.data()));
        continue;
      }
      if (read->mismatch) read->error = damaged(*read);
      if (!read->error) ready.push_back(read->tag);
      if (!error) error = read->error;
      finish(*read);
    }
    if (error) std::rethrow_exception(error);
  } while (wait && under_way_ > 0 && ready.size() == before);
}

/// Takes note of a result. True: everything has been read.
bool SectionReads::advance(Read& read, std::int64_t result) {
  if (result < 0) {
    const Place from = place_of(*read.section, read.first * kBlockBytes + read.at);
    if (result == -EINVAL && !read.buffered && from.direct >= 0)
      read.buffered = true;     // opened, but this file system wants another alignment
    else if (result != -EINTR)  // which says nothing of the disk
      ++read.failures;
    return false;
  }
  std::size_t bytes = static_cast<std::size_t>(result);
  if (bytes % kAlignment != 0 && read.at + bytes < read.end && !read.buffered) {
    // Reads past the page cache go on at a border; what lies beyond it is read again.
    bytes -= bytes % kAlignment;
    if (bytes == 0) read.buffered = true;
  }
  bytes_ += static_cast<std::uint64_t>(result);
  read.at += bytes;
  if (result > 0) read.failures = 0;
  return read.at == read.end;
}

/// Looks for a block that does not match its checksum, or whose values make no sense. Runs on any
/// thread.
void SectionReads::check(Read& read) {
  Section& section =
      sections_[static_cast<std::size_t>(read.section - file_.layout().sections.data())];
  read.mismatch = false;
  for (; read.checked < read.blocks; ++read.checked) {
    const std::uint64_t b = read.first + read.checked;
    const std::span<const std::byte> block{read.into + read.checked * kBlockBytes,
                                           store::block_bytes(*read.section, b)};
    if (store::checksum(block) != section.checksums[b]) {
      read.mismatch = true;
      return;
    }
    try {
      check_values(read, section);
    } catch (const Error&) {
      read.error = std::current_exception();
      return;
    }
  }
}

/// Looks at the values that block `read.checked`, which is whole, completes.
void SectionReads::check_values(const Read& read, Section& section) {
  const std::uint64_t in_part = std::max<std::uint64_t>(section.part_bytes / kBlockBytes, 1);
  const std::uint64_t last = read.first + read.checked;
  const std::uint64_t begin = last / in_part * in_part;
  if (section.values_known[last] != 0 ||
      (last != begin + in_part - 1 && last + 1 != section.checksums.size()))
    return;
  const std::uint64_t end = std::min((last + 1) * kBlockBytes, read.section->bytes);
  const auto bytes_at = [&](std::uint64_t first, std::uint64_t bytes) {
    return std::span<const std::byte>(read.into + (first - read.first * kBlockBytes),
                                      static_cast<std::size_t>(bytes));
  };
  if (!section.check)
    store::check_ids(file_, *read.section, bytes_at(begin * kBlockBytes, end - begin * kBlockBytes),
                     begin * kBlockBytes);
  else
    for (std::uint64_t at = begin * kBlockBytes; at < end; at += section.part_bytes)
      section.check(at, bytes_at(at, std::min<std::uint64_t>(section.part_bytes, end - at)));
  std::fill(section.values_known.begin() + static_cast<std::ptrdiff_t>(begin),
            section.values_known.begin() + static_cast<std::ptrdiff_t>(last) + 1, std::uint8_t{1});
}

void SectionReads::finish(Read& read) {
  if (trace_)
    trace_->add("disk", fmt::format("{} {}", store::name_of(*read.section), read.first),
                read.started, Trace::Clock::now(),
                bytes_of(*read.section, read.first, read.blocks));
  read = {};
  --under_way_;
}

std::exception_ptr SectionReads::disk_failed(const Read& read, std::int64_t result) const {
  const Place from = place_of(*read.section, read.first * kBlockBytes + read.at);
  const std::uint64_t bytes = std::min<std::uint64_t>(read.end - read.at, from.bytes);
  try {
    if (result == 0)
      store::throw_bad_store(from.path, fmt::format("truncated: ends at byte {}", from.offset));
    throw_io_error(from.path,
                   fmt::format("read section '{}', bytes {} to {}", store::name_of(*read.section),
                               from.offset, from.offset + bytes - 1),
                   static_cast<int>(-result));
  } catch (const Error&) {
    return std::current_exception();
  }
}

std::exception_ptr SectionReads::damaged(const Read& read) const {
  const std::uint64_t block = read.first + read.checked;
  const Place from = place_of(*read.section, block * kBlockBytes);
  try {
    store::throw_bad_block(from.path, *read.section, from.offset,
                           store::block_bytes(*read.section, block));
  } catch (const Error&) {
    return std::current_exception();
  }
}

void SectionReads::cancel() noexcept {
  // Not collect(): where the ring or an allocation has failed, reads may be under way all the same,
  // and their memory goes next.
  reader_->drain();
  for (Read& read : reads_) read = {};
  under_way_ = 0;
}

void SectionReads::for_each_piece(
    SectionId id, std::span<std::byte> memory, int threads,
    FunctionRef<void(std::uint64_t first, std::span<const std::byte>)> piece) {
  const SectionEntry& entry = section(id);
  const std::uint64_t blocks = store::blocks_of(entry.bytes);
  const std::uint64_t places =
      memory.size() < store::padded(entry.bytes) ? memory.size() / kBlockBytes : blocks;
  if (blocks == 0) return;
  if (places == 0) throw Error(ErrorCode::Usage, "a section is read in pieces of at least a block");
  struct Guard {
    SectionReads& reads;
    ~Guard() { reads.cancel(); }
  } guard{*this};
  std::vector<std::uint64_t> ready;
  std::vector<std::uint8_t> is_ready(places, 0);
  std::uint64_t started = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    for (; started < blocks && started < b + places && room(); ++started)
      start(id, started, 1, memory.data() + started % places * kBlockBytes, started % places);
    while (is_ready[b % places] == 0) {
      ready.clear();
      collect(ready, true, threads);
      for (const std::uint64_t place : ready) is_ready[place] = 1;
    }
    is_ready[b % places] = 0;
    const std::uint64_t first = b * kBlockBytes;
    piece(first,
          {memory.data() + b % places * kBlockBytes,
           static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, entry.bytes - first))});
  }
}

void read_section(const Context& ctx, SectionReads& reads, SectionId id,
                  FunctionRef<void(std::uint64_t first, std::span<const std::byte>)> piece) {
  // Enough blocks to keep a disk busy; as many as there is room for, and one at least.
  constexpr std::uint64_t kBlocks = 8;
  constexpr std::size_t kAlignment = SectionReads::kAlignment, kBlock = SectionReads::kBlockBytes;
  const std::size_t left = ctx.host_memory()->available();
  const std::uint64_t room =
      std::max<std::uint64_t>(left > kAlignment ? (left - kAlignment) / kBlock : 0, 1);
  const auto bytes = static_cast<std::size_t>(
      std::min(std::min(kBlocks, room) * kBlock, store::padded(reads.section(id).bytes)));
  if (bytes == 0) return;
  Array<std::byte> memory(bytes + kAlignment, ctx.host_memory());
  const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t skip = (kAlignment - start % kAlignment) % kAlignment;
  reads.for_each_piece(id, memory.span().subspan(skip, bytes), ctx.threads(),
                       [&](std::uint64_t first, std::span<const std::byte> part) {
                         ctx.task().check();
                         piece(first, part);
                       });
}

void read_offsets(const Context& ctx, SectionReads& reads, SectionId id, VertexId vertices,
                  EdgeId edges,
                  FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) {
  auto fail = [&](std::size_t element, const std::string& what) {
    store::throw_bad_store(reads.file().path(), fmt::format("section '{}': element {} {}",
                                                            store::name_of(id), element, what));
  };
  EdgeId last = 0;
  read_section(ctx, reads, id, [&](std::uint64_t at, std::span<const std::byte> part) {
    const std::size_t first = static_cast<std::size_t>(at / sizeof(EdgeId));
    const std::span<const EdgeId> offset{reinterpret_cast<const EdgeId*>(part.data()),
                                         part.size() / sizeof(EdgeId)};
    if (first == 0 && offset[0] != 0) fail(0, "is not 0");
    for (std::size_t i = 0; i < offset.size(); ++i) {
      if (offset[i] < last) fail(first + i, "is smaller than its predecessor");
      last = offset[i];
    }
    if (first + offset.size() == std::size_t{vertices} + 1 && last != edges)
      fail(vertices, fmt::format("is not the number of elements, {}", edges));
    piece(first, offset);
  });
}

}  // namespace fathom
