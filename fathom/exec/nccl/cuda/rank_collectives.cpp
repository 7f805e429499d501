#include "fathom/exec/nccl/cuda/rank_collectives.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/nccl/cuda/nccl_library.hpp"
#include "fathom/exec/nccl/cuda/touched_values.hpp"

namespace fathom::cuda {
namespace {

constexpr std::size_t kPieces = std::size_t{16} << 20;

/// A card among those of all machines.
struct CardName {
  std::array<char, 64> host{};
  std::array<char, 16> card{};
  auto operator<=>(const CardName&) const = default;
};

CardName name_of_card(int ordinal) {
  CardName name;
  ::gethostname(name.host.data(), name.host.size() - 1);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "asking for the name of a card");
  std::copy_n(properties.uuid.bytes, name.card.size(), name.card.begin());
  return name;
}

/// NCCL 2.30 and later may serve several ranks with one card.
bool may_share_cards() {
  const char* const value = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return value && std::string_view(value) == "1";
}

}  // namespace

RankCollectives::RankCollectives(Gpu& gpu, std::shared_ptr<ReplicaGroup> group)
    : gpu_(gpu), group_(std::move(group)) {}

RankCollectives::~RankCollectives() {
  if (!communicator_) return;
  gpu_.settle();
  library_->destroy(communicator_);
}

bool RankCollectives::ready() {
  if (!std::exchange(tried_, true)) connect();
  return communicator_ != nullptr;
}

bool RankCollectives::all_agree(bool mine) {
  std::uint32_t all = mine ? 1 : 0;
  group_->all_reduce(&all, 1, ScalarKind::Uint32, MergeRule::Min);
  return all == 1;
}

bool RankCollectives::cards_differ() {
  std::vector<CardName> all(static_cast<std::size_t>(group_->ranks()));
  const CardName mine = name_of_card(gpu_.ordinal());
  group_->all_gather(&mine, sizeof mine, all.data());
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) == all.end();
}

bool RankCollectives::has_room_for_pieces() {
  try {
    pieces_ = Array<std::byte>(kPieces, gpu_.memory());
    return true;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return false;
  }
}

bool RankCollectives::connect() {
  gpu_.activate();
  if (!cards_differ() && !all_agree(may_share_cards())) {
    why_ = "ranks share a card";
    return false;
  }
  library_ = std::make_unique<NcclLibrary>();
  if (!all_agree(library_->complete())) {
    why_ = NcclLibrary::kNotThere;
    return false;
  }
  if (!all_agree(has_room_for_pieces())) {
    why_ = "a device has no room for what others send";
    return false;
  }
  NcclLibrary::Id id{};
  const bool leads = group_->rank() == 0;
  const int named = leads ? library_->unique_id(&id) : 0;
  if (!all_agree(named == 0)) {
    why_ = leads ? library_->error(named) : "the first rank could not name the group";
    return false;
  }
  group_->broadcast(&id, sizeof id, 0);
  void* made = nullptr;
  const int status = library_->init_rank(&made, group_->ranks(), id, group_->rank());
  if (!all_agree(status == 0)) {
    why_ = status != 0 ? library_->error(status) : "another rank could not connect";
    if (status == 0) library_->destroy(made);
    return false;
  }
  communicator_ = made;
  return true;
}

void RankCollectives::all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule) {
  const auto ranks = static_cast<std::size_t>(group_->ranks());
  group_->note(2 * count * bytes_of(kind) * (ranks - 1) / ranks);
  library_->check(
      library_->all_reduce(values, values, count, NcclLibrary::type_of(kind),
                           NcclLibrary::operation_of(rule), communicator_, gpu_.stream()),
      "merging replicas of ranks");
}

bool RankCollectives::all_reduce_touched(void* values, std::uint64_t count,
                                         const std::uint64_t* bits, std::size_t words,
                                         ScalarKind kind, MergeRule rule) {
  // Counters are first in temporary memory, then values, in whole lines.
  constexpr std::size_t kLine = 256;
  const std::size_t counters =
      (places_of_touched(words) * sizeof(std::uint32_t) + kLine - 1) / kLine * kLine;
  if (counters >= kPieces || count > (kPieces - counters) / bytes_of(kind)) return false;
  std::byte* const packed = pieces_.data() + counters;
  const TouchedValues touched{bits,   words,  bytes_of(kind),
                              values, packed, reinterpret_cast<std::uint32_t*>(pieces_.data())};
  pack_touched(gpu_, touched);
  all_reduce(packed, count, kind, rule);
  unpack_touched(gpu_, touched);
  return true;
}

