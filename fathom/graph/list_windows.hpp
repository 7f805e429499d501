// Turns edges that arrive sorted into offsets and lists for a ListSink, a window at a time: all
// workers take part in each, and the result depends on neither their number nor the window's size.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/parallel_each.hpp"
#include "fathom/graph/stream_build.hpp"
#include "fathom/graph/weight_fold.hpp"

namespace fathom::graph {

/// Consecutive edges that the duplicate policy has left.
struct KeptEdges {
  std::span<const VertexId> source, target;
  std::span<const Weight> weight;  // empty when unweighted
  std::size_t first = 0;           // how many of the window come before
};

template <class Record>
class ListWindows {
  static constexpr bool kWeighted = Record::kWeighted;

 public:
  /// The edges of a window that `memory` bytes of a build afford: as many as give each worker
  /// several blocks of a file to write, if they can.
  static std::size_t window_for(std::size_t memory, int workers) {
    constexpr std::size_t kShare = 32, kEnough = std::size_t{1} << 20;
    return std::clamp(memory / kShare / kBytesPerEdge, kLeastPiece,
                      kEnough * static_cast<std::size_t>(workers));
  }
  static std::size_t bytes_of(std::size_t window) { return window * kBytesPerEdge; }

  /// `duplicates`: Keep for edges that have none. `input`: what messages call their origin.
  ListWindows(ListSink& sink, VertexId vertices, Duplicates duplicates, std::string input,
              std::size_t window, int workers)
      : sink_(sink),
        vertices_(vertices),
        duplicates_(duplicates),
        input_(std::move(input)),
        workers_(workers),
        piece_(std::clamp(window / static_cast<std::size_t>(4 * workers), kLeastPiece, kMostPiece)),
        source_(window),
        target_(window),
        weight_(kWeighted ? window : 0),
        starts_(window),
        open_fold_(duplicates, input_) {
    offset_.reserve(kOffsets);
    put_offset(0);
  }

  /// The next edges, at most a window of them. each(edges, worker) gets those that are known to be
  /// kept now, in several pieces, concurrently; prepare(n) before says how many they are.
  /// @throws Error(BadInput) for an endpoint >= vertices.
  template <class Prepare, class Each>
  void take(std::span<const Record> records, const Relabel* relabel, const Prepare& prepare,
            const Each& each) {
    load(records, relabel);
    const std::size_t from = continue_open(records);
    if (from == records.size()) return;
    parts_.clear();
    if (open_) parts_.push_back(the_open_edge());
    const std::size_t last_group =
        duplicates_ == Duplicates::Keep ? records.size() : group_at_end(records);
    keep(records, from, last_group);
    if (duplicates_ != Duplicates::Keep) open_group(records, last_group);
    deliver(prepare, each);
  }

  /// Closes the lists of all vertices. @throws Error(Interrupted).
  template <class Prepare, class Each>
  void finish(const Task& task, const Prepare& prepare, const Each& each) {
    parts_.clear();
    if (open_) parts_.push_back(the_open_edge());
    open_ = false;
    deliver(prepare, each);
    while (next_ <= vertices_) {
      if (offset_.size() == kOffsets) task.check();
      put_offset(edges_);
    }
    sink_.offsets(offset_);
    offset_.clear();
    sink_.finish();
  }

  EdgeId edges() const { return edges_; }

 private:
  static constexpr std::size_t kLeastPiece = std::size_t{1} << 12;
  static constexpr std::size_t kMostPiece = std::size_t{1} << 18;
  static constexpr std::size_t kOffsets = std::size_t{1} << 14;
  static constexpr std::size_t kBytesPerEdge =  // with the record, which whoever merges holds
      sizeof(Record) + 2 * sizeof(VertexId) + (kWeighted ? sizeof(Weight) : 0) +
      sizeof(std::uint32_t);

  struct Part {
    std::size_t begin = 0, end = 0;   // of the window; what is kept lies at its beginning
    std::size_t kept = 0, lists = 0;  // edges; entries of starts_ from `begin` on
    const VertexId* source = nullptr;
    const VertexId* target = nullptr;
    const Weight* weight = nullptr;
    const std::uint32_t* starts = nullptr;
  };

  // Few edges are not worth calling others.
  int team(std::size_t edges) const { return edges < kLeastPiece ? 1 : workers_; }

  bool same_edge(std::size_t a, std::size_t b) const {
    return source_[a] == source_[b] && target_[a] == target_[b];
  }

  // Fills source_ and target_, and weight_ where no fold will.
  void load(std::span<const Record> records, const Relabel* relabel) {
    std::vector<std::size_t> bad((records.size() + piece_ - 1) / piece_, records.size());
    parallel_pieces(workers_, records.size(), piece_,
                    [&](std::size_t first, std::size_t last, int) {
                      VertexId* const source = source_.data();
                      VertexId* const target = target_.data();
                      for (std::size_t i = first; i < last; ++i) {
                        source[i] = records[i].source;
                        target[i] = records[i].target;
                        if constexpr (kWeighted) weight_[i] = records[i].weight;
                      }
                      if (relabel) {
                        (*relabel)(source_.span().subspan(first, last - first));
                        (*relabel)(target_.span().subspan(first, last - first));
                      }
                      VertexId largest = 0;
                      for (std::size_t i = first; i < last; ++i)
                        largest = std::max({largest, source[i], target[i]});
                      if (largest < vertices_) return;
                      std::size_t i = first;
                      while (std::max(source[i], target[i]) < vertices_) ++i;
                      bad[first / piece_] = i;
                    });
    for (const std::size_t i : bad)
      if (i < records.size()) refuse({source_[i], target_[i]});
  }

