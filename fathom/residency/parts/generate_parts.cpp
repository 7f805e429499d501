#include "fathom/residency/parts/generate_parts.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/ranks/fail_together.hpp"
#include "fathom/graph/lists/edge_shares.hpp"
#include "fathom/graph/range_build.hpp"
#include "fathom/residency/parts/shared_section_hash.hpp"
#include "fathom/store/make/graph_output.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/partition.hpp"
#include "fathom/store/writer.hpp"

namespace fathom {

using graph::BucketRange;
using graph::BuildOptions;
using graph::RangeBuilder;
using graph::SortedRange;
using store::kBlockBytes;
using store::Lists;
using store::OwnParts;
using store::PartLayout;
using store::PartRange;
using store::SectionId;
using store::SectionStream;
using store::StoreWriter;

namespace {

/// The parts that this rank writes; all appear together, when the graph's fingerprint is known.
using Writers = std::vector<std::unique_ptr<StoreWriter>>;

/// What ranks need to know to make parts together.
struct PartsJob {
  const generate::Generator& generator;
  const BuildOptions& build;
  ReplicaGroup& group;
  const std::string& directory;
  std::uint32_t parts;
  OwnParts own;
  EdgeId edges = 0;  // in all

  /// The least offset of a vertex that a part begins with.
  EdgeId part_begins(std::uint32_t part) const {
    return graph::share_begins(edges, static_cast<int>(parts), static_cast<int>(part));
  }
};

/// One direction of the lists on its way into the parts of this rank, in ascending order. Lists of
/// parts before and behind, which come because buckets have lists of several parts, are left out.
class ListsOfParts {
 public:
  ListsOfParts(const PartsJob& job, Writers& writers, Lists which)
      : job_(job),
        writers_(writers),
        out_(which == Lists::Out),
        offsets_(job.directory),
        ranges_(writers.size()) {}

  void add(const SortedRange& range, EdgeId before) {
    const std::span<const EdgeId> ends = range.ends();
    std::size_t list = 0;
    EdgeId at = before;  // where it begins
    const auto go_to = [&](EdgeId begins) {
      const auto end = std::lower_bound(ends.begin(), ends.end(), begins);
      if (end == ends.end()) return false;
      list = static_cast<std::size_t>(end - ends.begin()) + 1;
      at = *end;
      return true;
    };
    if (!begun_) {
      const EdgeId begins = job_.part_begins(job_.own.first);
      if (begins > 0 && !go_to(begins)) return;
      begin_first(static_cast<std::uint64_t>(range.first_source()) + list, at);
    }
    while (!ended_) {
      const std::size_t from = list;
      const EdgeId begin = at;
      const bool ends_here = part() + 1 < job_.parts && go_to(job_.part_begins(part() + 1));
      if (!ends_here) {
        list = ends.size();
        at = before + range.edges();
      }
      note_offsets(ends.subspan(from, list - from));
      write(range, begin - before, at - begin);
      vertices_ += list - from;
      if (!ends_here) return;
      next();
    }
  }

