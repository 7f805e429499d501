#include "fathom/store/store.hpp"

#include "fathom/store/mapped_sections.hpp"
#include "fathom/store/narrow/mapped_narrow.hpp"
#include "fathom/store/packed/packed_sections.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/part_store.hpp"
#include "fathom/store/slotted/mapped_pages.hpp"
#include "fathom/store/stored_labels.hpp"
#include "fathom/store/verify.hpp"

namespace fathom::store {
namespace {

class MappedStore final : public PartStore {
 public:
  explicit MappedStore(const std::string& path, Parts parts)
      : sections_(path, parts), labels_(sections_), header_(sections_.layout().header) {
    const auto text = sections_.touch<char>(SectionId::Provenance, 1);
    header_.provenance.assign(text.begin(), text.end());
    header_.slotted = slotted_layout(sections_);
    header_.packed = packed_layout(sections_);
    if (header_.slotted) {
      out_pages_.emplace(sections_, *header_.slotted, SectionId::OutOffsets, SectionId::OutRvt,
                         SectionId::OutPages);
      if (header_.has_in_edges)
        in_pages_.emplace(sections_, *header_.slotted, SectionId::InOffsets, SectionId::InRvt,
                          SectionId::InPages);
    }
    header_.narrow = narrow_layout(sections_);
    if (header_.narrow) {
      out_narrow_.emplace(sections_, *header_.narrow, SectionId::OutOffsets, SectionId::OutEntries);
      if (header_.has_in_edges)
        in_narrow_.emplace(sections_, *header_.narrow, SectionId::InOffsets, SectionId::InEntries);
    }
    for (const SectionEntry& s : sections_.layout().sections)
      infos_.push_back({name_of(s), s.offset, s.bytes, blocks_of(s.bytes)});
  }

  const std::string& path() const override { return sections_.file().path(); }
  const Header& header() const override { return header_; }
  const std::vector<SectionInfo>& sections() const override { return infos_; }

  CsrView out(int threads) override {
    return lists(SectionId::OutOffsets, SectionId::OutTargets, SectionId::OutWeights, threads);
  }

  // The lists of a symmetric graph are their own transpose.
  std::optional<CsrView> in(int threads) override {
    if (header_.symmetric) return out(threads);
    if (!header_.has_in_edges) return {};
    return lists(SectionId::InOffsets, SectionId::InTargets, SectionId::InWeights, threads);
  }

  std::optional<CsrView> oriented(int threads) override {
    if (!sections_.layout().find(SectionId::OrientedOffsets)) return {};
    return lists(SectionId::OrientedOffsets, SectionId::OrientedTargets, {}, threads);
  }

  std::span<const TargetWeight> interleaved(int threads) override {
    return sections_.touch<TargetWeight>(SectionId::OutPairs, threads);
  }

  std::span<const std::uint32_t> edge_types(int threads) override {
    return sections_.touch<std::uint32_t>(SectionId::OutTypes, threads);
  }
  std::span<const EdgeTimes> edge_times(int threads) override {
    return sections_.touch<EdgeTimes>(SectionId::OutTimes, threads);
  }
  std::span<const Weight> vertex_weights(int threads) override {
    return sections_.touch<Weight>(SectionId::VertexWeights, threads);
  }
  std::span<const std::uint32_t> vertex_types(int threads) override {
    return sections_.touch<std::uint32_t>(SectionId::VertexTypes, threads);
  }

  std::span<const EdgeId> out_offsets(int threads) override {
    return sections_.touch<EdgeId>(SectionId::OutOffsets, threads);
  }
  std::span<const EdgeId> in_offsets(int threads) override {
    return header_.symmetric ? out_offsets(threads)
                             : sections_.touch<EdgeId>(SectionId::InOffsets, threads);
  }

  std::optional<SlottedLists> slotted_out(int threads) override {
    if (!out_pages_) return {};
    return out_pages_->lists(threads);
  }
  std::optional<SlottedLists> slotted_in(int threads) override {
    if (header_.symmetric) return slotted_out(threads);
    if (!in_pages_) return {};
    return in_pages_->lists(threads);
  }

