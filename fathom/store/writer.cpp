#include "fathom/store/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fathom/core/parallel_each.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom::store {
namespace {

[[noreturn]] void throw_misuse(SectionId id, const std::string& what) {
  throw Error(ErrorCode::Internal, fmt::format("section '{}': {}", name_of(id), what));
}

}  // namespace

SectionStream::SectionStream(StoreWriter& writer, SectionId id,
                             std::optional<std::uint64_t> announced)
    : writer_(writer), id_(id), element_bytes_(element_bytes(id)), announced_(announced) {
  if (id == SectionId::OutOffsets || id == SectionId::InOffsets) degrees_.emplace();
}

void SectionStream::count(std::uint64_t bytes) {
  if (finished_) throw_misuse(id_, "appended to after its end");
  if (announced_ && bytes > *announced_ - bytes_)
    throw_misuse(id_, fmt::format("more than the {} bytes announced", *announced_));
  bytes_ += bytes;
}

void SectionStream::append(std::span<const std::byte> bytes) {
  count(bytes.size());
  while (!bytes.empty()) {
    if (buffer_.empty() && bytes.size() >= kBlockBytes) {  // a whole block needs no copy
      write_block(bytes.first(kBlockBytes));
      bytes = bytes.subspan(kBlockBytes);
      continue;
    }
    const std::size_t n = std::min<std::size_t>(bytes.size(), kBlockBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bytes = bytes.subspan(n);
    if (buffer_.size() == kBlockBytes) {
      write_block(buffer_);
      buffer_.clear();
    }
  }
}

void SectionStream::append_bytes(std::uint64_t bytes, int workers, MakeBytes make) {
  if (degrees_) throw_misuse(id_, "offsets are appended in order");
  count(bytes);
  std::uint64_t done = 0;
  auto fill_buffer = [&] {
    const std::size_t held = buffer_.size();
    const std::size_t n = std::min<std::uint64_t>(bytes - done, kBlockBytes - held);
    buffer_.resize(held + n);
    make(done, std::span(buffer_).subspan(held));
    done += n;
    if (buffer_.size() < kBlockBytes) return;
    write_block(buffer_);
    buffer_.clear();
  };
  if (!buffer_.empty()) fill_buffer();
  const std::uint64_t blocks = (bytes - done) / kBlockBytes;
  const std::size_t before = checksums_.size();
  checksums_.resize(before + blocks);
  std::vector<std::vector<std::byte>> block(static_cast<std::size_t>(workers));
  parallel_each(workers, blocks, [&](std::size_t b, int worker) {
    std::vector<std::byte>& mine = block[static_cast<std::size_t>(worker)];
    mine.resize(kBlockBytes);
    make(done + b * kBlockBytes, mine);
    checksums_[before + b] = checksum(mine);
    put(written_ + b * kBlockBytes, mine);
  });
  done += blocks * kBlockBytes;
  written_ += blocks * kBlockBytes;
  if (done < bytes) fill_buffer();
}

void SectionStream::put(std::uint64_t offset, std::span<const std::byte> block) {
  if (spool_)
    spool_->write_at(offset, block);
  else
    writer_.file_.write_at(offset_ + offset, block);
}

void SectionStream::write_block(std::span<const std::byte> block) {
  checksums_.push_back(checksum(block));
  put(written_, block);
  written_ += block.size();
  if (!degrees_) return;
  // The last block carries padding behind the offsets.
  const std::uint64_t meant =
      std::min<std::uint64_t>(block.size(), bytes_ + block.size() - written_);
  std::vector<EdgeId> offsets(static_cast<std::size_t>(meant) / sizeof(EdgeId));
  std::memcpy(offsets.data(), block.data(), offsets.size() * sizeof(EdgeId));
  degrees_->add(offsets);
}

void SectionStream::finish() {
  if (finished_) return;
  if (announced_ && bytes_ != *announced_)
    throw_misuse(id_, fmt::format("{} bytes instead of the {} announced", bytes_, *announced_));
  if (!buffer_.empty()) {
    buffer_.resize(static_cast<std::size_t>(padded(buffer_.size())));
    write_block(buffer_);
  }
  buffer_ = {};
  finished_ = true;
  const std::lock_guard lock(writer_.mutex_);
  if (writer_.growing_ == this) {
    writer_.end_ = offset_ + written_;
    writer_.growing_ = nullptr;
  }
}

void SectionStream::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (!finished_ || offset > bytes_ || into.size() > bytes_ - offset)
    throw_misuse(id_, "read before its end or beyond it");
  if (spool_)
    spool_->read_at(offset, into);
  else
    writer_.file_.read_at(offset_ + offset, into);
}

StoreWriter::StoreWriter(const std::string& path) : StoreWriter(AtomicFile(path)) {}
StoreWriter::StoreWriter(AtomicFile file) : file_(std::move(file)) {}
StoreWriter::~StoreWriter() = default;

