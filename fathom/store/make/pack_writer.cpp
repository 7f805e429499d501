#include "fathom/store/make/pack_writer.hpp"

#include <algorithm>
#include <cstring>

#include "fathom/core/parallel.hpp"
#include "fathom/store/packed/packed_sections.hpp"

namespace fathom::store {
namespace {

constexpr std::uint64_t kGroupsPerWorker = 128;

}  // namespace

std::optional<WeightCodes> few_weights(StoredLists& lists, const Task& task) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  if (!lists.weighted() || lists.edges() == 0) return {};
  WeightCodes weights;
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  bool few = true;
  task.begin("distinct weights", lists.edges(), "edges");
  for (EdgeId first = 0; few && first < lists.edges(); first += kPiece) {
    target.resize(static_cast<std::size_t>(std::min<EdgeId>(kPiece, lists.edges() - first)));
    weight.resize(target.size());
    lists.edges(first, target, weight);
    few = weights.add(weight);
    task.at(first + target.size());
  }
  task.end();
  if (!few) return {};
  weights.number();
  return weights;
}

PackWriter::PackWriter(StoreWriter& writer, int workers, std::optional<WeightCodes> weights,
                       Task task)
    : writer_(writer), workers_(workers), weights_(std::move(weights)), task_(std::move(task)) {
  if (weights_) code_bytes_ = weights_->values().size() <= 256 ? 1 : 2;
}

PackedLayout PackWriter::layout(VertexId vertices) const {
  return {packed::id_bits_of(vertices), code_bytes_};
}

void PackWriter::write(StoredLists& lists, Lists which) {
  const PackedSectionIds ids = PackedSectionIds::of(which == Lists::Out);
  id_bits_ = packed::id_bits_of(lists.vertices());
  write_offsets(lists, ids.offsets);
  const EdgeId edges = lists.edges();
  SectionStream& index = writer_.section(
      ids.index, (packed::groups_of(edges) + 1) * std::uint64_t{sizeof(std::uint64_t)});
  SectionStream* weights = nullptr;
  if (lists.weighted()) {
    const std::uint32_t each = code_bytes_ == 0 ? sizeof(Weight) : code_bytes_;
    weights = &writer_.section(code_bytes_ == 0 ? ids.weights : ids.codes, edges * each);
    if (code_bytes_ > 0) weights->set_element_bytes(code_bytes_);
  }
  SectionStream& words = writer_.section(ids.words);
  const std::uint64_t batch = kGroupsPerWorker * static_cast<std::uint64_t>(workers_);
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  end_ = {};
  task_.begin(name_of(ids.words), edges, "edges");
  for (EdgeId first = 0; first < edges; first += batch * packed::kGroup) {
    target.resize(
        static_cast<std::size_t>(std::min<EdgeId>(batch * packed::kGroup, edges - first)));
    weight.resize(weights ? target.size() : 0);
    lists.edges(first, target, weight);
    write_batch(target, words, index);
    if (weights && code_bytes_ == 0) weights->append(weight);
    if (weights && code_bytes_ > 0) write_codes(weight, *weights);
    task_.at(first + target.size());
  }
  task_.end();
  const std::uint64_t end = end_.end();
  index.append(std::span(&end, 1));
  words.append(std::array<std::uint32_t, packed::kPadWords>{});
  for (SectionStream* section : {&index, &words, weights})
    if (section) section->finish();
}

void PackWriter::write_values() {
  if (weights_) writer_.section(SectionId::WeightValues).append(weights_->values());
}

void PackWriter::write_offsets(StoredLists& lists, SectionId id) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const std::uint64_t count = std::uint64_t{lists.vertices()} + 1;
  SectionStream& out = writer_.section(id, count * sizeof(EdgeId));
  std::vector<EdgeId> offset;
  for (std::uint64_t first = 0; first < count; first += kPiece) {
    offset.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, count - first)));
    lists.offsets(first, offset);
    task_.check();
    out.append(offset);
  }
  out.finish();
}

void PackWriter::write_batch(std::span<const VertexId> ids, SectionStream& words,
                             SectionStream& index) {
  groups_.resize(static_cast<std::size_t>(packed::groups_of(ids.size())));
  parallel_for(workers_, groups_.size(), 1, [&](std::size_t g, std::size_t, int) {
    groups_[g].clear();
    const std::size_t first = g * packed::kGroup;
    packed::pack_group(ids.subspan(first, std::min<std::size_t>(packed::kGroup, ids.size() - first)),
                       id_bits_, groups_[g]);
  });
  places_.clear();
  std::vector<std::uint32_t> zeros;
  for (const std::vector<std::uint32_t>& group : groups_) {
    const std::uint64_t before = end_.end();
    places_.push_back(end_.add(group.size()));
    zeros.assign(static_cast<std::size_t>(places_.back() - before), 0);
    words.append(zeros);
    words.append(group);
  }
  index.append(places_);
}

void PackWriter::write_codes(std::span<const Weight> weights, SectionStream& codes) {
  code_.resize(weights.size());
  code_bytes_of_batch_.resize(weights.size() * code_bytes_);
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  parallel_for(workers_, weights.size(), kGrain, [&](std::size_t first, std::size_t last, int) {
    const auto code = std::span(code_).subspan(first, last - first);
    if (!weights_->codes(weights.subspan(first, last - first), code))
      throw Error(ErrorCode::BadInput, "in.weights has a weight that no edge of the out-lists has");
    for (std::size_t i = first; i < last; ++i)  // little-endian
      std::memcpy(code_bytes_of_batch_.data() + i * code_bytes_, &code_[i], code_bytes_);
  });
  codes.append(code_bytes_of_batch_);
}

}  // namespace fathom::store