  std::optional<PackedLists> packed_out(int threads) override {
    if (!header_.packed) return {};
    return mapped_packed(sections_, *header_.packed, PackedSectionIds::of(true), threads);
  }
  std::optional<PackedLists> packed_in(int threads) override {
    if (header_.symmetric) return packed_out(threads);
    if (!header_.packed || !header_.has_in_edges) return {};
    return mapped_packed(sections_, *header_.packed, PackedSectionIds::of(false), threads);
  }
  std::optional<NarrowLists> narrow_out(int threads) override {
    if (!out_narrow_) return {};
    return out_narrow_->lists(threads);
  }
  std::optional<NarrowLists> narrow_in(int threads) override {
    if (header_.symmetric) return narrow_out(threads);
    if (!in_narrow_) return {};
    return in_narrow_->lists(threads);
  }

  std::optional<SlottedStatistics> slotted_out_statistics() override {
    if (!out_pages_) return {};
    return out_pages_->statistics();
  }
  std::optional<SlottedStatistics> slotted_in_statistics() override {
    if (header_.symmetric) return slotted_out_statistics();
    if (!in_pages_) return {};
    return in_pages_->statistics();
  }

  DegreeSummary out_degrees() override { return degrees(0); }
  std::optional<DegreeSummary> in_degrees() override {
    if (header_.has_in_edges) return degrees(1);
    if (header_.symmetric) return degrees(0);
    return {};
  }

  const PartLayout* part() const override {
    const auto& part = sections_.layout().part;
    return part ? &*part : nullptr;
  }
  PartLists part_out(int threads) override {
    return part_lists(&PartLayout::out, SectionId::OutOffsets, SectionId::OutTargets,
                      SectionId::OutWeights, threads);
  }
  std::optional<PartLists> part_in(int threads) override {
    if (header_.symmetric) return part_out(threads);
    if (!header_.has_in_edges) return {};
    return part_lists(&PartLayout::in, SectionId::InOffsets, SectionId::InTargets,
                      SectionId::InWeights, threads);
  }

  std::string label(VertexId v) override { return labels_.label(v); }
  std::optional<VertexId> find(std::string_view label) override { return labels_.find(label); }

  void verify(int threads, const Task& task) override {
    verify_store(*this, sections_, labels_, threads, task);
  }

 private:
  CsrView lists(SectionId offsets, SectionId targets, std::optional<SectionId> weights,
                int threads) {
    if (part()) refuse_part(path(), *part());
    if (!sections_.layout().plain() && targets != SectionId::OrientedTargets)
      throw Error(ErrorCode::Usage, path() + ": its lists are " +
                                        (header_.narrow   ? "narrow"
                                         : header_.packed ? "packed"
                                                          : "slotted pages") +
                                        "; this needs them in CSR, as "
                                        "`fathom convert --layout csr` makes them");
    const auto target = sections_.touch<VertexId>(targets, threads);
    CsrView view{header_.vertices, target.size(), sections_.touch<EdgeId>(offsets, threads).data(),
                 target.data(), nullptr};
    if (weights && header_.weighted)
      view.weight = sections_.touch<Weight>(*weights, threads).data();
    return view;
  }

  PartLists part_lists(PartRange PartLayout::*range, SectionId offsets, SectionId targets,
                       SectionId weights, int threads) {
    if (!part()) throw Error(ErrorCode::Internal, path() + ": is not a part of a graph");
    PartLists lists{header_.vertices,
                    header_.edges,
                    sections_.touch<EdgeId>(offsets, threads).data(),
                    sections_.touch<VertexId>(targets, threads).data(),
                    nullptr,
                    part()->*range};
    if (header_.weighted) lists.weight = sections_.touch<Weight>(weights, threads).data();
    return lists;
  }

  DegreeSummary degrees(std::size_t which) {
    return sections_.touch<DegreeSummary>(SectionId::Degrees, 1)[which];
  }

  MappedSections sections_;
  LabelTable labels_;
  Header header_;
  std::vector<SectionInfo> infos_;
  std::optional<MappedPages> out_pages_, in_pages_;
  std::optional<MappedNarrow> out_narrow_, in_narrow_;
};

}  // namespace

std::shared_ptr<Store> Store::open(const std::string& path) {
  return std::make_shared<MappedStore>(path, Parts::Refused);
}

std::shared_ptr<PartStore> PartStore::open(const std::string& path) {
  return std::make_shared<MappedStore>(path, Parts::Allowed);
}

}  // namespace fathom::store
