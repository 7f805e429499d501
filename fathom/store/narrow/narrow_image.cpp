#include "fathom/store/narrow/narrow_image.hpp"

#include "fathom/store/narrow/weight_codes.hpp"

namespace fathom::store {

NarrowImage narrowed(const CsrView& csr) {
  NarrowImage image;
  WeightCodes weights;
  std::vector<std::uint32_t> code;
  std::uint64_t distinct = 0;
  if (csr.weight) {
    const std::span all(csr.weight, csr.edges);
    const bool few = weights.add(all);
    weights.number();
    image.values = weights.values();
    distinct = image.values.size() + (few ? 0 : 1);
    code.resize(csr.edges);
    if (few) weights.codes(all, code);
  }
  const NarrowLayout layout = narrow_layout(csr.vertices, csr.weight != nullptr, distinct);
  image.words.resize(static_cast<std::size_t>(layout.words(csr.edges)));
  write_entries(layout, {csr.target, csr.edges}, code,
                std::span(image.words).first(image.words.size() - 1));
  image.lists = {layout,
                 csr.vertices,
                 csr.edges,
                 csr.offset,
                 image.words,
                 image.values,
                 "narrow lists in memory"};
  return image;
}

}  // namespace fathom::store
