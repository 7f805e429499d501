// New lists are made a part at a time, each as large as the memory bound allows: a part takes one
// sequential read of the old lists, whatever the permutation, and no temporary files.
#include "fathom/store/make/permute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "fathom/core/array.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/field_sections.hpp"
#include "fathom/store/make/graph_output.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kVertexPiece = std::size_t{1} << 16;
constexpr std::size_t kGrain = 256;

/// A weight as an unsigned number in the same order.
constexpr std::uint32_t ordered(Weight w) {
  const auto bits = std::bit_cast<std::uint32_t>(w);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}
constexpr Weight weight_of(std::uint32_t ordered) {
  return std::bit_cast<Weight>(ordered >> 31 != 0 ? ordered & 0x7fffffffu : ~ordered);
}

// An edge of a list on its way: its target, and below that its weight and its fields. Sorted as
// numbers they are in the order of a list. Up to kPiece of them are read at once.
struct WithoutFields {
  static constexpr bool kFields = false;
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
};
struct Plain : WithoutFields {
  using Entry = VertexId;
  static Entry entry(VertexId target, Weight, const EdgeFields&) { return target; }
  static VertexId target(Entry e) { return e; }
  static Weight weight(Entry) { return 1; }
};
/// Of ids of any width.
struct WeightedPair : WithoutFields {
  struct Entry {
    VertexId target;
    std::uint32_t weight;
    bool operator<(const Entry& o) const {
      return target != o.target ? target < o.target : weight < o.weight;
    }
  };
  static Entry entry(VertexId target, Weight w, const EdgeFields&) { return {target, ordered(w)}; }
  static VertexId target(Entry e) { return e.target; }
  static Weight weight(Entry e) { return weight_of(e.weight); }
};
/// Of ids of 32 bits.
struct WeightedWord : WithoutFields {
  using Entry = std::uint64_t;
  static Entry entry(VertexId target, Weight w, const EdgeFields&) {
    return Entry{target} << 32 | ordered(w);
  }
  static VertexId target(Entry e) { return static_cast<VertexId>(e >> 32); }
  static Weight weight(Entry e) { return weight_of(static_cast<std::uint32_t>(e)); }
};
using Weighted = std::conditional_t<kIdBits == 32, WeightedWord, WeightedPair>;
struct Semantic {
  static constexpr bool kFields = true;
  static constexpr std::size_t kPiece = WithoutFields::kPiece / 8;
  struct Entry {
    VertexId target;
    std::uint32_t weight;
    EdgeFields fields;
    // NOLINTNEXTLINE(modernize-use-nullptr): the checker reads a 0 of the compiler's as a pointer
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  static Entry entry(VertexId target, Weight w, const EdgeFields& f) {
    return {target, ordered(w), f};
  }
  static VertexId target(const Entry& e) { return e.target; }
  static Weight weight(const Entry& e) { return weight_of(e.weight); }
};

std::size_t kibibytes(std::size_t bytes) {
  return (bytes + 1023) / 1024;
}

/// Writes one direction's lists in the new order.
template <class Kind>
class ListPermuter {
  using Entry = typename Kind::Entry;
  static constexpr std::size_t kPiece = Kind::kPiece;

 public:
  /// `fields` may be null, unless edges have them.
  ListPermuter(StoredLists& lists, StoredEdgeFields* fields, std::span<const VertexId> position,
               const PermuteOptions& options, std::size_t memory)
      : lists_(lists),
        fields_(fields),
        position_(position),
        task_(options.task),
        workers_(workers_within(options.threads, memory / 4)),
        offset_(std::size_t{lists.vertices()} + 1) {
    std::size_t fixed = static_cast<std::size_t>(workers_) * kBlockBytes +  // sections' makers
                        offset_.size() * sizeof(EdgeId) + kVertexPiece * sizeof(EdgeId) +
                        kPiece * (sizeof(VertexId) + sizeof(Weight));
    if (Kind::kFields)
      fixed +=
          kPiece * 2 * sizeof(EdgeFields) + StoredEdgeFields::kBytes + EdgeFieldSections::kBytes;
    place_lists();
    EdgeId longest = 0;
    for (VertexId p = 0; p < lists.vertices(); ++p)
      longest = std::max(longest, offset_[p + 1] - offset_[p]);
    const std::size_t needed = fixed + longest * sizeof(Entry);
    if (needed > memory)
      throw Error(
          ErrorCode::DoesNotFit,
          fmt::format("reordering needs {} of memory beside the permutation, for offsets and "
                      "the longest list; {} are left; at least {} KiB would be needed",
                      format_bytes(needed), format_bytes(memory),
                      kibibytes(options.memory + (needed - memory))));
    most_ = (memory - fixed) / sizeof(Entry);
  }

