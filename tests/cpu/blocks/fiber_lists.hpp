// The lists of a graph on a GPU that is fibers: batches go through the kernels of a GPU one after
// the other, as cuda/gpu_apply.cpp queues them, with pages from a pool of little memory.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <type_traits>

#include "fathom/dynamic/batches/blocks/chain_body.hpp"
#include "fathom/dynamic/batches/blocks/commit_body.hpp"
#include "fathom/dynamic/batches/blocks/plan_body.hpp"
#include "tests/cpu/blocks/launch.hpp"
#include "tests/suites/dynamic_model.hpp"

namespace fathom::testing {

/// How lists lie, and how batches are planned.
struct FiberListsOptions {
  DynamicLayout layout;
  bool directed = true;
  bool in_lists = true;  // of a directed graph
  DuplicatePolicy policy = DuplicatePolicy::Ignore;
  std::uint32_t vertices = 100;
  dynamic::ListRoom room = {};
};

class FiberLists {
 public:
  enum class Way { Chains, Changes, Lists, Warps };

  FiberLists(const FiberListsOptions& options, std::uint64_t limit)
      : options_(options), exists_(options.vertices / 32 + 1, ~0u), region_(kUnits * 4) {
    for (auto& record : record_)
      record.resize(options.vertices * options.layout.records(), empty_record(options.layout));
    for (auto& written : written_) written.resize(options.vertices);
    for (std::size_t k = 0; k < page_.size(); ++k) {
      page_[k].resize(1u << 13);
      pool_.page[k] = page_[k].data();
    }
    pool_.region = region_.data();
    pool_.state = &state_;
    pool_.limit = limit;
  }

  int directions() const { return options_.directed && options_.in_lists ? 2 : 1; }
  DynamicEdges lists(int d) const {
    return {region_.data(), record_[static_cast<std::size_t>(d)].data(), options_.layout};
  }
  const dynamic::gpu::Totals& totals() const { return *totals_; }
  int refused() const { return refused_; }

  /// What lists left stays until release().
  void pin() { pinned_ = epoch_; }

  /// Gives the pages of snapshots back.
  void release(std::uint64_t seed) {
    std::vector<dynamic::PageRequest> back;
    for (std::uint32_t i = 0; i < retired_count_; ++i) back.push_back(retired_[i].page);
    launch(grid_of(seed), seed, [&](const FiberBlock& block) {
      dynamic::gpu::blocks::free_all(block, pool_, back.data(), back.size());
    });
    retired_count_ = 0;
    pinned_ = 0;
  }

  /// Applies a batch; where memory or room is missing, nothing has changed before there is more.
  void apply(const std::vector<EdgeUpdate>& updates, const std::vector<EdgeFields>& fields, Way way,
             std::uint64_t seed) {
    using namespace dynamic::gpu;
    seed_ = seed * 101;
    ++epoch_;
    totals_ = std::make_unique<Totals>();
    Batch batch(*this, updates, fields);
    if (way == Way::Chains) plan_by_chains(batch);
    if (way != Way::Chains || totals_->unsuited != 0) {
      *totals_ = {};
      plan_by_sorting(batch, way);
    }
    for (int round = 0;; ++round) {
      ASSERT_LT(round, 20) << "there is never enough";
      const auto before = record_;
      const auto state = state_;
      assign(batch);
      commit(batch);
      if (totals_->go != 0) break;
      // Nothing has changed but that there is more.
      ++refused_;
      for (std::size_t d = 0; d < 2; ++d)
        for (std::size_t i = 0; i < before[d].size(); ++i)
          ASSERT_EQ(std::memcmp(&record_[d][i], &before[d][i], sizeof(DynamicRecord)), 0);
      ASSERT_EQ(std::memcmp(&state, &state_, sizeof(state)), 0);
      ASSERT_EQ(totals_->side[0].too_long + totals_->side[1].too_long, 0u);
      if (totals_->missing != 0) pool_.limit += totals_->missing / kDynamicUnit;
      ASSERT_LE(pool_.limit, kUnits);
      for (Arrays& a : batch.its) a.make_room();
      retired_.resize(retired_count_ + 5000);
    }
  }

  /// Pages of lists, of snapshots and free ones lie apart, and no unit is lost.
  void expect_whole() const {
    std::map<std::uint64_t, std::uint64_t> units;
    const auto put = [&](std::uint32_t page, int k) {
      ASSERT_TRUE(units.emplace(page, std::uint64_t{1} << k).second) << "page " << page << " twice";
    };
    for (int d = 0; d < directions(); ++d) {
      const auto ref = lists_ref(d);
      for (std::uint32_t v = 0; v < options_.vertices; ++v) {
        const DynamicList l = ref.list(v);
        std::uint32_t page = l.page;
        for (std::uint32_t left = ref.pages_for(l.capacity); left != 0; --left) {
          put(page, dynamic::page_size_class(ref.bytes_for(l.capacity)));
          if (ref.linked()) page = ref.pages().link(page);
        }
      }
    }
    for (std::uint32_t i = 0; i < retired_count_; ++i)
      put(retired_[i].page.page, dynamic::page_size_class(retired_[i].page.bytes));
    for (std::size_t k = 0; k < page_.size(); ++k)
      for (std::uint32_t i = 0; i < state_.free[k]; ++i) put(page_[k][i], static_cast<int>(k));
    std::uint64_t at = 0;
    for (const auto& [first, n] : units) {
      ASSERT_EQ(first, at);
      at += n;
    }
    ASSERT_EQ(at, state_.border);
  }

