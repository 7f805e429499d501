#include "fathom/store/make/stored_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "fathom/store/narrow/narrow_sections.hpp"
#include "fathom/store/packed/pack.hpp"
#include "fathom/store/packed/packed_sections.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"
#include "fathom/store/slotted/slotted_sections.hpp"

namespace fathom::store {
namespace {

class CsrReader final : public StoredLists {
 public:
  CsrReader(const StoreFile& file, Lists lists)
      : StoredLists(file, lists),
        targets_(file, lists == Lists::Out ? SectionId::OutTargets : SectionId::InTargets) {
    if (weighted())
      weights_.emplace(file, lists == Lists::Out ? SectionId::OutWeights : SectionId::InWeights);
  }

  void edges(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) override {
    targets_.read(first * sizeof(VertexId), std::as_writable_bytes(target));
    for (std::size_t i = 0; i < target.size(); ++i)
      if (target[i] >= vertices())
        throw_bad_store(file_.path(), fmt::format("edge {} names vertex {} of {}", first + i,
                                                  target[i], vertices()));
    if (!weight.empty()) weights_->read(first * sizeof(Weight), std::as_writable_bytes(weight));
  }

 private:
  SectionBlocks targets_;
  std::optional<SectionBlocks> weights_;
};

class SlottedReader final : public StoredLists {
 public:
  SlottedReader(const StoreFile& file, Lists lists)
      : StoredLists(file, lists),
        pages_id_(lists == Lists::Out ? SectionId::OutPages : SectionId::InPages),
        pages_(file.layout().find(pages_id_)) {
    std::uint32_t format[4];
    SectionBlocks(file, SectionId::Slotted).read(0, std::as_writable_bytes(std::span(format)));
    lists_.layout = decode_slotted(file, format);
    const SectionId rvt_id = lists == Lists::Out ? SectionId::OutRvt : SectionId::InRvt;
    SectionBlocks rvt(file, rvt_id);
    rvt_.resize(static_cast<std::size_t>(rvt.bytes() / sizeof(RvtEntry)));
    rvt.read(0, std::as_writable_bytes(std::span(rvt_)));
    lists_.vertices = vertices();
    lists_.edges = StoredLists::edges();
    lists_.rvt = rvt_;
    check_rvt(file, rvt_id, lists_);
    page_.resize(lists_.layout.page_bytes);
  }

  void edges(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) override {
    if (first < begin_) begin_ = next_ = 0, held_entries_ = 0;
    for (std::size_t done = 0; done < target.size();) {
      while (first + done >= begin_ + held_entries_) load();
      const auto from = static_cast<std::size_t>(first + done - begin_);
      const std::size_t n = std::min(held_entries_ - from, target.size() - done);
      std::copy_n(target_.data() + from, n, target.data() + done);
      if (!weight.empty()) std::copy_n(weight_.data() + from, n, weight.data() + done);
      done += n;
    }
  }

 private:
  // Holds the entries of the page that follows.
  void load() {
    const std::size_t p = next_++;
    begin_ += held_entries_;
    held_entries_ = rvt_[p].entries;
    file_.read_at(pages_->offset + p * std::uint64_t{page_.size()}, page_);
    if (checksum(page_) != rvt_[p].checksum)
      throw_bad_page(file_, pages_id_, p, "does not match its checksum");
    check_page(file_, pages_id_, lists_, p, page_.data());
    target_.resize(held_entries_);
    weight_.resize(weighted() ? held_entries_ : 0);
    decode_page(lists_.layout, rvt_, p, page_.data(), target_, weight_);
  }

  SectionId pages_id_;
  const SectionEntry* pages_;
  std::vector<RvtEntry> rvt_;
  SlottedLists lists_;
  std::vector<std::byte> page_;
  std::size_t next_ = 0;          // the page to load next
  EdgeId begin_ = 0;              // of the entries held
  std::size_t held_entries_ = 0;  // of page next_ - 1
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

class NarrowReader final : public StoredLists {
 public:
  NarrowReader(const StoreFile& file, Lists lists)
      : StoredLists(file, lists),
        entries_id_(lists == Lists::Out ? SectionId::OutEntries : SectionId::InEntries),
        name_(name_of_section(file, entries_id_)),
        entries_(file, entries_id_) {
    std::uint32_t format[4];
    SectionBlocks(file, SectionId::Narrow).read(0, std::as_writable_bytes(std::span(format)));
    layout_ = decode_narrow(file, format);
    if (layout_.weighted()) {
      values_.resize(layout_.values);
      SectionBlocks(file, SectionId::WeightValues)
          .read(0, std::as_writable_bytes(std::span(values_)));
      check_weight_values(file, values_);
    }
  }

