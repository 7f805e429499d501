#include "fathom/store/narrow/narrow_image.hpp"

#include "fathom/store/narrow/narrowing.hpp"

namespace fathom::store {

NarrowImage narrowed(const CsrView& csr) {
  const Narrowing narrowing(csr, 0, 1);
  NarrowImage image;
  image.words.resize(static_cast<std::size_t>(narrowing.layout().words(csr.edges)));
  narrowing.write(csr, 0, image.words);
  image.values.assign(narrowing.values().begin(), narrowing.values().end());
  image.lists = {
      narrowing.layout(),      csr.vertices, csr.edges, csr.offset, image.words, image.values,
      "narrow lists in memory"};
  return image;
}

}  // namespace fathom::store
