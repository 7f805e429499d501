// Bytes of what a run has, one thing at a time: plan.cpp puts them together.
#pragma once

#include <cstdint>

#include "fathom/plan/plan.hpp"

namespace fathom::plan {

inline constexpr std::uint64_t kDiskUnit = std::uint64_t{1} << 20;  // read and checked at once
inline constexpr std::uint64_t kAlignment = 4096;  // of what is read past the page cache
inline constexpr std::uint64_t kSlack = 1024;      // for what is rounded up

std::uint64_t whole(double bytes);
std::uint64_t all_vertices(double bytes_each, const GraphShape& shape);
/// Whose lists are read.
int directions(const Workload& work);
/// Of the lists that are read, all directions together.
std::uint64_t list_bytes(const GraphShape& shape, const Workload& work);
std::uint64_t offset_bytes(const GraphShape& shape, const Workload& work);

/// Of a plan in the making: answers follow what it has decided so far. Bytes, but for counts.
class PlanSizes {
 public:
  /// Both outlive this.
  PlanSizes(const PlanRequest& request, const Plan& plan) : request_(request), plan_(plan) {}

  /// Of streamed lists. Degree-oriented lists are CSR; only where a file has them are they in pages
  /// of its size.
  std::uint64_t page() const;
  /// Weights of slotted pages are on the same pages.
  std::uint64_t weight_planes() const;
  /// Whether what is read are slotted pages.
  bool slotted_lists() const;
  /// Of one direction.
  std::uint64_t pages_each() const;
  /// Sources that are opened, if only for their offsets.
  std::uint64_t opened() const;
  /// Of one direction.
  std::uint64_t offsets_each() const;
  /// What kernels look streamed pages up by, of all sources that are opened.
  std::uint64_t tables() const;
  /// What slotted pages are walked by, wherever they are.
  std::uint64_t slotted_tables() const;
  /// Streams keep the RVT of slotted pages in host memory, to check them by, the index of packed
  /// lists, to find their groups, and what codes of weights stand for.
  std::uint64_t rvt() const;
  /// Vertex state and frontiers of a device, where edges come in passes.
  std::uint64_t state() const;
  /// The same where all edges are in reach.
  std::uint64_t state_here() const;
  std::uint64_t result() const;
  /// The first or the second, of one host memory, where frontiers are lists too.
  std::uint64_t state_with_lists(bool streamed) const;
  std::uint64_t beside() const;
  /// In host memory, while replicas of several ranks are merged: values, or the ids that all ranks
  /// tell (Frontier::merge_ranks), or hooks. Sums of sweeps are merged in place.
  std::uint64_t merging() const;
  /// Of all threads of a host.
  std::uint64_t workers() const;
  /// What operators of a GPU need beside state.
  std::uint64_t operators() const;
  /// Whether a GPU makes the degree-oriented lists in its memory, as a run decides.
  bool oriented_on_device() const;
  /// Entries of the oriented lists that are read, at most, and whether the store has these.
  std::uint64_t oriented() const;
  bool has_oriented() const;
  /// Degree-oriented lists that the store lacks are else built in host memory: both directions of
  /// every edge are read for it, which count against the budget until that is done where they are
  /// streamed, unpacked, or made of narrow lists.
  std::uint64_t built() const;
  /// What they are built from, as far as it counts, and the degrees they are ordered by.
  std::uint64_t build() const;
  /// In-lists that the graph lacks and a run builds, and what they are built from as far as it
  /// counts, as above.
  std::uint64_t reverse() const;
  std::uint64_t reverse_build() const;
  /// Units of a disk that a page is in, with its weights: packed and narrow ones lie anywhere.
  std::uint64_t units_of_page() const;
  /// The page that a host decodes into, for itself or a GPU; 0 where it does not.
  std::uint64_t slot() const;
  /// Others beside it, of all directions, where a budget leaves so much.
  std::uint64_t more_slots(std::uint64_t room) const;
  /// A bit for each edge of all, of both directions where there are two.
  std::uint64_t kept_bits() const;
  /// What finds kept edges beside these: offsets of mapped lists, or copies that are small; of
  /// streamed ones, how many there are on the pages before each.
  std::uint64_t kept_tables() const;
  /// Copies of the kept edges of all directions, in host memory: what GPUs get.
  std::uint64_t kept_copies() const;
  /// Until it is known how many edges are kept: a bit for each, and a block of fields.
  std::uint64_t finding_kept() const;
  /// Until the kept edges are known: a block of timestamps; or beside the out-lists, which are open
  /// then, a block of targets, and where each in-list goes on.
  std::uint64_t filtering() const;
  /// The targets of one direction of narrow or packed lists, in an array.
  std::uint64_t widened_targets() const;
  /// Arrays in host memory that are made of such lists while they are read.
  std::uint64_t widened() const;
  /// What a GPU finds blocks of packed lists by that it reads in place, beside their index.
  std::uint64_t block_tables() const;
  /// Packed lists of all directions that a GPU reads in place, all that is kept but for offsets.
  std::uint64_t packed_lists() const;
  /// Frames for pairs of degree-oriented lists: both lists of a pair are there as a whole, and
  /// none is longer than sqrt(2 edges). An eighth of what is left stays.
  std::uint64_t pair_frames() const;
  /// Lists of all directions, with their weights, whatever is read of them.
  std::uint64_t all_lists() const;
  /// The same of packed or narrow ones, as arrays.
  std::uint64_t decoded_lists() const;
  /// What the host has for lists of a file: beside them there are offsets and results.
  std::uint64_t host_room() const;
  bool on_gpu() const;
  /// Whether GPUs stream out of the file, as a run decides, rather than out of host memory.
  bool streams_from_file() const;
  /// The least that a file is read through for devices.
  std::uint64_t read_buffer() const;

 private:
  /// Both directions of streamed lists with all edges, while they are mapped.
  std::uint64_t all_mapped() const;
  /// Of one direction, as a residency in the host's memory has it.
  std::uint64_t copy_of_list() const;

  const PlanRequest& request_;
  const Plan& plan_;
};

}  // namespace fathom::plan