  void edges(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) override {
    for (std::size_t at = 0; at < target.size(); at += kAtOnce) {
      const std::size_t n = std::min(kAtOnce, target.size() - at);
      read(first + at, target.subspan(at, n), weight.empty() ? weight : weight.subspan(at, n));
    }
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 14;

  void read(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) {
    // 64 entries begin with a word.
    const std::uint64_t word = first / 64 * layout_.entry_bits();
    const EdgeId past = first + target.size();
    words_.resize(static_cast<std::size_t>(layout_.words(past) - word));
    entries_.read(word * sizeof(std::uint64_t), std::as_writable_bytes(std::span(words_)));
    if (past == StoredLists::edges())
      check_entries_end(file_, entries_id_, layout_, past,
                        std::span(words_).last(end_words(layout_, past)));
    code_.resize(layout_.weighted() ? target.size() : 0);
    read_entries(layout_, words_, first % 64, target, code_);
    check_entries(name_, layout_, vertices(), first, target, code_);
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = values_[code_[i]];
  }

  SectionId entries_id_;
  std::string name_;  // of the section, for messages
  SectionBlocks entries_;
  NarrowLayout layout_;
  std::vector<Weight> values_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> code_;
};

class PackedReader final : public StoredLists {
 public:
  PackedReader(const StoreFile& file, Lists lists)
      : StoredLists(file, lists),
        ids_(PackedSectionIds::of(lists == Lists::Out)),
        index_(file, ids_.index),
        words_(file, ids_.words) {
    std::uint32_t format[4];
    SectionBlocks(file, SectionId::Packed).read(0, std::as_writable_bytes(std::span(format)));
    layout_ = decode_packed(file, format);
    if (!weighted()) return;
    weights_.emplace(file, layout_.code_bytes == 0 ? ids_.weights : ids_.codes);
    if (layout_.code_bytes == 0) return;
    SectionBlocks values(file, SectionId::WeightValues);
    values_.resize(static_cast<std::size_t>(values.bytes() / sizeof(Weight)));
    values.read(0, std::as_writable_bytes(std::span(values_)));
    check_code_values(file, layout_, values_);
  }

  void edges(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) override {
    for (std::size_t done = 0; done < target.size();) {
      const EdgeId at = first + done;
      load(at / packed::kGroup);
      const auto from = static_cast<std::size_t>(at % packed::kGroup);
      const std::size_t n = std::min(ids_of_group_.size() - from, target.size() - done);
      std::copy_n(ids_of_group_.data() + from, n, target.data() + done);
      done += n;
    }
    if (weight.empty()) return;
    if (layout_.code_bytes == 0)
      return weights_->read(first * sizeof(Weight), std::as_writable_bytes(weight));
    codes_.resize(weight.size() * layout_.code_bytes);
    weights_->read(first * layout_.code_bytes, codes_);
    if (!unpack_weights({codes_.data(), layout_.code_bytes, values_}, 0, weight))
      throw_bad_code(name_of_section(file_, ids_.codes), first, first + weight.size());
  }

 private:
  void load(std::uint64_t group) {
    if (group == held_) return;
    held_ = ~std::uint64_t{0};
    std::uint64_t place[2];
    index_.read(group * sizeof(place[0]), std::as_writable_bytes(std::span(place)));
    const std::string name = name_of_section(file_, ids_.words);
    if (place[1] <= place[0] || place[1] > words_.bytes() / sizeof(std::uint32_t))
      throw_bad_group(name, group);
    const std::uint64_t end = packed::end_of_group(place[0], place[1]);
    const auto count = static_cast<std::size_t>(end - place[0]);
    group_.assign(count + packed::kPadWords, 0);
    words_.read(place[0] * sizeof(std::uint32_t),
                std::as_writable_bytes(std::span(group_).first(count)));
    const EdgeId left = StoredLists::edges() - group * packed::kGroup;
    ids_of_group_.resize(static_cast<std::size_t>(std::min<EdgeId>(left, packed::kGroup)));
    if (!packed::unpack_group(std::span<const std::uint32_t>(group_).first(count), layout_.id_bits,
                              vertices(), ids_of_group_))
      throw_bad_group(name, group);
    held_ = group;
  }