  /// `fields` as to the constructor.
  void write(ListSections& out, EdgeFieldSections* fields) {
    out.announce(lists_.edges());
    out.offsets(offset_);
    const VertexId n = lists_.vertices();
    task_.begin("reordering lists", lists_.edges(), "edges");
    Array<Entry> part(static_cast<std::size_t>(std::min<EdgeId>(most_, lists_.edges())));
    for (VertexId first = 0; first < n;) {
      const auto past =
          std::upper_bound(offset_.begin() + first, offset_.end(), offset_[first] + most_);
      const auto last = static_cast<VertexId>(past - offset_.begin() - 1);
      fill(part.data(), first, last);
      sort(part.data(), first, last);
      const Entry* made = part.data();
      out.make_edges(
          offset_[last] - offset_[first], workers_,
          [&](EdgeId at, std::span<VertexId> into) {
            for (std::size_t i = 0; i < into.size(); ++i) into[i] = Kind::target(made[at + i]);
          },
          [&](EdgeId at, std::span<Weight> into) {
            for (std::size_t i = 0; i < into.size(); ++i) into[i] = Kind::weight(made[at + i]);
          });
      if constexpr (Kind::kFields)
        fields->append(offset_[last] - offset_[first], workers_,
                       [&](EdgeId i) -> const EdgeFields& { return made[i].fields; });
      task_.at(offset_[last]);
      first = last;
    }
    task_.end();
    out.finish();
    if constexpr (Kind::kFields) fields->finish();
  }

 private:
  /// visit(first vertex, offsets of it and the following ones, one more than there are).
  template <class Visit>
  void each_offsets(const Visit& visit) {
    std::vector<EdgeId> offset;
    for (std::size_t first = 0; first < position_.size(); first += kVertexPiece) {
      offset.resize(std::min(kVertexPiece, position_.size() - first) + 1);
      lists_.offsets(first, offset);
      task_.check();
      visit(static_cast<VertexId>(first), std::span<const EdgeId>(offset));
    }
  }

  /// Where the new lists begin.
  void place_lists() {
    offset_[0] = 0;
    each_offsets([&](VertexId first, std::span<const EdgeId> offset) {
      parallel_for(workers_, offset.size() - 1, kGrain * 64,
                   [&](std::size_t a, std::size_t b, int) {
                     for (std::size_t i = a; i < b; ++i)
                       offset_[std::size_t{position_[first + i]} + 1] = offset[i + 1] - offset[i];
                   });
    });
    for (std::size_t p = 1; p < offset_.size(); ++p) offset_[p] += offset_[p - 1];
  }

