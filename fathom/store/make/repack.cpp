// Slotted pages take two passes over the lists: record ids name the page of a target, so that all
// pages must be laid out before the first can be written. The first pass reads offsets alone.
#include "fathom/store/make/repack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/make/graph_output.hpp"
#include "fathom/store/make/pack_writer.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/narrow/weight_codes.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"

namespace fathom::store {
namespace {

// Calls visit(degree) for every vertex in order.
template <class Visit>
void each_degree(StoredLists& lists, const Task& task, const Visit& visit) {
  EdgeId last = 0;
  bool begun = false;
  each_offset(lists, task, [&](std::span<const EdgeId> offsets) {
    for (const EdgeId offset : offsets) {
      if (begun) visit(offset - last);
      last = offset;
      begun = true;
    }
  });
}

/// Writes the slotted pages of one direction.
class PageWriter {
 public:
  PageWriter(StoreWriter& writer, StoredLists& lists, const RepackOptions& options,
             std::size_t memory)
      : writer_(writer),
        lists_(lists),
        options_(options),
        layout_(layout_of(*options.slotted, lists.weighted())),
        memory_(memory) {}

  void write(SectionId offsets, SectionId rvt, SectionId pages) {
    plan();
    copy_offsets(offsets);
    const RvtTables tables(rvt_, lists_.vertices());
    SectionStream& out = writer_.section(pages, rvt_.size() * std::uint64_t{layout_.page_bytes});
    out.set_element_bytes(layout_.page_bytes);
    options_.task.begin(name_of(pages), rvt_.size(), "pages");
    const PageEncoder encoder(layout_, rvt_, tables);
    for (std::size_t first = 0; first < rvt_.size(); first += batch_) {
      write_batch(encoder, first, std::min(batch_, rvt_.size() - first), out);
      options_.task.at(std::min(first + batch_, rvt_.size()));
    }
    options_.task.end();
    out.finish();
    SectionStream& table = writer_.section(rvt, rvt_.size() * sizeof(RvtEntry));
    table.append(rvt_);
    table.finish();
  }

 private:
  void plan() {
    auto degrees = [&](const auto& visit) { each_degree(lists_, options_.task, visit); };
    auto pages_of = [&](bool keep) {
      Paginator pages(layout_, keep);
      degrees([&](EdgeId degree) { pages.add(degree); });
      pages.finish();
      return pages;
    };
    const Paginator counted = pages_of(false);
    if (!counted.fits())
      refuse_page_count(*options_.slotted, lists_.weighted(), counted.pages(), degrees);
    constexpr std::size_t kPerPage = sizeof(RvtEntry) + 20;  // and the tables made of it
    // A page, its entries unpacked, and the offsets of its vertices.
    const std::size_t work = 3 * std::size_t{layout_.page_bytes};
    const std::size_t needed = static_cast<std::size_t>(counted.pages()) * kPerPage + work;
    if (needed > memory_)
      throw Error(ErrorCode::DoesNotFit,
                  fmt::format("{} pages of {} need {} of memory to be written; {} are left",
                              format_count(counted.pages()), format_bytes(layout_.page_bytes),
                              format_bytes(needed), format_bytes(memory_)));
    const std::size_t most = 4 * static_cast<std::size_t>(worker_count(options_.threads));
    batch_ = std::min(most, 1 + (memory_ - needed) / work);
    rvt_ = pages_of(true).take();
  }

  void copy_offsets(SectionId id) {
    SectionStream& out =
        writer_.section(id, (std::uint64_t{lists_.vertices()} + 1) * sizeof(EdgeId));
    each_offset(lists_, options_.task, [&](std::span<const EdgeId> piece) { out.append(piece); });
    out.finish();
  }

