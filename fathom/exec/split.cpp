#include "fathom/exec/split.hpp"

#include "fathom/exec/bitmap.hpp"

namespace fathom {

VertexId Split::chunk_size(VertexId vertices, std::uint32_t chunks) {
  const std::uint64_t even = (std::uint64_t{vertices} + chunks - 1) / chunks;
  return static_cast<VertexId>(std::max<std::uint64_t>((even + 63) / 64 * 64, 64));
}

VertexId Split::pass_size(VertexId chunk_size) {
  // Small beside a chunk, so that what is read at sources takes little of what splitting saves;
  // large enough that a copy takes longer than its start.
  constexpr VertexId kMost = VertexId{1} << 20;
  return std::min<VertexId>(kMost, std::max<VertexId>(64, chunk_size / 4));
}

Split::Split(const Context& ctx, VertexId vertices, std::uint32_t chunks)
    : ctx_(&ctx), vertices_(vertices), chunks_(chunks) {
  if (chunks == 0) return;
  if (!ctx.separate() || chunks % ctx.devices().size() != 0)
    throw Error(ErrorCode::Internal, "chunks of vertex state that devices do not share evenly");
  chunk_size_ = chunk_size(vertices, chunks);
  pass_size_ = pass_size(chunk_size_);
}

VertexRange Split::range_of(std::uint32_t chunk) const {
  const std::uint64_t first = std::uint64_t{chunk} * chunk_size_;
  return {static_cast<VertexId>(std::min<std::uint64_t>(first, vertices_)),
          static_cast<VertexId>(std::min<std::uint64_t>(first + chunk_size_, vertices_))};
}

void assign_bits(const Context& ctx, Frontier& frontier, std::span<const std::uint64_t> bits) {
  frontier.begin_bitmap();
  for (const Device& device : ctx.devices())
    ctx.copy(frontier.bits(device), bits.data(), bits.size_bytes());
  frontier.end_bitmap();
}

void assign(Split& split, Frontier& frontier, std::span<const VertexId> vertices) {
  if (!split.on()) return frontier.assign(vertices);
  const Context& ctx = split.context();
  frontier.begin_bitmap();
  for (const Device& device : ctx.devices()) {
    Array<VertexId> list(vertices.size(), device.memory());
    ctx.copy(list.data(), vertices.data(), vertices.size_bytes());
    bitmap::set_listed(ctx, device, frontier.bits(device), list.data(), list.size());
  }
  frontier.end_bitmap();
}

}  // namespace fathom
