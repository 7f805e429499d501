#include "fathom/residency/parts/part_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "fathom/core/printable.hpp"
#include "fathom/exec/ranks/fail_together.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/parts/part_source.hpp"
#include "fathom/residency/parts/shared_lists.hpp"
#include "fathom/residency/parts/streamed_part.hpp"
#include "fathom/residency/ssd/page_buffer.hpp"
#include "fathom/residency/ssd/ssd_supply.hpp"
#include "fathom/store/field_sections.hpp"
#include "fathom/store/parts/part_files.hpp"

namespace fathom {

using detail::BuiltLists;
using detail::SharedLists;
using store::PartLists;
using store::PartStore;

namespace {

/// What all parts of a graph have alike, and what of this one its neighbours continue.
struct Identity {
  std::uint64_t fingerprint = 0, vertices = 0, edges = 0, kinds = 0;
  std::uint64_t labels = 0;
  std::uint64_t fields = 0;  // of edges, of a whole graph
  store::PartRange out, in;

  bool same_graph(const Identity& other) const {
    return fingerprint == other.fingerprint && vertices == other.vertices && edges == other.edges &&
           kinds == other.kinds && labels == other.labels && fields == other.fields;
  }
};

constexpr std::uint64_t kInEdges = 8;  // among the kinds

Identity identity_of(const store::Header& h, const store::StoreFile& file,
                     const store::PartLayout& part) {
  const std::uint64_t kinds = (h.directed ? 1u : 0u) | (h.weighted ? 2u : 0u) |
                              (h.symmetric ? 4u : 0u) | (h.has_in_edges ? kInEdges : 0u);
  return {h.fingerprint, h.vertices, h.edges, kinds, store::identity_of_labels(file), 0,
          part.out,      part.in};
}

std::shared_ptr<PartStore> open_own(const std::string& directory, std::uint32_t index,
                                    std::uint32_t ranks) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(directory, unknown))
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: is a file, and another rank was given a directory of parts",
                            printable(directory)));
  const std::uint32_t parts = store::parts_in(directory);
  if (parts == 0)
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: has no parts of a graph ({}), as `fathom partition` makes them",
                            printable(directory),
                            std::filesystem::path(store::part_path("", index, ranks)).string()));
  if (parts != ranks && ranks == 1) store::refuse_parts(directory, parts);
  if (parts != ranks)
    throw Error(ErrorCode::Usage,
                fmt::format("{}: has {} parts, and there are {} ranks: {}", printable(directory),
                            parts, ranks, store::part_usage(directory, parts)));
  const std::string path = store::part_path(directory, index, parts);
  if (!std::filesystem::exists(path, unknown) && !unknown)
    throw Error(ErrorCode::BadInput, fmt::format("{}: is missing", printable(path)));
  auto part = PartStore::open(path);
  if (!part->part() || part->part()->index != index || part->part()->parts != parts)
    throw Error(ErrorCode::BadInput, fmt::format("{}: is not part {} of {}, as its name says",
                                                 printable(path), index, parts));
  return part;
}

std::vector<Identity> of_all_ranks(ReplicaGroup& group, const Identity& mine) {
  std::vector<Identity> all(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&mine, sizeof mine, all.data());
  return all;
}

/// Of a file that all ranks see, or of the copies that they have.
void check_same_graph(ReplicaGroup& group, const store::Header& header, const std::string& path) {
  Identity mine;
  fail_together(group, [&] {
    const store::StoreFile file(path);
    mine = identity_of(header, file, {});
    if (header.semantic) mine.fields = store::identity_of_fields(file);
  });
  const Identity first = of_all_ranks(group, mine)[0];
  fail_together(group, [&] {
    if (mine.same_graph(first)) return;
    const std::string what =
        mine.fingerprint != first.fingerprint || mine.vertices != first.vertices
            ? fmt::format(
                  "is another graph than the first rank has (fingerprint {:016x}, not {:016x})",
                  mine.fingerprint, first.fingerprint)
        : mine.labels != first.labels
            ? std::string("has other labels of vertices than the first rank's")
        : (mine.kinds & kInEdges) != (first.kinds & kInEdges)
            ? fmt::format("has {}in-edges, unlike the first rank's",
                          header.has_in_edges ? "" : "no ")
        : mine.fields != first.fields
            ? std::string("has other types or timestamps than the first rank's")
            : std::string("is stored otherwise than the first rank's");
    throw Error(ErrorCode::BadInput,
                fmt::format("rank {}: {} {}", group.rank(), printable(path), what));
  });
}

/// A part among all of them, in order.
void check_among(const std::string& path, const std::vector<Identity>& all, std::size_t rank) {
  const Identity& mine = all[rank];
  if (mine.fingerprint == all[0].fingerprint && mine.labels != all[0].labels)
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: is a part of a graph whose vertices have other labels than those "
                            "of part 0",
                            printable(path)));
  if (!mine.same_graph(all[0]) && mine.fingerprint == all[0].fingerprint)
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: is a part of the same graph as part 0 is, but stored otherwise "
                            "(in-edges, weights or directions)",
                            printable(path)));
  if (!mine.same_graph(all[0]))
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: is a part of another graph than part 0 is (fingerprint {:016x}, "
                            "not {:016x})",
                            printable(path), mine.fingerprint, all[0].fingerprint));
  if (rank == 0) return;
  const Identity& before = all[rank - 1];
  if (mine.out.first != before.out.last || mine.in.first != before.in.last)
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: its lists do not begin where those of part {} end",
                            printable(path), rank - 1));
}

