// The arrays that edges are placed in for a GPU, made from what the host has.
#pragma once

#include <cstddef>
#include <cstring>

#include "fathom/exec/context.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/store/narrow/narrowing.hpp"

namespace fathom::detail {

/// How an array of the edges is made from the host's.
struct Entries {
  const CsrView& csr;
  const InterleavedEdges::Pair* pairs;  // may be null
  const store::NarrowLists* narrow;     // may be null
  const store::Narrowing* narrowing;    // null: the host has the narrow words
  enum class Form { Target, WideTarget, Weight, Pair, Narrow } form;

  /// Of a unit that is written whole: an entry, or a word of narrow ones.
  std::size_t unit() const {
    switch (form) {
      case Form::Target:
        return sizeof(VertexId);
      case Form::Pair:
        return sizeof(InterleavedEdges::Pair);
      case Form::Weight:
        return sizeof(Weight);
      case Form::WideTarget:
      case Form::Narrow:
        break;
    }
    return sizeof(std::uint64_t);
  }
  std::size_t bytes() const {
    return (form == Form::Narrow ? narrow->layout.words(csr.edges) : csr.edges) * unit();
  }
  /// Where the host has them in this form; null.
  const void* there() const {
    return form == Form::Target                 ? static_cast<const void*>(csr.target)
           : form == Form::Weight               ? csr.weight
           : form == Form::Pair                 ? static_cast<const void*>(pairs)
           : form == Form::Narrow && !narrowing ? narrow->words.data()
                                                : nullptr;
  }
  /// Bytes [begin, end), at borders of units.
  void write(std::size_t begin, std::size_t end, std::byte* to) const {
    const EdgeId first = begin / unit(), count = (end - begin) / unit();
    switch (form) {
      case Form::WideTarget:
        for (EdgeId i = 0; i < count; ++i)
          reinterpret_cast<std::uint64_t*>(to)[i] = csr.target[first + i];
        return;
      case Form::Pair:
        if (pairs) break;
        for (EdgeId i = 0; i < count; ++i)
          reinterpret_cast<InterleavedEdges::Pair*>(to)[i] = {csr.target[first + i],
                                                              csr.weight[first + i]};
        return;
      case Form::Narrow:
        if (!narrowing) break;
        return narrowing->write(csr, first, {reinterpret_cast<std::uint64_t*>(to), count});
      case Form::Target:
      case Form::Weight:
        break;
    }
    std::memcpy(to, static_cast<const std::byte*>(there()) + begin, end - begin);
  }
  /// The same in the memory of a device. @throws Error(DoesNotFit), Error(Interrupted)
  Array<std::byte> on_device(const Context& ctx, const Device& device, std::size_t begin,
                             std::size_t end) const;
};

}  // namespace fathom::detail