  /// Gives every part the offsets, of which each rank has those of its lists.
  void finish() {
    if (!begun_ && !ranges_.empty()) begin_first(0, 0);
    while (!ended_ && !ranges_.empty()) next();
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(job_.group.ranks()));
    job_.group.all_gather(&offset_bytes_, sizeof offset_bytes_, sizes.data());
    std::vector<std::byte> piece;
    for (int r = 0; r < job_.group.ranks(); ++r) {
      const std::uint64_t bytes = sizes[static_cast<std::size_t>(r)];
      for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
        job_.build.task.check();
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, bytes - at)));
        if (job_.group.rank() == r) offsets_.read_at(at, piece);
        job_.group.broadcast(piece.data(), piece.size(), r);
        for (const auto& writer : writers_) writer->section(offsets_id()).append(piece);
        offsets_hash_.append(piece);
      }
    }
    for (const auto& writer : writers_) writer->section(offsets_id()).finish();
  }

  const std::vector<PartRange>& ranges() const { return ranges_; }
  /// After finish(), of out-lists.
  std::uint64_t fingerprint() {
    if (!targets_) targets_.emplace(0), weights_.emplace(0);
    const std::uint64_t offsets = offsets_hash_.finish(), targets = targets_->finish(job_.group);
    return store::content_fingerprint(job_.generator.vertices(), job_.edges, offsets, targets,
                                      job_.generator.weighted() ? weights_->finish(job_.group) : 0);
  }

 private:
  SectionId offsets_id() const { return out_ ? SectionId::OutOffsets : SectionId::InOffsets; }
  SectionId targets_id() const { return out_ ? SectionId::OutTargets : SectionId::InTargets; }
  SectionId weights_id() const { return out_ ? SectionId::OutWeights : SectionId::InWeights; }

  /// The current one, of all parts.
  std::uint32_t part() const { return job_.own.first + static_cast<std::uint32_t>(current_); }

  void note_offsets(std::span<const EdgeId> offsets) {
    const auto bytes = std::as_bytes(offsets);
    offsets_.write_at(offset_bytes_, bytes);
    offset_bytes_ += bytes.size();
  }

  void begin_first(std::uint64_t vertex, EdgeId edge) {
    begun_ = true;
    vertices_ = vertex;
    written_ = edge;
    targets_.emplace(edge * sizeof(VertexId));
    weights_.emplace(edge * sizeof(Weight));
    if (job_.own.first == 0) note_offsets(std::span(&edge, 1));  // which is 0
    begin();
    while (part() + 1 < job_.parts && !ended_ && job_.part_begins(part() + 1) == 0) next();
  }

  void begin() {
    ranges_[current_].first = static_cast<VertexId>(vertices_);
    ranges_[current_].begin = written_;
    StoreWriter& writer = *writers_[current_];
    writer.section(offsets_id(), (std::uint64_t{job_.generator.vertices()} + 1) * sizeof(EdgeId));
    target_ = &writer.section(targets_id());
    weight_ = job_.generator.weighted() ? &writer.section(weights_id()) : nullptr;
  }

  /// Ends the current part, and begins the next one of this rank's.
  void next() {
    ranges_[current_].last = static_cast<VertexId>(vertices_);
    ranges_[current_].end = written_;
    target_->finish();
    if (weight_) weight_->finish();
    ended_ = ++current_ == ranges_.size();
    if (!ended_) begin();
  }

  /// `count` edges of a range from `first` on, into the part.
  void write(const SortedRange& range, EdgeId first, EdgeId count) {
    constexpr std::size_t kGrain = std::size_t{1} << 14, kPerWorker = std::size_t{1} << 16;
    const EdgeId most = kPerWorker * static_cast<EdgeId>(job_.build.threads);
    for (EdgeId at = 0; at < count; at += most) {
      job_.build.task.check();
      edge_.resize(static_cast<std::size_t>(std::min(most, count - at)));
      value_.resize(weight_ ? edge_.size() : 0);
      parallel_for(
          job_.build.threads, edge_.size(), kGrain, [&](std::size_t i, std::size_t last, int) {
            range.each(first + at + i, last - i,
                       [&](std::size_t k, VertexId, VertexId v) { edge_[i + k] = v; });
            if (!weight_) return;
            const generate::EdgeWeights weigh = job_.generator.weights();
            range.each(first + at + i, last - i,
                       [&](std::size_t k, VertexId u, VertexId v) { value_[i + k] = weigh(u, v); });
          });
      target_->append(edge_);
      if (weight_) weight_->append(value_);
      if (out_) targets_->append(std::as_bytes(std::span(edge_)));
      if (out_) weights_->append(std::as_bytes(std::span(value_)));
      written_ += edge_.size();
    }
  }

  const PartsJob& job_;
  Writers& writers_;
  bool out_;
  TempFile offsets_;  // where this rank's lists end
  std::uint64_t offset_bytes_ = 0;
  std::vector<PartRange> ranges_;  // of this rank's parts
  bool begun_ = false, ended_ = false;
  std::size_t current_ = 0;
  std::uint64_t vertices_ = 0;  // the first whose list is not in a part yet
  EdgeId written_ = 0;          // the edges before it
  SectionStream* target_ = nullptr;
  SectionStream* weight_ = nullptr;
  store::SectionHash offsets_hash_;
  std::optional<SharedSectionHash> targets_, weights_;
  std::vector<VertexId> edge_;
  std::vector<Weight> value_;
};