/// On any rank: on another it may be missing, which all have to say.
bool is_directory_somewhere(ReplicaGroup& group, const std::string& path) {
  std::error_code unknown;
  const char mine = std::filesystem::is_directory(path, unknown) ? 1 : 0;
  std::vector<char> all(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&mine, sizeof mine, all.data());
  return std::find(all.begin(), all.end(), 1) != all.end();
}

}  // namespace

std::shared_ptr<store::Store> open_graph(ReplicaGroup& group, const std::string& path) {
  if (!is_directory_somewhere(group, path)) {
    auto store = store::Store::open(path);
    if (group.ranks() > 1) check_same_graph(group, store->header(), path);
    return store;
  }
  std::shared_ptr<PartStore> part;
  Identity mine;
  const auto rank = static_cast<std::uint32_t>(group.rank());
  fail_together(group, [&] {
    part = open_own(path, rank, static_cast<std::uint32_t>(group.ranks()));
    const store::StoreFile file(part->path(), store::Parts::Allowed);
    mine = identity_of(part->header(), file, *part->part());
  });
  const std::vector<Identity> all = of_all_ranks(group, mine);
  fail_together(group, [&] { check_among(part->path(), all, rank); });
  return part;
}

Graph load(const Context& ctx, const std::string& path, const ResidencyOptions& options) {
  return make_graph(ctx, open_graph(ctx.group(), path), options);
}

namespace {

using Kind = ResidencyOptions::Kind;

/// Where the lists of a part are read.
enum class Place { Mapped, Copied, Streamed };

/// @throws Error(Usage) for what parts cannot.
Place place_of(const Context& ctx, const ResidencyOptions& wanted, VertexId vertices) {
  if (ctx.on_gpu())
    throw Error(ErrorCode::Usage,
                "parts of a graph are analysed by processors: --device cpu, not a GPU");
  if (!wanted.paging.ssd.empty())
    throw Error(ErrorCode::Usage,
                "stripes (--ssd) are of whole graphs; a part is streamed from its own file");
  if (wanted.paging.strategy == Strategy::Scalability)
    throw Error(ErrorCode::Usage,
                "strategy s splits the vertex state of one process; ranks have all of it");
  const Kind kind = detail::resolve(ctx, wanted, vertices, {}).kind;
  return kind == Kind::Stream     ? Place::Streamed
         : kind == Kind::Resident ? Place::Copied
                                  : Place::Mapped;
}

/// A part in budgeted memory. @throws Error(DoesNotFit)
struct CopiedPart {
  CopiedPart(const Context& ctx, const PartLists& from)
      : offset(Array<EdgeId>::copy_of({from.offset, std::size_t{from.vertices} + 1},
                                      ctx.host_memory())),
        target(Array<VertexId>::copy_of({from.target, from.range.edges()}, ctx.host_memory())),
        view(from) {
    view.offset = offset.data();
    view.target = target.data();
    if (!from.weight) return;
    weight = Array<Weight>::copy_of({from.weight, from.range.edges()}, ctx.host_memory());
    view.weight = weight.data();
  }
  Array<EdgeId> offset;
  Array<VertexId> target;
  Array<Weight> weight;
  PartLists view;
};

/// Opens the lists of a part for one graph; what may fail on one rank fails on all.
class PartLoader {
 public:
  PartLoader(const Context& ctx, std::shared_ptr<PartStore> part, const ResidencyOptions& wanted)
      : ctx_(&ctx),
        part_(std::move(part)),
        place_(place_of(ctx, wanted, part_->header().vertices)),
        paging_(wanted.paging) {
    const store::Header& header = part_->header();
    paging_.strategy = Strategy::Performance;
    paging_.sources = header.directed && header.has_in_edges ? 2 : 1;
    if (place_ != Place::Streamed) return;
    fail_together(ctx.group(), [&] {
      // Devices of their own are served from host memory, unless a disk is asked for.
      if (!ctx.separate() || detail::streams_from_file(paging_))
        buffer_ = std::make_shared<PageBuffer>(ctx, part_->path(), paging_);
    });
  }

  Place place() const { return place_; }

  /// Where they are mapped.
  PartLists mapped(bool in) const {
    PartLists lists;
    fail_together(ctx_->group(), [&] {
      lists = in ? *part_->part_in(ctx_->threads()) : part_->part_out(ctx_->threads());
    });
    return lists;
  }

