// The rounds on host threads: lanes are threads, devices are emulated.
#include <atomic>
#include <cstring>
#include <thread>

#include "fathom/core/random.hpp"
#include "fathom/fathom.hpp"
#include "fathom/memory/host_heap.hpp"
#include "tests/stress/stress.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::testing {
namespace {

constexpr std::uint32_t kThreads = 3;

/// Threads that each keep some of a heap's pages with their mark on them.
template <class V>
AllocatorOutcome exercise(const AllocatorRound& round) {
  using Manager = memory::Ouroboros<V, V, memory::CheckedTraits>;
  const memory::HostHeap<Manager> heap(memory::HeapOptions{round.heap_bytes}, round.usable);
  std::atomic<std::uint64_t> served{0}, overlaps{0};
  const auto allocate_and_free = [&](std::uint64_t id) {
    constexpr std::size_t kKept = 64;
    const Manager manager = heap.manager();
    const RandomStream random(id, round.most_bytes);
    std::vector<std::uint64_t*> kept(kKept, nullptr);
    const auto drop = [&](std::uint64_t*& page) {
      if (page == nullptr) return;
      if (*page != id) ++overlaps;
      manager.free(page);
      page = nullptr;
    };
    for (std::uint64_t i = 0; i < std::uint64_t{round.threads} / 16 * round.rounds; ++i) {
      std::uint64_t*& page = kept[i % kKept];
      drop(page);
      page =
          static_cast<std::uint64_t*>(manager.malloc(16 + bounded(random.at(i), round.most_bytes)));
      if (page == nullptr) continue;
      *page = id;
      ++served;
    }
    for (std::uint64_t*& page : kept) drop(page);
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] { allocate_and_free(t + 1); });
  }
  return {served, overlaps, heap.stats().bytes_live, static_cast<std::uint32_t>(heap.valid())};
}

class Host final : public Machine {
 public:
  AllocatorOutcome allocate(const AllocatorRound& round) override {
    using namespace memory;
    constexpr std::array kVariants = {exercise<SP>,  exercise<SC>,  exercise<VAP>,
                                      exercise<VAC>, exercise<VLP>, exercise<VLC>};
    return kVariants[round.variant](round);
  }

  Context for_changes(std::size_t memory) override {
    CpuOptions cpu;
    cpu.threads = 2;
    cpu.host_memory = memory;
    return Context::cpu(cpu);
  }

  std::vector<LiveResult> change(const LiveChanges& changing,
                                 const std::vector<EdgeUpdate>& updates,
                                 std::uint32_t group) override {
    const LiveLists lists = changing.lists();
    std::vector<LiveResult> results(updates.size());
    const auto apply = [&](const auto& lanes, std::size_t i) {
      const EdgeUpdate& e = updates[i];
      const LiveResult its = e.deletion ? lists.erase(lanes, e.source, e.target)
                                        : lists.insert(lanes, e.source, e.target, e.weight);
      if (lanes.rank() == 0) results[i] = its;
    };
    // Groups of threads wait for each other at every vote: they get a part of the updates.
    const std::size_t by_groups = group == 0 ? 0 : updates.size() / 16;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = by_groups + t; i < updates.size(); i += kThreads) apply(OneLane{}, i);
      });
    if (by_groups != 0)
      LaneTeam(group == 1 ? 2 : 4).run([&](const LaneTeam::Lane& lane) {
        for (std::size_t i = 0; i < by_groups; ++i) apply(lane, i);
      });
    return results;
  }

  Context for_runs(std::size_t memory, std::uint32_t devices) override {
    CpuOptions cpu;
    cpu.threads = 2;
    cpu.devices = devices == 0 ? 1 : static_cast<int>(devices);
    cpu.device_memory = memory;
    return Context::cpu(cpu);
  }
  std::vector<ResidencyOptions::Kind> residencies(std::uint32_t) override {
    using enum ResidencyOptions::Kind;
    return {Auto, Stream};
  }
};

}  // namespace

std::unique_ptr<Machine> make_machine() {
  return std::make_unique<Host>();
}

}  // namespace fathom::testing
