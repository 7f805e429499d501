// Edges past which chunks of vertex state are streamed (GTS, section 4.2: strategy S).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/paged/paging_options.hpp"

namespace fathom {

/// What EdgeSource::split_edges() gives; as long as that source lives.
class FATHOM_API SplitEdges {
 public:
  virtual Strategy strategy() const = 0;
  virtual std::uint32_t chunks_asked() const = 0;
  virtual std::size_t pages() const = 0;
  /// Of streamed pages: bytes of a frame.
  virtual std::size_t frame_bytes(bool weights) const = 0;
  /// Of what each device looks pages up by.
  virtual std::size_t table_bytes() const = 0;
  /// Bytes of a device's memory that the source holds.
  virtual std::size_t held_on(const Device& device) const = 0;
  /// Of these, what gives way to a run that does not read it: all but the tables.
  std::size_t spare_on(const Device& device) const { return held_on(device) - table_bytes(); }

  /// Says whether the vertex state of the algorithm that begins is split: no device then keeps
  /// offsets, and sweep_split() takes the place of sweep() until end_split().
  virtual void begin_split(bool split) = 0;
  virtual void end_split() = 0;
  /// What begin_split() was told last.
  virtual bool was_split() const = 0;
  /// [vertices + 1], in host memory: read when first asked for.
  virtual const EdgeId* host_offsets() = 0;
  /// The number of edges that leave the frontier, by the host's offsets.
  virtual EdgeId degree_sum_on_host(const Frontier& frontier) = 0;

  /// sweep() where vertex state is split: shows all wanted pages to every device, and at most
  /// `most` vertices at a time. Each is fetched once. Lists may be split over passes; an edge is
  /// shown once to each device.
  virtual void sweep_split(const Context& ctx, Frontier& active, const SweepOptions& options,
                           VertexId most, FunctionRef<void(const Pass&)> pass) = 0;

 protected:
  SplitEdges() = default;
  ~SplitEdges() = default;
};

}  // namespace fathom
