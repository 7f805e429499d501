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
  store::PartRange out, in;

  bool same_graph(const Identity& other) const {
    return fingerprint == other.fingerprint && vertices == other.vertices && edges == other.edges &&
           kinds == other.kinds;
  }
};

constexpr std::uint64_t kInEdges = 8;  // among the kinds

Identity identity_of(const store::Header& h, const store::PartLayout& part) {
  const std::uint64_t kinds = (h.directed ? 1u : 0u) | (h.weighted ? 2u : 0u) |
                              (h.symmetric ? 4u : 0u) | (h.has_in_edges ? kInEdges : 0u);
  return {h.fingerprint, h.vertices, h.edges, kinds, part.out, part.in};
}

std::shared_ptr<PartStore> open_own(const std::string& directory, std::uint32_t index,
                                    std::uint32_t ranks) {
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
  std::error_code unknown;
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
  const Identity mine = identity_of(header, {}), first = of_all_ranks(group, mine)[0];
  fail_together(group, [&] {
    if (mine.same_graph(first)) return;
    const std::string what =
        mine.fingerprint != first.fingerprint || mine.vertices != first.vertices
            ? fmt::format(
                  "is another graph than the first rank has (fingerprint {:016x}, not {:016x})",
                  mine.fingerprint, first.fingerprint)
        : (mine.kinds & kInEdges) != (first.kinds & kInEdges)
            ? fmt::format("has {}in-edges, unlike the first rank's",
                          header.has_in_edges ? "" : "no ")
            : std::string("is stored otherwise than the first rank's");
    throw Error(ErrorCode::BadInput,
                fmt::format("rank {}: {} {}", group.rank(), printable(path), what));
  });
}

/// A part among all of them, in order.
void check_among(const std::string& path, const std::vector<Identity>& all, std::size_t rank) {
  const Identity& mine = all[rank];
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
    mine = identity_of(part->header(), *part->part());
  });
  const std::vector<Identity> all = of_all_ranks(group, mine);
  fail_together(group, [&] { check_among(part->path(), all, rank); });
  return part;
}

Graph load(const Context& ctx, const std::string& path, const ResidencyOptions& options) {
  return make_graph(ctx, open_graph(ctx.group(), path), options);
}

Graph make_part_graph(const Context& ctx, const std::shared_ptr<PartStore>& part,
                      const ResidencyOptions& wanted) {
  if (static_cast<int>(part->part()->parts) != ctx.ranks())
    store::refuse_part(part->path(), *part->part());
  if (ctx.separate())
    throw Error(ErrorCode::Usage,
                "parts of a graph are analysed by processors: --device cpu, without --devices");
  if (wanted.kind != ResidencyOptions::Kind::Auto)
    throw Error(ErrorCode::Usage,
                "the lists of a part are read where they are mapped: there is no --residency");
  auto state = detail::new_state(ctx, detail::GraphCounts::of(part->header()), wanted.kind,
                                 "each rank has a part of the lists");
  state->mapped = true;
  const auto open = [&ctx, part](bool in) {
    PartLists lists;
    fail_together(ctx.group(), [&] {
      lists = in ? *part->part_in(ctx.threads()) : part->part_out(ctx.threads());
    });
    return lists;
  };
  const auto source = [&ctx, part, open](bool in) {
    const PartLists lists = open(in);
    return std::make_unique<PartSource>(ctx, lists, ranges_of_ranks(ctx, lists.range), part);
  };
  state->open_out = [source] { return source(false); };
  state->open_in = [source] { return source(true); };
  // Made once: ranks that gave them up at different times could not make them again together.
  const auto made = std::make_shared<std::shared_ptr<SharedLists>>();
  const auto make = [&ctx, part, open](BuiltLists which) {
    const store::Header& header = part->header();
    const PartLists out = open(false);
    if (which == BuiltLists::Reverse) return detail::transpose(ctx, out);
    const bool mutual = which == BuiltLists::Mutual;
    if (mutual) detail::check_mutual_ids(out.vertices);
    if (!header.directed || header.symmetric)
      return detail::orient(ctx, out, mutual ? &out : nullptr, mutual);
    if (header.has_in_edges) {
      const PartLists in = open(true);
      return detail::orient(ctx, out, &in, mutual);
    }
    const SharedLists reverse = detail::transpose(ctx, out);
    const PartLists in = reverse.view();
    return detail::orient(ctx, out, &in, mutual);
  };
  state->build_by(ctx, [&ctx, made, make](BuiltLists which) -> std::unique_ptr<EdgeSource> {
    const bool kept = which == BuiltLists::Oriented;
    auto lists = kept ? *made : nullptr;
    if (!lists) lists = std::make_shared<SharedLists>(make(which));
    if (kept) *made = lists;
    return std::make_unique<PartSource>(ctx, lists->view(), lists->ranges, lists);
  });
  return Graph(std::move(state));
}

}  // namespace fathom