BuildOptions options_of(const generate::Generator& generator, const store::ConvertOptions& options,
                        const ReplicaGroup& group) {
  BuildOptions build = options.build;
  build.undirected = options.undirected.value_or(false);
  build.weighted = generator.weighted();
  build.memory = store::data_memory(options.build.memory);
  build.threads = store::workers_within(build.threads, build.memory / 2);
  // To write with, and to hash.
  build.memory -= static_cast<std::size_t>(build.threads) * kBlockBytes;
  const std::size_t blocks = group.ranks() > 1 ? 7 : 4;
  build.memory -= std::min<std::size_t>(build.memory / 2, blocks * kBlockBytes);
  return build;
}

/// What ranks count, added up on all of them.
graph::BuilderShare share_of(ReplicaGroup& group) {
  if (group.ranks() == 1) return {};
  return {group.rank(), group.ranks(), [&group](std::span<std::uint64_t> counts) {
            group.all_reduce(counts.data(), counts.size(), ScalarKind::Uint64, MergeRule::Sum);
          }};
}

/// Edges in the buckets before each, and in all of them, after duplicates are merged.
std::vector<EdgeId> edges_before(RangeBuilder& builder, Lists which, const PartsJob& job) {
  const auto records = which == Lists::Out ? builder.out_records() : builder.in_records();
  const auto sums = [](std::span<const EdgeId> counts) {
    std::vector<EdgeId> before(counts.size() + 1);
    for (std::size_t b = 0; b < counts.size(); ++b) before[b + 1] = before[b] + counts[b];
    return before;
  };
  std::vector<EdgeId> before = sums(records);
  if (job.build.duplicates == graph::Duplicates::Keep) return before;
  const auto bucket_of_share = [&](int share) {
    const EdgeId begins = graph::share_begins(before.back(), job.group.ranks(), share);
    return static_cast<std::size_t>(std::lower_bound(before.begin(), before.end() - 1, begins) -
                                    before.begin());
  };
  const int rank = job.group.rank();
  const bool last = rank + 1 == job.group.ranks();
  const BucketRange mine{bucket_of_share(rank), last ? records.size() : bucket_of_share(rank + 1)};
  std::vector<EdgeId> kept(records.size());
  if (mine.first < mine.last) {
    const auto count = [&](const SortedRange& range) {
      const auto begins = range.bucket_begins();
      for (std::size_t b = 0; b + 1 < begins.size(); ++b)
        kept[range.first_bucket() + b] = begins[b + 1] - begins[b];
    };
    which == Lists::Out ? builder.out_lists(mine, count) : builder.in_lists(mine, count);
  }
  job.group.all_reduce(kept.data(), kept.size(), ScalarKind::Uint64, MergeRule::Sum);
  return sums(kept);
}

/// The buckets that have this rank's lists.
BucketRange own_buckets(const std::vector<EdgeId>& before, const PartsJob& job) {
  if (job.own.first == job.own.last) return {};
  const std::size_t buckets = before.size() - 1;
  // The bucket in which a part begins, behind one of its lists at least unless it is the first.
  const auto bucket_of = [&](std::uint32_t part) {
    const auto at = std::lower_bound(before.begin(), before.end(), job.part_begins(part));
    return at == before.begin() ? std::size_t{0}
                                : static_cast<std::size_t>(at - before.begin()) - 1;
  };
  const auto [first, last] = job.own;
  BucketRange own{first == 0 ? 0 : bucket_of(first),
                  last == job.parts ? buckets : std::min(buckets, bucket_of(last) + 1)};
  own.before = before[own.first];
  own.first_counted = first > 0;
  return own;
}

