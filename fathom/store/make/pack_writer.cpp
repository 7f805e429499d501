#include "fathom/store/make/pack_writer.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/store/packed/packed_sections.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kGroupsPerWorker = 128;

}  // namespace

PackWriter::PackWriter(StoreWriter& writer, int workers, std::optional<WeightCodes> weights,
                       Task task)
    : writer_(writer), workers_(workers), weights_(std::move(weights)), task_(std::move(task)) {
  if (weights_) code_bytes_ = weights_->code_bytes();
}

PackedLayout PackWriter::layout(VertexId vertices) const {
  return {packed::id_bits_of(vertices), code_bytes_};
}

void PackWriter::write(StoredLists& lists, Lists which) {
  path_ = lists.path();
  begin(which, lists.vertices(), lists.weighted(), lists.edges());
  each_offset(lists, task_, [&](std::span<const EdgeId> piece) { offsets(piece); });
  offsets_->finish();
  task_.begin("packing", lists.edges(), "edges");
  EdgeId done = 0;
  const auto add = [&](std::span<const VertexId> target, std::span<const Weight> weight) {
    edges(target, weight);
    task_.at(done += target.size());
  };
  each_edge_piece(lists, task_, add,
                  kGroupsPerWorker * packed::kGroup * static_cast<std::size_t>(workers_));
  task_.end();
  end();
}

void PackWriter::begin(Lists which, VertexId vertices, bool weighted, std::optional<EdgeId> edges) {
  const PackedSectionIds ids = PackedSectionIds::of(which == Lists::Out);
  const auto bytes = [&](std::uint64_t each) {
    return edges ? std::optional(*edges * each) : std::nullopt;
  };
  id_bits_ = packed::id_bits_of(vertices);
  end_ = {};
  rest_.clear();
  offsets_ = &writer_.section(ids.offsets, (std::uint64_t{vertices} + 1) * sizeof(EdgeId));
  words_ = &writer_.section(ids.words);
  index_ = &writer_.section(
      ids.index, edges ? std::optional((packed::groups_of(*edges) + 1) * sizeof(std::uint64_t))
                       : std::nullopt);
  weights_of_edges_ = nullptr;
  if (!weighted) return;
  weights_of_edges_ = code_bytes_ == 0 ? &writer_.section(ids.weights, bytes(sizeof(Weight)))
                                       : &writer_.section(ids.codes, bytes(code_bytes_));
  if (code_bytes_ > 0) weights_of_edges_->set_element_bytes(code_bytes_);
}

void PackWriter::edges(std::span<const VertexId> target, std::span<const Weight> weight) {
  if (rest_.empty() && target.size() % packed::kGroup == 0) {
    write_groups(target);
  } else {
    rest_.insert(rest_.end(), target.begin(), target.end());
    const std::size_t whole = rest_.size() / packed::kGroup * packed::kGroup;
    write_groups(std::span<const VertexId>(rest_).first(whole));
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  if (weights_of_edges_ && code_bytes_ == 0) weights_of_edges_->append(weight);
  if (weights_of_edges_ && code_bytes_ > 0) write_codes(weight);
}

void PackWriter::end() {
  write_groups(rest_);
  const std::uint64_t end = end_.end();
  index_->append(std::span(&end, 1));
  words_->append(std::array<std::uint32_t, packed::kPadWords>{});
  for (SectionStream* section : {offsets_, index_, words_, weights_of_edges_})
    if (section) section->finish();
}

void PackWriter::write_values() {
  if (weights_) writer_.section(SectionId::WeightValues).append(weights_->values());
}

void PackWriter::write_groups(std::span<const VertexId> ids) {
  groups_.resize(static_cast<std::size_t>(packed::groups_of(ids.size())));
  parallel_for(workers_, groups_.size(), 1, [&](std::size_t g, std::size_t, int) {
    groups_[g].clear();
    const std::size_t first = g * packed::kGroup;
    packed::pack_group(
        ids.subspan(first, std::min<std::size_t>(packed::kGroup, ids.size() - first)), id_bits_,
        groups_[g]);
  });
  places_.clear();
  std::vector<std::uint32_t> zeros;
  for (const std::vector<std::uint32_t>& group : groups_) {
    const std::uint64_t before = end_.end();
    places_.push_back(end_.add(group.size()));
    zeros.assign(static_cast<std::size_t>(places_.back() - before), 0);
    words_->append(zeros);
    words_->append(group);
  }
  index_->append(places_);
}

void PackWriter::write_codes(std::span<const Weight> weights) {
  code_.resize(weights.size());
  code_bytes_of_batch_.resize(weights.size() * code_bytes_);
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  parallel_for(workers_, weights.size(), kGrain, [&](std::size_t first, std::size_t last, int) {
    const auto code = std::span(code_).subspan(first, last - first);
    if (!weights_->codes(weights.subspan(first, last - first), code))
      throw_bad_store(path_, "in.weights has a weight that no edge of the out-lists has");
    pack_codes(code, code_bytes_, code_bytes_of_batch_.data() + first * code_bytes_);
  });
  weights_of_edges_->append(code_bytes_of_batch_);
}

}  // namespace fathom::store