  PackedSectionIds ids_;
  PackedLayout layout_;
  SectionBlocks index_, words_;
  std::optional<SectionBlocks> weights_;
  std::vector<Weight> values_;
  std::uint64_t held_ = ~std::uint64_t{0};  // the group that is unpacked
  std::vector<std::uint32_t> group_;
  std::vector<VertexId> ids_of_group_;
  std::vector<std::byte> codes_;
};

}  // namespace

SectionBlocks::SectionBlocks(const StoreFile& file, SectionId section)
    : file_(file), entry_(file.layout().find(section)) {
  if (!entry_) throw_bad_store(file.path(), fmt::format("has no section '{}'", name_of(section)));
  checksums_ = file.checksums(*entry_);
  block_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, padded(bytes()))));
}

void SectionBlocks::read(std::uint64_t first, std::span<std::byte> into) {
  while (!into.empty()) {
    const std::uint64_t block = first / kBlockBytes;
    if (block != held_) {
      const auto whole = std::span(block_).first(block_bytes(*entry_, block));
      held_ = ~std::uint64_t{0};
      file_.read_at(entry_->offset + block * kBlockBytes, whole);
      file_.check_block(*entry_, block, whole, checksums_[block]);
      held_ = block;
    }
    const auto from = static_cast<std::size_t>(first % kBlockBytes);
    const std::size_t n = std::min<std::size_t>(kBlockBytes - from, into.size());
    std::memcpy(into.data(), block_.data() + from, n);
    into = into.subspan(n);
    first += n;
  }
}

StoredLists::StoredLists(const StoreFile& file, Lists lists)
    : file_(file),
      offsets_(file, lists == Lists::Out ? SectionId::OutOffsets : SectionId::InOffsets),
      vertices_(file.layout().header.vertices),
      edges_(file.layout().header.edges),
      weighted_(file.layout().header.weighted) {}

std::unique_ptr<StoredLists> StoredLists::open(const StoreFile& file, Lists lists) {
  if (file.layout().slotted()) return std::make_unique<SlottedReader>(file, lists);
  if (file.layout().packed()) return std::make_unique<PackedReader>(file, lists);
  if (file.layout().narrow()) return std::make_unique<NarrowReader>(file, lists);
  return std::make_unique<CsrReader>(file, lists);
}

void StoredLists::offsets(std::uint64_t first, std::span<EdgeId> into) {
  offsets_.read(first * sizeof(EdgeId), std::as_writable_bytes(into));
  for (std::size_t i = 0; i < into.size(); ++i)
    if (into[i] > edges_ || (i > 0 && into[i] < into[i - 1]))
      throw_bad_store(file_.path(), fmt::format("offset {} is out of order", first + i));
  // Lists are written as long as the header announces.
  if (first == 0 && !into.empty() && into.front() != 0)
    throw_bad_store(file_.path(), "offset 0 is not 0");
  if (first + into.size() == std::uint64_t{vertices_} + 1 && into.back() != edges_)
    throw_bad_store(file_.path(),
                    fmt::format("offset {} is not the number of edges, {}", vertices_, edges_));
}

FoundWeights find_weights(StoredLists& lists, const Task& task) {
  FoundWeights found{WeightCodes(), 0};
  task.begin("distinct weights", lists.edges(), "edges");
  each_edge_piece(lists, task, [&](auto target, auto weight) {
    found.seen += target.size();
    if (!found.codes->add(weight)) found.codes.reset();
    task.at(found.seen);
    return found.codes.has_value();
  });
  task.end();
  if (found.codes) found.codes->number();
  return found;
}

void copy_section(const StoreFile& file, StoreWriter& writer, SectionId id) {
  if (!file.layout().find(id)) return;
  SectionBlocks from(file, id);
  SectionStream& to = writer.section(id, from.bytes());
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < from.bytes(); at += kBlockBytes) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, from.bytes() - at)));
    from.read(at, piece);
    to.append(piece);
  }
  to.finish();
}

}  // namespace fathom::store