  [[noreturn]] void refuse(Edge e) const {
    throw Error(ErrorCode::BadInput, "expected vertices below " + std::to_string(vertices_) +
                                         ", found '" + std::to_string(e.source) + " " +
                                         std::to_string(e.target) + "'");
  }

  // Adds the duplicates that the window begins with; where others begin.
  std::size_t continue_open(std::span<const Record> records) {
    std::size_t i = 0;
    if (!open_) return i;
    for (; i < records.size() && source_[i] == open_source_ && target_[i] == open_target_; ++i)
      open_fold_.add(records[i].get_weight());
    return i;
  }

  std::size_t group_at_end(std::span<const Record> records) const {
    std::size_t i = records.size() - 1;
    while (i > 0 && same_edge(i - 1, i)) --i;
    return i;
  }

  void open_group(std::span<const Record> records, std::size_t first) {
    open_ = true;
    open_source_ = source_[first];
    open_target_ = target_[first];
    open_fold_.start(records[first].get_weight());
    for (std::size_t i = first + 1; i < records.size(); ++i)
      open_fold_.add(records[i].get_weight());
  }

  // As a part of its own; the window will hold another one's when it is delivered.
  Part the_open_edge() {
    static constexpr std::uint32_t kFirst = 0;
    given_source_ = open_source_;
    given_target_ = open_target_;
    given_weight_ = kWeighted ? open_fold_.get() : 1;
    return {0, 1, 1, 1, &given_source_, &given_target_, &given_weight_, &kFirst};
  }

  // Moves what is kept of [first, last) to the beginning of each part.
  void keep(std::span<const Record> records, std::size_t first, std::size_t last) {
    const std::size_t before = parts_.size();
    for (std::size_t begin = first; begin < last;) {
      std::size_t end = std::min(begin + piece_, last);
      if (duplicates_ != Duplicates::Keep)
        while (end < last && same_edge(end - 1, end)) ++end;
      parts_.push_back({begin, end, 0, 0, source_.data() + begin, target_.data() + begin,
                        kWeighted ? weight_.data() + begin : nullptr, starts_.data() + begin});
      begin = end;
    }
    parallel_each(team(last - first), parts_.size() - before, [&](std::size_t p, int) {
      Part& part = parts_[before + p];
      part.kept = duplicates_ == Duplicates::Keep ? part.end - part.begin
                                                  : compact(records, part.begin, part.end);
      VertexId last_source = kNoVertex;
      for (std::size_t i = 0; i < part.kept; ++i)
        if (part.source[i] != last_source) {
          last_source = part.source[i];
          starts_[part.begin + part.lists++] = static_cast<std::uint32_t>(i);
        }
    });
  }

  std::size_t compact(std::span<const Record> records, std::size_t begin, std::size_t end) {
    WeightFold fold(duplicates_, input_);
    std::size_t at = begin;
    for (std::size_t i = begin; i < end; ++at) {
      const Edge edge{source_[i], target_[i]};
      fold.start(records[i].get_weight());
      for (++i; i < end && source_[i] == edge.source && target_[i] == edge.target; ++i)
        fold.add(records[i].get_weight());
      source_[at] = edge.source;
      target_[at] = edge.target;
      if constexpr (kWeighted) weight_[at] = fold.get();
    }
    return at - begin;
  }

  template <class Prepare, class Each>
  void deliver(const Prepare& prepare, const Each& each) {
    std::vector<std::size_t> first;
    std::vector<EdgePart> lists;
    std::size_t kept = 0;
    for (const Part& part : parts_) {
      for (std::size_t s = 0; s < part.lists; ++s)
        while (next_ <= part.source[part.starts[s]]) put_offset(edges_ + kept + part.starts[s]);
      first.push_back(kept);
      lists.push_back({{part.target, part.kept}, {part.weight, kWeighted ? part.kept : 0}});
      kept += part.kept;
    }
    prepare(kept);
    parallel_each(team(kept), parts_.size(), [&](std::size_t p, int worker) {
      const Part& part = parts_[p];
      each(KeptEdges{{part.source, part.kept}, lists[p].target, lists[p].weight, first[p]}, worker);
    });
    sink_.parts(lists);
    edges_ += kept;
  }

  void put_offset(EdgeId offset) {
    if (offset_.size() == kOffsets) {
      sink_.offsets(offset_);
      offset_.clear();
    }
    offset_.push_back(offset);
    ++next_;
  }

  ListSink& sink_;
  VertexId vertices_;
  Duplicates duplicates_;
  std::string input_;
  int workers_;
  std::size_t piece_;  // edges a worker takes at a time
  Array<VertexId> source_, target_;
  Array<Weight> weight_;
  Array<std::uint32_t> starts_;  // where other sources begin among what a part keeps
  std::vector<Part> parts_;
  // The duplicates at the end of a window, which the next one may continue.
  bool open_ = false;
  VertexId open_source_ = 0, open_target_ = 0;
  WeightFold open_fold_;
  VertexId given_source_ = 0, given_target_ = 0;
  Weight given_weight_ = 1;
  std::uint64_t next_ = 0;  // index of the next offset
  EdgeId edges_ = 0;
  std::vector<EdgeId> offset_;
};

}  // namespace fathom::graph
