#include "fathom/residency/slotted/slotted_source.hpp"

#include "fathom/residency/rank_share.hpp"
#include "fathom/residency/slotted/slotted_lists.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {

SlottedSource::SlottedSource(const Context& ctx, store::SlottedLists lists,
                             std::shared_ptr<const void> owner, Place place)
    : EdgeSource(lists.vertices, lists.edges, lists.weighted()),
      ctx_(&ctx),
      lists_(std::move(lists)),
      host_(lists_, std::move(owner)),
      rvt_(lists_.rvt, lists_.vertices),
      tables_(ctx, ctx.devices()[0], rvt_),
      fences_(ctx) {
  if (ctx.devices().size() != 1 || (place == Place::Mapped && ctx.separate()))
    throw Error(ErrorCode::Internal, "slotted pages cannot be in that place");
  load_offsets();
  if (place == Place::Mapped) {
    show_where_they_are();
  } else {
    make_resident();
    for (const auto& memory : host_.host_memory()) fences_.add(memory);
  }
  // Last: no destructor follows what throws.
  offset_handle_ = spare().enlist(
      {[this] { offset_ = {}; }, [this] { return offset_.size() * sizeof(EdgeId); }, nullptr});
}

SlottedSource::~SlottedSource() {
  spare().leave(offset_handle_);
}

SpareMemory& SlottedSource::spare() const {
  return SpareMemory::of(*ctx_->devices()[0].memory());
}

void SlottedSource::load_offsets() {
  Array<EdgeId> loaded(std::size_t{vertices()} + 1, ctx_->devices()[0].memory());
  ctx_->copy(loaded.data(), lists_.offset, loaded.size() * sizeof(EdgeId));
  offset_ = std::move(loaded);
}

void SlottedSource::prepare(const Context&, const SweepOptions&) {
  spare().hold_within_run(offset_handle_);
}

const EdgeId* SlottedSource::offsets(const Device&) {
  spare().hold_within_run(offset_handle_);
  if (offset_.empty()) load_offsets();
  return offset_.data();
}

void SlottedSource::show_where_they_are() {
  auto& at = tables_.page_at();
  parallel_for(ctx_->threads(), pages(), 1, [&](std::size_t p, std::size_t, int) {
    if (lists_.check) lists_.check(p, 1);
    at[p] = lists_.page(p);
  });
}

void SlottedSource::make_resident() {
  const std::size_t bytes = lists_.layout.page_bytes;
  page_ = Array<std::byte>(pages() * bytes, ctx_->devices()[0].memory());
  std::vector<const std::byte*> at(pages());
  for (std::size_t p = 0; p < pages(); ++p) {
    ctx_->task().check();
    if (lists_.check) lists_.check(p, 1);
    at[p] = page_.data() + p * bytes;
    ctx_->copy(page_.data() + p * bytes, lists_.page(p), bytes);
  }
  ctx_->copy(tables_.page_at().data(), at.data(), at.size() * sizeof(at[0]));
}

bool SlottedSource::comes_whole() const {
  return ctx_->ranks() == 1;
}

std::optional<VertexRange> SlottedSource::own_lists() const {
  return share_of_rank(*ctx_, lists_.offset, vertices());
}

std::optional<AnyEdges> SlottedSource::whole(const SweepOptions& options) const {
  if (!comes_whole()) return std::nullopt;
  return tables_.view(lists_.layout, options.first);
}

void SlottedSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                          FunctionRef<void(const Pass&)> pass) {
  // Bitmaps of a GPU are not counted for this.
  if (ctx.on_gpu() ? active.form() == Frontier::Form::List : active.empty()) return;
  if (pages() == 0) return;
  const VertexRange shown = *own_lists();
  if (shown.size() == 0) return;
  pass({ctx.devices()[0], tables_.view(lists_.layout, options.first), shown.first, shown.last});
}

void SlottedSource::sweep_pairs(const Context&, FunctionRef<void(const PairPass&)>) {
  throw Error(ErrorCode::Internal, "pairs of lists were asked of slotted pages");
}

std::unique_ptr<ListReader> SlottedSource::read_lists() {
  return std::make_unique<SlottedListReader>(ctx_->task(), host_, lists_.layout, rvt_,
                                             [this](VertexId v) { return lists_.offset[v]; });
}

}  // namespace fathom
