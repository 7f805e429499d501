#include "fathom/exec/split.hpp"

#include "fathom/exec/bitmap.hpp"

namespace fathom {

std::uint64_t Split::chunk_size(std::uint64_t vertices, std::uint32_t chunks) {
  const std::uint64_t even = (vertices + chunks - 1) / chunks;
  return std::max<std::uint64_t>((even + 63) / 64 * 64, 64);
}

std::uint64_t Split::pass_size(std::uint64_t chunk_size) {
  // Small beside a chunk, so that what is read at sources takes little of what splitting saves;
  // large enough that a copy takes longer than its start.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  return std::min(kMost, std::max<std::uint64_t>(64, chunk_size / 4));
}

Split::Split(const Context& ctx, VertexId vertices, std::uint32_t chunks)
    : ctx_(&ctx), vertices_(vertices), chunks_(chunks) {
  if (chunks == 0) return;
  if (!ctx.separate() || chunks % ctx.devices().size() != 0)
    throw Error(ErrorCode::Internal, "chunks of vertex state that devices do not share evenly");
  const std::uint64_t size = chunk_size(vertices, chunks);
  chunk_size_ = static_cast<VertexId>(size);
  pass_size_ = static_cast<VertexId>(pass_size(size));
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
  frontier.end_bitmap(true);
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
  frontier.end_bitmap(true);
}

}  // namespace fathom
