// Graphs over narrow lists. GPUs read these as they are, in their own memory, in host memory over
// the link or in unified memory. Streamed pages come narrow, from host memory or a disk, and are
// widened as they are copied; for the host and for GPUs, in a few slots of host memory. Who reads
// lists without pages elsewhere, and a GPU that streams what host memory has the room for, has all
// of them widened there, while a source is open.
#include <functional>
#include <optional>
#include <utility>

#include "fathom/core/units.hpp"
#include "fathom/residency/encoded/decoding_supply.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/narrow/host_narrow_supply.hpp"
#include "fathom/residency/narrow/narrow_graph.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/cuda/gpu_source.hpp"
#endif

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;

/// Narrow lists of a graph, and where they come from.
struct NarrowOrigin {
  std::string name;                                  // of a file, for messages; else empty
  std::shared_ptr<const void> owner;                 // of all that follows
  std::function<store::NarrowLists()> out;           // checked
  std::function<store::NarrowLists()> in;            // empty: there are none of their own
  std::function<std::optional<CsrView>()> oriented;  // stored ones
  bool alike = false;                                // in-lists are the out-lists
};

/// Widened lists, and who has their offsets.
struct Widened {
  std::shared_ptr<const void> owner;
  store::WidenedLists lists;
  CsrView view;
};

/// The lists of a graph, widened once for all who read them at the same time.
class NarrowSource {
 public:
  NarrowSource(const Context& ctx, NarrowOrigin origin) : ctx_(&ctx), its_(std::move(origin)) {}

  const NarrowOrigin& origin() const { return its_; }

  /// @param weights  false: without, unless they are there already.
  /// @throws Error(DoesNotFit)
  std::shared_ptr<const Widened> widened(bool in, bool weights) {
    in = in && !its_.alike;
    std::weak_ptr<const Widened>& open = in ? in_ : out_;
    if (auto there = open.lock()) return there;
    const store::NarrowLists lists = in ? its_.in() : its_.out();
    auto fresh = std::make_shared<Widened>();
    fresh->owner = its_.owner;
    try {
      fresh->lists = store::widen(lists, ctx_->host_memory(), ctx_->threads(), weights);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      throw Error(ErrorCode::DoesNotFit,
                  (its_.name.empty() ? "" : its_.name + ": ") +
                      "narrow lists are read widened here, " +
                      format_bytes(store::widened_bytes(lists, weights)) + ": " + e.what() +
                      "; streamed (--residency stream) they are read a page at a time");
    }
    fresh->view = {lists.vertices, lists.edges, lists.offset, fresh->lists.target.data(),
                   fresh->lists.weight.empty() ? nullptr : fresh->lists.weight.data()};
    if (weights || !lists.weighted()) open = fresh;
    return fresh;
  }

 private:
  const Context* ctx_;
  NarrowOrigin its_;
  std::weak_ptr<const Widened> out_, in_;
};

std::unique_ptr<EdgeSource> stream_narrow(const Context& ctx, const store::NarrowLists& lists,
                                          const std::shared_ptr<const void>& owner,
                                          const PagingOptions& paging) {
  std::unique_ptr<PageSupply> pages =
      std::make_unique<HostNarrowSupply>(lists, owner, paging.page_bytes);
  // Devices widen what is copied to them.
  if (!ctx.separate()) pages = std::make_unique<DecodingSupply>(ctx, std::move(pages));
  return std::make_unique<PagedSource>(ctx, std::move(pages), paging);
}

std::unique_ptr<EdgeSource> place_narrow(const Context& ctx, NarrowSource& lists, bool in,
                                         const ResidencyOptions& options,
                                         [[maybe_unused]] bool chosen) {
  const NarrowOrigin& its = lists.origin();
  if (options.kind == Kind::Stream && !ctx.on_gpu())
    return stream_narrow(ctx, in ? its.in() : its.out(), its.owner, options.paging);
#if FATHOM_WITH_CUDA
  if (ctx.on_gpu() && ctx.replicas() == 1 && options.kind != Kind::Stream) {
    using Place = GpuSource::Place;
    const auto where = options.kind == Kind::Resident
                           ? (chosen ? Place::DeviceIfRoom : Place::Device)
                       : options.kind == Kind::ZeroCopy ? Place::Host
                                                        : Place::Managed;
    return std::make_unique<GpuSource>(ctx, in ? its.in() : its.out(), its.owner, where,
                                       options.gpu);
  }
#endif
  const auto wide = lists.widened(in, true);
  return detail::place(ctx, wide->view, wide, options);
}

