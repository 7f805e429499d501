#include "fathom/store/parts/generate_parts.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/graph/lists/edge_shares.hpp"
#include "fathom/graph/range_build.hpp"
#include "fathom/store/make/graph_output.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/partition.hpp"
#include "fathom/store/section_hash.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {
namespace {

using graph::BuildOptions;
using graph::RangeBuilder;
using graph::SortedRange;

/// The parts that are being written; they appear together, when the graph's fingerprint is known.
using Writers = std::vector<std::unique_ptr<StoreWriter>>;

/// One direction of the lists on its way into all parts, in ascending order.
class ListsOfParts {
 public:
  ListsOfParts(const generate::Generator& generator, const BuildOptions& build, Writers& writers,
               const std::string& directory, Lists which, EdgeId edges)
      : generator_(generator),
        build_(build),
        writers_(writers),
        out_(which == Lists::Out),
        edges_(edges),
        offsets_(directory),
        ranges_(writers.size()) {
    begin(0);
    note_offsets(std::span(&written_, 1));  // which is 0
    while (next_begins() == 0 && current_ + 1 < ranges_.size()) begin(current_ + 1);
  }

  void add(const SortedRange& range) {
    const EdgeId before = written_;
    note_offsets(range.ends());
    const std::uint64_t vertex = vertices_;
    EdgeId at = 0;
    while (current_ + 1 < ranges_.size()) {  // parts that end here
      const auto end = std::lower_bound(range.ends().begin(), range.ends().end(), next_begins());
      if (end == range.ends().end()) break;
      write(range, at, *end - before - at);
      at = *end - before;
      vertices_ = vertex + static_cast<std::uint64_t>(end - range.ends().begin()) + 1;
      begin(current_ + 1);
    }
    write(range, at, range.edges() - at);
    vertices_ = vertex + range.ends().size();
  }

  /// Gives every part the offsets, which are all known.
  void finish() {
    while (current_ + 1 < ranges_.size()) begin(current_ + 1);
    end_part();
    std::vector<std::byte> piece;
    const std::uint64_t bytes = (vertices_ + 1) * sizeof(EdgeId);
    for (const auto& writer : writers_) {
      SectionStream& offsets = writer->section(offsets_id(), bytes);
      for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
        build_.task.check();
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, bytes - at)));
        offsets_.read_at(at, piece);
        offsets.append(std::span<const std::byte>(piece));
        if (writer == writers_.front()) offsets_hash_.append(piece);
      }
      offsets.finish();
    }
  }

  const std::vector<PartRange>& ranges() const { return ranges_; }
  /// After finish(), of out-lists.
  std::uint64_t fingerprint() {
    return content_fingerprint(vertices_, written_, offsets_hash_.finish(), targets_.finish(),
                               generator_.weighted() ? weights_.finish() : 0);
  }

 private:
  SectionId offsets_id() const { return out_ ? SectionId::OutOffsets : SectionId::InOffsets; }
  SectionId targets_id() const { return out_ ? SectionId::OutTargets : SectionId::InTargets; }
  SectionId weights_id() const { return out_ ? SectionId::OutWeights : SectionId::InWeights; }

  /// The least offset of a vertex that the next part begins with.
  EdgeId next_begins() const {
    return graph::share_begins(edges_, static_cast<int>(ranges_.size()),
                               static_cast<int>(std::min(current_ + 1, ranges_.size())));
  }

  void note_offsets(std::span<const EdgeId> offsets) {
    const auto bytes = std::as_bytes(offsets);
    offsets_.write_at(offset_bytes_, bytes);
    offset_bytes_ += bytes.size();
  }

  void end_part() {
    if (!target_) return;
    ranges_[current_].last = static_cast<VertexId>(vertices_);
    ranges_[current_].end = written_;
    target_->finish();
    if (weight_) weight_->finish();
  }

  void begin(std::size_t part) {
    end_part();
    current_ = part;
    ranges_[part].first = static_cast<VertexId>(vertices_);
    ranges_[part].begin = written_;
    StoreWriter& writer = *writers_[part];
    writer.section(offsets_id(), (std::uint64_t{generator_.vertices()} + 1) * sizeof(EdgeId));
    target_ = &writer.section(targets_id());
    weight_ = generator_.weighted() ? &writer.section(weights_id()) : nullptr;
  }

  /// `count` edges of a range from `first` on, into the part.
  void write(const SortedRange& range, EdgeId first, EdgeId count) {
    constexpr std::size_t kGrain = std::size_t{1} << 14, kPerWorker = std::size_t{1} << 16;
    const EdgeId most = kPerWorker * static_cast<EdgeId>(build_.threads);
    for (EdgeId at = 0; at < count; at += most) {
      build_.task.check();
      edge_.resize(static_cast<std::size_t>(std::min(most, count - at)));
      value_.resize(weight_ ? edge_.size() : 0);
      parallel_for(build_.threads, edge_.size(), kGrain, [&](std::size_t i, std::size_t last, int) {
        range.each(first + at + i, last - i,
                   [&](std::size_t k, VertexId, VertexId v) { edge_[i + k] = v; });
        if (!weight_) return;
        const generate::EdgeWeights weigh = generator_.weights();
        range.each(first + at + i, last - i,
                   [&](std::size_t k, VertexId u, VertexId v) { value_[i + k] = weigh(u, v); });
      });
      target_->append(edge_);
      if (weight_) weight_->append(value_);
      if (out_) targets_.append(std::as_bytes(std::span(edge_)));
      if (out_) weights_.append(std::as_bytes(std::span(value_)));
      written_ += edge_.size();
    }
  }

  const generate::Generator& generator_;
  const BuildOptions& build_;
  Writers& writers_;
  bool out_;
  EdgeId edges_;                // in all
  std::uint64_t vertices_ = 0;  // whose lists are in parts that are ended
  EdgeId written_ = 0;
  TempFile offsets_;  // those known so far
  std::uint64_t offset_bytes_ = 0;
  std::vector<PartRange> ranges_;
  std::size_t current_ = 0;
  SectionStream* target_ = nullptr;
  SectionStream* weight_ = nullptr;
  SectionHash offsets_hash_, targets_, weights_;
  std::vector<VertexId> edge_;
  std::vector<Weight> value_;
};

