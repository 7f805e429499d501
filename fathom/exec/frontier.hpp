// Frontier: the vertices of one superstep, without duplicates, in the memory of every device.
//
// Three forms: all vertices (no storage), a bitmap, or a list. Forms change on demand. With more
// than one device the bitmap is the only stored form, because it is what replicas merge by (or);
// on a GPU too, because it gives ascending order for nothing, which reads over the link need.
#pragma once

#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

/// Vertices [first, last).
struct VertexRange {
  VertexId first = 0, last = 0;
  std::size_t size() const { return std::size_t{last} - first; }
};

/// What kernels see of a frontier; passed by value.
struct FrontierRef {
  enum class Form : std::uint32_t { All, List, Bitmap };
  Form form = Form::All;
  VertexId universe = 0;
  VertexId size = 0;                    // of the list
  const VertexId* list = nullptr;       // [size] when List; any order on CPUs
  const std::uint64_t* bits = nullptr;  // [(universe + 63) / 64] when Bitmap

  /// Bitmap form only.
  FATHOM_HD bool contains(VertexId v) const { return (bits[v >> 6] >> (v & 63) & 1) != 0; }
};

class FATHOM_API Frontier {
 public:
  using Form = FrontierRef::Form;

  /// An empty frontier over vertices [0, universe). Storage is allocated when a form needs it:
  /// universe / 8 bytes for a bitmap, 4 * universe for a list, on each device.
  Frontier(const Context& ctx, VertexId universe);

  VertexId universe() const { return universe_; }
  /// Vertices of a bitmap are counted when first asked for; on a GPU that waits for its kernels.
  VertexId size() const {
    if (!counted_) count_bits();
    return size_;
  }
  bool empty() const { return size() == 0; }
  /// For whoever has counted them while doing something else.
  void set_size(VertexId size) const {
    size_ = size;
    counted_ = true;
  }
  Form form() const { return form_; }
  FrontierRef on(const Device& device) const;

  void clear();
  void fill();  // every vertex
  /// Replaces the content by distinct vertices, each below universe().
  void assign(std::span<const VertexId> vertices);

  /// Changes the form; the content stays. A list made from a bitmap is ascending. make_list() does
  /// nothing with more than one device, or on a GPU.
  void make_bitmap();
  void make_list();
  /// Removes the vertices of `other`.
  void subtract(const Frontier& other);
  /// Adds the vertices of `other`.
  void unite(const Frontier& other);
  /// Calls visit(v) for each vertex, ascending unless a list, with host memory reachable.
  void for_each_on_host(FunctionRef<void(std::size_t)> visit) const;

  /// The same in parallel, a piece at a time: visit(place, vertices), where `place` is how many of
  /// the frontier's vertices come before those of the piece, in ascending order. All forms.
  void for_each_piece_on_host(
      FunctionRef<void(std::size_t place, std::span<const VertexId> vertices)> visit) const;

  // For operators: storage to write the next superstep's vertices into, and the end of writing.
  bool can_list() const { return ctx_->devices().size() == 1 && !ctx_->on_gpu(); }
  bool has_list() const { return can_list() && list_.size() >= universe_; }  // its storage
  void keep_list();        // has that storage from now on, where it can list
  VertexId* begin_list();  // room for universe() vertices
  /// The number written; by this rank, where they are not `equal` on all: with those of others the
  /// frontier may be a bitmap then.
  void end_list(VertexId size, bool equal = false);
  void begin_bitmap();                        // cleared on every device
  std::uint64_t* bits(const Device& device);  // while a bitmap is written
  /// Merges the bitmaps of all devices and ranks, which may be `equal` already.
  void end_bitmap(bool equal = false);

 private:
  std::size_t words() const { return (static_cast<std::size_t>(universe_) + 63) / 64; }
  void need_bits();
  void merge_bits();
  void merge_ranks();
  void merge_lists();
  /// Where each rank's ids begin among those of all, if every rank has so many; [ranks + 1].
  std::vector<std::size_t> places_of(std::size_t mine) const;
  bool few_enough(std::size_t ids) const;
  void count_bits() const;

  const Context* ctx_;
  VertexId universe_;
  mutable VertexId size_ = 0;
  mutable bool counted_ = true;
  Form form_ = Form::List;
  std::vector<Array<std::uint64_t>> bits_;  // per device
  Array<VertexId> list_;                    // on the only device
};

}  // namespace fathom