/// The layouts of all parts from those that each rank has made.
std::vector<PartLayout> of_all_ranks(ReplicaGroup& group, std::uint32_t parts,
                                     const std::vector<PartLayout>& mine) {
  std::vector<std::size_t> begin;
  for (int r = 0; r <= group.ranks(); ++r)
    begin.push_back(store::parts_of_rank(parts, r, group.ranks()).first * sizeof(PartLayout));
  std::vector<PartLayout> all(parts);
  group.all_gather(std::as_bytes(std::span(mine)), begin, all.data());
  return all;
}

}  // namespace

std::vector<PartLayout> generate_parts(const generate::Generator& generator,
                                       const std::string& directory, std::uint32_t parts,
                                       const store::ConvertOptions& options, ReplicaGroup& group) {
  if (options.slotted || options.packed || options.narrow || options.interleave_weights ||
      options.triangle_lists)
    throw Error(ErrorCode::Usage,
                "the lists of parts are in CSR alone, without others beside them");
  const BuildOptions build = options_of(generator, options, group);
  RangeBuilder builder(
      generator.vertices(), generator.edges(),
      [&](EdgeId first, std::span<Edge> edge) { generator.fill(first, edge); }, build,
      share_of(group));
  PartsJob job{generator, build, group,
               directory, parts, store::parts_of_rank(parts, group.rank(), group.ranks())};
  Writers writers;
  fail_together(group, [&] {
    if (builder.passes() == 0)
      throw Error(ErrorCode::DoesNotFit, "the lists of a few vertices have more edges than " +
                                             format_bytes(options.build.memory) +
                                             " of memory hold");
    store::make_part_directory(directory, parts);
  });
  fail_together(group, [&] {
    for (std::uint32_t i = job.own.first; i < job.own.last; ++i)
      writers.push_back(std::make_unique<StoreWriter>(store::part_path(directory, i, parts)));
  });
  store::Header header;
  const auto write = [&](Lists which) {
    std::vector<EdgeId> before;
    if (which == Lists::Out || group.ranks() > 1) {
      before = edges_before(builder, which, job);
      job.edges = before.back();
    }
    const BucketRange buckets = group.ranks() == 1 ? BucketRange{0, builder.out_records().size()}
                                                   : own_buckets(before, job);
    ListsOfParts lists(job, writers, which);
    EdgeId at = buckets.before;
    const auto add = [&](const SortedRange& range) {
      lists.add(range, at);
      at += range.edges();
    };
    which == Lists::Out ? builder.out_lists(buckets, add) : builder.in_lists(buckets, add);
    lists.finish();
    if (which == Lists::Out) header.fingerprint = lists.fingerprint();
    return lists.ranges();
  };
  const std::vector<PartRange> out = write(Lists::Out);
  header.report = builder.report();
  header.vertices = generator.vertices();
  header.edges = job.edges;
  header.directed = !build.undirected;
  header.weighted = build.weighted;
  header.policies = options.build;
  header.policies.undirected = build.undirected;
  header.policies.weighted = build.weighted;
  header.provenance = options.provenance;
  header.symmetric = header.report.happens_symmetric;
  std::vector<PartRange> in(writers.size());
  if (!build.undirected && build.in_edges) in = write(Lists::In);
  fail_together(group, [] {});  // all of them are written
  std::vector<PartLayout> made;
  for (std::uint32_t i = 0; i < writers.size(); ++i) {
    made.push_back({job.own.first + i, parts, out[i], in[i]});
    writers[i]->commit(header, nullptr, &made.back());
  }
  return of_all_ranks(group, parts, made);
}

}  // namespace fathom
