// Allocators, graphs that change, snapshots and algorithms at the same time, with budgets that
// often do not do. Every answer is compared with a model or with another machine's; a refusal (exit
// code 4 of the command) must leave everything as it was. Prints what was done; exits with 1 when
// anything was wrong.
#include "tests/stress/stress.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace fathom::testing {

void Counts::print() const {
  for (const auto& [what, count] : counts_)
    std::printf("%-40s %12llu\n", what.c_str(), static_cast<unsigned long long>(count));
}

void allocate(Machine& machine, zoo::Dice& dice, Counts& counts) {
  AllocatorRound round{};
  round.variant = dice.roll(6);
  round.shape = dice.roll(3);
  round.threads = 100 + dice.roll(60000);
  round.most_bytes = std::uint64_t{16} << dice.roll(10);
  round.rounds = 1 + dice.roll(5);
  round.heap_bytes = 512 * kMi;
  round.usable = (std::uint64_t{1} + dice.roll(128)) * kMi;
  const AllocatorOutcome run = machine.allocate(round);
  require(run.overlaps == 0, "pages of an allocator overlap");
  require(run.live_after == 0, "an allocator lost pages");
  require(run.broken == 0, "an allocator's invariants are broken");
  counts.add("allocations served", run.served);
}

namespace {

struct Options {
  int seconds = 60, threads = 6;
  std::uint64_t seed = 1, rounds = ~std::uint64_t{0};
  std::string round;
};

class Stress {
 public:
  explicit Stress(const Options& options) : options_(options) {}

  int run() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options_.seconds);
    std::vector<std::jthread> team;
    for (int t = 0; t < options_.threads; ++t)
      team.emplace_back([&, t] {
        for (std::uint64_t n = 0; n < options_.rounds && wrong_ < 10; ++n) {
          if (std::chrono::steady_clock::now() >= end) return;
          play(options_.seed + 1000003 * n + 7919 * static_cast<std::uint64_t>(t));
        }
      });
    team.clear();
    return report();
  }
  int run_one() {
    play(options_.seed);
    return report();
  }

 private:
  void play(std::uint64_t seed) {
    zoo::Dice dice(seed);
    const std::uint32_t what = dice.roll(5);
    const char* const name = what == 0 ? "allocate" : what < 3 ? "change" : "analyse";
    if (!options_.round.empty() && options_.round != name) return;
    const auto start = std::chrono::steady_clock::now();
    try {
      (what == 0 ? allocate : what < 3 ? change : analyse)(*machine_, dice, counts_);
      counts_.add(std::string("rounds of ") + name);
    } catch (const std::exception& e) {
      ++wrong_;
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      std::fprintf(stderr, "WRONG: %s with seed %llu, after %.3f s of it: %s\n", name,
                   static_cast<unsigned long long>(seed), took.count(), e.what());
    }
  }
  int report() const {
    counts_.print();
    std::printf("%d threads, seed %llu: %d wrong\n", options_.threads,
                static_cast<unsigned long long>(options_.seed), wrong_.load());
    return wrong_ == 0 ? 0 : 1;
  }

  const Options options_;
  const std::unique_ptr<Machine> machine_ = make_machine();
  Counts counts_;
  std::atomic<int> wrong_{0};
};

}  // namespace
}  // namespace fathom::testing

int main(int argc, char** argv) {
  fathom::testing::Options options;
  bool one = false;
  CLI::App app("Rounds of random work on graphs, each of a seed, until the time is over.");
  app.add_option("--seconds", options.seconds, "how long")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the first round");
  app.add_option("--threads", options.threads, "rounds at a time")->check(CLI::PositiveNumber);
  app.add_option("--rounds", options.rounds, "of each thread at most");
  app.add_option("--only", options.round, "skip the other rounds")
      ->check(CLI::IsMember({"allocate", "change", "analyse"}));
  app.add_flag("--one", one, "the round of that seed alone, as a failure names it");
  CLI11_PARSE(app, argc, argv);
  fathom::testing::Stress stress(options);
  return one ? stress.run_one() : stress.run();
}
