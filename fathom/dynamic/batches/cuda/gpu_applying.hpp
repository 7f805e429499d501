// A batch on its way into lists on a GPU: alone, or beside the lists that other GPUs have of the
// same graph.
#pragma once

#include <algorithm>

#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"

namespace fathom::dynamic::gpu {

/// The part of apply_to_all() that these lists have.
class Lists::Changing {
 public:
  /// `alone`: nobody else has to have all it needs.
  Changing(Lists& lists, const ListBatch& batch, Array<VertexId>& deleted, bool alone)
      : lists_(lists),
        batch_(batch),
        deleted_(deleted),
        alone_(alone),
        by_chains_(lists.suits_chains(batch)) {}

  void plan() {
    lists_.gpu_.activate();
    changes_ =
        by_chains_ ? lists_.plan_by_chains(batch_) : lists_.plan_by_sorting(batch_, deleted_);
    by_chains_ = false;  // if it is planned anew
    if (changes_ != 0)
      lists_.pages_->make_rooms_for(changes_ * static_cast<std::size_t>(lists_.directions()));
  }
  void attempt() {
    if (changes_ == 0) return;
    lists_.gpu_.activate();
    lists_.assign_pages(lists_.work_);
    if (alone_) lists_.queue_commit();  // which does nothing unless all is there
  }
  BatchFinding found() {
    if (changes_ == 0) return BatchFinding::Fits;
    return lists_.wait_for_finding(lists_.work_);
  }
  void make_room() {
    if (changes_ == 0) return;
    lists_.gpu_.activate();
    lists_.make_room(lists_.work_);
  }
  void refuse() const {
    if (changes_ == 0) return;
    lists_.check(batch_, batch_.edges.data());
    lists_.check_lengths();
  }
  void commit() noexcept {
    if (changes_ == 0) return;
    if (!alone_) lists_.queue_commit();
    report_ = lists_.take_in();
  }
  void give_up() noexcept {
    if (changes_ != 0) lists_.give_up(lists_.work_);
  }

  const BatchReport& report() const { return report_; }

 private:
  Lists& lists_;
  const ListBatch& batch_;
  Array<VertexId>& deleted_;
  const bool alone_;
  bool by_chains_;
  std::size_t changes_ = 0;  // that there may be in each direction
  BatchReport report_;
};

/// Bits of new vertices; they go again unless the batch is applied.
class Lists::NewBits {
 public:
  NewBits(const Lists& lists, const ListBatch& batch)
      : lists_(lists), batch_(batch), reused_(lists.on_device(batch.reused)) {
    set(true);
  }
  NewBits(const NewBits&) = delete;
  NewBits& operator=(const NewBits&) = delete;
  ~NewBits() {
    if (!stay_) set(false);
  }
  void stay() { stay_ = true; }

 private:
  void set(bool value) const {
    lists_.mark(reused_, value);
    if (batch_.vertices > lists_.vertices_)
      mark_range(lists_.gpu_, lists_.vertices_, batch_.vertices, lists_.exists(), value);
  }

  const Lists& lists_;
  const ListBatch& batch_;
  Array<VertexId> reused_;
  bool stay_ = false;
};

/// A batch from when its new vertices are there until it is done(); without that they go again.
class Lists::Applying {
 public:
  /// The batch outlives it; its edges may be named before apply_to_all() plans changes().
  Applying(Lists& lists, const ListBatch& batch, bool alone)
      : lists_(with_room(lists, batch)),
        batch_(batch),
        added_(lists, batch),
        changing_(lists, batch, deleted_, alone) {}
  Applying(const Applying&) = delete;
  Applying& operator=(const Applying&) = delete;
  ~Applying() {
    if (done_) return;
    // Updates that are on their way are the caller's, and memory may be what is missing.
    cudaSetDevice(lists_.gpu_.ordinal());
    cudaStreamSynchronize(lists_.gpu_.stream());
    lists_.work_ = {};
  }

  Changing& changes() {
    if (deleted_.empty()) deleted_ = lists_.on_device(batch_.deleted_vertices);
    return changing_;
  }
  BatchReport done() {
    lists_.mark(deleted_, false);
    done_ = true;
    added_.stay();
    if (lists_.work_.bytes() > lists_.gpu_.memory()->limit() / 8) lists_.work_ = {};
    lists_.vertices_ = std::max(lists_.vertices_, batch_.vertices);
    BatchReport report = changing_.report();
    report.waits = lists_.waits_;
    return report;
  }

 private:
  static Lists& with_room(Lists& lists, const ListBatch& batch) {
    lists.gpu_.activate();
    lists.waits_ = 0;
    for (int d = 0; d < lists.directions(); ++d)
      lists.grow_records(static_cast<std::size_t>(d), batch.vertices, batch.pinned);
    lists.exists_.grow_to((std::size_t{batch.vertices} / 32 + 1) * sizeof(std::uint32_t));
    lists.keep_for(batch.vertices);
    return lists;
  }

  Lists& lists_;
  const ListBatch& batch_;
  NewBits added_;
  Array<VertexId> deleted_;
  Changing changing_;
  bool done_ = false;
};

}  // namespace fathom::dynamic::gpu