SectionStream* StoreWriter::find(SectionId id) const {
  for (const auto& s : sections_)
    if (s->id_ == id) return s.get();
  return nullptr;
}

SectionStream& StoreWriter::section(SectionId id, std::optional<std::uint64_t> bytes) {
  const std::lock_guard lock(mutex_);
  if (SectionStream* open = find(id)) return *open;
  std::unique_ptr<SectionStream> stream(new SectionStream(*this, id, bytes));
  if (growing_) {
    stream->spool_.emplace(file_.directory());
  } else {
    stream->offset_ = end_;
    stream->place_known_ = true;
    if (bytes)
      end_ += padded(*bytes);
    else
      growing_ = stream.get();
  }
  return *sections_.emplace_back(std::move(stream));
}

void StoreWriter::append_lists(Lists which, const CsrView& lists) {
  struct Ids {
    SectionId offsets, targets;
    std::optional<SectionId> weights;
  };
  const Ids ids =
      which == Lists::Out ? Ids{SectionId::OutOffsets, SectionId::OutTargets, SectionId::OutWeights}
      : which == Lists::In ? Ids{SectionId::InOffsets, SectionId::InTargets, SectionId::InWeights}
                           : Ids{SectionId::OrientedOffsets, SectionId::OrientedTargets, {}};
  auto put = [&](SectionId id, auto values) {
    SectionStream& stream = section(id, values.size_bytes());
    stream.append(values);
    stream.finish();
  };
  const EdgeId zero = 0;  // the offsets of a graph without vertices
  put(ids.offsets, lists.offset ? std::span(lists.offset, std::size_t{lists.vertices} + 1)
                                : std::span(&zero, 1));
  put(ids.targets, std::span(lists.target, lists.edges));
  if (ids.weights && lists.weight) put(*ids.weights, std::span(lists.weight, lists.edges));
}

void StoreWriter::append_pairs(int workers) {
  SectionStream* targets = find(SectionId::OutTargets);
  SectionStream* weights = find(SectionId::OutWeights);
  if (!targets || !weights) throw_misuse(SectionId::OutPairs, "needs targets and weights");
  targets->finish();
  weights->finish();
  const EdgeId edges = targets->bytes() / sizeof(VertexId);
  if (weights->bytes() != edges * sizeof(Weight))
    throw_misuse(SectionId::OutWeights, "not as many as targets");
  SectionStream& pairs = section(SectionId::OutPairs, edges * sizeof(TargetWeight));
  pairs.append_made<TargetWeight>(edges, workers, [&](EdgeId first, std::span<TargetWeight> pair) {
    std::vector<VertexId> target(pair.size());
    std::vector<Weight> weight(pair.size());
    targets->read(first * sizeof(VertexId), std::as_writable_bytes(std::span(target)));
    weights->read(first * sizeof(Weight), std::as_writable_bytes(std::span(weight)));
    if constexpr (sizeof(TargetWeight) != sizeof(VertexId) + sizeof(Weight))
      std::fill_n(reinterpret_cast<char*>(pair.data()), pair.size_bytes(), '\0');  // the padding
    for (std::size_t i = 0; i < pair.size(); ++i) {
      pair[i].target = target[i];
      pair[i].weight = weight[i];
    }
  });
  pairs.finish();
}

void StoreWriter::append_label(std::string_view label) {
  if (labels_ > 0 && label <= last_label_)
    throw_misuse(SectionId::LabelBytes, fmt::format("'{}' after '{}'", label, last_label_));
  auto add = [&](SectionId offsets, SectionId bytes) {
    SectionStream& b = section(bytes);  // the larger one first: it need not be copied
    SectionStream& o = section(offsets);
    const std::uint64_t at = b.bytes();
    o.append(std::span(&at, 1));
    b.append(label);
  };
  add(SectionId::LabelOffsets, SectionId::LabelBytes);
  if (labels_ % kLabelIndexStride == 0)
    add(SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes);
  last_label_.assign(label);
  ++labels_;
}

void StoreWriter::append_labels(std::span<const std::uint64_t> labels) {
  for (std::uint64_t label : labels) {
    if (last_integer_ && label <= *last_integer_)
      throw_misuse(SectionId::LabelIntegers, fmt::format("{} after {}", label, *last_integer_));
    last_integer_ = label;
  }
  section(SectionId::LabelIntegers).append(labels);
}

// The copy goes through memory that finish() freed, 1 MiB at a time.
void StoreWriter::copy_in(SectionStream& s) {
  s.offset_ = end_;
  std::vector<std::byte> buffer(
      static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, s.written_)));
  for (std::uint64_t at = 0; at < s.written_; at += kBlockBytes) {
    const std::span<std::byte> block = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, s.written_ - at)));
    s.spool_->read_at(at, block);
    file_.write_at(s.offset_ + at, block);
  }
  end_ += s.written_;
  s.place_known_ = true;
  s.spool_.reset();  // its space is free for the sections that follow
}