  std::unique_ptr<EdgeSource> source(bool in) const {
    if (place_ == Place::Streamed) return buffer_ ? from_disk(in) : streamed(mapped(in), part_);
    if (place_ == Place::Mapped) return in_memory(mapped(in), part_);
    std::shared_ptr<CopiedPart> copy;
    const PartLists lists = mapped(in);
    fail_together(ctx_->group(), [&] { copy = std::make_shared<CopiedPart>(*ctx_, lists); });
    return in_memory(copy->view, copy);
  }

  /// Lists that ranks have made together.
  std::unique_ptr<EdgeSource> source(const std::shared_ptr<SharedLists>& made) const {
    if (ctx_->separate()) return streamed(made->view(), made);
    return std::make_unique<PartSource>(*ctx_, made->view(), made->ranges, made);
  }

 private:
  std::unique_ptr<PartSource> in_memory(const PartLists& lists,
                                        std::shared_ptr<const void> owner) const {
    return std::make_unique<PartSource>(*ctx_, lists, ranges_of_ranks(*ctx_, lists.range),
                                        std::move(owner));
  }

  /// Out of memory, to devices of their own.
  std::unique_ptr<EdgeSource> streamed(const PartLists& lists,
                                       std::shared_ptr<const void> owner) const {
    std::unique_ptr<EdgeSource> source;
    fail_together(ctx_->group(), [&] {
      source = std::make_unique<StreamedPartSource>(
          *ctx_, lists, lists.weight != nullptr,
          PartArraysSupply::of(*ctx_, lists, owner, paging_.page_bytes), paging_,
          [loader = *this, lists, owner] { return loader.in_memory(lists, owner); });
    });
    return source;
  }

  std::unique_ptr<EdgeSource> from_disk(bool in) const {
    const store::Header& header = part_->header();
    const bool out = !in || !header.directed || header.symmetric;
    using enum store::SectionId;
    ListSectionIds sections{out ? OutOffsets : InOffsets, out ? OutTargets : InTargets, {}};
    if (header.weighted) sections.weights = out ? OutWeights : InWeights;
    const store::PartRange range = out ? part_->part()->out : part_->part()->in;
    std::unique_ptr<EdgeSource> source;
    fail_together(ctx_->group(), [&] {
      PartLists lists;
      lists.vertices = header.vertices;
      lists.edges = header.edges;
      lists.offset =
          (out ? part_->out_offsets(ctx_->threads()) : part_->in_offsets(ctx_->threads())).data();
      lists.range = range;
      source = std::make_unique<StreamedPartSource>(
          *ctx_, lists, header.weighted,
          std::make_unique<SsdSupply>(*ctx_, buffer_, sections, paging_.page_bytes, range), paging_,
          [loader = *this, out] { return loader.in_memory(loader.mapped(!out), loader.part_); });
    });
    return source;
  }

  const Context* ctx_;
  std::shared_ptr<PartStore> part_;
  Place place_;
  PagingOptions paging_;
  std::shared_ptr<PageBuffer> buffer_;  // null: pages are not read from the disk
};

}  // namespace

Graph make_part_graph(const Context& ctx, const std::shared_ptr<PartStore>& part,
                      const ResidencyOptions& wanted) {
  if (static_cast<int>(part->part()->parts) != ctx.ranks())
    store::refuse_part(part->path(), *part->part());
  const PartLoader loader(ctx, part, wanted);
  const Kind kind = loader.place() == Place::Streamed ? Kind::Stream
                    : loader.place() == Place::Copied ? Kind::Resident
                                                      : Kind::Auto;
  auto state = detail::new_state(ctx, detail::GraphCounts::of(part->header()), kind,
                                 wanted.kind == Kind::Auto
                                     ? "each rank has a part of the lists"
                                     : "asked for, of the part of the lists that each rank has");
  state->mapped = true;
  state->open_out = [loader] { return loader.source(false); };
  state->open_in = [loader] { return loader.source(true); };
  // Made once: ranks that gave them up at different times could not make them again together.
  const auto made = std::make_shared<std::shared_ptr<SharedLists>>();
  const auto make = [&ctx, part, loader](BuiltLists which) {
    const store::Header& header = part->header();
    const PartLists out = loader.mapped(false);
    if (which == BuiltLists::Reverse) return detail::transpose(ctx, out);
    const bool mutual = which == BuiltLists::Mutual;
    if (mutual) detail::check_mutual_ids(out.vertices);
    if (!header.directed || header.symmetric)
      return detail::orient(ctx, out, mutual ? &out : nullptr, mutual);
    if (header.has_in_edges) {
      const PartLists in = loader.mapped(true);
      return detail::orient(ctx, out, &in, mutual);
    }
    const SharedLists reverse = detail::transpose(ctx, out);
    const PartLists in = reverse.view();
    return detail::orient(ctx, out, &in, mutual);
  };
  state->build_by(ctx, [made, make, loader](BuiltLists which) -> std::unique_ptr<EdgeSource> {
    const bool kept = which == BuiltLists::Oriented;
    auto lists = kept ? *made : nullptr;
    if (!lists) lists = std::make_shared<SharedLists>(make(which));
    if (kept) *made = lists;
    return loader.source(lists);
  });
  return Graph(std::move(state));
}

}  // namespace fathom