  void write_batch(const PageEncoder& encoder, std::size_t first, std::size_t count,
                   SectionStream& out) {
    const std::size_t last = first + count - 1;
    const std::uint64_t vertex = rvt_[first].start_vid;
    const std::uint64_t end = rvt_[last].start_vid + slots_of(rvt_, last, lists_.vertices());
    offset_.resize(static_cast<std::size_t>(end - vertex) + 1);
    lists_.offsets(vertex, offset_);
    std::vector<std::size_t> at(count + 1, 0);  // of each page's entries in the batch
    for (std::size_t i = 0; i < count; ++i) at[i + 1] = at[i] + rvt_[first + i].entries;
    target_.resize(at[count]);
    weight_.resize(lists_.weighted() ? at[count] : 0);
    lists_.edges(done_, target_, weight_);
    done_ += at[count];
    bytes_.resize(count * layout_.page_bytes);
    parallel_for(worker_count(options_.threads), count, 1, [&](std::size_t i, std::size_t, int) {
      RvtEntry& e = rvt_[first + i];
      const std::size_t n = e.entries;
      const auto page = std::span(bytes_).subspan(i * layout_.page_bytes, layout_.page_bytes);
      const auto offsets = std::span<const EdgeId>(offset_).subspan(
          static_cast<std::size_t>(e.start_vid - vertex),
          static_cast<std::size_t>(slots_of(rvt_, first + i, lists_.vertices())) + 1);
      encoder.encode(first + i, offsets, std::span<const VertexId>(target_).subspan(at[i], n),
                     weight_.empty() ? std::span<const Weight>()
                                     : std::span<const Weight>(weight_).subspan(at[i], n),
                     page);
      e.checksum = checksum(page);
    });
    out.append(bytes_);
  }

  StoreWriter& writer_;
  StoredLists& lists_;
  const RepackOptions& options_;
  SlottedLayout layout_;
  std::size_t memory_;
  std::size_t batch_ = 1;
  std::vector<RvtEntry> rvt_;
  EdgeId done_ = 0;
  std::vector<EdgeId> offset_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
  std::vector<std::byte> bytes_;
};

void write_csr(StoreWriter& writer, StoredLists& lists, Lists which, const Task& task) {
  ListSections sections(writer, which, lists.vertices(), lists.weighted());
  sections.announce(lists.edges());
  each_offset(lists, task, [&](std::span<const EdgeId> piece) { sections.offsets(piece); });
  each_edge_piece(lists, task, [&](auto target, auto weight) { sections.edges(target, weight); });
  sections.finish();
}

/// Writes the narrow lists of both directions: the in-lists have the weights of the out-lists.
class NarrowWriter {
 public:
  NarrowWriter(StoreWriter& writer, const StoreFile& file, const Task& task)
      : writer_(writer), file_(file), task_(task) {
    const Header& header = file.layout().header;
    if (header.weighted) collect_weights();
    layout_ = narrow_layout(header.vertices, header.weighted, weights_.values().size());
    if (!layout_.weighted()) return;
    SectionStream& values =
        writer.section(SectionId::WeightValues, layout_.values * sizeof(Weight));
    values.append(weights_.values());
    values.finish();
  }

  const NarrowLayout& layout() const { return layout_; }

  void write(Lists which) {
    const auto lists = StoredLists::open(file_, which);
    const bool out = which == Lists::Out;
    SectionStream& offsets =
        writer_.section(out ? SectionId::OutOffsets : SectionId::InOffsets,
                        (std::uint64_t{lists->vertices()} + 1) * sizeof(EdgeId));
    each_offset(*lists, task_, [&](std::span<const EdgeId> piece) { offsets.append(piece); });
    offsets.finish();
    const SectionId id = out ? SectionId::OutEntries : SectionId::InEntries;
    SectionStream& entries =
        writer_.section(id, layout_.words(lists->edges()) * sizeof(std::uint64_t));
    task_.begin(name_of(id), lists->edges(), "edges");
    EdgeId done = 0;
    each_edge_piece(*lists, task_, [&](auto target, auto weight) {
      static_assert(kListPiece % 64 == 0);  // 64 entries take whole words
      code_.resize(weight.size());
      if (!weights_.codes(weight, code_))
        throw_bad_store(file_.path(), "in.weights has a weight that no edge of the out-lists has");
      words_.resize(static_cast<std::size_t>(layout_.words(target.size())) - 1);
      write_entries(layout_, target, code_, words_);
      entries.append(words_);
      task_.at(done += target.size());
    });
    task_.end();
    const std::uint64_t end = 0;
    entries.append(std::span(&end, 1));
    entries.finish();
  }