  /// Reads all lists; those of new positions [first, last) go to their places.
  void fill(Entry* part, VertexId first, VertexId last) {
    std::vector<VertexId> target;
    std::vector<Weight> weight;
    std::vector<EdgeFields> its(Kind::kFields ? 0 : 1);
    each_offsets([&](VertexId v, std::span<const EdgeId> offset) {
      const EdgeId end = offset.back();
      for (EdgeId at = offset[0]; at < end; at += target.size()) {
        task_.check();
        target.resize(static_cast<std::size_t>(std::min<EdgeId>(kPiece, end - at)));
        weight.resize(lists_.weighted() ? target.size() : 0);
        lists_.edges(at, target, weight);
        if constexpr (Kind::kFields) {
          its.resize(target.size());
          fields_->read(at, its);
        }
        const EdgeId past = at + target.size();
        const auto from = static_cast<std::size_t>(
            std::upper_bound(offset.begin(), offset.end(), at) - offset.begin() - 1);
        const auto to = static_cast<std::size_t>(
            std::lower_bound(offset.begin() + static_cast<std::ptrdiff_t>(from), offset.end(),
                             past) -
            offset.begin());
        parallel_for(workers_, to - from, kGrain, [&](std::size_t a, std::size_t b, int) {
          for (std::size_t i = from + a; i < from + b; ++i) {
            const VertexId p = position_[v + i];
            if (p < first || p >= last) continue;
            const EdgeId e0 = std::max(offset[i], at), e1 = std::min(offset[i + 1], past);
            Entry* into = part + (offset_[p] - offset_[first]) + (e0 - offset[i]);
            for (EdgeId e = e0; e < e1; ++e)
              *into++ = Kind::entry(position_[target[e - at]], weight.empty() ? 1 : weight[e - at],
                                    its[Kind::kFields ? e - at : 0]);
          }
        });
      }
    });
  }

  void sort(Entry* part, VertexId first, VertexId last) {
    parallel_for(workers_, last - first, kGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t p = first + a; p < first + b; ++p)
        std::sort(part + (offset_[p] - offset_[first]), part + (offset_[p + 1] - offset_[first]));
    });
  }

  StoredLists& lists_;
  StoredEdgeFields* fields_;
  std::span<const VertexId> position_;
  const Task& task_;
  int workers_;
  std::vector<EdgeId> offset_;  // of the new lists
  EdgeId most_ = 0;             // edges of a part
};

void permute_lists(StoreWriter& writer, const StoreFile& file, Lists which,
                   std::span<const VertexId> position, const PermuteOptions& options,
                   std::size_t memory) {
  const auto lists = StoredLists::open(file, which);
  ListSections out(writer, which, lists->vertices(), lists->weighted());
  if (which == Lists::Out && file.layout().find(SectionId::OutTypes)) {
    StoredEdgeFields fields(file);
    ListPermuter<Semantic> permuter(*lists, &fields, position, options, memory);
    EdgeFieldSections sections(writer, lists->edges());
    permuter.write(out, &sections);
  } else if (lists->weighted()) {
    ListPermuter<Weighted>(*lists, nullptr, position, options, memory).write(out, nullptr);
  } else {
    ListPermuter<Plain>(*lists, nullptr, position, options, memory).write(out, nullptr);
  }
}

template <class T>
void append_values(StoreWriter& writer, SectionId id, std::span<const T> values) {
  SectionStream& out = writer.section(id, values.size_bytes());
  out.append(values);
  out.finish();
}

/// A section of a value per vertex, if the file has it.
template <class T>
void permute_values(StoreWriter& writer, const StoreFile& file, SectionId id,
                    std::span<const VertexId> position) {
  if (!file.layout().find(id)) return;
  SectionBlocks before(file, id);
  std::vector<T> piece;
  Array<T> now(position.size());
  for (std::size_t first = 0; first < position.size(); first += kVertexPiece) {
    piece.resize(std::min(kVertexPiece, position.size() - first));
    before.read(first * sizeof(T), std::as_writable_bytes(std::span(piece)));
    for (std::size_t i = 0; i < piece.size(); ++i) now[position[first + i]] = piece[i];
  }
  append_values<T>(writer, id, now.span());
}

/// Where each vertex of the new file was before any reordering.
void write_permutation(StoreWriter& writer, const StoreFile& file,
                       std::span<const VertexId> position) {
  if (file.layout().find(SectionId::Permutation))
    return permute_values<VertexId>(writer, file, SectionId::Permutation, position);
  Array<VertexId> now(position.size());
  for (std::size_t v = 0; v < now.size(); ++v) now[position[v]] = static_cast<VertexId>(v);
  append_values<VertexId>(writer, SectionId::Permutation, now.span());
}