 private:
  static constexpr std::uint64_t kUnits = 1u << 16;

  struct Arrays {
    explicit Arrays(std::size_t n)
        : head(0), node(n), vertex(n), change(2 * n), touched(n), number(n), fresh(3), old(3) {}
    /// As much as the batch wants.
    void make_room() {
      fresh.resize(std::max<std::size_t>(fresh.size(), side.totals->fresh));
      old.resize(std::max<std::size_t>(old.size(), side.totals->old));
      set_room();
    }
    void set_room() {
      side.fresh = fresh.data();
      side.old = old.data();
      side.fresh_room = fresh.size();
      side.old_room = old.size();
    }
    std::vector<std::uint32_t> head;
    std::vector<dynamic::gpu::UpdateNode> node;
    std::vector<VertexId> vertex;
    std::vector<dynamic::Change> change;
    std::vector<dynamic::TouchedList> touched;
    std::vector<dynamic::gpu::PageNumbers> number;
    std::vector<dynamic::PageRequest> fresh, old;
    dynamic::gpu::Side side{};
  };

  struct Batch {
    Batch(FiberLists& lists, const std::vector<EdgeUpdate>& all,
          const std::vector<EdgeFields>& fields)
        : update(all) {
      const std::size_t n = lists.options_.directed ? all.size() : 2 * all.size();
      for (int d = 0; d < lists.directions(); ++d) its.emplace_back(n);
      for (int d = 0; d < lists.directions(); ++d) {
        Arrays& a = its[static_cast<std::size_t>(d)];
        a.head.resize(lists.options_.vertices);
        a.side.lists = lists.lists_ref(d);
        a.side.changes = static_cast<std::uint32_t>(n);
        a.side.change = a.change.data();
        a.side.touched = a.touched.data();
        a.side.number = a.number.data();
        a.side.vertex = a.vertex.data();
        a.side.totals = &lists.totals_->side[d];
        if (dynamic::has_fields(lists.options_.layout))
          a.side.data = {update.data(), fields.data()};
        a.set_room();
      }
    }
    const std::vector<EdgeUpdate>& update;
    std::vector<Arrays> its;
    std::unique_ptr<dynamic::BulkPlan> plan = std::make_unique<dynamic::BulkPlan>();
  };

  dynamic::DynamicListsRef lists_ref(int d) const {
    auto* const self = const_cast<FiberLists*>(this);
    const auto at = static_cast<std::size_t>(d);
    return {self->region_.data(), self->record_[at].data(), options_.layout, epoch_, pinned_,
            options_.room,        self->written_[at].data()};
  }
  template <class Kernel>
  void run(const Kernel& kernel) {
    ++seed_;
    launch(grid_of(seed_), seed_, kernel);
  }

  void plan_by_chains(Batch& batch) {
    using namespace dynamic::gpu;
    ChainedUpdates in{batch.update.data(),
                      static_cast<std::uint32_t>(batch.update.size()),
                      !options_.directed,
                      directions(),
                      exists_.data(),
                      options_.vertices,
                      dynamic::has_fields(options_.layout),
                      {}};
    for (std::size_t d = 0; d < batch.its.size(); ++d)
      in.chains[d] = {batch.its[d].head.data(), batch.its[d].node.data()};
    run([&](const FiberBlock& block) {
      blocks::chain_all(block, in, batch.its.front().side, batch.its.back().side, &totals_->check);
    });
    for (std::size_t d = 0; d < batch.its.size(); ++d)
      run([&](const FiberBlock& block) {
        blocks::plan_chains(block, batch.its[d].side, in.chains[d], options_.policy,
                            options_.directed, d == 0, totals_.get());
      });
  }

