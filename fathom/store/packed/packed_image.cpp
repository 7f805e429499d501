#include "fathom/store/packed/packed_image.hpp"

#include "fathom/store/narrow/weight_codes.hpp"
#include "fathom/store/packed/pack.hpp"

namespace fathom::store {
namespace {

void pack_weights(std::span<const Weight> weights, PackedImage& image) {
  PackedWeights& its = image.lists.weights;
  WeightCodes codes;
  if (!codes.add(weights)) {
    image.values.assign(weights.begin(), weights.end());
    its.at = reinterpret_cast<const std::byte*>(image.values.data());
    return;
  }
  codes.number();
  image.values = codes.values();
  std::vector<std::uint32_t> code(weights.size());
  if (!codes.codes(weights, code))
    throw Error(ErrorCode::Internal, "a weight that was added has no code");
  its.code_bytes = codes.code_bytes();
  image.codes.resize(weights.size() * its.code_bytes);
  pack_codes(code, its.code_bytes, image.codes.data());
  its.at = image.codes.data();
  its.values = image.values;
}

}  // namespace

PackedImage pack(const CsrView& csr) {
  PackedImage image;
  image.lists.layout.id_bits = packed::id_bits_of(csr.vertices);
  image.lists.vertices = csr.vertices;
  image.lists.edges = csr.edges;
  image.offset.assign(csr.offset, csr.offset + csr.vertices + 1);
  image.lists.offset = image.offset.data();
  image.lists.name = "packed lists in memory";
  packed::GroupPlaces places;
  std::vector<std::uint32_t> group;
  for (EdgeId first = 0; first < csr.edges; first += packed::kGroup) {
    group.clear();
    packed::pack_group({csr.target + first, image.lists.entries_of(first / packed::kGroup)},
                       image.lists.layout.id_bits, group);
    image.words.resize(static_cast<std::size_t>(places.add(group.size())), 0);
    image.index.push_back(image.words.size());
    image.words.insert(image.words.end(), group.begin(), group.end());
  }
  image.index.push_back(places.end());
  image.words.resize(image.words.size() + packed::kPadWords, 0);
  image.lists.index = image.index;
  image.lists.words = image.words.data();
  if (csr.weight && csr.edges > 0) {
    pack_weights({csr.weight, static_cast<std::size_t>(csr.edges)}, image);
    image.lists.layout.code_bytes = image.lists.weights.code_bytes;
  }
  return image;
}

}  // namespace fathom::store