void check_permutation(std::span<const VertexId> position, VertexId vertices) {
  if (position.size() != vertices)
    throw Error(ErrorCode::Usage,
                fmt::format("{} positions for {} vertices", position.size(), vertices));
  std::vector<bool> taken(position.size(), false);
  for (const VertexId p : position) {
    if (p >= vertices || taken[p])
      throw Error(
          ErrorCode::Usage,
          fmt::format("position {} {}", p, p < vertices ? "is taken twice" : "is no vertex's"));
    taken[p] = true;
  }
}

/// The new graph in CSR.
Header permute_csr(const StoreFile& file, AtomicFile output, std::span<const VertexId> position,
                   const PermuteOptions& options) {
  const Layout& layout = file.layout();
  Header header = layout.header;
  header.provenance = options.provenance;
  header.slotted.reset();
  header.packed.reset();
  header.narrow.reset();
  check_permute_memory(header.vertices, options.memory);
  const std::size_t memory = data_memory(options.memory) - position.size_bytes();
  StoreWriter writer(std::move(output));
  permute_lists(writer, file, Lists::Out, position, options, memory);
  if (header.has_in_edges) permute_lists(writer, file, Lists::In, position, options, memory);
  permute_values<Weight>(writer, file, SectionId::VertexWeights, position);
  permute_values<std::uint32_t>(writer, file, SectionId::VertexTypes, position);
  write_permutation(writer, file, position);
  if (layout.find(SectionId::OutPairs))
    writer.append_pairs(workers_within(options.threads, memory / 2));
  if (layout.find(SectionId::OrientedOffsets)) {
    graph::BuildOptions sorting;
    sorting.memory = std::min(memory, sorting.memory);
    sorting.threads = options.threads;
    sorting.task = options.task;
    write_oriented_lists(writer, header.vertices, header.symmetric, sorting);
  }
  for (const SectionId id :
       {SectionId::LabelIntegers, SectionId::LabelOffsets, SectionId::LabelBytes,
        SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes}) {
    options.task.check();
    copy_section(file, writer, id);
  }
  return writer.commit(header);
}

/// How the pages of a file were cut.
std::optional<SlottedOptions> slotted_options(const std::string& input) {
  const auto layout = Store::open(input)->header().slotted;
  if (!layout) return {};
  SlottedOptions options;
  options.page_bytes = layout->page_bytes;
  options.pid_bytes = layout->pid_bytes;
  options.slot_bytes = layout->slot_bytes;
  return options;
}

}  // namespace

void check_permute_memory(VertexId vertices, std::size_t memory) {
  const std::size_t bound = data_memory(memory), needed = 3 * sizeof(VertexId) * vertices;
  if (bound < needed)
    throw Error(ErrorCode::DoesNotFit,
                fmt::format("a permutation of {} vertices needs {} of memory; {} are left; at "
                            "least {} KiB would be needed",
                            format_count(vertices), format_bytes(needed), format_bytes(bound),
                            kibibytes(memory + (needed - bound))));
}

Header permute(const std::string& input, const std::string& output,
               std::span<const VertexId> position, const PermuteOptions& options) {
  const StoreFile file(input);
  check_permutation(position, file.layout().header.vertices);
  ConvertOptions repacking;
  repacking.slotted = slotted_options(input);
  repacking.packed = options.packed || file.layout().packed();
  repacking.narrow = !options.packed && file.layout().narrow();
  if (!repacking.slotted && !repacking.packed && !repacking.narrow)
    return permute_csr(file, AtomicFile(output), position, options);
  repacking.build.memory = options.memory;
  repacking.build.threads = options.threads;
  repacking.build.task = options.task;
  repacking.provenance = options.provenance;
  return make_repacked(output, repacking, [&](AtomicFile lists) {
    permute_csr(file, std::move(lists), position, options);
  });
}

Header permute_to_csr(const StoreFile& file, AtomicFile output, std::span<const VertexId> position,
                      const PermuteOptions& options) {
  check_permutation(position, file.layout().header.vertices);
  return permute_csr(file, std::move(output), position, options);
}

}  // namespace fathom::store