/// Degree-oriented lists and the like, which are made of targets.
std::unique_ptr<EdgeSource> build(const Context& ctx, NarrowSource& lists, detail::BuiltLists which,
                                  bool directed, const ResidencyOptions& options) {
  const NarrowOrigin& its = lists.origin();
  if (which == detail::BuiltLists::Oriented && its.oriented)
    if (const auto stored = its.oriented())
      return detail::place(ctx, *stored, its.owner, detail::oriented_options(ctx, options));
  const auto out = lists.widened(false, false);
  const auto in = directed && its.in ? lists.widened(true, false) : nullptr;
  return detail::build_oriented(ctx, which, out->view, in ? &in->view : nullptr, directed, options);
}

/// Widened in host memory where that has the room, else streamed; GPUs read narrow lists in place.
detail::Resolved resolve_narrow(const Context& ctx, const ResidencyOptions& wanted,
                                const detail::GraphCounts& counts,
                                const store::NarrowLayout& layout) {
  const int directions = counts.directions();
  const std::uint64_t bytes =
      layout.words(counts.edges) * sizeof(std::uint64_t) * static_cast<std::uint64_t>(directions);
  detail::Resolved resolved = detail::resolve(
      ctx, wanted, counts.vertices, detail::stored_lists(ctx, bytes, directions, counts.vertices));
  if (resolved.kind != Kind::Auto) return resolved;
  const std::uint64_t widened = detail::bytes_of_lists(counts.edges, counts.weighted, directions);
  return detail::choose_for_decoded(
      {"widened", widened,
       detail::stored_lists(ctx, widened, directions, counts.vertices).host_room,
       detail::least_stream(counts.vertices, directions, wanted.paging.page_bytes)});
}

/// Whether streamed pages come from a file rather than from host memory, which a GPU needs to have
/// all lists widened.
bool comes_from_disk(const Context& ctx, const detail::GraphCounts& counts,
                     const PagingOptions& paging) {
  if (!ctx.on_gpu() || detail::streams_from_file(paging)) return true;
  const int directions = counts.directions();
  const detail::ListSize widened =
      detail::stored_lists(ctx, detail::bytes_of_lists(counts.edges, counts.weighted, directions),
                           directions, counts.vertices);
  return widened.bytes > widened.host_room;
}

Graph make(const Context& ctx, const detail::GraphCounts& counts, const store::NarrowLayout& layout,
           NarrowOrigin origin, const ResidencyOptions& wanted) {
  ResidencyOptions options = wanted;
  detail::Resolved resolved = resolve_narrow(ctx, wanted, counts, layout);
  options.kind = resolved.kind;
  options.paging.sources = static_cast<std::size_t>(counts.directions());
  auto state = detail::new_state(ctx, counts, options.kind, std::move(resolved.reason));
  // Widened they are a copy in memory already.
  if (!ctx.separate() && options.kind == Kind::Resident) options.kind = Kind::Auto;
  const bool chosen = wanted.kind == Kind::Auto, directed = counts.directed;
  const std::string file = origin.name;
  const auto lists = std::make_shared<NarrowSource>(ctx, std::move(origin));
  state->open_out = [&ctx, lists, options, chosen] {
    return place_narrow(ctx, *lists, false, options, chosen);
  };
  state->open_in = [&ctx, lists, options, chosen] {
    return place_narrow(ctx, *lists, true, options, chosen);
  };
  state->build_by(ctx, [&ctx, lists, directed, options](detail::BuiltLists which) {
    return build(ctx, *lists, which, directed, options);
  });
  if (options.kind == Kind::Stream && !file.empty() && comes_from_disk(ctx, counts, options.paging))
    detail::stream_from_disk(ctx, file, options.paging, *state);
  return Graph(std::move(state));
}

}  // namespace

Graph make_narrow_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                        const ResidencyOptions& options) {
  const store::Header& header = store->header();
  const int threads = ctx.threads();
  NarrowOrigin origin{store->path(),
                      store,
                      [store, threads] { return *store->narrow_out(threads); },
                      {},
                      [store, threads] { return store->oriented(threads); }};
  if (header.symmetric || header.has_in_edges)
    origin.in = [store, threads] { return *store->narrow_in(threads); };
  origin.alike = header.symmetric;
  return make(ctx, detail::GraphCounts::of(header), *header.narrow, std::move(origin), options);
}

Graph make_graph(const Context& ctx, const store::NarrowLists& out, const store::NarrowLists* in,
                 bool directed, const ResidencyOptions& options,
                 const std::shared_ptr<const void>& owner) {
  NarrowOrigin origin{"", owner, [out] { return out; }, {}, {}};
  if (in) origin.in = [its = *in] { return its; };
  return make(ctx, {out.vertices, out.edges, directed, out.weighted(), in != nullptr}, out.layout,
              std::move(origin), options);
}

}  // namespace fathom
