// Loops of the CPU executor over the vertices of a frontier.
#pragma once

#include <bit>

#include "fathom/core/parallel.hpp"
#include "fathom/exec/frontier.hpp"

namespace fathom::cpu {

// Vertices per chunk. Small enough that hubs balance, large enough that the shared cursor is cheap;
// a multiple of 64 so that a worker owns whole words of a bitmap.
inline constexpr std::size_t kVertexGrain = 256;
inline constexpr std::size_t kListGrain = 64;

/// Calls body(word, active, worker) for each 64-vertex word of a bitmap or full frontier that has
/// an active vertex in [first, last); bit i of `active` stands for vertex 64 * word + i. Each word
/// is given to one worker once.
template <class Body>
void for_active_words(int workers, const FrontierRef& frontier, VertexId first, VertexId last,
                      const Body& body) {
  if (first >= last) return;
  const std::size_t first_word = first / 64;
  const std::size_t words = (static_cast<std::size_t>(last) + 63) / 64 - first_word;
  parallel_for(workers, words, kVertexGrain / 64, [&](std::size_t a, std::size_t b, int worker) {
    const Body mine(body);  // what it has by value stays in registers
    for (std::size_t w = first_word + a; w < first_word + b; ++w) {
      std::uint64_t active =
          frontier.form == FrontierRef::Form::All ? ~std::uint64_t{0} : frontier.bits[w];
      if (w == first_word) active &= ~std::uint64_t{0} << (first & 63);
      if (w == last / 64) active &= (std::uint64_t{1} << (last & 63)) - 1;
      if (active != 0) mine(w, active, worker);
    }
  });
}

/// Calls body(v, worker) for each active vertex in [first, last).
template <class Body>
void for_active(int workers, const FrontierRef& frontier, VertexId first, VertexId last,
                const Body& body) {
  if (frontier.form == FrontierRef::Form::List) {
    parallel_for_near(workers, frontier.size, kListGrain,
                      [&](std::size_t a, std::size_t b, int worker) {
                        const Body mine(body);
                        const VertexId* const list = frontier.list;
                        for (std::size_t i = a; i < b; ++i)
                          if (const VertexId v = list[i]; v >= first && v < last) mine(v, worker);
                      });
    return;
  }
  for_active_words(
      workers, frontier, first, last, [body](std::size_t word, std::uint64_t active, int worker) {
        for (; active != 0; active &= active - 1)
          body(
              static_cast<VertexId>(word * 64 + static_cast<std::size_t>(std::countr_zero(active))),
              worker);
      });
}

}  // namespace fathom::cpu