/// Bits go from everybody to everybody: NCCL has no rule for them. In pieces, of which all ranks'
/// are in temporary memory together.
void RankCollectives::unite(std::uint64_t* bits, std::size_t words) {
  const auto ranks = static_cast<std::size_t>(group_->ranks());
  group_->note(words * sizeof *bits * (ranks - 1));
  const std::size_t piece = std::min(words, kPieces / sizeof *bits / ranks);
  auto* const all = reinterpret_cast<std::uint64_t*>(pieces_.data());
  for (std::size_t first = 0; first < words; first += piece) {
    const std::size_t n = std::min(piece, words - first);
    library_->check(
        library_->all_gather(bits + first, all, n, NcclLibrary::type_of(ScalarKind::Uint64),
                             communicator_, gpu_.stream()),
        "uniting the bits of ranks");
    unite_words(bits + first, all, n, group_->ranks(), gpu_.stream());
  }
}

void RankCollectives::join(
    void* values, std::size_t count, std::size_t size,
    FunctionRef<void(const void* from, std::size_t begin, std::size_t n)> join) {
  const int rank = group_->rank(), ranks = group_->ranks();
  const std::size_t piece = std::min(count, kPieces / size);
  auto* const mine = static_cast<std::byte*>(values);
  // Up the tree: in each step every other rank that is left gives what it has to the one before.
  for (int step = 1; step < ranks; step *= 2) {
    const bool gives = rank % (2 * step) == step;
    const bool takes = rank % (2 * step) == 0 && rank + step < ranks;
    if (!gives && !takes) continue;
    if (gives) group_->note(count * size);
    for (std::size_t first = 0; first < count; first += piece) {
      const std::size_t n = std::min(piece, count - first);
      const int status = gives ? library_->send(mine + first * size, n * size, NcclLibrary::kByte,
                                                rank - step, communicator_, gpu_.stream())
                               : library_->receive(pieces_.data(), n * size, NcclLibrary::kByte,
                                                   rank + step, communicator_, gpu_.stream());
      library_->check(status, "joining replicas of ranks");
      if (takes) join(pieces_.data(), first, n);
    }
  }
  if (rank == 0) group_->note(count * size);
  library_->check(library_->broadcast(values, values, count * size, NcclLibrary::kByte, 0,
                                      communicator_, gpu_.stream()),
                  "joining replicas of ranks");
}

template <class Place, class Bytes>
void RankCollectives::broadcast_each(const char* what, const Place& place, const Bytes& bytes) {
  library_->check(library_->group_start(), what);
  int status = 0;
  for (int r = 0; r < group_->ranks() && status == 0; ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (bytes(at) == 0) continue;
    status = library_->broadcast(place(at), place(at), bytes(at), NcclLibrary::kByte, r,
                                 communicator_, gpu_.stream());
  }
  const int ended = library_->group_end();  // also after a failure: a group must not stay open
  library_->check(status != 0 ? status : ended, what);
}

bool RankCollectives::give(std::size_t size, std::size_t most,
                           FunctionRef<std::size_t(void* at, std::size_t most)> fill,
                           FunctionRef<void(const void* from, std::size_t count)> take) {
  constexpr std::size_t kLine = 256;
  const auto ranks = static_cast<std::size_t>(group_->ranks());
  const auto rank = static_cast<std::size_t>(group_->rank());
  const std::size_t room = kPieces / ranks / kLine * kLine;  // of each rank's list
  const auto list_of = [&](std::size_t r) { return pieces_.data() + r * room; };
  most = std::min(most, room / size);
  const std::size_t mine = fill(list_of(rank), most);
  std::vector<std::size_t> count(ranks);
  group_->all_gather(&mine, sizeof mine, count.data());
  if (std::ranges::max(count) > most) return false;
  group_->note(mine * size * (ranks - 1));
  broadcast_each(
      "giving lists to ranks", [&](std::size_t r) { return list_of(r); },
      [&](std::size_t r) { return count[r] * size; });
  for (std::size_t r = 0; r < ranks; ++r)
    if (r != rank && count[r] > 0) take(list_of(r), count[r]);
  return true;
}

void RankCollectives::share(void* values, std::span<const std::size_t> begin) {
  const auto mine = static_cast<std::size_t>(group_->rank());
  group_->note((begin[mine + 1] - begin[mine]) * static_cast<std::size_t>(group_->ranks() - 1));
  broadcast_each(
      "sharing values of ranks",
      [&](std::size_t r) { return static_cast<std::byte*>(values) + begin[r]; },
      [&](std::size_t r) { return begin[r + 1] - begin[r]; });
}

}  // namespace fathom::cuda