BuildOptions options_of(const generate::Generator& generator, const ConvertOptions& options) {
  BuildOptions build = options.build;
  build.undirected = options.undirected.value_or(false);
  build.weighted = generator.weighted();
  build.memory = data_memory(options.build.memory);
  build.threads = workers_within(build.threads, build.memory / 2);
  // To write with, and to hash.
  build.memory -= static_cast<std::size_t>(build.threads) * kBlockBytes;
  build.memory -= std::min<std::size_t>(build.memory / 2, 4 * kBlockBytes);
  return build;
}

}  // namespace

std::vector<PartLayout> generate_parts(const generate::Generator& generator,
                                       const std::string& directory, std::uint32_t parts,
                                       const ConvertOptions& options) {
  if (options.slotted || options.packed || options.narrow || options.interleave_weights ||
      options.triangle_lists)
    throw Error(ErrorCode::Usage,
                "the lists of parts are in CSR alone, without others beside them");
  const BuildOptions build = options_of(generator, options);
  RangeBuilder builder(
      generator.vertices(), generator.edges(),
      [&](EdgeId first, std::span<Edge> edge) { generator.fill(first, edge); }, build);
  if (builder.passes() == 0)
    throw Error(ErrorCode::DoesNotFit, "the lists of a few vertices have more edges than " +
                                           format_bytes(options.build.memory) + " of memory hold");
  make_part_directory(directory, parts);
  EdgeId edges = builder.records();
  if (build.duplicates != graph::Duplicates::Keep) {
    edges = 0;
    builder.out_lists([&](const SortedRange& range) { edges += range.edges(); });
  }
  Writers writers;
  for (std::uint32_t i = 0; i < parts; ++i)
    writers.push_back(std::make_unique<StoreWriter>(part_path(directory, i, parts)));
  Header header;
  const auto write = [&](Lists which) {
    ListsOfParts lists(generator, build, writers, directory, which, edges);
    const auto add = [&](const SortedRange& range) { lists.add(range); };
    which == Lists::Out ? builder.out_lists(add) : builder.in_lists(add);
    lists.finish();
    if (which == Lists::Out) header.fingerprint = lists.fingerprint();
    return lists.ranges();
  };
  const std::vector<PartRange> out = write(Lists::Out);
  header.vertices = generator.vertices();
  header.edges = edges;
  header.directed = !build.undirected;
  header.weighted = build.weighted;
  header.policies = options.build;
  header.policies.undirected = build.undirected;
  header.policies.weighted = build.weighted;
  header.provenance = options.provenance;
  header.report = builder.report();
  header.symmetric = header.report.happens_symmetric;
  std::vector<PartRange> in(parts);
  if (!build.undirected && build.in_edges) in = write(Lists::In);
  std::vector<PartLayout> made;
  for (std::uint32_t i = 0; i < parts; ++i) {
    made.push_back({i, parts, out[i], in[i]});
    writers[i]->commit(header, nullptr, &made.back());
  }
  return made;
}

}  // namespace fathom::store