void StoreWriter::append_degrees() {
  std::vector<DegreeSummary> summaries;
  for (SectionId id : {SectionId::OutOffsets, SectionId::InOffsets})
    if (const SectionStream* s = find(id)) summaries.push_back(s->degrees_->summary());
  SectionStream& degrees = section(SectionId::Degrees);
  degrees.append(summaries);
  degrees.finish();
}

Layout StoreWriter::layout_of(const Header& header, const ContentHashes* content,
                              const PartLayout* part, std::vector<std::uint64_t>& checksums) const {
  Layout layout;
  std::vector<const SectionStream*> order;
  for (const auto& s : sections_) order.push_back(s.get());
  // An empty section shares its place with its successor and goes first.
  std::sort(order.begin(), order.end(), [](const SectionStream* a, const SectionStream* b) {
    return std::pair(a->offset_, a->written_) < std::pair(b->offset_, b->written_);
  });
  for (const SectionStream* s : order) {
    SectionEntry entry{};
    const std::string_view name = name_of(s->id_);
    std::copy(name.begin(), name.end(), entry.name);
    entry.offset = s->offset_;
    entry.bytes = s->bytes_;
    entry.element_bytes = s->element_bytes_;
    entry.first_checksum = checksums.size();
    entry.checksum_hash = checksum(std::as_bytes(std::span(s->checksums_)));
    layout.sections.push_back(entry);
    checksums.insert(checksums.end(), s->checksums_.begin(), s->checksums_.end());
  }
  layout.checksums_offset = end_;
  layout.file_bytes = end_ + checksums.size() * sizeof(std::uint64_t);
  layout.header = header;
  layout.header.version = format_version_of(layout);
  const SectionEntry* targets = layout.find(SectionId::OutTargets);
  layout.header.edges = targets ? targets->bytes / sizeof(VertexId) : 0;
  layout.header.weighted = layout.find(SectionId::OutWeights) != nullptr;
  layout.header.has_in_edges = layout.find(SectionId::InOffsets) != nullptr;
  note_fields(layout);
  if (header.slotted || header.packed || header.narrow || part) {
    layout.header.edges = find(SectionId::OutOffsets)->degrees_->summary().edges;
    layout.header.weighted = header.weighted;
    if (content)
      layout.header.fingerprint = fingerprint_of(layout, content->targets, content->weights);
  } else {
    layout.header.fingerprint = fingerprint_of(layout);
  }
  return layout;
}

Header StoreWriter::commit(const Header& header, const ContentHashes* content,
                           const PartLayout* part) {
  const SectionStream* labels = find(SectionId::LabelOffsets);
  const bool open = !labels || !labels->finished_;    // finished: copied as they were
  if (header.labels == LabelKind::Strings && open) {  // closes both offset tables; of no labels too
    for (const auto& [offsets, bytes] :
         {std::pair(SectionId::LabelOffsets, SectionId::LabelBytes),
          std::pair(SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes)}) {
      const std::uint64_t end = section(bytes).bytes();
      section(offsets).append(std::span(&end, 1));
    }
  }
  if (header.labels == LabelKind::Integers) section(SectionId::LabelIntegers);
  for (const auto& s : sections_) s->finish();
  append_degrees();
  if (header.slotted) {
    const std::uint32_t format[4] = {header.slotted->pid_bytes, header.slotted->slot_bytes,
                                     slotted::kVidBytes, 0};
    section(SectionId::Slotted).append(format);
  }
  if (header.packed) section(SectionId::Packed).append(encoded(*header.packed));
  if (header.narrow) {
    const std::uint32_t format[4] = {header.narrow->id_bits, header.narrow->code_bits,
                                     header.narrow->values, 0};
    section(SectionId::Narrow).append(format);
  }
  if (part) section(SectionId::Part).append(encode_part(*part));
  if (!header.provenance.empty()) section(SectionId::Provenance).append(header.provenance);
  for (const auto& s : sections_) s->finish();
  for (const auto& s : sections_)
    if (!s->place_known_) copy_in(*s);

  std::vector<std::uint64_t> checksums;
  const Layout layout = layout_of(header, content, part, checksums);
  const std::vector<std::byte> page = encode_header(layout);
  file_.write_at(layout.checksums_offset, std::as_bytes(std::span(checksums)));
  file_.write_at(0, page);
  try {
    decode_header(file_.path(), page, layout.file_bytes);
  } catch (const Error& e) {
    throw Error(ErrorCode::Internal,
                std::string("would write a file that no one can open: ") + e.what());
  }
  file_.commit();
  return layout.header;
}

}  // namespace fathom::store
