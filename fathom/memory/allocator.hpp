// What a survey of allocators needs of one: a handle that threads call, and an owner of its memory.
// A third allocator takes part by a type that satisfies HeapOwner, in a file of its own.
#pragma once

#include <concepts>
#include <cstdlib>

#include "fathom/memory/host_heap.hpp"

namespace fathom::memory {

template <class A>
concept Allocator = requires(const A& allocator, void* p, std::uint64_t bytes) {
  { allocator.malloc(bytes) } -> std::same_as<void*>;  // null without memory
  { allocator.free(p) } -> std::same_as<void>;
};

template <class O>
concept HeapOwner = requires(O& owner) {
  { owner.manager() } -> Allocator;
  { owner.reset() } -> std::same_as<void>;
}
&&std::constructible_from<O, HeapOptions>;

static_assert(HeapOwner<HostHeap<Ouroboros<SP>>>);

/// The floor: one addition per allocation, and nothing is ever freed.
class BumpHeap {
 public:
  class Handle {
   public:
    Handle(std::byte* base, std::uint64_t bytes, Word& next)
        : base_(base), bytes_(bytes), next_(&next) {}
    void* malloc(std::uint64_t bytes) const {
      const std::uint64_t size = (bytes + 15) / 16 * 16;
      const std::uint64_t at = next_->atomic().fetch_add(size);
      return at + size <= bytes_ ? base_ + at : nullptr;
    }
    void free(void*) const {}

   private:
    std::byte* base_;
    std::uint64_t bytes_;
    Word* next_;
  };

  /// @throws Error(DoesNotFit)
  explicit BumpHeap(const HeapOptions& options) : region_(options) {}
  Handle manager() {
    return {region_.manager().front(), region_.manager().heap().layout.units * kChunkBytes, next_};
  }
  void reset() { next_.value = 0; }

 private:
  HostHeap<Ouroboros<SC>> region_;
  Word next_;
};
static_assert(HeapOwner<BumpHeap>);

/// The system's malloc and free.
class SystemHeap {
 public:
  struct Handle {
    void* malloc(std::uint64_t bytes) const { return std::malloc(bytes); }
    void free(void* p) const { std::free(p); }
  };
  explicit SystemHeap(const HeapOptions&) {}
  Handle manager() const { return {}; }
  void reset() {}
};
static_assert(HeapOwner<SystemHeap>);

}  // namespace fathom::memory
