// Vertex state that may be split: a VertexArray where it is not, else in host memory with a chunk
// on each device (the WABuf of GTS, section 3.2) and, if edges read it at their sources, the values
// of the vertices that a pass shows (its RABuf).
//
// Invariant: the newest value of v is on a device while that holds v's chunk and has changed it,
// and in host memory otherwise.
#pragma once

#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "fathom/exec/split.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom {

/// Where functors read or write an array: at the vertex itself or the target of an edge alone, or
/// also at the source of an edge. What is read there is at least as old as the operator's start:
/// the same value, or one that the operator has written since.
enum class Use { AtTarget, AtSourceToo };

template <class T, class Merge = MergeNone>
class SplitArray final : private SplitState {
 public:
  /// Uninitialised. `size`: that of the split's vertices, or 0. The split outlives the array.
  /// @throws Error(DoesNotFit)
  SplitArray(Split& split, std::size_t size, Use use = Use::AtTarget)
      : split_(split), size_(size), use_(use), whole_(split.context(), split.on() ? 0 : size) {
    if (!split.on()) return;
    host_ = Array<T>(size, ctx().host_memory());
    for (const Device& device : ctx().devices()) {
      Piece& piece = piece_.emplace_back();
      piece.data = Array<T>(size > 0 ? split.chunk_size() : 0, device.memory());
      if (use == Use::AtSourceToo)
        piece.shown = Array<T>(size > 0 ? split.pass_size() : 0, device.memory());
    }
    split.enter(this);
  }
  SplitArray(Split& split, std::size_t size, T fill, Use use = Use::AtTarget)
      : SplitArray(split, size, use) {
    this->fill(fill);
  }
  ~SplitArray() {
    if (split_.on()) split_.leave(this);
  }
  SplitArray(const SplitArray&) = delete;
  SplitArray& operator=(const SplitArray&) = delete;

  std::size_t size() const { return size_; }

  /// What kernels of `device` use, indexed by vertex: of vertices in the device's chunk alone.
  T* on(const Device& device) {
    if (!split_.on()) return whole_.on(device);
    if (size_ == 0) return nullptr;
    Piece& piece = hold(device);
    piece.changed = true;
    return indexed(piece.data.data(), split_.range_of(piece.chunk).first);
  }
  const T* on(const Device& device) const {
    if (!split_.on()) return whole_.on(device);
    if (size_ == 0) return nullptr;
    const Piece& piece = hold(device);
    return indexed(piece.data.data(), split_.range_of(piece.chunk).first);
  }

  /// The values at the sources of edges: of the vertices that the pass under way shows.
  const T* at_source(const Device& device) const {
    if (!split_.on()) return whole_.on(device);
    Piece& piece = piece_[index(device)];
    const VertexRange shown = split_.shown();
    if (shown.size() > piece.shown.size())
      throw Error(ErrorCode::Internal, "an array is read at sources, and has no room for them");
    ctx().send(device, piece.shown.data(), host_.data() + shown.first, shown.size() * sizeof(T));
    return indexed(piece.shown.data(), shown.first);
  }

  void fill(T value) {
    if (!split_.on()) return whole_.fill(value);
    forget();
    std::fill(host_.begin(), host_.end(), value);
  }
  void assign(std::span<const T> values) {
    if (!split_.on()) return whole_.assign(values);
    forget();
    std::copy(values.begin(), values.end(), host_.begin());
  }
  /// Element i = value(i), by the host; where the state is split.
  template <class Value>
  void generate(const Value& value) {
    forget();
    for (std::size_t i = 0; i < size_; ++i) host_[i] = value(i);
  }
  /// Copies all of another array of the same split and size.
  void assign(const SplitArray& other) {
    if (!split_.on()) {
      for (const Device& d : ctx().devices())
        ctx().copy(whole_.on(d), other.whole_.on(d), size_ * sizeof(T));
      return;
    }
    other.write_back();
    assign(other.host_.span());
  }

  /// Has the host change all values, where the state is split.
  template <class Change>
  void change_on_host(const Change& change) {
    write_back();
    forget();
    change(host_.span());
  }

  void set(std::size_t i, T value) {
    if (!split_.on()) return whole_.set(i, value);
    write_back();
    forget();
    host_[i] = value;
  }
  T get(std::size_t i) const {
    if (!split_.on()) return whole_.get(i);
    write_back();
    return host_[i];
  }

  /// See VertexArray::merge(). Chunks are disjoint: nothing to do where state is split.
  void merge(const Frontier* touched = nullptr) {
    if (!split_.on()) whole_.merge(touched);
  }

  /// The array itself, when nothing is split.
  VertexArray<T, Merge>& whole() { return whole_; }

  /// The values, in host memory.
  Array<T> take() && {
    if (!split_.on()) return std::move(whole_).take();
    write_back();
    return std::move(host_);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Piece {
    Array<T> data;   // [chunk_size]
    Array<T> shown;  // [pass_size]; empty: not read at sources
    std::uint32_t chunk = kNone;
    bool changed = false;
  };

  static std::size_t index(const Device& d) { return static_cast<std::size_t>(d.index()); }
  const Context& ctx() const { return split_.context(); }
  /// Where element 0 would be if data[0] is that of vertex `first`; only compared and indexed.
  static T* indexed(T* data, VertexId first) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) - first * sizeof(T));
  }
  static const T* indexed(const T* data, VertexId first) {
    return indexed(const_cast<T*>(data), first);
  }

  Piece& hold(const Device& device) const {
    Piece& piece = piece_[index(device)];
    const std::uint32_t chunk = split_.chunk_on(device);
    if (piece.chunk == chunk) return piece;
    write_back(piece);
    const VertexRange range = split_.range_of(chunk);
    ctx().copy(piece.data.data(), host_.data() + range.first, range.size() * sizeof(T));
    piece.chunk = chunk;
    return piece;
  }
  void write_back(Piece& piece) const {
    if (!piece.changed) return;
    const VertexRange range = split_.range_of(piece.chunk);
    ctx().copy(host_.data() + range.first, piece.data.data(), range.size() * sizeof(T));
    piece.changed = false;
  }
  void write_back() const {
    for (Piece& piece : piece_) write_back(piece);
  }
  void forget() {
    for (Piece& piece : piece_) {
      piece.chunk = kNone;
      piece.changed = false;
    }
  }
  void publish() override {
    if (use_ == Use::AtSourceToo) write_back();
  }

  Split& split_;
  std::size_t size_;
  Use use_;
  VertexArray<T, Merge> whole_;       // when nothing is split
  mutable Array<T> host_;             // otherwise, with the chunks on the devices
  mutable std::vector<Piece> piece_;  // [devices]
};

}  // namespace fathom