  /// What sort_changes() does, one after the other.
  void sort(const Batch& batch, Arrays& a, bool swapped) const {
    std::vector<dynamic::Change> all;
    for (std::uint32_t i = 0; i < batch.update.size(); ++i) {
      EdgeUpdate e = batch.update[i];
      const Weight w =
          dynamic::gpu::weight_of(dynamic::has_fields(options_.layout), i, batch.update[i]);
      if (swapped) std::swap(e.source, e.target);
      const auto kind = e.deletion ? dynamic::ChangeKind::Delete : dynamic::ChangeKind::Insert;
      all.push_back({e.source, e.target, w, kind});
      if (!options_.directed && e.source != e.target) all.push_back({e.target, e.source, w, kind});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
      return std::pair(x.source, x.target) < std::pair(y.source, y.target);
    });
    a.side.changes = static_cast<std::uint32_t>(all.size());
    std::copy(all.begin(), all.end(), a.change.begin());
    std::uint32_t touched = 0;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i].source != all[i - 1].source) {
        a.touched[touched] = {};
        a.touched[touched].first = i;
        a.touched[touched++].vertex = all[i].source;
      }
      a.touched[touched - 1].last = i + 1;
    }
    a.side.totals->touched = touched;
  }

  void plan_by_sorting(Batch& batch, Way way) {
    using namespace dynamic::gpu;
    for (std::size_t d = 0; d < batch.its.size(); ++d) {
      sort(batch, batch.its[d], d == 1);
      const Side& side = batch.its[d].side;
      run([&](const FiberBlock& block) {
        blocks::for_each_item(block, side.changes,
                              dynamic::DecideEdge{side.change, side.changes, options_.policy});
      });
      run([&](const FiberBlock& block) {
        if (way == Way::Warps)
          blocks::locate_by_warps(block, {side.lists, side.change}, side.changes);
        else if (way == Way::Changes)
          blocks::locate_changes(block, {side.lists, side.change}, side.changes);
        else
          blocks::locate_in_lists(block, {side.lists, side.change, side.touched}, side.totals);
      });
      run([&](const FiberBlock& block) {
        blocks::plan_lists(block, {side.lists, side.change, side.touched, &side.totals->too_long},
                           side.totals);
      });
      run([&](const FiberBlock& block) { blocks::place_pages(block, side, totals_.get()); });
    }
    const Side& out = batch.its.front().side;
    run([&](const FiberBlock& block) {
      blocks::add_up_changes(block, out.change, out.changes, options_.directed, &totals_->counts);
    });
  }

  void assign(Batch& batch) {
    using namespace dynamic::gpu;
    Rooms rooms;
    rooms.sides = directions();
    for (std::size_t d = 0; d < batch.its.size(); ++d) {
      rooms.fresh[d] = batch.its[d].side.fresh_room;
      rooms.old[d] = batch.its[d].side.old_room;
    }
    rooms.retired = retired_.size() - retired_count_;
    for (std::uint32_t& free : rooms.free) free = 1u << 12;
    Totals found{};
    ++seed_;
    launch({1, grid_of(seed_).threads}, seed_, [&](const FiberBlock& block) {
      blocks::divide_pages(block, pool_, batch.plan.get(), rooms, totals_.get(), &found);
    });
    totals_->missing = found.missing;
    for (const Arrays& a : batch.its)
      run([&](const FiberBlock& block) {
        blocks::give_pages(block, a.side, pool_, batch.plan.get(), totals_.get());
      });
  }

  void commit(Batch& batch) {
    using namespace dynamic::gpu;
    for (std::size_t d = 0; d < batch.its.size(); ++d)
      run([&](const FiberBlock& block) {
        const auto write = [&](const auto& data) {
          const Retired retired{retired_.data(), &retired_count_};
          const dynamic::BulkPlan* const settled = d == 0 ? batch.plan.get() : nullptr;
          const Side& side = batch.its[d].side;
          using dynamic::ListForm;
          const auto as = [&]<ListForm kForm>(std::integral_constant<ListForm, kForm>) {
            blocks::commit_lists<kForm>(block, side, data, pool_, retired, settled, totals_.get());
          };
          switch (side.lists.form()) {
            case ListForm::Contiguous:
              return as(std::integral_constant<ListForm, ListForm::Contiguous>{});
            case ListForm::Linked:
              return as(std::integral_constant<ListForm, ListForm::Linked>{});
            case ListForm::Sorted:
              return as(std::integral_constant<ListForm, ListForm::Sorted>{});
          }
        };
        if (dynamic::has_fields(options_.layout))
          write(batch.its[d].side.data);
        else
          write(dynamic::WeightsAlone{});
      });
  }

  FiberListsOptions options_;
  std::vector<std::uint32_t> exists_, region_;
  std::array<std::vector<DynamicRecord>, 2> record_;
  std::array<std::vector<std::uint32_t>, 2> written_;
  std::array<std::vector<std::uint32_t>, dynamic::kPageSizes> page_;
  dynamic::BulkPoolState state_;
  dynamic::BulkPoolRef pool_{};
  std::unique_ptr<dynamic::gpu::Totals> totals_;
  std::vector<dynamic::RetiredPage> retired_{3};
  std::uint32_t retired_count_ = 0, epoch_ = 0, pinned_ = 0;
  std::uint64_t seed_ = 0;
  int refused_ = 0;
};

}  // namespace fathom::testing
