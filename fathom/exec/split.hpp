// Split: vertices cut into chunks, so that a device holds the state of one chunk at a time (GTS,
// sections 3.1 and 4.2: WA in W chunks, strategy S).
//
// Chunk i belongs to device i % devices. With more chunks than devices they take turns: an operator
// works in rounds, one chunk per device and round. What of the state a device needs is copied from
// host memory when it is asked for, and back when another chunk takes its place (SplitArray).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"

namespace fathom {

/// State that a Split tells when what devices have changed must be in host memory.
class SplitState {
 public:
  virtual void publish() = 0;

 protected:
  ~SplitState() = default;
};

class FATHOM_API Split {
 public:
  /// Nothing is split: each device has all state.
  explicit Split(const Context& ctx) : ctx_(&ctx) {}
  /// `chunks`: a multiple of the devices, or 0: nothing is split. Chunks are multiples of 64
  /// vertices, so that no two share a word of a bitmap; the last ones may be empty.
  Split(const Context& ctx, VertexId vertices, std::uint32_t chunks);
  Split(const Split&) = delete;
  Split& operator=(const Split&) = delete;

  const Context& context() const { return *ctx_; }
  bool on() const { return chunks_ > 0; }
  std::uint32_t chunks() const { return chunks_; }
  std::uint32_t rounds() const {
    return chunks_ / static_cast<std::uint32_t>(ctx_->devices().size());
  }
  /// The largest chunk, and the most vertices that a pass shows: what devices have room for.
  VertexId chunk_size() const { return chunk_size_; }
  VertexId pass_size() const { return pass_size_; }
  static std::uint64_t chunk_size(std::uint64_t vertices, std::uint32_t chunks);
  static std::uint64_t pass_size(std::uint64_t chunk_size);

  // For operators and arrays.
  void begin_round(std::uint32_t round) { round_ = round; }
  std::uint32_t chunk_on(const Device& device) const {
    return round_ * static_cast<std::uint32_t>(ctx_->devices().size()) +
           static_cast<std::uint32_t>(device.index());
  }
  VertexRange range_of(std::uint32_t chunk) const;
  VertexRange range_on(const Device& device) const { return range_of(chunk_on(device)); }
  std::uint32_t chunk_of(std::size_t v) const {
    return static_cast<std::uint32_t>(v / chunk_size_);
  }
  /// The vertices whose lists the pass under way shows.
  void show(VertexRange shown) { shown_ = shown; }
  VertexRange shown() const { return shown_; }
  void enter(SplitState* state) { states_.push_back(state); }
  void leave(SplitState* state) {
    states_.erase(std::remove(states_.begin(), states_.end(), state), states_.end());
  }
  /// What edges will read at their sources is in host memory afterwards.
  void publish() {
    for (SplitState* state : states_) state->publish();
  }

 private:
  const Context* ctx_;
  VertexId vertices_ = 0, chunk_size_ = 0, pass_size_ = 0;
  std::uint32_t chunks_ = 0, round_ = 0;
  VertexRange shown_;
  std::vector<SplitState*> states_;
};

/// frontier = the vertices of a bitmap in host memory, (universe + 63) / 64 words.
FATHOM_API void assign_bits(const Context& ctx, Frontier& frontier,
                            std::span<const std::uint64_t> bits);

/// frontier = distinct vertices; with split state a bitmap, as lists are as large as what is split.
FATHOM_API void assign(Split& split, Frontier& frontier, std::span<const VertexId> vertices);

}  // namespace fathom