 private:
  void collect_weights() {
    FoundWeights found = find_weights(*StoredLists::open(file_, Lists::Out), task_);
    if (!found.codes)
      throw Error(ErrorCode::Usage,
                  fmt::format("{}: narrow lists have codes for {} distinct weights, and edges 0 "
                              "to {} have more; without --narrow they stay as they are",
                              file_.path(), format_count(kMostNarrowWeights), found.seen - 1));
    weights_ = *std::move(found.codes);
  }

  StoreWriter& writer_;
  const StoreFile& file_;
  const Task& task_;
  WeightCodes weights_;
  NarrowLayout layout_;
  std::vector<std::uint32_t> code_;
  std::vector<std::uint64_t> words_;
};

}  // namespace

Header repack(const std::string& input, const std::string& output, const RepackOptions& options) {
  if (options.slotted) check_slotted_options(*options.slotted);
  return repack(StoreFile(input), AtomicFile(output), options);
}

Header repack(const StoreFile& file, AtomicFile output, const RepackOptions& options) {
  Header header = file.layout().header;
  check_together(options);
  if (options.interleave_weights && !header.weighted)
    throw Error(ErrorCode::Usage, "interleaved weights were asked for, but there are no weights");
  const bool csr = !options.slotted && !options.packed && !options.narrow;
  if (header.semantic && !csr)
    throw Error(ErrorCode::Usage,
                "edges with types and timestamps are stored in CSR, not slotted, packed or narrow");
  header.provenance = options.provenance;
  header.slotted.reset();
  header.packed.reset();
  header.narrow.reset();
  StoreWriter writer(std::move(output));
  const std::size_t memory = data_memory(options.memory);
  std::optional<NarrowWriter> narrow;
  if (options.narrow) header.narrow = narrow.emplace(writer, file, options.task).layout();
  std::optional<PackWriter> pack;
  if (options.packed) {
    const auto out = StoredLists::open(file, Lists::Out);
    std::optional<WeightCodes> codes;
    if (header.weighted && header.edges > 0) codes = find_weights(*out, options.task).codes;
    pack.emplace(writer, workers_within(options.threads, memory / 2), std::move(codes),
                 options.task);
    header.packed = pack->layout(header.vertices);
  }
  const auto write = [&](Lists which) {
    if (narrow) return narrow->write(which);
    const auto lists = StoredLists::open(file, which);
    if (pack) return pack->write(*lists, which);
    if (!options.slotted) return write_csr(writer, *lists, which, options.task);
    header.slotted = layout_of(*options.slotted, header.weighted);
    PageWriter pages(writer, *lists, options, memory);
    if (which == Lists::Out)
      pages.write(SectionId::OutOffsets, SectionId::OutRvt, SectionId::OutPages);
    else
      pages.write(SectionId::InOffsets, SectionId::InRvt, SectionId::InPages);
  };
  write(Lists::Out);
  if (header.has_in_edges && options.in_edges) write(Lists::In);
  if (pack) pack->write_values();
  if (options.interleave_weights) writer.append_pairs(workers_within(options.threads, memory / 2));
  if (csr)
    for (const SectionId id : {SectionId::OutTypes, SectionId::OutTimes})
      copy_section(file, writer, id);
  for (const SectionId id :
       {SectionId::VertexWeights, SectionId::VertexTypes, SectionId::OrientedOffsets,
        SectionId::OrientedTargets, SectionId::LabelIntegers, SectionId::LabelOffsets,
        SectionId::LabelBytes, SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes,
        SectionId::Permutation}) {
    options.task.check();
    copy_section(file, writer, id);
  }
  return writer.commit(header);
}

}  // namespace fathom::store
