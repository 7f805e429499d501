#include "fathom/exec/frontier.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "fathom/core/bits.hpp"
#include "fathom/exec/bitmap.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/exec/replicas.hpp"

namespace fathom {
namespace {

constexpr std::size_t kWordGrain = 1024;  // words per chunk: 64 Ki vertices

std::size_t index(const Device& device) {
  return static_cast<std::size_t>(device.index());
}

}  // namespace

Frontier::Frontier(const Context& ctx, VertexId universe) : ctx_(&ctx), universe_(universe) {}

FrontierRef Frontier::on(const Device& device) const {
  FrontierRef ref{form_, universe_, size_, nullptr, nullptr};
  if (form_ == Form::List) ref.list = list_.data();
  if (form_ == Form::Bitmap) ref.bits = bits_[index(device)].data();
  return ref;
}

void Frontier::clear() {
  form_ = Form::List;
  set_size(0);
}

void Frontier::fill() {
  form_ = Form::All;
  set_size(universe_);
}

void Frontier::assign(std::span<const VertexId> vertices) {
  if (can_list()) {
    ctx_->copy(begin_list(), vertices.data(), vertices.size_bytes());
    end_list(static_cast<VertexId>(vertices.size()), true);
    return;
  }
  begin_bitmap();
  for (const Device& device : ctx_->devices()) {
    Array<VertexId> list(vertices.size(), device.memory());
    ctx_->copy(list.data(), vertices.data(), vertices.size_bytes());
    bitmap::set_listed(*ctx_, device, bits(device), list.data(), list.size());
  }
  end_bitmap(true);
  set_size(static_cast<VertexId>(vertices.size()));
}

void Frontier::make_bitmap() {
  if (form_ == Form::Bitmap) return;
  need_bits();
  for (const Device& device : ctx_->devices()) {
    std::uint64_t* const bits = bits_[index(device)].data();
    if (form_ == Form::All) {
      bitmap::set_all(*ctx_, device, bits, universe_);
    } else {
      bitmap::clear(*ctx_, device, bits, words());
      if (size_ > 0) bitmap::set_listed(*ctx_, device, bits, list_.data(), size_);
    }
  }
  form_ = Form::Bitmap;
}

void Frontier::make_list() {
  if (form_ == Form::List || !can_list()) return;
  if (!counted_) count_bits();
  if (form_ == Form::All) make_bitmap();
  keep_list();
  ctx_->launch(ctx_->devices()[0], [&] {
    const std::uint64_t* bits = bits_[0].data();
    const std::size_t chunks = (words() + kWordGrain - 1) / kWordGrain;
    std::vector<std::size_t> start(chunks + 1, 0);
    parallel_for(ctx_->threads(), words(), kWordGrain,
                 [&](std::size_t first, std::size_t last, int) {
                   std::size_t count = 0;
                   for (std::size_t w = first; w < last; ++w) count += fathom::count_bits(bits[w]);
                   start[first / kWordGrain + 1] = count;
                 });
    for (std::size_t c = 0; c < chunks; ++c) start[c + 1] += start[c];
    parallel_for(
        ctx_->threads(), words(), kWordGrain, [&](std::size_t first, std::size_t last, int) {
          VertexId* out = list_.data() + start[first / kWordGrain];
          for (std::size_t w = first; w < last; ++w)
            for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
              *out++ =
                  static_cast<VertexId>(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
        });
  });
  form_ = Form::List;
}

void Frontier::subtract(const Frontier& other) {
  if (other.form_ == Form::All) return clear();
  make_bitmap();
  for (const Device& device : ctx_->devices()) {
    std::uint64_t* const bits = bits_[index(device)].data();
    const FrontierRef gone = other.on(device);
    if (gone.form == Form::Bitmap)
      bitmap::subtract(*ctx_, device, bits, gone.bits, words());
    else if (gone.size > 0)
      bitmap::clear_listed(*ctx_, device, bits, gone.list, gone.size);
  }
  counted_ = false;
}

void Frontier::unite(const Frontier& other) {
  if (other.form_ == Form::All) return fill();
  make_bitmap();
  for (const Device& device : ctx_->devices()) {
    std::uint64_t* const bits = bits_[index(device)].data();
    const FrontierRef more = other.on(device);
    if (more.form == Form::Bitmap)
      bitmap::unite(*ctx_, device, bits, more.bits, words());
    else if (more.size > 0)
      bitmap::set_listed(*ctx_, device, bits, more.list, more.size);
  }
  counted_ = false;
}

void Frontier::for_each_on_host(FunctionRef<void(std::size_t)> visit) const {
  if (form_ == Form::All) {
    for (std::size_t v = 0; v < universe_; ++v) visit(v);
  } else if (form_ == Form::List) {
    Array<VertexId> host(size_, ctx_->host_memory());
    ctx_->copy(host.data(), list_.data(), host.size() * sizeof(VertexId));
    for (const VertexId v : host) visit(v);
  } else {
    Array<std::uint64_t> host(words(), ctx_->host_memory());
    ctx_->copy(host.data(), bits_[0].data(), words() * 8);
    for (std::size_t w = 0; w < words(); ++w)
      for (std::uint64_t word = host[w]; word != 0; word &= word - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }
}

void Frontier::for_each_piece_on_host(
    FunctionRef<void(std::size_t place, std::span<const VertexId> vertices)> visit) const {
  constexpr std::size_t kPiece = kWordGrain * 64;
  Array<std::uint64_t> copy;
  const std::uint64_t* bits = nullptr;
  if (form_ == Form::Bitmap) {
    bits = bits_[0].data();
    if (ctx_->separate()) {
      copy = Array<std::uint64_t>(words(), ctx_->host_memory());
      ctx_->copy(copy.data(), bits, words() * 8);
      bits = copy.data();
    }
  } else if (form_ ==
             Form::List) {  // of one replica, and then there is little to be done by pieces
    std::vector<VertexId> all(size_);
    ctx_->copy(all.data(), list_.data(), all.size() * sizeof(VertexId));
    std::sort(all.begin(), all.end());
    return visit(0, all);
  }
  const std::size_t pieces = (words() + kWordGrain - 1) / kWordGrain;
  std::vector<std::size_t> place(pieces + 1, 0);
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::size_t first = p * kWordGrain, last = std::min(words(), first + kWordGrain);
    std::size_t count = bits ? 0 : std::min<std::size_t>(kPiece, universe_ - p * kPiece);
    if (bits)
      for (std::size_t w = first; w < last; ++w) count += fathom::count_bits(bits[w]);
    place[p + 1] = place[p] + count;
  }
  parallel_for(ctx_->threads(), pieces, 1, [&](std::size_t from, std::size_t to, int) {
    std::vector<VertexId> vertices;
    for (std::size_t p = from; p < to; ++p) {
      if (place[p] == place[p + 1]) continue;
      vertices.clear();
      if (!bits)
        for (std::size_t v = p * kPiece; vertices.size() < place[p + 1] - place[p]; ++v)
          vertices.push_back(static_cast<VertexId>(v));
      const std::size_t last = bits ? std::min(words(), (p + 1) * kWordGrain) : 0;
      for (std::size_t w = p * kWordGrain; w < last; ++w)
        for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
          vertices.push_back(
              static_cast<VertexId>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
      visit(place[p], vertices);
    }
  });
}

void Frontier::keep_list() {
  if (can_list() && list_.size() < universe_)
    list_ = Array<VertexId>(universe_, ctx_->devices()[0].memory());
}

VertexId* Frontier::begin_list() {
  keep_list();
  return list_.data();
}

void Frontier::end_list(VertexId size, bool equal) {
  form_ = Form::List;
  set_size(size);
  if (!equal && ctx_->ranks() > 1) merge_lists();
}

void Frontier::begin_bitmap() {
  clear();
  make_bitmap();
}

std::uint64_t* Frontier::bits(const Device& device) {
  return bits_[index(device)].data();
}

void Frontier::end_bitmap(bool equal) {
  form_ = Form::Bitmap;
  counted_ = false;
  if (equal) return;
  if (bits_.size() > 1) merge_bits();
  if (ctx_->ranks() > 1) merge_ranks();
}

void Frontier::merge_bits() {
  std::vector<void*> at;
  for (auto& replica : bits_) at.push_back(replica.data());
  if (merge_on_gpus(*ctx_, at, words(), ScalarKind::Uint64, MergeRule::Or)) return;
  Array<std::uint64_t> into(words(), 0, ctx_->host_memory());
  Array<std::uint64_t> from(words(), ctx_->host_memory());
  for (const auto& replica : bits_) {
    ctx_->copy(from.data(), replica.data(), words() * 8);
    for (std::size_t w = 0; w < words(); ++w) into[w] |= from[w];
  }
  for (auto& replica : bits_) ctx_->copy(replica.data(), into.data(), words() * 8);
}

std::vector<std::size_t> Frontier::places_of(std::size_t mine) const {
  std::vector<std::size_t> place(static_cast<std::size_t>(ctx_->ranks()) + 1, 0);
  ctx_->group().all_gather(&mine, sizeof mine, place.data() + 1);
  for (std::size_t r = 1; r < place.size(); ++r) place[r] += place[r - 1];
  return place;
}

/// Whether ids of all ranks together are cheaper to tell than the bits of all vertices: a rank
/// sends its ids to each other rank, and of bits, however many ranks there are, nearly twice all.
bool Frontier::few_enough(std::size_t ids) const {
  return ids * sizeof(VertexId) <= 2 * words() * 8;
}

namespace {

/// From ids of each rank to those of all, where `all` has room for them and this rank's in place.
void gather_ids(const Context& ctx, std::span<VertexId> all, std::vector<std::size_t> place) {
  const auto rank = static_cast<std::size_t>(ctx.group().rank());
  const std::span<const VertexId> mine = all.subspan(place[rank], place[rank + 1] - place[rank]);
  for (std::size_t& at : place) at *= sizeof(VertexId);
  ctx.group().all_gather(std::as_bytes(mine), place, all.data());
}

/// Sets the bits of these; returns how many were not set.
VertexId set_bits(std::span<const VertexId> vertices, std::uint64_t* bits) {
  VertexId added = 0;
  for (const VertexId v : vertices) {
    std::uint64_t& word = bits[v / 64];
    const std::uint64_t bit = std::uint64_t{1} << v % 64;
    added += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  }
  return added;
}

}  // namespace

/// Ranks that found few vertices tell which; otherwise all bits are told (docs/adr/0032).
void Frontier::merge_ranks() {
  if (bits_.size() == 1 &&
      merge_ranks_on_gpus(*ctx_, bits_[0].data(), words(), ScalarKind::Uint64, MergeRule::Or)) {
    counted_ = false;
    return;
  }
  Array<std::uint64_t> copy;
  std::uint64_t* bits = bits_[0].data();
  if (ctx_->separate()) {
    copy = Array<std::uint64_t>(words(), ctx_->host_memory());
    ctx_->copy(copy.data(), bits, words() * 8);
    bits = copy.data();
  }
  count_bits();
  const std::vector<std::size_t> place = places_of(size_);
  if (!few_enough(place.back())) {
    ctx_->group().all_reduce(bits, words(), ScalarKind::Uint64, MergeRule::Or);
    counted_ = false;
  } else if (place.back() > 0) {
    Array<VertexId> all(place.back(), ctx_->host_memory());
    VertexId* id = all.data() + place[static_cast<std::size_t>(ctx_->group().rank())];
    VertexId* const end = id + size_;
    for (std::size_t w = 0; id < end; ++w)
      for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
        *id++ = static_cast<VertexId>(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    gather_ids(*ctx_, all.span(), place);
    set_size(size_ + set_bits(all.span(), bits));
  }
  if (ctx_->separate())
    for (auto& replica : bits_) ctx_->copy(replica.data(), bits, words() * 8);
}

/// The same of lists, which stay lists while sorting them costs less than the bits of all vertices.
void Frontier::merge_lists() {
  constexpr VertexId kVerticesPerListed = 1024;
  const std::size_t mine = size_;
  const std::vector<std::size_t> place = places_of(mine);
  const std::size_t count = place.back();
  if (count == 0) return;
  if (!few_enough(count)) {
    make_bitmap();
    return merge_ranks();
  }
  // Lists and bits are in the device's memory, which may be apart.
  Array<VertexId> all(count, ctx_->host_memory());
  ctx_->copy(all.data() + place[static_cast<std::size_t>(ctx_->group().rank())], list_.data(),
             mine * sizeof(VertexId));
  gather_ids(*ctx_, all.span(), place);
  if (count <= universe_ / kVerticesPerListed + 64 && count <= universe_) {
    std::sort(all.begin(), all.end());
    VertexId* const end = std::unique(all.begin(), all.end());
    set_size(static_cast<VertexId>(end - all.begin()));
    return ctx_->copy(list_.data(), all.data(), size_ * sizeof(VertexId));
  }
  make_bitmap();
  std::uint64_t* const bits = bits_[0].data();
  if (!ctx_->separate()) return set_size(size_ + set_bits(all.span(), bits));
  Array<std::uint64_t> copy(words(), ctx_->host_memory());
  ctx_->copy(copy.data(), bits, words() * sizeof *bits);
  set_size(size_ + set_bits(all.span(), copy.data()));
  ctx_->copy(bits, copy.data(), words() * sizeof *bits);
}

void Frontier::need_bits() {
  if (!bits_.empty()) return;
  std::vector<Array<std::uint64_t>> made;  // on all devices or, where one has no room, on none
  for (const Device& device : ctx_->devices()) made.emplace_back(words(), device.memory());
  bits_ = std::move(made);
}

void Frontier::count_bits() const {
  set_size(bitmap::count(*ctx_, ctx_->devices()[0], bits_[0].data(), words()));
}

}  // namespace fathom
